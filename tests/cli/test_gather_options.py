"""From the words of the command line to `Options`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from butfor.options import Options
from tests.cli.helpers import FakeApi, run
from tests.commands import butfor_command


def asked(fake: FakeApi, *words: str, stdin: str | bytes | None = None) -> Options:
    """The options that `butfor WORDS` asks the analysis for."""
    result = run(*words, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return fake.asked[-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], {}),
        (["--"], {}),
        (["--", "6", "-x", "--json", "--", ""], {"args": ("6", "-x", "--json", "--", "")}),
        (["--expect-exit", "3"], {"expect_exit": 3}),
        (["--trust", "f", "--trust", "g,h"], {"trust": ("f", "g", "h")}),
        (["--method", "slice,cascade", "--method", "butfor"], {"methods": ("slice", "cascade", "butfor")}),
        (["--depth", "0", "--budget", "2.5", "--time-limit", "1"], {"depth": 0, "budget": 2.5, "time_limit": 1.0}),
        (["--step-limit", "9", "--output-limit", "8"], {"step_limit": 9, "output_limit": 8}),
        (["--memory-limit", "7"], {"memory_limit": 7}),
        (
            ["--cc", "clang-16", "--cflags", "-std=gnu89 -DX='a b'"],
            {"cc": "clang-16", "cflags": ("-std=gnu89", "-DX=a b")},
        ),
        (["--cflags", "-w"], {"cflags": ("-w",)}),
        (["-Iinc", "-I", "x", "-DA=1", "-lm"], {"includes": ("inc", "x"), "defines": ("A=1",), "libs": ("m",)}),
        (["--nondet", "1, -2,0x10"], {"nondet": (1, -2, 16)}),
        (["--env", "A=b=c", "--env", "B="], {"env": (("A", "b=c"), ("B", ""))}),
        (["--check", "--no-memory-errors"], {"check": True, "memory_errors": False}),
        (["--pinned", "--method", "relevance"], {"inputs": "pinned", "methods": ("relevance",)}),
        (["--free-inputs", "--method", "relevance"], {"inputs": "free", "methods": ("relevance",)}),
        (["--shrink"], {"shrink": True}),
    ],
)
def test_explain(fake: FakeApi, words: list[str], expected: dict[str, Any]) -> None:
    assert asked(fake, "explain", "prog.c", *words) == Options(
        **{"sources": (Path("prog.c"),), "stdin": b"", **expected}
    )


def test_several_sources_between_options(fake: FakeApi, folder: Path) -> None:
    (folder / "b.c").touch()
    assert asked(fake, "explain", "prog.c", "--check", "b.c").sources == (Path("prog.c"), Path("b.c"))


def test_record_and_replay(fake: FakeApi) -> None:
    assert asked(fake, "record", "prog.c", "-o", "run.bfr", "--", "6") == Options(
        sources=(Path("prog.c"),), args=("6",), stdin=b""
    )
    assert asked(fake, "replay", "run.bfr", "--check", stdin="not read") == Options(
        sources=(Path("run.bfr"),), check=True
    )


def test_replay_takes_sources_too(fake: FakeApi) -> None:
    assert asked(fake, "replay", "prog.c", "--nondet", "1", "--", "6", stdin="x") == Options(
        sources=(Path("prog.c"),), args=("6",), stdin=b"x", nondet=(1,)
    )


@pytest.mark.parametrize(
    "words", [["--", "x"], ["--stdin", "prog.c"], ["--nondet", "1"], ["-DX"], ["--cflags", "-w"]], ids=str
)
def test_a_recording_has_its_own_input(fake: FakeApi, words: list[str]) -> None:
    result = run("replay", "run.bfr", *words)
    assert result.exit_code == 2
    assert "a recording brings its own program, arguments and input" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", "prog.c", "--entry", "f"], "a C program starts at main, so --entry would have no effect"),
        (["find", "prog.c", "--bound", "8"], "so --bound would have no effect"),
        (["explain", "prog.c", "--flow-insensitive"], "has the option --flow-insensitive, so it would have no effect"),
        (
            ["explain", "prog.c", "--method", "slice", "--depth", "2"],
            "has the option --depth, so it would have no effect",
        ),
        (["explain", "prog.c", "--set", "diagnoses.traces=2"], "so --set diagnoses.traces would have no effect"),
        (["explain", "prog.bpl", "--set", "repair.traces=2"], "so --set repair.traces would have no effect"),
        (["explain", "prog.bpl", "--time-limit", "10"], "so --time-limit would have no effect"),
        (["explain", "prog.bpl", "--memory-errors"], "so --[no-]memory-errors would have no effect"),
        (["explain", "prog.bpl", "-DA", "--cc", "clang"], "so -D and --cc would have no effect"),
        (["find", "prog.bpl", "--save", "tests.json"], "so --save would have no effect"),
        (["repair", "prog.bpl", "--apply"], "so --apply would have no effect"),
        (["replay", "prog.bpl", "--with", "4 flip"], "so --with would have no effect"),
        (["explain", "run.bfr", "--tests", "prog.c"], "a recording is one run, so --tests would have no effect"),
        (["replay", "saved", "--bound", "8"], "so --bound would have no effect"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_without_effect_is_refused(fake: FakeApi, folder: Path, words: list[str], message: str) -> None:
    for name in ("prog.bpl", "run.bfr", "saved"):
        (folder / name).touch()
    result = run(*words)
    assert (result.exit_code, result.stdout, fake.asked) == (2, "", [])
    assert message in result.stderr


def test_defaults_of_the_project_are_not_refused(fake: FakeApi, folder: Path) -> None:
    (folder / "prog.bpl").touch()
    (folder / "butfor.toml").write_text('trust = ["xmalloc"]\ncflags = "-w"\nbudget = 5')
    assert asked(fake, "explain", "prog.bpl") == Options(sources=(Path("prog.bpl"),), trust=("xmalloc",), budget=5)


def test_changes(fake: FakeApi, folder: Path) -> None:
    (folder / "run.bfr").touch()
    words = ["--with", "prog.c:4 flip", "--with", "prog.c:5 set 1,2"]
    assert asked(fake, "replay", "run.bfr", *words).sources == (Path("run.bfr"),)
    assert fake.changes == ("prog.c:4 flip", "prog.c:5 set 1,2")
    assert asked(fake, "replay", "prog.c", *words, "--", "6", stdin="").args == ("6",)


def test_files_are_read(fake: FakeApi, folder: Path) -> None:
    (folder / "in").write_bytes(b"\xff")
    options = asked(fake, "explain", "prog.c", "--stdin", "in", "--expect-stdout", "in", stdin="other")
    assert (options.stdin, options.expect_stdout) == (Path("in"), b"\xff")


def test_own_stdin_is_the_program_s(fake: FakeApi) -> None:
    assert asked(fake, "explain", "prog.c", stdin=b"a\xff\0\n").stdin == b"a\xff\0\n"
    assert asked(fake, "explain", "prog.c", "--stdin", "-", stdin=b"b").stdin == b"b"


@pytest.mark.parametrize("word", ["--tests", "recording"])
def test_own_stdin_is_left_alone(fake: FakeApi, folder: Path, word: str) -> None:
    (folder / "run.bfr").touch()
    words = ("prog.c", "--tests", "prog.c") if word == "--tests" else ("run.bfr",)
    assert asked(fake, "explain", *words, stdin="x").stdin is None


class Terminal:
    """A stdin that is a terminal, where reading would wait for the user."""

    def isatty(self) -> bool:
        """True."""
        return True

    @property
    def buffer(self) -> None:
        """Must not be asked for."""
        raise AssertionError("butfor waits for the terminal")


class Unreadable(Terminal):
    """A stdin that cannot be read."""

    def isatty(self) -> bool:
        """False."""
        return False

    @property
    def buffer(self) -> None:
        """Fails as the system does."""
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("stream", [None, Terminal(), Unreadable()])
def test_stdin_that_gives_nothing(stream: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from butfor.cli.gather_options import own_stdin

    monkeypatch.setattr(sys, "stdin", stream)
    assert own_stdin() == b""


def test_too_much_stdin(fake: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("butfor.cli.gather_options.MAX_STDIN_BYTES", 4)
    result = run("explain", "prog.c", stdin="12345")
    assert result.exit_code == 2
    assert "standard input is longer than" in result.stderr
    assert run("explain", "prog.c", stdin="1234").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["record", "prog.c", "-o", "run.bfr", "--no-memory-errors"], "so --[no-]memory-errors would have no effect"),
        (["replay", "prog.c", "--with", "prog.c:1 flip", "--depth", "3"], "so --depth would have no effect"),
        (["replay", "prog.c", "--with", "prog.c:1 flip", "--method", "slice"], "so --method would have no effect"),
    ],
)
def test_an_option_that_a_command_has_no_use_for_is_refused(folder: Path, words: list[str], message: str) -> None:
    done = butfor_command(words, folder)
    assert done.code == 2
    assert message in done.stderr
