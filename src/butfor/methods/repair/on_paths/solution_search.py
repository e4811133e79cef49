"""Solutions of a repair program, the cheapest first, by weighted MaxSMT, checked by running paths.

A solution holds whatever values are that nothing determines: where the solver finds some with which a failure comes
back, further solutions have to avoid the failure with these too. Whether it helps the whole program is judged by
`accepts`, if that is given: solutions that it rejects are left out, and do not count.
"""

from __future__ import annotations

from collections import Counter
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
    equal,
    implies,
    negate,
    number,
    order,
    postorder,
    variables,
)
from butfor.methods.proofs.mined_facts import MinedFacts
from butfor.methods.repair.on_paths.changed_path import ChangedPathRunner, PathEnd, PathOutcome
from butfor.methods.repair.on_paths.repair_program import ChangeableStatement, Choice, RepairProgram
from butfor.methods.repair.on_paths.solution_model import (
    ANY_VALUE,
    HOLE_PREFIX,
    Alternative,
    Solution,
    SolutionOptions,
    Solutions,
    StatementChange,
)
from butfor.methods.repair.slip_library import MAX_WEIGHT
from butfor.path.execute.value_domains import OPEN
from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place

COST_OF_CHANGE = 200  # two changes are dearer than any single one
COST_PER_WEIGHT = 2  # below the likeliest
COST_OF_ANY_VALUE = 90
MAX_SOLVED_INSTANCES = 1_500  # of all paths: for longer ones the solver rarely answers in time
MAX_REFINEMENTS = 40  # by undetermined values: each takes a query
SMALL_BOUNDS = (0, 1, 2, 4, 16, 64, 256)  # of chosen values, which are made as small as possible for people
MAX_MINIMISED_HOLES = 6  # with more, the queries take too long
MAX_REJECTED_VALUES = 8  # of one change: where so many do not help the program, others rarely do
SECONDS_PER_QUERY = 5.0

Accepts = Callable[[Solution], Solution | None]  # the solution with what the program does, None if it does not help


def solutions(
    paths: Sequence[Path],
    alternatives: Mapping[Place, Sequence[Alternative]],
    is_over: Callable[[], bool],
    options: SolutionOptions | None = None,
    mined: MinedFacts | None = None,
    *,
    each: float = SECONDS_PER_QUERY,
    accepts: Accepts = lambda solution: solution,
) -> Solutions:
    """The solutions for some failing paths: changes with which none of them fails."""
    return SolutionSearch(
        RepairProgram(paths, alternatives, options or SolutionOptions(), mined), is_over, each, accepts
    ).solutions()


def is_only_run(paths: Sequence[Path]) -> bool:
    """Whether paths are so long that only changes of single statements are tried, by running the paths."""
    return sum(len(path.instances) for path in paths) > MAX_SOLVED_INSTANCES


def cost_of(a: Alternative) -> int:
    """What a change costs: likely slips are cheap."""
    return (
        COST_OF_CHANGE
        + (COST_OF_ANY_VALUE if a.kind == ANY_VALUE else 0)
        + round(COST_PER_WEIGHT * (MAX_WEIGHT - a.weight))
    )


PickedChoices = Sequence[tuple[ChangeableStatement, Choice]]  # what a solution changes, and how


