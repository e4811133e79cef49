"""The cause tree of a run or of a path: findings by level, and the tree itself for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.explanation import Evidence, FailureKind
from butfor.logic.solvers import default_solver
from butfor.methods.case import FailingPath, FailingRun
from butfor.methods.cause_tree.path_causes import PathCause, PathCauses
from butfor.methods.cause_tree.run_causes import CauseTree, RunCause
from butfor.path.path_words import PathWords
from butfor.ranking.finding import Diagnosis, Finding
from butfor.source.source_model import Role
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place
from butfor.trace.view.source_steps import step_in_words

MAX_INSTANCES_ASKED_FOR_VALUES = 3  # of a statement: one that says nothing is rarely followed by one that does
_DID = {
    FailureKind.ASSERTION: "made the check fail",
    FailureKind.REACH_ERROR: "led to the error",
    FailureKind.OUTPUT: "gave the wrong output",
    FailureKind.EXIT_STATUS: "gave the exit status",
    FailureKind.SIGNAL: "led to the crash",
    FailureKind.MEMORY: "led to the bad access",
    FailureKind.DIVISION: "gave the divisor",
    FailureKind.ARITHMETIC: "gave a value that does not fit",
    FailureKind.NO_END: "keep the loop going",
}
_PINNED = "other inputs may lead away from this path: where `pinned` is said, a cause holds for the values found"


@dataclass(frozen=True, slots=True)
class ReportedCause:
    """One cause as it is reported. `verdict` has `proved`, and `pinned` on paths; `statements` their rows."""

    id: int
    parent: int | None
    level: int
    via: str
    condition: Place | None  # the decision that is explained; None for the failure
    outcome: str
    verdict: Mapping[str, bool]
    shared_with: Sequence[int]
    iterations: int
    statements: Mapping[Place, Mapping[str, Any]]

    @property
    def row(self) -> dict[str, Any]:
        """The cause in the JSON report."""
        c = self.condition
        return {
            "id": self.id,
            "parent": self.parent,
            "level": self.level,
            "via": self.via,
            "condition": None if c is None else {"file": c.file, "line": c.line, "text": c.text},
            "outcome": self.outcome,
            **self.verdict,
            "shared_with": list(self.shared_with),
            "rounds": self.iterations,
            "statements": [
                {"file": p.file, "line": p.line, "text": p.text, **more} for p, more in self.statements.items()
            ],
        }

    def why(self, kind: FailureKind) -> str:
        """Why its statements are in the tree, in words."""
        pinned = " (pinned: for the values found)" if self.verdict.get("pinned") else ""
        if self.condition is None and self.via == "address":
            return "it computed the pointer or index used there"
        if self.condition is None:
            return f"it is among the statements that {_DID[kind]}{pinned}"
        text = f"`{self.condition.text}` (line {self.condition.line})"
        if self.via == "potential":
            return f"{text}, decided otherwise, could have assigned another value{pinned}"
        if self.via == "elsewhere":
            return f"{text} wrote elsewhere, and could have written what was read"
        return f"it decided {text}{pinned}"


def _findings(tree: Sequence[ReportedCause], kind: FailureKind, symptom: Place | None) -> Iterator[Finding]:
    """One finding per statement, at its first place in the tree; `symptom` is where the failure shows."""
    first: dict[Place, ReportedCause] = {}
    for cause in tree:
        for place in cause.statements:
            first.setdefault(place, cause)
    for place, cause in first.items():
        score = 1.0 / (1.0 + cause.level) - 0.5 * cause.id / len(tree) if place != symptom else 0.0
        evidence = Evidence.PROVED if cause.verdict["proved"] else Evidence.HEURISTIC
        reason = f"level {cause.level}: {cause.why(kind)}"
        lines = tuple(cause.statements[place].get("lines", ()))
        yield Finding(place, round(max(score, 0.0), 4), reason, evidence, lines=lines)


# --- of a run ---------------------------------------------------------------------------------------------------------


def cause_tree_of_run(
    case: FailingRun, depth: int, without: frozenset[str], *, path_conditions: bool = False
) -> Diagnosis:
    """The cause tree of the failure of a run."""
    tree = CauseTree(case, without, path_conditions=path_conditions)
    tree.open(depth)
    causes = [_run_cause(case, cause) for cause in tree.causes]
    data: dict[str, Any] = {"causes": [cause.row for cause in causes], "constraints": tree.constraints}
    if case.marks:
        data["marks"] = dict(case.marks.by_place)
        data["pruned"] = tree.pruned
        data["guilty"] = None if tree.guilty is None else tree.guilty.id
    symptom = case.places.of(case.point.node) if case.point.node is not None else None
    return Diagnosis(tuple(_findings(causes, case.point.kind, symptom)), data, tree.complete)


def _run_cause(case: FailingRun, cause: RunCause) -> ReportedCause:
    return ReportedCause(
        cause.id,
        cause.parent,
        cause.level,
        cause.via,
        cause.condition,
        _outcome(case, cause),
        {"proved": cause.proved},
        tuple(cause.shared),
        len(cause.rounds),
        {p: _statement(case, cause, p, nodes) for p, nodes in cause.statements.items() if p.role != Role.CASE},
    )


def _statement(case: FailingRun, cause: RunCause, place: Place, nodes: Sequence[Node]) -> dict[str, Any]:
    """What the report says of a statement besides its place; lines and macros only where there are any.

    The labels that a switch went to are lines of the switch; of a table its entries are statements of their own.
    """
    spanned = range(place.line, place.line + 1) if place.role == Role.INITIALIZER else case.places.lines_of(place)
    labels = {p.line for p in cause.statements if p.role == Role.CASE} if place == cause.condition else set()
    lines = sorted({*spanned, *labels})
    macros = [{"file": m.file, "line": m.line, "text": m.text} for m in case.places.macros(place)]
    return {
        "instances": len(nodes),
        "values": _values(case, nodes),
        **({"lines": lines} if len(lines) > 1 else {}),
        **({"macros": macros} if macros else {}),
    }


def _outcome(case: FailingRun, cause: RunCause) -> str:
    """How the decision went, with the values it saw."""
    if cause.decided is None or cause.condition is None or not case.trace.instr(cause.decided).is_branch:
        return ""
    return _values(case, [cause.decided])


def _values(case: FailingRun, nodes: Sequence[Node]) -> str:
    """What the first instances did, with values; empty when there is no time to look them up."""
    if case.budget.is_over():
        return ""
    steps = (case.steps.of(n, brief=True) for n in nodes[:MAX_INSTANCES_ASKED_FOR_VALUES])
    step = next((s for s in steps if s is not None), None)
    return "" if step is None else step_in_words(step)


# --- of a path --------------------------------------------------------------------------------------------------------


def cause_tree_of_path(case: FailingPath, depth: int, *, path_conditions: bool = False) -> Diagnosis:
    """The cause tree of the failure of a path."""
    found = PathCauses(
        case.path,
        default_solver(),
        case.budget,
        lambda place: case.marks.of(place.file, place.line) == "benign",
        path_conditions=path_conditions,
    )
    tree = found.tree(depth)
    words = PathWords(case.path)
    causes = [_path_cause(words, cause) for cause in tree]
    findings = tuple(_findings(causes, FailureKind.ASSERTION, None))
    notes = (_PINNED,) if any(c.core.pinned for c in tree) else ()
    return Diagnosis(findings, {"causes": [cause.row for cause in causes]}, found.complete, notes)


def _path_cause(words: PathWords, cause: PathCause) -> ReportedCause:
    instances = words.path.instances
    statements: dict[Place, list[int]] = {}
    for position in sorted({*cause.positions, *cause.others}):
        statements.setdefault(instances[position].place, []).append(position)
    return ReportedCause(
        cause.id,
        cause.parent,
        cause.level,
        cause.via,
        None if cause.branch is None else instances[cause.branch].place,
        "" if cause.branch is None else words.summary(cause.branch),
        {"proved": cause.core.proved, "pinned": cause.core.pinned},
        (),
        1 + len(cause.others),
        {p: {"instances": len(at), "values": words.summary(at[-1])} for p, at in statements.items()},
    )
