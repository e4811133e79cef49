"""The same program written differently gets the same ranking: names, layout and code that never runs do not matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import butfor.api
from tests.families import some_of
from tests.rewrites import REWRITES, token_at, tokens
from tests.seeded_corpus import correct_text, faults, load, options, program_names, smallest_failing

FAULTS = ("calc-minus-adds", "bst-key-not-copied", "dates-long-april")
METHODS = ("slice", "cascade", "output", "hazards")  # what changed runs find depends on the time that they get


@cache
def _ranking(fault: str, rewrite: str, folder: Path) -> list[tuple[int, str]]:
    """The rows as numbers of tokens and roles of statements."""
    seeded = load(next(f for f in faults() if f.id == fault))
    text = REWRITES[rewrite](seeded.source_text) if rewrite else seeded.source_text
    path = folder / "prog.c"
    path.write_text(text)
    asked = replace(options(seeded, smallest_failing(seeded), methods=METHODS), sources=(path,))
    number = token_at(text)
    return [(number(row.line, row.column), row.role) for row in butfor.api.explain(asked).ranking]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the programs of this file."""
    return tmp_path_factory.mktemp("rewritten")


@pytest.mark.parametrize("rewrite", REWRITES)
@pytest.mark.parametrize("fault", some_of(FAULTS, lambda k, _: k == 0, str))
def test_the_ranking_is_the_same(fault: str, rewrite: str, folder: Path) -> None:
    expected = _ranking(fault, "", folder)
    assert len(expected) > 5
    assert _ranking(fault, rewrite, folder) == expected


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_rewrite_changes_the_text_and_not_its_tokens(rewrite: str) -> None:
    for program in program_names()[:4]:
        text = correct_text(program)
        other = REWRITES[rewrite](text)
        assert other != text
        if rewrite != "dead code":
            kinds = [[node.type for node in tokens(t)] for t in (text, other)]
            assert kinds[0] == kinds[1]
