"""The changes to try, the most promising ones first: natural edits near the failure."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from butfor.counterfactual.change_candidates import ChangeCandidate
from butfor.counterfactual.change_candidates import initial_value_candidates as initial_values
from butfor.counterfactual.change_rules import Op
from butfor.ir.change_sites import Site, SiteKind
from butfor.ir.debug_types import CType
from butfor.methods.case import FailingRun
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place

MAX_INITIAL_ELEMENTS = 40  # of initial data, that are changed: tables are large
FAR_DISTANCE = 1_000.0  # of instructions in no slice
DISTANCE_PER_STAGE = 20  # a candidate of a later stage is tried like one so much further away
_NUMBER = re.compile(r"(?<!\w)\d|'")
_STEP = re.compile(r"(?:\+\+|--)[^;]*;?|[^;=]*(?:\+\+|--);?")  # a statement that only counts
_FOR_DECLARATION = re.compile(r"(?:\w+[\s*]+)+\w+\s*=")


class CandidatesInOrder:
    """Candidates in the order in which to try them, each made when its turn comes: large programs have very many.

    The places of those that were made are kept by the identity of the candidate.
    """

    def __init__(
        self, case: FailingRun, sites: Sequence[Site], candidates: Callable[[Site], Iterator[ChangeCandidate]]
    ) -> None:
        self._case, self._candidates = case, candidates
        known = _distances(case)
        self._sites = [(known.get((site.function, site.instr), FAR_DISTANCE), site) for site in sites]
        self._made: list[ChangeCandidate] = []  # also so that no other object gets the identity of one
        self._places: dict[int, Place] = {}
        self.sites_tried = 0

    def __len__(self) -> int:
        return len(self._made)

    @property
    def sites(self) -> int:
        """The number of sites."""
        return len(self._sites)

    @property
    def places(self) -> dict[int, Place]:
        """The statement that each candidate changes that was made."""
        return self._places

    def in_turn(self, *, initial: bool) -> Iterator[ChangeCandidate]:
        """The candidates, and if asked those for initial data, too."""
        for c, place in self._ordered(initial=initial):
            self._made.append(c)
            self._places[id(c)] = place
            yield c

    def _ordered(self, *, initial: bool) -> Iterator[tuple[ChangeCandidate, Place]]:
        """All rows by stage and distance, rows alike in the order of the sites.

        No row of a site comes before the distance of its site, so rows with less than that of the next one can go.
        """
        rows = [(_turn(0, distance), number, site) for number, (distance, site) in enumerate(self._sites)]
        waiting: list[tuple[float, int, int, ChangeCandidate, Place]] = []
        for number, (distance, c, place) in enumerate(_initial_data(self._case) if initial else (), len(rows)):
            waiting.append((c.stage + distance / DISTANCE_PER_STAGE, number, 0, c, place))
        heapq.heapify(waiting)
        for first, number, site in sorted(rows, key=lambda row: row[:2]):
            while waiting and waiting[0][0] < first:
                yield heapq.heappop(waiting)[3:]
            self.sites_tried += 1
            for k, (stage, c, place) in enumerate(self._at(site)):
                heapq.heappush(waiting, (_turn(stage, self._sites[number][0]), number, k, c, place))
        while waiting:
            yield heapq.heappop(waiting)[3:]

    def _at(self, site: Site) -> Iterator[tuple[float, ChangeCandidate, Place]]:
        place = place_of(self._case, site)
        if place is None or not self._case.may_be_changed(place):
            return
        for c in self._candidates(site):
            if c.rule.op not in (Op.KEEP, Op.COMPOUND) or _had_value_before(place):
                yield c.stage, _with_family(c, place), place


def _turn(stage: float, distance: float) -> float:
    return stage + min(distance, FAR_DISTANCE) / DISTANCE_PER_STAGE


def _distances(case: FailingRun) -> dict[tuple[str, int], float]:
    """The distance of each instruction of the relevant slice from the failure."""
    best: dict[tuple[str, int], float] = {}
    for kind in ("data", "relevant"):
        for row in case.slices[kind].instructions:
            key = (case.trace.at(row.nearest[0]).fn.name, row.nearest[1])
            if row.distance < best.get(key, FAR_DISTANCE):
                best[key] = row.distance
    return best


def _with_family(c: ChangeCandidate, place: Place) -> ChangeCandidate:
    """The candidate, with the family of the edit that it is in this statement.

    Nobody mistypes the value of a named constant, and an increment that adds nothing is one that is left out.
    """
    if c.rule.op is Op.ONLY_LEFT and _STEP.fullmatch(place.text):
        return replace(c, family="keep")
    is_named = (
        c.family == "literal"
        and c.site.kind in (SiteKind.STORE, SiteKind.CONSTANT, SiteKind.OPERATION)
        and not _NUMBER.search(place.text)
    )
    return replace(c, family="named") if is_named else c


def _had_value_before(place: Place) -> bool:
    """Whether what a statement sets had a value before: neither a variable that it declares nor what it returns."""
    declares = place.role == Role.DECLARATION or (
        place.role == Role.FOR_INIT and _FOR_DECLARATION.match(place.text) is not None
    )
    return not declares and place.role != Role.RETURN


def _initial_data(case: FailingRun) -> Iterator[tuple[float, ChangeCandidate, Place]]:
    """Changes of initial data that the failure depended on."""
    relevant = case.slices["relevant"]
    met: set[tuple[str, int]] = set()
    for address, reader in relevant.initial.items():
        found = case.objects.globals.at(address)
        element = _element(case, *found[:2]) if found is not None else None
        if found is None or element is None or (found[0], element[0]) in met or len(met) >= MAX_INITIAL_ELEMENTS:
            continue
        met.add((found[0], element[0]))
        places = case.places.initialisers(found[0], element[0])
        for c in initial_values(case.recording.program, found[0], *element) if places else ():
            yield relevant.reader_distance[reader], c, places[0]


def _element(case: FailingRun, name: str, offset: int) -> tuple[int, int] | None:
    """The offset and size of the integer in a global that a byte belongs to."""
    variable = case.recording.source.global_declaration(name)
    t: CType | None = None if variable is None else variable.type
    start = 0
    while t is not None and t.kind in ("array", "struct"):
        if t.kind == "array":
            t = t.element
            start += (offset - start) // t.size * t.size if t is not None and t.size else 0
        else:
            field = next(
                (f for f in t.fields if 0 <= offset - start - f.bit_offset // 8 < f.type.size and not f.is_bits), None
            )
            start += field.bit_offset // 8 if field is not None else 0
            t = field.type if field is not None else None
    whole = t is not None and t.kind in ("signed", "unsigned", "char", "uchar", "bool", "enum") and t.size <= 8
    return (start, t.size) if whole and t is not None else None


def place_of(case: FailingRun, site: Site) -> Place | None:
    """The statement that a site belongs to."""
    fn = case.recording.program.function(site.function)
    return case.places.of_instr(fn, fn.instrs[site.instr])
