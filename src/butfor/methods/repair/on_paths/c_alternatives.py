"""Alternatives of C statements: the edits that are proposed for them anyway, as terms along the paths, and expressions that are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from butfor.logic.terms import Term, postorder, variable
from butfor.methods.repair.names_in_scope import INTEGERS
from butfor.methods.repair.on_paths.c_expression_terms import (
    INT_BITS,
    TypedTerm,
    Untranslatable,
    arithmetic_term,
    converted_term,
)
from butfor.methods.repair.on_paths.repair_program import sites_of
from butfor.methods.repair.on_paths.solution_model import HOLE_PREFIX, TEMPLATE, Alternative, PathSite
from butfor.methods.repair.on_paths.source_regions import RegionForm
from butfor.methods.repair.on_paths.statement_reading import PathValues, ReadSite, ReadStatement
from butfor.methods.repair.propose_edits import Proposer
from butfor.path.path_model import Path
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

_MOST_READ, _MOST, _LEAST = (
    120,
    20,
    4,
)  # edits that are read as terms, alternatives of a statement, also of one with many instances
_MOST_TERMS = 2_500  # alternatives times instances of a statement
_MOST_VARIABLES = 4  # in expressions that are put together
_SYNTHESISED, _JOINED = 8.0, 6.0  # weights of `v + c` and of `v - w`


def _never() -> bool:
    return False


def alternatives(
    proposer: Proposer, paths: Sequence[Path], is_over: Callable[[], bool] = _never
) -> dict[Place, list[Alternative]]:
    """The alternatives of the statements of the paths, as far as the time goes, the likeliest first."""
    runs = [PathValues(path) for path in paths]
    found = {}
    for place, sites in sites_of(paths).items():
        statement = ReadStatement(proposer, runs, place, sites)
        if statement.places and not is_over():
            found[place] = _Alternatives(statement).found()
    return found


class _Alternatives:
    def __init__(self, statement: ReadStatement) -> None:
        self.statement = statement
        self.proposer = statement.proposer
        self.place = statement.place
        self.sites = statement.sites
        self.places = statement.places
        self.code = statement.code
        self.span = statement.span

    def found(self) -> list[Alternative]:
        most = max(_LEAST, min(_MOST, _MOST_TERMS // len(self.sites)))
        return [*self._likely(most), *self._synthesised()]

    def _likely(self, most: int) -> list[Alternative]:
        proposed = sorted(
            (p for p in self.proposer.proposals_for(self.place, 0) if len(p.edits) == 1), key=lambda p: -p.weight
        )
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

    def _terms(self, edit: Edit) -> dict[PathSite, Term] | None:
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
                new = self.statement.term(at, edit)
            except Untranslatable:
                return None
            old = self.statement.term(at)
            if not _divisors(new) <= _divisors(old):
                return None  # it might divide by 0, which no term tells
            if new is not old:
                terms[site] = new
        return terms

    def _is_apart(self, edit: Edit) -> bool:
        """Whether an edit touches only text whose meaning is known, so that what has no term stays as it is."""
        return any(at.region.start <= edit.start and edit.end <= at.region.end for at in self.places.values())

    def _after(self, edit: Edit) -> str:
        start, end = self.span
        return " ".join(
            (self.code.data[start : edit.start] + edit.new + self.code.data[edit.end : end])
            .decode("utf-8", "replace")
            .split()
        )

    def _synthesised(self) -> Iterator[Alternative]:
        """`c`, `v + c`, `v - w`, `v + w` in the place of one integer value."""
        known = list(self.places.values())
        first = known[0]
        if (
            first.cell is None
            or len(known) != len(self.sites)
            or len({at.region for at in known}) != 1
            or first.cell.type in ("_Bool", "bool")
        ):
            return
        t = self.code.scope.variable(first.cell.shown)
        if first.cell.sort > 64 or (t is not None and t.kind not in INTEGERS) or first.cell.type.endswith("*"):
            return
        yield from self._with(known, "{}", [])
        names = [
            name
            for name, its in self.code.scope.local.items()
            if its.kind in INTEGERS and all(at.here.name(name) for at in known)
        ]
        near = [n for n in names if self.code.is_in_scope(n.encode(), first.region.start)][:_MOST_VARIABLES]
        for v in near:
            yield from self._with(known, f"{v} + {{}}", [v])
        for v in near if len(self.sites) * len(near) ** 2 <= _MOST_TERMS // 4 else ():
            for w in near:
                if v != w:
                    yield from self._with(known, f"{v} - {w}", [v, w])
                if v < w:
                    yield from self._with(known, f"{v} + {w}", [v, w])

    def _with(self, known: Sequence[ReadSite], text: str, names: Sequence[str]) -> Iterator[Alternative]:
        region = known[0].region
        assert known[0].cell is not None
        hole = (
            variable(f"{HOLE_PREFIX}h{known[0].site}.{text}", max(INT_BITS, known[0].cell.sort))
            if "{}" in text
            else None
        )
        terms = {}
        for at in known:
            assert at.cell is not None
            extra = {"{}": TypedTerm(hole)} if hole is not None else {}
            parts: Mapping[str, TypedTerm | None] = {**{n: at.here.name(n) for n in names}, **extra}
            terms[at.site] = converted_term(_joined(text.split(), parts), at.cell.sort)
        new = {RegionForm.ASSIGN: f"= {text}", RegionForm.UPDATE: f"{region.target} = {text}"}.get(region.form, text)
        edit = Edit(self.place.path, region.start, region.end, new.encode())
        weight = _SYNTHESISED if hole is not None else _JOINED
        yield Alternative(self._after(edit), "an expression that was found", weight, TEMPLATE, terms, (edit,), hole)


def _divisors(term: Term) -> set[Term]:
    """What a term divides by, other than constants that are not 0."""
    return {
        t.args[1]
        for t in postorder((term,))
        if t.op in ("udiv", "sdiv", "urem", "srem") and not (t.args[1].op == "const" and t.args[1].data)
    }


def _joined(words: Sequence[str], parts: Mapping[str, TypedTerm | None]) -> TypedTerm:
    first, *rest = words
    found = parts[first]
    assert found is not None
    for sign, word in zip(rest[::2], rest[1::2], strict=True):
        other = parts[word]
        assert other is not None
        found = arithmetic_term(sign, found, other)
    return found
