"""The failure of a run as reports show it."""

from __future__ import annotations

from butfor.errors import UnsupportedError
from butfor.explanation import Failure
from butfor.failures.failure_point import FailurePoint, Unsupported
from butfor.failures.find_failure import Verdict, find_failure
from butfor.options import RunOptions
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places


def verdict_on(recording: Recording, places: Places, dependence: Dependence, options: RunOptions) -> Verdict:
    """What failed; raises `UnsupportedError` when the run met something that cannot be recorded."""
    try:
        return find_failure(recording, dependence, options.memory_errors, places.objects)
    except Unsupported as e:
        raise _unsupported(e, places) from e


def _unsupported(e: Unsupported, places: Places) -> UnsupportedError:
    place = places.of(e.node) if e.node is not None else None
    return UnsupportedError(e.what, file=place.file if place else "", line=place.line if place else 0)


def reported_failure(point: FailurePoint, places: Places) -> Failure:
    """The failure as it is reported."""
    node = places.in_user_code(point.node) if point.node is not None else None
    place = places.of(node) if node is not None else None
    where = None
    if node is not None and node[1] >= 0:
        where = places.location(places.trace.instr(node))
    details = dict(point.details)
    if place is not None:
        details["text"] = place.text
    if place is None:
        fn = places.trace.at(node[0]).fn if node is not None else None
        line = where.line if where else 0
        return Failure(
            point.kind,
            places.shown(where.file) if where else "",
            line,
            where.column if where else 0,
            fn.name if fn else "",
            point.message,
            details,
        )
    same = where is not None and places.shown(where.file) == place.file and where.line >= place.line
    line, column = (where.line, where.column) if same and where is not None else (place.line, place.column)
    return Failure(point.kind, place.file, line, column, place.function, point.message, details)
