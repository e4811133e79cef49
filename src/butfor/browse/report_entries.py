"""A JSON report as entries of a tree, each with a place in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from butfor.report.inert_text import inert

_VIA_DETAILS = {
    "potential": "decided otherwise, it could have assigned another value",
    "address": "it computed a pointer or an index",
}


@dataclass(slots=True)
class Entry:
    """One line of the tree: its title, where it is in the source, what is known about it, and what is below it."""

    title: str
    file: str = ""
    line: int = 0
    details: tuple[str, ...] = ()
    children: list[Entry] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The place as marks name it, "" for an entry that has none."""
        return f"{self.file}:{self.line}" if self.line else ""


def headline(report: Mapping[str, Any]) -> str:
    """What failed, in one line."""
    failure = report.get("failure")
    if not failure:
        return "no failure"
    where = f"{failure['file']}:{failure['line']}: " if failure["line"] else ""
    return inert(f"{where}{failure['message']}")


def entries(report: Mapping[str, Any]) -> list[Entry]:
    """The trees of a report: its causes, most likely first, and the cause tree."""
    found = []
    if report.get("ranking"):
        found.append(Entry("causes, most likely first", children=[_ranked_entry(row) for row in report["ranking"]]))
    causes = report.get("methods", {}).get("cascade", {}).get("causes", ())
    if causes:
        found.append(Entry("cause tree", children=list(_cause_entries(causes))))
    return found


def _ranked_entry(row: Mapping[str, Any]) -> Entry:
    details = [
        f"{row['role']} in {row['function']}, {row['evidence']}"
        if row["function"]
        else f"{row['role']}, {row['evidence']}"
    ]
    details += [f"{reason['method']}: {reason['text']}" for reason in row["reasons"]]
    children = [Entry(inert(f"see also: {also['why']}"), also["file"], also["line"]) for also in row["also"]]
    return Entry(inert(f"{row['rank']}. {row['text']}"), row["file"], row["line"], tuple(map(inert, details)), children)


def _cause_entries(causes: Sequence[Mapping[str, Any]]) -> Iterator[Entry]:
    """The causes that have no parent; each entry has those that explain it below it."""
    made: dict[Any, Entry] = {}
    for cause in causes:
        entry = _cause_entry(cause)
        made[cause["id"]] = entry
        above = made.get(cause["parent"])
        if above is None:
            yield entry
        else:
            above.children.append(entry)


def _cause_entry(cause: Mapping[str, Any]) -> Entry:
    condition = cause["condition"]
    statements = [
        Entry(inert(s["text"]), s["file"], s["line"], (inert(s["values"]),) if s.get("values") else ())
        for s in cause["statements"]
    ]
    details = [_VIA_DETAILS[cause["via"]]] if cause["via"] in _VIA_DETAILS else []
    details.append("proved" if cause.get("proved") else "not proved")
    if condition is None:
        return Entry(f"level {cause['level']}: what the failure came from", details=tuple(details), children=statements)
    outcome = f" was {cause['outcome']}" if cause.get("outcome") else ""
    title = inert(f"level {cause['level']}: {condition['text']}{outcome}")
    return Entry(title, condition["file"], condition["line"], tuple(details), statements)
