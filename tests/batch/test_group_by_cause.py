"""What the stories of runs with one cause have in common, and which changes tell causes apart."""

from __future__ import annotations

from typing import Any

from butfor.batch.group_by_cause import (
    Enough,
    RootStatement,
    Shape,
    Verdict,
    fingerprint,
    root_statements,
    shape_of,
    telling_roots,
    verdict,
)

FAILURE = {
    "kind": "signal",
    "file": "a.c",
    "line": 35,
    "function": "deposit",
    "message": "SIGSEGV at 0x7f12",
    "details": {"text": "to->balance += amount;"},
}


def rung(kind: str, line: int, level: int = 0, text: str = "") -> dict[str, Any]:
    """A rung of a ladder."""
    return {
        "kind": kind,
        "file": "a.c",
        "line": line,
        "level": level,
        "function": "find",
        "text": text,
        "says": "",
        "through": [],
    }


def run(*rungs: dict[str, Any], **failure: Any) -> dict[str, Any]:
    """What is known of a failing run."""
    return {"failure": {**FAILURE, **failure}, "story": {"rungs": [rung("failure", 35), *rungs]}}


def test_decisions_and_rounds_of_loops_do_not_tell_runs_apart() -> None:
    short = run(rung("value", 22), rung("missing", 35, 1))
    long = run(
        rung("value", 22), rung("decision", 19, 1), rung("value", 29, 1), rung("missing", 35, 1), rung("value", 22)
    )
    assert shape_of("p", short) == shape_of("p", long)
    assert shape_of("p", short) != shape_of("p", run(rung("value", 23), rung("missing", 35, 1)))
    assert shape_of("p", short) != shape_of("q", short)


def test_a_value_that_came_through_another_caller_is_another_story() -> None:
    one, other = ({**rung("value", 22), "through": [{"file": "a.c", "line": n}]} for n in (34, 44))
    assert shape_of("p", run(one)) != shape_of("p", run(other))


def test_a_fingerprint_outlives_edits_elsewhere_and_addresses() -> None:
    before = run(rung("value", 22, text="return NULL;"))
    after = run(rung("value", 42, text="return NULL;"), line=55, message="SIGSEGV at 0x1234")
    assert fingerprint(before) == fingerprint(after)
    assert fingerprint(before) != fingerprint(run(rung("value", 22, text="return 0;")))


def change(spelled: str, family: str) -> dict[str, Any]:
    """A change that avoids the failure, as the method reports it."""
    return {"with": spelled, "family": family}


def test_roots_are_statements_before_the_failing_one_with_changes_that_fit_many_runs() -> None:
    rows = [{"file": "a.c", "line": n, "text": f"s{n}"} for n in (35, 22, 19)]
    confirmed = [
        {**rows[0], "changes": [change("a.c:35 skip", "skip")]},
        {**rows[1], "changes": [change("a.c:22 set 8", "value"), change("a.c:22 keep", "keep")]},
        {**rows[2], "changes": [change("a.c:19 set 7", "value")]},
    ]
    report = {"failure": FAILURE, "ranking": rows, "methods": {"butfor": {"confirmed": confirmed}}}
    assert [(root.line, root.changes) for root in root_statements(report)] == [
        (22, ("a.c:22 keep",)),
        (19, ("a.c:19 set 7",)),
    ]
    alone = {**report, "ranking": rows[:1]}
    assert [root.line for root in root_statements(alone)] == [35]


def test_half_of_the_roots_have_to_help() -> None:
    roots = [RootStatement("a.c", n, "", ("one", "two")) for n in (1, 2, 3)]
    assert verdict(roots, [False, True, True, False, False, False], Enough.HALF) is Verdict.HELPS
    assert verdict(roots, [False, False, True, False, False, False], Enough.FIRST_OR_HALF) is Verdict.DOES_NOT_HELP


def test_the_most_likely_cause_alone_decides_only_where_the_failure_is_near() -> None:
    roots = [RootStatement("a.c", n, "", ("one", "two")) for n in (1, 2, 3)]
    assert verdict(roots, [True, True, False, False, False, False], Enough.HALF) is Verdict.DOES_NOT_HELP
    assert verdict(roots, [True, True, False, False, False, False], Enough.FIRST_OR_HALF) is Verdict.HELPS


def test_statements_that_make_no_difference_to_a_run_do_not_count() -> None:
    roots = [RootStatement("a.c", n, "", ("one", "two")) for n in (1, 2, 3)]
    assert verdict(roots, [None, None, True, None, None, None], Enough.HALF) is Verdict.HELPS
    assert verdict(roots, [None, None, False, None, None, None], Enough.FIRST_OR_HALF) is Verdict.DOES_NOT_HELP
    assert verdict(roots, [None] * 6, Enough.FIRST_OR_HALF) is Verdict.NO_DIFFERENCE


def test_changes_bound_to_a_number_tell_nothing_about_other_runs() -> None:
    shape = Shape("p", "output", (("a.c", 9),))
    roots = [RootStatement("a.c", 1, "", ("set 7",), is_general=False), RootStatement("a.c", 2, "", ("keep",))]
    assert [root.line for root in telling_roots(shape, roots)] == [2]


def test_near_its_cause_only_the_statements_of_the_story_tell() -> None:
    roots = [RootStatement("a.c", n, "", ("keep",)) for n in (3, 22)]
    story = (("a.c", 35), ("a.c", 22))
    assert [root.line for root in telling_roots(Shape("p", "signal", story), roots)] == [22]
    assert [root.line for root in telling_roots(Shape("p", "assertion", story), roots)] == [3, 22]


def test_what_fails_after_memory_was_misused_is_told_by_the_place_of_that() -> None:
    misused = {"kind": "memory", "file": "a.c", "line": 7}
    one = {**run(rung("value", 22)), "memory_errors": [misused]}
    other = {**run(rung("value", 29), kind="output", line=70), "memory_errors": [misused]}
    assert shape_of("p", one) == shape_of("p", other) != shape_of("p", run(rung("value", 22)))
