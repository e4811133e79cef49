"""The smallest sets of statements whose change can avoid every one of several failures at once.

Each failing path is executed once more (`relaxed.py`) with a selector for every statement: where it is on, an assignment gives any value and a
condition comes out either way. Copies of a statement, in a loop or in another run, share their selector. Sets are enumerated by size, so
that each is minimal, and each is checked again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from butfor.encode.fold import Folding
from butfor.encode.sorts import default_value
from butfor.encode.terms import FALSE, TRUE, Term, binary, compare, const, constant, disjunction, ite, negate, variable, variables
from butfor.path.model import Instance, Path
from butfor.relevance.relaxed import OPEN, Relaxed, State, any_value
from butfor.solve import Limit, Stack, Verdict, default_stack
from butfor.trace.places import Place

LARGEST, MOST = 4, 24  # statements in a set, sets
_WIDTH = 16  # bits of the number of changes


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Statements whose change together can avoid all failures. `proved`: whatever happens that the paths do not tell."""

    places: tuple[Place, ...]
    proved: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """The sets, smallest first; `complete`: there is no other of these sizes."""

    sets: tuple[ChangeSet, ...]
    largest: int
    complete: bool
    unavoidable: bool = False  # not even a change of all statements would help


def smallest_changes(paths: Sequence[Path], is_over: Callable[[], bool], *, most: int = MOST, largest: int = LARGEST, each: float = 5.0) -> Changes:
    """The sets for some failing paths."""
    return _Search(paths, is_over, each).changes(most, largest)


class _AnyValue:
    """Selectors shared by the copies of a statement: where one is on, the statement gives any value. The same for all paths."""

    def __init__(self, by_place: dict[Place, Term], number: int) -> None:
        self.by_place = by_place
        self.number = number

    def condition(self, k: int, instance: Instance, condition: Term, now: State, guard: Term) -> Term:
        del now, guard
        return ite(self._selector(instance.place), variable(f"c{self.number}.{k}", 0), condition)

    def value(self, k: int, number: int, instance: Instance, value: Term, now: State, guard: Term) -> Term:
        del guard
        cell, term = instance.writes[number]
        return ite(self._selector(instance.place), any_value(f"r{self.number}.{k}.{number}", cell.term, term, value, now), value)

    def _selector(self, place: Place) -> Term:
        return self.by_place.setdefault(place, variable(f"on{len(self.by_place)}", 0))


class _Search:
    def __init__(self, paths: Sequence[Path], is_over: Callable[[], bool], each: float) -> None:
        selectors: dict[Place, Term] = {}
        self.fails = [Relaxed(path, number, _AnyValue(selectors, number)).fails for number, path in enumerate(paths)]
        self.is_over = is_over
        self.each = each
        avoided = tuple(negate(f) for f in self.fails)
        used = {str(v.data) for v in variables(avoided)}
        self.places = {str(on.data): place for place, on in selectors.items() if str(on.data) in used}
        self.names = tuple(variable(name, 0) for name in self.places)
        self._base = (*avoided, *self._counting())
        self._stack: Stack = default_stack()

    def _counting(self) -> Iterator[Term]:
        """The number of selectors that are on, as a variable; sums of pairs, then of pairs of sums."""
        sums = [ite(on, const(1, _WIDTH), const(0, _WIDTH)) for on in self.names] or [const(0, _WIDTH)]
        while len(sums) > 1:
            sums = [binary("add", *sums[k : k + 2]) if k + 1 < len(sums) else sums[k] for k in range(0, len(sums), 2)]
        yield compare("eq", variable("count", _WIDTH), sums[0])

    def changes(self, most: int, largest: int) -> Changes:
        found: list[ChangeSet] = []
        blocked: list[Term] = []
        size, complete = 1, True
        first = self._stack.check([self._base], self._limit(), self.names)
        if first.verdict is not Verdict.SAT:
            return Changes((), 0, first.verdict is Verdict.UNSAT, unavoidable=first.verdict is Verdict.UNSAT)
        while size <= min(largest, len(self.names)) and complete:
            bounded = (compare("ule", variable("count", _WIDTH), const(size, _WIDTH)), *blocked)
            result = self._stack.check([self._base, bounded], self._limit(), self.names)
            if result.verdict is Verdict.UNSAT:
                if found and size >= len(found[0].places) + 1:
                    break
                size += 1
            elif result.verdict is Verdict.SAT:
                chosen = [v for v in self.names if result.model.get(str(v.data))]
                found.append(self._checked(chosen))
                blocked.append(disjunction(map(negate, chosen)))
                complete = len(found) < most
            else:
                complete = False
        found.sort(key=lambda s: (len(s.places), not s.proved))
        return Changes(tuple(found), size, complete)

    def _checked(self, chosen: Sequence[Term]) -> ChangeSet:
        """A set with the word on it: with all other statements as they are, values exist that avoid each failure, also when open ones are any."""
        on = {str(v.data) for v in chosen}
        fold = Folding({name: TRUE if name in on else FALSE for name in self.places})
        proved = all(self._avoids(fold(f)) for f in self.fails)
        return ChangeSet(tuple(self.places[str(v.data)] for v in chosen), proved)

    def _avoids(self, fails: Term) -> bool:
        """Whether values exist with which a path does not fail, whatever nothing determines."""
        avoided = negate(fails)
        result = default_stack().check([(avoided,)], self._limit(), variables((avoided,)))
        if result.verdict is not Verdict.SAT:
            return False
        rest = Folding(_constants(avoided, result.model))(fails)
        return rest is FALSE or (rest is not TRUE and default_stack().check([(rest,)], self._limit()).verdict is Verdict.UNSAT)

    def _limit(self) -> Limit:
        return Limit.after(self.each, self.is_over)


def _constants(term: Term, model: Mapping[str, object]) -> dict[str, Term]:
    chosen = (v for v in variables((term,)) if not str(v.data).startswith(OPEN))
    return {str(v.data): constant(model.get(str(v.data), default_value(v.width)), v.width) for v in chosen}
