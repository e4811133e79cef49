"""Options from butfor.toml and pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.cli.config_file import find_config
from butfor.errors import UsageError
from tests.cli.helpers import FakeApi, run

FULL = """
trust = ["xmalloc", "die"]
cc = "clang"
cflags = "-std=gnu89 '-DX=a b'"
budget = 5
time_limit = 2.5
methods = "slice, cascade"
"""

EXPECTED = {
    "trust": ("xmalloc", "die"),
    "cc": "clang",
    "cflags": ("-std=gnu89", "-DX=a b"),
    "budget": 5.0,
    "time_limit": 2.5,
    "methods": ("slice", "cascade"),
}


def test_butfor_toml(folder: Path) -> None:
    (folder / "butfor.toml").write_text(FULL)
    assert find_config(folder) == (folder / "butfor.toml", EXPECTED)


def test_pyproject_of_an_ancestor(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.butfor]\n{FULL}")
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "pyproject.toml").write_text("[tool.other]\n")
    assert find_config(deep) == (folder / "pyproject.toml", EXPECTED)


def test_nearest_wins_and_butfor_toml_before_pyproject(folder: Path) -> None:
    (folder / "butfor.toml").write_text("budget = 1")
    near = folder / "near"
    near.mkdir()
    (near / "pyproject.toml").write_text("[tool.butfor]\nbudget = 2")
    assert find_config(near)[1] == {"budget": 2.0}
    (near / "butfor.toml").write_text("budget = 3")
    assert find_config(near)[1] == {"budget": 3.0}


def test_flags_win(fake: FakeApi, folder: Path) -> None:
    (folder / "butfor.toml").write_text(FULL)
    run("explain", "prog.c", "--trust", "other", "--budget", "9", "--cflags", "-w")
    (options,) = fake.asked
    assert (options.trust, options.budget, options.cflags) == (("other",), 9.0, ("-w",))
    assert (options.cc, options.time_limit, options.methods) == ("clang", 2.5, ("slice", "cascade"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bugdet = 5", "unknown key 'bugdet'; did you mean 'budget'?"),
        ("budget = '5'", "budget must be a number of seconds, not '5'"),
        ("budget = true", "budget must be a number of seconds, not True"),
        ("cc = 5", "cc must be a string, not 5"),
        ("trust = [1]", "trust[0] must be a string, not 1"),
        ("trust = 1", "trust must be a string or a list of strings, not 1"),
        ('cflags = "\'"', 'cflags: "\'": no closing quotation'),
    ],
)
def test_wrong_values(folder: Path, text: str, message: str) -> None:
    path = folder / "butfor.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        find_config(folder)
    assert caught.value.message == f"{path}: {message}"


@pytest.mark.parametrize("data", [b"budget = \n", b"\xff"])
def test_broken_file(fake: FakeApi, folder: Path, data: bytes) -> None:
    (folder / "butfor.toml").write_bytes(data)
    result = run("explain", "prog.c")
    assert result.exit_code == 2
    assert f"butfor: error: {folder}/butfor.toml: not " in result.stderr
    assert fake.asked == []


def test_tool_butfor_must_be_a_table(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool]\nbutfor = 5\n")
    with pytest.raises(UsageError, match="must be a table"):
        find_config(folder)
