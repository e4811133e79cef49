"""Facts of all executions by statement: bounds of the values that it assigns, and whether a proof depends on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from butfor.ir.intervals.proved_facts import Interval, StaticFacts
from butfor.ir.intervals.whole_program import analyse
from butfor.ir.program import Program
from butfor.methods.case import FailingRun
from butfor.trace.view.source_places import Place, Places


@dataclass(frozen=True, slots=True)
class MinedFacts:
    """Facts of every execution: signed bounds of the values that statements assign, and statements that proofs need."""

    allowed: Mapping[Place, tuple[int | None, int | None]] = field(default_factory=dict)
    trusted: frozenset[Place] = frozenset()

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The projections and the trusted statements in the JSON report."""
        projections = [
            {**_row(place), "low": low, "high": high} for place, (low, high) in sorted(self.allowed.items(), key=_order)
        ]
        trusted = sorted(self.trusted, key=lambda place: (place.file, place.line, place.column))
        return {"projections": projections, "trusted": [_row(place) for place in trusted]}


def _order(item: tuple[Place, object]) -> tuple[str, int, int]:
    return item[0].file, item[0].line, item[0].column


def _row(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "text": place.text}


def mined_facts(case: FailingRun, is_over: Callable[[], bool]) -> MinedFacts:
    """The facts of the static analysis about the statements of a program."""
    program = case.recording.program
    return facts_by_statement(analyse(program, is_over), program, case.places)


def facts_by_statement(facts: StaticFacts, program: Program, places: Places) -> MinedFacts:
    """The facts by statement; the values of a statement with several stores are bounded by the hull of all bounds."""
    allowed: dict[Place, tuple[int | None, int | None]] = {}
    for name in {function for function, _ in facts.allowed}:
        fn = program.function(name)
        stores: dict[Place, list[Interval | None]] = {}
        for instr in fn.instrs:
            place = places.of_instr(fn, instr) if instr.op == "store" else None
            if place is not None:
                stores.setdefault(place, []).append(facts.allowed.get((name, instr.index)))
        for place, bounds in stores.items():
            known = [b for b in bounds if b is not None]
            if known and len(known) == len(bounds):
                allowed[place] = _hull(known)
    trusted = set()
    for name, index in facts.trusted:
        fn = program.function(name)
        place = places.of_instr(fn, fn.instrs[index])
        if place is not None:
            trusted.add(place)
    return MinedFacts(allowed, frozenset(trusted))


def _hull(bounds: list[Interval]) -> tuple[int | None, int | None]:
    lows, highs = [b.low for b in bounds], [b.high for b in bounds]
    low = None if None in lows else min(x for x in lows if x is not None)
    high = None if None in highs else max(x for x in highs if x is not None)
    return low, high
