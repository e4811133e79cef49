"""What each instance depended on: values, addresses, decisions, calls, and decisions that kept another value from being assigned."""

from __future__ import annotations

from bisect import bisect_left

from butfor.program.graphs import control_dependence, immediate_dominators, successors
from butfor.program.maydefine import MayDefine, cell_key
from butfor.program.model import Instr, Operand
from butfor.trace.log import READ
from butfor.trace.memory import READ_BY_CALL, Source
from butfor.trace.static import StaticSegment
from butfor.trace.trace import Node, Trace, Unknown

Edge = tuple[str, Node]  # kinds: data, address, control, call, potential, initial (target: address, -1), uninit (target: address, -2)
_NO_SITE = 0xFFFFFFFF
_NEAR = 64


class Dependence:
    """Dependences of instances, computed when asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self._control: dict[str, tuple[tuple[tuple[int, int], ...], ...]] = {}
        self._dominators: dict[str, tuple[int, ...]] = {}
        self._parents: dict[int, Node | None] = {}
        self._may: MayDefine | None = None

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

    def _nearest(self, i: int, s: StaticSegment, branches: set[int]) -> int | None:
        """The latest earlier instance in the frame of one of these branches."""
        numbers = {self.trace.static.closing(s.fn, b) for b in branches}
        j = i
        for _ in range(_NEAR):
            j = self.log.previous_in_frame(j)
            if j < 0:
                return None
            if self.log.segment(j) in numbers:
                return j
        frame, entry = self.log.frame_of(i), self.trace.entry(i)
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
        except Unknown:
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
            for source in self.trace.memory.sources(writer, size):
                edges += self.source_edge(source)
        return edges + self._operands("address", node[0], instr.args[:1])

    def source_edge(self, source: Source) -> list[Edge]:
        """The edge to what a byte came from."""
        match source.kind:
            case "store":
                return [("data", self.trace.store_bytes(source.number)[1])]
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
        if site != _NO_SITE:
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
        except Unknown:
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
            return edges + self._library_reads(i) if kind in ("external", "indirect") else edges
        ret = self.trace.return_instance(i)
        if ret is not None and kind in ("internal", "indirect"):
            return [("data", ret)]
        before = self.log.previous_in_frame(i)
        return [("data", (before, n))] if before >= 0 else []

    def _library_reads(self, i: int) -> list[Edge]:
        """What a library call read from memory."""
        edges: list[Edge] = []
        column = self.log.event["seg"]
        k = bisect_left(column, i)
        while k < len(column) and int(column[k]) == i:
            if int(self.log.event[k]["kind"]) == READ_BY_CALL:
                for writer, size, address in self.trace.memory.runs(k + 1, 0, int(self.log.event[k]["len"]), int(self.log.event[k]["addr"])):
                    for source in self.trace.memory.sources(writer, size, address):
                        edges += self.source_edge(source)
            k += 1
        return edges

    # --- potential ----------------------------------------------------------------------------------------------------------

    def potential(self, node: Node) -> list[Edge]:
        """The decisions between the last assignment and this load that kept another assignment of the cell from running."""
        s = self.trace.at(node[0])
        instr = s.fn.instrs[node[1]]
        if instr.op != "load":
            return []
        key = cell_key(s.fn, instr.args[0], s.layout.frame)
        arms = self._may_define().arms.get(key) if key is not None else None
        if not arms or key is None:
            return []
        since = self._written_at(node)
        frame = self.log.frame_of(node[0]) if key[0] == "local" else None
        edges: list[Edge] = []
        for arm in arms:
            hit = self._avoided(arm.function, arm.block, arm.successor, since, node[0], frame)
            if hit is not None:
                edges.append(("potential", hit))
        return edges

    def _may_define(self) -> MayDefine:
        if self._may is None:
            executed = sorted({int(o) for o in self.log.table[list({int(x) for x in _distinct(self.log.seg)}), 6]})
            self._may = MayDefine(self.trace.program, tuple(self.trace.program.names[o] for o in executed))
        return self._may

    def _written_at(self, node: Node) -> int:
        """The segment instance of the latest write that the load saw."""
        latest = 0
        try:
            for writer, _ in self.trace.writers(node):
                if writer and writer < READ:
                    latest = max(latest, self.log.segment_of_store(writer >> 3))
        except Unknown:
            return node[0]
        return latest

    def _avoided(self, function: str, block: int, successor: int, since: int, until: int, frame: int | None) -> Node | None:
        fn = self.trace.program.function(function)
        places = self.log.positions(self.trace.static.closing(fn, block))
        k = int(places.searchsorted(until)) - 1
        for _ in range(_NEAR):
            if k < 0 or places[k] < since:
                return None
            p = int(places[k])
            if frame is None or self.log.frame_of(p) == frame:
                following = self.trace.next_in_frame(p)
                if following >= 0 and self.trace.at(following).seg.block != fn.blocks[block].succs[successor]:
                    return p, fn.instrs[fn.blocks[block].end - 1].index
            k -= 1
        return None


def _distinct(column: object) -> list[int]:
    import numpy as np

    return [int(x) for x in np.unique(np.asarray(column))]
