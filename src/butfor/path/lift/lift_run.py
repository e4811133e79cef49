"""From a recorded failing run to a `Path`.

The effects that matter are taken from the backward slice of the failure, nearest first. They are lifted in the order of
the run with the values that they use; the stores of one statement instance become one assignment, the parts of one
condition one branch. Every term is evaluated with the recorded values when it is made: one that does not give what the
run gave is replaced by the recorded value, and the path says that it is approximate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from butfor.encode.instance_values import mask_of
from butfor.encode.justification import Justifier
from butfor.errors import UnsupportedError
from butfor.ir.machine_types import Kind as TypeKind
from butfor.ir.machine_types import store_size
from butfor.logic.terms import FALSE, TRUE, Term, binary, conjunction, const, equal, negate, resize
from butfor.path.lift.assemble_path import LiftedParts, assembled_path
from butfor.path.lift.branch_conditions import ConditionEvaluation, ConditionEvaluations
from butfor.path.lift.byte_origins import ByteOrigins, ReadByte
from butfor.path.lift.cell_memory import NOT_FOLLOWED, PathMemory
from butfor.path.lift.cell_names import CellNames
from butfor.path.lift.chosen_effects import MAX_EFFECTS_PER_PATH, EffectChoice, LiftableRun
from butfor.path.lift.condition_terms import ConditionTerms
from butfor.path.lift.effect_order import EffectOrder, ValueUse
from butfor.path.lift.effects import Effect, EffectKind, Effects
from butfor.path.lift.external_inputs import ExternalInputs
from butfor.path.lift.library_calls import LibraryCalls
from butfor.path.lift.lifting_state import Draft, KeptValue, LiftingState
from butfor.path.lift.memory_cells import MemoryCells
from butfor.path.lift.movable_stores import without_movable_stores
from butfor.path.lift.named_variables import named_variables
from butfor.path.lift.overwritten_cells import overwritten_cells
from butfor.path.lift.register_terms import UNDETERMINED, RegisterTerms
from butfor.path.lift.used_values import UsedValues
from butfor.path.lift.violated_property import Check, ViolatedProperties
from butfor.path.path_model import BRANCH, Act, Cell, Kind, Path
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place


def lift(
    run: LiftableRun,
    free_inputs: bool = False,
    *,
    whole: bool = False,
    most: int = MAX_EFFECTS_PER_PATH,
    endless: bool = False,
    also: Sequence[Node] = (),
) -> Path:
    """The failing path of a run; free inputs are any value, others as recorded.

    `whole`: everything that ran, not just the slice. `endless`: also of a run that does not end, up to the latest
    decision to go on. `also`: instances that are on it with all that they depend on, whatever the failure depends on.
    """
    return _Lifter(run, free_inputs, also).lift(whole, most, endless)


class _Lifter:
    """The lifting of one run."""

    def __init__(self, run: LiftableRun, free_inputs: bool, also: Sequence[Node] = ()) -> None:
        self.run = run
        self.also = also
        self.trace = run.recording.trace
        self.log = self.trace.log
        self.places = run.places
        self.dependence = run.dependence
        self.effects = Effects(self.trace)
        self.evaluations = ConditionEvaluations(self.trace, Justifier(self.dependence))
        self.potentials = self.dependence.potential_dependence
        self.names = CellNames(run.recording)
        self.storage = MemoryCells(self.potentials.objects, self.names.memory)
        self.state = LiftingState(self.names)
        self.inputs = ExternalInputs(run.recording)
        self.memory = PathMemory(
            self.trace, self.state, self.storage, self.potentials.hypothetical, self.inputs if free_inputs else None
        )
        self.registers = RegisterTerms(self.trace, self.state)
        self.condition_terms = ConditionTerms(self.trace, self.registers, self.memory.peek)
        self.origins = ByteOrigins(self.dependence)
        self.gatherer = UsedValues(self.trace, self.places, self.storage, self.names, self.origins, self.evaluations)
        self.results: dict[Node, Cell] = {}
        self.library = LibraryCalls(
            self.trace,
            self.state,
            self.memory,
            self.registers,
            self.names,
            self.gatherer.found,
            self.inputs,
            self.origins,
            self.results,
        )
        self.whole: dict[Node, Draft] = {}
        self.alone: dict[Node, Draft] = {}
        self.decided: dict[int, ConditionEvaluation] = {}  # by the identity of the draft
        self._writers: dict[Node, Place] = {}
        self._fallback: Place | None = None

    # --- the whole ----------------------------------------------------------------------------------------------------

    def lift(self, whole: bool, most: int, endless: bool) -> Path:
        check = ViolatedProperties(self.places, self.dependence, self.run.objects, self.evaluations, self._is_check).of(
            self.run.point, endless=endless
        )
        self._fallback = self._place_or_none(check.node)
        if self._fallback is None:
            raise UnsupportedError("a failure outside of the program's own sources has no path")
        choice = EffectChoice(self.run, self.effects, self.evaluations).of(check, whole, most, self.also)
        effects = choice.effects
        self.memory.starts.update(choice.starts)
        if not choice.complete:
            self.state.approximate.setdefault(NOT_FOLLOWED)
        self._gather(effects, check)
        order = EffectOrder(self.trace, self.dependence, self.evaluations, effects, self.gatherer.found.bases)
        self._parts = order.parts
        for item in order.items(check):
            self.run.require_time()
            if isinstance(item, ValueUse):
                self._use(item.at)
            else:
                self._do(item)
        self.state.flush()
        phi = self._phi(check)
        self.state.approximate.update(dict.fromkeys(check.approximate))
        parts = LiftedParts(
            self.state,
            self.whole,
            self.alone,
            self.decided,
            self._place(check.node),
            self._start_place(),
            self.run.silent,
            endless,
        )
        path = assembled_path(parts, check.node, phi, self.run, self.storage, self.memory.prologue)
        path = replace(path, overwritten=overwritten_cells(self.run, path), variables=named_variables(self.run, path))
        return without_movable_stores(self.run, path)

    def _gather(self, effects: list[Effect], check: Check) -> None:
        if check.decided is not None:
            self.gatherer.effects([Effect(EffectKind.BRANCH, check.decided.last, check.decided.last)])
        self.gatherer.values(check.operands)
        self.gatherer.bytes_read((check.node[0], byte) for byte in check.bytes)
        self.gatherer.effects(effects)

    # --- places -------------------------------------------------------------------------------------------------------

    def _place_or_none(self, node: Node) -> Place | None:
        return self.places.of(node) or self.places.of(self.places.in_user_code(node))

    def _place(self, node: Node) -> Place:
        found = self._place_or_none(node) or self._fallback
        assert found is not None
        return found

    def _start_place(self) -> Place:
        """Where the program begins."""
        fn = self.trace.at(0).fn
        where = self.places.source.function_location(fn.name)
        tree = self.places.tree(where.file) if where is not None else None
        if where is None or tree is None:
            return self._place((0, 0))
        return Place(
            self.places.shown(where.file),
            where.line,
            1,
            fn.name,
            tree.source.line(where.line).strip(),
            "function",
            where.file,
        )

    def _is_check(self, node: Node) -> bool:
        place = self.places.of(node)
        return place is not None and self.run.is_check(place)

    # --- values -------------------------------------------------------------------------------------------------------

    def _use(self, node: Node) -> None:
        """Keep a value that was read, merged or returned."""
        instr = self.trace.instr(node)
        place, frame = self._place(node), self.log.frame_of(node[0])
        try:
            value = self.registers.values.recorded(node)
            width = self.registers.values.width(node)
            if not width:
                return
            self.state.settle(place, frame)
            term = self._term_of(node, instr.op, place)
        except UNDETERMINED:
            return
        shown = self._shown(node, term)
        if term is None or term.width != width or not self._is_right(term, value, place):
            term = const(value, width)
        self.state.remember(node, KeptValue(term, value, shown, place, node, frame))

    def _shown(self, node: Node, term: Term | None) -> str:
        """How the source writes a value that was read."""
        written = self.gatherer.written(node) if self.trace.instr(node).op == "load" else None
        if written is None and term is not None and term.op == "var":
            written = self.state.cells[str(term.data)].shown
        return written or "value"

    def _term_of(self, node: Node, op: str, place: Place) -> Term | None:
        if op == "phi":
            return self.condition_terms.merged(node)
        if op == "call":
            ret = self.trace.return_instance(node[0])
            cell = self.results.get(ret) if ret is not None else None
            return None if cell is None else cell.term
        return self._loaded(node, place)

    def _loaded(self, node: Node, place: Place) -> Term | None:
        instr = self.trace.instr(node)
        address = int(self.trace.operand(node[0], instr.args[0]))
        self._points_to(node, instr.args[0], address, place)
        passed = self.gatherer.found.passed.get(node)
        if passed is not None:
            return self.state.simplify(resize(self.registers.term(passed), self.registers.values.width(node)))
        origins = self.origins.of(node)
        for o in origins:
            if o.node is not None and o.node not in self._writers:
                self._writers[o.node] = self._place(o.node)
        whole = self.memory.loaded(address, origins, node, place, self._writers)
        width = self.registers.values.width(node)
        if whole is None or whole.width < width:
            return None
        whole = resize(whole, width)
        if instr.type.kind in (TypeKind.STRUCT, TypeKind.ARRAY):
            whole = binary("and", whole, const(mask_of(instr.type), width))
        return self.state.simplify(whole)

    def _points_to(self, node: Node, pointer: object, address: int, place: Place) -> None:
        """Assume that a pointer was what it was, where that was computed."""
        term = self.registers.operand(node[0], pointer)  # type: ignore[arg-type]  # an operand
        condition = self.state.simplify(equal(term, const(address, term.width)))
        if condition is TRUE:
            return
        if condition is FALSE or not self.state.evaluate(condition):
            self.state.approximate.setdefault("an address is as recorded, whatever it was computed from")
            return
        draft = self.state.statement(place, node, self.log.frame_of(node[0]))
        draft.condition = conjunction((draft.condition, condition))

    def _is_right(self, term: Term, value: int, place: Place) -> bool:
        """Whether a term gives the recorded value; if not, the path is approximate."""
        if self.state.evaluate(term) == value:
            return True
        self.state.approximate.setdefault(
            f"a value at {place.file}:{place.line} is as recorded, whatever it was computed from"
        )
        return False

    # --- effects ------------------------------------------------------------------------------------------------------

    def _do(self, effect: Effect) -> None:
        place = self._place(effect.node)
        try:
            match effect.what:
                case EffectKind.STORE:
                    self._store(effect.node, place)
                case EffectKind.BRANCH:
                    self._branch(effect.node, place)
                case EffectKind.RETURN:
                    self._return(effect.node, place)
                case EffectKind.ASSUME:
                    self._assume(effect.node, place)
                case EffectKind.POINTER:
                    self._pointer(effect.node, place)
                case EffectKind.LIBRARY:
                    self.library.lift(effect, place)
        except UNDETERMINED:
            self.state.approximate.setdefault(
                f"what {place.file}:{place.line} did is as recorded: the recording does not say how it came about"
            )

    def _store(self, node: Node, place: Place) -> None:
        i = node[0]
        instr = self.trace.instr(node)
        data = self.trace.stored_bytes(node)
        if not data:  # the store that the run ended with
            return
        value = self.registers.operand(i, instr.args[0])
        address = int(self.trace.operand(i, instr.args[1]))
        frame = self.log.frame_of(i)
        self.state.statement(place, node, frame)
        self._points_to(node, instr.args[1], address, place)
        value = self.registers.operand(i, instr.args[0])  # again: another statement may just have been finished
        image = resize(value, 8 * store_size(instr.detail))
        if instr.detail.kind in (TypeKind.STRUCT, TypeKind.ARRAY):
            padding = int.from_bytes(data, "little") & ~mask_of(instr.detail)
            image = self.state.simplify(binary("or", image, const(padding, image.width)))
        if not self._is_right(image, int.from_bytes(data, "little"), place):
            image = const(int.from_bytes(data, "little"), 8 * len(data))
        draft = self.state.statement(place, node, frame)
        ranges = self.memory.store(draft, address, data, image, node)
        if len(ranges) == 1 and isinstance(instr.args[0], int) and ranges[0].cell.sort == value.width:
            self.state.stored(self.trace.definition(i, instr.args[0]), ranges[0].cell)

    def _branch(self, node: Node, place: Place) -> None:
        self.state.flush()
        decided = self.evaluations.of(node)
        if node in self._parts and (decided is None or decided.joins or decided.last != node):
            self._emit_branch(self.evaluations.alone(node), place, self.alone)
            return
        self._emit_branch(decided, place, self.whole)

    def _emit_branch(self, decided: ConditionEvaluation | None, place: Place, table: dict[Node, Draft]) -> None:
        if decided is None:
            return
        condition = self._condition(decided, place)
        draft = Draft(
            Kind.BRANCH,
            place,
            decided.last,
            self.log.frame_of(decided.last[0]),
            condition=condition,
            parts=decided.nodes,
            acts={BRANCH: Act(decided.last)},
        )
        self.state.emit(draft)
        table.update(dict.fromkeys(decided.nodes, draft))
        self.decided[id(draft)] = decided

    def _condition(self, decided: ConditionEvaluation, place: Place) -> Term:
        """The condition that the evaluation went where it went."""
        condition = self.condition_terms.leads_to(decided.stretch, decided.head, decided.blocks, decided.taken)
        if self.state.evaluate(condition) == 1:
            return condition
        self._is_right(FALSE, 1, place)
        return TRUE

    def _return(self, node: Node, place: Place) -> None:
        self.state.flush()
        instr = self.trace.instr(node)
        value = self.registers.values.recorded(node)
        term = self.registers.operand(node[0], instr.args[0])
        if not self._is_right(term, value, place):
            term = const(value, term.width)
        name = self.trace.at(node[0]).fn.name
        cell = self.names.result(name, term.width, name)
        draft = Draft(
            Kind.ASSIGN,
            place,
            node,
            self.log.frame_of(node[0]),
            {cell.name: (cell, term)},
            recorded={cell.name: value},
            acts={cell.name: Act(node)},
        )
        self.state.emit(draft)
        self.results[node] = cell

    def _assume(self, node: Node, place: Place) -> None:
        """An assumption of the program itself."""
        self.state.flush()
        term = self.registers.operand(node[0], self.trace.instr(node).args[0])
        condition = self.state.simplify(negate(equal(term, const(0, term.width))))
        if self.state.evaluate(condition):
            self.state.assume(condition, place, node, self.log.frame_of(node[0]))

    def _pointer(self, node: Node, place: Place) -> None:
        """A call by way of a pointer: it was this function."""
        instr = self.trace.instr(node)
        self.state.flush()
        self._points_to(node, instr.args[-1], self.trace.indirect_target(node), place)
        self.state.flush()

    # --- the end ------------------------------------------------------------------------------------------------------

    def _phi(self, check: Check) -> Term:
        """The property at the end: it does not hold there."""
        if check.decided is not None:
            return self.state.simplify(negate(self._condition(check.decided, self._place(check.node))))
        try:
            read = [self._byte(byte, check.node) for byte in check.bytes]
            phi = self.state.simplify(
                check.build([*(self.registers.operand(i, op) for i, op in check.operands), *read])
            )
        except UNDETERMINED:
            return FALSE
        if self.state.evaluate(phi):
            self.state.approximate.setdefault("the violated property could not be told from the values")
            return FALSE
        return phi

    def _byte(self, byte: ReadByte, node: Node) -> Term:
        """A byte that a library call read, as the check sees it."""
        origin = self.origins.read(byte)
        if origin.byte is None:
            return const(0, 8)
        writers = {} if origin.node is None else {origin.node: self._place(origin.node)}
        found = self.memory.loaded(byte.address, (origin,), node, self._place(node), writers)
        return const(origin.byte, 8) if found is None or self.state.evaluate(found) != origin.byte else found
