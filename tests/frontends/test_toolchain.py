"""Tests of frontends/c/toolchain.py: what the first link of all builds, and when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from butfor.frontends.c import toolchain
from butfor.native.build_cache import CACHE_VARIABLE
from butfor.native.c_compiler import Compiler

ZIG, CLANG = Compiler(("zig", "cc"), True), Compiler(("clang",), False)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Sequence[str]]:
    """The commands that would have been run, with an empty cache."""
    seen: list[Sequence[str]] = []

    def noted(command: Sequence[str], what: str) -> str:
        seen.append(command)
        return ""

    monkeypatch.setattr(toolchain, "run_tool", noted)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return seen


def test_zig_links_without_a_runtime_for_sanitizers_which_it_would_build_first(commands: list[Sequence[str]]) -> None:
    toolchain.link(ZIG, [Path("a.o")], Path("a"), [])
    toolchain.link(CLANG, [Path("a.o")], Path("a"), [])
    assert ["-fno-sanitize=undefined" in command for command in commands] == [True, False]


def test_what_programs_are_linked_with_is_built_once_and_told(commands: list[Sequence[str]], tmp_path: Path) -> None:
    told: list[str] = []
    with toolchain.first_link_prepared(ZIG, tmp_path, told.append):
        assert [text for text in told if "first use" in text]
    assert [command[-1] for command in commands] == ["-lm"]
    assert not list(tmp_path.glob("first-link*"))
    toolchain.note_first_link(ZIG)
    with toolchain.first_link_prepared(ZIG, tmp_path, told.append):
        pass
    assert (len(commands), len(told)) == (1, 1)


def test_a_first_link_that_fails_is_left_to_the_link_of_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = Compiler((str(tmp_path / "no-such-zig"),), True)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    with toolchain.first_link_prepared(missing, tmp_path, lambda text: None):
        pass
    assert not list(tmp_path.glob("first-link*"))
