"""The violated property of a failure, as a term over the cells at the end of the path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from butfor.errors import UnsupportedError
from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.failures.memory_errors import index_outside
from butfor.ir.instructions import Operand
from butfor.ir.machine_types import Kind
from butfor.ir.recording_segments import access_size
from butfor.libc.library import allocation_sizes
from butfor.logic.signed_overflow import fits_signed
from butfor.logic.terms import FALSE, Term, binary, compare, conjunction, const, disjunction, equal, negate, resize
from butfor.path.lift.branch_conditions import ConditionEvaluation, ConditionEvaluations
from butfor.path.lift.byte_origins import ReadByte
from butfor.path.lift.register_terms import UNDETERMINED
from butfor.path.lift.wanted_output import wanted_output
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import ObjectKind
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import RunObject, RunObjects
from butfor.trace.view.source_places import Places

PAGE_BYTES = 4096  # the page at address 0 is never mapped: a pointer below is a null pointer

SeenOperand = tuple[int, Operand]  # an operand and the segment instance in which it is seen


@dataclass(frozen=True, slots=True)
class Check:
    """What is checked at `node`: a condition of the source that was decided against, or a property of operands."""

    node: Node
    operands: tuple[SeenOperand, ...] = ()
    bytes: tuple[ReadByte, ...] = ()  # that a library call read
    build: Callable[[list[Term]], Term] = lambda terms: FALSE
    decided: ConditionEvaluation | None = None
    approximate: tuple[str, ...] = field(default=())


def _is_inside(index: Term, count: int | None) -> Term:
    """An index is not outside of an array of so many elements; None: of any number."""
    zero = const(0, index.width)
    return compare("sle", zero, index) if count is None else compare("ult", index, const(count, index.width))


class ViolatedProperties:
    """Finds the check of a failure."""

    def __init__(
        self,
        places: Places,
        dependence: Dependence,
        objects: RunObjects,
        evaluations: ConditionEvaluations,
        is_check: Callable[[Node], bool],
    ) -> None:
        self.places = places
        self.dependence = dependence
        self.trace: Trace = dependence.trace
        self.objects = objects
        self.evaluations = evaluations
        self.is_check = is_check

    def of(self, point: FailurePoint, *, endless: bool = False) -> Check:
        """The check; raises UnsupportedError if the failure is no property of a state. `endless`: not ending is one."""
        if point.kind is FailureKind.NO_END and point.node is not None and endless:
            return Check(
                point.node,
                approximate=("that the run ends is not part of the path: its check is that its end is not reached",),
            )
        if point.kind is FailureKind.NO_END or point.node is None:
            raise UnsupportedError("the path of a run that does not end")
        match point.kind:
            case FailureKind.ASSERTION:
                return self._assertion(point.node)
            case FailureKind.REACH_ERROR:
                return Check(point.node)
            case FailureKind.DIVISION:
                return self._division(point.node)
            case FailureKind.ARITHMETIC:
                return self._arithmetic(point, point.node)
            case FailureKind.EXIT_STATUS:
                return self._exit(point, point.node)
            case FailureKind.OUTPUT:
                return self._output(point, point.node)
        return self._access(point, point.node)

    def _assertion(self, node: Node) -> Check:
        branch = self.dependence.control(node[0])
        if branch is None or not self.trace.instr(branch).is_branch or not self.is_check(branch):
            return Check(node)
        return Check(node, decided=self.evaluations.of(branch))

    def _division(self, node: Node) -> Check:
        i = node[0]
        instr = self.trace.instr(node)
        width = instr.type.bits
        zero, least, minus = const(0, width), const(1 << width - 1, width), const(-1, width)
        if self.trace.operand(i, instr.args[1]) == 0:
            return Check(node, ((i, instr.args[1]),), build=lambda t: negate(equal(t[0], zero)))
        return Check(
            node,
            tuple((i, a) for a in instr.args),
            build=lambda t: negate(conjunction((equal(t[0], least), equal(t[1], minus)))),
        )

    def _arithmetic(self, point: FailurePoint, node: Node) -> Check:
        """The operation has a result."""
        instr = self.trace.instr(node)
        width, operands = instr.type.bits, tuple((node[0], a) for a in instr.args)
        if instr.op in ("add", "sub", "mul"):
            return Check(node, operands, build=lambda t: fits_signed(instr.op, t[0], t[1]))
        if instr.op == "call":  # of abs
            least = const(1 << width - 1, width)
            return Check(node, operands[:1], build=lambda t: negate(equal(t[0], least)))
        if instr.op in ("shl", "lshr", "ashr"):
            return Check(node, operands[1:], build=lambda t: compare("ult", t[0], const(width, width)))
        return self._other(point, node)

    def _exit(self, point: FailurePoint, node: Node) -> Check:
        expected = int(point.details["expected"]) & 0xFF
        args = self.trace.instr(node).args
        if not args:
            return Check(node)
        return Check(node, ((node[0], args[0]),), build=lambda t: equal(resize(t[0], 8), const(expected, 8)))

    # --- memory -------------------------------------------------------------------------------------------------------

    def _access(self, point: FailurePoint, node: Node) -> Check:
        instr = self.trace.instr(node)
        if instr.accesses_memory:
            pointer, size = instr.address, access_size(instr)
            try:
                address = int(self.trace.operand(node[0], pointer))
            except UNDETERMINED:
                return self._other(point, node)
            if address < PAGE_BYTES:
                return Check(
                    node, ((node[0], pointer),), build=lambda t: negate(compare("ult", t[0], const(PAGE_BYTES, 64)))
                )
            outside = index_outside(self.trace, node) if point.details.get("memory") == "out-of-member" else None
            if outside is not None:
                count = outside.index.count
                return Check(node, ((node[0], outside.index.operand),), build=lambda t: _is_inside(t[0], count))
            o = self._object(point)
            if o is not None and point.details.get("memory") == "out-of-bounds":
                return self._bounds(node, pointer, o, size)
        if instr.op == "call" and point.kind is FailureKind.SIGNAL:
            null = [(node[0], a) for a in instr.args if isinstance(a, int) and self._is_null(node[0], a)]
            if null:
                return Check(
                    node,
                    tuple(null),
                    build=lambda ts: conjunction(negate(compare("ult", t, const(PAGE_BYTES, 64))) for t in ts),
                )
        return self._other(point, node)

    def _is_null(self, i: int, op: int) -> bool:
        t = self.trace.at(i).fn.operand_type(op)
        try:
            return t.kind is Kind.PTR and int(self.trace.operand(i, op)) < PAGE_BYTES
        except UNDETERMINED:
            return False

    def _object(self, point: FailurePoint) -> RunObject | None:
        """The object that an access was meant for."""
        for e in self.trace.log.error:
            if int(e["addr"]) == point.details.get("address") and int(e["object"]):
                return self.objects.by_number(int(e["object"]))
        return None

    def _bounds(self, node: Node, pointer: Operand, o: RunObject, size: int) -> Check:
        """The access lies within the object, whose size may have been computed too."""
        asked = self._size_of(o)

        def build(terms: list[Term]) -> Term:
            offset = binary("add", terms[0], const(-o.start, 64))
            room: Term = const(o.size, 64)
            if len(terms) > 1:
                # Old code may declare an allocator that takes an int.
                sizes = [resize(t, 64) for t in terms[1:]]
                room = sizes[0] if len(sizes) == 1 else binary("mul", sizes[0], sizes[1])
            fits = compare("ule", const(size, 64), room)
            return conjunction((fits, compare("ule", offset, binary("sub", room, const(size, 64)))))

        return Check(node, ((node[0], pointer), *asked), build=build)

    def _size_of(self, o: RunObject) -> list[SeenOperand]:
        """The arguments from which the size of a heap block came."""
        call = self.trace.at(o.birth).call if o.kind == ObjectKind.HEAP and o.birth >= 0 else None
        if call is None:
            return []
        return [(o.birth, call.args[k]) for k in allocation_sizes(call.callee)]

    # --- values -------------------------------------------------------------------------------------------------------

    def _output(self, point: FailurePoint, node: Node) -> Check:
        if point.details.get("difference") == "missing":
            return Check(
                node,
                approximate=(
                    "what would have been printed is not part of the path: its check is that its end is not reached",
                ),
            )
        found = wanted_output(self.trace, point, node)
        if found is not None:
            return Check(node, found.operands, found.bytes, found.build, approximate=found.approximate)
        return self._other(point, node)

    def _seen(self, roots: tuple[Node, ...]) -> list[SeenOperand]:
        """Roots as operands: registers themselves, of stores what they stored."""
        found: list[SeenOperand] = []
        for root in roots:
            if root[1] < 0:
                continue
            instr = self.trace.instr(root)
            if instr.op == "store":
                found.append((root[0], instr.args[0]))
            elif instr.slot >= 0 and not (instr.op == "call" and self._is_act(root)):
                found.append((root[0], instr.slot))
        return found

    def _is_act(self, node: Node) -> bool:
        s = self.trace.at(node[0])
        return s.seg.start <= node[1] < s.seg.end and s.layout.kinds[node[1]] not in ("pure", "opaque")

    def _other(self, point: FailurePoint, node: Node) -> Check:
        """One of the values that were wrong is another one."""
        found, recorded = [], []
        for i, op in self._seen(point.roots):
            try:
                value = self.trace.operand(i, op)
            except UNDETERMINED:
                continue
            if isinstance(value, int):
                found.append((i, op))
                recorded.append(value)
        if not found:
            return Check(node)
        note = "what the right value is, is not known: the check is that a value which was wrong is another one"

        def build(terms: list[Term]) -> Term:
            return disjunction(negate(equal(t, const(v, t.width))) for t, v in zip(terms, recorded, strict=True))

        return Check(node, tuple(found), build=build, approximate=(note,))
