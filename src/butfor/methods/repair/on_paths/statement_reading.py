"""The statements of a path read from the source as terms.

They are compared with the terms of the path, with the recorded values and with others near them; where the two differ,
or the source has no term, the statement is not understood.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.ir.debug_types import CType
from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import Value, default_value
from butfor.logic.terms import Term, TermError, const, equal, ite, negate, variables
from butfor.methods.repair.names_in_scope import INTEGERS
from butfor.methods.repair.on_paths.c_expression_terms import (
    Environment,
    TypedTerm,
    Untranslatable,
    converted_term,
    without_blanks,
)
from butfor.methods.repair.on_paths.solution_model import CONDITION, PathSite
from butfor.methods.repair.on_paths.source_regions import (
    RegionForm,
    SourceRegion,
    argument_regions,
    assigning_regions,
    opaque_texts,
    parameter_index,
    returned_regions,
)
from butfor.methods.repair.propose_edits import Proposer
from butfor.path.instance_uses import terms_of, uses_of, values_before
from butfor.path.path_model import Cell, Path
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

SAMPLES = 12  # valuations on which source and path have to agree
_SIZES = {
    "char": 1,
    "short": 2,
    "int": 4,
    "long": 8,
    "unsigned": 4,
    "unsignedint": 4,
    "unsignedchar": 1,
    "float": 4,
    "double": 8,
    "size_t": 8,
}


class PathValues:
    """One path with the values before each instance."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def states(self) -> Sequence[Mapping[str, Value]]:
        return values_before(self.path)

    def is_known(self, cell: str, position: int) -> bool:
        """Whether the path has the value of a cell at a position: writes that nothing on the path needs are not on it.

        It has it where the next access to the cell on the path is a read.
        """
        reads, writes = self._events.get(cell, ((), ()))
        read, write = bisect_left(reads, position), bisect_left(writes, position)
        return read < len(reads) and (write == len(writes) or reads[read] <= writes[write])

    @cached_property
    def _events(self) -> dict[str, tuple[list[int], list[int]]]:
        """The positions of reads and of writes of each cell."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        for k, read in enumerate(uses_of(self.path).reads):
            for name, _ in read:
                found.setdefault(name, ([], []))[0].append(k)
            for cell, _ in self.path.instances[k].writes if k < len(self.path.instances) else ():
                found.setdefault(cell.name, ([], []))[1].append(k)
        return found

    @cached_property
    def by_shown(self) -> dict[str, list[Cell]]:
        found: dict[str, list[Cell]] = {}
        for cell in self.path.cells:
            found.setdefault(cell.shown, []).append(cell)
        return found


@dataclass(frozen=True, slots=True)
class ReadSite:
    """A site with the region that determines its value and the names there. `held`: the condition as written held."""

    site: PathSite
    region: SourceRegion
    here: Environment
    cell: Cell | None
    held: bool


class ReadStatement:
    """The sites of one statement that its source determines: `places` has those where source and path agree."""

    def __init__(self, proposer: Proposer, runs: Sequence[PathValues], place: Place, sites: Sequence[PathSite]) -> None:
        self.proposer = proposer
        self.runs = runs
        self.place = place
        self.sites = sites

        self.places: dict[PathSite, ReadSite] = {}
        tree = proposer.places.tree(place.path)
        span = proposer.span(tree, place) if tree is not None else None
        if tree is None or span is None:
            return
        self.span = span
        self.code = proposer.ingredients(tree, place, span[0])
        for site in sites:
            at = self._at(site)
            for read in () if at is None else (at, replace(at, held=not at.held)) if at.cell is None else (at,):
                if self._agrees(read):
                    self.places[site] = read
                    break

    # --- reading a site -----------------------------------------------------------------------------------------------

    def _at(self, site: PathSite) -> ReadSite | None:
        n, k, which = site
        instance = self.runs[n].path.instances[k]
        file, (start, end) = self.code.file, self.span
        cell = None if which == CONDITION else instance.writes[which][0]
        if cell is None:
            found = [SourceRegion(RegionForm.CONDITION, start, end)]
        elif cell.shown.endswith("()"):
            found = returned_regions(file, start, end)
        elif cell.function not in ("", self.place.function):
            number = parameter_index(file, cell.function, cell.shown)
            found = argument_regions(file, start, end, cell.function, number) if number is not None else []
        else:
            found = assigning_regions(file, start, end, cell.shown)
        if len(found) != 1:
            return None
        return ReadSite(site, found[0], self._environment(site, found[0]), cell, instance.held)

    def _environment(self, site: PathSite, region: SourceRegion) -> Environment:
        n, k, _ = site
        run = self.runs[n]
        instance = run.path.instances[k]
        cells = {c.name: c for c in run.path.cells}
        used = [cells[str(v.data)] for v in variables(terms_of(instance)) if str(v.data) in cells]

        def name(wanted: str) -> TypedTerm | None:
            t = self.code.scope.variable(wanted)
            near = [c for c in run.by_shown.get(wanted, ()) if c.function in ("", self.place.function) and c.type]
            local = [c for c in near if c.function] or near
            own = [c for c in local if c in used] or [c for c in local if run.is_known(c.name, k)]
            return _typed(own[0], t) if len(own) == 1 and t is not None else None

        opaque = {without_blanks(c.shown): _opaque(c) for c in used if not c.shown.isidentifier()}
        try:
            texts = [t for t in opaque_texts(self._text(region)) if t not in opaque]
        except Untranslatable:
            texts = []
        rest = [c for c in used if name(c.shown) is None and without_blanks(c.shown) not in texts]
        if len(set(texts)) == 1 and len(rest) == 1:
            opaque[texts[0]] = _opaque(rest[0])
        tree = self.code.file.tree
        return Environment(name, opaque, lambda word: tree.constant(word, lambda _: None), self._size)

    def _size(self, text: str) -> int | None:
        if text in _SIZES:
            return _SIZES[text]
        inner = text.removesuffix("[0]").removeprefix("*")
        t = self.code.scope.variable(inner)
        if t is not None and inner != text:
            t = t.pointee if t.kind == "pointer" else t.element
        return t.size if t is not None else None

    def _text(self, region: SourceRegion, edit: Edit | None = None) -> bytes:
        data = self.code.data
        if edit is None:
            return data[region.start : region.end]
        return data[region.start : edit.start] + edit.new + data[edit.end : region.end]

    def term(self, at: ReadSite, edit: Edit | None = None) -> Term:
        """The term of a site, as it is or after an edit."""
        try:
            return self._read(at, self._text(at.region, edit))
        except TermError as e:
            raise Untranslatable(str(e)) from e

    def _read(self, at: ReadSite, text: bytes) -> Term:
        if at.cell is None:
            truth = at.region.truth(text, at.here)
            return truth if at.held else negate(truth)
        found = at.region.value(text, at.here, at.here.name(at.cell.shown))
        if at.cell.type in ("_Bool", "bool"):
            return ite(negate(_is_zero(found.term)), const(1, at.cell.sort), const(0, at.cell.sort))
        return converted_term(found, at.cell.sort)

    def _agrees(self, at: ReadSite) -> bool:
        """Whether source and path agree, with the recorded values and with some near them."""
        n, k, which = at.site
        run = self.runs[n]
        instance = run.path.instances[k]
        said = instance.condition if at.cell is None else instance.writes[which][1]
        try:
            read = self.term(at)
        except Untranslatable:
            return False
        assert said is not None
        names = variables((said, read))
        state = {str(v.data): run.states[k].get(str(v.data), default_value(v.width)) for v in names}
        if any(v.width < 0 for v in names):
            return False
        pick = random.Random(k)
        for sample in range(SAMPLES):
            values = {
                str(v.data): _nearby_value(state[str(v.data)], v.width, pick) if sample else state[str(v.data)]
                for v in names
            }
            value = Evaluator(values)
            if value(said) != value(read):
                return False
        return True


def _typed(cell: Cell, t: CType) -> TypedTerm | None:
    if cell.sort != 8 * t.size:
        return None
    if t.kind == "pointer":
        return TypedTerm(cell.term, False, t.pointee.size if t.pointee is not None and t.pointee.size else -1)
    return TypedTerm(cell.term, t.kind in ("signed", "char")) if t.kind in INTEGERS else None


def _opaque(cell: Cell) -> TypedTerm:
    return TypedTerm(cell.term, cell.signed, -1 if cell.type.endswith("*") else 0)


def _is_zero(term: Term) -> Term:
    return equal(term, const(0, term.width))


def _nearby_value(value: Value, width: int, pick: random.Random) -> Value:
    if not width:
        return pick.randrange(2)
    return (
        pick.choice((value, value + 1, value - 1, value + pick.randrange(-9, 10), pick.randrange(-3, 4)))
        & (1 << width) - 1
    )
