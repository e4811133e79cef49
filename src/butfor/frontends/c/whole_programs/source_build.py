"""How a program that `butfor cc` built is built from its C files at once, as repairs need it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from butfor.compiler_wrapper.ir_store import read_command
from butfor.errors import UsageError
from butfor.frontends.c.build import BuildSpec
from butfor.frontends.c.whole_programs.twin_plan import TwinPlan, plan_twin
from butfor.frontends.stamped_files import Unit

_NAMES_A_PATH = ("-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros")
_HINT = "give its C files"


def spec_of_binary(program: Path, cc: str | None) -> BuildSpec:
    """The C files of a program, their common options and its libraries; refused where one command cannot build it."""
    plan = plan_twin(program)
    _refuse(bool(plan.lacking), "not all of its files are C files that butfor looks into")
    _refuse(len(plan.parts) > 1, "a part of it is a shared library")
    _refuse(bool(plan.files), "it is linked with objects or archives that butfor does not look into")
    flags = {_flags(unit) for unit in plan.units}
    _refuse(len(flags) != 1, "its files were compiled with different options")
    sources = tuple(Path(unit.source) for unit in plan.units)
    missing = next((source for source in sources if not source.exists()), None)
    _refuse(missing is not None, f"{missing} is no longer there")
    return BuildSpec(sources, cc, flags.pop(), _libraries(plan))


def _refuse(is_so: bool, why: str) -> None:
    if is_so:
        raise UsageError(f"the program was built before, and {why}", hint=_HINT)


def _libraries(plan: TwinPlan) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.removeprefix("-l") for word in plan.words if word.startswith("-l")))


def _flags(unit: Unit) -> tuple[str, ...]:
    """The options that the file was compiled with, their paths made absolute; the source comes last among the words."""
    if unit.bitcode is None:
        return ()
    folder, words = read_command(unit.bitcode.with_suffix(".cmd"))
    return tuple(_absolute(folder, words[: words.index("-x")] if "-x" in words else words[:-1]))


def _absolute(folder: str, words: list[str]) -> Iterator[str]:
    is_path = False
    for word in words:
        joined = next((p for p in _NAMES_A_PATH if word.startswith(p) and word != p), None)
        if is_path:
            yield os.path.join(folder, word)
        elif joined is not None:
            yield joined + os.path.join(folder, word.removeprefix(joined))
        else:
            yield word
        is_path = word in _NAMES_A_PATH