@dataclass
class SolutionSearch:
    """The search on one repair program."""

    program: RepairProgram
    is_over: Callable[[], bool]
    each: float
    accepts: Accepts
    _stack: Stack = field(init=False)
    _blocked: list[Layer] = field(default_factory=list, init=False)
    _alike: dict[tuple[int, ...], int] = field(default_factory=dict, init=False)
    _ruled_out: list[Choice] = field(default_factory=list, init=False)
    _rejected: dict[tuple[str, ...], int] = field(default_factory=dict, init=False)
    _refinements: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.statements = self.program.statements
        self.choices = self.program.choices
        self.runners = tuple(
            ChangedPathRunner(path, self.program.checks[n]) for n, path in enumerate(self.program.paths)
        )

    def solutions(self) -> Solutions:
        """The solutions, until there are no more, or enough, or the time is over."""
        options = self.program.options
        singles = list(self._single_changes()) if options.runs else []
        found = [solution for solution, _ in singles]
        if self.is_over() or is_only_run(self.program.paths):
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
            picked = [(u, c) for u in self.statements for c in u.choices if result.model.get(str(c.on.data))]
            model = self._model(picked, result.model)
            solution = None if model is None else self._solution(picked, model, self._run(picked, model))
            accepted = None if solution is None else self.accepts(solution)
            if accepted is not None:
                found.append(accepted)
                self._block(picked)
            elif solution is not None:
                complete = self._reject(picked, model or {}) and complete
            elif not self._refine(picked, result.model):
                complete = False
                self._blocked.append((disjunction(negate(c.on) for _, c in picked),))
        best = sorted(found, key=lambda s: s.key)[: options.most]
        return Solutions(tuple(best), complete and len(found) < options.most)

    def _load(self) -> None:
        """Make the formula, without the statements that matter for no failure."""
        p = self.program
        used = {str(v.data) for v in variables(p.avoids)}
        idle = [negate(c.on) for c in p.choices if str(c.on.data) not in used]
        self.choices = tuple(c for c in p.choices if str(c.on.data) in used)
        self.statements = tuple(u for u in p.statements if any(str(c.on.data) in used for c in u.choices))
        hard = tuple(p.constraints())
        unbounded = any(t.width < 0 for t in postorder(hard))
        cost = Sum(f"{HOLE_PREFIX}cost", [(c.on, cost_of(c.alternative)) for c in self.choices], unbounded=unbounded)
        self.count = Sum(f"{HOLE_PREFIX}count", [(u.on, 1) for u in self.statements], unbounded=unbounded)
        limit = [self.count.at_most(p.options.changes)] if p.options.changes else []
        self.base: Layer = (*hard, *idle, cost.definition(), self.count.definition(), *limit)
        self._stack = default_stack(only_bits=not unbounded)
        most = sorted((max(cost_of(c.alternative) for c in u.choices) for u in self.statements), reverse=True)
        self.cheapest = Cheapest(self._stack, cost, sum(most[: p.options.changes or None]))
        self.wanted = tuple(v for v in variables(self.base) if not str(v.data).startswith(OPEN))

    def _single_changes(self) -> Iterator[tuple[Solution, PickedChoices]]:
        """The best solutions that change one statement and have no holes, by running the paths; note the others.

        Those that leave the paths elsewhere count on their own: the program may refute all that leave at one place.
        """
        most = self.program.options.alike or self.program.options.most
        for statement in self.statements:
            found: list[tuple[Solution, PickedChoices]] = []
            for choice in statement.choices:
                picked = [(statement, choice)]
                if self.is_over() or _holes(picked):
                    continue
                outcomes = self._run(picked, {})
                ends = {o.end for o in outcomes}
                if ends == {PathEnd.AVOIDS}:
                    solution = self.accepts(self._solution(picked, {}, outcomes))
                    if solution is None:
                        self._ruled_out.append(choice)
                    else:
                        found.append((solution, picked))
                elif ends & {PathEnd.FAILS, PathEnd.BROKEN}:
                    self._ruled_out.append(choice)
            kept: Counter[tuple[int | None, ...]] = Counter()
            for solution, choices in sorted(found, key=lambda pair: pair[0].key):
                kept[solution.left] += 1
                if kept[solution.left] <= most:
                    yield solution, choices

    # --- one solution -------------------------------------------------------------------------------------------------

    def _model(self, picked: PickedChoices, model: Mapping[str, Value]) -> Mapping[str, Value] | None:
        """The model with small values, if no path fails when run with it, whatever undetermined values are."""
        if not self._holds(picked, model):
            return None
        small = self._with_small_values(picked, model)
        return small if self._holds(picked, small) else model

    def _solution(
        self, picked: PickedChoices, values: Mapping[str, Value], outcomes: Sequence[PathOutcome]
    ) -> Solution:
        skipped = sum(len(path.instances) - o.steps for path, o in zip(self.program.paths, outcomes, strict=True))
        left = tuple(o.steps - 1 if o.left else None for o in outcomes)
        changes = tuple(_changed(u, c, values) for u, c in picked)
        return Solution(changes, skipped, sum(u.in_loop for u, _ in picked), left)

    def _holds(self, picked: PickedChoices, model: Mapping[str, Value]) -> bool:
        """Whether runs avoid the failures; a solver decides what they leave open."""
        ends = {o.end for o in self._run(picked, model)}
        if ends == {PathEnd.AVOIDS}:
            return True
        if not ends <= {PathEnd.AVOIDS, PathEnd.OPEN}:
            return False
        rest = self._failure_condition(picked, model)
        return rest is FALSE or (
            rest is not TRUE and default_stack().check([(rest,)], self._limit()).verdict is Verdict.UNSAT
        )

    def _failure_condition(self, picked: PickedChoices, model: Mapping[str, Value]) -> Term:
        """The condition on undetermined values under which a solution does not avoid all failures."""
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
                for statement, c in picked
                for site in statement.sites
                if site[0] == n and (term := c.alternative.terms.get(site)) is not None
            }
            outcomes.append(runner.run(changes, chosen, self.program.bounds(n, (u for u, _ in picked))))
        return outcomes

    def _with_small_values(self, picked: PickedChoices, model: Mapping[str, Value]) -> Mapping[str, Value]:
        """The model with values of the holes as small as possible, where there are few of them."""
        holes = [v for v in _holes(picked) if v.width > 0 or v.width == INT]
        if not 0 < len(holes) <= MAX_MINIMISED_HOLES:
            return model
        on = {str(c.on.data) for _, c in picked}
        fixed: Layer = tuple(c.on if str(c.on.data) in on else negate(c.on) for c in self.choices)
        for bound in SMALL_BOUNDS:
            near: Layer = tuple(_within(v, bound) for v in holes)
            result = self._stack.check([self.base, *self._blocked, fixed, near], self._limit(), self.wanted)
            if result.verdict is Verdict.SAT:
                return result.model
            if result.verdict is Verdict.UNKNOWN:
                break
        return model

    # --- the next solution --------------------------------------------------------------------------------------------

    def _block(self, picked: PickedChoices) -> None:
        """Rule out a solution, larger ones if only minimal ones are wanted, and similar ones once there are enough."""
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
        self._blocked.append((disjunction(self._differs_from(picked)),))
        if options.minimal:
            vague = [c.on for u, _ in picked for c in u.choices if c.alternative.kind == ANY_VALUE]
            fewer = disjunction((negate(all_on), conjunction((self.count.at_most(len(picked)), *map(negate, vague)))))
            self._blocked.append((fewer,))

    def _reject(self, picked: PickedChoices, model: Mapping[str, Value]) -> bool:
        """Rule out a solution that does not help the program, for these values or for good; whether that is exact."""
        key = tuple(str(c.on.data) for _, c in picked)
        self._rejected[key] = self._rejected.get(key, 0) + 1
        holes = _holes(picked)
        is_given_up = self._rejected[key] > MAX_REJECTED_VALUES
        others = [
            negate(equal(v, constant(model.get(str(v.data), default_value(v.width)), v.width)))
            for v in holes
            if not is_given_up
        ]
        self._blocked.append((disjunction((*(negate(c.on) for _, c in picked), *others)),))
        return not (holes and is_given_up)

    def _differs_from(self, picked: PickedChoices) -> Iterator[Term]:
        on = {str(c.on.data) for _, c in picked}
        for c in self.choices:
            if str(c.on.data) in on:
                yield negate(c.on)
            elif not self.program.options.minimal:
                yield c.on

    def _refine(self, picked: PickedChoices, model: Mapping[str, Value]) -> bool:
        """Whether undetermined values make the solution fail; later solutions have to avoid the failure with them."""
        self._refinements += 1
        if self._refinements > MAX_REFINEMENTS:
            return False
        rest = self._failure_condition(picked, model)
        if rest is FALSE:
            return False  # the solver and the run disagree
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
    """The holes of a solution: variables whose values it chooses."""
    terms = [t for _, c in picked for t in c.alternative.terms.values()]
    return [v for v in variables(terms) if str(v.data).startswith(HOLE_PREFIX)]


def _changed(statement: ChangeableStatement, c: Choice, model: Mapping[str, Value]) -> StatementChange:
    a = c.alternative
    values = {}
    for site in statement.sites if a.kind == ANY_VALUE else ():
        term = a.terms[site]
        if term.op == "var":
            values[site] = model.get(str(term.data), default_value(term.width))
    hole = None if a.hole is None else model.get(str(a.hole.data), default_value(a.hole.width))
    return StatementChange(statement.place, a, values, hole)


def _within(v: Term, bound: int) -> Term:
    """The condition that a number is that near to 0."""
    if v.width == INT:
        return conjunction((order("le", number(-bound, INT), v), order("le", v, number(bound, INT))))
    if bound >= 1 << v.width - 1:
        return compare("eq", v, v)
    return conjunction((compare("sle", const(-bound, v.width), v), compare("sle", v, const(bound, v.width))))
