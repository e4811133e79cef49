"""What one step of a trace formula does to a state: its guard, assignments and assumptions.

A state maps cells to values and each enclosing branch to two flags: whether its condition held, and whether its arm was
entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butfor.logic.substitute import Substitution
from butfor.logic.terms import TRUE, Term, conjunction, variables
from butfor.path.path_formula import FormulaStep, arm_flag, condition_flag, scope_guard
from butfor.path.path_model import Kind, Path


@dataclass(frozen=True, slots=True)
class StepAction:
    """The transition of one step.

    `writes` are assigned under the guard; without it the cells get any value, and None is any value in either case.
    `assumed` holds under the guard. `defines` are the flags that a branch sets.
    """

    guard: Term = TRUE
    writes: Mapping[str, Term | None] = field(default_factory=dict)
    assumed: Term = TRUE
    defines: Mapping[str, Term] = field(default_factory=dict)

    def touches(self, atom: Term) -> bool:
        """Whether the action may change the truth of an atom."""
        return any(str(v.data) in self.writes or str(v.data) in self.defines for v in variables((atom,)))

    def weakest_precondition(self, atom: Term) -> Term | None:
        """The weakest precondition of an atom, leaving aside what the action assumes; None where it is false."""
        if any(str(v.data) in self.writes and self.writes[str(v.data)] is None for v in variables((atom,))):
            return None
        values: dict[str, Term] = {name: t for name, t in self.writes.items() if t is not None}
        substituted = Substitution({**values, **self.defines})(atom)
        if any(str(v.data) in self.writes for v in variables((atom,))):
            return conjunction((self.guard, substituted))
        return substituted


def step_action(path: Path, step: FormulaStep, flow: bool, addresses: Mapping[int, Term]) -> StepAction:
    """The action of a step of the plain formula, or of the flow-sensitive one."""
    instance = path.instances[step.position]
    guard = scope_guard(path, instance.scope) if flow else TRUE
    if step.is_frame:
        return StepAction(arm_flag(step.position), {c.name: c.term for c in instance.frames})
    if flow and instance.kind is Kind.BRANCH:
        own = condition_flag(step.position)
        inside = arm_flag(step.position)
        decided = decided_condition(path, step.position, addresses)
        return StepAction(defines={str(own.data): decided, str(inside.data): conjunction((guard, decided))})
    whole = conjunction((guard, addresses.get(step.position, TRUE)))
    return StepAction(whole, {c.name: t for c, t in instance.writes}, instance.condition)


def decided_condition(path: Path, branch: int, addresses: Mapping[int, Term]) -> Term:
    """What the flag of a branch says: its condition held, and what it read was where it was."""
    return conjunction((addresses.get(branch, TRUE), path.instances[branch].condition))
