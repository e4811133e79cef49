"""From instructions to points-to constraints, for every function that the executed ones may reach."""

from __future__ import annotations

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Type, alloc_size, store_size
from butfor.ir.points_to.allocation_wrappers import Allocators
from butfor.ir.points_to.call_constraints import Calls
from butfor.ir.points_to.constant_nodes import Operands
from butfor.ir.points_to.function_facts import Exact, Facts, Site, Via, Write, carries
from butfor.ir.points_to.inclusion_solver import MOST_STEPS, NO
from butfor.ir.points_to.object_shapes import ENDLESS, NOWHERE, SOMEWHERE, Shape, path_of
from butfor.ir.program import Program
from butfor.ir.recording_segments import constant_offset

_COPYING = frozenset(
    "bitcast freeze addrspacecast ptrtoint extractvalue insertvalue extractelement insertelement shufflevector phi".split()
)
_ARITHMETIC = frozenset("add sub and or xor shl lshr ashr".split())


def analyse(program: Program, functions: tuple[str, ...]) -> Constraints:
    """The solved constraints of these functions and all that they may call."""
    allocators = Allocators(program)
    found = Constraints(program, functions, allocators)
    while found.solution.stopped:
        allocators.is_settled = found.solution.steps > MOST_STEPS // 4
        found = Constraints(program, functions, allocators, found.solution.steps)
    return found


