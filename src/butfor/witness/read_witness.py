"""Violation witnesses read from files: YAML of version 2, GraphML of version 1."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from butfor.errors import UsageError
from butfor.files import read_bytes
from butfor.witness.witness_model import Waypoint, Witness, equalities

_MAX_BYTES = 64 * 2**20  # real witnesses have kilobytes; a larger file is something else
_TYPES_WITH_VALUES = ("assumption", "function_return")


def read_witness(path: Path) -> Witness:
    """The witness in a file; a UsageError says what is wrong with it."""
    data = read_bytes(path)
    if len(data) > _MAX_BYTES:
        raise UsageError(f"{path}: longer than {_MAX_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from error
    return _graphml(text, path) if text.lstrip().startswith("<") else _yaml(text, path)


# --- YAML ---


def _yaml(text: str, path: Path) -> Witness:
    import yaml  # late: only witnesses need it

    try:
        top = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"{path}: neither YAML nor GraphML: {str(error).splitlines()[0]}") from error
    entries = [e for e in (top if isinstance(top, list) else [top]) if isinstance(e, dict)]
    kinds = [str(e.get("entry_type", "")) for e in entries]
    if "violation_sequence" not in kinds:
        what = f"its entries are of type {', '.join(kinds)}" if any(kinds) else "it has no entries"
        raise UsageError(
            f"{path}: no violation witness: {what}", hint="a violation witness has an entry of type violation_sequence"
        )
    waypoints: list[Waypoint] = []
    unread: list[str] = []
    target = 0
    for point in _waypoints(entries[kinds.index("violation_sequence")].get("content"), path):
        location = point.get("location")
        place = location if isinstance(location, dict) else {}
        line, column = _positive(place.get("line")), _positive(place.get("column"))
        if point.get("type") == "target":
            target = line
        if point.get("type") in _TYPES_WITH_VALUES and point.get("action", "follow") == "follow":
            constraint = point.get("constraint")
            values, rest = equalities(str(constraint.get("value", "")) if isinstance(constraint, dict) else "")
            unread += rest
            if values:
                waypoints.append(Waypoint(line, column, values, point["type"] == "function_return"))
    return Witness(tuple(waypoints), target, tuple(unread))


def _waypoints(content: Any, path: Path) -> Iterator[dict[str, Any]]:
    if not isinstance(content, list):
        raise UsageError(f"{path}: the violation sequence has no list as its content")
    for number, item in enumerate(content):
        segment = item.get("segment") if isinstance(item, dict) else None
        if not isinstance(segment, list):
            raise UsageError(f"{path}: content[{number}] is not a segment")
        for part in segment:
            point = part.get("waypoint") if isinstance(part, dict) else None
            if not isinstance(point, dict):
                raise UsageError(f"{path}: content[{number}] holds something that is not a waypoint")
            yield point


def _positive(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


# --- GraphML ---


def _graphml(text: str, path: Path) -> Witness:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UsageError(f"{path}: a document type is not part of the GraphML format of witnesses")
    try:
        root = xml.fromstring(text.encode())
    except (xml.ParseError, ValueError) as error:
        raise UsageError(f"{path}: not valid XML: {error}") from error
    names = {k.get("id", ""): k.get("attr.name", k.get("id", "")) for k in root.iter() if _tag(k) == "key"}
    graph = next((g for g in root.iter() if _tag(g) == "graph"), None)
    if graph is None:
        raise UsageError(f"{path}: no graph in it")
    if _data(graph, names).get("witness-type", "violation_witness") != "violation_witness":
        raise UsageError(f"{path}: no violation witness but a {_data(graph, names)['witness-type'].replace('_', ' ')}")
    waypoints: list[Waypoint] = []
    unread: list[str] = []
    target = 0
    for edge in _path_to_violation(graph, names, path):
        data = _data(edge, names)
        line = int(data["startline"]) if data.get("startline", "").strip().isdigit() else 0
        target = line or target
        values, rest = equalities(data.get("assumption", ""))
        unread += rest
        if values:
            waypoints.append(Waypoint(line, 0, values, True, data.get("assumption.resultfunction", "").strip()))
    return Witness(tuple(waypoints), target, tuple(unread))


def _tag(element: xml.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _data(element: xml.Element, names: dict[str, str]) -> dict[str, str]:
    return {names.get(d.get("key", ""), d.get("key", "")): d.text or "" for d in element if _tag(d) == "data"}


def _path_to_violation(graph: xml.Element, names: dict[str, str], path: Path) -> list[xml.Element]:
    """The edges of a shortest path from the entry to the violation."""
    nodes = {n.get("id", ""): _data(n, names) for n in graph if _tag(n) == "node"}
    entry = next((n for n, data in nodes.items() if data.get("entry", "").strip() == "true"), None)
    if entry is None or not any(data.get("violation", "").strip() == "true" for data in nodes.values()):
        raise UsageError(f"{path}: no entry or no violation node in the graph", hint="a violation witness has both")
    edges: dict[str, list[xml.Element]] = {}
    for e in graph:
        if _tag(e) == "edge":
            edges.setdefault(e.get("source", ""), []).append(e)
    reached_by: dict[str, xml.Element | None] = {entry: None}
    queue = [entry]
    for node in queue:
        if nodes.get(node, {}).get("violation", "").strip() == "true":
            edges_back: list[xml.Element] = []
            step = reached_by[node]
            while step is not None:
                edges_back.append(step)
                step = reached_by[step.get("source", "")]
            return edges_back[::-1]
        for e in edges.get(node, ()):
            to = e.get("target", "")
            if to not in reached_by:
                reached_by[to] = e
                queue.append(to)
    raise UsageError(f"{path}: the violation cannot be reached from the entry")
