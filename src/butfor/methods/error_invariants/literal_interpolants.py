"""Interpolants by weakest preconditions from the end, in as few and as simple atoms as possible.

An atom that a step does not touch stays. One that it touches is replaced by its weakest precondition; where that is a
relation that reads badly, recorded values take its place, generalised to bounds. The sequence is inductive by
construction, and checked all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import NORMAL_FORM, Simplifier
from butfor.logic.sorts import REAL, is_map
from butfor.logic.substitute import substitute
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    conjunction,
    conjuncts,
    constant,
    disjunction,
    equal,
    negate,
    postorder,
    rebuild,
    variables,
)
from butfor.methods.error_invariants.core_trace import CoreTrace, variable_names
from butfor.methods.error_invariants.inductive_sequence import Atoms, InterpolationQueries, InvariantSequence
from butfor.methods.error_invariants.term_ranges import TermRange, inverse_range, range_of
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_formula import defined_facts, is_flag

MAX_RELATION_CHARACTERS = 24  # a longer relation between cells is hard to read: values say more
MAX_PROPERTY_CHARACTERS = 16  # the same for a property of one cell
MAX_ATOMS_PER_INVARIANT = 60  # nobody reads more
MAX_BOUND_SEARCHES = 24  # each takes some dozens of queries
MAX_BOUND_STEP = 1 << 40  # for unbounded integers: by then the search has left all plausible values behind
_NONLINEAR = frozenset("mul udiv sdiv urem srem times div mod over".split())


class LiteralInterpolation:
    """Interpolation on one core. `values`: whether recorded values may take the place of relations."""

    def __init__(
        self, core: CoreTrace, queries: InterpolationQueries, text: Callable[[Term], str], *, values: bool = True
    ) -> None:
        self.core = core
        self.queries = queries
        self.text = text
        self.values = values
        self.coarse = False
        self._simplify = Simplifier(NORMAL_FORM)
        self._searches = 0
        self._unknown = frozenset(c.term for c in core.path.cells if c.type == UNKNOWN)
        self._peels: dict[Term, bool] = {}  # whether the range of its cell implies an atom

    def sequence(self) -> InvariantSequence | None:
        """The sequence; None where it cannot be computed, is too long to read, or the time is over."""
        last = len(self.core)
        atoms = self._simplest(last, self._parts(last, negate(self.core.goal)))
        rows = [atoms]
        for p in range(last - 1, -1, -1):
            found = self._before(p, rows[-1])
            if found is None or len(found) > MAX_ATOMS_PER_INVARIANT or self.queries.is_over:
                return None
            rows.append(found)
        return InvariantSequence(
            tuple(reversed(rows)), "literals" if self.values else "weakest precondition", self.coarse
        )

    def _before(self, p: int, after: Atoms) -> Atoms | None:
        action = self.core.actions[p]
        wanted: list[Term] = []
        for atom in after:
            if not action.touches(atom):
                wanted += self._parts(p, atom)
                continue
            before = action.weakest_precondition(atom)
            if before is None:
                return None
            wanted += self._parts(p, before)
        if action.assumed is not TRUE:
            wanted = self._needed_beside_assumption(p, wanted, after)
        return self._simplest(p, wanted)

    def _needed_beside_assumption(self, p: int, atoms: list[Term], after: Atoms) -> list[Term]:
        """The atoms needed before a step with an assumption of its own, weakened by it where they do not follow."""
        kept = list(dict.fromkeys(atoms))
        for atom in list(kept):
            rest = [a for a in kept if a is not atom]
            if self.queries.leads_to(self.core, p, rest, after):
                kept = rest
        unassumed = negate(self.core.actions[p].assumed)
        return [a if self._follows(p, a) else self._simplify(disjunction((unassumed, a))) for a in kept]

    def tidy(self, p: int, atoms: Iterable[Term]) -> Atoms:
        """Atoms of another engine, simplified as this one does it."""
        return self._simplest(p, [part for a in atoms for part in self._parts(p, a)])

    # --- parts --------------------------------------------------------------------------------------------------------

    def _parts(self, p: int, term: Term) -> list[Term]:
        """The atoms of a term: flags by their meaning at a position, of a disjunction a disjunct that surely holds."""
        found: list[Term] = []
        work = list(conjuncts(self._simplify(term)))
        while work:
            part = work.pop(0)
            if not variables((part,)) and Evaluator({})(part):
                continue
            if is_flag(part):
                meaning = self.core.meaning(part, p)
                if meaning is not None:
                    work = [*conjuncts(self._simplify(meaning)), *work]
                    continue
            if part.op == "any" and part is not FALSE:
                choice = self._disjunct(p, part)
                if choice is not None:
                    work = [*conjuncts(choice), *work]
                    continue
            settled = self._as_recorded(p, part)
            if settled is not None:
                work = [*conjuncts(self._simplify(settled)), *work]
                continue
            found.append(part)
        return found

    def _as_recorded(self, p: int, part: Term) -> Term | None:
        """An atom about what is unknown with other operands, as one about recorded operands; None if it is not."""
        if not any(v in self._unknown for v in variables((part,))):
            return None
        conditions: dict[Term, None] = {}

        def build(term: Term, operands: tuple[Term, ...]) -> Term:
            if term.op != "ite" or not any(a in self._unknown for a in term.args[1:]):
                return rebuild(term, operands)
            held = self.core.held(p, term.args[0])
            conditions[operands[0] if held else negate(operands[0])] = None
            return operands[1] if held else operands[2]

        rest = substitute(part, {}, build)
        settled = conjunction((*conditions, rest))
        return settled if settled is not part and self._follows(p, settled) else None

    def _disjunct(self, p: int, term: Term) -> Term | None:
        held = [a for a in term.args if self.core.held(p, a)]
        held.sort(key=lambda a: len(self.text(a)))
        return next((a for a in held if self._follows(p, a)), None)

    def _follows(self, p: int, atom: Term) -> bool:
        if all(self.core.determined.is_known(name, p) for name in variable_names(atom)):
            return self.core.held(p, atom)
        return self.core.held(p, atom) and self.queries.follows(self.core, p, atom)

    # --- choices ------------------------------------------------------------------------------------------------------

    def _simplest(self, p: int, atoms: Iterable[Term], *, values_may_be_said: bool = True) -> Atoms:
        """The atoms, each in its simplest form, with the ranges of one cell merged."""
        ranges: dict[Term, TermRange] = {}
        others: dict[Term, None] = {}
        for atom in dict.fromkeys(atoms):
            for simple in self._simple_forms(p, atom):
                r = range_of(simple, self._signed(simple))
                if r is None or r.term.op != "var":
                    others[simple] = None
                    continue
                known = ranges.get(r.term)
                met = r if known is None else known.intersection(r) if known.signed == r.signed else None
                if met is not None:
                    ranges[r.term] = met
                elif known is not None and r.is_point and known.signed != r.signed:  # a value says more than a bound
                    ranges[r.term] = r
                    others[known.atom()] = None
                else:
                    others[simple] = None
        points = {t: r for t, r in ranges.items() if r.is_point}
        kept = []
        for atom in others:
            narrowed = _without_point(atom, ranges)
            if narrowed is not None:
                ranges[narrowed.term] = narrowed
            elif not self._is_implied(atom, points):
                kept.append(atom)
        bounds = [a for r in ranges.values() for a in conjuncts(r.atom())]
        values = self._values_instead(p, kept, ranges) if values_may_be_said else None
        if values is not None:  # once: a value may come back in a form that is no range, and be said again
            return self._simplest(p, (*bounds, *values), values_may_be_said=False)
        return (*bounds, *kept)

    def _values_instead(self, p: int, atoms: list[Term], ranges: dict[Term, TermRange]) -> list[Term] | None:
        """The atoms with relations between cells replaced by the values of these cells, where that is shorter."""
        if not self.values:
            return None
        related = []
        for a in atoms:
            used = variables((a,))
            if (len(used) > 1 or any(v in ranges for v in used)) and all(self._has_known_value(p, v) for v in used):
                related.append(a)
        cells = dict.fromkeys(v for a in related for v in variables((a,)))
        exact = [self._value(p, v) for v in cells if v not in ranges or not ranges[v].is_point]
        said = [r.atom() for v, r in ranges.items() if v in cells and not r.is_point]
        if not related or self._cost([*related, *said]) <= self._cost(exact):
            return None
        return [*(a for a in atoms if a not in related), *exact]

    def _cost(self, atoms: list[Term]) -> tuple[int, int]:
        return len(atoms), sum(len(self.text(a)) for a in atoms)

    def _has_known_value(self, p: int, v: Term) -> bool:
        return not is_flag(v) and self._is_scalar(v) and self.core.determined.is_known(str(v.data), p)

    def _is_implied(self, atom: Term, points: dict[Term, TermRange]) -> bool:
        """Whether the exact values of cells imply an atom."""
        used = variables((atom,))
        if not used or any(v not in points for v in used):
            return False
        return self._simplify(substitute(atom, {str(v.data): constant(points[v].low, v.width) for v in used})) is TRUE

    def _signed(self, atom: Term) -> bool:
        used = variables((atom,))
        cell = next((c for c in self.core.path.cells if used and c.name == str(used[0].data)), None)
        return cell is None or cell.signed

    def _simple_forms(self, p: int, atom: Term) -> Sequence[Term]:
        used = [v for v in variables((atom,)) if not is_flag(v)]
        if not used:
            return (atom,)
        signed = self._signed(atom)
        r = range_of(atom, signed)
        if r is not None and r.term.op == "var":
            return (r.atom(),)
        if len(used) == 1 and r is not None:
            peeled = self._peeled(atom, r)
            if peeled is not None:
                return (peeled,)
        if not self.values or (
            len(self.text(atom)) <= (MAX_PROPERTY_CHARACTERS if len(used) == 1 else MAX_RELATION_CHARACTERS)
            and _nonlinear_operations(atom) <= 1
        ):
            return (atom,)
        known = [v for v in used if self._has_known_value(p, v)]
        if len(used) == len(known) == 1:
            return (self._bounded(p, atom, used[0]),)
        exact = tuple(self._value(p, v) for v in known)
        return exact if len(known) == len(used) or self.queries.impossible(*exact, negate(atom)) else (atom,)

    def _is_scalar(self, v: Term) -> bool:
        return not is_map(v.width) and v.width != REAL

    def _peeled(self, atom: Term, r: TermRange) -> Term | None:
        """The range of the cell itself, if that implies the atom."""
        found: TermRange | None = r
        while found is not None and found.term.op != "var":
            found = inverse_range(found)
        if found is None or (found.low is None and found.high is None):
            return None
        if atom not in self._peels:
            self._peels[atom] = self._implies(found, atom)
        return found.atom() if self._peels[atom] else None

    def _value(self, p: int, v: Term) -> Term:
        value = self.core.values[p][str(v.data)]
        if not v.width:
            return v if value else negate(v)
        return equal(v, constant(value, v.width))

    def _bounded(self, p: int, atom: Term, v: Term) -> Term:
        """The widest bound around the value of a cell that implies an atom, else the value."""
        exact = self._value(p, v)
        if not v.width or self._searches >= MAX_BOUND_SEARCHES or self.queries.is_over:
            self.coarse |= self.queries.is_over  # the value may be stronger than needed
            return exact
        self._searches += 1
        point = range_of(exact, self._signed(exact))
        assert point is not None
        assert point.low is not None
        for up in (False, True):
            wide = self._widest(
                TermRange(v, point.low, None, point.signed) if up else TermRange(v, None, point.low, point.signed),
                atom,
                up,
            )
            if wide is not None:
                return wide
        nonzero = negate(equal(v, constant(0, v.width)))
        if point.low and self.queries.impossible(nonzero, negate(atom), *defined_facts(self.core.path, (atom,))):
            return nonzero
        return exact

    def _widest(self, r: TermRange, atom: Term, up: bool) -> Term | None:
        """The range with its only bound moved out as far as it implies the atom; None when it does not even now."""
        if not self._implies(r, atom):
            return None
        least, most = r.limits
        edge = (least if up else most) if least is not None else None
        good = r.low if up else r.high
        assert good is not None
        step, sign = 1, -1 if up else 1
        bad = None
        while bad is None:
            tried = good + sign * step
            if edge is not None and (tried < edge if up else tried > edge):
                tried = edge
            if tried == good or step > MAX_BOUND_STEP:
                return self._moved(r, good, up).atom()
            if self._implies(self._moved(r, tried, up), atom):
                good, step = tried, step * 2
            else:
                bad = tried
        while abs(bad - good) > 1:
            middle = (bad + good) // 2
            good, bad = (middle, bad) if self._implies(self._moved(r, middle, up), atom) else (good, middle)
        return self._moved(r, good, up).atom()

    def _moved(self, r: TermRange, bound: int, up: bool) -> TermRange:
        return TermRange(r.term, bound, None, r.signed) if up else TermRange(r.term, None, bound, r.signed)

    def _implies(self, r: TermRange, atom: Term) -> bool:
        return self.queries.impossible(r.atom(), negate(atom), *defined_facts(self.core.path, (atom,)))


def _nonlinear_operations(atom: Term) -> int:
    """How many products and quotients of cells an atom has: they are hard for solvers and readers."""
    return sum(t.op in _NONLINEAR and all(a.op not in ("const", "number") for a in t.args) for t in postorder((atom,)))


def _without_point(atom: Term, ranges: dict[Term, TermRange]) -> TermRange | None:
    """The range of a cell without the value that a disequality excludes, if that is at its edge or outside of it."""
    if atom.op != "not" or atom.args[0].op != "eq":
        return None
    point = next(
        (p for p in (range_of(atom.args[0], r.signed) for r in ranges.values()) if p is not None and p.term in ranges),
        None,
    )
    if point is None or point.low is None:
        return None
    r = ranges[point.term]
    value = point.low if r.signed == point.signed else None
    if value is None:
        return None
    if (r.low is not None and value < r.low) or (r.high is not None and value > r.high):
        return r
    if value == r.low and not r.is_point:
        return TermRange(r.term, value + 1, r.high, r.signed)
    return TermRange(r.term, r.low, value - 1, r.signed) if value == r.high and not r.is_point else None
