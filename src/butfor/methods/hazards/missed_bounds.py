"""Who should have kept an access inside of its object: the checks of its index, their limits, the call that led there.

A function that is handed a buffer and no limit cannot check: the call is in question, not the access. A check lets the
index through because it is wrong or because its limit is: what gave the limit is in question, also in the caller if
the access kept to it. Without any check, one may be missing. An index below the first element may be of a wrong type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.failures.memory_errors import errors_with_objects
from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.ir.recording_segments import variable_and_offset
from butfor.methods.case import FailingRun
from butfor.trace.semantics.integers import signed
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.source_places import Place

MAX_SEGMENTS_SEARCHED = 5_000  # of the frame, before the access: a check that is farther away checks something else
_MAX_COPIES = 3  # of an index from one variable to another
_COPIES = frozenset(("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast", "gep", "phi"))
_ARITHMETIC = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor select".split())

Name = int | str  # the slot of a local variable, the name of a global one


@dataclass(frozen=True, slots=True)
class MissedBound:
    """A statement that may have to keep the access inside: `kind` says why: passed, checked, limit, …"""

    place: Place
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Check:
    """The last comparison of an index with a limit: its instance, and the operand that is the limit."""

    node: Node
    limit: Operand


@dataclass(frozen=True, slots=True)
class _Room:
    """The memory that an access should have stayed in: an object, or an array inside of one."""

    start: int
    size: int
    name: str


def missed_bounds(case: FailingRun) -> Iterator[MissedBound]:
    """The statements in question for an access outside of an object or of an array in it, if that is the failure."""
    point = case.point
    if point.kind is FailureKind.MEMORY and point.node is not None:
        room = _room(case, point)
        if room is not None:
            yield from _Search(case, room).found(point.node)


def _room(case: FailingRun, point: FailurePoint) -> _Room | None:
    match point.details.get("memory"):
        case "out-of-bounds":
            errors = errors_with_objects(case.trace, case.objects)
            o = next((o for p, o in errors if p.node == point.node), None)
            return _Room(o.start, o.size, o.describe()) if o is not None else None
        case "out-of-member" if point.details.get("elements") is not None:
            # an index counts elements, and one of them is accessed; a text has its size in bytes
            width = int(point.details["size"]) if "index" in point.details else 1
            name = point.details["array"] or "an array"
            return _Room(int(point.details["array_start"]), int(point.details["elements"]) * width, name)
    return None


class _Search:
    """The search for one access."""

    def __init__(self, case: FailingRun, accessed: _Room) -> None:
        self.case = case
        self.trace = case.trace
        self.accessed = accessed
        self.name = accessed.name
        self.address = int(case.point.details["address"])
        self.width = max(int(case.point.details["size"]), 1)
        self.element = (self.address - accessed.start) // self.width

    def found(self, node: Node) -> Iterator[MissedBound]:
        """The statements in question for the access at an instance."""
        index = self._index(node)
        names = self._names(node, index)
        checks = list(self._checks(node, names))
        if self.address < self.accessed.start:
            yield from self._signed_indices(node, names)
        if not checks:
            is_unlimited = self.trace.instr(node).op == "call" and not index  # strcpy and the like
            call = node if is_unlimited else self._call_with_buffer(node)
            if call is not None:
                yield from self._at(
                    call, "passed", f"it hands {self.name} to `{self._callee(call)}`, which has no limit to check"
                )
                for check in self._checks_of_length(call):
                    yield from self._of_check(check)
                return
            yield from self._at(
                node, "unchecked", f"nothing compared the index with a limit before it left {self.name}"
            )
            guard = self.case.dependence.control(node[0])
            if guard is not None and self.trace.instr(guard).is_branch:
                yield from self._at(
                    guard, "guard", "it lets the access run, and nothing compares the index with a limit"
                )
        for check in checks:
            yield from self._of_check(check)

    def _of_check(self, check: _Check) -> Iterator[MissedBound]:
        place = self.case.places.of(check.node)
        if place is None:
            return
        givers = list(self._givers(check.node[0], check.limit))
        is_from_outside = any(self.trace.log.frame_of(g[0]) != self.trace.log.frame_of(check.node[0]) for g in givers)
        if not (is_from_outside and self._is_kept(check)):
            yield from self._at(check.node, "checked", f"it checks a limit, and let the access leave {self.name}")
        for giver in givers:
            yield from self._at(
                giver, "limit", f"it gives the limit of `{place.text}`, which let the index leave {self.name}"
            )

    def _at(self, node: Node, kind: str, text: str) -> Iterator[MissedBound]:
        place = self.case.places.of(node)
        if place is not None and self.case.may_be_changed(place):
            yield MissedBound(place, kind, text)

    # --- the function and its callers -----------------------------------------------------------------------------

    def _call_with_buffer(self, node: Node) -> Node | None:
        """The call that handed the object to the function of an access, with no count or one that was kept to."""
        call = self.trace.call_of(node[0])
        if call is None or not self.trace.is_direct_call(call, self.trace.at(node[0]).fn):
            return None
        instr = self.trace.instr(call)
        buffers: list[int] = []
        counts: list[int] = []
        for t, argument in zip(instr.detail.arg_types, instr.args, strict=False):
            value = self._number(call[0], argument) if t.kind in (Kind.PTR, Kind.INT) else None
            if value is not None and t.kind is Kind.INT:
                counts.append(signed(value, t.bits))
            elif value is not None and self._is_inside(value):
                buffers.append(value)
        is_kept = not counts or any(self.address < start + self.width * n for start in buffers for n in counts)
        return call if buffers and is_kept else None

    def _callee(self, call: Node) -> str:
        return self.trace.instr(call).callee or "another function"

    def _is_inside(self, address: int) -> bool:
        return self.accessed.start <= address <= self.accessed.start + self.accessed.size

    def _number(self, i: int, operand: Operand) -> int | None:
        try:
            return int(self.trace.operand(i, operand))
        except (UnknownValue, TypeError, ValueError):
            return None

    def _is_kept(self, check: _Check) -> bool:
        """Whether the access is where the limit allows it."""
        value = self._number(check.node[0], check.limit)
        t = self.trace.instr(check.node).detail[1]
        if value is None:
            return False
        return self.address <= value if t.kind is Kind.PTR else self.element <= signed(value, t.bits)

    # --- the index and its checks ---------------------------------------------------------------------------------

    def _index(self, node: Node) -> tuple[Operand, ...]:
        """The operands that say where an access goes."""
        instr = self.trace.instr(node)
        if instr.op == "call":
            return tuple(a for t, a in zip(instr.detail.arg_types, instr.args, strict=False) if t.kind is Kind.INT)
        return (instr.address,) if instr.accesses_memory else ()

    def _names(self, node: Node, index: tuple[Operand, ...]) -> set[Name]:
        """The variables of the function that the index is computed from, and those that they were copied from."""
        fn = self.trace.at(node[0]).fn
        found = {name for operand in index for name in self._variables(fn, operand)}
        stores = list(self._assignments(node[0], index))
        for _ in range(_MAX_COPIES):
            copied: list[Node] = []
            for store in stores:
                value = self.trace.instr(store).args[0]
                if self.trace.at(store[0]).fn is fn and self._is_copy(fn, value):
                    found |= self._variables(fn, value)
                    copied += self._assignments(store[0], (value,))
            stores = copied
        return found

    def _checks(self, node: Node, names: set[Name]) -> Iterator[_Check]:
        """The last instances of comparisons of the index with something else, nearest first."""
        fn = self.trace.at(node[0]).fn
        for i, n in self._comparisons(node):
            limit = self._limit(fn, fn.instrs[n], names)
            if limit is not None:
                yield _Check((i, n), limit)

    def _comparisons(self, node: Node) -> Iterator[Node]:
        """The last instance of each comparison of a frame before an instance, nearest first."""
        fn = self.trace.at(node[0]).fn
        met: set[int] = set()
        i, end = node
        for _ in range(MAX_SEGMENTS_SEARCHED):
            for n in range(end - 1, self.trace.at(i).seg.start - 1, -1):
                if fn.instrs[n].op == "icmp" and n not in met:
                    met.add(n)
                    yield i, n
            i = self.trace.log.previous_in_frame(i)
            if i < 0:
                return
            end = self.trace.at(i).seg.end

    def _checks_of_length(self, call: Node) -> Iterator[_Check]:
        """The comparisons before a call of what a function such as `strlen` says of the buffer that is handed over."""
        fn = self.trace.at(call[0]).fn
        buffers = {name for argument in self._pointers(self.trace.instr(call)) for name in self._roots(fn, argument)}

        def measures(operand: Operand) -> bool:
            return any(
                buffers & self._roots(fn, argument)
                for instr in self._sources(fn, operand, _COPIES | _ARITHMETIC, "call")
                for argument in self._pointers(instr)
            )

        for i, n in self._comparisons(call):
            left, right = fn.instrs[n].args
            limit = right if measures(left) else left
            if measures(left) != measures(right) and _is_limit(limit):
                yield _Check((i, n), limit)

    def _pointers(self, call: Instr) -> list[Operand]:
        return [a for t, a in zip(call.detail.arg_types, call.args, strict=False) if t.kind is Kind.PTR]

    def _roots(self, fn: Function, pointer: Operand) -> set[Name]:
        """The variables that a pointer is computed from, or that it points into."""
        root = variable_and_offset(fn, pointer, self.trace.program.layout(fn.name).frame)
        return self._variables(fn, pointer) | ({root[0]} if root is not None else set())

    def _limit(self, fn: Function, comparison: Instr, names: set[Name]) -> Operand | None:
        """The side of a comparison that the index is compared with; None for other comparisons, and for signs."""
        left, right = comparison.args
        for index, limit in ((left, right), (right, left)):
            if self._variables(fn, index) & names and not self._variables(fn, limit) & names:
                return limit if _is_limit(limit) else None
        return None

    def _variables(self, fn: Function, operand: Operand) -> set[Name]:
        """The variables that an operand is computed from, without what is read through pointers."""
        found: set[Name] = set()
        for load in self._sources(fn, operand, _COPIES | _ARITHMETIC, "load"):
            root = variable_and_offset(fn, load.address, self.trace.program.layout(fn.name).frame)
            if root is not None:
                found.add(root[0])
        return found

    def _is_copy(self, fn: Function, operand: Operand) -> bool:
        """Whether an operand is a variable as it is, or an element's address."""
        return any(True for _ in self._sources(fn, operand, _COPIES, "load"))

    def _sources(self, fn: Function, operand: Operand, through: frozenset[str], wanted: str) -> Iterator[Instr]:
        """The loads or calls that an operand is computed from."""
        work, met = [operand], set()
        while work:
            slot = work.pop()
            if not isinstance(slot, int) or slot in met or fn.definer[slot] < 0:
                continue
            met.add(slot)
            instr = fn.instrs[fn.definer[slot]]
            if instr.op == wanted:
                yield instr
            elif instr.op in through:
                work += instr.args

    def _assignments(self, i: int, operands: tuple[Operand, ...]) -> Iterator[Node]:
        """The assignments that gave the variables in operands their values, seen from segment instance i."""
        work = [self.trace.definition(i, a) for a in operands if isinstance(a, int)]
        met: set[Node] = set()
        while work:
            node = work.pop()
            if node in met or node[1] < 0:
                continue
            met.add(node)
            instr = self.trace.instr(node)
            sources = [source for kind, source in self.case.dependence.edges(node) if kind == "data"]
            if instr.op == "load":
                yield from (s for s in sources if s[1] >= 0 and self.trace.instr(s).op == "store")
            elif instr.op in _COPIES or instr.op in _ARITHMETIC:
                work += sources

    def _givers(self, i: int, limit: Operand) -> Iterator[Node]:
        """The statements that gave a limit its value, also through parameters; not what hands over the object."""
        for store in dict.fromkeys(self._assignments(i, (limit,))):
            value = self.trace.instr(store).args[0]
            fn = self.trace.at(store[0]).fn
            if not isinstance(value, int) or fn.definer[value] >= 0:
                yield store
                continue
            call = self.trace.call_of(store[0])
            if call is None or not self.trace.is_direct_call(call, fn):
                continue
            argument = self.trace.instr(call).args[value]
            number = self._number(call[0], argument)
            if number is not None and number == self.accessed.start:
                continue
            before = list(self._givers(call[0], argument)) if isinstance(argument, int) else []
            yield from before or [call]

    def _signed_indices(self, node: Node, names: set[Name]) -> Iterator[MissedBound]:
        """The declarations of signed integers in the index, which lies before the first element."""
        fn = self.trace.at(node[0]).fn
        for slot, variable in self.case.recording.source.variables(fn).items():
            place = self.case.places.declaration(variable, fn.name) if slot in names else None
            if place is not None and variable.type.kind == "signed" and self.case.may_be_changed(place):
                yield MissedBound(
                    place, "type", f"`{variable.name}` is signed, and a negative index leaves {self.name}"
                )


def _is_limit(operand: Operand) -> bool:
    """Whether something is compared with more than zero or NULL."""
    return isinstance(operand, int) or (operand.kind == "int" and bool(operand.value))
