"""Alternatives of C statements: the edits that are proposed for them anyway, as terms along the paths.

What a statement computes is read from the source and compared with what the path says it did, with the recorded values and with others near
them; where the two differ, or the source has no term, the statement has no alternatives here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.encode.sorts import Value, default_value
from butfor.encode.terms import Evaluator, Term, TermError, const, equal, ite, negate, variable, variables
from butfor.path.model import Cell, Path
from butfor.path.uses import terms_of, values_before
from butfor.program.debug import CType
from butfor.repair.edit import Edit
from butfor.repair.ped.ctext import INT_BITS, Environment, Typed, Untranslatable, combined, converted, squeezed
from butfor.repair.ped.model import HOLE, TEMPLATE, WHETHER, Alternative, Site
from butfor.repair.ped.program import sites_of
from butfor.repair.ped.regions import Form, Region, argument, opaque_texts, parameter, regions, returned
from butfor.repair.propose import Proposer
from butfor.repair.scope import INTEGERS
from butfor.trace.places import Place

_MOST_READ, _MOST, _LEAST = 120, 20, 4  # edits that are read as terms, alternatives of a statement, also of one with many instances
_MOST_TERMS = 2_500  # alternatives times instances of a statement
_MOST_VARIABLES = 4  # in synthesised expressions
_SAMPLES = 12
_SYNTHESISED, _JOINED = 8.0, 6.0  # weights of `v + c` and of `v - w`
_SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "unsigned": 4, "unsignedint": 4, "unsignedchar": 1, "float": 4, "double": 8, "size_t": 8}


def alternatives(proposer: Proposer, paths: Sequence[Path]) -> dict[Place, list[Alternative]]:
    """The alternatives of all statements of the paths, the likeliest first."""
    runs = [_Run(path) for path in paths]
    found = {}
    for place, sites in sites_of(paths).items():
        made = _Statement(proposer, runs, place, sites).alternatives()
        if made:
            found[place] = made
    return found


class _Run:
    """One path with the values before each instance."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def states(self) -> list[dict[str, Value]]:
        return values_before(self.path)

    @cached_property
    def by_shown(self) -> dict[str, list[Cell]]:
        found: dict[str, list[Cell]] = {}
        for cell in self.path.cells:
            found.setdefault(cell.shown, []).append(cell)
        return found


@dataclass(frozen=True, slots=True)
class _At:
    """A site with the text that determines its value and the meaning of names there. `held`: the condition as it is written held."""

    site: Site
    region: Region
    here: Environment
    cell: Cell | None
    held: bool


