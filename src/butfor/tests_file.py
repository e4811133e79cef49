"""The file of `--tests`: a JSON object with a list of runs and what each should give.

    {"tests": [{"name": "t1", "args": ["6", "5"], "stdin": "text", "nondet": [1, -2],
                "expect_stdout": "text", "expect_exit": 0}, ...]}

Every key of a test may be left out; `nondet` holds the results of the __VERIFIER_nondet_* calls.
Bytes that are not UTF-8 are written as surrogate escapes, `\\udcNN` for the byte NN.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from butfor.errors import UsageError, did_you_mean
from butfor.files import read_bytes

_KEYS = ("name", "args", "stdin", "nondet", "expect_stdout", "expect_exit")


@dataclass(frozen=True, slots=True)
class TestCase:
    """One run of the program and what it should give; None means that anything will do."""

    __test__: ClassVar[bool] = False  # pytest collects classes by this name

    name: str
    args: tuple[str, ...] = ()
    stdin: bytes = b""
    expect_stdout: bytes | None = None
    expect_exit: int | None = None
    nondet: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The test as an entry of the file."""
        texts = {"stdin": self.stdin or None, "expect_stdout": self.expect_stdout}
        out: dict[str, Any] = {
            "name": self.name,
            "args": list(self.args),
            "nondet": list(self.nondet),
            "expect_exit": self.expect_exit,
        }
        out |= {key: value.decode("utf-8", "surrogateescape") for key, value in texts.items() if value is not None}
        return {key: out[key] for key in _KEYS if out.get(key) not in (None, [])}


def tests_text(tests: Iterable[TestCase]) -> str:
    """The content of a file with these tests."""
    return json.dumps({"tests": [test.to_dict() for test in tests]}, indent=1) + "\n"


def read_tests(path: Path) -> tuple[TestCase, ...]:
    """The tests of a file, in order; a UsageError names the position of the first thing that is wrong."""
    return parse_tests(read_bytes(path), str(path))


def parse_tests(data: bytes, where: str) -> tuple[TestCase, ...]:
    """The tests in the content of a file; `where` is its name in messages."""
    top = _decoded(data, where)
    if not isinstance(top, dict):
        raise _wrong(where, "the top level", "an object with the key 'tests'", top)
    _check_keys(top, ("tests",), where, "the top level")
    entries = top.get("tests")
    if not isinstance(entries, list):
        raise _wrong(where, "tests", "a list of objects", entries)
    if not entries:
        raise UsageError(f"{where}: the list of tests is empty")
    tests = tuple(_test(entry, number, where) for number, entry in enumerate(entries))
    seen: dict[str, int] = {}
    for number, test in enumerate(tests):
        if test.name in seen:
            raise UsageError(f"{where}: tests[{number}] has the same name as tests[{seen[test.name]}]: {test.name!r}")
        seen[test.name] = number
    return tests


def _decoded(data: bytes, where: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_no_duplicates)
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{where}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from error
    except _DuplicateKey as error:
        raise UsageError(f"{where}: the key {error.args[0]!r} is given twice in one object") from error
    except ValueError as error:  # a number of thousands of digits
        raise UsageError(f"{where}: not valid: {str(error).partition(';')[0]}") from error
    except RecursionError as error:
        raise UsageError(f"{where}: nested too deeply") from error


class _DuplicateKey(ValueError):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _DuplicateKey(key)
        result[key] = value
    return result


def _test(entry: Any, number: int, where: str) -> TestCase:
    at = f"tests[{number}]"
    if not isinstance(entry, dict):
        raise _wrong(where, at, "an object", entry)
    _check_keys(entry, _KEYS, where, at)
    name = entry.get("name", f"test {number + 1}")
    if not isinstance(name, str) or not name:
        raise _wrong(where, f"{at}.name", "a string that is not empty", name)
    return TestCase(
        name=name,
        args=_args(entry.get("args", []), where, f"{at}.args"),
        stdin=_bytes(entry.get("stdin", ""), where, f"{at}.stdin"),
        expect_stdout=None
        if entry.get("expect_stdout") is None
        else _bytes(entry["expect_stdout"], where, f"{at}.expect_stdout"),
        expect_exit=_exit_status(entry.get("expect_exit"), where, f"{at}.expect_exit"),
        nondet=_numbers(entry.get("nondet", []), where, f"{at}.nondet"),
    )


def _args(value: Any, where: str, at: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong(where, at, "a list of strings", value)
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise _wrong(where, f"{at}[{index}]", "a string", item)
        if b"\0" in _bytes(item, where, f"{at}[{index}]"):
            raise UsageError(f"{where}: {at}[{index}] contains a NUL character, which no argument can hold")
    return tuple(value)


def _numbers(value: Any, where: str, at: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _wrong(where, at, "a list of whole numbers", value)
    for index, item in enumerate(value):
        if not isinstance(item, int) or isinstance(item, bool) or not -(2**63) <= item < 2**64:
            raise _wrong(where, f"{at}[{index}]", "a whole number of at most 64 bits", item)
    return tuple(value)


def _bytes(value: Any, where: str, at: str) -> bytes:
    if not isinstance(value, str):
        raise _wrong(where, at, "a string", value)
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise UsageError(f"{where}: {at} contains half of a surrogate pair at character {error.start}") from error


def _exit_status(value: Any, where: str, at: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 255:
        raise _wrong(where, at, "a whole number between 0 and 255", value)
    return value


def _check_keys(entry: dict[str, Any], known: tuple[str, ...], where: str, at: str) -> None:
    for key in entry:
        if key not in known:
            raise UsageError(
                f"{where}: {at} has an unknown key {key!r}{did_you_mean(key, known)}",
                hint=f"known keys: {', '.join(known)}",
            )


def _wrong(where: str, at: str, expected: str, found: Any) -> UsageError:
    shown = json.dumps(found)
    return UsageError(f"{where}: {at} must be {expected}, not {shown if len(shown) <= 40 else shown[:37] + '...'}")
