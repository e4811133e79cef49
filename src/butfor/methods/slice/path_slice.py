"""The backward slice of a failing path: what the failed check depended on, nearest first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from butfor.methods.case import FailingPath
from butfor.methods.slice.run_slice import REASONS
from butfor.path.instance_uses import PathUses
from butfor.path.path_model import Path
from butfor.path.path_words import PathWords
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place

_DISTANCES = {"data": 1.0, "control": 1.5, "omitted": 2.0, "escape": 2.0}
_REASONS = {**REASONS, "escape": "decided otherwise, the failed check would not have been reached"}
_EDGES_OF_KIND = {"data": ("data",), "control": ("control", "escape"), "relevant": ("omitted",)}


@dataclass(frozen=True, slots=True)
class _Reached:
    """The distance of an instance from the failed check, and the last edge of the shortest way to it."""

    distance: float
    edge: str


def slice_of_path(case: FailingPath) -> Diagnosis:
    """The slice as one ranking."""
    path = case.path
    words = PathWords(path)
    reached = _reached(path, words.uses)
    best: dict[Place, tuple[float, int, str]] = {}
    counts: dict[Place, int] = {}
    for position, r in reached.items():
        place = path.instances[position].place
        counts[place] = counts.get(place, 0) + 1
        if place not in best or (r.distance, -position) < best[place][:2]:
            best[place] = (r.distance, -position, r.edge)
    farthest = 2 * (max((r.distance for r in reached.values()), default=0.0) + 1.0)
    findings = tuple(
        Finding(place, round(1.0 - distance / farthest, 4), _reason(words, -negative, edge, counts[place]))
        for place, (distance, negative, edge) in sorted(best.items(), key=lambda row: row[1][:2])
    )
    lines = {
        kind: sorted({_line(path, p) for p, r in reached.items() if r.edge in edges})
        for kind, edges in _EDGES_OF_KIND.items()
    }
    return Diagnosis(findings, {"instances": len(reached), "lines": lines})


def _line(path: Path, position: int) -> tuple[str, int]:
    place = path.instances[position].place
    return place.file, place.line


def _reached(path: Path, uses: PathUses) -> dict[int, _Reached]:
    """Each instance of the slice, by its position, with how it was reached first."""
    found: dict[int, _Reached] = {}
    last = len(path.instances)
    queue: list[tuple[float, int, str]] = [(0.0, -last, "")]
    while queue:
        distance, negative, edge = heapq.heappop(queue)
        position = -negative
        if position in found:
            continue
        found[position] = _Reached(distance, edge)
        for kind, target in _edges(path, uses, position):
            if target not in found:
                heapq.heappush(queue, (distance + _DISTANCES[kind], -target, kind))
    del found[last]
    return found


def _edges(path: Path, uses: PathUses, position: int) -> list[tuple[str, int]]:
    is_check = position == len(path.instances)
    scope = path.scope if is_check else path.instances[position].scope
    edges = [("data", writer) for _, writer in uses.reads[position] if writer >= 0]
    edges += [("control", scope[-1])] if scope else []
    edges += [("omitted", branch) for branch in uses.omitted[position]]
    if is_check:
        edges += [("escape", k) for k, i in enumerate(path.instances) if i.escapes]
    return edges


def _reason(words: PathWords, position: int, edge: str, count: int) -> str:
    told = words.summary(position)
    times = f" ({count} instances)" if count > 1 else ""
    return f"{_REASONS[edge]}{': ' + told if told else ''}{times}"
