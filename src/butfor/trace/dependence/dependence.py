"""What each instance depended on: values, addresses, decisions, calls, and decisions that kept another value from being assigned."""

from __future__ import annotations

import numpy as np

from butfor.ir.flow_graphs import control_dependence, immediate_dominators, immediate_postdominators, successors
from butfor.ir.instructions import Instr, Operand
from butfor.ir.recording_segments import LONGJMPS, SETJMPS
from butfor.trace.dependence.potential_dependence import Potential
from butfor.trace.last_writers import ByteSource
from butfor.trace.log.record_layout import NO_SITE, EventKind
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.trace import Node, Trace, UnknownValue

Edge = tuple[
    str, Node
]  # kinds: data, address, control, call, potential, initial (target: address, -1), uninit (target: address, -2)
_NEAR = 64
_CALLBACKS = 256
_AT_ONCE = 4096  # frames that are looked at together
_VARIADIC_DEPTH = 4


class Dependence:
    """Dependences of instances, computed when asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self._control: dict[str, tuple[tuple[tuple[int, int], ...], ...]] = {}
        self._dominators: dict[str, tuple[int, ...]] = {}
        self._joins: dict[str, tuple[int, ...]] = {}
        self._parents: dict[int, Node | None] = {}
        self._returns: dict[int, list[Edge]] = {}  # of callbacks, by the call that made them
        self.potentials = Potential(trace)

    # --- control ------------------------------------------------------------------------------------------------------------

    def control(self, i: int) -> Node | None:
        """The decision or the call that let this segment instance run; None for main's own entry."""
        if i in self._parents:
            return self._parents[i]
        s = self.trace.at(i)
        deps = self._dependences(s)[s.seg.block]
        found = self._nearest(i, s, {b for b, _ in deps}) if deps else None
        parent = self.trace.call_of(i) if found is None else (found, self.trace.at(found).last.index)
        self._parents[i] = parent
        return parent

    def _dependences(self, s: StaticSegment) -> tuple[tuple[tuple[int, int], ...], ...]:
        deps = self._control.get(s.fn.name)
        if deps is None:
            deps = control_dependence(successors(s.fn))
            self._control[s.fn.name] = deps
        return deps

    def is_guard(self, node: Node) -> bool:
        """Whether a decision only lets the rest of its function run: one of its ways leads straight to the end."""
        s = self.trace.at(node[0])
        if s.last.op != "br" or node[1] != s.last.index:
            return False
        after = self._joins.get(s.fn.name)
        if after is None:
            after = immediate_postdominators(successors(s.fn))
            self._joins[s.fn.name] = after
        join = after[s.seg.block]
        return join >= len(s.fn.blocks) or s.fn.instrs[s.fn.blocks[join].end - 1].op == "ret"

    def _nearest(self, i: int, s: StaticSegment, branches: set[int]) -> int | None:
        """The latest earlier instance in the frame of one of these branches."""
        numbers = {self.trace.static.last_of_block(s.fn, b) for b in branches}
        j = i
        for _ in range(_NEAR):
            j = self.log.previous_in_frame(j)
            if j < 0:
                return None
            if self.log.segment(j) in numbers:
                return j
        frame, entry = self.log.frame_of(i), self.trace.frame_entry(i)
        best = -1
        for number in numbers:
            places = self.log.positions(number)
            k = int(places.searchsorted(j)) - 1
            while k >= 0 and places[k] >= entry and places[k] > best:
                if self.log.frame_of(int(places[k])) == frame:
                    best = int(places[k])
                    break
                k -= 1
        return best if best >= 0 else None

    # --- data ---------------------------------------------------------------------------------------------------------------

    def edges(self, node: Node) -> list[Edge]:
        """The dependences of an instance other than on control."""
        try:
            return self._edges(node)
        except UnknownValue:
            return []

    def _edges(self, node: Node) -> list[Edge]:
        i, n = node
        if n < 0:
            return self._parameter(i, ~n)
        s = self.trace.at(i)
        instr = s.fn.instrs[n]
        match instr.op:
            case "load":
                return self._load(node, instr)
            case "store":
                return self._operands("data", i, instr.args[:1]) + self._operands("address", i, instr.args[1:])
            case "atomicrmw" | "cmpxchg":
                return self._load(node, instr) + self._operands("data", i, instr.args[1:])
            case "alloca":
                return [] if instr.slot in s.layout.frame else self._operands("data", i, instr.args)
            case "phi":
                return self._phi(node)
            case "select":
                return self._select(i, instr)
            case "call":
                return self._call(node, s, instr)
            case _:
                return self._operands("data", i, instr.args)

    def _operands(self, kind: str, i: int, args: tuple[Operand, ...]) -> list[Edge]:
        return [(kind, self.trace.definition(i, a)) for a in args if isinstance(a, int)]

    def _parameter(self, i: int, k: int) -> list[Edge]:
        call = self.trace.call_of(i)
        if call is None:
            return []
        edges: list[Edge] = [("call", call)]
        if self.trace.is_direct_call(call, self.trace.at(i).fn):
            instr = self.trace.instr(call)
            if k < len(instr.detail.arg_types):
                edges += self._operands("data", call[0], (instr.args[k],))
        return edges

    def _load(self, node: Node, instr: Instr) -> list[Edge]:
        edges: list[Edge] = []
        for writer, size in self.trace.writers(node):
            for source in self.trace.last_writers.sources(writer, size):
                passed = (
                    self._variadic(node, source.address) if source.kind in ("uninit", "foreign", "changed") else None
                )
                edges += self.source_edge(source) if passed is None else passed
        return edges + self._operands("address", node[0], instr.args[:1])

    def _variadic(self, node: Node, address: int) -> list[Edge] | None:
        """The arguments that a va_list gave access to, when the load may have read one."""
        i = node[0]
        for _ in range(_VARIADIC_DEPTH):
            fn = self.trace.at(i).fn
            call = self.trace.call_of(i)
            if call is None:
                return None
            if fn.variadic and self.trace.is_direct_call(call, fn):
                return self._variadic_arguments(node, address, call, len(fn.params))
            i = call[0]
        return None

    def _variadic_arguments(self, node: Node, address: int, call: Node, fixed: int) -> list[Edge] | None:
        frame = self.trace.frame_entry(node[0])
        o = self.log.frame["base"][self.log.frame_of(frame)]
        layout = self.trace.at(frame).layout
        if int(o) <= address < int(o) + layout.frame_size:  # the reader's own local
            return None
        instr = self.trace.instr(call)
        raw = int.from_bytes(self.trace.loaded_bytes(node)[:8], "little")
        places = range(fixed, len(instr.detail.arg_types))
        equal = [k for k in places if not instr.detail.byval[k] and self._shows(call[0], instr.args[k], raw)]
        edges: list[Edge] = [("call", call)]
        for k in equal or places:
            edges += self._operands("data", call[0], (instr.args[k],))
        return edges + ([] if equal else self._library_reads(call[0]))

    def _shows(self, i: int, op: Operand, raw: int) -> bool:
        try:
            value = self.trace.operand(i, op)
        except UnknownValue:
            return False
        return bool(value == raw)

    def source_edge(self, source: ByteSource) -> list[Edge]:
        """The edge to what a byte came from."""
        match source.kind:
            case "store":
                return [("data", self.trace.find_store(source.number)[1])]
            case "event" | "changed":
                target = self.event_node(source.number) if source.number else None
                return [("data", target)] if target is not None else []
            case "initial":
                return [("initial", (source.address, -1))]
            case "uninit":
                return [("uninit", (source.address, -2))]
            case _:
                return []

    def event_node(self, number: int) -> Node | None:
        """The instance of the copy or of the library call that an event belongs to."""
        e = self.log.event[number - 1]
        i, site = int(e["seg"]), int(e["site"])
        if site != NO_SITE:
            return i, site
        call = self.trace.at(i).call
        if call is not None:
            return i, call.index
        return self.trace.call_of(i)  # library code wrote after it had called back

    def _phi(self, node: Node) -> list[Edge]:
        """The operand taken and the decisions that chose it."""
        chosen, at = self.trace.phi_choice(node)
        edges = self._operands("data", at, (chosen,))
        s = self.trace.at(node[0])
        doms = self._dominators.get(s.fn.name)
        if doms is None:
            doms = immediate_dominators(successors(s.fn))
            self._dominators[s.fn.name] = doms
        stop = doms[s.seg.block]
        here = self.trace.at(at)
        if len(here.fn.blocks[here.seg.block].succs) > 1:
            edges.append(("data", (at, here.last.index)))
        while here.seg.block != stop:
            parent = self.control(at)
            if parent is None or self.log.frame_of(parent[0]) != self.log.frame_of(node[0]):
                break
            edges.append(("data", parent))
            at = parent[0]
            here = self.trace.at(at)
        return edges

    def _select(self, i: int, instr: Instr) -> list[Edge]:
        edges = self._operands("data", i, instr.args[:1])
        try:
            condition = self.trace.operand(i, instr.args[0])
        except UnknownValue:
            return edges + self._operands("data", i, instr.args[1:])
        if isinstance(condition, tuple):
            return edges + self._operands("data", i, instr.args[1:])
        return edges + self._operands("data", i, instr.args[1:2] if condition else instr.args[2:3])

    def _call(self, node: Node, s: StaticSegment, instr: Instr) -> list[Edge]:
        i, n = node
        kind = s.layout.kinds[n]
        if s.seg.start <= n < s.seg.end:  # the act of calling
            if kind in ("internal",):
                return []
            edges = self._operands("data", i, instr.args)
            return edges + self._library_reads(i) + self._called_back(i) if kind in ("external", "indirect") else edges
        ret = self.trace.return_instance(i)
        if ret is not None and kind in ("internal", "indirect"):
            return [("data", ret)]
        before = self.log.previous_in_frame(i)
        result: list[Edge] = [("data", (before, n))] if before >= 0 else []
        jump = self.trace.at(i - 1).call if i and instr.detail.callee in SETJMPS else None
        if jump is not None and jump.detail.callee in LONGJMPS:
            result.append(("data", (i - 1, jump.index)))
        return result

    def called_back(self, i: int) -> list[Node]:
        """The returns of functions that a library call called back."""
        return [node for _, node in self._called_back(i)]

    def _called_back(self, i: int) -> list[Edge]:
        """The returns of functions that a library call called back, such as the comparisons of a sort."""
        if (
            i + 1 >= len(self.trace)
            or not self.trace.begins_frame(i + 1)
            or int(self.log.frame["caller"][self.log.frame_of(i + 1)]) != i
        ):
            return []
        known = self._returns.get(i)
        if known is not None:
            return known
        starts = self._callbacks(i, self.log.frame_of(i + 1))
        after = self.trace.next_in_frame(i)
        ends = [s - 1 for s in starts[1:]] + ([after - 1] if after > 0 and len(starts) <= _CALLBACKS else [])
        known = self._returns[i] = [
            ("data", (e, self.trace.at(e).last.index)) for e in ends if self.trace.at(e).last.op == "ret"
        ]
        return known

    def _callbacks(self, i: int, first: int) -> list[int]:
        """The entries of the functions that the call at the end of a segment instance called back, the frame of the first given; not all if many."""
        entries, callers, parents = self.log.frame["entry"], self.log.frame["caller"], self.log.frame["parent"]
        starts: list[int] = []
        for low in range(first, len(entries), _AT_ONCE):
            high = min(low + _AT_ONCE, len(entries))
            called = callers[low:high] == i
            outside = np.flatnonzero(
                ~called & ((parents[low:high] < first) | (parents[low:high] >= np.arange(low, high)))
            )
            end = int(outside[0]) if len(outside) else high - low
            starts += entries[low : low + end][called[:end]].tolist()
            if len(outside) or len(starts) > _CALLBACKS:
                break
        return starts[: _CALLBACKS + 1]

    def _library_reads(self, i: int) -> list[Edge]:
        """What a library call read from memory."""
        edges: list[Edge] = []
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["kind"]) == EventKind.READ_BY_CALL:
                for writer, size, address in self.trace.last_writers.runs_read(k + 1, 0, int(e["len"]), int(e["addr"])):
                    for source in self.trace.last_writers.sources(writer, size, address):
                        edges += self.source_edge(source)
        return edges

    # --- potential ----------------------------------------------------------------------------------------------------------

    def potential(self, node: Node) -> list[Edge]:
        """The decisions between the last assignment and this load that kept another assignment of the cell from running."""
        return [("potential", target) for target in self.potentials.of(node)]

    def missing_output(self, since: int, until: int) -> list[Node]:
        """The decisions between two points that kept something from being printed."""
        return self.potentials.missing_output(since, until)

    def kept_text(self, event: int, at: int) -> list[Node]:
        """The decisions that kept one byte of what a library call read from being assigned again."""
        return self.potentials.of_text(event, at)
