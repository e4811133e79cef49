"""The coarsest invariants: the values that the run had, of the cells that later steps read. They need no solver, so there is always time for them."""

from __future__ import annotations

from collections.abc import Mapping

from butfor.logic.rewrite import Simplifier, Substitution
from butfor.logic.sorts import Value
from butfor.logic.terms import FALSE, TRUE, Evaluator, Term, constant, equal, negate, variable, variables
from butfor.methods.error_invariants.contradiction_chain import Chain, end_of, formula_of, goal_of
from butfor.methods.error_invariants.determined_cells import determined
from butfor.methods.error_invariants.literal_interpolants import Atoms, Invariants
from butfor.methods.error_invariants.step_actions import Action, action_of
from butfor.path.path_model import Path

State = dict[str, Value]


def recorded(chain: Chain) -> Invariants | None:
    """The values of the run at each position; None when they do not determine that the goal fails."""
    states = _states(chain)
    if states is None:
        return None
    sorts = {c.name: c.sort for c in chain.path.cells}
    return Invariants(tuple(_atoms(s, sorts) for s in states), "values", coarse=True)


def closure(path: Path, flow: bool) -> Chain:
    """The steps that the values at the goal were computed by and reached through: no solver is asked which of them count."""
    formula = formula_of(path, flow)
    goal = goal_of(path, flow)
    needed = _names(goal)
    kept = []
    for step in reversed(formula.steps):
        action = action_of(path, step, flow)
        if needed & (action.writes.keys() | action.defines.keys()):
            kept.append(step)
            needed = _before(action, needed)
    return Chain(
        path, tuple(reversed(kept)), formula.pre, goal, end_of(path, formula), flow, False, len(path.instances)
    )


def _states(chain: Chain) -> list[State] | None:
    """What is known and read later at each position, each state checked to give the next one."""
    known = determined(chain)
    needed = _names(chain.goal)
    states: list[State] = []
    for p in range(len(chain), -1, -1):
        values = chain.values[p]
        states.append({n: values.get(n, 1) for n in sorted(needed & known[p])})
        if p:
            needed = _before(chain.actions[p - 1], needed)
    states.reverse()
    starts = all(chain.path.initial.get(n) == v or n not in chain.path.initial for n, v in states[0].items())
    follow = all(_gives(chain.actions[p], states[p], states[p + 1]) for p in range(len(chain)))
    return states if starts and follow and _value(chain.goal, states[-1]) == 0 else None


def _before(action: Action, needed: set[str]) -> set[str]:
    found = needed - action.writes.keys() - action.defines.keys()
    for name in needed & action.writes.keys():
        value = action.writes[name]
        found |= _names(action.guard) | (_names(value) if value is not None else set())
    for name in needed & action.defines.keys():
        found |= _names(action.defines[name])
    return found


def _gives(action: Action, before: State, after: State) -> bool:
    """Whether a step makes one state from another; evaluated, not asked."""
    for name, value in after.items():
        term = action.defines.get(name)
        if name in action.writes:
            term = action.writes[name]
            if term is None or not (action.guard is TRUE or _value(action.guard, before) == 1):
                return False
        if (before.get(name) if term is None else _value(term, before)) != value:
            return False
    return True


def _value(term: Term, state: State) -> Value | None:
    """The value of a term in a state that need not say everything."""
    if all(n in state for n in _names(term)):
        return Evaluator(state)(term)
    known = {str(v.data): constant(state[str(v.data)], v.width) for v in variables((term,)) if str(v.data) in state}
    found = Simplifier()(Substitution(known)(term))
    return 1 if found is TRUE else 0 if found is FALSE else None


def _names(term: Term) -> set[str]:
    return {str(v.data) for v in variables((term,))}


def _atoms(state: State, sorts: Mapping[str, int]) -> Atoms:
    found = []
    for name, value in state.items():
        v = variable(name, sorts.get(name, 0))
        found.append(equal(v, constant(value, v.width)) if v.width else v if value else negate(v))
    return tuple(found)
