"""The trace formulas of a path: one group of constraints for each instance, over versions of cells.

The plain trace formula says of each instance that it did what it did. In the flow-sensitive one an instance does so
only under the conditions of the branches around it, a branch by itself assumes nothing, and frames are steps of their
own: under the conditions of the arm that was taken, what the other arms might have assigned stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from butfor.logic.solvers.solver import Problem
from butfor.logic.substitute import Substitution
from butfor.logic.terms import TRUE, Term, binary, conjunction, equal, implies, postorder, resize, variable, variables
from butfor.path.path_model import Kind, Path
from butfor.path.ssa_form import SsaInstance, SsaPath, ssa_form

OVERFLOWING = frozenset(("add", "sub", "mul"))
MAX_NESTED_POINTER_CALLS = 100  # each instance in them has the conditions of all
MAX_PRODUCT_BITS = 32  # for wider products solvers are too slow


@dataclass(frozen=True, slots=True)
class FormulaStep:
    """One step of a formula: the instance at `position`, or the frame of a branch there; `terms` say what it did."""

    position: int
    is_frame: bool
    terms: tuple[Term, ...]
    before: Mapping[str, Term]  # the versions of cells
    after: Mapping[str, Term]

    @property
    def name(self) -> tuple[int, str]:
        """Its name as a group."""
        return self.position, "frame" if self.is_frame else "step"


@dataclass(frozen=True, slots=True)
class TraceFormula:
    """The precondition, the steps and the check over versions: the first two hold together, all three do not."""

    pre: Term
    steps: tuple[FormulaStep, ...]
    check: Term
    end: Mapping[str, Term]  # the versions of cells after the last step

    def problem(self, goal: Term | None = None) -> Problem[tuple[int, str]]:
        """Can the check hold at the end of the path? Or another goal, over versions."""
        wanted = self.check if goal is None else goal
        return Problem(tuple((s.name, s.terms) for s in self.steps if s.terms), conjunction((self.pre, wanted)))


def plain_formula(path: Path, *, with_recorded_addresses: bool = False) -> TraceFormula:
    """The trace formula; `with_recorded_addresses`: that accesses go where they went is a fact, not to be explained."""
    ssa = ssa_form(path)
    addresses = AddressGuards() if with_recorded_addresses else address_guards(path)
    steps = [
        FormulaStep(k, False, tuple(implies(_at(s, addresses.get(k)), t) for t in _effects(s)), s.before, s.after)
        for k, s in enumerate(ssa.instances)
        if not addresses.is_moved(k)
    ]
    return TraceFormula(_precondition(ssa), tuple(steps), _guarded_by_address(ssa, addresses), ssa.end)


@dataclass(frozen=True, slots=True)
class _PointerCall:
    """A call through a pointer, by the frame and the function that called, and the condition that it went there."""

    frame: int
    condition: Term
    function: str
    position: int

    def has_returned(self, path: Path) -> bool:
        """Whether the check comes after the call: it is in the function that called, which was not called again."""
        later = (i for i in path.instances[self.position :] if i.place.function == self.function)
        return path.place.function == self.function and all(i.frame == self.frame for i in later)


class AddressGuards(dict[int, Term]):
    """By position, that the pointers and indices of an instance were as recorded; of the check behind the last one.

    Only then it read and wrote the cells that it names. The assumptions that say so are no facts for others to use.
    What a function did that was called through a pointer, it did because the pointer led there. `complete`: the values
    that decided this are still there wherever they count.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self._moved: set[int] = set()
        self.complete = True
        if path is not None:
            self._find(path)
            self._find_calls(path)

    def _find(self, path: Path) -> None:
        pending: list[int] = []
        for k in range(len(path.instances) + 1):
            instance = path.instances[k] if k < len(path.instances) else None
            if instance is not None and instance.is_address:
                pending.append(k)
                continue
            place, frame = (path.place, None) if instance is None else (instance.place, instance.frame)
            can_be_guarded = instance is None or instance.kind in (Kind.ASSIGN, Kind.HAVOC, Kind.BRANCH)
            own = [
                j
                for j in pending
                if can_be_guarded
                and path.instances[j].place == place
                and (frame is None or path.instances[j].frame == frame)
            ]
            if own:
                self[k] = conjunction(path.instances[j].condition for j in own)
                self._moved.update(own)
            pending = []

    def _find_calls(self, path: Path) -> None:
        """Guard what was done in calls through pointers."""
        calls: list[_PointerCall] = []  # that are under way
        for k, instance in enumerate(path.instances):
            while k and calls and path.instances[k - 1].frame != instance.frame == calls[-1].frame:
                calls.pop()
            self._guard(k, calls)
            written = {cell.name for cell, _ in instance.writes}
            lost = [c for c in calls if written & {str(v.data) for v in variables((c.condition,))}]
            if lost:
                self.complete = False
                calls = [c for c in calls if c not in lost]
            if instance.is_address and k not in self._moved and _calls_next(path, k):
                if len(calls) >= MAX_NESTED_POINTER_CALLS:
                    self.complete = False  # that it went there is taken for a fact
                    continue
                calls.append(_PointerCall(instance.frame, instance.condition, instance.place.function, k))
                self._moved.add(k)
        returned = next((n for n, c in enumerate(calls) if c.has_returned(path)), len(calls))
        self._guard(len(path.instances), calls[:returned])

    def _guard(self, position: int, calls: list[_PointerCall]) -> None:
        if calls:
            self[position] = conjunction((*(c.condition for c in calls), self.get(position, TRUE)))

    def is_moved(self, position: int) -> bool:
        """Whether an assumption became the guard of another instance."""
        return position in self._moved


