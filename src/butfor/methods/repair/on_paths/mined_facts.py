"""Facts of the static analysis in terms of source statements."""

from __future__ import annotations

from butfor.ir.intervals.proved_facts import Interval, StaticFacts
from butfor.ir.program import Program
from butfor.methods.repair.on_paths.repair_model import Mined
from butfor.trace.view.source_places import Place, Places


def mined(facts: StaticFacts, program: Program, places: Places) -> Mined:
    """What statements may assign and which of them proofs need. A statement with several stores is bounded by all their bounds together."""
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
    return Mined(allowed, frozenset(trusted))


def _hull(bounds: list[Interval]) -> tuple[int | None, int | None]:
    lows, highs = [b.low for b in bounds], [b.high for b in bounds]
    low = None if None in lows else min(x for x in lows if x is not None)
    high = None if None in highs else max(x for x in highs if x is not None)
    return low, high
