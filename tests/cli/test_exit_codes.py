"""Every way a command can end: its exit status, and what is said about it."""

from __future__ import annotations

import errno
import json

import pytest

from butfor.errors import ButforError, CompileError, DiskFull, RecordingError, ToolMissing, UnsupportedError, UsageError
from butfor.explanation import Explanation, Status
from tests.cli.helpers import FakeApi, run


@pytest.mark.parametrize(("status", "code"), [("explained", 0), ("no-failure", 0), ("partial", 4), ("unsupported", 3)])
@pytest.mark.parametrize("words", [("explain", "prog.c"), ("replay", "prog.c")])
def test_status_of_the_result(fake: FakeApi, status: str, code: int, words: tuple[str, ...]) -> None:
    fake.answer = Explanation(status=Status(status))
    result = run(*words, "--json")
    assert result.exit_code == code
    assert json.loads(result.stdout)["status"] == status
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("what", hint="do this"), 2),
        (ToolMissing("what", hint="do this"), 2),
        (RecordingError("what", hint="do this"), 2),
        (DiskFull("what", hint="do this"), 3),
    ],
)
@pytest.mark.parametrize("command", ["explain", "replay"])
def test_errors_of_butfor(fake: FakeApi, error: ButforError, code: int, command: str) -> None:
    fake.error = error
    result = run(command, "prog.c")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr == "butfor: error: what\nbutfor: hint: do this\n"


def test_compiler_errors_are_passed_through(fake: FakeApi) -> None:
    fake.error = CompileError("prog.c does not compile", stderr="prog.c:1:1: \x1b[31merror\x1b[0m: \udce9\n  ^\n")
    result = run("explain", "prog.c")
    assert result.exit_code == 2
    assert (
        result.stderr_bytes == b"prog.c:1:1: \x1b[31merror\x1b[0m: \xe9\n  ^\nbutfor: error: prog.c does not compile\n"
    )


def test_unsupported_names_construct_and_place(fake: FakeApi) -> None:
    fake.error = UnsupportedError("inline assembly", file="prog.c", line=4)
    result = run("explain", "prog.c")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "butfor: error: prog.c:4: inline assembly is not supported\n"


@pytest.mark.parametrize("words", [("explain", "prog.c", "--json", "--", "a"), ("replay", "prog.c", "--json")])
def test_unsupported_is_an_object_in_json(fake: FakeApi, words: tuple[str, ...]) -> None:
    fake.error = UnsupportedError("inline assembly", file="prog.c", line=4)
    result = run(*words)
    assert result.exit_code == 3
    report = json.loads(result.stdout)
    assert report["status"] == "unsupported"
    assert report["failure"] is None
    assert report["notes"] == ["prog.c:4: inline assembly is not supported"]


def test_interrupt(fake: FakeApi) -> None:
    fake.error = KeyboardInterrupt()
    result = run("explain", "prog.c")
    assert result.exit_code == 130
    assert "butfor: interrupted" in result.stderr
    assert "Traceback" not in result.stderr


def test_disk_full_from_anywhere(fake: FakeApi) -> None:
    fake.error = OSError(errno.ENOSPC, "No space left on device", "/cache/x")
    result = run("explain", "prog.c")
    assert result.exit_code == 3
    assert result.stderr.startswith("butfor: error: the disk is full: /cache/x\nbutfor: hint: free some space")


def test_no_memory(fake: FakeApi) -> None:
    fake.error = MemoryError()
    assert run("explain", "prog.c").exit_code == 3


def test_internal_error_has_no_traceback(fake: FakeApi) -> None:
    fake.error = KeyError("oops")
    result = run("explain", "prog.c")
    assert result.exit_code == 101
    assert "butfor: error: internal error: KeyError: 'oops'\n" in result.stderr
    assert "please report it" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", [("--debug", "explain", "prog.c"), ("explain", "prog.c", "--debug")])
def test_debug_shows_the_traceback(fake: FakeApi, words: tuple[str, ...]) -> None:
    fake.error = KeyError("oops")
    result = run(*words)
    assert result.exit_code == 101
    assert "Traceback" in result.stderr


def test_debug_by_environment(fake: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.error = KeyError("oops")
    monkeypatch.setenv("BUTFOR_DEBUG", "1")
    assert "Traceback" in run("explain", "prog.c").stderr


def test_debug_of_the_program_is_not_ours(fake: FakeApi) -> None:
    fake.error = KeyError("oops")
    assert "Traceback" not in run("explain", "prog.c", "--", "--debug").stderr


def test_messages_are_inert(fake: FakeApi) -> None:
    fake.error = UsageError("a\x1b[2Jb")
    assert run("explain", "prog.c").stderr == "butfor: error: a\\x1b[2Jb\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain"], "missing argument 'SOURCES...'."),
        (["explain", "none.c"], "none.c: no such file"),
        (["explain", "."], ".: is a directory"),
        (["explain", "prog.c", "6"], "6: no such file\nbutfor: hint: arguments of the program go after `--`"),
        (["explain", "prog.c", "--stdin", "none"], "none: no such file"),
        (["explain", "prog.c", "--expect-stdout", "none"], "none: cannot be read: No such file or directory"),
        (["explain", "prog.c", "--tests", "none"], "none: no such file"),
        (["explain", "prog.c", "--budget", "soon"], "invalid value for '--budget': 'soon' is not a valid float."),
        (["explain", "prog.c", "--budget", "-1"], "budget must be a positive number of seconds, not -1.0"),
        (["explain", "prog.c", "--env", "A"], "--env A: not an environment setting"),
        (["explain", "prog.c", "--nondet", "1,x"], "--nondet: 'x' is not a whole number"),
        (["explain", "prog.c", "--cflags", "'"], '--cflags: "\'": no closing quotation'),
        (["explain", "prog.c", "-o", "no/where"], "no: no such directory"),
        (["explain", "prog.c", "-o", "."], ".: is a directory"),
        (["record", "prog.c"], "missing option '-o' / '--output'."),
        (["replay", "none.bfr"], "none.bfr: no such file"),
        (["prog.c"], "no such command 'prog.c'; did you mean `butfor explain prog.c`?"),
        (["explian"], "no such command 'explian'; did you mean 'explain'?"),
    ],
)
def test_wrong_use(fake: FakeApi, words: list[str], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"butfor: error: {message}\n")
    assert result.stdout == ""
    assert fake.asked == []
