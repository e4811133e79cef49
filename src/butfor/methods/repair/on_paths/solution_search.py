"""Solutions of a repair program, the cheapest first, by weighted MaxSMT; each is run along its paths before it counts.

What other arms do is not on a path. A solution holds whatever they do: where the solver finds something with which a failure comes back, that
is added to what solutions have to cope with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.solvers.maxsmt import Cheapest, Sum
from butfor.logic.solvers.solver import Layer
from butfor.logic.sorts import INT, Value, default_value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    compare,
    conjunction,
    const,
    constant,
    disjunction,
    implies,
    negate,
    number,
    order,
    postorder,
    variables,
)
from butfor.methods.repair.on_paths.changed_path import ChangedPathRunner, PathEnd, PathOutcome
from butfor.methods.repair.on_paths.repair_program import ChangeableStatement, Choice, RepairProgram
from butfor.methods.repair.on_paths.solution_model import (
    ANY_VALUE,
    HOLE_PREFIX,
    Alternative,
    MinedFacts,
    Solution,
    SolutionOptions,
    Solutions,
    StatementChange,
)
from butfor.path.execute.symbolic_execution import OPEN
from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place

_CHANGE, _UNLIKELY, _FREE = (
    200,
    2,
    90,
)  # costs: of a change (two are dearer than any one), of one weight less than the likeliest, of any value
_LIKELIEST = 30
_ROUNDS = 40  # of things that other arms may do
_SMALL = (0, 1, 2, 4, 16, 64, 256)  # chosen values are made as near to 0 as that
_MOST_CHOSEN = 6  # chosen values that are made small


def solutions(
    paths: Sequence[Path],
    alternatives: Mapping[Place, Sequence[Alternative]],
    is_over: Callable[[], bool],
    options: SolutionOptions | None = None,
    mined: MinedFacts | None = None,
    *,
    each: float = 5.0,
) -> Solutions:
    """The solutions for some failing paths: changes with which none of them fails."""
    return SolutionSearch(
        RepairProgram(paths, alternatives, options or SolutionOptions(), mined), is_over, each
    ).solutions()


def cost_of(a: Alternative) -> int:
    """What a change costs: likely slips are cheap."""
    return _CHANGE + (_FREE if a.kind == ANY_VALUE else 0) + round(_UNLIKELY * (_LIKELIEST - a.weight))


PickedChoices = Sequence[tuple[ChangeableStatement, Choice]]
"""What a solution changes, and how."""


@dataclass
class SolutionSearch:
    """The search on one repair program."""

    program: RepairProgram
    is_over: Callable[[], bool]
    each: float
    _stack: Stack = field(init=False)
    _blocked: list[Layer] = field(default_factory=list, init=False)
    _alike: dict[tuple[int, ...], int] = field(default_factory=dict, init=False)
    _ruled_out: list[Choice] = field(default_factory=list, init=False)
    _rounds: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.units = self.program.units
        self.choices = self.program.choices
        self.runners = tuple(
            ChangedPathRunner(path, self.program.checks[n]) for n, path in enumerate(self.program.paths)
        )

    def solutions(self) -> Solutions:
        """Solutions until there are no more, or enough, or the time is over."""
        options = self.program.options
        singles = list(self._run_singly()) if options.runs else []
        found = [solution for solution, _ in singles]
        if self.is_over():
            return Solutions(tuple(sorted(found, key=lambda s: s.key)[: options.most]), complete=False)
        self._load()
        self._blocked.append(tuple(implies(c.on, negate(self.count.at_most(1))) for c in self._ruled_out))
        for _, picked in singles:
            self._block(picked)
        complete = True
        while len(found) < options.most:
            result, _ = self.cheapest.best([self.base, *self._blocked], self._limit(), self.wanted)
            if result.verdict is not Verdict.SAT:
                complete = complete and result.verdict is Verdict.UNSAT
                break
            picked = [(u, c) for u in self.units for c in u.choices if result.model.get(str(c.on.data))]
            solution = self._checked(picked, result.model)
            if solution is not None:
                found.append(solution)
                self._block(picked)
            elif not self._learn(picked, result.model):
                complete = False
                self._blocked.append((disjunction(negate(c.on) for _, c in picked),))
        best = sorted(found, key=lambda s: s.key)[: options.most]
        return Solutions(tuple(best), complete and len(found) < options.most, len(self.units), len(self.choices))

    def _load(self) -> None:
        """Makes the formula; statements that do not matter for any failure are left out."""
        p = self.program
        used = {str(v.data) for v in variables(p.avoids)}
        idle = [negate(c.on) for c in p.choices if str(c.on.data) not in used]
        self.choices = tuple(c for c in p.choices if str(c.on.data) in used)
        self.units = tuple(u for u in p.units if any(str(c.on.data) in used for c in u.choices))
        hard = tuple(p.constraints())
        unbounded = any(t.width < 0 for t in postorder(hard))
        cost = Sum(f"{HOLE_PREFIX}cost", [(c.on, cost_of(c.alternative)) for c in self.choices], unbounded=unbounded)
        self.count = Sum(f"{HOLE_PREFIX}count", [(u.on, 1) for u in self.units], unbounded=unbounded)
        limit = [self.count.at_most(p.options.changes)] if p.options.changes else []
        self.base: Layer = (*hard, *idle, cost.definition(), self.count.definition(), *limit)
        self._stack = default_stack(only_bits=not unbounded)
        most = sorted((max(cost_of(c.alternative) for c in u.choices) for u in self.units), reverse=True)
        self.cheapest = Cheapest(self._stack, cost, sum(most[: p.options.changes or None]))
        self.wanted = tuple(v for v in variables(self.base) if not str(v.data).startswith(OPEN))

    def _run_singly(self) -> Iterator[tuple[Solution, PickedChoices]]:
        """The best solutions that change one statement and choose nothing, by running the paths; it is noted which changes are none."""
        most = self.program.options.alike or self.program.options.most
        for unit in self.units:
            found: list[tuple[Solution, PickedChoices]] = []
            for choice in unit.choices:
                picked = [(unit, choice)]
                if self.is_over() or _holes(picked):
                    continue
                outcomes = self._run(picked, {})
                ends = {o.end for o in outcomes}
                if ends == {PathEnd.AVOIDS}:
                    found.append((self._solution(picked, {}, outcomes), picked))
                elif ends & {PathEnd.FAILS, PathEnd.BROKEN}:
                    self._ruled_out.append(choice)
            yield from sorted(found, key=lambda pair: pair[0].key)[:most]

    # --- one solution -------------------------------------------------------------------------------------------------

    def _checked(self, picked: PickedChoices, model: Mapping[str, Value]) -> Solution | None:
        """The solution, if no path fails when it is run with it, whatever other arms do."""
        if not self._holds(picked, model):
            return None
        small = self._small(picked, model)
        values = small if self._holds(picked, small) else model
        return self._solution(picked, values, self._run(picked, values))

    def _solution(
        self, picked: PickedChoices, values: Mapping[str, Value], outcomes: Sequence[PathOutcome]
    ) -> Solution:
        skipped = sum(len(path.instances) - o.steps for path, o in zip(self.program.paths, outcomes, strict=True))
        return Solution(tuple(_changed(u, c, values) for u, c in picked), skipped, sum(u.in_loop for u, _ in picked))

    def _holds(self, picked: PickedChoices, model: Mapping[str, Value]) -> bool:
        """Whether runs avoid the failures; what they leave open is asked of a solver of its own."""
        ends = {o.end for o in self._run(picked, model)}
        if ends == {PathEnd.AVOIDS}:
            return True
        if not ends <= {PathEnd.AVOIDS, PathEnd.OPEN}:
            return False
        rest = self._fails(picked, model)
        return rest is FALSE or (
            rest is not TRUE and default_stack().check([(rest,)], self._limit()).verdict is Verdict.UNSAT
        )

    def _fails(self, picked: PickedChoices, model: Mapping[str, Value]) -> Term:
        """What other arms have to do so that not all failures are avoided by a solution."""
        on = {str(c.on.data) for _, c in picked}
        fixed = {str(c.on.data): constant(int(str(c.on.data) in on), 0) for c in self.program.choices}
        chosen = {
            str(v.data): constant(model.get(str(v.data), default_value(v.width)), v.width) for v in _holes(picked)
        }
        return negate(Substitution({**fixed, **chosen}, ALGEBRA)(conjunction(self.program.avoids)))

    def _run(self, picked: PickedChoices, model: Mapping[str, Value]) -> list[PathOutcome]:
        chosen = {str(v.data): model.get(str(v.data), default_value(v.width)) for v in _holes(picked)}
        outcomes = []
        for n, runner in enumerate(self.runners):
            changes = {
                site[1:]: term
                for unit, c in picked
                for site in unit.sites
                if site[0] == n and (term := c.alternative.terms.get(site)) is not None
            }
            outcomes.append(runner.run(changes, chosen, self.program.bounds(n, (u for u, _ in picked))))
        return outcomes

    def _small(self, picked: PickedChoices, model: Mapping[str, Value]) -> Mapping[str, Value]:
        """The chosen values, as small as can be where there are few of them."""
        holes = [v for v in _holes(picked) if v.width > 0 or v.width == INT]
        if not 0 < len(holes) <= _MOST_CHOSEN:
            return model
        on = {str(c.on.data) for _, c in picked}
        fixed: Layer = tuple(c.on if str(c.on.data) in on else negate(c.on) for c in self.choices)
        for bound in _SMALL:
            near: Layer = tuple(_within(v, bound) for v in holes)
            result = self._stack.check([self.base, *self._blocked, fixed, near], self._limit(), self.wanted)
            if result.verdict is Verdict.SAT:
                return result.model
            if result.verdict is Verdict.UNKNOWN:
                break
        return model

    # --- what comes next ----------------------------------------------------------------------------------------------

    def _block(self, picked: PickedChoices) -> None:
        """Rules out the same solution, where only minimal ones are wanted more than it, and all that change the same when there are enough."""
        options = self.program.options
        key = tuple(id(u) for u, _ in picked)
        self._alike[key] = self._alike.get(key, 0) + 1
        all_on = conjunction(u.on for u, _ in picked)
        is_enough = bool(options.alike) and self._alike[key] >= options.alike
        if is_enough:
            self._blocked.append(
                (
                    negate(all_on)
                    if options.minimal
                    else disjunction((negate(all_on), negate(self.count.at_most(len(picked))))),
                )
            )
            return
        self._blocked.append((disjunction(self._otherwise(picked)),))
        if options.minimal:
            vague = [c.on for u, _ in picked for c in u.choices if c.alternative.kind == ANY_VALUE]
            fewer = disjunction((negate(all_on), conjunction((self.count.at_most(len(picked)), *map(negate, vague)))))
            self._blocked.append((fewer,))

    def _otherwise(self, picked: PickedChoices) -> Iterator[Term]:
        on = {str(c.on.data) for _, c in picked}
        for c in self.choices:
            if str(c.on.data) in on:
                yield negate(c.on)
            elif not self.program.options.minimal:
                yield c.on

    def _learn(self, picked: PickedChoices, model: Mapping[str, Value]) -> bool:
        """Whether something was found that other arms may do with which the solution fails; solutions have to cope with it from now on."""
        self._rounds += 1
        if self._rounds > _ROUNDS:
            return False
        rest = self._fails(picked, model)
        if rest is FALSE:
            return False  # the solver and the run do not agree
        result = default_stack().check([(rest,)], self._limit(), variables((rest,)))
        if result.verdict is not Verdict.SAT:
            return False
        seen = {
            str(v.data): constant(result.model[str(v.data)], v.width)
            for v in variables((rest,))
            if str(v.data).startswith(OPEN)
        }
        if not seen:
            return False
        self._blocked.append((Substitution(seen, ALGEBRA)(conjunction(self.program.avoids)),))
        return True

    def _limit(self) -> Limit:
        return Limit.after(self.each, self.is_over)


def _holes(picked: PickedChoices) -> list[Term]:
    """The variables whose values a solution chooses."""
    terms = [t for _, c in picked for t in c.alternative.terms.values()]
    return [v for v in variables(terms) if str(v.data).startswith(HOLE_PREFIX)]


def _changed(unit: ChangeableStatement, c: Choice, model: Mapping[str, Value]) -> StatementChange:
    a = c.alternative
    values = {}
    for site in unit.sites if a.kind == ANY_VALUE else ():
        term = a.terms[site]
        if term.op == "var":
            values[site] = model.get(str(term.data), default_value(term.width))
    hole = None if a.hole is None else model.get(str(a.hole.data), default_value(a.hole.width))
    return StatementChange(unit.place, a, values, hole, unit.sites)


def _within(v: Term, bound: int) -> Term:
    """Whether a number is that near to 0."""
    if v.width == INT:
        return conjunction((order("le", number(-bound, INT), v), order("le", v, number(bound, INT))))
    if bound >= 1 << v.width - 1:
        return compare("eq", v, v)
    return conjunction((compare("sle", const(-bound, v.width), v), compare("sle", v, const(bound, v.width))))
