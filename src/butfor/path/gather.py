"""What the heads of a path use: values that are read, merged or returned, and the accesses to memory from which cells are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from butfor.path.decided import Decidings
from butfor.path.heads import Head, What
from butfor.path.names import Names
from butfor.path.origins import Origins
from butfor.path.registers import CANNOT, operands
from butfor.path.storage import Storage
from butfor.path.ways import stretch_back, supposed_loads
from butfor.program.graphs import immediate_dominators, successors
from butfor.program.model import Block, Operand
from butfor.program.types import store_size
from butfor.trace.memory import COPY
from butfor.trace.places import Places
from butfor.trace.trace import Node, Trace

_BASES = frozenset(("load", "phi", "call"))
COPYING = frozenset("memcpy memmove mempcpy __memcpy_chk __memmove_chk __mempcpy_chk bcopy".split())
_LONGEST = 4096  # bytes of a copy that are followed


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes that one head copied."""

    to: int
    source: int
    size: int


@dataclass(slots=True)
class Gathered:
    """Values read from memory, merged or returned, that heads use; bytes that were left by each writer and read later; copies of heads."""

    bases: set[Node] = field(default_factory=set)
    left: dict[Node, dict[int, int]] = field(default_factory=dict)  # writer -> address -> byte
    copies: dict[Node, list[Copy]] = field(default_factory=dict)
    supposed: list[tuple[int, int, int]] = field(default_factory=list)  # address, size, segment instance


class Gatherer:
    """Walks from heads to what they use."""

    def __init__(self, trace: Trace, places: Places, storage: Storage, names: Names, origins: Origins, decidings: Decidings) -> None:
        self.trace = trace
        self.places = places
        self.storage = storage
        self.names = names
        self.origins = origins
        self.decidings = decidings
        self.found = Gathered()
        self._seen: set[Node] = set()
        self._dominators: dict[str, tuple[int, ...]] = {}

    def heads(self, heads: Iterable[Head]) -> None:
        """Gathers what heads use, the accesses that copies lead to included."""
        copying: list[Head] = []
        for head in heads:
            i = head.node[0]
            instr = self.trace.instr(head.node)
            match head.what:
                case What.STORE:
                    self._access(head.node, instr.args[1], store_size(instr.detail))
                    self.values((i, a) for a in instr.args)
                case What.BRANCH:
                    self._branch(head.node)
                case What.LIBRARY if instr.op == "call":
                    self.values((i, a) for a in instr.args)
                    if copies_of(self.trace, head):
                        copying.append(head)
                case _:
                    self.values((i, a) for a in instr.args)
        for head in sorted(copying, key=lambda h: h.at, reverse=True):
            self._copies(head)

    def _branch(self, node: Node) -> None:
        decided = self.decidings.of(node)
        for part in decided.nodes if decided is not None else (node,):
            self.values([(part[0], self.trace.instr(part).args[0])])
        if decided is not None:
            for address, size in supposed_loads(self.trace, decided.stretch, decided.blocks):
                self.found.supposed.append((address, size, decided.stretch.last))
                self.storage.add(address, size, decided.stretch.last)

    def _access(self, node: Node, pointer: Operand, size: int) -> None:
        try:
            address = int(self.trace.operand(node[0], pointer))
        except CANNOT:
            return
        self.storage.add(address, size, node[0])
        where = self.places.location(self.trace.instr(node))
        tree = self.places.tree(where.file) if where is not None else None
        self.names.note(address, size, tree.target_at(where.line, where.column) if where is not None and tree is not None else None)

    def _copies(self, head: Head) -> None:
        i = head.node[0]
        for copy in copies_of(self.trace, head):
            for low, high in self.storage.touched(copy.to, copy.size, i):
                self.storage.add(copy.source + low - copy.to, high - low, i)
            self.found.copies.setdefault(head.node, []).append(copy)

    def values(self, wanted: Iterable[tuple[int, Operand]]) -> None:
        """Gathers what some operands are computed from."""
        work = []
        for i, op in wanted:
            work += self._definition(i, op)
        while work:
            node = work.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            try:
                work += [d for i, op in self._next(node) for d in self._definition(i, op)]
            except CANNOT:
                continue

    def _definition(self, i: int, op: Operand) -> list[Node]:
        try:
            return [self.trace.definition(i, op)] if isinstance(op, int) else []
        except CANNOT:
            return []

    def _next(self, node: Node) -> list[tuple[int, Operand]]:
        if node[1] < 0 or self.trace.instr(node).op not in _BASES:
            return operands(self.trace, node)
        instr = self.trace.instr(node)
        if instr.op == "call":
            if self.trace.at(node[0]).layout.kinds[node[1]] == "pure":
                return operands(self.trace, node)
            self.found.bases.add(node)
            return []
        self.found.bases.add(node)
        if instr.op == "phi":
            return self._phi(node)
        self._load(node)
        return [(node[0], instr.args[0])]

    def _load(self, node: Node) -> None:
        instr = self.trace.instr(node)
        address = int(self.trace.operand(node[0], instr.args[0]))
        self.storage.add(address, store_size(instr.type), node[0])
        self.names.note(address, store_size(instr.type), self.places.written(instr))
        for k, origin in enumerate(self.origins.of(node)):
            if origin.node is not None:
                self.found.left.setdefault(origin.node, {})[address + k] = origin.byte

    def _phi(self, node: Node) -> list[tuple[int, Operand]]:
        """The operand taken, and the conditions on the way to it."""
        chosen, at = self.trace.phi_choice(node)
        s = self.trace.at(node[0])
        known = self._dominators.get(s.fn.name)
        if known is None:
            known = self._dominators[s.fn.name] = immediate_dominators(successors(s.fn))
        wanted = [(at, chosen)]
        stretch = stretch_back(self.trace, node[0], known[s.seg.block]) if known[s.seg.block] >= 0 else None
        if stretch is None:
            return wanted
        for block, i in stretch.ran.items():
            last = s.fn.instrs[s.fn.blocks[block].end - 1]
            wanted += [(i, a) for a in last.args if last.op == "br"]
        others = frozenset(_between(s.fn.blocks, known[s.seg.block], s.seg.block))
        for address, size in supposed_loads(self.trace, stretch, others):
            self.found.supposed.append((address, size, node[0]))
            self.storage.add(address, size, node[0])
        return wanted


def _between(blocks: list[Block], first: int, last: int) -> set[int]:
    found: set[int] = set()
    work = [last]
    while work:
        for before in blocks[work.pop()].preds:
            if before != first and before not in found:
                found.add(before)
                work.append(before)
    return found


def copies_of(trace: Trace, head: Head) -> list[Copy]:
    """What a call copied, if all that it does is to copy so many bytes."""
    instr = trace.instr(head.node)
    name = (instr.detail.callee or "") if instr.op == "call" else ""
    own = name.startswith(("llvm.memcpy", "llvm.memmove"))
    if not own and name not in COPYING:
        return []
    rows = [trace.log.event[k] for k in trace.log.events_of(head.node[0])]
    mine = [e for e in rows if int(e["kind"]) == COPY and (not own or int(e["site"]) == head.node[1])]
    found = [Copy(int(e["addr"]), int(e["addr2"]), int(e["len"])) for e in mine]
    return found if sum(c.size for c in found) <= _LONGEST else []
