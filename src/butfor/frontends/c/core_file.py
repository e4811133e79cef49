"""Core files: with which arguments the program was started that left one, and which signal ended it."""

from __future__ import annotations

import re
import signal
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.files import read_bytes
from butfor.options import Options

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")
_IS_CORE, _X86_64 = 4, 62
_LOAD, _NOTES = 1, 4  # kinds of segments
_PRPSINFO, _AUXV, _SIGINFO = 3, 6, 0x53494749  # kinds of notes
_COMMAND_AT, _COMMAND_BYTES = 56, 80  # the words in NT_PRPSINFO, separated by blanks and cut off there
_EXECFN = 31  # of the auxiliary vector: where the name of the program is, beside its arguments


@dataclass(frozen=True, slots=True)
class CoreFile:
    """What a core file says about the run."""

    words: tuple[str, ...]  # of the command, its name first
    is_cut: bool  # whether there may be more of them
    signal: int

    def started(self, options: Options) -> Options:
        """The options with the arguments that the file names, unless there are some."""
        return options if options.args else replace(options, args=self.words[1:])

    def compared(self, answer: Explanation, options: Options) -> Explanation:
        """The explanation of the repeated run, with a note that says how it compares with the core file."""
        name = _signal_name(self.signal)
        told = f"the core file is of a run that was ended by {name}"
        if answer.run.signal == name:
            return replace(answer, notes=(f"{told}; so was the repeated one", *answer.notes))
        missing = []
        if self.is_cut and options.args == self.words[1:]:
            missing.append("it may have had more arguments than a core file tells: give all of them after --")
        if not options.stdin:
            missing.append("standard input is empty here (--stdin FILE), and no core file says what it was")
        missing = missing or ["files that it reads and the environment may differ"]
        ending = answer.run.ending
        return replace(answer, notes=(f"{told}; the repeated one {ending}: {'; '.join(missing)}", *answer.notes))


def read_core(path: Path) -> CoreFile:
    """What a core file says; a UsageError where it is none of a program for this machine."""
    data = read_bytes(path)
    try:
        notes = dict(_notes(data))
        command = notes[_PRPSINFO][_COMMAND_AT:][:_COMMAND_BYTES].split(b"\0")[0]
    except (struct.error, KeyError, ValueError) as error:
        raise UsageError(f"{path}: not a core file of an x86-64 program") from error
    number = struct.unpack_from("<i", notes[_SIGINFO])[0] if _SIGINFO in notes else 0
    is_cut = len(command) >= _COMMAND_BYTES - 1
    memory = _stack(data, notes.get(_AUXV, b""))
    bare = re.sub(rb"\\(.)", rb"\1", command)  # gdb writes words as shells take them
    words = _words_in_memory(command, memory) or _words_in_memory(bare, memory) or command.split()
    return CoreFile(tuple(word.decode("utf-8", "surrogateescape") for word in words), is_cut, number)


def _segments(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """The segments of a core file: kind, address, offset and size in the file."""
    ident, kind, machine, _, _, at, _, _, _, size, count, *_ = _HEADER.unpack_from(data)
    if ident[:5] != b"\x7fELF\x02" or (kind, machine) != (_IS_CORE, _X86_64):
        raise ValueError("another kind of file")
    for k in range(count):
        segment, _, offset, address, _, in_file, _, _ = _SEGMENT.unpack_from(data, at + k * size)
        yield segment, address, offset, in_file


def _notes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The notes, the first of a kind last."""
    found = []
    for kind, _, at, size in _segments(data):
        end = at + size if kind == _NOTES else at
        while at + _NOTE.size <= end:
            name_size, note_size, note = _NOTE.unpack_from(data, at)
            body = at + _NOTE.size + (name_size + 3 & ~3)
            found.append((note, data[body : body + note_size]))
            at = body + (note_size + 3 & ~3)
    yield from reversed(found)


def _stack(data: bytes, auxiliary: bytes) -> bytes:
    """The memory that the arguments are in, if the core file has it."""
    pairs = struct.iter_unpack("<QQ", auxiliary[: len(auxiliary) // 16 * 16])
    where = next((value for key, value in pairs if key == _EXECFN), None)
    for kind, address, at, size in _segments(data):
        if kind == _LOAD and where is not None and address <= where < address + size:
            return data[at : at + size]
    return b""


def _words_in_memory(command: bytes, memory: bytes) -> list[bytes]:
    """The words as they are in memory, where blanks inside of a word are not taken for the end of one."""
    pattern = b"".join(b"[ \\0]" if byte == ord(" ") else re.escape(bytes([byte])) for byte in command.rstrip(b" "))
    found = [*re.finditer(b"(?<=\\0)" + pattern + b"(?=\\0)", memory)] if pattern else []
    return found[-1][0].split(b"\0") if found else []


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in [*signal.Signals] else f"signal {number}"
