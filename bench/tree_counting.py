"""How much of a cause tree is read until the fault is found: the countings of CaFL's tables, and rows of the ranking.

The tree is read node by node in the order of the report. *until*: distinct source lines of all nodes up to and
including the one with the fault. *-in*: also without statements that only read inputs. *path*: the same of the nodes
from the root to the one with the fault, as for a reader who always chooses the right branch. *ranked*: rows of the
ranking. The failed check is not counted, unless it is the fault: then the root has it. A `#define` belongs to the
statements that use it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.libc.library import names_where

_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
_INPUT = re.compile(rf"\b(?:argv|{'|'.join(names_where(lambda f: f.reads_input))})\b")

Line = tuple[str, int]
Report = Mapping[str, Any]  # the JSON report


@dataclass(frozen=True, slots=True)
class TreeCount:
    """Lines until the fault, its level (from 1) and the number of nodes read; None where the fault is not there."""

    level: int | None = None
    nodes: int | None = None
    until: int | None = None
    without_inputs: int | None = None
    path: int | None = None
    ranked: int | None = None

    @property
    def is_found(self) -> bool:
        """Whether the fault is in the tree."""
        return self.level is not None


def lines_of_fault(text: str, lines: Collection[int]) -> frozenset[int]:
    """The lines of a fault; with a `#define`, those that use the macro, also through other macros."""
    source = text.splitlines()
    found, work = set(lines), list(lines)
    while work:
        number = work.pop()
        define = _DEFINE.match(source[number - 1]) if 0 < number <= len(source) else None
        if define is not None:
            name = re.compile(rf"\b{define.group(1)}\b")
            uses = {k for k, line in enumerate(source, 1) if k != number and name.search(line)} - found
            found |= uses
            work += uses
    return frozenset(found)


def count(report: Report, file: str, fault: Collection[int]) -> TreeCount:
    """What is read of a report until a line of the fault in this file is met; see `lines_of_fault` for macros."""
    return count_lines(report, {(file, line) for line in fault})


def count_lines(report: Report, fault: Collection[Line]) -> TreeCount:
    """The same for a fault whose lines may be in several files."""
    wanted = frozenset(fault)
    check = _check(report)
    nodes: Sequence[Mapping[str, Any]] = report["methods"].get("cascade", {}).get("causes", ())
    if check is not None and check in wanted:
        nodes, check = [_with_check(node, check) if node["parent"] is None else node for node in nodes], None
    hit = next((k for k, node in enumerate(nodes) if wanted & _lines(node["statements"], check)), None)
    ranked = next((row["rank"] for row in report["ranking"] if wanted & set(_lines_of_row(row))), None)
    if hit is None:
        return TreeCount(ranked=ranked)
    read = nodes[: hit + 1]
    return TreeCount(
        nodes[hit]["level"] + 1,
        hit + 1,
        len(_all_lines(read, check, wanted, with_inputs=True)),
        len(_all_lines(read, check, wanted, with_inputs=False)),
        len(_all_lines(_ancestors(nodes, nodes[hit]), check, wanted, with_inputs=False)),
        ranked,
    )


def _check(report: Report) -> Line | None:
    failure = report["failure"]
    return None if failure is None or failure["file"] is None else (failure["file"], failure["line"])


def _with_check(node: Mapping[str, Any], check: Line) -> Mapping[str, Any]:
    return {**node, "statements": [*node["statements"], {"file": check[0], "line": check[1], "text": ""}]}


def _ancestors(nodes: Sequence[Mapping[str, Any]], node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    by_id = {n["id"]: n for n in nodes}
    at: Mapping[str, Any] | None = node
    while at is not None:
        yield at
        at = by_id.get(at["parent"])


def _all_lines(
    nodes: Iterable[Mapping[str, Any]], check: Line | None, fault: frozenset[Line], *, with_inputs: bool
) -> set[Line]:
    """The distinct lines of some nodes; a line of the fault counts also where it only reads inputs."""
    found: set[Line] = set()
    for node in nodes:
        kept = [
            s
            for s in node["statements"]
            if with_inputs or not _INPUT.search(s["text"]) or not fault.isdisjoint(_lines_of_row(s))
        ]
        found |= _lines(kept, check)
    return found


def _lines(statements: Iterable[Mapping[str, Any]], check: Line | None) -> set[Line]:
    return {line for s in statements if not _DEFINE.match(s["text"]) for line in _lines_of_row(s) if line != check}


def _lines_of_row(row: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of a statement: the first, those it goes on at, and in the ranking those that its row stands for."""
    yield row["file"], row["line"]
    yield from ((row["file"], line) for line in row.get("lines", ()))
    yield from ((a["file"], a["line"]) for a in row.get("also", ()))
