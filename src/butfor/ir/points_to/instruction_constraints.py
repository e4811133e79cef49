"""Points-to constraints of instructions, for every function that the executed ones may reach."""

from __future__ import annotations

from collections.abc import Callable

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Type, alloc_size, store_size
from butfor.ir.points_to.allocation_wrappers import Allocators
from butfor.ir.points_to.call_constraints import CallConstraints, FunctionNodes
from butfor.ir.points_to.function_facts import (
    CallNodes,
    FixedAddress,
    FunctionFacts,
    ParameterPath,
    Write,
    may_carry_pointer,
)
from butfor.ir.points_to.inclusion_solver import MAX_STEPS, NO_NODE
from butfor.ir.points_to.near_functions import NearFunctions
from butfor.ir.points_to.object_shapes import STAY, TO_ANYWHERE, UNBOUNDED, ObjectShape, gep_path
from butfor.ir.program import Program
from butfor.ir.recording_segments import constant_offset

_COPIES = frozenset(
    """bitcast freeze addrspacecast ptrtoint extractvalue insertvalue extractelement insertelement shufflevector
    phi""".split()
)
_MAX_STEPS_ASSUMING = MAX_STEPS // 4  # spent on restarts after wrong assumptions about indirect calls
_ARITHMETIC = frozenset("add sub and or xor shl lshr ashr".split())


def analyse_points_to(
    program: Program, functions: tuple[str, ...], is_over: Callable[[], bool] = lambda: False
) -> PointsToAnalysis:
    """The solved constraints of these functions and the near ones that they may call.

    When `is_over` says so before they are solved, they are left unsolved.
    """
    allocators, near = Allocators(program), NearFunctions(program, functions)
    found = PointsToAnalysis(program, functions, allocators, near, is_over)
    while found.solution.stopped:
        allocators.is_settled = found.solution.steps > _MAX_STEPS_ASSUMING
        found = PointsToAnalysis(program, functions, allocators, near, is_over, found.solution.steps)
    return found


