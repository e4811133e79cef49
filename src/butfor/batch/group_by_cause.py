"""What the stories and the explanations of failing runs say about whether they have one cause.

The shape of a run is the kind of its failure and the rungs on the main chain of its ladder: the failing statement, the
statements that made the bad value and passed it on, the test that is missing. What lies beside that chain (which
decisions let a statement run, how often a loop went round) differs between runs of one fault, and is left out. Where
memory was misused before a check failed, whatever is told about the check is about the consequences: the shape is the
place of the first such error.

The changes that avoid the failure of one run are tried on others: see `find_groups`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.explanation import FailureKind
from butfor.native.build_cache import key_of
from butfor.origin_ladder import RungKind

_NAMED_CHARS = 4  # of the hash in a group's name: enough to tell the groups of one function apart
_ROOT_STATEMENTS = 3  # of the ranking, whose changes are tried on the other runs
_CHANGES_PER_STATEMENT = 3
_BOUND_TO_VALUES = frozenset({"value", "shift", "solved"})  # changes to a number that fits one run and hardly another
_FAR_CHECKS = frozenset({FailureKind.OUTPUT, FailureKind.EXIT_STATUS, FailureKind.ASSERTION, FailureKind.REACH_ERROR})


Place = tuple[str, int]  # file and line


@dataclass(frozen=True, slots=True)
class Shape:
    """What the stories of the runs of one class have in common."""

    program: str
    kind: str  # of the failure
    rungs: tuple[Place, ...]  # the failure first

    @property
    def place(self) -> Place:
        """Where the failure is."""
        return self.rungs[0]

    @property
    def is_far(self) -> bool:
        """Whether the failure says little about where the fault is."""
        return self.kind in _FAR_CHECKS

    @property
    def is_judged_whole(self) -> bool:
        """Whether a changed run counts as right only if its whole output is: no other way out avoids the failure."""
        return self.kind == FailureKind.OUTPUT

    @property
    def order(self) -> tuple[str, str, tuple[Place, ...]]:
        """What shapes are sorted by."""
        return self.program, self.kind, self.rungs


def shape_of(program: str, result: Mapping[str, Any]) -> Shape:
    """The shape of a failing run, from its failure and its ladder."""
    failure = result["failure"]
    misused = result.get("memory_errors")
    if misused:
        return Shape(program, FailureKind.MEMORY, (_place_of(misused[0]),))
    places = [_place_of(failure)]
    for rung in _rungs(result):
        if _is_on_main_chain(rung) and rung["kind"] != RungKind.FAILURE:
            places += [*sorted(map(_place_of, rung["through"])), _place_of(rung)]
    return Shape(program, failure["kind"], tuple(dict.fromkeys(places)))


def _place_of(where: Mapping[str, Any]) -> Place:
    return where["file"], where["line"]


def fingerprint(result: Mapping[str, Any]) -> str:
    """What identifies the cause in other versions of the program too: texts and functions, but no line numbers."""
    failure = result["failure"]
    words = [failure["kind"], failure["function"], failure["details"].get("text", "")]
    for rung in _rungs(result):
        if _is_on_main_chain(rung) and rung["kind"] != RungKind.FAILURE:
            words += [rung["kind"], rung["function"], rung["text"]]
    return key_of(words)


def readable_name(result: Mapping[str, Any], print_of_cause: str) -> str:
    """A short name for the group of this run."""
    failure = result["failure"]
    where = failure["function"] or "program"
    return f"{failure['kind']}-{where}-{print_of_cause[:_NAMED_CHARS]}"


def _rungs(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return result["story"]["rungs"] if result.get("story") else ()


def _is_on_main_chain(rung: Mapping[str, Any]) -> bool:
    return bool(rung["level"] == 0 or rung["kind"] == RungKind.MISSING)


@dataclass(frozen=True, slots=True)
class RootStatement:
    """A statement that the explanation of a run names as a cause, with changes of it that avoid the failure."""

    file: str
    line: int
    text: str
    changes: tuple[str, ...]  # as `--with` takes them
    is_general: bool = True  # whether the changes can help other runs: they do not only set a number that fits one

    @property
    def place(self) -> Place:
        """Where it is."""
        return self.file, self.line


def root_statements(report: Mapping[str, Any]) -> tuple[RootStatement, ...]:
    """The first statements of the ranking whose changes avoid the failure when the program is run again.

    The failing statement itself counts only where there is no other: whatever went wrong before, a change there helps.
    """
    confirmed = {
        (site["file"], site["line"], site["text"]): site["changes"]
        for site in report["methods"].get("butfor", {}).get("confirmed", ())
    }
    failure = report["failure"]
    rows = [row for row in report["ranking"] if (row["file"], row["line"], row["text"]) in confirmed]
    elsewhere = [row for row in rows if (row["file"], row["line"]) != (failure["file"], failure["line"])]
    found = []
    for row in (elsewhere or rows)[:_ROOT_STATEMENTS]:
        changes = confirmed[row["file"], row["line"], row["text"]]
        general = [change for change in changes if change["family"] not in _BOUND_TO_VALUES]
        spelled = tuple(change["with"] for change in (general or changes)[:_CHANGES_PER_STATEMENT] if change["with"])
        if spelled:
            found.append(RootStatement(row["file"], row["line"], row["text"], spelled, bool(general)))
    return tuple(found)


def telling_roots(shape: Shape, roots: Sequence[RootStatement]) -> tuple[RootStatement, ...]:
    """The root statements whose changes can tell whether other runs have the same cause.

    They are not bound to the numbers of one run. Where a failure is near its cause they are part of its story: that a
    run takes another way altogether, and so does not come to the failing statement, says nothing.
    """
    general = tuple(root for root in roots if root.is_general)
    if shape.is_far:
        return general
    return tuple(root for root in general if root.place in shape.rungs)


def is_complete(report: Mapping[str, Any]) -> bool:
    """Whether the changes that avoid the failure were all looked for: only then do they tell runs apart."""
    return bool(report["methods"].get("butfor", {}).get("complete", False))


def share_a_first_root(first: Sequence[RootStatement], second: Sequence[RootStatement]) -> bool:
    """Whether the most likely cause of one is among the causes of the other."""
    places, others = ([root.place for root in roots] for roots in (first, second))
    return bool(places and others) and (places[0] in others or others[0] in places)


def have_one_first_root(first: Sequence[RootStatement], second: Sequence[RootStatement]) -> bool:
    """Whether both have the same most likely cause."""
    return bool(first and second) and first[0].place == second[0].place


class Verdict(enum.Enum):
    """What the changes of root statements, made for one run, do to the failure of another one."""

    HELPS = enum.auto()
    NO_DIFFERENCE = enum.auto()  # the other run does not come there, or does there what the change asks for
    DOES_NOT_HELP = enum.auto()


class Enough(enum.Enum):
    """Of the statements that make a difference to a run, which have to help so that all of them count as a help."""

    FIRST_OR_HALF = enum.auto()  # the most likely one, or half of them
    HALF = enum.auto()
    ALL = enum.auto()


def verdict(roots: Sequence[RootStatement], avoids: Sequence[bool | None], enough: Enough) -> Verdict:
    """What the changes do to a run; `avoids` is for each change."""
    at = 0
    helping: list[bool] = []
    for root in roots:
        own = avoids[at : at + len(root.changes)]
        at += len(root.changes)
        if any(avoided is not None for avoided in own):
            helping.append(any(own))
    if not helping:
        return Verdict.NO_DIFFERENCE
    is_half = 2 * sum(helping) >= len(helping)
    helps = {
        Enough.FIRST_OR_HALF: is_half or helping[0],
        Enough.HALF: is_half,
        Enough.ALL: all(helping),
    }
    return Verdict.HELPS if helps[enough] else Verdict.DOES_NOT_HELP
