"""The cause tree of a failing path as a method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from butfor.explanation import Evidence
from butfor.logic.solvers import default_solver
from butfor.methods.case import FailingPath
from butfor.methods.cause_tree.path_causes import PathCause, PathCauses
from butfor.path.instance_words import Words
from butfor.path.path_model import Path
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place

_PINNED = "the inputs could avoid the failure on this path: where `pinned` is said, a cause holds for the values found"


def cause_tree_of_path(case: FailingPath, depth: int) -> Diagnosis:
    """The cause tree of the failure."""
    causes = PathCauses(
        case.path, default_solver(), case.budget, lambda place: case.marks.of(place.file, place.line) == "benign"
    )
    tree = causes.tree(depth)
    notes = (_PINNED,) if any(c.core.pinned for c in tree) else ()
    words = Words(case.path)
    return Diagnosis(
        tuple(_findings(case.path, tree)),
        {"causes": [_plain(words, c) for c in tree]},
        causes.complete,
        notes,
    )


def _statements(path: Path, cause: PathCause) -> dict[Place, list[int]]:
    found: dict[Place, list[int]] = {}
    for position in sorted({*cause.positions, *cause.others}):
        found.setdefault(path.instances[position].place, []).append(position)
    return found


def _plain(words: Words, cause: PathCause) -> dict[str, Any]:
    path = words.path
    place = None if cause.branch is None else path.instances[cause.branch].place
    return {
        "id": cause.id,
        "parent": cause.parent,
        "level": cause.level,
        "via": cause.via,
        "condition": None if place is None else {"file": place.file, "line": place.line, "text": place.text},
        "outcome": "" if cause.branch is None else words.told(cause.branch),
        "proved": cause.core.proved,
        "pinned": cause.core.pinned,
        "shared_with": [],
        "rounds": 1 + len(cause.others),
        "statements": [
            {
                "file": p.file,
                "line": p.line,
                "text": p.text,
                "instances": len(positions),
                "values": words.told(positions[-1]),
            }
            for p, positions in _statements(path, cause).items()
        ],
    }


def _findings(path: Path, tree: list[PathCause]) -> Iterator[Finding]:
    """One finding per statement, at its first place in the tree."""
    first: dict[Place, PathCause] = {}
    for cause in tree:
        for place in _statements(path, cause):
            first.setdefault(place, cause)
    for place, cause in first.items():
        score = 1.0 / (1.0 + cause.level) - 0.5 * cause.id / len(tree)
        evidence = Evidence.PROVED if cause.core.proved else Evidence.HEURISTIC
        yield Finding(place, round(max(score, 0.0), 4), f"level {cause.level}: {_why(path, cause)}", evidence)


def _why(path: Path, cause: PathCause) -> str:
    pinned = " (pinned: for the values found)" if cause.core.pinned else ""
    if cause.branch is None:
        return f"it is among the statements that made the check fail{pinned}"
    place = path.instances[cause.branch].place
    text = f"`{place.text}` (line {place.line})"
    if cause.via == "potential":
        return f"{text}, decided otherwise, could have assigned another value{pinned}"
    return f"it decided {text}{pinned}"