class PointsToAnalysis(FunctionNodes):
    """Generates constraints for functions as they turn out to be reachable, and solves them."""

    def __init__(
        self,
        program: Program,
        functions: tuple[str, ...],
        allocators: Allocators,
        near: NearFunctions,
        is_over: Callable[[], bool] = lambda: False,
        steps: int = 0,
    ) -> None:
        super().__init__(program)
        self.solution.steps = steps
        self.solution.is_over = is_over
        self.allocators = allocators
        self.near = near
        self.facts: dict[str, FunctionFacts] = {}
        self._queue: list[FunctionFacts] = []
        self._numbers: list[int] = []  # pointers made from numbers
        self._calls = CallConstraints(self)
        for name in functions:
            self.function(name)
        for node in self.facts["main"].params if "main" in self.facts else ():
            self.point_at(node, self.arguments())
        self.solution.solve(self._more)
        if not self.solution.complete:
            self._finish()

    def _more(self) -> bool:
        """Process the functions found to be reachable; whether there were any, or other new constraints.

        In the end, pointers made from integers of which nothing is known may point anywhere.
        """
        found = bool(self._queue)
        while self._queue:
            self._scan(self._queue.pop())
        if not found:
            lost = [n for n in self._numbers if not self.solution.bits_of(n)]
            self._numbers = []
            for n in lost:
                self.flow(self.solution.unknown, n)
        return found or bool(lost)

    def _finish(self) -> None:
        """Process all that may be called when solving was given up: writes and calls are needed all the same."""
        while self._queue:
            self._scan(self._queue.pop())
            for o in tuple(self.solution.objects):
                if o.key[0] == "function" and self.is_followed(o.key[1]):
                    self.function(o.key[1])

    def function(self, name: str) -> FunctionFacts:
        """The facts about a function, which is now known to be reachable."""
        facts = self.facts.get(name)
        if facts is None:
            fn, s = self.program.function(name), self.solution
            params = [s.node() if may_carry_pointer(t) else NO_NODE for t in fn.params]
            fresh = s.node() if self.allocators.of(name).calls else NO_NODE
            facts = self.facts[name] = FunctionFacts(
                fn, params, s.node() if may_carry_pointer(fn.result) else NO_NODE, fresh
            )
            for k, size in enumerate(fn.byval):
                if size:
                    self.point_at(params[k], s.object(("byval", name, k)))
            self._queue.append(facts)
        return facts

    # --- one function ---------------------------------------------------------------------------------------

    def _scan(self, facts: FunctionFacts) -> None:
        uses = self.allocators.uses(facts.fn)
        self.solution.steps += len(facts.fn.instrs) // 4
        for k, p in enumerate(facts.params):
            facts.nodes[k] = p
            facts.vias[k] = (k, ())
        for instr in facts.fn.instrs:
            slot = instr.slot
            if instr.op == "load" and instr.args[0] in uses.plain:
                made = self._variable(facts, instr.args[0]) if may_carry_pointer(instr.type) else NO_NODE
                if instr.args[0] in uses.parameters:
                    facts.vias[slot] = (uses.parameters[instr.args[0]], ())
            else:
                made = self._instruction(facts, instr)
            if slot >= 0:
                placed = facts.nodes.get(slot, NO_NODE)  # by a use that comes earlier in the text
                if placed == NO_NODE:
                    facts.nodes[slot] = made
                else:
                    self.flow(made, placed)

    def _instruction(self, facts: FunctionFacts, instr: Instr) -> int:
        """Add the constraints of an instruction; the node of its result."""
        op, args = instr.op, instr.args
        if op == "load":
            return self._read(facts, args[0], instr.type)
        if op == "store":
            self._store(facts, instr, args[0], args[1], instr.detail)
        elif op == "gep":
            return self._gep(facts, instr)
        elif op == "call":
            return self._call(facts, instr)
        elif op == "alloca":
            return self._local(facts, instr)
        elif op == "ret":
            if facts.result != NO_NODE:
                self._return(facts, self.value(facts, args[0]))
        elif op in _COPIES:
            return self.join([self.value(facts, a) for a in args]) if may_carry_pointer(instr.type) else NO_NODE
        elif op == "select":
            return self.join([self.value(facts, a) for a in args[1:]]) if may_carry_pointer(instr.type) else NO_NODE
        elif op in _ARITHMETIC:
            return self._computed(facts, instr) if instr.type.bits >= 64 else NO_NODE
        elif op == "inttoptr":
            return self._from_number(self.value(facts, args[0]))
        elif op in ("atomicrmw", "cmpxchg"):
            t = instr.detail[1] if op == "atomicrmw" else instr.detail
            self._store(facts, instr, args[-1], args[0], t)
            return self._read(facts, args[0], t)
        elif op == "va_arg":
            return self.solution.unknown
        return NO_NODE

    def value(self, facts: FunctionFacts, op: Operand) -> int:
        """The node of an operand."""
        if isinstance(op, Const):
            return self.constant(op)
        node = facts.nodes.get(op)
        if node is None:
            node = facts.nodes[op] = self.solution.node()
        return node

    def _variable(self, facts: FunctionFacts, slot: Operand) -> int:
        """The node of a local variable that is accessed only by name."""
        assert isinstance(slot, int)
        node = facts.nodes.get(slot, NO_NODE)
        if node == NO_NODE:
            node = facts.nodes[slot] = self.solution.node()
        return node

    def _assign(self, facts: FunctionFacts, slot: Operand, value: int) -> None:
        """Assign a value to a local variable that is accessed only by name; assigned once, it is that value's node."""
        assert isinstance(slot, int)
        if len(self.allocators.uses(facts.fn).assigned[slot]) == 1 and facts.nodes.get(slot, NO_NODE) == NO_NODE:
            facts.nodes[slot] = value
        else:
            self.flow(value, self._variable(facts, slot))

    def _return(self, facts: FunctionFacts, value: int) -> None:
        if value != NO_NODE and sum(instr.op == "ret" for instr in facts.fn.instrs) == 1:
            self.solution.merge(facts.result, value)
        else:
            self.flow(value, facts.result)

    def _local(self, facts: FunctionFacts, instr: Instr) -> int:
        if instr.slot in self.allocators.uses(facts.fn).plain:
            return NO_NODE
        t = instr.detail[0]
        key = ("local", facts.fn.name, instr.slot)
        facts.exact[instr.slot] = (key, 0)
        unsized = ((0, UNBOUNDED, alloc_size(t)),) if alloc_size(t) else ()
        return self.pointer(self.solution.object(key, ObjectShape(None, unsized) if instr.args else ObjectShape(t)))

    def _read(self, facts: FunctionFacts, address: Operand, t: Type) -> int:
        node = self.value(facts, address) if may_carry_pointer(t) else NO_NODE
        return NO_NODE if node == NO_NODE else self.solution.load(node, store_size(t))

    def _gep(self, facts: FunctionFacts, instr: Instr) -> int:
        source, base, indices = instr.detail[0], instr.args[0], instr.args[1:]
        path = gep_path(source, indices)
        root = self.exact(facts, base)
        offset = constant_offset(source, indices) if root is not None else None
        if root is not None and offset is not None:
            facts.exact[instr.slot] = (root[0], root[1] + offset)
        via = self.via(facts, base)
        if via is not None:
            facts.vias[instr.slot] = via if path == STAY else (via[0], (*via[1], path))
        node = self.value(facts, base)
        return NO_NODE if node == NO_NODE else self.solution.shifted(node, path)

    def via(self, facts: FunctionFacts, op: Operand) -> ParameterPath | None:
        """How an operand derives from a parameter."""
        return facts.vias.get(op) if isinstance(op, int) else None

    def exact(self, facts: FunctionFacts, op: Operand) -> FixedAddress | None:
        """The only variable and offset that an address can be."""
        if isinstance(op, int):
            return facts.exact.get(op)
        if op.kind == "global" and op.value in self.variables:
            return ("global", op.value), 0
        if op.kind == "expr" and op.value[0] == "gep":
            _, detail, args = op.value
            root, offset = self.exact(facts, args[0]), constant_offset(detail[0], args[1:])
            return (root[0], root[1] + offset) if root is not None and offset is not None else None
        return None

    def _computed(self, facts: FunctionFacts, instr: Instr) -> int:
        """The node of integer arithmetic on pointers: an unknown place in the same object.

        The difference of two pointers is just a number.
        """
        if instr.op == "sub" and all(_is_from(facts, a, "ptrtoint") for a in instr.args):
            return NO_NODE
        node = self.join([self.value(facts, a) for a in instr.args])
        return NO_NODE if node == NO_NODE else self.solution.shifted(node, TO_ANYWHERE)

    def _from_number(self, number: int) -> int:
        made = self.solution.node()
        self.flow(number, made)
        self._numbers.append(made)
        return made

    # --- writes and calls -----------------------------------------------------------------------------------

    def _store(self, facts: FunctionFacts, instr: Instr, value: Operand, address: Operand, t: Type) -> None:
        held = self.value(facts, value) if may_carry_pointer(t) else NO_NODE
        if address in self.allocators.uses(facts.fn).plain:
            facts.writes.append(
                Write(instr, address, NO_NODE, store_size(t), exact=(("local", facts.fn.name, address), 0))
            )
            if held != NO_NODE:
                self._assign(facts, address, held)
            return
        node = self.write(facts, instr, address, store_size(t))
        if held != NO_NODE and node != NO_NODE:
            self.solution.store(node, held, store_size(t))

    def write(self, facts: FunctionFacts, instr: Instr, address: Operand, size: int, item: bool = False) -> int:
        """Record a write; the node of its address."""
        node = self.value(facts, address)
        if node != NO_NODE:
            facts.writes.append(
                Write(instr, address, node, size, item, self.exact(facts, address), self.via(facts, address))
            )
        return node

    def _call(self, facts: FunctionFacts, instr: Instr) -> int:
        call = instr.detail
        args = [
            self.value(facts, a) if may_carry_pointer(t) else NO_NODE
            for a, t in zip(instr.args, call.arg_types, strict=False)
        ]
        if self.is_followed(call.callee) and not self.allocators.of(call.callee).calls:
            result = self.function(call.callee).result if may_carry_pointer(instr.type) else NO_NODE
        else:
            result = self.solution.node() if may_carry_pointer(instr.type) else NO_NODE
        site = CallNodes(facts, instr, args, result)
        if call.callee is None and call.asm is None:
            facts.pointers.append(instr)
            self._calls.through_pointer(site, self.value(facts, instr.args[-1]))
        else:
            self._calls.by_name(site, call.callee)
        return result


def _is_from(facts: FunctionFacts, op: Operand, kind: str) -> bool:
    instr = facts.fn.definition(op)
    return instr is not None and instr.op == kind
