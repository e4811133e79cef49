"""Runs that a sanitizer's report tells of: recovered, repeated, and compared with the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.errors import UsageError
from butfor.frontends.c.sanitizer_report import read_report
from butfor.options import Options
from tests.commands import butfor_command

PROGRAM = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void put(char *to, const char *from) { strcpy(to, from); }
int main(int argc, char **argv)
{
    char *b = malloc(8);
    put(b, argv[1]);
    printf("%s %d\n", b, 1 << atoi(argv[2]));
    free(b);
    return 0;
}
"""
OVERFLOW = """=================================================================
==8916==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018 at pc 0x7f7bc5a602ca bp 0x7ffc sp 0x7ffc
WRITE of size 16 at 0x602000000018 thread T0
    #0 0x7f7bc5a602c9 in __interceptor_strcpy ../../../../src/libsanitizer/asan/asan_interceptors.cpp:425
    #1 0x56355cd18257 in put /build/prog.c:4
    #2 0x56355cd182fb in main /build/prog.c:8:5
    #3 0x56355cd18140 in _start (/build/prog+0x1140)

0x602000000018 is located 0 bytes to the right of 8-byte region [0x602000000010,0x602000000018)
allocated by thread T0 here:
    #1 0x56355cd18274 in main /build/prog.c:7
"""
COMMAND = "Command: ./prog abcdefghijklmno 3 \n\n==8916==ABORTING\n"
SHIFT = "prog.c:9:28: runtime error: shift exponent 40 is too large for 32-bit type 'int'\n"


def explained(work: Path, log: str, *words: str) -> tuple[int, str]:
    """The exit status and the text of the explanation."""
    (work / "prog.c").write_text(PROGRAM)
    (work / "log").write_text(log)
    done = butfor_command(["explain", "prog.c", "--asan-log", "log", "--method", "slice", *words], work)
    return done.code, " ".join((done.stdout + done.stderr).split())


def test_the_run_of_a_report_is_repeated(work: Path) -> None:
    _, text = explained(work, OVERFLOW + COMMAND)
    assert "prog.c:4" in text
    assert "the report tells of heap-buffer-overflow at /build/prog.c:4; the repeated run fails there too" in text


def test_an_arithmetic_error_is_looked_for_if_the_report_tells_of_it(work: Path) -> None:
    _, text = explained(work, SHIFT, "--", "hi", "40")
    assert "the report tells of shift exponent 40 is too large" in text
    assert "the repeated run fails there too" in text


def test_what_is_missing_is_said(work: Path) -> None:
    _, text = explained(work, OVERFLOW, "--", "short", "3")
    assert "but the repeated run does not fail: standard input is empty here" in text
    _, text = explained(work, OVERFLOW.replace("prog.c:4", "prog.c:40").replace("prog.c:8", "prog.c:80"))
    assert "fails elsewhere" in text
    assert "does not say with which arguments" in text


def test_an_input_that_a_fuzzer_wrote_is_the_argument(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(OVERFLOW + "artifact_prefix='./'; Test unit written to ./crash-0a1b\n")
    assert read_report(tmp_path / "log").started(Options()).args == ("./crash-0a1b",)
    assert read_report(tmp_path / "log").started(Options(args=("own",))).args == ("own",)


def test_a_file_without_a_report_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("make: nothing to be done\n")
    with pytest.raises(UsageError, match="no report of a sanitizer"):
        read_report(tmp_path / "log")
