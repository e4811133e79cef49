"""Library calls as instances: copies are exact, inputs free or pinned, the rest is as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from butfor.ir.instructions import Const
from butfor.libc.library import lookup
from butfor.logic.terms import TRUE, Term, concat, conjunction, const, equal, extract
from butfor.path.lift.byte_origins import ByteOrigins, ReadByte
from butfor.path.lift.cell_memory import NOT_FOLLOWED, PathMemory
from butfor.path.lift.cell_names import CellNames
from butfor.path.lift.effects import Copy, Effect, calls_own_function, ranges_read
from butfor.path.lift.external_inputs import ExternalInputs
from butfor.path.lift.lifting_state import Draft, KeptValue, LiftingState
from butfor.path.lift.register_terms import RegisterTerms, operation_words
from butfor.path.lift.used_values import Gathered
from butfor.path.path_model import Act, Cell, CellBytes, Input, Kind
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place

MAX_BYTES_READ_PER_CALL = 1024  # of which the cells become arguments of the call


class LibraryCalls:
    """Makes the instances of library calls."""

    def __init__(
        self,
        trace: Trace,
        state: LiftingState,
        memory: PathMemory,
        registers: RegisterTerms,
        names: CellNames,
        gathered: Gathered,
        inputs: ExternalInputs,
        origins: ByteOrigins,
        results: Mapping[Node, Cell],
    ) -> None:
        self.trace = trace
        self.state = state
        self.memory = memory
        self.registers = registers
        self.names = names
        self.gathered = gathered
        self.inputs = inputs
        self.origins = origins
        self.results = results  # of functions of the program that have returned
        self._texts: dict[Node, Cell] = {}
        self._arguments_read: dict[str, Cell] = {}

    @property
    def is_free(self) -> bool:
        """Whether inputs may be anything."""
        return self.memory.inputs is not None

    def lift(self, effect: Effect, place: Place) -> None:
        """Add the instances of one call."""
        self.state.flush()
        frame = self.trace.log.frame_of(effect.node[0])
        copies = self.gathered.copies.get(effect.node)
        if copies:
            self._copied(effect, place, frame, copies)
        if calls_own_function(self.trace, effect.node):
            return  # what the function does is on the path
        draft = Draft(Kind.ASSIGN, place, effect.at, frame)
        source = self.inputs.result(effect.node[0]) or self.inputs.parsed(effect.node[0])
        arguments = self._arguments(effect) if source is None else []
        if not copies:
            self._written(effect, draft, arguments)
        self._text(effect, draft, arguments, source)
        result = self._result(effect, draft, arguments, source)
        if not draft.writes:
            return
        if any(term is None for _, term in draft.writes.values()):
            draft.kind = Kind.HAVOC
        self.state.emit(draft)
        if result is not None:
            self.state.remember(effect.at, result)

    def _arguments(self, effect: Effect) -> list[tuple[Term, int]]:
        """What the call was given and what it read, each with its recorded value."""
        i = effect.node[0]
        instr = self.trace.instr(effect.node)
        called = lookup(instr.callee) if instr.op == "call" else None
        if called is not None and called.allocates is not None and not called.allocates.keeps_content:
            return []  # which block it gave does not depend on its size
        found = []
        for a in instr.args:
            value = int(self.registers.constant(a).data or 0) if isinstance(a, Const) else None
            if value is None:
                assert isinstance(a, int)
                value = self.registers.values.recorded(self.trace.definition(i, a))
            found.append((self.registers.operand(i, a), value))
        for r in self._read(effect):
            found.append((self.memory.value(r), self.state.now[r.cell.name]))
        for ret in self.origins.dependence.callback_returns(i):
            if ret in self.results:
                cell = self.results[ret]
                found.append((cell.term, self.state.now[cell.name]))
        if self.is_free:
            found += [(self._argument(source).term, 1) for source in self.inputs.arguments_read(i)]
        found += [(self._texts[w].term, 1) for w in self.gathered.texts.get(effect.node, ()) if w in self._texts]
        return found

    def _argument(self, source: Input) -> Cell:
        """The cell that tells whether the text of an argument is as recorded."""
        if source.name not in self._arguments_read:
            cell = self.names.text(f"argv[{source.name}]", "is as in this run")
            self._arguments_read[source.name] = cell
            self.state.start(cell, None)
            self.state.now[cell.name] = 1
            self.memory.prologue.append((cell, 1, source))
        return self._arguments_read[source.name]

    @cached_property
    def _needed(self) -> frozenset[Node]:
        """The calls that left something which only other library calls read; block copies count if they are needed."""
        texts, copies = self.gathered.texts, self.gathered.copies
        found: set[Node] = set()
        work = [w for node, left in texts.items() if node not in copies for w in left]
        while work:
            node = work.pop()
            if node not in found:
                found.add(node)
                work += texts.get(node, ()) if node in copies else ()
        return frozenset(found)

    def _text(self, effect: Effect, draft: Draft, arguments: list[tuple[Term, int]], source: Input | None) -> None:
        """What a call left for other library calls, of which only matters that it is as recorded."""
        if effect.node not in self._needed:
            return
        source = source or self.inputs.first(effect.node[0])
        term = None if source is not None and self.is_free else self.state.all_as_recorded(arguments)
        if term is TRUE:
            return
        cell = self.names.text(operation_words(self.trace.instr(effect.node)), "did as in this run")
        self._texts[effect.node] = cell
        draft.writes[cell.name] = (cell, term)
        draft.recorded[cell.name] = 1
        if source is not None:
            draft.inputs[cell.name] = source

    def _read(self, effect: Effect) -> list[CellBytes]:
        """The cells that the call read."""
        i = effect.node[0]
        instr = self.trace.instr(effect.node)
        if instr.op != "call":
            address = int(self.trace.operand(i, instr.args[0]))
            return self.memory.held(address, len(self.trace.stored_bytes(effect.node)), i)
        found: dict[str, CellBytes] = {}
        for _, address, size in ranges_read(self.trace, effect.node):
            held = self.memory.held(address, min(size, MAX_BYTES_READ_PER_CALL), i)
            found.update((r.cell.name, r) for r in held)
        return list(found.values())

    def _written(self, effect: Effect, draft: Draft, arguments: list[tuple[Term, int]]) -> None:
        """The cells that the call left a value in which was read later."""
        left = self.gathered.left.get(effect.node, {})
        i = effect.node[0]
        ranges = {r.cell.name: r for address in left for r in self.memory.storage.at(address, 1, effect.at[0])}
        for r in ranges.values():
            data = [left.get(r.start + k) for k in range(r.size)]
            if any(b is None for b in data):
                continue  # only a part of it: what is read from it then is as recorded
            value = int.from_bytes(bytes(b or 0 for b in data), "little")
            source = self.inputs.stored(i, r.start, r.size)
            term: Term | None
            if source is None:
                term = self.state.as_recorded(
                    arguments, value, r.cell.sort, operation_words(self.trace.instr(effect.node))
                )
            else:
                term = None if self.is_free else const(value, r.cell.sort)
                draft.inputs[r.cell.name] = source
            draft.writes[r.cell.name] = (r.cell, term)
            draft.recorded[r.cell.name] = value
            draft.acts[r.cell.name] = Act(effect.at)
            self.memory.mark([r], effect.node)

    def _result(
        self, effect: Effect, draft: Draft, arguments: list[tuple[Term, int]], source: Input | None
    ) -> KeptValue | None:
        if effect.at not in self.gathered.bases:
            return None
        width = self.registers.values.width(effect.at)
        value = self.registers.values.recorded(effect.at)
        if not width:
            return None
        instr = self.trace.instr(effect.node)
        cell = self.names.result(
            operation_words(instr).removesuffix("()"), width, self.trace.at(effect.node[0]).fn.name
        )
        term = (
            None
            if source is not None and self.is_free
            else self.state.as_recorded(arguments, value, width, operation_words(instr))
        )
        if source is not None:
            draft.inputs[cell.name] = source
        draft.writes[cell.name] = (cell, term)
        draft.recorded[cell.name] = value
        draft.acts[cell.name] = Act(effect.at, is_result=True)
        return KeptValue(cell.term, value, cell.shown, draft.place, effect.at, draft.frame)

    # --- copies -------------------------------------------------------------------------------------------------------

    def _copied(self, effect: Effect, place: Place, frame: int, copies: list[Copy]) -> None:
        """A copy of so many bytes from here to there, if it was asked for just that."""
        i = effect.node[0]
        instr = self.trace.instr(effect.node)
        for copy in copies:
            self.memory.agree(copy.source, self.origins.copied(copy), effect.node, place)
        conditions = []
        sources = {copy.source for copy in copies} if calls_own_function(self.trace, effect.node) else None
        for a in instr.args:
            if isinstance(a, int):
                value = self.registers.values.recorded(self.trace.definition(i, a))
                if sources is not None and value not in sources:
                    continue  # another argument, which says nothing about what is copied
                term = self.registers.operand(i, a)
                conditions.append(self.state.simplify(equal(term, const(value, term.width))))
        self.state.assume(self.state.simplify(conjunction(conditions)), place, effect.node, frame, is_address=True)
        draft = Draft(Kind.ASSIGN, place, effect.node, frame)
        for copy in copies:
            for r in self.memory.storage.at(copy.to, copy.size, copy.arrived):
                self._copy(effect, draft, copy, r)
        if draft.writes:
            self.state.emit(draft)

    def _copy(self, effect: Effect, draft: Draft, copy: Copy, r: CellBytes) -> None:
        """One cell of what was written, byte by byte from the cells that were read."""
        i = effect.node[0]
        left = self.gathered.left.get(effect.node, {})
        parts: list[Term] = []
        data = bytearray()
        for k in range(r.size):
            at = r.start + k
            source = (
                self.memory.held(copy.source + at - copy.to, 1, i)
                if copy.to <= at < copy.to + copy.size
                else self.memory.held(at, 1, copy.arrived)
            )
            byte = left.get(at)
            if source:
                low = 8 * (
                    (copy.source + at - copy.to if copy.to <= at < copy.to + copy.size else at) - source[0].start
                )
                parts.append(extract(self.memory.value(source[0]), low, 8))
                now = self.state.now[source[0].cell.name] >> low & 0xFF
                if byte is not None and byte != now:
                    return  # it was changed by something that is not followed
                data.append(now)
            elif byte is not None:
                if copy.to <= at < copy.to + copy.size and self._was_written(copy, at - copy.to):
                    self.state.approximate.setdefault(NOT_FOLLOWED)
                parts.append(const(byte, 8))
                data.append(byte)
            else:
                return  # not read later, or not known
        value = int.from_bytes(data, "little")
        draft.writes[r.cell.name] = (r.cell, self.state.simplify(_joined(parts)))
        draft.recorded[r.cell.name] = value
        draft.acts[r.cell.name] = Act(effect.at)
        self.memory.mark([r], effect.node)

    def _was_written(self, copy: Copy, offset: int) -> bool:
        """Whether a byte that was copied came from a statement, which the path does not have then."""
        return self.origins.read(ReadByte(copy.event, offset, copy.source + offset)).node is not None


def _joined(parts: list[Term]) -> Term:
    """Bytes side by side; neighbouring bytes of one term together."""
    runs: list[tuple[Term, int, int]] = []
    for p in parts:
        inner, low = (p.args[0], int(p.data or 0)) if p.op == "extract" else (p, 0)
        if runs and runs[-1][0] is inner and runs[-1][1] + runs[-1][2] == low:
            runs[-1] = inner, runs[-1][1], runs[-1][2] + 8
        else:
            runs.append((inner, low, 8))
    return concat(extract(t, low, width) for t, low, width in runs)
