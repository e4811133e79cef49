"""The smallest sets of statements whose change can avoid every one of several failures at once.

Each failing path is executed once more with a selector for every statement: where it is on, an assignment gives any value and a condition comes
out either way. Inputs are as found. Copies of a statement, in a loop or in another run, share their selector. Sets are enumerated by size, so
that each is minimal, and each is checked again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from butfor.encode.fold import Folding, folded
from butfor.encode.sorts import default_value
from butfor.encode.terms import (
    FALSE,
    TRUE,
    Term,
    binary,
    compare,
    conjunction,
    const,
    constant,
    disjunction,
    implies,
    ite,
    negate,
    select,
    store,
    variable,
    variables,
)
from butfor.path.model import Cell, Kind, Path
from butfor.path.names import UNKNOWN
from butfor.relevance.anyvalue import root_of
from butfor.solve import Limit, Stack, Verdict, default_stack
from butfor.trace.places import Place

LARGEST, MOST = 4, 24  # statements in a set, sets
_WIDTH = 16  # bits of the number of changes
_OPEN = "?"  # begins the names of values that nothing determines


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


class _Selectors:
    def __init__(self) -> None:
        self.by_place: dict[Place, Term] = {}

    def of(self, place: Place) -> Term:
        """The selector of a statement."""
        return self.by_place.setdefault(place, variable(f"on{len(self.by_place)}", 0))


class _Relaxed:
    """One path with selectors. `fails` is the condition that it still fails."""

    def __init__(self, path: Path, number: int, selectors: _Selectors) -> None:
        self.path = path
        self.number = number
        self.selectors = selectors
        self.now: dict[str, Term] = {c.name: self._first(k, c) for k, c in enumerate(path.cells)}
        self.guards: dict[int, Term] = {}
        self.required: list[Term] = []
        self.fails = self._run()

    def _first(self, number: int, cell: Cell) -> Term:
        if cell.type == UNKNOWN:
            return variable(f"{_OPEN}s{self.number}.{number}", cell.sort)
        found = self.path.initial.get(cell.name, self.path.start.get(cell.name, default_value(cell.sort)))
        return constant(found, cell.sort)

    def _run(self) -> Term:
        under_way: list[int] = []
        for k, instance in enumerate(self.path.instances):
            self._close(under_way, k)
            guard = self.guards[under_way[-1]] if under_way else TRUE
            condition = folded(instance.condition, self.now.get)
            if instance.kind is Kind.BRANCH:
                if not instance.trusted:
                    on = self.selectors.of(instance.place)
                    condition = ite(on, variable(f"c{self.number}.{k}", 0), condition)
                if instance.escapes or k in self.path.scope:
                    self.required.append(implies(guard, condition))
                self.guards[k] = conjunction((guard, condition))
                under_way.append(k)
                continue
            if condition is not TRUE:
                self.required.append(implies(guard, condition))
            self._assign(k, guard)
        self._close(under_way, len(self.path.instances))
        return conjunction((*self.required, negate(folded(self.path.check, self.now.get))))

    def _assign(self, k: int, guard: Term) -> None:
        instance = self.path.instances[k]
        new = {}
        for number, (cell, term) in enumerate(instance.writes):
            from_outside = term is None or cell.name in instance.inputs
            value = constant(instance.recorded[cell.name], cell.sort) if from_outside or term is None else folded(term, self.now.get)
            if not from_outside and not instance.trusted:
                value = ite(self.selectors.of(instance.place), self._any(f"r{self.number}.{k}.{number}", cell.term, term, value), value)
            new[cell.name] = value if guard is TRUE else ite(guard, value, self.now[cell.name])
        self.now.update(new)

    def _any(self, name: str, old: Term, term: Term | None, value: Term) -> Term:
        """Any value; of a map that the term writes into, only for the elements that it writes."""
        if term is None or term.op != "store" or root_of(term) is not old:
            return variable(name, value.width)
        below = folded(old, self.now.get) if term.args[0] is old else self._any(f"{name}.m", old, term.args[0], value)
        at, element = folded(term.args[1], self.now.get), folded(term.args[2], self.now.get)
        return store(below, at, self._any(f"{name}.e", select(old, term.args[1]), term.args[2], element))

    def _close(self, under_way: list[int], position: int) -> None:
        while under_way and self.path.instances[under_way[-1]].end <= position:
            branch = under_way.pop()
            taken, around = self.guards[branch], self.guards[under_way[-1]] if under_way else TRUE
            for number, cell in enumerate(self.path.instances[branch].frames):
                other = variable(f"{_OPEN}f{self.number}.{branch}.{number}", cell.sort)
                not_taken = conjunction((around, negate(taken)))
                self.now[cell.name] = ite(not_taken, other, self.now[cell.name])


class _Search:
    def __init__(self, paths: Sequence[Path], is_over: Callable[[], bool], each: float) -> None:
        self.selectors = _Selectors()
        self.fails = [_Relaxed(path, number, self.selectors).fails for number, path in enumerate(paths)]
        self.is_over = is_over
        self.each = each
        avoided = tuple(negate(f) for f in self.fails)
        used = {str(v.data) for v in variables(avoided)}
        self.places = {str(on.data): place for place, on in self.selectors.by_place.items() if str(on.data) in used}
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
    chosen = (v for v in variables((term,)) if not str(v.data).startswith(_OPEN))
    return {str(v.data): constant(model.get(str(v.data), default_value(v.width)), v.width) for v in chosen}
