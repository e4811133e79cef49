"""Code that only reports a failure: test frameworks, and what ran after the check behind a bad exit status."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from butfor.explanation import FailureKind
from butfor.failures.checks_behind_status import is_framework_file
from butfor.failures.failure_point import FailurePoint
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place, Places
from butfor.trace.view.source_steps import is_step


class ReportingCode:
    """Tells statements that only report the failure of a run: a change of one hides it, and mends nothing."""

    def __init__(self, trace: Trace, places: Places, point: FailurePoint) -> None:
        self.trace = trace
        self.places = places
        self.point = point

    def holds(self, place: Place) -> bool:
        """Whether a statement only reports the failure."""
        if is_framework_file(place.path):
            return not self._is_in_framework
        check = self._check
        if check is None:
            return False
        return place in self._callers or not self._ran_before(place)

    @cached_property
    def _is_in_framework(self) -> bool:
        """Whether the failure is the framework's own."""
        place = self.places.of(self.point.node) if self.point.node is not None else None
        return place is not None and is_framework_file(place.path)

    @cached_property
    def _check(self) -> Node | None:
        """The check behind a bad exit status, after which the run went on."""
        has_status = self.point.kind is FailureKind.ASSERTION and "status" in self.point.details
        return self.point.node if has_status else None

    @cached_property
    def _callers(self) -> frozenset[Place]:
        """The calls by which the check was reached: without them it would not have been made."""
        found = []
        node = self._check
        while node is not None:
            node = self.trace.call_of(node[0])
            if node is not None and (place := self.places.of(node)) is not None:
                found.append(place)
        return frozenset(found)

    def _ran_before(self, place: Place) -> bool:
        """Whether a statement ran before the check, or is no statement, such as a declaration with an initial value."""
        first = self._first_runs.get((place.path, place.line))
        assert self._check is not None
        return first is None or first <= self._check[0]

    @cached_property
    def _first_runs(self) -> dict[tuple[str, int], int]:
        """When each line that ran did so first."""
        found: dict[tuple[str, int], int] = {}
        log = self.trace.log
        for number in np.flatnonzero(log.counts).tolist():
            first, s = int(log.positions(number)[0]), self.trace.static[number]
            for instr in s.fn.instrs[s.seg.start : s.seg.end]:
                place = self.places.of_instr(s.fn, instr) if is_step(instr) else None
                if place is not None:
                    key = (place.path, place.line)
                    found[key] = min(first, found.get(key, first))
        return found
