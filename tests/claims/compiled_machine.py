"""Runs of compiled small programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from tests.claims.c_types import cell_types, converted, object_type
from tests.claims.compiled_accesses import converted_number
from tests.claims.machine import MAX_STEPS, Machine
from tests.claims.run_model import (
    Changes,
    Endless,
    Failed,
    Frame,
    Object,
    Outcome,
    Pointer,
    Run,
    Undefined,
    Value,
    event_of,
)
from tests.claims.small_program import (
    STRUCT_FIELDS,
    Assert,
    At,
    CopyStruct,
    Decision,
    DeclareObject,
    Deref,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    Function,
    Node,
    Place,
    Program,
    Statement,
    Step,
    Switch,
)

if TYPE_CHECKING:
    from tests.claims.compile_program import Body


class CompiledMachine(Machine):
    """One run of a compiled program. The events are tuples, which become events where they are looked at."""

    def __init__(self, program: Program, inputs: Sequence[int], changes: Changes, bodies: Mapping[str, Body]) -> None:
        super().__init__(program, inputs, changes)
        self.bodies = bodies
        self.functions = {f.name: f for f in program.functions}
        self.now: tuple[int, ...] = ()  # the rounds of the loops around what is executed
        self.note: Callable[[Any], None] = self.events.append if changes.observe is None else self._observed

    def _observed(self, raw: object) -> None:
        event = event_of(raw)
        self.events.append(event)
        assert self.changes.observe is not None
        self.changes.observe(self, event)

    def _run(self) -> Run:
        try:
            return super()._run()
        except TypeError:  # a changed run computes with a pointer as if it were a number
            return Run(Outcome.UNDEFINED, self.events, why="a pointer as a number", at=self.current)

    @property
    def all_rounds(self) -> tuple[int, ...]:
        return self.now

    def execute_function(self, f: Function, frame: Frame) -> Value | None:
        outer = self.now
        if self.is_c:
            self.now = ()
        try:
            return self.bodies[f.name](self, frame)
        finally:
            self.now = outer

    # --- what the compiled functions call -----------------------------------------------------------------------------

    def check_steps(self) -> None:
        """Raise Endless after too many steps."""
        if self.steps > MAX_STEPS:
            raise Endless

    def called_with(self, name: str, node: Statement, arguments: tuple[Value, ...], rounds: tuple[int, ...]) -> Value:
        """The result of a call in a statement."""
        self.now = rounds
        return self.call_function(self.functions[name], [(node, a) for a in arguments])

    def pass_argument(self, node: Node, made: Object, value: Value) -> None:
        if node in self.changes.stores or made.kind == "struct":
            super().pass_argument(node, made, value)
            return
        made.cells[0] = value = converted_number(value, made.types[0]) if made.types else value
        self.note((node, made, 0, value, self.now, self.calls[-1]))

    def put(
        self, node: Node, part: Node | None, where: Pointer, value: Value, at: Node, rounds: tuple[int, ...]
    ) -> None:
        """Store what a statement, or a part of it, stores."""
        self.now, self.part = rounds, part
        base, index = where
        if node in self.changes.stores or base.is_gone or not 0 <= index < len(base.cells):
            self.store(node, where, value, at)
            return
        if base.types:
            kind = base.types[index]
            if isinstance(at, Elem | Elem2 | ElemField | Field | Deref | At) and self.types.of(at) != kind:
                self.store(node, where, value, at)
                return
            value = converted_number(value, kind)
        base.cells[index] = value
        self.note((node, base, index, value, rounds, self.calls[-1]))

    def copy_struct(self, node: Node, source: Pointer, target: Pointer) -> None:
        values = source[0].cells[source[1] : source[1] + len(STRUCT_FIELDS)] if source[1] >= 0 else []
        known = [v for v in values if v is not None]
        objects = [source[0], target[0]]
        if (
            node in self.changes.stores
            or len(known) < len(STRUCT_FIELDS)
            or any(o.kind not in ("struct", "structs") or o.is_gone for o in objects)
            or source[1] % len(STRUCT_FIELDS)
            or not 0 <= target[1] < len(target[0].cells)
            or target[1] % len(STRUCT_FIELDS)
        ):
            super().copy_struct(node, source, target)
            return
        base, index = target
        for k, value in enumerate(known):
            base.cells[index + k] = value
            self.note((node, base, index + k, value, self.now, self.calls[-1]))

    def combine(self, node: Node, op: str, value: Value, where: Pointer, at: Node, rounds: tuple[int, ...]) -> None:
        """Execute `+=` and the like."""
        self.current = node
        self.put(node, node, where, self.binary(op, self.load(where, at), value, node), at, rounds)

    def stepped(self, node: Step, current: Node, where: Pointer, rounds: tuple[int, ...]) -> Value:
        """The value of `++` or `--` in an expression."""
        self.current = current
        old = self.load(where, node.place)
        new = self.binary("+", old, 1 if node.op == "++" else -1, node)
        self.put(current, node, where, new, node.place, rounds)
        return self._as_stored(*where, new) if node.is_prefix else old

    def declared(self, s: DeclareObject, frame: Frame, rounds: tuple[int, ...]) -> Object:
        """A new array or struct with its initial values."""
        self.now = rounds
        name = self.frames[-1][0].name
        if s in self.changes.stores:
            self.declare_object(s, name, frame)
            return frame[s.name]
        types = cell_types(object_type(s), self.program)
        kinds = ("array", "matrix") if not s.is_struct else ("struct", "structs")
        frame[s.name] = made = Object(s.name, name, [0] * len(types), kinds[bool(s.rows)], types=types)
        given, call = len(s.values), self.calls[-1]
        for k, kind in enumerate(types):
            made.cells[k] = value = converted(s.values[k], kind) if k < given else 0
            self.note((s, made, k, value, rounds, call))
        return made

    def copied(self, s: CopyStruct, source: Pointer, target: Pointer, rounds: tuple[int, ...]) -> None:
        """Copy all members of a struct."""
        self.now, self.part = rounds, s
        self.copy_struct(s, source, target)

    # --- what another machine can do otherwise ------------------------------------------------------------------------

    def placed(self, p: Place, found: Pointer) -> Pointer:
        """Where an access goes."""
        return found

    def part_came_out(self, e: Expr, held: bool) -> bool:
        """The outcome of a part of a condition."""
        self.note((e, held, (), 0))
        return held

    def came_out(self, s: Decision, held: bool, rounds: tuple[int, ...]) -> bool:
        """The outcome of a condition."""
        change = self.changes.decisions.get(s)
        held = held if change is None else change(held)
        self.note((s, held, rounds, self.calls[-1]))
        return held

    def chosen(self, s: Switch, case: int, rounds: tuple[int, ...]) -> int:
        """The case that a switch goes to."""
        self.note((s, case, rounds, self.calls[-1]))
        return case

    def checked(self, s: Assert, held: bool) -> None:
        """Raise Failed when a check does not hold."""
        if not held:
            raise Failed(s)

    def uninitialised(self, at: Node) -> NoReturn:
        """Raise Undefined for a variable without a value."""
        raise Undefined("uninitialised", at)
