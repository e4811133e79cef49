"""The smallest sets of statements whose change can avoid every one of several failures at once.

Inputs are as found. Copies of a statement, in a loop or in another run, are changed together. Statements that suffice
alone are found one by one; sets of several are then found among the rest by a solver, on the paths with a selector for
every statement. Sets are enumerated by size, so that each is minimal, and each is checked again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.solvers.maxsmt import Sum
from butfor.logic.sorts import Sort, default_value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    constant,
    disjunction,
    negate,
    store,
    variable,
    variables,
)
from butfor.path.changed_runs import ChangedRuns, PathEdit, RunVerdict
from butfor.path.execute.confirmed_changes import Confirmation, Trial, edits_of
from butfor.path.execute.relaxed_path import Selectors, with_selectors
from butfor.path.execute.single_change import Avoidance, ChangeVerdict, can_avoid
from butfor.path.execute.single_change_rerun import SingleChangeRerun
from butfor.path.execute.statement_changes import Change, ChangeKind, plain_changes
from butfor.path.execute.value_domains import OPEN
from butfor.path.forced_failure import fails_with_any_inputs
from butfor.path.path_model import Cell, Kind, Path, pinned
from butfor.trace.view.source_places import Place

MAX_STATEMENTS_PER_SET = 4  # nobody changes more at once to mend one failure
MAX_SETS = 24  # of several statements; nobody reads more
COUNT_BITS = 16  # of the number of changes: no path has as many statements
MAX_NAMED_SETS = 7  # in a sentence; the others are counted
Possible = Sequence[Mapping[Place, Change]]  # per path


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Statements whose change together can avoid all failures.

    `proved`: whatever the open variables are, and no part of the set can, not even by an access that goes elsewhere.
    `run` says what became of the failures when the programs were run with such changes, `edits` with which, per path.
    """

    places: tuple[Place, ...]
    proved: bool
    how: ChangeKind = ChangeKind.VALUE
    run: RunVerdict = RunVerdict.UNKNOWN
    edits: Mapping[int, tuple[PathEdit, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """The sets, smallest first: all that have up to `largest` statements.

    `complete`: all sets of the smallest size are among them.
    """

    sets: tuple[ChangeSet, ...]
    largest: int
    complete: bool
    unavoidable: bool = False  # not even a change of all statements would help


def smallest_change_sets(
    paths: Sequence[Path],
    is_over: Callable[[], bool],
    *,
    most: int = MAX_SETS,
    largest: int = MAX_STATEMENTS_PER_SET,
    each: float = 5.0,
    possible: Possible | None = None,
    wider: Possible = (),
    runs: Sequence[ChangedRuns | None] = (),
) -> ChangeSets:
    """The sets for some failing paths.

    `wider`: changes that are tried for statements whose possible ones do not suffice alone. `runs`: what runs the
    program of each path again; sets with which it fails, whatever is tried, are left out.
    """
    known = [plain_changes(path) for path in paths] if possible is None else possible
    confirmation = Confirmation(paths, runs, is_over) if runs else None
    singles, sure = _singles(
        paths, known, wider, lambda: Limit.after(each, is_over), Limit.after(each, is_over), confirmation
    )
    used = {s.places[0] for s in singles}
    rest = [{place: c for place, c in changes.items() if place not in used} for changes in known]
    if singles and not sure:
        return ChangeSets(tuple(singles), 0, complete=False)
    if singles and largest == 1:
        return ChangeSets(tuple(singles), 1, complete=True)
    limit = Limit.after(each, is_over) if singles else None  # larger sets say little then
    return _Search(paths, rest, is_over, each, limit, confirmation).changes(singles, most, largest)


def _singles(
    paths: Sequence[Path],
    known: Possible,
    wider: Possible,
    limit: Callable[[], Limit],
    proving: Limit,
    confirmation: Confirmation | None,
) -> tuple[list[ChangeSet], bool]:
    """The statements that suffice alone, the likeliest first, and whether each of them surely does.

    A statement of which nothing is known is among them, one with which runs fail is not.
    """
    tables = [known, *([[{**w} for w in wider]] if wider else [])]
    reruns = {k: SingleChangeRerun(path) for k, path in enumerate(paths)}
    order = sorted(reruns, key=lambda k: len(paths[k].instances))
    places = dict.fromkeys(place for table in tables for place in table[0])
    left = [p for p in places if all(any(p in table[k] for table in tables) for k in order)]
    found: dict[Place, tuple[Avoidance, ChangeKind]] = dict.fromkeys(left, (Avoidance.PROVED, ChangeKind.VALUE))
    only_by_run: set[Place] = set()  # the path says that they cannot, but does not follow all that they do
    sure = True
    trials = {place: Trial([()] * len(paths), [()] * len(paths)) for place in left}
    for k in order:
        for place in [p for p in left if p in found]:
            change, told = _alone(reruns[k], [table[k][place] for table in tables if place in table[k]], limit, proving)
            verdict, how = told.avoidance, change.how
            trials[place].changes[k], trials[place].likely[k] = (change,), edits_of(paths[k], change, told.values)
            sure = sure and verdict is not Avoidance.UNKNOWN
            if verdict is Avoidance.NO and (confirmation is None or place not in paths[k].unsure):
                del found[place]
                continue
            if verdict is Avoidance.NO:
                only_by_run.add(place)
            before, least = found[place]
            weaker = before if verdict is Avoidance.PROVED else Avoidance.POSSIBLE
            found[place] = weaker, max(least, how, key=lambda h: h.order)
    last = _last_positions(paths[0])
    if confirmation is not None:
        confirmation.confirm([trials[p] for p in found])
    sets = [
        ChangeSet((p,), verdict is Avoidance.PROVED, how, trials[p].verdict, trials[p].avoided_by)
        for p, (verdict, how) in found.items()
        if trials[p].verdict is not RunVerdict.FAILED
        and (p not in only_by_run or trials[p].verdict is RunVerdict.AVOIDED)
    ]
    return sorted(
        sets,
        key=lambda s: (
            s.how.order >= ChangeKind.INPUT.order,
            s.run is not RunVerdict.AVOIDED,
            not s.proved,
            s.how.order,
            -last.get(s.places[0], -1),
        ),
    ), sure


def _alone(
    rerun: SingleChangeRerun, changes: Sequence[Change], limit: Callable[[], Limit], proving: Limit
) -> tuple[Change, ChangeVerdict]:
    """The first of some ever wider changes that can avoid the failure, or else the last, and the verdict on it.

    Only plain changes count as proved.
    """
    doubt = False
    for change in changes:
        verdict = can_avoid(rerun, change, limit(), proving)
        doubt = doubt or verdict.avoidance is Avoidance.UNKNOWN
        if verdict.avoidance.can:
            is_plain = change.how.order < ChangeKind.INPUT.order
            return change, verdict if is_plain else ChangeVerdict(Avoidance.POSSIBLE, verdict.values)
    return changes[-1], ChangeVerdict(Avoidance.UNKNOWN if doubt else Avoidance.NO)


def _last_positions(path: Path) -> dict[Place, int]:
    return {instance.place: k for k, instance in enumerate(path.instances)}


class _Search:
    """Sets of several statements."""

    def __init__(
        self,
        paths: Sequence[Path],
        possible: Possible,
        is_over: Callable[[], bool],
        each: float,
        limit: Limit | None,
        confirmation: Confirmation | None,
    ) -> None:
        self.paths = paths
        self.possible = possible
        self.confirmation = confirmation
        self.selectors = Selectors()
        relaxed = [
            with_selectors(path, number, possible[number].values(), self.selectors) for number, path in enumerate(paths)
        ]
        self.fails = [r.fails for r in relaxed]
        self.surely_fails = [r.surely_fails for r in relaxed]
        self.is_over = is_over
        self.each = each
        self._in_all = limit
        avoided = tuple(negate(f) for f in self.fails)
        used = {str(v.data) for v in variables(avoided)}
        self.places = {str(on.data): place for place, on in self.selectors.by_place.items() if str(on.data) in used}
        self.names = tuple(variable(name, 0) for name in self.places)
        self._count = Sum("count", [(on, 1) for on in self.names], bits=COUNT_BITS)
        self._base = (*avoided, self._count.definition())
        self._stack: Stack = default_stack()

    def changes(self, singles: Sequence[ChangeSet], most: int, largest: int) -> ChangeSets:
        """All sets: those of one statement, which are known, and those of several."""
        found: list[ChangeSet] = []
        blocked: list[Term] = []
        first = self._stack.check([self._base], self._limit(), self.names)
        if first.verdict is not Verdict.SAT:
            is_none = first.verdict is Verdict.UNSAT
            return ChangeSets(
                tuple(singles),
                MAX_STATEMENTS_PER_SET if is_none else 1,
                is_none or bool(singles),
                unavoidable=is_none and not singles and not any(path.unsure for path in self.paths),
            )
        size, least, cut = 2, 1 if singles else 0, False
        while size <= min(largest, len(self.names), least + 1 if least else largest) and not cut:
            bounded = (self._count.at_most(size), *blocked)
            result = self._stack.check([self._base, bounded], self._limit(), self.names)
            if result.verdict is Verdict.UNSAT:
                size += 1
            elif result.verdict is Verdict.SAT:
                chosen = [v for v in self.names if result.model.get(str(v.data))]
                checked = self._checked(chosen)
                found += [checked] if checked.run is not RunVerdict.FAILED else []
                least = least or len(chosen)
                blocked.append(disjunction(map(negate, chosen)))
                cut = len(found) >= most
            else:
                cut = True
        found.sort(key=lambda s: (len(s.places), s.run is not RunVerdict.AVOIDED, not s.proved))
        return ChangeSets((*singles, *found), size - 1, not cut or size - 1 >= least > 0)

    def _checked(self, chosen: Sequence[Term]) -> ChangeSet:
        """The set, proved when values exist that avoid each failure, whatever the open variables are.

        All other statements are as they are.
        """
        fold = self._with(chosen)
        answers = [self._avoids(fold(f)) for f in self.fails]
        places = tuple(self.places[str(v.data)] for v in chosen)
        trial = Trial(
            [[changes[p] for p in places if p in changes] for changes in self.possible],
            [self._edits(number, places, values) for number, (_, values) in enumerate(answers)],
        )
        if self.confirmation is not None:
            self.confirmation.confirm([trial])
        is_sure = not any(p in path.unsure for path in self.paths for p in places)
        is_proved = all(proved for proved, _ in answers) and is_sure and self._is_minimal(chosen)
        return ChangeSet(places, is_proved, run=trial.verdict, edits=trial.avoided_by)

    def _with(self, chosen: Collection[Term]) -> Substitution:
        """What is left of a term when just the chosen statements are changed."""
        on = {str(v.data) for v in chosen}
        return Substitution({name: TRUE if name in on else FALSE for name in self.places}, ALGEBRA)

    def _is_minimal(self, chosen: Sequence[Term]) -> bool:
        """Whether some failure surely remains when one of the changes is left out; smaller parts can do no more.

        A path says nothing of statements that are not on it: with other values elsewhere the failure may need them.
        """
        return all(
            any(
                self._is_certain(self._with(part)(self.surely_fails[number])) and self._agrees(number, part)
                for number, possible in enumerate(self.possible)
                if all(self.places[str(v.data)] in possible for v in part)
            )
            for part in combinations(chosen, len(chosen) - 1)
        )

    def _agrees(self, number: int, part: Collection[Term]) -> bool:
        """Whether a solver that is given the statements of a path agrees that it fails whatever these ones do."""
        changes = [self.possible[number][self.places[str(v.data)]] for v in part]
        return fails_with_any_inputs(_with_any_values(self.paths[number], changes), self._limit())

    def _is_certain(self, fails: Term) -> bool:
        if fails is TRUE or fails is FALSE:
            return fails is TRUE
        return default_stack().check([(negate(fails),)], self._limit()).verdict is Verdict.UNSAT

    def _edits(self, number: int, places: Sequence[Place], values: Mapping[str, object]) -> tuple[PathEdit, ...]:
        """The edits of a run that changes some statements so."""
        path, changes = self.paths[number], self.possible[number]
        parts = [edits_of(path, changes[p], values, f"{number}.") for p in places if p in changes]
        return tuple(e for part in parts for e in part) if all(parts) else ()

    def _avoids(self, fails: Term) -> tuple[bool, Mapping[str, object]]:
        """Whether values exist with which a path does not fail, whatever the open variables are; and some of them."""
        avoided = negate(fails)
        result = default_stack().check([(avoided,)], self._limit(), variables((avoided,)))
        if result.verdict is not Verdict.SAT:
            return False, {}
        rest = Substitution(_constants(avoided, result.model), ALGEBRA)(fails)
        is_proved = rest is FALSE or (
            rest is not TRUE and default_stack().check([(rest,)], self._limit()).verdict is Verdict.UNSAT
        )
        return is_proved, result.model

    def _limit(self) -> Limit:
        return self._in_all or Limit.after(self.each, self.is_over)


def _with_any_values(path: Path, changes: Collection[Change]) -> Path:
    """A path with its inputs as found, on which changed statements give any values and decide either way."""
    on = frozenset(k for change in changes for k in change.on)
    starts = frozenset(name for change in changes for name in change.starts)
    fixed = pinned(path)
    instances = list(fixed.instances)
    open_cells: list[Cell] = []

    def any_value(name: str, sort: Sort) -> Term:
        open_cells.append(Cell(f"{OPEN}{name}", sort, ""))
        return variable(f"{OPEN}{name}", sort)

    for k in on:
        was = instances[k]
        writes = tuple(
            (cell, _with_any_element(value, partial(any_value, f"e{k}.{number}")))
            for number, (cell, value) in enumerate(was.writes)
        )
        condition = any_value(f"c{k}", 0) if was.kind is Kind.BRANCH else was.condition
        instances[k] = replace(was, writes=writes, condition=condition)
    return replace(
        fixed,
        cells=(*path.cells, *open_cells),
        instances=tuple(instances),
        start={name: value for name, value in fixed.start.items() if name not in starts},
        initial={name: value for name, value in fixed.initial.items() if name not in starts},
    )


def _with_any_element(value: Term | None, any_value: Callable[[Sort], Term]) -> Term | None:
    """What an assignment of any value writes: of a map, only the element that is assigned is any value."""
    if value is None or value.op != "store":
        return None
    whole, index, element = value.args
    return store(whole, index, any_value(element.width))


def _constants(term: Term, model: Mapping[str, object]) -> dict[str, Term]:
    chosen = (v for v in variables((term,)) if not str(v.data).startswith(OPEN))
    return {str(v.data): constant(model.get(str(v.data), default_value(v.width)), v.width) for v in chosen}


# --- in words ---------------------------------------------------------------------------------------------------------


def sets_in_words(sets: Sequence[ChangeSet]) -> str:
    """Change sets as alternatives, each with its statements."""
    return "; or ".join(" and ".join(f"line {p.line} (`{p.text}`)" for p in s.places) for s in sets)


def smallest_in_words(found: ChangeSets) -> str:
    """The sets of the smallest size, as a sentence."""
    size = len(found.sets[0].places)
    sets = [s for s in found.sets if len(s.places) == size]
    more = f"; {len(sets) - MAX_NAMED_SETS} more" if len(sets) > MAX_NAMED_SETS else ""
    return f"{size} statements would have to change together: {sets_in_words(sets[:MAX_NAMED_SETS])}{more}"
