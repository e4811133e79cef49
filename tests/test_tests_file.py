"""The file of `--tests`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butfor.errors import UsageError
from butfor.tests_file import TestCase, parse_tests, read_tests


def test_full_and_empty_tests(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    full = {"name": "a", "args": ["6", "5"], "stdin": "é\n", "expect_stdout": "", "expect_exit": 0}
    path.write_text(json.dumps({"tests": [full, {}]}))
    assert read_tests(path) == (
        TestCase("a", ("6", "5"), "é\n".encode(), b"", 0),
        TestCase("test 2", (), b"", None, None),
    )


def test_bytes_beyond_utf8() -> None:
    (test,) = parse_tests(b'{"tests": [{"stdin": "\\udcff", "args": ["\\udc80"]}]}', "t.json")
    assert test.stdin == b"\xff"
    assert test.args == ("\udc80",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"tests":\n [}', "t.json:2:3: not valid JSON: Expecting value"),
        (b"", "t.json:1:1: not valid JSON: Expecting value"),
        (b'{"tests": "\xff"}', "t.json: not UTF-8 at byte 11"),
        (b"[" * 100_000, "t.json: nested too deeply"),
        (b"[]", "t.json: the top level must be an object with the key 'tests', not []"),
        (b"{}", "t.json: tests must be a list of objects, not null"),
        (b'{"tests": []}', "t.json: the list of tests is empty"),
        (b'{"test": []}', "t.json: the top level has an unknown key 'test'; did you mean 'tests'?"),
        (b'{"tests": [{}, 5]}', "t.json: tests[1] must be an object, not 5"),
        (b'{"tests": [{"argz": []}]}', "t.json: tests[0] has an unknown key 'argz'; did you mean 'args'?"),
        (b'{"tests": [{"args": "6 5"}]}', 't.json: tests[0].args must be a list of strings, not "6 5"'),
        (b'{"tests": [{"args": ["6", 5]}]}', "t.json: tests[0].args[1] must be a string, not 5"),
        (
            b'{"tests": [{"args": ["a\\u0000b"]}]}',
            "t.json: tests[0].args[0] contains a NUL character, which no argument can hold",
        ),
        (b'{"tests": [{"stdin": null}]}', "t.json: tests[0].stdin must be a string, not null"),
        (
            b'{"tests": [{"stdin": "\\ud800"}]}',
            "t.json: tests[0].stdin contains half of a surrogate pair at character 0",
        ),
        (
            b'{"tests": [{"expect_exit": true}]}',
            "t.json: tests[0].expect_exit must be a whole number between 0 and 255, not true",
        ),
        (
            b'{"tests": [{"expect_exit": 256}]}',
            "t.json: tests[0].expect_exit must be a whole number between 0 and 255, not 256",
        ),
        (b'{"tests": [{"name": ""}]}', 't.json: tests[0].name must be a string that is not empty, not ""'),
        (b'{"tests": [{"name": "a"}, {"name": "a"}]}', "t.json: tests[1] has the same name as tests[0]: 'a'"),
        (b'{"tests": [{"name": "a", "name": "b"}]}', "t.json: the key 'name' is given twice in one object"),
    ],
)
def test_bad_files_are_refused_with_a_position(data: bytes, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_tests(data, "t.json")
    assert caught.value.message == message


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_tests(tmp_path / "none.json")
    assert caught.value.message == f"{tmp_path}/none.json: cannot be read: No such file or directory"
