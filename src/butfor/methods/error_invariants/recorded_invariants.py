"""The coarsest invariants: recorded values of the cells that later steps read, without a solver."""

from __future__ import annotations

from collections.abc import Mapping

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import NORMAL_FORM, Simplifier
from butfor.logic.sorts import Value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, TRUE, Term, constant, equal, negate, variable, variables
from butfor.methods.error_invariants.core_trace import (
    CoreTrace,
    guarded_check,
    trace_formula,
    variable_names,
)
from butfor.methods.error_invariants.inductive_sequence import Atoms, InvariantSequence
from butfor.methods.error_invariants.step_actions import StepAction, step_action
from butfor.path.path_formula import address_guards
from butfor.path.path_model import Path

Valuation = dict[str, Value]
"""Values of some cells and flags."""


def recorded_values(core: CoreTrace) -> InvariantSequence | None:
    """The recorded values at each position; None when they do not imply that the goal fails."""
    states = _states(core)
    if states is None:
        return None
    sorts = {c.name: c.sort for c in core.path.cells}
    return InvariantSequence(tuple(_atoms(s, sorts) for s in states), "values", coarse=True)


def dependence_closure(path: Path, flow: bool) -> CoreTrace:
    """The steps that the goal depends on, by data and control: a core for which no solver is asked."""
    formula = trace_formula(path, flow)
    goal = guarded_check(path, flow)
    needed = variable_names(goal)
    addresses = address_guards(path)
    kept = []
    for step in reversed(formula.steps):
        action = step_action(path, step, flow, addresses)
        if needed & (action.writes.keys() | action.defines.keys()):
            kept.append(step)
            needed = _needed_before(action, needed)
    steps = tuple(reversed(kept))
    return CoreTrace(path, steps, formula.pre, goal, formula.end, flow, minimal=False, length=len(path.instances))


def _states(core: CoreTrace) -> list[Valuation] | None:
    """The values that are determined and read later, by position; None unless each state leads to the next one."""
    needed = variable_names(core.goal)
    states: list[Valuation] = []
    for p in range(len(core), -1, -1):
        values = core.values[p]
        states.append({n: values.get(n, 1) for n in sorted(needed) if core.determined.is_known(n, p)})
        if p:
            needed = _needed_before(core.actions[p - 1], needed)
    states.reverse()
    starts = all(core.path.initial.get(n) == v or n not in core.path.initial for n, v in states[0].items())
    follow = all(_leads_to(core.actions[p], states[p], states[p + 1]) for p in range(len(core)))
    return states if starts and follow and _value(core.goal, states[-1]) == 0 else None


def _needed_before(action: StepAction, needed: set[str]) -> set[str]:
    """The names whose values an action needs to compute those of the needed ones."""
    found = needed - action.writes.keys() - action.defines.keys()
    for name in needed & action.writes.keys():
        value = action.writes[name]
        found |= variable_names(action.guard) | (variable_names(value) if value is not None else set())
    for name in needed & action.defines.keys():
        found |= variable_names(action.defines[name])
    return found


def _leads_to(action: StepAction, before: Valuation, after: Valuation) -> bool:
    """Whether an action makes one state from another, by evaluation."""
    for name, value in after.items():
        term = action.defines.get(name)
        if name in action.writes:
            term = action.writes[name]
            if term is None or not (action.guard is TRUE or _value(action.guard, before) == 1):
                return False
        if (before.get(name) if term is None else _value(term, before)) != value:
            return False
    return True


def _value(term: Term, state: Valuation) -> Value | None:
    """The value of a term in a partial state; None when the state does not determine it."""
    if variable_names(term) <= state.keys():
        return Evaluator(state)(term)
    known = {str(v.data): constant(state[str(v.data)], v.width) for v in variables((term,)) if str(v.data) in state}
    found = Simplifier(NORMAL_FORM)(Substitution(known)(term))
    return 1 if found is TRUE else 0 if found is FALSE else None


def _atoms(state: Valuation, sorts: Mapping[str, int]) -> Atoms:
    found = []
    for name, value in state.items():
        v = variable(name, sorts.get(name, 0))
        found.append(equal(v, constant(value, v.width)) if v.width else v if value else negate(v))
    return tuple(found)
