"""The table of suffixes: which files make up which kind of program."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

import butfor
from butfor.errors import UsageError
from butfor.find import FindOptions, find
from butfor.frontends.program_kinds import (
    BOOGIE_PROGRAM,
    C_PROGRAM,
    KINDS,
    RECORDING,
    ProgramKind,
    flag_of,
    is_recording,
    kind_of_program,
)
from butfor.options import Options, make_options


def files(*names: str) -> tuple[Path, ...]:
    """Paths, which need not exist."""
    return tuple(map(Path, names))


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("a.c",), C_PROGRAM),
        (("a.c", "b.ll", "c.bc"), C_PROGRAM),
        (("a.bpl",), BOOGIE_PROGRAM),
        (("run.bfr",), RECORDING),
    ],
)
def test_the_suffixes_say_what_a_program_is(names: tuple[str, ...], kind: ProgramKind) -> None:
    assert kind_of_program(files(*names)) is kind


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "no program is given"),
        (("a.txt",), "a.txt is not a C file, and no binary that carries its program"),
        (("a.bpl", "b.bpl"), "a Boogie program is one file, given alone"),
        (("a.c", "b.bpl"), "a Boogie program is one file, given alone"),
        (("a.bfr", "b.c"), "a recording is one file, given alone"),
    ],
)
def test_files_that_make_up_no_program(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        kind_of_program(files(*names))
    assert caught.value.message == message


def test_no_suffix_belongs_to_two_kinds() -> None:
    suffixes = [suffix for kind in KINDS for file in kind.files for suffix in file.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_a_recording_may_have_any_name() -> None:
    assert is_recording(files("run.bfr"))
    assert is_recording(files("saved"))
    assert not is_recording(files("a.c"))
    assert not is_recording(files("a.bpl"))


def test_a_front_end_for_every_kind() -> None:
    for kind in KINDS:
        assert (kind.load_run_frontend is None) != (kind.load_path_frontend is None)
    with pytest.raises(UsageError, match="a Boogie program cannot be run"):
        BOOGIE_PROGRAM.run_frontend  # noqa: B018 (asking is the test)


REFUSED = [
    ("a.c", {"entry", "bound"}),
    ("a.ll", {"entry", "bound", "cflags", "includes", "defines"}),
    (
        "a.bpl",
        {"args", "stdin", "env", "nondet", "witness", "tests", "shrink", "expect_stdout", "expect_exit", "check"}
        | {"memory_errors", "arithmetic_errors", "time_limit", "step_limit", "output_limit", "memory_limit"}
        | {"without", "log_limit", "record_last"}
        | {"cc", "cflags", "includes", "defines", "libs"},
    ),
    (
        "a.bfr",
        {"args", "stdin", "env", "nondet", "witness", "tests", "shrink", "step_limit", "annotations", "bound"}
        | {"cflags", "includes", "defines", "libs", "entry", "log_limit", "record_last"},
    ),
]


@pytest.mark.parametrize(("name", "expected"), REFUSED)
def test_options_that_have_no_effect(name: str, expected: set[str]) -> None:
    kind, sources = kind_of_program(files(name)), files(name)
    known = {field.name for field in fields(Options)}
    assert set(kind.refused_options(sources)) & known == expected
    for option in known:
        if option not in expected:
            kind.check_options(sources, [option])
            continue
        with pytest.raises(UsageError) as caught:
            kind.check_options(sources, ["sources", option])
        assert caught.value.message.endswith(f", so {flag_of(option)} would have no effect")


def test_flags_for_c_apply_to_the_c_files_among_ir() -> None:
    C_PROGRAM.check_options(files("a.c", "b.ll"), ["cflags"])


def test_from_python_too(tmp_path: Path) -> None:
    (tmp_path / "a.bpl").write_text("procedure main() { }")
    (tmp_path / "a.c").write_text("int main(void) { return 0; }")
    with pytest.raises(UsageError, match="--without would have no effect"):
        butfor.explain(tmp_path / "a.bpl", without=["loops"])
    with pytest.raises(UsageError, match="a C program starts at main, so --entry would have no effect"):
        butfor.explain(tmp_path / "a.c", entry="f")
    with pytest.raises(UsageError, match="--bound would have no effect"):
        find(make_options(tmp_path / "a.c", bound=3), FindOptions())
    assert butfor.explain(tmp_path / "a.bpl", without=[], tests=None, time_limit=10).failure is None
