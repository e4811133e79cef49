"""The annotation library and what users add to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.errors import UsageError
from butfor.methods.repair import slip_library


def test_the_weights_of_the_paper() -> None:
    assert {new: slip_library.builtin_library().operators["<="][new] for new in ("<", ">=", ">")} == {
        "<": 30,
        ">=": 20,
        ">": 10,
    }


def test_a_users_file_adds_and_overrides(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[operators]\n"<=" = { "<" = 5 }\n[functions]\nmy_min = { my_max = 28 }\n[kinds]\ndelete = 1\n')
    own, mine = slip_library.builtin_library(), slip_library.load_library(file)
    assert mine.operators["<="] == {**own.operators["<="], "<": 5}
    assert mine.functions["my_min"] == {"my_max": 28}
    assert mine.functions["strcpy"] == own.functions["strcpy"]
    assert (mine.kinds["delete"], mine.kinds["insert"]) == (1, own.kinds["insert"])
    assert slip_library.load_library(None) is own


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[operatrs]\n", "operators"),
        ('[operators]\n"<" = 3\n', "operators.<"),
        ('[operators]\n"<" = { ">" = 31 }\n', "from 0 to 30"),
        ('[operators]\n"<" = { ">" = "x" }\n', "'x'"),
        ("[kinds]\ndelet = 3\n", "delete"),
        ("[kinds\n", "not valid TOML"),
    ],
)
def test_what_is_wrong_in_it_is_said(tmp_path: Path, text: str, part: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        slip_library.load_library(file)
    assert part in str(error.value)
    assert "mine.toml" in str(error.value)
