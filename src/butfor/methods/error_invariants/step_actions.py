"""What one step of a formula does to a state, without versions: what it needs, assigns and supposes.

A state is the values of all cells, and for each branch around it a flag that tells whether its arm was entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from butfor.logic.rewrite import Substitution
from butfor.logic.terms import TRUE, Term, conjunction, negate, variable, variables
from butfor.path.path_formula import Step
from butfor.path.path_model import Kind, Path


def arm(branch: int) -> Term:
    """The flag of an arm: it was entered. As `formula.flow_sensitive` names it."""
    return variable(f"in {branch}", 0)


def chosen(branch: int) -> Term:
    """The flag of a condition alone."""
    return variable(f"branch {branch}", 0)


def is_flag(term: Term) -> bool:
    """Whether a variable stands for an arm or a condition and not for a cell."""
    return term.op == "var" and str(term.data).startswith(("in ", "branch "))


@dataclass(frozen=True, slots=True)
class Action:
    """`writes` happen under the guard, else the cells get any value (None is any value in any case); `supposed` held under the guard.

    `defines` are the flags that a branch sets.
    """

    guard: Term = TRUE
    writes: Mapping[str, Term | None] = field(default_factory=dict)
    supposed: Term = TRUE
    defines: Mapping[str, Term] = field(default_factory=dict)

    def touches(self, atom: Term) -> bool:
        """Whether the action may change what an atom says."""
        return any(str(v.data) in self.writes or str(v.data) in self.defines for v in variables((atom,)))

    def before(self, atom: Term) -> Term | None:
        """What must hold before the action so that the atom holds after it, leaving aside what the action supposes; None when nothing does."""
        if any(str(v.data) in self.writes and self.writes[str(v.data)] is None for v in variables((atom,))):
            return None
        values: dict[str, Term] = {name: t for name, t in self.writes.items() if t is not None}
        put = Substitution({**values, **self.defines})(atom)
        if any(str(v.data) in self.writes for v in variables((atom,))):
            return conjunction((self.guard, put))
        return put


def guard_of(path: Path, scope: tuple[int, ...]) -> Term:
    """The flags under which an instance acts."""
    if not scope:
        return TRUE
    if path.instances[scope[-1]].scope == scope[:-1]:
        return arm(scope[-1])
    return conjunction(chosen(k) for k in scope)


def action_of(path: Path, step: Step, flow: bool) -> Action:
    """The action of a step of the plain formula, or of the flow-sensitive one."""
    instance = path.instances[step.position]
    guard = guard_of(path, instance.scope) if flow else TRUE
    if step.is_frame:
        return Action(arm(step.position), {c.name: c.term for c in instance.frames})
    if flow and instance.kind is Kind.BRANCH:
        own = chosen(step.position)
        inside = arm(step.position)
        return Action(
            defines={str(own.data): instance.condition, str(inside.data): conjunction((guard, instance.condition))}
        )
    return Action(guard, {c.name: t for c, t in instance.writes}, instance.condition)


def conjuncts(term: Term) -> Iterable[Term]:
    """The parts of a conjunction, also of a negated disjunction."""
    stack = [term]
    while stack:
        t = stack.pop()
        if t.op == "all":
            stack += reversed(t.args)
        elif t.op == "not" and t.args[0].op == "any":
            stack += [negate(a) for a in reversed(t.args[0].args)]
        else:
            yield t
