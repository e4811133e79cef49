"""The steps in the unsatisfiable core of a trace formula, with the states between them.

Interpolants are computed on this core. Position p is the state before step p; the check comes after the last step. An
error invariant at a position follows from everything before the position and contradicts everything after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.logic.evaluate import Evaluator
from butfor.logic.propagated_core import PropagatedCore, propagated_core
from butfor.logic.simplify import FOLDING
from butfor.logic.solvers import Limit, Solver, Verdict
from butfor.logic.solvers.solver import Problem
from butfor.logic.sorts import Sort, Value
from butfor.logic.substitute import Substitution, substitute
from butfor.logic.terms import TRUE, Term, conjunction, conjuncts, implies, negate, variables
from butfor.logic.unit_propagation import Propagation
from butfor.methods.error_invariants.step_actions import StepAction, decided_condition, step_action
from butfor.path.instance_uses import terms_of, values_before
from butfor.path.path_formula import (
    FormulaStep,
    TraceFormula,
    address_guards,
    condition_flag,
    defined_facts,
    flag_branch,
    flow_sensitive_formula,
    plain_formula,
    scope_guard,
)
from butfor.path.path_model import Kind, Path

MAX_STEPS_FOR_SOLVER = 800  # of a formula whose core a solver finds: for longer ones it takes seconds, growing fast
STEPS_PER_LAYER = 64  # of a solver stack: each layer takes as long as some steps
StepName = tuple[int, str]


@dataclass(frozen=True)
class CoreTrace:
    """The steps of a path that contradict a goal at its end.

    `goal` is what cannot hold at the end, over cells and flags. `minimal`: no step can be left out.
    """

    path: Path
    steps: tuple[FormulaStep, ...]
    pre: Term  # over versions
    goal: Term  # over cells
    end: Mapping[str, Term]  # the versions of cells after the last step
    flow: bool  # whether the steps are those of the flow-sensitive formula
    minimal: bool = True
    length: int = 0  # instances of the path before the goal

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def actions(self) -> tuple[StepAction, ...]:
        """What each step does."""
        return tuple(step_action(self.path, s, self.flow, self._addresses) for s in self.steps)

    @cached_property
    def _addresses(self) -> Mapping[int, Term]:
        return address_guards(self.path)

    @cached_property
    def _to_versions(self) -> tuple[Substitution, ...]:
        return tuple(Substitution(self.versions(p)) for p in range(len(self) + 1))

    def versions(self, position: int) -> Mapping[str, Term]:
        """The versions of cells at a position."""
        return self.steps[position].before if position < len(self) else self.end

    def at(self, position: int, term: Term) -> Term:
        """A term over cells as one over their versions at a position."""
        return self._to_versions[position](term)

    @cached_property
    def check(self) -> Term:
        """The goal over versions."""
        return self.at(len(self), self.goal)

    @cached_property
    def states(self) -> Sequence[Mapping[str, Value]]:
        """The recorded values of cells before each instance of the path."""
        return values_before(self.path)

    @cached_property
    def values(self) -> tuple[Mapping[str, Value], ...]:
        """The recorded values of cells at each position."""
        positions = [s.position for s in self.steps]
        return tuple(self.states[k] for k in (*positions, self.length))

    @cached_property
    def sorts(self) -> Mapping[str, Sort]:
        """The sorts of cells."""
        return {c.name: c.sort for c in self.path.cells}

    def held(self, position: int, term: Term) -> bool:
        """Whether a term over cells held in the run; flags did, since the run entered these arms."""
        values = self.values[position]
        return bool(Evaluator({name: values.get(name, 1) for name in variable_names(term)})(term))

    @cached_property
    def determined(self) -> DeterminedNames:
        """The cells and flags whose values follow, at each position, from the start and the steps before it.

        Their values are those of the run, so no solver has to be asked about them.
        """
        found = DeterminedNames({*self.path.initial, *_compared_with_constants(self.path.pre)})
        for position, (step, action) in enumerate(zip(self.steps, self.actions, strict=True), 1):
            found.pass_action(action, position)
            following = self.versions(position)
            found.forget((n for n in self.path.overwritten if following[n] is not step.after[n]), position)
        return found

    @cached_property
    def _constants(self) -> Propagation:
        """The values that follow from the formula by folding constants: group 0 is the start, k step k - 1."""
        found = Propagation()
        for k, terms in enumerate((self._pre_layer, *(s.terms for s in self.steps))):
            found.add(terms, k)
        return found

    def surely_follows(self, position: int, term: Term) -> bool:
        """Whether folding constants shows that everything before a position implies a term over cells."""
        return substitute(self.at(position, term), self._constants.after(position), FOLDING) is TRUE

    def surely_fails(self, position: int, atoms: Iterable[Term]) -> bool:
        """Whether folding constants shows that atoms at a position contradict everything after it."""
        found = Propagation()
        found.add((*(self.at(position, a) for a in atoms), *self.flag_definitions(position)), position)
        for k in range(position, len(self)):
            found.add(self.steps[k].terms, k)
            if found.is_contradiction:
                return True
        found.add((self.check,), len(self))
        return found.is_contradiction

    @cached_property
    def _flag_definitions(self) -> tuple[tuple[Term, ...], ...]:
        rows: list[list[Term]] = [[] for _ in range(len(self) + 1)]
        for k, step in enumerate(self.steps):
            if self.is_branch(step) and not step.is_frame:
                last = self._last_meant(k, step)
                for row in rows[k + 1 : last + 1]:
                    row += step.terms
                if last < len(self) and self._is_meant(step, len(self)):
                    rows[-1] += step.terms
        return tuple(map(tuple, rows))

    def _last_meant(self, k: int, step: FormulaStep) -> int:
        """The last position before the end where a flag has its meaning, which does not come back once it is lost."""
        good, bad = k, len(self)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self._is_meant(step, middle) else (good, middle)
        return good

    def _is_meant(self, step: FormulaStep, position: int) -> bool:
        return self._is_open(step, position) and self._is_current(step, self.versions(position))

    def is_branch(self, step: FormulaStep) -> bool:
        """Whether a step sets flags."""
        return self.flow and self.path.instances[step.position].kind is Kind.BRANCH

    def _is_open(self, step: FormulaStep, position: int) -> bool:
        at = self.steps[position].position if position < len(self) else self.length
        return at < self.path.instances[step.position].end or (
            position == len(self) and step.position in self.path.scope
        )

    def _is_current(self, step: FormulaStep, now: Mapping[str, Term]) -> bool:
        names = [str(v.data) for v in variables((decided_condition(self.path, step.position, self._addresses),))]
        return all(now[n] is step.before[n] for n in names)

    def flag_definitions(self, position: int) -> tuple[Term, ...]:
        """What the flags mean at a position, over versions.

        Only flags of open branches, and only while the cells of their conditions are unchanged since the decision.
        """
        return self._flag_definitions[position]

    def meaning(self, flag: Term, position: int) -> Term | None:
        """What a flag says about the cells at a position; None when those have changed since."""
        branch = flag_branch(flag)
        k = self._branch_steps.get(branch, position)
        if k >= position or not self._is_current(self.steps[k], self.versions(position)):
            return None
        decided = decided_condition(self.path, branch, self._addresses)
        if flag is condition_flag(branch):
            return decided
        return conjunction((scope_guard(self.path, self.path.instances[branch].scope), decided))

    @cached_property
    def _branch_steps(self) -> Mapping[int, int]:
        """By its position in the path, the step that decides a branch."""
        return {s.position: k for k, s in enumerate(self.steps) if not s.is_frame}

    def is_guarded(self, step: int) -> bool:
        """Whether a step acts only under conditions; then it is part of the abstract trace wherever it is needed."""
        return self.flow and (self.steps[step].is_frame or self.actions[step].guard is not TRUE)

    def prefix(self, position: int) -> list[tuple[Term, ...]]:
        """The formula before a position, in layers of some steps."""
        whole = position // STEPS_PER_LAYER
        return [self._pre_layer, *self._layers[:whole], self._terms(whole * STEPS_PER_LAYER, position)]

    def suffix(self, position: int) -> list[tuple[Term, ...]]:
        """The formula after a position, in layers of some steps, the goal first."""
        whole = -(-position // STEPS_PER_LAYER)
        rest = self._terms(position, min(whole * STEPS_PER_LAYER, len(self)))
        return [self._goal_layer, *reversed(self._layers[whole:]), (*rest, *self.flag_definitions(position))]

    def _terms(self, first: int, end: int) -> tuple[Term, ...]:
        return tuple(t for s in self.steps[first:end] for t in s.terms)

    # One tuple per layer: a solver stack recognises by identity the layers that it has asserted already.

    @cached_property
    def _pre_layer(self) -> tuple[Term, ...]:
        return (self.pre,)

    @cached_property
    def _goal_layer(self) -> tuple[Term, ...]:
        return (self.check,)

    @cached_property
    def _layers(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(self._terms(k, k + STEPS_PER_LAYER) for k in range(0, len(self), STEPS_PER_LAYER))


class DeterminedNames:
    """The names that are determined at each position, as the positions at which that changes."""

    def __init__(self, names: set[str]) -> None:
        self._now = set(names)
        self._changes: dict[str, list[int]] = {name: [0] for name in names}  # determined from there, not from there, …

    def pass_action(self, action: StepAction, position: int) -> None:
        """Note what an action determines that leads to a position."""
        now = self._now
        runs = action.guard is TRUE or variable_names(action.guard) <= now
        after = dict.fromkeys(_compared_with_constants(action.assumed), True) if runs else {}
        for name, value in action.writes.items():
            after[name] = runs and value is not None and variable_names(value) <= now
        after |= {name: True for name, value in action.defines.items() if variable_names(value) <= now}
        for name, is_known in after.items():
            if is_known != (name in now):
                self._changes.setdefault(name, []).append(position)
        now |= {name for name, is_known in after.items() if is_known}
        now -= {name for name, is_known in after.items() if not is_known}

    def forget(self, names: Iterable[str], position: int) -> None:
        """Note that some names are not determined from a position on."""
        for name in names:
            if name in self._now:
                self._now.remove(name)
                self._changes[name].append(position)

    def is_known(self, name: str, position: int) -> bool:
        """Whether the value of a name is determined at a position."""
        return bisect_right(self._changes.get(name, ()), position) % 2 == 1


def variable_names(term: Term) -> set[str]:
    """The names of the variables in a term."""
    return {str(v.data) for v in variables((term,))}


def _compared_with_constants(term: Term) -> Iterable[str]:
    """The variables that a conjunction equates with constants."""
    for part in conjuncts(term):
        if part.op == "eq":
            for x, y in (part.args, part.args[::-1]):
                if x.op == "var" and not variables((y,)):
                    yield str(x.data)
        elif part.op == "var":
            yield str(part.data)


def guarded_check(path: Path, flow: bool) -> Term:
    """The check of a path, guarded by the conditions around it in the flow-sensitive formula."""
    scope = scope_guard(path, path.scope) if flow else TRUE
    guard = conjunction((scope, address_guards(path).get(len(path.instances), TRUE)))
    return path.check if guard is TRUE else negate(conjunction((guard, negate(path.check))))


def trace_formula(path: Path, flow: bool) -> TraceFormula:
    """The trace formula of a path, without undefined behaviour of C that the run did not show."""
    formula = flow_sensitive_formula(path) if flow else plain_formula(path)
    if not path.exact:
        return formula
    states = values_before(path)
    return replace(
        formula, steps=tuple(s if s.is_frame else _defined(path, s, flow, states[s.position]) for s in formula.steps)
    )


def _defined(path: Path, step: FormulaStep, flow: bool, values: Mapping[str, Value]) -> FormulaStep:
    instance = path.instances[step.position]
    held = [f for f in defined_facts(path, terms_of(instance)) if _held(f, values)]
    if not held:
        return step
    guard = scope_guard(path, instance.scope) if flow else TRUE
    put = Substitution(step.before)
    return replace(step, terms=(*step.terms, *(implies(guard, put(f)) for f in held)))


def _held(fact: Term, values: Mapping[str, Value]) -> bool:
    return variable_names(fact) <= values.keys() and bool(Evaluator(values)(fact))


def core_trace_of(path: Path, flow: bool, solver: Solver, limit: Limit) -> CoreTrace | Verdict:
    """The core of a path's failure; the verdict when the failure is not forced (SAT) or the solver does not know."""
    formula = trace_formula(path, flow)
    return core_of_formula(path, formula, guarded_check(path, flow), flow, solver, limit)


