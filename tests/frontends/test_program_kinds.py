"""The table of suffixes: which files make up which kind of program."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.errors import UsageError
from butfor.frontends.program_kinds import (
    BOOGIE_PROGRAM,
    C_PROGRAM,
    KINDS,
    RECORDING,
    ProgramKind,
    is_recording,
    kind_of_program,
)


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
