"""The answers for some programs keep their structure: statements, order, evidence and methods, as in tests/golden."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from butfor.api import explain
from butfor.explanation import Evidence, Explanation, Reason
from tests.answer_structure import compare_with_golden, differences, structure
from tests.corpus import FOLDER, read

GOLDEN = Path(__file__).parent / "golden"
BUDGET_SECONDS = 300.0  # never used up: the answer must not depend on how busy the machine is
# programs without arguments: a changed run that reads a pointer to one as text sees where the environment ends
NAMES = ("fail_assert_qsort_callback", "fail_oob_heap_write_walk", "fail_output_fwrite", "fail_use_after_free_read")
SAMPLE = NAMES[0]  # has statements with each kind of evidence


@cache
def answer(name: str) -> Explanation:
    """The answer for a program of the corpus, with all methods that run by default."""
    return explain(replace(read(FOLDER / f"{name}.c").options, budget=BUDGET_SECONDS, check=False))


@pytest.mark.parametrize("name", NAMES)
def test_structure(name: str) -> None:
    compare_with_golden(structure(answer(name)), GOLDEN / f"{name}.json")


def test_the_sample_has_every_kind_of_evidence() -> None:
    assert {row.evidence for row in answer(SAMPLE).ranking} == set(Evidence)


def changed(found: Explanation, **rows: Any) -> Explanation:
    """The answer with its first proved row replaced by one with other values."""
    at = next(k for k, row in enumerate(found.ranking) if row.evidence is Evidence.PROVED)
    row = replace(found.ranking[at], **rows)
    return replace(found, ranking=(*found.ranking[:at], row, *found.ranking[at + 1 :]))


def test_evidence_that_drops_from_proved_to_heuristic_differs_from_the_golden_file() -> None:
    weaker = structure(changed(answer(SAMPLE), evidence=Evidence.HEURISTIC))
    (said,) = differences(weaker, json.loads((GOLDEN / f"{SAMPLE}.json").read_text()))
    assert re.fullmatch(r'ranking, row \d+: .*"evidence": "heuristic".* instead of .*"evidence": "proved".*', said)


def test_a_reason_that_drops_from_proved_to_heuristic_is_a_difference() -> None:
    found = answer(SAMPLE)
    reason = Reason("cascade", "it decides", Evidence.HEURISTIC)
    (said,) = differences(structure(changed(found, reasons=(reason,))), structure(found))
    assert '"cascade: heuristic"' in said.partition(" instead of ")[0]


def test_another_order_and_a_statement_left_out_are_differences() -> None:
    found = answer(SAMPLE)
    first, second, *rest = found.ranking
    assert len(list(differences(structure(replace(found, ranking=(second, first, *rest))), structure(found)))) == 2
    assert list(differences(structure(replace(found, ranking=found.ranking[:-1])), structure(found)))


def test_words_and_scores_are_no_difference() -> None:
    found = answer(SAMPLE)
    reasons = tuple(replace(reason, text="in other words") for reason in found.ranking[0].reasons)
    reworded = replace(found, ranking=(replace(found.ranking[0], score=0.5, reasons=reasons), *found.ranking[1:]))
    assert not list(differences(structure(reworded), structure(found)))
