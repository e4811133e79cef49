"""Core files: the arguments of the run, word for word where the memory that they were in is there."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from butfor.errors import UsageError
from butfor.frontends.c.core_file import read_core
from butfor.options import Options
from tests.commands import butfor_command

STACK = 0x7FFC_0000_0000
PROGRAM = """#include <stdlib.h>
int main(int argc, char **argv)
{
    int *p = NULL;
    if (argc == 3)
        *p = atoi(argv[2]);
    return 0;
}
"""


def note(kind: int, data: bytes) -> bytes:
    """A note as core files have it."""
    return struct.pack("<III", 5, len(data), kind) + b"CORE\0\0\0\0" + data + bytes(-len(data) % 4)


def core(words: list[bytes], *, with_stack: bool = True, signal: int = 11) -> bytes:
    """A core file of a command, with the notes and the part of the stack that matter."""
    command = b" ".join(words)[:79].ljust(80, b"\0")
    memory = b"x86_64\0" + b"\0".join(words) + b"\0HOME=/\0" + words[0] + b"\0"
    where = STACK + memory.rindex(words[0])
    auxiliary = struct.pack("<QQQQ", 31, where, 0, 0)
    notes = note(3, bytes(56) + command) + note(0x53494749, struct.pack("<i", signal).ljust(128, b"\0"))
    notes += note(6, auxiliary)
    at = 64 + 2 * 56
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 4, 0, at, 0, 0, len(notes), 0, 4)
    size = len(memory) if with_stack else 0
    segments += struct.pack("<IIQQQQQQ", 1, 6, at + len(notes), STACK, 0, size, len(memory), 4096)
    return header + segments + notes + (memory if with_stack else b"")


@pytest.mark.parametrize(
    ("with_stack", "words"), [(True, ("./prog", "two words", "3")), (False, ("./prog", "two", "words", "3"))]
)
def test_the_words_of_the_command(tmp_path: Path, with_stack: bool, words: tuple[str, ...]) -> None:
    file = tmp_path / "core"
    file.write_bytes(core([b"./prog", b"two words", b"3"], with_stack=with_stack))
    found = read_core(file)
    assert (found.words, found.is_cut, found.signal) == (words, False, 11)
    assert found.started(Options()).args == words[1:]
    assert found.started(Options(args=("own",))).args == ("own",)


def test_a_long_command_may_be_cut(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(core([b"./prog", *[b"word%d" % k for k in range(20)]]))
    assert read_core(tmp_path / "core").is_cut


def test_the_run_is_repeated(work: Path) -> None:
    (work / "prog.c").write_text(PROGRAM)
    (work / "core").write_bytes(core([b"./prog", b"two words", b"3"]))
    done = butfor_command(["explain", "prog.c", "--core", "core", "--method", "slice"], work)
    text = " ".join(done.stdout.split())
    assert "prog.c:6" in text
    assert "the core file is of a run that was ended by SIGSEGV; so was the repeated one" in text
    (work / "core").write_bytes(core([b"./prog", b"one"]))
    done = butfor_command(["explain", "prog.c", "--core", "core", "--method", "slice"], work)
    assert "the repeated one ended with exit status 0: standard input is empty here" in " ".join(done.stdout.split())


@pytest.mark.parametrize("data", [b"", b"text", core([b"./prog"])[:100], b"\x7fELF\x02" + bytes(200)])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "core").write_bytes(data)
    with pytest.raises(UsageError, match="not a core file"):
        read_core(tmp_path / "core")
