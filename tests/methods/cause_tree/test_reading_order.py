"""The order in which a cause tree is read."""

from __future__ import annotations

from typing import Any

from butfor.explanation import Evidence, RankedStatement
from butfor.methods.cause_tree.reading_order import in_reading_order


def node(number: int, parent: int | None, level: int, *lines: int, via: str = "control") -> dict[str, Any]:
    """A cause with statements in these lines."""
    rows = [{"file": "p.c", "line": line, "text": ""} for line in lines]
    return {"id": number, "parent": parent, "level": level, "via": via, "shared_with": [0], "statements": rows}


def ranking(*lines: int) -> list[RankedStatement]:
    """A ranking of these lines."""
    return [
        RankedStatement(rank, "p.c", line, 1, "main", "", "expression", 0.5, Evidence.HEURISTIC)
        for rank, line in enumerate(lines, 1)
    ]


TREE = [
    node(0, None, 0, 1, via="failure"),
    node(1, 0, 1, 10),
    node(2, 0, 1, 20),
    node(3, 0, 1, 30, via="potential"),
    node(4, 2, 2, 40),
]


def order(*lines: int) -> list[int]:
    """The first lines of the nodes in reading order."""
    causes, ids = in_reading_order(TREE, ranking(*lines))
    assert [c["id"] for c in causes] == list(range(len(TREE)))
    assert all(c["parent"] is None or c["parent"] < c["id"] for c in causes)
    assert sorted(ids) == sorted(ids.values())
    return [c["statements"][0]["line"] for c in causes]


def test_the_way_to_the_best_statement_comes_first() -> None:
    assert order(40, 10) == [1, 20, 40, 10, 30]


def test_without_a_ranking_levels_are_read_one_after_the_other_and_omissions_last() -> None:
    assert order() == [1, 10, 20, 40, 30]


def test_a_statement_in_several_nodes_is_read_in_the_first() -> None:
    causes, _ = in_reading_order([*TREE, node(5, 1, 2, 20, 50)], ranking(20))
    assert [c["statements"][0]["line"] for c in causes][:2] == [1, 20]
