"""Interpolants from the end backwards: what each step must have found so that the rest follows, said with as few and as simple atoms as can be.

An atom that a step does not touch stays. One that it does touch is what it was before the step; where that is a relation that reads badly, the
values of the run take its place, generalised to bounds. The sequence is inductive by construction; it is checked all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from butfor.logic.rewrite import Simplifier, substitute
from butfor.logic.sorts import REAL, is_map
from butfor.logic.terms import FALSE, TRUE, Evaluator, Term, constant, disjunction, equal, negate, postorder, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.determined_cells import determined, holds
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.step_actions import conjuncts, is_flag
from butfor.methods.error_invariants.term_ranges import Range, inverted, range_of
from butfor.path.defined_arithmetic import facts

Atoms = tuple[Term, ...]

_READABLE = 24  # characters of a relation between cells that is still easy to read
_MOST = 60  # atoms of one invariant; beyond, nobody reads them
_SHORT = 16  # and of a property of one cell
_HARD = frozenset("mul udiv sdiv urem srem times div mod over".split())
_SEARCHES = 24  # bounds that are searched for, each takes some dozens of questions


@dataclass(frozen=True, slots=True)
class Invariants:
    """An atom set for each position of a chain. `coarse`: the time was over, values of the run stand where more general atoms might."""

    atoms: tuple[Atoms, ...]
    engine: str
    coarse: bool = False


class Literals:
    """The engine for one chain. `values`: whether values of the run may take the place of relations."""

    def __init__(self, chain: Chain, questions: Questions, text: Callable[[Term], str], *, values: bool = True) -> None:
        self.chain = chain
        self.questions = questions
        self.text = text
        self.values = values
        self.known = determined(chain)
        self.coarse = False
        self._simplify = Simplifier()
        self._searches = 0
        self._right: dict[Term, bool] = {}  # whether the range of a cell gives an atom

    def sequence(self) -> Invariants | None:
        """The sequence; None where this way gives none."""
        last = len(self.chain)
        atoms = self._chosen(last, self._parts(last, negate(self.chain.goal)))
        rows = [atoms]
        for p in range(last - 1, -1, -1):
            found = self._before(p, rows[-1])
            if found is None or len(found) > _MOST or self.questions.is_over:
                return None
            rows.append(found)
        return Invariants(tuple(reversed(rows)), "literals" if self.values else "weakest precondition", self.coarse)

    def _before(self, p: int, after: Atoms) -> Atoms | None:
        action = self.chain.actions[p]
        wanted: list[Term] = []
        for atom in after:
            if not action.touches(atom):
                wanted += self._parts(p, atom)
                continue
            before = action.before(atom)
            if before is None:
                return None
            wanted += self._parts(p, before)
        if action.supposed is not TRUE:
            wanted = self._without(p, wanted, after)
        return self._chosen(p, wanted)

    def _without(self, p: int, atoms: list[Term], after: Atoms) -> list[Term]:
        """The atoms that are needed before a step which supposes something itself; those that only hold if it does say so."""
        kept = list(dict.fromkeys(atoms))
        for atom in list(kept):
            rest = [a for a in kept if a is not atom]
            if self.questions.leads(self.chain, p, rest, after):
                kept = rest
        supposed = negate(self.chain.actions[p].supposed)
        return [a if self._follows(p, a) else self._simplify(disjunction((supposed, a))) for a in kept]

    def tidy(self, p: int, atoms: Iterable[Term]) -> Atoms:
        """Atoms that another engine gave, in the form of this one."""
        return self._chosen(p, [part for a in atoms for part in self._parts(p, a)])

    # --- parts ---------------------------------------------------------------------------------------------------------------

    def _parts(self, p: int, term: Term) -> list[Term]:
        """The atoms of a term at a position: flags by what they mean, of alternatives one that is known to hold."""
        found: list[Term] = []
        work = list(conjuncts(self._simplify(term)))
        while work:
            part = work.pop(0)
            if not variables((part,)) and Evaluator({})(part):
                continue
            if is_flag(part):
                meaning = self.chain.meaning(part, p)
                if meaning is not None:
                    work = [*conjuncts(self._simplify(meaning)), *work]
                    continue
            if part.op == "any" and part is not FALSE:
                choice = self._alternative(p, part)
                if choice is not None:
                    work = [*conjuncts(choice), *work]
                    continue
            found.append(part)
        return found

    def _alternative(self, p: int, term: Term) -> Term | None:
        held = [a for a in term.args if holds(self.chain, p, a)]
        held.sort(key=lambda a: len(self.text(a)))
        return next((a for a in held if self._follows(p, a)), None)

    def _follows(self, p: int, atom: Term) -> bool:
        if {str(v.data) for v in variables((atom,))} <= self.known[p]:
            return holds(self.chain, p, atom)
        return holds(self.chain, p, atom) and self.questions.follows(self.chain, p, atom)

    # --- choices -------------------------------------------------------------------------------------------------------------

    def _chosen(self, p: int, atoms: Iterable[Term]) -> Atoms:
        """The simplest form of each atom; ranges of one cell together."""
        ranges: dict[Term, Range] = {}
        others: dict[Term, None] = {}
        for atom in dict.fromkeys(atoms):
            for simple in self._simple(p, atom):
                r = range_of(simple, self._signed(simple))
                if r is None or r.term.op != "var":
                    others[simple] = None
                    continue
                met = (
                    r if r.term not in ranges else ranges[r.term].met(r) if ranges[r.term].signed == r.signed else None
                )
                if met is None:
                    others[simple] = None
                else:
                    ranges[r.term] = met
        points = {t: r for t, r in ranges.items() if r.is_point}
        kept = []
        for atom in others:
            apart = _apart(atom, ranges)
            if apart is not None:
                ranges[apart.term] = apart
            elif not self._is_said(atom, points):
                kept.append(atom)
        values = self._instead(p, kept, ranges)
        if values is not None:
            return self._chosen(p, (*(a for r in ranges.values() for a in conjuncts(r.atom())), *values))
        return (*(a for r in ranges.values() for a in conjuncts(r.atom())), *kept)

    def _instead(self, p: int, atoms: list[Term], ranges: dict[Term, Range]) -> list[Term] | None:
        """The atoms with relations between cells replaced by the values of these, where those are fewer or shorter."""
        if not self.values:
            return None
        related = []
        for a in atoms:
            used = variables((a,))
            if (len(used) > 1 or any(v in ranges for v in used)) and all(self._is_known(p, v) for v in used):
                related.append(a)
        cells = dict.fromkeys(v for a in related for v in variables((a,)))
        exact = [self._value(p, v) for v in cells if v not in ranges or not ranges[v].is_point]
        said = [r.atom() for v, r in ranges.items() if v in cells and not r.is_point]
        if not related or self._cost([*related, *said]) <= self._cost(exact):
            return None
        return [*(a for a in atoms if a not in related), *exact]

    def _cost(self, atoms: list[Term]) -> tuple[int, int]:
        return len(atoms), sum(len(self.text(a)) for a in atoms)

    def _is_known(self, p: int, v: Term) -> bool:
        return not is_flag(v) and self._is_plain(v) and str(v.data) in self.known[p]

    def _is_said(self, atom: Term, points: dict[Term, Range]) -> bool:
        """Whether the values of cells that are known exactly give an atom."""
        used = variables((atom,))
        if not used or any(v not in points for v in used):
            return False
        return self._simplify(substitute(atom, {str(v.data): constant(points[v].low, v.width) for v in used})) is TRUE

    def _signed(self, atom: Term) -> bool:
        used = variables((atom,))
        cell = next((c for c in self.chain.path.cells if used and c.name == str(used[0].data)), None)
        return cell is None or cell.signed

    def _simple(self, p: int, atom: Term) -> Sequence[Term]:
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
            len(self.text(atom)) <= (_SHORT if len(used) == 1 else _READABLE) and _products(atom) <= 1
        ):
            return (atom,)
        known = [v for v in used if self._is_known(p, v)]
        if len(used) == len(known) == 1:
            return (self._valued(p, atom, used[0]),)
        exact = tuple(self._value(p, v) for v in known)
        return exact if len(known) == len(used) or self.questions.impossible(*exact, negate(atom)) else (atom,)

    def _is_plain(self, v: Term) -> bool:
        return not is_map(v.width) and v.width != REAL

    def _peeled(self, atom: Term, r: Range) -> Term | None:
        """The range of the cell itself, if that gives the atom."""
        found: Range | None = r
        while found is not None and found.term.op != "var":
            found = inverted(found)
        if found is None or (found.low is None and found.high is None):
            return None
        if atom not in self._right:
            self._right[atom] = self._gives(found, atom)
        return found.atom() if self._right[atom] else None

    def _value(self, p: int, v: Term) -> Term:
        value = self.chain.values[p][str(v.data)]
        if not v.width:
            return v if value else negate(v)
        return equal(v, constant(value, v.width))

    def _valued(self, p: int, atom: Term, v: Term) -> Term:
        """An atom of one cell by its value, or by the widest bound around it that gives the atom."""
        exact = self._value(p, v)
        if not v.width or self._searches >= _SEARCHES or self.questions.is_over:
            self.coarse |= self.questions.is_over  # the value may be more than is needed
            return exact
        self._searches += 1
        point = range_of(exact, self._signed(exact))
        assert point is not None
        assert point.low is not None
        for up in (False, True):
            wide = self._widest(
                Range(v, point.low, None, point.signed) if up else Range(v, None, point.low, point.signed), atom, up
            )
            if wide is not None:
                return wide
        none = negate(equal(v, constant(0, v.width)))
        if point.low and self.questions.impossible(none, negate(atom), *facts(self.chain.path, (atom,))):
            return none
        return exact

    def _widest(self, r: Range, atom: Term, up: bool) -> Term | None:
        """The range with its only bound moved outwards as far as the atom allows; None when even the value itself does not bound it."""
        if not self._gives(r, atom):
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
            if tried == good or step > 1 << 40:
                return self._moved(r, good, up).atom()
            if self._gives(self._moved(r, tried, up), atom):
                good, step = tried, step * 2
            else:
                bad = tried
        while abs(bad - good) > 1:
            middle = (bad + good) // 2
            good, bad = (middle, bad) if self._gives(self._moved(r, middle, up), atom) else (good, middle)
        return self._moved(r, good, up).atom()

    def _moved(self, r: Range, bound: int, up: bool) -> Range:
        return Range(r.term, bound, None, r.signed) if up else Range(r.term, None, bound, r.signed)

    def _gives(self, r: Range, atom: Term) -> bool:
        return self.questions.impossible(r.atom(), negate(atom), *facts(self.chain.path, (atom,)))


def _products(atom: Term) -> int:
    """Operations that are hard for solvers and readers: products and quotients of cells."""
    return sum(t.op in _HARD and all(a.op not in ("const", "number") for a in t.args) for t in postorder((atom,)))


def _apart(atom: Term, ranges: dict[Term, Range]) -> Range | None:
    """The range of a cell with a value left out that stands at its edge or outside of it."""
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
        return Range(r.term, value + 1, r.high, r.signed)
    return Range(r.term, r.low, value - 1, r.signed) if value == r.high and not r.is_point else None
