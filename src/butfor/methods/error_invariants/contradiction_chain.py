"""The steps of a formula that its contradiction needs, with the states between them: what interpolants are computed on.

Position p stands before step p; behind the last step stands the check. An error invariant at a position follows from what comes before it, and
what comes after it contradicts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.logic.rewrite import Substitution
from butfor.logic.selector_problem import Problem
from butfor.logic.solvers import Limit, Solver, Verdict
from butfor.logic.sorts import Value
from butfor.logic.terms import TRUE, Evaluator, Term, conjunction, implies, negate, variables
from butfor.methods.error_invariants.step_actions import Action, action_of, chosen, guard_of, is_flag
from butfor.path.defined_arithmetic import facts
from butfor.path.instance_uses import terms_of, values_before
from butfor.path.path_formula import Formula, Step, flow_sensitive, plain, versioned
from butfor.path.path_model import Kind, Path


@dataclass(frozen=True)
class Chain:
    """A contradiction along a path. `goal` is what cannot hold at the end, over cells and flags; `minimal`: no step can be left out."""

    path: Path
    steps: tuple[Step, ...]
    pre: Term  # over versions
    goal: Term  # over cells
    end: Mapping[str, Term]  # the versions of cells behind the last step
    flow: bool
    minimal: bool = True
    length: int = 0  # the instances before the goal

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What each step does."""
        return tuple(action_of(self.path, s, self.flow) for s in self.steps)

    @cached_property
    def _puts(self) -> tuple[Substitution, ...]:
        return tuple(Substitution(self.versions(p)) for p in range(len(self) + 1))

    def versions(self, position: int) -> Mapping[str, Term]:
        """The versions of cells at a position."""
        return self.steps[position].before if position < len(self) else self.end

    def put(self, term: Term, position: int) -> Term:
        """A term over cells as one over their versions at a position."""
        return self._puts[position](term)

    @cached_property
    def check(self) -> Term:
        """The goal over versions."""
        return self.put(self.goal, len(self))

    @cached_property
    def values(self) -> tuple[Mapping[str, Value], ...]:
        """What the run held at each position."""
        states = values_before(self.path)
        positions = [s.position for s in self.steps]
        return tuple(states[k] for k in (*positions, self.length))

    @cached_property
    def _needed(self) -> frozenset[str]:
        """The flags that some step or the goal asks for."""
        terms = [t for s in self.steps for t in s.terms]
        return frozenset(str(v.data) for v in variables((*terms, self.check)) if is_flag(v))

    @cached_property
    def _links(self) -> tuple[tuple[Term, ...], ...]:
        rows = []
        for p in range(len(self) + 1):
            now = self.versions(p)
            found: list[Term] = []
            for s in self.steps[:p]:
                if self.is_branch(s) and not s.is_frame and self._is_current(s, now) and self._is_open(s, p):
                    found += s.terms
            rows.append(tuple(found))
        return tuple(rows)

    def is_branch(self, step: Step) -> bool:
        """Whether a step sets flags."""
        return self.flow and self.path.instances[step.position].kind is Kind.BRANCH

    def _is_open(self, step: Step, position: int) -> bool:
        at = self.steps[position].position if position < len(self) else self.length
        return at < self.path.instances[step.position].end or (
            position == len(self) and step.position in self.path.scope
        )

    def _is_current(self, step: Step, now: Mapping[str, Term]) -> bool:
        names = [str(v.data) for v in variables((self.path.instances[step.position].condition,))]
        return all(now[n] is step.before[n] for n in names)

    def links(self, position: int) -> tuple[Term, ...]:
        """What flags mean at a position, as far as the cells of their conditions are as they were when it was decided; over versions."""
        return self._links[position]

    def meaning(self, flag: Term, position: int) -> Term | None:
        """What a flag says about the cells at a position; None when those have changed since."""
        branch = int(str(flag.data).split(" ")[1])
        for s in self.steps[:position]:
            if s.position == branch and not s.is_frame:
                if not self._is_current(s, self.versions(position)):
                    return None
                instance = self.path.instances[branch]
                if flag is chosen(branch):
                    return instance.condition
                return conjunction((guard_of(self.path, instance.scope), instance.condition))
        return None

    def is_guarded(self, step: int) -> bool:
        """Whether a step acts only under conditions: then it is part of the story wherever it is needed."""
        return self.flow and (self.steps[step].is_frame or self.actions[step].guard is not TRUE)

    def prefix(self, position: int) -> list[tuple[Term, ...]]:
        """What comes before a position."""
        return [self._start, *self._terms[:position]]

    def suffix(self, position: int) -> list[tuple[Term, ...]]:
        """What comes after a position, the goal last."""
        return [self._goal, *reversed(self._terms[position:]), self.links(position)]

    @cached_property
    def _start(self) -> tuple[Term, ...]:
        return (self.pre,)

    @cached_property
    def _goal(self) -> tuple[Term, ...]:
        return (self.check,)

    @cached_property
    def _terms(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(s.terms for s in self.steps)


def goal_of(path: Path, flow: bool) -> Term:
    """The check under the conditions around it."""
    guard = guard_of(path, path.scope) if flow else TRUE
    return path.check if guard is TRUE else negate(conjunction((guard, negate(path.check))))


def formula_of(path: Path, flow: bool) -> Formula:
    """The trace formula of a path, with what C leaves undefined left out where the run did not meet it."""
    formula = flow_sensitive(path) if flow else plain(path)
    if not path.exact:
        return formula
    states = values_before(path)
    return replace(
        formula, steps=tuple(s if s.is_frame else _defined(path, s, flow, states[s.position]) for s in formula.steps)
    )


def _defined(path: Path, step: Step, flow: bool, values: Mapping[str, Value]) -> Step:
    instance = path.instances[step.position]
    held = [f for f in facts(path, terms_of(instance)) if _held(f, values)]
    if not held:
        return step
    guard = guard_of(path, instance.scope) if flow else TRUE
    put = Substitution(step.before)
    return replace(step, terms=(*step.terms, *(implies(guard, put(f)) for f in held)))


def _held(fact: Term, values: Mapping[str, Value]) -> bool:
    return all(str(v.data) in values for v in variables((fact,))) and bool(Evaluator(values)(fact))


def end_of(path: Path, formula: Formula) -> Mapping[str, Term]:
    """The versions behind the last step."""
    return formula.steps[-1].after if formula.steps else {c.name: versioned(c, 0) for c in path.cells}


def chain_of(path: Path, flow: bool, solver: Solver, limit: Limit) -> Chain | Verdict:
    """The chain of a path's failure; the verdict when the failure is not forced (SAT) or that is not known."""
    formula = formula_of(path, flow)
    return shortened(path, formula, end_of(path, formula), goal_of(path, flow), flow, solver, limit)


def shortened(
    path: Path,
    formula: Formula,
    end: Mapping[str, Term],
    goal: Term,
    flow: bool,
    solver: Solver,
    limit: Limit,
    length: int | None = None,
) -> Chain | Verdict:
    """The chain of a goal that cannot hold behind the steps of a formula."""
    last = len(path.instances) if length is None else length
    steps = tuple(s for s in formula.steps if s.terms)
    wanted = Substitution(end)(goal)
    problem = Problem(tuple((s.name, s.terms) for s in steps), conjunction((formula.pre, wanted)))
    assigned = {s.name for s in steps if not _is_assumption(path, s, flow)}
    result = solver.core(problem.only(assigned), limit)
    if result.verdict is not Verdict.UNSAT and len(assigned) < len(steps):
        result = solver.core(problem, limit)
    if result.verdict is not Verdict.UNSAT:
        return result.verdict
    names = set(result.core)
    return Chain(path, tuple(s for s in steps if s.name in names), formula.pre, goal, end, flow, result.minimal, last)


def _is_assumption(path: Path, step: Step, flow: bool) -> bool:
    """Whether a step only supposes a condition: what was assigned is the better explanation where it suffices."""
    kind = path.instances[step.position].kind
    return kind is Kind.ASSUME or (kind is Kind.BRANCH and not flow)