class _Statement:
    def __init__(self, proposer: Proposer, runs: Sequence[_Run], place: Place, sites: Sequence[Site]) -> None:
        self.proposer = proposer
        self.runs = runs
        self.place = place
        self.sites = sites

    def alternatives(self) -> list[Alternative]:
        tree = self.proposer.places.tree(self.place.path)
        span = self.proposer.span(tree, self.place) if tree is not None else None
        if tree is None or span is None:
            return []
        self.span = span
        self.by = self.proposer.ingredients(tree, self.place, span[0])
        self.places: dict[Site, _At] = {}
        for site in self.sites:
            at = self._at(site)
            for told in () if at is None else (at, replace(at, held=not at.held)) if at.cell is None else (at,):
                if self._agrees(told):
                    self.places[site] = told
                    break
        if not self.places:
            return []
        most = max(_LEAST, min(_MOST, _MOST_TERMS // len(self.sites)))
        return [*self._likely(most), *self._synthesised()]

    # --- where and what --------------------------------------------------------------------------------------------------------------

    def _at(self, site: Site) -> _At | None:
        n, k, which = site
        instance = self.runs[n].path.instances[k]
        file, (start, end) = self.by.file, self.span
        cell = None if which == WHETHER else instance.writes[which][0]
        if cell is None:
            found = [Region(Form.CONDITION, start, end)]
        elif cell.shown.endswith("()"):
            found = returned(file, start, end)
        elif cell.function not in ("", self.place.function):
            number = parameter(file, cell.function, cell.shown)
            found = argument(file, start, end, cell.function, number) if number is not None else []
        else:
            found = regions(file, start, end, cell.shown)
        if len(found) != 1:
            return None
        return _At(site, found[0], self._environment(site, found[0]), cell, instance.held)

    def _environment(self, site: Site, region: Region) -> Environment:
        n, k, _ = site
        run = self.runs[n]
        instance = run.path.instances[k]
        cells = {c.name: c for c in run.path.cells}
        used = [cells[str(v.data)] for v in variables(terms_of(instance)) if str(v.data) in cells]

        def name(wanted: str) -> Typed | None:
            t = self.by.scope.variable(wanted)
            near = [c for c in run.by_shown.get(wanted, ()) if c.function in ("", self.place.function) and c.type]
            local = [c for c in near if c.function] or near
            own = [c for c in local if c in used] or local
            return _typed(own[0], t) if len(own) == 1 and t is not None else None

        opaque = {squeezed(c.shown): _opaque(c) for c in used if not c.shown.isidentifier()}
        try:
            texts = [t for t in opaque_texts(self._text(region)) if t not in opaque]
        except Untranslatable:
            texts = []
        rest = [c for c in used if name(c.shown) is None and squeezed(c.shown) not in texts]
        if len(set(texts)) == 1 and len(rest) == 1:
            opaque[texts[0]] = _opaque(rest[0])
        tree = self.by.file.tree
        return Environment(name, opaque, lambda word: tree.constant(word, lambda _: None), self._size)

    def _size(self, text: str) -> int | None:
        if text in _SIZES:
            return _SIZES[text]
        inner = text.removesuffix("[0]").removeprefix("*")
        t = self.by.scope.variable(inner)
        if t is not None and inner != text:
            t = t.pointee if t.kind == "pointer" else t.element
        return t.size if t is not None else None

    def _text(self, region: Region, edit: Edit | None = None) -> bytes:
        data = self.by.data
        if edit is None:
            return data[region.start : region.end]
        return data[region.start : edit.start] + edit.new + data[edit.end : region.end]

    def _term(self, at: _At, edit: Edit | None = None) -> Term:
        """The term of a site, as it is or after an edit."""
        try:
            return self._read(at, self._text(at.region, edit))
        except TermError as e:
            raise Untranslatable(str(e)) from e

    def _read(self, at: _At, text: bytes) -> Term:
        if at.cell is None:
            truth = at.region.truth(text, at.here)
            return truth if at.held else negate(truth)
        found = at.region.value(text, at.here, at.here.name(at.cell.shown))
        if at.cell.type in ("_Bool", "bool"):
            return ite(negate(_is_zero(found.term)), const(1, at.cell.sort), const(0, at.cell.sort))
        return converted(found, at.cell.sort)

    def _agrees(self, at: _At) -> bool:
        """Whether the source says what the path says, with the recorded values and with some near them."""
        n, k, which = at.site
        run = self.runs[n]
        instance = run.path.instances[k]
        said = instance.condition if at.cell is None else instance.writes[which][1]
        try:
            read = self._term(at)
        except Untranslatable:
            return False
        assert said is not None
        names = variables((said, read))
        state = {str(v.data): run.states[k].get(str(v.data), default_value(v.width)) for v in names}
        if any(v.width < 0 for v in names):
            return False
        pick = random.Random(k)
        for sample in range(_SAMPLES):
            values = {str(v.data): _near(state[str(v.data)], v.width, pick) if sample else state[str(v.data)] for v in names}
            value = Evaluator(values)
            if value(said) != value(read):
                return False
        return True

    # --- alternatives --------------------------------------------------------------------------------------------------------------

    def _likely(self, most: int) -> list[Alternative]:
        proposed = sorted((p for p in self.proposer.of(self.place, 0) if len(p.edits) == 1), key=lambda p: -p.weight)
        found: dict[tuple[int, ...], Alternative] = {}
        for p in proposed[:_MOST_READ]:
            terms = self._terms(p.edits[0]) if p.place == self.place else None
            if terms:
                key = tuple(id(terms.get(site)) for site in self.sites)
                if key not in found:
                    found[key] = Alternative(self._after(p.edits[0]), p.why, p.weight, p.family, terms, p.edits)
            if len(found) >= most:
                break
        return list(found.values())

    def _terms(self, edit: Edit) -> dict[Site, Term] | None:
        """What an edit makes of all sites; None where that is not known, or nothing."""
        terms = {}
        for site in self.sites:
            at = self.places.get(site)
            if at is None:
                if not self._is_apart(edit):
                    return None
                continue
            if edit.end <= at.region.start or at.region.end <= edit.start:
                continue
            if edit.start < at.region.start or at.region.end < edit.end:
                return None
            try:
                new = self._term(at, edit)
            except Untranslatable:
                return None
            if new is not self._term(at):
                terms[site] = new
        return terms

    def _is_apart(self, edit: Edit) -> bool:
        """Whether an edit touches only text whose meaning is known, so that what has no term stays as it is."""
        return any(at.region.start <= edit.start and edit.end <= at.region.end for at in self.places.values())

    def _after(self, edit: Edit) -> str:
        start, end = self.span
        return " ".join((self.by.data[start : edit.start] + edit.new + self.by.data[edit.end : end]).decode("utf-8", "replace").split())

    def _synthesised(self) -> Iterator[Alternative]:
        """`c`, `v + c`, `v - w`, `v + w` in the place of one integer value."""
        known = list(self.places.values())
        first = known[0]
        if first.cell is None or len(known) != len(self.sites) or len({at.region for at in known}) != 1 or first.cell.type in ("_Bool", "bool"):
            return
        t = self.by.scope.variable(first.cell.shown)
        if first.cell.sort > 64 or (t is not None and t.kind not in INTEGERS) or first.cell.type.endswith("*"):
            return
        yield from self._with(known, "{}", [])
        names = [name for name, its in self.by.scope.local.items() if its.kind in INTEGERS and all(at.here.name(name) for at in known)]
        near = [n for n in names if self.by.can_name(n.encode(), first.region.start)][:_MOST_VARIABLES]
        for v in near:
            yield from self._with(known, f"{v} + {{}}", [v])
        for v in near if len(self.sites) * len(near) ** 2 <= _MOST_TERMS // 4 else ():
            for w in near:
                if v != w:
                    yield from self._with(known, f"{v} - {w}", [v, w])
                if v < w:
                    yield from self._with(known, f"{v} + {w}", [v, w])

    def _with(self, known: Sequence[_At], text: str, names: Sequence[str]) -> Iterator[Alternative]:
        region = known[0].region
        assert known[0].cell is not None
        hole = variable(f"{HOLE}h{known[0].site}.{text}", max(INT_BITS, known[0].cell.sort)) if "{}" in text else None
        terms = {}
        for at in known:
            assert at.cell is not None
            extra = {"{}": Typed(hole)} if hole is not None else {}
            parts: Mapping[str, Typed | None] = {**{n: at.here.name(n) for n in names}, **extra}
            terms[at.site] = converted(_joined(text.split(), parts), at.cell.sort)
        new = {Form.ASSIGN: f"= {text}", Form.UPDATE: f"{region.target} = {text}"}.get(region.form, text)
        edit = Edit(self.place.path, region.start, region.end, new.encode())
        weight = _SYNTHESISED if hole is not None else _JOINED
        yield Alternative(self._after(edit), "an expression that was found", weight, TEMPLATE, terms, (edit,), hole)


def _joined(words: Sequence[str], parts: Mapping[str, Typed | None]) -> Typed:
    first, *rest = words
    found = parts[first]
    assert found is not None
    for sign, word in zip(rest[::2], rest[1::2], strict=True):
        other = parts[word]
        assert other is not None
        found = combined(sign, found, other)
    return found


def _typed(cell: Cell, t: CType) -> Typed | None:
    if cell.sort != 8 * t.size:
        return None
    if t.kind == "pointer":
        return Typed(cell.term, False, t.pointee.size if t.pointee is not None and t.pointee.size else -1)
    return Typed(cell.term, t.kind in ("signed", "char")) if t.kind in INTEGERS else None


def _opaque(cell: Cell) -> Typed:
    return Typed(cell.term, cell.signed, -1 if cell.type.endswith("*") else 0)


def _is_zero(term: Term) -> Term:
    return equal(term, const(0, term.width))


def _near(value: Value, width: int, pick: random.Random) -> Value:
    if not width:
        return pick.randrange(2)
    return pick.choice((value, value + 1, value - 1, value + pick.randrange(-9, 10), pick.randrange(-3, 4))) & (1 << width) - 1
