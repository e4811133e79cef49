"""The answer of a batch: what became of each run, and the groups of those that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from butfor.batch.group_by_cause import RootStatement
from butfor.batch.work_items import BatchItem

SCHEMA_VERSION = 1
NOT_RUN = "not-run"  # the batch ended before it came to this run


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one run. `found` is what `examine_item.examined` gives, or a status and `why`."""

    item: BatchItem
    found: Mapping[str, Any]
    group: str = ""  # the name of its group, if it failed
    page: str = ""  # the address of its own report, relative to the folder of the batch

    @property
    def status(self) -> str:
        """passed, failed, not-examined or not-run."""
        return str(self.found["status"])

    @property
    def message(self) -> str:
        """What went wrong in the run, or in looking at it."""
        failure = self.found.get("failure")
        return str(failure["message"]) if failure else str(self.found.get("why", ""))

    def to_dict(self) -> dict[str, Any]:
        """One line of the results."""
        failure = self.found.get("failure")
        return {
            "schema_version": SCHEMA_VERSION,
            "number": self.item.number,
            "program": self.item.program.name,
            "name": self.item.name,
            "status": self.status,
            "group": self.group,
            "message": self.message,
            "failure": failure,
            "report": self.page,
        }


@dataclass(frozen=True, slots=True)
class Group:
    """Failing runs with the same cause."""

    name: str
    fingerprint: str
    program: str
    members: tuple[int, ...]  # numbers of items, the representative first, then in the order of the manifest
    failure: Mapping[str, Any]
    story: Mapping[str, Any] | None
    causes: tuple[Mapping[str, Any], ...]  # the first rows of the representative's ranking
    roots: tuple[RootStatement, ...]
    helped: int  # members whose failure these changes avoid
    is_checked: bool  # whether the changes were tried on all members
    page: str
    notes: tuple[str, ...] = ()
    smaller: Mapping[str, Any] | None = None  # an input of fewer bytes: its file, its arguments, its size

    @property
    def representative(self) -> int:
        """The failing run with the shortest input."""
        return self.members[0]

    def to_dict(self) -> dict[str, Any]:
        """The group as JSON."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "program": self.program,
            "size": len(self.members),
            "members": list(self.members),
            "failure": self.failure,
            "story": self.story,
            "causes": list(self.causes),
            "changes": [{"file": r.file, "line": r.line, "text": r.text, "with": list(r.changes)} for r in self.roots],
            "avoided_in": self.helped if self.is_checked else None,
            "report": self.page,
            "notes": list(self.notes),
            **({"smaller_input": dict(self.smaller)} if self.smaller is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The whole answer: items in the order of the manifest, the largest group first."""

    items: tuple[ItemResult, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many items there are of each status."""
        return Counter(item.status for item in self.items)

    def new_groups(self, known: frozenset[str]) -> tuple[Group, ...]:
        """The groups whose cause is none of the known ones."""
        return tuple(group for group in self.groups if group.fingerprint not in known)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report."""
        return {
            "schema_version": SCHEMA_VERSION,
            "counts": dict(sorted(self.counts.items())),
            "groups": [group.to_dict() for group in self.groups],
            "items": [item.to_dict() for item in self.items],
            "notes": list(self.notes),
        }
