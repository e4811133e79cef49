"""Classes of failing runs, told apart and put together by what changes do to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from butfor.batch.computed_results import ComputedResults
from butfor.batch.examine_item import Ask, Question
from butfor.batch.find_groups import GroupFinder
from butfor.batch.result_store import ResultStore
from butfor.batch.work_items import BatchItem, BatchProgram, PlannedRun
from butfor.options import Options

PROGRAM = BatchProgram("p", Options())


@dataclass
class Known:
    """Results that are known beforehand: the line that each run's explanation blames, and whom its change helps."""

    store: ResultStore
    kind: str
    blamed: Mapping[int, int]
    helps: Mapping[int, Sequence[int]]  # by blamed line
    besides: Sequence[int] = ()  # lines that every explanation blames, too

    def results(self, questions: Sequence[Question], doing: str) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
        """The results."""
        for position, question in enumerate(questions):
            number = question.item.number
            if question.ask is Ask.EXPLAIN:
                yield position, {"report": self.report(self.blamed[number]), "page": ""}
            else:
                yield position, {"avoids": [number in self.helps[int(change)] for change in question.changes]}

    def report(self, line: int) -> dict[str, Any]:
        """An explanation that blames a line."""
        blamed = enumerate((line, *self.besides), start=1)
        rows = [{"file": "a.c", "line": n, "text": f"s{n}", "rank": k, "evidence": "replayed"} for k, n in blamed]
        sites = [{**row, "changes": [{"with": str(row["line"]), "family": "keep"}]} for row in rows]
        return {
            "status": "explained",
            "failure": failure(self.kind, 9),
            "ranking": rows,
            "methods": {"butfor": {"complete": True, "confirmed": sites}},
        }


def failure(kind: str, line: int) -> dict[str, Any]:
    """A failure at a line."""
    return {"kind": kind, "file": "a.c", "line": line, "function": "f", "message": "wrong", "details": {}}


def members(
    folder: Path,
    kind: str,
    lines: Sequence[int],
    blamed: Mapping[int, int],
    helps: Mapping[int, Sequence[int]],
    besides: Sequence[int] = (),
) -> list[tuple[int, ...]]:
    """The members of the groups of runs that fail at these lines."""
    items = [BatchItem(n, PROGRAM, PlannedRun(f"t{n}", Options(args=("x" * n,)))) for n in range(len(lines))]
    found = {n: {"failure": failure(kind, line), "story": None, "instructions": 1} for n, line in enumerate(lines)}
    known = cast(ComputedResults, Known(ResultStore(folder / "store"), kind, blamed, helps, besides))
    finder = GroupFinder(items, found, known, folder)
    return sorted(group.members for group in finder.groups(range(len(lines))))


def test_runs_that_the_changes_do_not_help_are_told_apart(tmp_path: Path) -> None:
    found = members(tmp_path, "assertion", [9, 9, 9, 9], {0: 1, 2: 5}, {1: [0, 1], 5: [2, 3]})
    assert found == [(0, 1), (2, 3)]


def test_outputs_that_differ_in_several_places_for_one_reason_are_together(tmp_path: Path) -> None:
    found = members(tmp_path, "output", [9, 12, 15], {0: 1, 1: 1, 2: 1}, {1: [0, 1, 2]})
    assert found == [(0, 1, 2)]


def test_one_change_that_helps_two_crashes_does_not_put_them_together(tmp_path: Path) -> None:
    found = members(tmp_path, "signal", [9, 12], {0: 1, 1: 1}, {1: [0, 1]})
    assert found == [(0,), (1,)]


def test_help_has_to_go_both_ways(tmp_path: Path) -> None:
    found = members(tmp_path, "output", [9, 12], {0: 1, 1: 1}, {1: [0]})
    assert found == [(0,), (1,)]


def test_runs_with_one_cause_are_explained_once(tmp_path: Path) -> None:
    """The changes of the first runs help all others, wherever these fail: nothing else is explained."""
    lines = list(range(9, 59))
    asked: list[int] = []

    class Blames(dict[int, int]):
        def __getitem__(self, number: int) -> int:
            asked.append(number)
            return 1

    found = members(tmp_path, "output", [9] * 25 + lines[:25], Blames(), {1: range(50)})
    assert found == [tuple(range(50))]
    assert len(asked) <= 4


def test_a_most_likely_cause_that_explanations_share_is_enough(tmp_path: Path) -> None:
    """Every explanation blames line 1, whose change helps all, and two lines whose changes help none but its own."""
    number = 12
    helps: dict[int, Sequence[int]] = {1: range(number), 90: [], 91: []}
    blamed = dict.fromkeys(range(number), 1)
    found = members(tmp_path, "output", [9, 12] * (number // 2), blamed, helps, besides=(90, 91))
    assert sorted(run for group in found for run in group) == list(range(number))
    assert len(found) == 1


def test_changes_that_help_nobody_else_come_to_an_end(tmp_path: Path) -> None:
    number = 12
    nobody: dict[int, Sequence[int]] = {1: []}
    found = members(tmp_path, "output", [9] * number, dict.fromkeys(range(number), 1), nobody)
    assert sorted(run for group in found for run in group) == list(range(number))
