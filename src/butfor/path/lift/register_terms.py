"""Values of registers as terms over the cells of a path."""

from __future__ import annotations

from butfor.encode.instance_values import Gap, InstanceValues, bits_of
from butfor.encode.instruction_terms import term_of, zero_rule
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.logic.terms import Term, const, ite
from butfor.path.lift.lifting_state import LiftingState
from butfor.path.path_formula import OVERFLOWING
from butfor.trace.semantics.instruction_semantics import SemanticsError, TrapError
from butfor.trace.trace import Node, Trace, UnknownValue

# What is raised for an instance whose value the recording does not determine.
UNDETERMINED = (UnknownValue, Gap, SemanticsError, TrapError)


def operands(trace: Trace, node: Node) -> list[tuple[int, Operand]]:
    """The operands that a register is computed from, each with the segment instance in which it is seen.

    None for values from memory.
    """
    i, n = node
    if n < 0:
        call = trace.call_of(i)
        fn = trace.at(i).fn
        if (
            call is None
            or fn.byval[~n]
            or not trace.is_direct_call(call, fn)
            or ~n >= len(trace.instr(call).detail.arg_types)
        ):
            return []
        return [(call[0], trace.instr(call).args[~n])]
    instr = trace.instr(node)
    if instr.op in ("load", "alloca", "phi", "atomicrmw", "cmpxchg"):
        return []
    if instr.op == "call":
        is_pure = trace.at(i).layout.kinds[n] == "pure"
        return [(i, a) for a in instr.args[: len(instr.detail.arg_types)]] if is_pure else []
    return [(i, a) for a in instr.args]


class RegisterTerms:
    """Terms of registers; values read from memory, merged values and results are those that the state remembers."""

    def __init__(self, trace: Trace, state: LiftingState) -> None:
        self.trace = trace
        self.state = state
        self.values = InstanceValues(trace)

    def operand(self, i: int, op: Operand) -> Term:
        """The term of an operand as seen in segment instance i."""
        if isinstance(op, Const):
            return self.constant(op)
        return self.term(self.trace.definition(i, op))

    def constant(self, op: Const) -> Term:
        """The term of a constant."""
        return self.values.operand(0, op)

    def term(self, node: Node) -> Term:
        """The term of a register; what is not remembered and not computed is as recorded."""
        known: dict[Node, Term] = {}
        stack = [node]
        while stack:
            top = stack[-1]
            if top in known:
                stack.pop()
                continue
            kept = self.state.recall(top)
            if kept is not None:
                known[top] = kept
                stack.pop()
                continue
            args = operands(self.trace, top)
            needed = [self.trace.definition(i, a) for i, a in args if isinstance(a, int)]
            missing = [d for d in needed if d not in known]
            if missing:
                stack.extend(missing)
                continue
            terms = [self.constant(a) if isinstance(a, Const) else known[self.trace.definition(i, a)] for i, a in args]
            known[top] = self.state.simplify(self._compute(top, terms))
            if top[1] >= 0 and known[top].op in OVERFLOWING:
                (self.state.exact if self.trace.instr(top).detail == "nsw" else self.state.wrapping).add(known[top])
            stack.pop()
        return known[node]

    def _compute(self, node: Node, args: list[Term]) -> Term:
        width = self.values.width(node)
        if not args:
            return const(self.values.recorded(node), width)
        if node[1] < 0:
            return args[0] if args[0].width == width else self._recorded(node, args, "a parameter of another type")
        instr = self.trace.instr(node)
        term = None
        if instr.op != "call":
            term = term_of(instr, args, self._type(node[0], instr.args[0]))
        if term is None or term.width != width:
            return self._recorded(node, args, operation_words(instr))
        return term

    def _type(self, i: int, op: Operand) -> Type:
        return op.type if isinstance(op, Const) else self.values.type_of(self.trace.definition(i, op))

    def _recorded(self, node: Node, args: list[Term], what: str) -> Term:
        """Recorded-value semantics for what solvers do not do well."""
        instr = self.trace.instr(node) if node[1] >= 0 else None
        pairs = [
            (t, self._recorded_operand(i, op)) for t, (i, op) in zip(args, operands(self.trace, node), strict=True)
        ]
        width = self.values.width(node)
        term = self.state.as_recorded(pairs, self.values.recorded(node), width, what)
        for condition, _ in zero_rule(instr, args, const(0, width)) if instr is not None and term.op != "const" else ():
            term = ite(condition, const(0, width), term)
        return term

    def _recorded_operand(self, i: int, op: Operand) -> int:
        return (
            self.values.recorded(self.trace.definition(i, op))
            if isinstance(op, int)
            else int(self.constant(op).data or 0)
        )

    def hypothetical_result(self, instr: Instr, args: list[Term], first: Type) -> Term | None:
        """The result that an instruction would have had; None where solvers do not do it well."""
        if instr.type.kind not in (Kind.INT, Kind.PTR):
            return None
        term = term_of(instr, args, first)
        return None if term is None or term.width != bits_of(instr.type) else self.state.simplify(term)


def operation_words(instr: Instr) -> str:
    """An operation in words, for what is not computed by solvers."""
    if instr.op == "call":
        name = instr.callee or "a function"
        return f"{name.removeprefix('llvm.').partition('.')[0]}()"
    names = {
        "mul": "a wide product",
        "udiv": "a wide division",
        "sdiv": "a wide division",
        "urem": "a wide remainder",
        "srem": "a wide remainder",
    }
    return names.get(
        instr.op,
        "a floating-point operation"
        if instr.op[0] == "f" or instr.type.kind is Kind.FLOAT
        else f"the operation {instr.op}",
    )
