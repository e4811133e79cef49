"""Errors and exit codes."""

from __future__ import annotations

import pytest

from butfor import errors
from butfor.errors import (
    ButforError,
    CannotRecord,
    CompileError,
    DiskFull,
    ExitCode,
    OutOfTime,
    ReachesBeyond,
    RecordingError,
    ToolMissing,
    UnsupportedError,
    UsageError,
)
from butfor.explanation import Status


def test_exit_codes_are_the_published_ones() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "CAUSE_FOUND": 1,
        "USAGE": 2,
        "CANNOT_EXPLAIN": 3,
        "PARTIAL": 4,
        "INTERNAL": 101,
        "INTERRUPTED": 130,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("m"), 2),
        (CompileError("m", stderr="prog.c:1: error"), 2),
        (ToolMissing("m"), 2),
        (RecordingError("m"), 2),
        (UnsupportedError("inline assembly"), 3),
        (DiskFull("m"), 3),
        (CannotRecord("m"), 3),
        (ReachesBeyond("m"), 3),
        (OutOfTime("m"), 3),
    ],
)
def test_each_error_has_its_exit_code(error: ButforError, code: int) -> None:
    assert error.exit_code == code
    assert str(error) == error.message


def test_every_error_class_is_in_the_table_above() -> None:
    classes = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, ButforError)}
    assert classes - {ButforError} == {
        UsageError,
        CompileError,
        ToolMissing,
        RecordingError,
        UnsupportedError,
        DiskFull,
        CannotRecord,
        ReachesBeyond,
        OutOfTime,
    }


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("a.c", 7, "a.c:7: inline assembly is not supported"),
        ("a.c", 0, "a.c: inline assembly is not supported"),
        ("", 0, "inline assembly is not supported"),
    ],
)
def test_unsupported_names_construct_and_place(file: str, line: int, message: str) -> None:
    assert UnsupportedError("inline assembly", file=file, line=line).message == message


def test_status_to_exit_code() -> None:
    assert {status.value: int(status.exit_code) for status in Status} == {
        "explained": 0,
        "no-failure": 0,
        "partial": 4,
        "unsupported": 3,
    }
