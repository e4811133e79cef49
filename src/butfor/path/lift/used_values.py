"""What the effects of a path use: values, and the memory accesses from which cells are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from butfor.ir.flow_graphs import immediate_dominators, successors
from butfor.ir.instructions import Block, Operand
from butfor.ir.machine_types import Kind, store_size
from butfor.path.lift.branch_conditions import ConditionEvaluations
from butfor.path.lift.byte_origins import ByteOrigins, ReadByte
from butfor.path.lift.cell_names import CellNames
from butfor.path.lift.condition_terms import hypothetical_loads, stretch_since
from butfor.path.lift.effects import Copy, Effect, EffectKind, copies_of, ranges_read
from butfor.path.lift.memory_cells import MemoryCells
from butfor.path.lift.register_terms import UNDETERMINED, operands
from butfor.trace.log.record_layout import FIRST_EVENT_ID, record_number
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Places

_BASES = frozenset(("load", "phi", "call"))
MAX_BYTES_READ_PER_CALL = 4096  # whose writers are followed


@dataclass(slots=True)
class Gathered:
    """What effects use: loads, phis and results in `bases`, the bytes of each writer that were read later in `left`."""

    bases: set[Node] = field(default_factory=set)
    left: dict[Node, dict[int, int]] = field(default_factory=dict)  # writer -> address -> byte
    copies: dict[Node, list[Copy]] = field(default_factory=dict)
    passed: dict[Node, Node] = field(default_factory=dict)  # loads of variable arguments -> what was passed
    texts: dict[Node, set[Node]] = field(
        default_factory=dict
    )  # library calls -> the library calls that left what they read


class UsedValues:
    """Walk from effects to what they use."""

    def __init__(
        self,
        trace: Trace,
        places: Places,
        storage: MemoryCells,
        names: CellNames,
        origins: ByteOrigins,
        evaluations: ConditionEvaluations,
    ) -> None:
        self.trace = trace
        self.places = places
        self.storage = storage
        self.names = names
        self.origins = origins
        self.evaluations = evaluations
        self.found = Gathered()
        self._seen: set[Node] = set()
        self._dominators: dict[str, tuple[int, ...]] = {}
        self._written: dict[tuple[str, int], str | None] = {}

    def written(self, load: Node) -> str | None:
        """What a load reads, as the source writes it."""
        key = self.trace.at(load[0]).fn.name, load[1]
        if key not in self._written:
            self._written[key] = self.places.lvalue_text(self.trace.instr(load))
        return self._written[key]

    def effects(self, effects: Iterable[Effect]) -> None:
        """Gather what effects use, with the accesses that copies lead to."""
        copying: list[Effect] = []
        for effect in effects:
            i = effect.node[0]
            instr = self.trace.instr(effect.node)
            match effect.what:
                case EffectKind.STORE:
                    self._access(effect.node, instr.args[1], store_size(instr.detail))
                    self.values((i, a) for a in instr.args)
                case EffectKind.BRANCH:
                    self._branch(effect.node)
                case EffectKind.LIBRARY if instr.op == "call":
                    self.values((i, a) for a in instr.args)
                    self.found.texts[effect.node] = self._texts(effect)
                    if copies_of(self.trace, effect):
                        copying.append(effect)
                case _:
                    self.values((i, a) for a in instr.args)
        for effect in sorted(copying, key=lambda h: h.at, reverse=True):
            self._copies(effect)

    def _texts(self, effect: Effect) -> set[Node]:
        """The library calls that left the bytes which a library call read."""
        found: set[Node] = set()
        for k, address, size in ranges_read(self.trace, effect.node):
            for writer, _, _ in self.trace.last_writers.runs_read(
                k + 1, 0, min(size, MAX_BYTES_READ_PER_CALL), address
            ):
                node = self.origins.dependence.event_node(record_number(writer)) if writer >= FIRST_EVENT_ID else None
                if node is not None and node != effect.node:
                    found.add(node)
        return found

    def _branch(self, node: Node) -> None:
        decided = self.evaluations.of(node)
        for part in decided.nodes if decided is not None else (node,):
            self.values([(part[0], self.trace.instr(part).args[0])])
        if decided is not None:
            for address, size in hypothetical_loads(self.trace, decided.stretch, decided.blocks):
                self.storage.add(address, size, decided.stretch.last)

    def _access(self, node: Node, pointer: Operand, size: int) -> None:
        try:
            address = int(self.trace.operand(node[0], pointer))
        except UNDETERMINED:
            return
        self.storage.add(address, size, node[0])
        where = self.places.location(self.trace.instr(node))
        tree = self.places.tree(where.file) if where is not None else None
        self.names.note(
            address,
            size,
            tree.target_at(where.line, where.column) if where is not None and tree is not None else None,
            is_pointer=self.trace.instr(node).op == "store" and self.trace.instr(node).detail.kind is Kind.PTR,
        )

    def _copies(self, effect: Effect) -> None:
        i = effect.node[0]
        for copy in copies_of(self.trace, effect):
            for low, high in self.storage.touched(copy.to, copy.size, copy.arrived):
                self.storage.add(copy.source + low - copy.to, high - low, i)
            self.found.copies.setdefault(effect.node, []).append(copy)

    def bytes_read(self, wanted: Iterable[tuple[int, ReadByte]]) -> None:
        """Gather bytes that a library call of a segment instance read."""
        for i, byte in wanted:
            self.storage.add(byte.address, 1, i)
            origin = self.origins.read(byte)
            if origin.node is not None and origin.byte is not None:
                self.found.left.setdefault(origin.node, {})[byte.address] = origin.byte

    def values(self, wanted: Iterable[tuple[int, Operand]]) -> None:
        """Gather what some operands are computed from."""
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
            except UNDETERMINED:
                continue

    def _definition(self, i: int, op: Operand) -> list[Node]:
        try:
            return [self.trace.definition(i, op)] if isinstance(op, int) else []
        except UNDETERMINED:
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
        passed = self._passed(node, instr.args[0])
        if passed is not None:
            self.found.passed[node] = passed
            return [
                (node[0], instr.args[0]),
                (passed[0], self.trace.instr(passed).slot if passed[1] >= 0 else ~passed[1]),
            ]
        return [(node[0], instr.args[0])]

    def _passed(self, node: Node, pointer: Operand) -> Node | None:
        """The argument that a load reads which a va_list gave access to."""
        if self.storage.home(int(self.trace.operand(node[0], pointer)), node[0]).key != ("nowhere",):
            return None
        edges = self.origins.dependence.edges(node)
        values = [t for kind, t in edges if kind == "data"]
        return values[0] if len(values) == 1 and any(kind == "call" for kind, _ in edges) else None

    def _load(self, node: Node) -> None:
        instr = self.trace.instr(node)
        address = int(self.trace.operand(node[0], instr.args[0]))
        self.storage.add(address, store_size(instr.type), node[0])
        self.names.note(address, store_size(instr.type), self.written(node), is_pointer=instr.type.kind is Kind.PTR)
        start, last = 0, None
        for k, origin in enumerate(self.origins.of(node)):
            if origin.node is not None and origin.byte is not None:
                self.found.left.setdefault(origin.node, {})[address + k] = origin.byte
            if k and origin.node != last:  # bytes with different writers are different cells
                self.storage.add(address + start, k - start, node[0])
                start = k
            last = origin.node

    def _phi(self, node: Node) -> list[tuple[int, Operand]]:
        """The operand taken, and the conditions on the way to it."""
        chosen, at = self.trace.phi_choice(node)
        s = self.trace.at(node[0])
        known = self._dominators.get(s.fn.name)
        if known is None:
            known = self._dominators[s.fn.name] = immediate_dominators(successors(s.fn))
        wanted = [(at, chosen)]
        stretch = stretch_since(self.trace, node[0], known[s.seg.block]) if known[s.seg.block] >= 0 else None
        if stretch is None:
            return wanted
        for block, i in stretch.ran.items():
            last = s.fn.terminator(block)
            wanted += [(i, a) for a in last.args if last.op == "br"]
        others = frozenset(_between(s.fn.blocks, known[s.seg.block], s.seg.block))
        for address, size in hypothetical_loads(self.trace, stretch, others):
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
