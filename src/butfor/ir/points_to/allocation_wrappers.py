"""Functions that return what they allocate: each call of one makes its own blocks, as with malloc."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.ir.program import Program
from butfor.libc.effects import Effect, EffectKind
from butfor.libc.library import effects_of

_VALUE_PRESERVING = frozenset(("bitcast", "freeze", "addrspacecast"))


@dataclass(frozen=True, slots=True)
class Allocator:
    """Which blocks a function returns, if it returns nothing but blocks that it allocates."""

    calls: frozenset[int] = frozenset()  # its calls whose new blocks it returns; empty when it may return anything else
    resized: frozenset[int] = frozenset()  # parameters that it reallocates
    is_null: bool = False  # it returns no pointer but the null pointer


NOT_AN_ALLOCATOR = Allocator()
_ITSELF = frozenset((-1,))


class LocalUses:
    """How a function uses its local variables: which are accessed only by name, and what is assigned to them."""

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
    """Classifies functions as allocators on demand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._defined = frozenset(program.names)
        self._uses: dict[str, LocalUses] = {}
        self._known: dict[str, Allocator] = {}
        self._indirect: dict[tuple[str, int], Allocator] = {}
        self.is_settled = False  # no more assumptions are made about indirect calls

    def uses(self, fn: Function) -> LocalUses:
        """How the function uses its local variables."""
        found = self._uses.get(fn.name)
        if found is None:
            found = self._uses[fn.name] = LocalUses(fn)
        return found

    def of(self, name: str | None) -> Allocator:
        """What kind of allocator a function is."""
        if name is None:
            return NOT_AN_ALLOCATOR
        if name not in self._defined:
            effects = effects_of(name)
            return (
                Allocator(_ITSELF, frozenset(e.argument for e in effects if e.kind is EffectKind.RESULT_HOLDS))
                if _returns_new_block(effects)
                else NOT_AN_ALLOCATOR
            )
        found = self._known.get(name)
        if found is None:
            self._known[name] = NOT_AN_ALLOCATOR  # what a recursive function is taken for meanwhile
            fn = self.program.function(name)
            found = self._known[name] = self._classify(fn) if fn.result.kind is Kind.PTR else NOT_AN_ALLOCATOR
        return found

    def called_by(self, function: str, call: Instr) -> Allocator:
        """What kind of allocator a call in a function calls."""
        return (
            self.of(call.callee)
            if call.callee is not None
            else self._indirect.get((function, call.index), NOT_AN_ALLOCATOR)
        )

    def note_indirect_target(self, function: str, call: Instr, target: str) -> bool:
        """Note that an indirect call can reach a function; whether that refutes what was assumed before.

        A call that reaches an allocator is taken for one, until it is found to reach something else too.
        """
        place, made = (function, call.index), self.of(target)
        known = self._indirect.get(place)
        if (
            call.type.kind is not Kind.PTR
            or known is NOT_AN_ALLOCATOR
            or made.is_null
            or (known is None and (self.is_settled or not made.calls))
        ):
            return False
        new = (
            Allocator(_ITSELF, made.resized | (known.resized if known else frozenset()))
            if made.calls
            else NOT_AN_ALLOCATOR
        )
        if new == known:
            return False
        before = self.of(function)
        self._indirect[place] = new
        self._known.clear()
        return known is not None or self.of(function) != before

    def _classify(self, fn: Function) -> Allocator:
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
                    return NOT_AN_ALLOCATOR
                continue
            instr = fn.definition(op)
            if instr is None:
                return NOT_AN_ALLOCATOR
            if instr.op == "load" and instr.args[0] in uses.plain:
                work += uses.assigned.get(instr.args[0], ())
            elif instr.op in _VALUE_PRESERVING or instr.op == "phi":
                work += instr.args
            elif instr.op == "select":
                work += instr.args[1:]
            else:
                made = self.called_by(fn.name, instr) if instr.op == "call" else NOT_AN_ALLOCATOR
                if not made.calls:
                    return NOT_AN_ALLOCATOR
                calls.add(instr.index)
                resized.update(p for p in (uses.parameter(fn, instr.args[k]) for k in made.resized) if p >= 0)
        return Allocator(frozenset(calls), frozenset(resized), not calls)


def _returns_new_block(effects: tuple[Effect, ...]) -> bool:
    kinds = {e.kind for e in effects}
    return EffectKind.RETURNS_NEW_BLOCK in kinds and EffectKind.RETURNS not in kinds
