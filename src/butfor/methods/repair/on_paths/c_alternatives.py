"""Alternatives of C statements: proposed edits as terms along the paths, and synthesised expressions."""

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
from butfor.methods.repair.on_paths.solution_model import HOLE_PREFIX, Alternative, PathSite
from butfor.methods.repair.on_paths.source_regions import RegionForm
from butfor.methods.repair.on_paths.statement_reading import PathValues, ReadSite, ReadStatement
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.slip_library import SYNTHESISED
from butfor.path.path_model import Path
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

MAX_EDITS_READ = 120  # of a statement, as terms: parsing takes milliseconds each
MAX_ALTERNATIVES, MIN_ALTERNATIVES = 20, 4  # of a statement: fewer where it has many instances
MAX_TERMS = 2_500  # alternatives times instances of a statement: the solver gets them all
MAX_PAIR_TERMS = MAX_TERMS // 4  # of pairs of variables, times instances
MAX_VARIABLES = 4  # in synthesised expressions: pairs of them are tried
MAX_INTEGER_BITS = 64  # of a synthesised value
WEIGHT_WITH_HOLE, WEIGHT_OF_PAIR = 8.0, 6.0  # of `v + c` and of `v - w`


def _never() -> bool:
    return False


def alternatives(
    proposer: Proposer, paths: Sequence[Path], is_over: Callable[[], bool] = _never
) -> dict[Place, list[Alternative]]:
    """The alternatives of the statements of the paths, the likeliest first, until the time is over."""
    runs = [PathValues(path) for path in paths]
    found = {}
    for place, sites in sites_of(paths).items():
        statement = ReadStatement(proposer, runs, place, sites)
        if statement.places and not is_over():
            found[place] = _Alternatives(statement).found()
    return found


class _Alternatives:
    """The alternatives of one statement."""

    def __init__(self, statement: ReadStatement) -> None:
        self.statement = statement
        self.proposer = statement.proposer
        self.place = statement.place
        self.sites = statement.sites
        self.places = statement.places
        self.code = statement.code
        self.span = statement.span

    def found(self) -> list[Alternative]:
        most = max(MIN_ALTERNATIVES, min(MAX_ALTERNATIVES, MAX_TERMS // len(self.sites)))
        return [*self._from_edits(most), *self._synthesised()]

    def _from_edits(self, most: int) -> list[Alternative]:
        proposed = sorted(
            (p for p in self.proposer.proposals_for(self.place, 0) if len(p.edits) == 1), key=lambda p: -p.weight
        )
        found: dict[tuple[int, ...], Alternative] = {}
        for p in proposed[:MAX_EDITS_READ]:
            terms = self._terms(p.edits[0]) if p.place == self.place else None
            if terms:
                key = tuple(id(terms.get(site)) for site in self.sites)
                if key not in found:
                    found[key] = Alternative(self._edited_text(p.edits[0]), p.why, p.weight, p.family, terms, p.edits)
            if len(found) >= most:
                break
        return list(found.values())

    def _terms(self, edit: Edit) -> dict[PathSite, Term] | None:
        """The terms of all sites that an edit changes; None where one of them is unknown."""
        terms = {}
        for site in self.sites:
            at = self.places.get(site)
            if at is None:
                if not self._is_understood(edit):
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
                return None  # it might divide by 0, which no term expresses
            if new is not old:
                terms[site] = new
        return terms

    def _is_understood(self, edit: Edit) -> bool:
        """Whether an edit is within the text of a site that was read, so that sites without a term stay as they are."""
        return any(at.region.start <= edit.start and edit.end <= at.region.end for at in self.places.values())

    def _edited_text(self, edit: Edit) -> str:
        start, end = self.span
        return " ".join(
            (self.code.data[start : edit.start] + edit.new + self.code.data[edit.end : end])
            .decode("utf-8", "replace")
            .split()
        )

    def _synthesised(self) -> Iterator[Alternative]:
        """`c`, `v + c`, `v - w`, `v + w` for one integer value."""
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
        if (
            first.cell.sort > MAX_INTEGER_BITS
            or (t is not None and t.kind not in INTEGERS)
            or first.cell.type.endswith("*")
        ):
            return
        yield from self._from_template(known, "{}", [])
        names = [
            name
            for name, its in self.code.scope.local.items()
            if its.kind in INTEGERS and all(at.here.name(name) for at in known)
        ]
        near = [n for n in names if self.code.is_in_scope(n.encode(), first.region.start)][:MAX_VARIABLES]
        for v in near:
            yield from self._from_template(known, f"{v} + {{}}", [v])
        for v in near if len(self.sites) * len(near) ** 2 <= MAX_PAIR_TERMS else ():
            for w in near:
                if v != w:
                    yield from self._from_template(known, f"{v} - {w}", [v, w])
                if v < w:
                    yield from self._from_template(known, f"{v} + {w}", [v, w])

    def _from_template(self, known: Sequence[ReadSite], text: str, names: Sequence[str]) -> Iterator[Alternative]:
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
            terms[at.site] = converted_term(_template_term(text.split(), parts), at.cell.sort)
        new = {RegionForm.ASSIGN: f"= {text}", RegionForm.UPDATE: f"{region.target} = {text}"}.get(region.form, text)
        edit = Edit(self.place.path, region.start, region.end, new.encode())
        weight = WEIGHT_WITH_HOLE if hole is not None else WEIGHT_OF_PAIR
        yield Alternative(
            self._edited_text(edit), "an expression that was found", weight, SYNTHESISED, terms, (edit,), hole
        )


def _divisors(term: Term) -> set[Term]:
    """The divisors in a term, except constants other than 0."""
    return {
        t.args[1]
        for t in postorder((term,))
        if t.op in ("udiv", "sdiv", "urem", "srem") and not (t.args[1].op == "const" and t.args[1].data)
    }


def _template_term(words: Sequence[str], parts: Mapping[str, TypedTerm | None]) -> TypedTerm:
    first, *rest = words
    found = parts[first]
    assert found is not None
    for sign, word in zip(rest[::2], rest[1::2], strict=True):
        other = parts[word]
        assert other is not None
        found = arithmetic_term(sign, found, other)
    return found