class Constraints(Operands):
    """Goes over functions as they turn out to be reachable, and solves."""

    def __init__(self, program: Program, functions: tuple[str, ...], allocators: Allocators, steps: int = 0) -> None:
        super().__init__(program)
        self.solution.steps = steps
        self.allocators = allocators
        self.facts: dict[str, Facts] = {}
        self._queue: list[Facts] = []
        self._numbers: list[int] = []  # pointers made from numbers
        self._calls = Calls(self)
        for name in functions:
            self.function(name)
        for node in self.facts["main"].params if "main" in self.facts else ():
            self.point_at(node, self.arguments())
        self.solution.solve(self._more)
        if not self.solution.complete:
            self._finish()

    def _more(self) -> bool:
        """Goes over the functions found to be reachable. In the end, pointers made from numbers of which nothing is known may be anything."""
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
        """Goes over all that may be called, when it is not known what pointers point to: writes and calls are wanted all the same."""
        while self._queue:
            self._scan(self._queue.pop())
            for o in tuple(self.solution.objects):
                if o.key[0] == "function" and o.key[1] in self.defined:
                    self.function(o.key[1])

    def function(self, name: str) -> Facts:
        """The facts about a function, which is now known to be reachable."""
        facts = self.facts.get(name)
        if facts is None:
            fn, s = self.program.function(name), self.solution
            params = [s.node() if carries(t) else NO for t in fn.params]
            fresh = s.node() if self.allocators.of(name).calls else NO
            facts = self.facts[name] = Facts(fn, params, s.node() if carries(fn.result) else NO, fresh)
            for k, size in enumerate(fn.byval):
                if size:
                    self.point_at(params[k], s.object(("byval", name, k)))
            self._queue.append(facts)
        return facts

    # --- one function ---------------------------------------------------------------------------------------

    def _scan(self, facts: Facts) -> None:
        uses = self.allocators.uses(facts.fn)
        self.solution.steps += len(facts.fn.instrs) // 4
        for k, p in enumerate(facts.params):
            facts.nodes[k] = p
            facts.vias[k] = (k, ())
        for instr in facts.fn.instrs:
            slot = instr.slot
            if instr.op == "load" and instr.args[0] in uses.plain:
                made = self._variable(facts, instr.args[0]) if carries(instr.type) else NO
                if instr.args[0] in uses.parameters:
                    facts.vias[slot] = (uses.parameters[instr.args[0]], ())
            else:
                made = self._instruction(facts, instr)
            if slot >= 0:
                placed = facts.nodes.get(slot, NO)  # by a use that comes earlier in the text
                if placed == NO:
                    facts.nodes[slot] = made
                else:
                    self.flow(made, placed)

    def _instruction(self, facts: Facts, instr: Instr) -> int:
        """Adds the constraints of an instruction; the node of its result."""
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
            if facts.result != NO:
                self._return(facts, self.value(facts, args[0]))
        elif op in _COPYING:
            return self.join([self.value(facts, a) for a in args]) if carries(instr.type) else NO
        elif op == "select":
            return self.join([self.value(facts, a) for a in args[1:]]) if carries(instr.type) else NO
        elif op in _ARITHMETIC:
            return self._computed(facts, instr) if instr.type.bits >= 64 else NO
        elif op == "inttoptr":
            return self._from_number(self.value(facts, args[0]))
        elif op in ("atomicrmw", "cmpxchg"):
            t = instr.detail[1] if op == "atomicrmw" else instr.detail
            self._store(facts, instr, args[-1], args[0], t)
            return self._read(facts, args[0], t)
        elif op == "va_arg":
            return self.solution.unknown
        return NO

    def value(self, facts: Facts, op: Operand) -> int:
        """The node of an operand."""
        if isinstance(op, Const):
            return self.constant(op)
        node = facts.nodes.get(op)
        if node is None:
            node = facts.nodes[op] = self.solution.node()
        return node

    def _variable(self, facts: Facts, slot: Operand) -> int:
        """The node of a local variable that is only used by name."""
        assert isinstance(slot, int)
        node = facts.nodes.get(slot, NO)
        if node == NO:
            node = facts.nodes[slot] = self.solution.node()
        return node

    def _assign(self, facts: Facts, slot: Operand, value: int) -> None:
        """Gives a value to a local variable that is only used by name; with one value only, the variable is that value."""
        assert isinstance(slot, int)
        if len(self.allocators.uses(facts.fn).assigned[slot]) == 1 and facts.nodes.get(slot, NO) == NO:
            facts.nodes[slot] = value
        else:
            self.flow(value, self._variable(facts, slot))

    def _return(self, facts: Facts, value: int) -> None:
        if value != NO and sum(instr.op == "ret" for instr in facts.fn.instrs) == 1:
            self.solution.merge(facts.result, value)
        else:
            self.flow(value, facts.result)

    def _local(self, facts: Facts, instr: Instr) -> int:
        if instr.slot in self.allocators.uses(facts.fn).plain:
            return NO
        t = instr.detail[0]
        key = ("local", facts.fn.name, instr.slot)
        facts.exact[instr.slot] = (key, 0)
        unsized = ((0, ENDLESS, alloc_size(t)),) if alloc_size(t) else ()
        return self.pointer(self.solution.object(key, Shape(None, unsized) if instr.args else Shape(t)))

    def _read(self, facts: Facts, address: Operand, t: Type) -> int:
        node = self.value(facts, address) if carries(t) else NO
        return NO if node == NO else self.solution.load(node, store_size(t))

    def _gep(self, facts: Facts, instr: Instr) -> int:
        source, base, indices = instr.detail[0], instr.args[0], instr.args[1:]
        path = path_of(source, indices)
        root = self.exact(facts, base)
        offset = constant_offset(source, indices) if root is not None else None
        if root is not None and offset is not None:
            facts.exact[instr.slot] = (root[0], root[1] + offset)
        via = self.via(facts, base)
        if via is not None:
            facts.vias[instr.slot] = via if path == NOWHERE else (via[0], (*via[1], path))
        node = self.value(facts, base)
        return NO if node == NO else self.solution.shifted(node, path)

    def via(self, facts: Facts, op: Operand) -> Via | None:
        """How an operand comes from a parameter."""
        return facts.vias.get(op) if isinstance(op, int) else None

    def exact(self, facts: Facts, op: Operand) -> Exact | None:
        """The variable and the offset in it that an address is for certain."""
        if isinstance(op, int):
            return facts.exact.get(op)
        if op.kind == "global" and op.value in self.variables:
            return ("global", op.value), 0
        if op.kind == "expr" and op.value[0] == "gep":
            _, detail, args = op.value
            root, offset = self.exact(facts, args[0]), constant_offset(detail[0], args[1:])
            return (root[0], root[1] + offset) if root is not None and offset is not None else None
        return None

    def _computed(self, facts: Facts, instr: Instr) -> int:
        """What integer arithmetic on pointers gives: some place in the same object. The difference of two pointers is just a number."""
        if instr.op == "sub" and all(_is_from(facts, a, "ptrtoint") for a in instr.args):
            return NO
        node = self.join([self.value(facts, a) for a in instr.args])
        return NO if node == NO else self.solution.shifted(node, SOMEWHERE)

    def _from_number(self, number: int) -> int:
        made = self.solution.node()
        self.flow(number, made)
        self._numbers.append(made)
        return made

    # --- writes and calls -----------------------------------------------------------------------------------

    def _store(self, facts: Facts, instr: Instr, value: Operand, address: Operand, t: Type) -> None:
        held = self.value(facts, value) if carries(t) else NO
        if address in self.allocators.uses(facts.fn).plain:
            facts.writes.append(Write(instr, address, NO, store_size(t), exact=(("local", facts.fn.name, address), 0)))
            if held != NO:
                self._assign(facts, address, held)
            return
        node = self.write(facts, instr, address, store_size(t))
        if held != NO and node != NO:
            self.solution.store(node, held, store_size(t))

    def write(self, facts: Facts, instr: Instr, address: Operand, size: int, item: bool = False) -> int:
        """Notes a write; the node of its address."""
        node = self.value(facts, address)
        if node != NO:
            facts.writes.append(
                Write(instr, address, node, size, item, self.exact(facts, address), self.via(facts, address))
            )
        return node

    def _call(self, facts: Facts, instr: Instr) -> int:
        call = instr.detail
        args = [self.value(facts, a) if carries(t) else NO for a, t in zip(instr.args, call.arg_types, strict=False)]
        if call.callee in self.defined and not self.allocators.of(call.callee).calls:
            result = self.function(call.callee).result if carries(instr.type) else NO
        else:
            result = self.solution.node() if carries(instr.type) else NO
        site = Site(facts, instr, args, result)
        if call.callee is None and call.asm is None:
            facts.pointers.append(instr)
            self.solution.each(self.value(facts, instr.args[-1]), lambda place: self._calls.through(site, place, args))
        else:
            self._calls.by_name(site, call.callee)
        return result


def _is_from(facts: Facts, op: Operand, kind: str) -> bool:
    return isinstance(op, int) and facts.fn.definer[op] >= 0 and facts.fn.instrs[facts.fn.definer[op]].op == kind
