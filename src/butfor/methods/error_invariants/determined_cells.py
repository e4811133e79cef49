"""Which cells the steps of a chain determine: their values are those of the run, and no solver has to be asked about them."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.logic.terms import TRUE, Evaluator, Term, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.step_actions import Action, conjuncts


def determined(chain: Chain) -> tuple[frozenset[str], ...]:
    """For each position the cells and flags whose values follow from the start and the steps before it."""
    now = set(chain.path.initial) | set(_fixed(chain.path.pre))
    rows = [frozenset(now)]
    for action in chain.actions:
        _act(action, now)
        rows.append(frozenset(now))
    return tuple(rows)


def _act(action: Action, now: set[str]) -> None:
    before = set(now)
    runs = action.guard is TRUE or _names(action.guard) <= before
    if runs:
        now.update(_fixed(action.supposed))
    for name, value in action.writes.items():
        if runs and value is not None and _names(value) <= before:
            now.add(name)
        else:
            now.discard(name)
    for name, value in action.defines.items():
        if _names(value) <= before:
            now.add(name)


def _names(term: Term) -> set[str]:
    return {str(v.data) for v in variables((term,))}


def _fixed(term: Term) -> Iterable[str]:
    """The variables that a conjunction compares with constants."""
    for part in conjuncts(term):
        if part.op == "eq":
            for x, y in (part.args, part.args[::-1]):
                if x.op == "var" and not variables((y,)):
                    yield str(x.data)
        elif part.op == "var":
            yield str(part.data)


def holds(chain: Chain, position: int, atom: Term) -> bool:
    """Whether an atom held in the run; flags did."""
    values = dict(chain.values[position])
    flags = {str(v.data): 1 for v in variables((atom,)) if str(v.data) not in values}
    return bool(Evaluator({**values, **flags})(atom))
