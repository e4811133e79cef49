"""Options: what is taken and what is refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from butfor.errors import UsageError
from butfor.frontends.program_kinds import check_files
from butfor.methods import registry
from butfor.options import GROUPS, MethodSettings, Options, make_options


def test_defaults_are_valid() -> None:
    options = Options(sources=(Path("a.c"),))
    assert options.time_limit == 10
    assert options.memory_errors


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": 0.0}, "budget must be a positive number of seconds, not 0.0"),
        ({"budget": float("nan")}, "budget must be a positive number of seconds, not nan"),
        ({"time_limit": float("inf")}, "time_limit must be a positive number of seconds, not inf"),
        ({"depth": -1}, "depth must be at least 0, not -1"),
        ({"step_limit": 0}, "step_limit must be at least 1, not 0"),
        ({"output_limit": 0}, "output_limit must be at least 1, not 0"),
        ({"memory_limit": 0}, "memory_limit must be at least 1, not 0"),
        ({"expect_exit": 256}, "an exit status is between 0 and 255, not 256"),
        ({"expect_exit": -1}, "an exit status is between 0 and 255, not -1"),
        ({"args": ("a\0b",)}, r"'a\x00b' contains a NUL character, which no argument can hold"),
        ({"env": (("", "x"),)}, "'=x' is not an environment setting"),
        ({"env": (("A=B", "x"),)}, "'A=B=x' is not an environment setting"),
        ({"nondet": (2**64,)}, f"the nondet value {2**64} does not fit in 64 bits"),
        ({"trust": ("f()",)}, "'f()' is not the name of a function"),
        ({"methods": ("a b",)}, "'a b' is not the name of a method"),
        ({"cc": " "}, "the compiler name is empty"),
        ({"entry": "1st"}, "'1st' is not the name of a function"),
        ({"inputs": "some"}, "inputs must be 'pinned' or 'free', not 'some'"),
        ({"tests": Path("t"), "expect_exit": 0}, "tests bring their own arguments, input and expectations"),
        ({"tests": Path("t"), "stdin": b""}, "tests bring their own arguments, input and expectations"),
    ],
)
def test_values_that_make_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Options(sources=(Path("a.c"),), **changes)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "changes",
    [{"nondet": (-(2**63), 2**64 - 1)}, {"depth": 0}, {"expect_exit": 255}, {"methods": ("error-invariants",)}],
)
def test_values_at_the_edge(changes: dict[str, Any]) -> None:
    Options(sources=(Path("a.c"),), **changes)


def test_files_are_checked(tmp_path: Path) -> None:
    good = tmp_path / "a.c"
    good.write_text("")
    check_files(Options(sources=(good,)))
    for bad, words in ((tmp_path / "b.c", "no such file"), (tmp_path, "is a directory"), (good / "x", "no such file")):
        with pytest.raises(UsageError, match=words):
            check_files(Options(sources=(bad,)))
        with pytest.raises(UsageError, match=words):
            check_files(Options(sources=(good,), stdin=bad))
    with pytest.raises(UsageError, match="no program"):
        check_files(Options())


def test_loose_values(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"7\n")
    options = make_options(
        "a.c", args=["1", 2], stdin="é", env={"A": "1"}, expect_stdout=out, tests=None, nondet=[1], includes=[tmp_path]
    )
    assert options == Options(
        sources=(Path("a.c"),),
        args=("1", "2"),
        stdin="é".encode(),
        env=(("A", "1"),),
        expect_stdout=b"7\n",
        nondet=(1,),
        includes=(str(tmp_path),),
    )
    assert make_options(["a.c", Path("b.c")]).sources == (Path("a.c"), Path("b.c"))


def test_a_string_is_not_a_list() -> None:
    with pytest.raises(UsageError, match="must be a list of strings"):
        make_options("a.c", args="6 5 4")


def test_unknown_knob_gets_a_suggestion() -> None:
    with pytest.raises(TypeError, match="did you mean 'budget'"):
        make_options("a.c", budgte=5)


def test_every_option_is_in_one_group() -> None:
    names = [field.name for group in GROUPS for field in fields(group)]
    assert sorted(names) == sorted(field.name for field in fields(Options))
    assert len(names) == len(set(names))


def test_settings_are_fields_of_methods() -> None:
    of_methods = {field.name for name in registry.names() for field in fields(registry.method_class(name))}
    assert {field.name for field in fields(MethodSettings)} - {"method_options"} <= of_methods
