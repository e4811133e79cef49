"""The order in which the nodes of a cause tree are read: the way to the best-ranked statement first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from butfor.explanation import RankedStatement

Row = Mapping[str, Any]  # a cause in the JSON report
Line = tuple[str, int]

LEVELS_BEHIND = {
    "failure": 0.0,
    "check": 0.0,
    "control": 0.0,
    "core": 0.0,
    "address": 0.5,
    "potential": 1.0,
    "elsewhere": 1.5,
}  # by `via`: how likely it explains the fault


def in_reading_order(causes: Sequence[Row], ranking: Sequence[RankedStatement]) -> tuple[list[Row], dict[int, int]]:
    """The causes with new ids, which count in reading order, and the new id of each old one.

    For each statement of the ranking, best first, come the nodes on the way from the failure to the first node with
    that statement, as far as they were not read before: so nodes below the same parent are ordered by the ranking of
    what they lead to. What the ranking does not name comes last, level by level, the nearest to the failure first.
    """
    found = list(_read(causes, ranking))
    ids = {cause["id"]: number for number, cause in enumerate(found)}
    return [_renumbered(cause, ids) for cause in found], ids


def _read(causes: Sequence[Row], ranking: Sequence[RankedStatement]) -> Iterator[Row]:
    behind = {cause["id"]: LEVELS_BEHIND[cause["via"]] for cause in causes}
    by_level = sorted(causes, key=lambda c: (c["level"] + behind[c["id"]], behind[c["id"]], c["id"]))
    first: dict[Line, Row] = {}
    for cause in by_level:
        for statement in cause["statements"]:
            for line in statement.get("lines", (statement["line"],)):
                first.setdefault((statement["file"], line), cause)
    by_id = {cause["id"]: cause for cause in causes}
    named = (first[row.file, row.line] for row in ranking if (row.file, row.line) in first)
    read: set[int] = set()
    for cause in (*named, *by_level):
        way = []
        at: Row | None = cause
        while at is not None and at["id"] not in read:
            way.append(at)
            read.add(at["id"])
            at = by_id.get(at["parent"])
        yield from reversed(way)


def _renumbered(cause: Row, ids: Mapping[int, int]) -> Row:
    parent = cause["parent"]
    return {
        **cause,
        "id": ids[cause["id"]],
        "parent": None if parent is None else ids[parent],
        "shared_with": sorted(ids[k] for k in cause["shared_with"] if k in ids),
    }