def core_of_formula(
    path: Path,
    formula: TraceFormula,
    goal: Term,
    flow: bool,
    solver: Solver,
    limit: Limit,
    length: int | None = None,
) -> CoreTrace | Verdict:
    """The core of a goal that cannot hold after the steps of a formula; the verdict when it can, or is not known."""
    last = len(path.instances) if length is None else length
    steps = tuple(s for s in formula.steps if s.terms)
    wanted = Substitution(formula.end)(goal)
    problem = formula.problem(wanted)
    assigning = {s.name for s in steps if not _is_assumption(path, s, flow)}
    found = _long_core(problem, assigning, solver, limit) if len(steps) > MAX_STEPS_FOR_SOLVER else None
    if found is None:
        result = solver.core(problem.only(assigning), limit)
        if result.verdict is not Verdict.UNSAT and len(assigning) < len(steps):
            result = solver.core(problem, limit)
        if result.verdict is not Verdict.UNSAT:
            return result.verdict
        found = PropagatedCore(result.core, result.minimal)
    names = set(found.names)
    kept = tuple(s for s in steps if s.name in names)
    return CoreTrace(path, kept, formula.pre, goal, formula.end, flow, found.minimal, last)


def _long_core(
    problem: Problem[StepName], assigning: Container[StepName], solver: Solver, limit: Limit
) -> PropagatedCore[StepName] | None:
    """The core of a long path, where folding constants finds one: without assumptions if assignments suffice."""
    return propagated_core(problem.only(assigning), solver, limit) or propagated_core(problem, solver, limit)


def _is_assumption(path: Path, step: FormulaStep, flow: bool) -> bool:
    """Whether a step only assumes a condition: an assignment is the better explanation where assignments suffice."""
    kind = path.instances[step.position].kind
    return kind is Kind.ASSUME or (kind is Kind.BRANCH and not flow)
