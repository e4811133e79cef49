"""Effects of a run: stores, branches, returns and library calls, which make up statement instances."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from butfor.ir.machine_types import Kind as TypeKind
from butfor.libc.library import control_of, lookup
from butfor.libc.record import Control
from butfor.trace.log.record_layout import NO_SITE, EventKind
from butfor.trace.trace import Node, Trace

MAX_COPIED_BYTES = 4096  # a longer copy is as recorded: its bytes are not followed one by one


class EffectKind(enum.Enum):
    """What an effect does."""

    STORE = "store"
    BRANCH = "branch"
    RETURN = "return"
    LIBRARY = "library"  # a call of library code, a copy, an atomic operation: known by what it read and left
    ASSUME = "assume"  # the program's own assumption
    POINTER = "pointer"  # a call of a function of the program by way of a pointer


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect. `at` is the instance at which it is complete: for a library call, its return."""

    what: EffectKind
    node: Node
    at: Node


class Effects:
    """Finds the effect that an instance belongs to."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._known: dict[Node, Effect | None] = {}

    def of(self, node: Node) -> Effect | None:
        """The effect of an instance that does something or is the result of a library call, else None."""
        if node not in self._known:
            self._known[node] = self._find(node) if node[1] >= 0 else None
        return self._known[node]

    def _find(self, node: Node) -> Effect | None:
        i, n = node
        s = self.trace.at(i)
        instr = s.fn.instrs[n]
        match instr.op:
            case "store":
                return Effect(EffectKind.STORE, node, node)
            case "br" | "switch" | "indirectbr" if instr.args:
                return Effect(EffectKind.BRANCH, node, node)
            case "ret" if instr.args:
                return Effect(EffectKind.RETURN, node, node)
            case "atomicrmw" | "cmpxchg":
                return Effect(EffectKind.LIBRARY, node, node)
            case "call":
                return self._call(node)
        return None

    def _call(self, node: Node) -> Effect | None:
        i, n = node
        s = self.trace.at(i)
        kind = s.layout.kinds[n]
        is_act = s.seg.start <= n < s.seg.end
        if kind in ("memory", "asm", "opaque") or (kind == "internal" and passes_structs(self.trace, node)):
            return Effect(EffectKind.LIBRARY, node, node)
        if kind not in ("external", "indirect"):
            return None
        if not is_act:
            before = self.trace.log.previous_in_frame(i)
            return self.of((before, n)) if before >= 0 else None
        after = self.trace.next_in_frame(i)
        if kind == "indirect" and self.is_own(node):
            return Effect(EffectKind.POINTER, node, node)
        if control_of(s.fn.instrs[n].callee) is Control.ASSUMPTION:
            return Effect(EffectKind.ASSUME, node, node) if after >= 0 else None
        return Effect(EffectKind.LIBRARY, node, (after, n)) if after >= 0 else None

    def assumptions(self, most: int) -> list[Node]:
        """The assumptions that the program made, the latest ones first."""
        found: list[Node] = []
        for number in np.flatnonzero(self.trace.log.counts).tolist():
            call = self.trace.static[number].call
            if call is not None and control_of(call.callee) is Control.ASSUMPTION:
                found += [(int(i), call.index) for i in self.trace.log.positions(number)[-most:]]
        return sorted(found, reverse=True)[:most]

    def is_own(self, act: Node) -> bool:
        """Whether an indirect call went to a function of the program."""
        return self.trace.function_at(self.trace.indirect_target(act)) is not None

    def all(self) -> Iterator[Effect]:
        """Every effect of the run, in order."""
        for i in range(len(self.trace)):
            s = self.trace.at(i)
            for n in range(s.seg.start, s.seg.end):
                effect = self.of((i, n)) if s.layout.kinds.get(n) != "ignored" else None
                if effect is not None and not (effect.what is EffectKind.LIBRARY and self._is_idle(effect)):
                    yield effect

    def _is_idle(self, effect: Effect) -> bool:
        """Whether a library call gives nothing and leaves nothing."""
        instr = self.trace.instr(effect.node)
        return instr.type.kind is TypeKind.VOID and not self.trace.log.events_of(effect.node[0])


def effects_of_nodes(effects: Effects, nodes: Iterable[Node], most: int) -> tuple[list[Effect], bool]:
    """The effects of instances given nearest first, in the order of the run, and whether that is all of them."""
    found: dict[Effect, None] = {}
    for node in nodes:
        effect = effects.of(node)
        if effect is not None and effect not in found:
            if len(found) >= most:
                return sorted(found, key=lambda h: h.at), False
            found[effect] = None
    return sorted(found, key=lambda h: h.at), True


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes that one effect copied; `event` is the row of the log that says so.

    `arrived`: a segment instance in which what they were copied to is there; that of a parameter is in the function.
    """

    event: int
    to: int
    source: int
    size: int
    arrived: int


def calls_own_function(trace: Trace, node: Node) -> bool:
    """Whether an instance is a call of a function of the program by its name."""
    return trace.at(node[0]).layout.kinds.get(node[1]) == "internal"


def passes_structs(trace: Trace, node: Node) -> bool:
    """Whether a call of a function, as the end of its segment, copied structs that it passes by value."""
    call = trace.at(node[0]).call
    if call is None or call.index != node[1]:
        return False
    rows = (trace.log.event[k] for k in trace.log.events_of(node[0]))
    return any(int(e["kind"]) == EventKind.COPY and int(e["site"]) == NO_SITE for e in rows)


def copies_of(trace: Trace, effect: Effect) -> list[Copy]:
    """What a call copied, if all that it does is to copy so many bytes, or to pass structs by value."""
    instr = trace.instr(effect.node)
    name = instr.callee or ""
    own = name.startswith("llvm.")
    called = lookup(name)
    if not calls_own_function(trace, effect.node) and (called is None or called.block_copy is None):
        return []
    rows = [(k, trace.log.event[k]) for k in trace.log.events_of(effect.node[0])]
    mine = [
        (k, e) for k, e in rows if int(e["kind"]) == EventKind.COPY and (not own or int(e["site"]) == effect.node[1])
    ]
    arrived = effect.node[0] + calls_own_function(trace, effect.node)
    found = [Copy(k, int(e["addr"]), int(e["addr2"]), int(e["len"]), arrived) for k, e in mine]
    return found if sum(c.size for c in found) <= MAX_COPIED_BYTES else []


def ranges_read(trace: Trace, node: Node) -> Iterator[tuple[int, int, int]]:
    """What a library call, or a copy that the compiler made, read: row of the log, address, size."""
    own = (trace.instr(node).callee or "").startswith("llvm.")
    for k in trace.log.events_of(node[0]):
        e = trace.log.event[k]
        kind, site = int(e["kind"]), int(e["site"])
        if kind == EventKind.COPY and site == (node[1] if own else NO_SITE):
            yield k, int(e["addr2"]), int(e["len"])
        elif kind == EventKind.READ_BY_CALL:
            yield k, int(e["addr"]), int(e["len"])
