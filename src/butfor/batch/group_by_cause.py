"""Failing runs grouped by cause: the same story back from the failure, avoided by the same changes.

Runs are first put together whose failures are of one kind and whose ladders have the same rungs on the main chain: the
failing statement, the statements that made the bad value and passed it on, the test that is missing. What lies beside
that chain (which decisions let a statement run, how often a loop went round) differs between runs of one fault, and is
left out.

Then the shortest run of each such class is explained, and the changes that avoid its failure are tried on the others.
Runs that they do not help fail for another reason, although the stories end alike: they make a class of their own.

Where a check is far from what it checks (an output that differs, an assertion), one fault has many stories. Classes
that name the same statement as a cause are put together if the changes of each help the shortest run of the other.
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
_BOUND_TO_VALUES = frozenset({"value", "shift"})  # changes to a number that fits one run and hardly another
_FAR_CHECKS = frozenset({FailureKind.OUTPUT, FailureKind.EXIT_STATUS, FailureKind.ASSERTION, FailureKind.REACH_ERROR})


@dataclass(frozen=True, slots=True)
class Shape:
    """What the stories of the runs of one class have in common."""

    program: str
    kind: str  # of the failure
    rungs: tuple[tuple[str, str, int], ...]  # kind, file and line, the failure first

    @property
    def order(self) -> tuple[str, str, tuple[tuple[str, str, int], ...]]:
        """What shapes are sorted by."""
        return self.program, self.kind, self.rungs


def shape_of(program: str, result: Mapping[str, Any]) -> Shape:
    """The shape of a failing run, from its failure and its ladder."""
    failure = result["failure"]
    main = [rung for rung in _rungs(result) if _is_on_main_chain(rung)]
    places = [
        place
        for rung in main
        for place in (
            *sorted({("through", on["file"], on["line"]) for on in rung["through"]}),
            (rung["kind"], rung["file"], rung["line"]),
        )
    ]
    first = (RungKind.FAILURE.value, failure["file"], failure["line"])
    rungs = [first, *(place for place in places if place[0] != RungKind.FAILURE)]
    return Shape(program, failure["kind"], tuple(dict.fromkeys(rungs)))


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
        general = [change for change in changes if change["family"] not in _BOUND_TO_VALUES] or changes
        spelled = tuple(change["with"] for change in general[:_CHANGES_PER_STATEMENT] if change["with"])
        if spelled:
            found.append(RootStatement(row["file"], row["line"], row["text"], spelled))
    return tuple(found)


def is_complete(report: Mapping[str, Any]) -> bool:
    """Whether the changes that avoid the failure were all looked for: only then do they tell runs apart."""
    return bool(report["methods"].get("butfor", {}).get("complete", False))


def is_far_check(kind: str) -> bool:
    """Whether failures of this kind say little about where the fault is."""
    return kind in _FAR_CHECKS


def share_a_first_root(first: Sequence[RootStatement], second: Sequence[RootStatement]) -> bool:
    """Whether the most likely cause of one is among the causes of the other."""
    places, others = ([(root.file, root.line) for root in roots] for roots in (first, second))
    return bool(places and others) and (places[0] in others or others[0] in places)


def have_one_first_root(first: Sequence[RootStatement], second: Sequence[RootStatement]) -> bool:
    """Whether both have the same most likely cause."""
    return bool(first and second) and (first[0].file, first[0].line) == (second[0].file, second[0].line)


class Verdict(enum.Enum):
    """What the changes of root statements, made for one run, do to the failure of another one."""

    HELPS = enum.auto()
    NO_DIFFERENCE = enum.auto()  # the other run does not come there, or does there what the change asks for
    DOES_NOT_HELP = enum.auto()


def verdict(roots: Sequence[RootStatement], avoids: Sequence[bool | None], *, is_far: bool) -> Verdict:
    """What the changes do to a run; `avoids` is for each change, `is_far` says whether its check is far from the cause.

    Statements where no change makes a difference to the run do not count. Of the others the most likely one has to help
    or half of them; for a far check half of them, since a statement that all runs depend on is often the first. Where
    both runs have the same first statement, that is evidence enough, and the caller says that the check is not far.
    """
    at = 0
    helping: list[bool] = []
    for root in roots:
        own = avoids[at : at + len(root.changes)]
        at += len(root.changes)
        if any(avoided is not None for avoided in own):
            helping.append(any(own))
    if not helping:
        return Verdict.NO_DIFFERENCE
    enough = 2 * sum(helping) >= len(helping) or (helping[0] and not is_far)
    return Verdict.HELPS if enough else Verdict.DOES_NOT_HELP