def _calls_next(path: Path, position: int) -> bool:
    """Whether an assumption about pointers, and perhaps others like it, is followed by what another function did."""
    frame = path.instances[position].frame
    later = (path.instances[k] for k in range(position + 1, len(path.instances)))
    following = next((i for i in later if not (i.is_address and i.frame == frame)), None)
    return following is not None and following.frame != frame


def address_guards(path: Path) -> AddressGuards:
    """The conditions under which instances of a path accessed the cells that they name."""
    return AddressGuards(path)


def _at(instance: SsaInstance, guard: Term | None) -> Term:
    return TRUE if guard is None else Substitution(instance.before)(guard)


def _guarded_by_address(ssa: SsaPath, addresses: AddressGuards) -> Term:
    guard = addresses.get(len(ssa.path.instances))
    return ssa.check if guard is None else implies(Substitution(ssa.end)(guard), ssa.check)


def _precondition(ssa: SsaPath) -> Term:
    """`pre`, and the values of the cells whose first values are known."""
    return conjunction((ssa.pre, *ssa.starts_with(ssa.path.initial)))


def _effects(instance: SsaInstance) -> tuple[Term, ...]:
    condition = () if instance.condition is TRUE else (instance.condition,)
    return *condition, *instance.assigned


def flow_sensitive_formula(path: Path) -> TraceFormula:
    """The flow-sensitive trace formula: each instance, and the check, is guarded by the conditions around it."""
    ssa = ssa_form(path, with_frames=True)
    addresses = address_guards(path)
    steps: list[FormulaStep] = []
    for k, (instance, s) in enumerate(zip(path.instances, ssa.instances, strict=True)):
        if addresses.is_moved(k):
            continue
        guard = scope_guard(path, instance.scope)
        if instance.kind is not Kind.BRANCH:
            whole = conjunction((guard, _at(s, addresses.get(k))))
            steps.append(FormulaStep(k, False, tuple(implies(whole, t) for t in _effects(s)), s.before, s.after))
            continue
        condition, inside = condition_flag(k), arm_flag(k)
        decided = conjunction((_at(s, addresses.get(k)), s.condition))
        flags = equal(condition, decided), equal(inside, conjunction((guard, condition)))
        steps.append(FormulaStep(k, False, flags, s.before, s.before))
        if s.kept:
            steps.append(FormulaStep(k, True, tuple(implies(inside, t) for t in s.kept), s.before, s.after))
    check = implies(scope_guard(path, path.scope), _guarded_by_address(ssa, addresses))
    return TraceFormula(_precondition(ssa), tuple(steps), check, ssa.end)


def arm_flag(branch: int) -> Term:
    """The flag that the arm of a branch was entered: its condition held, and so did those around it."""
    return variable(f"in {branch}", 0)


def condition_flag(branch: int) -> Term:
    """The flag that the condition of a branch held, read where it was, whether or not the branch was reached."""
    return variable(f"branch {branch}", 0)


def is_flag(term: Term) -> bool:
    """Whether a variable stands for an arm or a condition and not for a cell."""
    return term.op == "var" and str(term.data).startswith(("in ", "branch "))


def flag_branch(flag: Term) -> int:
    """The position of the branch that a flag belongs to."""
    return int(str(flag.data).split(" ")[1])


def scope_guard(path: Path, scope: tuple[int, ...]) -> Term:
    """The flags under which an instance in a scope acts: that of the innermost arm, if it stands under the rest."""
    if not scope:
        return TRUE
    if path.instances[scope[-1]].scope == scope[:-1]:
        return arm_flag(scope[-1])
    return conjunction(condition_flag(k) for k in scope)


def no_overflow(t: Term) -> Term:
    """That a signed sum, difference or product is what it is without limits."""
    width = 2 * t.width if t.op == "mul" else t.width + 1
    return equal(resize(t, width, True), binary(t.op, *(resize(a, width, True) for a in t.args)))


def defined_facts(path: Path, terms: Iterable[Term]) -> list[Term]:
    """What is known of the sums and products in some terms over cells."""
    return (
        [no_overflow(t) for t in postorder(terms) if t in path.exact and (t.op != "mul" or t.width <= MAX_PRODUCT_BITS)]
        if path.exact
        else []
    )
