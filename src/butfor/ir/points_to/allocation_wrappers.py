"""Functions that return what they allocate: each call of one makes blocks of its own, as a call of malloc does."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.ir.points_to.libc_effects import Effect, effects_of
from butfor.ir.program import Program

_PASSING = frozenset(("bitcast", "freeze", "addrspacecast"))


@dataclass(frozen=True, slots=True)
class Allocator:
    """The calls of a function whose new blocks it returns; empty when it may return anything else. `resized`: parameters that it reallocates.

    `is_null`: it returns no pointer but the null pointer.
    """

    calls: frozenset[int] = frozenset()
    resized: frozenset[int] = frozenset()
    is_null: bool = False


NOT = Allocator()
_OWN = frozenset((-1,))


class Uses:
    """How a function uses its local variables: which are only read and written by name, and what is assigned to them."""

    def __init__(self, fn: Function) -> None:
        used: set[Operand] = set()
        self.assigned: dict[int, list[Operand]] = {}
        allocas = []
        for instr in fn.instrs:
            if instr.op == "store":
                value, address = instr.args
                if isinstance(value, int):
                    used.add(value)
                if isinstance(address, int):
                    self.assigned.setdefault(address, []).append(value)
            elif instr.op == "alloca" and not instr.args:
                allocas.append(instr.slot)
            elif instr.op != "load":
                used.update(a for a in instr.args if isinstance(a, int))
        self.plain = frozenset(slot for slot in allocas if slot not in used)
        self.parameters = {}  # variables that hold a parameter and are never changed
        for slot in self.plain:
            assigned = self.assigned.get(slot, ())
            if len(assigned) == 1 and isinstance(assigned[0], int) and fn.definer[assigned[0]] < 0:
                self.parameters[slot] = assigned[0]

    def parameter(self, fn: Function, op: Operand) -> int:
        """The number of the parameter whose value an operand is; -1 for all others."""
        if not isinstance(op, int):
            return -1
        if fn.definer[op] < 0:
            return op
        instr = fn.instrs[fn.definer[op]]
        return self.parameters.get(instr.args[0], -1) if instr.op == "load" else -1  # type: ignore[arg-type]


class Allocators:
    """Looks at functions when asked."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._defined = frozenset(program.names)
        self._uses: dict[str, Uses] = {}
        self._known: dict[str, Allocator] = {}
        self._indirect: dict[tuple[str, int], Allocator] = {}
        self.is_settled = False  # no more is supposed of indirect calls

    def uses(self, fn: Function) -> Uses:
        """How the function uses its variables."""
        found = self._uses.get(fn.name)
        if found is None:
            found = self._uses[fn.name] = Uses(fn)
        return found

    def of(self, name: str | None) -> Allocator:
        """What kind of allocator a function is."""
        if name is None:
            return NOT
        if name not in self._defined:
            effects = effects_of(name)
            return Allocator(_OWN, frozenset(e.argument for e in effects if e.kind == "m")) if _is_new(effects) else NOT
        found = self._known.get(name)
        if found is None:
            self._known[name] = NOT  # of a function that returns what it returns
            fn = self.program.function(name)
            found = self._known[name] = self._look(fn) if fn.result.kind is Kind.PTR else NOT
        return found

    def called(self, function: str, call: Instr) -> Allocator:
        """What kind of allocator a call in a function calls."""
        return (
            self.of(call.detail.callee)
            if call.detail.callee is not None
            else self._indirect.get((function, call.index), NOT)
        )

    def suppose(self, function: str, call: Instr, target: str) -> bool:
        """Takes note that an indirect call can reach a function; whether what was taken for true before does not hold any more.

        A call that reaches an allocator is one, until it is found to reach something else too.
        """
        place, made = (function, call.index), self.of(target)
        known = self._indirect.get(place)
        if (
            call.type.kind is not Kind.PTR
            or known is NOT
            or made.is_null
            or (known is None and (self.is_settled or not made.calls))
        ):
            return False
        new = Allocator(_OWN, made.resized | (known.resized if known else frozenset())) if made.calls else NOT
        if new == known:
            return False
        before = self.of(function)
        self._indirect[place] = new
        self._known.clear()
        return known is not None or self.of(function) != before

    def _look(self, fn: Function) -> Allocator:
        uses = self.uses(fn)
        calls: set[int] = set()
        resized: set[int] = set()
        work = [instr.args[0] for instr in fn.instrs if instr.op == "ret"]
        seen: set[Operand] = set()
        while work:
            op = work.pop()
            if op in seen:
                continue
            seen.add(op)
            if isinstance(op, Const):
                if op.kind not in ("null", "zero", "undef"):
                    return NOT
                continue
            instr = fn.instrs[fn.definer[op]] if fn.definer[op] >= 0 else None
            if instr is None:
                return NOT
            if instr.op == "load" and instr.args[0] in uses.plain:
                work += uses.assigned.get(instr.args[0], ())
            elif instr.op in _PASSING or instr.op == "phi":
                work += instr.args
            elif instr.op == "select":
                work += instr.args[1:]
            else:
                made = self.called(fn.name, instr) if instr.op == "call" else NOT
                if not made.calls:
                    return NOT
                calls.add(instr.index)
                resized.update(p for p in (uses.parameter(fn, instr.args[k]) for k in made.resized) if p >= 0)
        return Allocator(frozenset(calls), frozenset(resized), not calls)


def _is_new(effects: tuple[Effect, ...]) -> bool:
    return any(e.kind == "new" for e in effects) and not any(e.kind == "r" for e in effects)
