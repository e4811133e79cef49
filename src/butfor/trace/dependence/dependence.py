"""Dependences of each instance: on values, addresses, control, calls, and potential ones on branches."""

from __future__ import annotations

import math

import numpy as np

from butfor.ir.flow_graphs import control_dependence, immediate_dominators, immediate_postdominators, successors
from butfor.ir.instructions import Instr, Operand
from butfor.libc.library import control_of, is_setjmp
from butfor.libc.record import Control
from butfor.trace.dependence.potential_dependence import PotentialDependence
from butfor.trace.last_writers import ByteSource
from butfor.trace.log.record_layout import NO_SITE, EventKind
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.trace import Node, Trace, UnknownValue

# The kind and the target: data, address, control, call, potential; initial with target (address, -1) and uninit with
# target (address, -2) lead to bytes that no instance wrote.
Edge = tuple[str, Node]
_MAX_STEPS_BACK = 64  # segments of the frame; beyond, the positions of the branches themselves are searched
_MAX_CALLBACKS = 256  # of one library call, such as the comparisons of a sort: later ones say the same
_FRAMES_PER_CHUNK = 4096  # examined with one numpy operation
_MAX_VA_LIST_DEPTH = 4  # calls that a va_list is passed down, as in printf wrappers


class Dependence:
    """Dependences of instances, computed on demand; pointers are followed for so many seconds."""

    def __init__(self, trace: Trace, seconds_for_pointers: float = math.inf) -> None:
        self.trace = trace
        self.log = trace.log
        self._control: dict[str, tuple[tuple[tuple[int, int], ...], ...]] = {}
        self._dominators: dict[str, tuple[int, ...]] = {}
        self._joins: dict[str, tuple[int, ...]] = {}
        self._parents: dict[int, Node | None] = {}
        self._returns: dict[int, list[Node]] = {}  # of callbacks, by the call that made them
        self.potential_dependence = PotentialDependence(trace, seconds_for_pointers)

    # --- control --------------------------------------------------------------------------------------------

    def control(self, i: int) -> Node | None:
        """The branch or the call that this segment instance is control dependent on; None at the entry of main."""
        if i in self._parents:
            return self._parents[i]
        s = self.trace.at(i)
        deps = self._control_dependences(s)[s.seg.block]
        found = self._latest_branch(i, s, {b for b, _ in deps}) if deps else None
        parent = self.trace.call_of(i) if found is None else (found, self.trace.at(found).last.index)
        self._parents[i] = parent
        return parent

    def _control_dependences(self, s: StaticSegment) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The branches and arms that each block of a function is control dependent on."""
        deps = self._control.get(s.fn.name)
        if deps is None:
            deps = control_dependence(successors(s.fn))
            self._control[s.fn.name] = deps
        return deps

    def is_guard(self, node: Node) -> bool:
        """Whether a branch only guards the rest of its function: one of its arms leads straight to the end."""
        s = self.trace.at(node[0])
        if s.last.op != "br" or node[1] != s.last.index:
            return False
        join = self._join(s)
        return join >= len(s.fn.blocks) or s.fn.terminator(join).op == "ret"

    def _join(self, s: StaticSegment) -> int:
        """The block where the arms of a segment's branch come together again."""
        after = self._joins.get(s.fn.name)
        if after is None:
            after = immediate_postdominators(successors(s.fn))
            self._joins[s.fn.name] = after
        return after[s.seg.block]

    def merged_values(self, branch: Node) -> list[Node]:
        """The phis at which the arms of a branch come together: the value of `a && b` or `c ? x : y`, if it is in one.

        None where the run left the expression otherwise, or where it is longer than expressions are.
        """
        s = self.trace.at(branch[0])
        join = self._join(s)
        if join >= len(s.fn.blocks):
            return []
        phis = [instr.index for instr in s.fn.block_instrs(join) if instr.op == "phi"]
        i = branch[0]
        for _ in range(_MAX_STEPS_BACK if phis else 0):
            i = self.trace.next_in_frame(i)
            if i < 0:
                break
            if self.trace.at(i).seg.block == join:
                return [(i, n) for n in phis]
        return []

    def _latest_branch(self, i: int, s: StaticSegment, branches: set[int]) -> int | None:
        """The latest earlier instance, in the same frame, of one of these branches."""
        numbers = {self.trace.static.last_of_block(s.fn, b) for b in branches}
        j = i
        for _ in range(_MAX_STEPS_BACK):
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

    # --- data -----------------------------------------------------------------------------------------------

    def edges(self, node: Node) -> list[Edge]:
        """The data, address and call dependences of an instance."""
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
        """The variadic arguments that a load may have read through a va_list, None if it read no such argument."""
        i = node[0]
        for _ in range(_MAX_VA_LIST_DEPTH):
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
        base = int(self.log.frame["base"][self.log.frame_of(frame)])
        if base <= address < base + self.trace.at(frame).layout.frame_size:  # the reader's own local
            return None
        instr = self.trace.instr(call)
        raw = int.from_bytes(self.trace.loaded_bytes(node)[:8], "little")
        places = range(fixed, len(instr.detail.arg_types))
        equal = [k for k in places if not instr.detail.byval[k] and self._has_value(call[0], instr.args[k], raw)]
        edges: list[Edge] = [("call", call)]
        for k in equal or places:
            edges += self._operands("data", call[0], (instr.args[k],))
        return edges + ([] if equal else self._library_reads(call[0]))

    def _has_value(self, i: int, op: Operand, raw: int) -> bool:
        try:
            value = self.trace.operand(i, op)
        except UnknownValue:
            return False
        return bool(value == raw)

    def source_edge(self, source: ByteSource) -> list[Edge]:
        """The edge to the source of a byte, if it has a known one."""
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
        if int(e["kind"]) == EventKind.BEFORE:
            return None
        if site != NO_SITE:
            return i, site
        call = self.trace.at(i).call
        if call is not None:
            return i, call.index
        return self.trace.call_of(i)  # library code wrote after it had called back

    def _phi(self, node: Node) -> list[Edge]:
        """The operand that a phi took and the branches that chose it.

        These are the ones since the block ran that all ways to the phi lead through, or since the phi was last there:
        what came before a round of a loop chose the values of earlier rounds.
        """
        chosen, at = self.trace.phi_choice(node)
        edges = self._operands("data", at, (chosen,))
        s = self.trace.at(node[0])
        doms = self._dominators.get(s.fn.name)
        if doms is None:
            doms = immediate_dominators(successors(s.fn))
            self._dominators[s.fn.name] = doms
        own = s.seg.block
        here = self.trace.at(at)
        if len(here.fn.blocks[here.seg.block].succs) > 1:
            edges.append(("data", (at, here.last.index)))
        while here.seg.block not in (doms[own], own):
            parent = self.control(at)
            if parent is None or self.log.frame_of(parent[0]) != self.log.frame_of(node[0]):
                break
            if self._is_between(own, parent[0], at):
                break
            edges.append(("data", parent))
            at = parent[0]
            here = self.trace.at(at)
        return edges

    def _is_between(self, block: int, first: int, last: int) -> bool:
        """Whether a block of the frame ran between two segment instances of it."""
        j = self.log.previous_in_frame(last)
        while j > first:
            if self.trace.at(j).seg.block == block:
                return True
            j = self.log.previous_in_frame(j)
        return False

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
        if s.seg.start <= n < s.seg.end:  # the call itself, not its result
            if kind == "internal":
                return []
            edges = self._operands("data", i, instr.args)
            return (
                edges + self._library_reads(i) + self._callback_edges(i) if kind in ("external", "indirect") else edges
            )
        ret = self.trace.return_instance(i)
        if ret is not None and kind in ("internal", "indirect"):
            return [("data", ret)]
        before = self.log.previous_in_frame(i)
        result: list[Edge] = [("data", (before, n))] if before >= 0 else []
        jump = self.trace.at(i - 1).call if i and is_setjmp(instr.callee) else None
        if jump is not None and control_of(jump.callee) is Control.LONGJMP:
            result.append(("data", (i - 1, jump.index)))
        return result

    def callback_returns(self, i: int) -> list[Node]:
        """The returns of the functions that a library call called back, such as the comparisons of a sort."""
        if (
            i + 1 >= len(self.trace)
            or not self.trace.begins_frame(i + 1)
            or int(self.log.frame["caller"][self.log.frame_of(i + 1)]) != i
        ):
            return []
        known = self._returns.get(i)
        if known is not None:
            return known
        starts = self._callback_entries(i, self.log.frame_of(i + 1))
        after = self.trace.next_in_frame(i)
        ends = [s - 1 for s in starts[1:]] + ([after - 1] if after > 0 and len(starts) <= _MAX_CALLBACKS else [])
        known = self._returns[i] = [(e, self.trace.at(e).last.index) for e in ends if self.trace.at(e).last.op == "ret"]
        return known

    def _callback_edges(self, i: int) -> list[Edge]:
        return [("data", node) for node in self.callback_returns(i)]

    def _callback_entries(self, i: int, first: int) -> list[int]:
        """The entries of functions that the call of segment instance i called back, up to one more than the maximum.

        `first` is the frame of the first one.
        """
        entries, callers, parents = self.log.frame["entry"], self.log.frame["caller"], self.log.frame["parent"]
        starts: list[int] = []
        for low in range(first, len(entries), _FRAMES_PER_CHUNK):
            high = min(low + _FRAMES_PER_CHUNK, len(entries))
            called = callers[low:high] == i
            outside = np.flatnonzero(
                ~called & ((parents[low:high] < first) | (parents[low:high] >= np.arange(low, high)))
            )
            end = int(outside[0]) if len(outside) else high - low
            starts += entries[low : low + end][called[:end]].tolist()
            if len(outside) or len(starts) > _MAX_CALLBACKS:
                break
        return starts[: _MAX_CALLBACKS + 1]

    def _library_reads(self, i: int) -> list[Edge]:
        """The edges to the sources of the bytes that a library call read."""
        edges: list[Edge] = []
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["kind"]) == EventKind.READ_BY_CALL:
                for writer, size, address in self.trace.last_writers.runs_read(k + 1, 0, int(e["len"]), int(e["addr"])):
                    for source in self.trace.last_writers.sources(writer, size, address):
                        edges += self.source_edge(source)
        return edges

    # --- potential ------------------------------------------------------------------------------------------

    def potential(self, node: Node) -> list[Edge]:
        """The edges to branches whose other arm would have assigned what a load read."""
        return [("potential", target) for target in self.potential_dependence.of_load(node)]

    def missing_output(self, since: int, until: int) -> list[Node]:
        """The branches between two segment instances whose other arm would have printed something."""
        return self.potential_dependence.missing_output(since, until)

    def potential_of_text(self, event: int, at: int) -> list[Node]:
        """The branches whose other arm would have assigned one byte that a library call read."""
        return self.potential_dependence.of_text(event, at)
