"""The countings of a cause tree: which lines are read until the fault is met."""

from __future__ import annotations

from typing import Any

from bench.tree_counting import TreeCount, count, lines_of_fault


def node(number: int, parent: int | None, level: int, *statements: tuple[int, str]) -> dict[str, Any]:
    """One node with statements of p.c, as lines and texts."""
    rows = [{"file": "p.c", "line": line, "text": text} for line, text in statements]
    return {"id": number, "parent": parent, "level": level, "statements": rows}


def report(*nodes: dict[str, Any], ranked: tuple[int, ...] = ()) -> dict[str, Any]:
    """A report with a check in line 99."""
    return {
        "failure": {"file": "p.c", "line": 99},
        "methods": {"cascade": {"causes": list(nodes)}},
        "ranking": [{"rank": k, "file": "p.c", "line": line} for k, line in enumerate(ranked, 1)],
    }


TREE = report(
    node(0, None, 0, (10, "x = y;"), (99, "assert(x);"), (5, "y = atoi(argv[1]);")),
    node(1, 0, 1, (20, "a > 1"), (21, "a = 2;")),
    node(2, 0, 1, (30, "b > LIMIT"), (10, "x = y;"), (1, "#define LIMIT 3")),
    ranked=(21, 10, 30),
)


def test_all_nodes_before_the_fault_are_read() -> None:
    assert count(TREE, "p.c", {30}) == TreeCount(2, 3, until=5, without_inputs=4, path=2, ranked=3)


def test_the_failed_check_is_not_counted_and_not_the_fault() -> None:
    assert count(TREE, "p.c", {10}) == TreeCount(1, 1, until=2, without_inputs=1, path=1, ranked=2)
    assert not count(TREE, "p.c", {77}).is_found


def test_a_faulty_input_statement_counts() -> None:
    assert count(TREE, "p.c", {5}) == TreeCount(1, 1, until=2, without_inputs=2, path=2)


def test_lines_that_a_statement_goes_on_at_belong_to_it() -> None:
    tree = report(node(0, None, 0, (10, "f(a, b);")))
    tree["methods"]["cascade"]["causes"][0]["statements"][0]["lines"] = [10, 11, 12]
    assert count(tree, "p.c", {12}) == TreeCount(1, 1, until=3, without_inputs=3, path=3)


def test_a_macro_is_at_its_uses() -> None:
    text = "#define A 1\n#define B (A + 1)\nint x = B;\nint y = A2;\n"
    assert lines_of_fault(text, {1}) == {1, 2, 3}
    assert lines_of_fault(text, {4}) == {4}


def test_a_fault_in_the_failed_check_itself_is_met_first() -> None:
    assert count(TREE, "p.c", {99}) == TreeCount(1, 1, until=3, without_inputs=2, path=2)
