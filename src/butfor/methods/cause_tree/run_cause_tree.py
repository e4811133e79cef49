"""The cause tree as a method: findings by level, and the tree itself for the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from butfor.explanation import Evidence, FailureKind
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.run_causes import CauseTree, RunCause
from butfor.methods.slice.run_slice import in_words
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

_DID = {
    FailureKind.ASSERTION: "made the check fail",
    FailureKind.REACH_ERROR: "led to the error",
    FailureKind.OUTPUT: "gave the wrong output",
    FailureKind.EXIT_STATUS: "gave the exit status",
    FailureKind.SIGNAL: "led to the crash",
    FailureKind.MEMORY: "led to the bad access",
    FailureKind.DIVISION: "gave the divisor",
    FailureKind.NO_END: "keep the loop going",
}


def cause_tree_of_run(case: FailingRun, depth: int, without: frozenset[str]) -> Diagnosis:
    """The cause tree of the failure."""
    tree = CauseTree(case, without)
    tree.open(depth)
    findings = tuple(_findings(case, tree))
    data: dict[str, Any] = {"causes": [_plain(case, c) for c in tree.causes]}
    if case.marks:
        data["marks"] = dict(case.marks.by_place)
        data["pruned"] = tree.pruned
        data["guilty"] = None if tree.guilty is None else tree.guilty.id
    return Diagnosis(findings, data, tree.complete)


def _plain(case: FailingRun, cause: RunCause) -> dict[str, Any]:
    condition = cause.condition
    return {
        "id": cause.id,
        "parent": cause.parent,
        "level": cause.level,
        "via": cause.via,
        "condition": None
        if condition is None
        else {"file": condition.file, "line": condition.line, "text": condition.text},
        "outcome": _outcome(case, cause),
        "proved": cause.proved,
        "shared_with": list(cause.shared),
        "rounds": len(cause.rounds),
        "statements": [
            {"file": p.file, "line": p.line, "text": p.text, "instances": len(nodes), "values": _values(case, nodes)}
            for p, nodes in cause.statements.items()
        ],
    }


def _outcome(case: FailingRun, cause: RunCause) -> str:
    """How the decision went, with the values it saw."""
    if cause.decided is None or cause.condition is None or case.trace.instr(cause.decided).op not in ("br", "switch"):
        return ""
    step = case.steps.of(cause.decided, brief=True)
    return "" if step is None else in_words(step)


def _values(case: FailingRun, nodes: list[Node]) -> str:
    step = next((s for s in (case.steps.of(n, brief=True) for n in nodes[:3]) if s is not None), None)
    return "" if step is None else in_words(step)


def _findings(case: FailingRun, tree: CauseTree) -> Iterator[Finding]:
    """One finding per statement, at its first place in the tree."""
    first: dict[Place, tuple[RunCause, Node]] = {}
    for cause in tree.causes:
        for place, nodes in cause.statements.items():
            first.setdefault(place, (cause, nodes[0]))
    shown = case.places.of(case.point.node) if case.point.node is not None else None
    count = max(len(tree.causes), 1)
    for place, (cause, _) in first.items():
        score = 1.0 / (1.0 + cause.level) - 0.5 * cause.id / count
        if place == shown:
            score = 0.0
        evidence = Evidence.PROVED if cause.proved else Evidence.HEURISTIC
        yield Finding(
            place, round(max(score, 0.0), 4), f"level {cause.level}: {_why(cause, case.point.kind)}", evidence
        )


def _why(cause: RunCause, kind: FailureKind) -> str:
    if cause.condition is None:
        return (
            "it computed the pointer or index used there"
            if cause.via == "address"
            else f"it is among the statements that {_DID[kind]}"
        )
    text = f"`{cause.condition.text}` (line {cause.condition.line})"
    if cause.via == "potential":
        return f"{text}, decided otherwise, could have assigned another value"
    if cause.via == "elsewhere":
        return f"{text} wrote to another part of what was read, and could have written there"
    return f"it decided {text}"
