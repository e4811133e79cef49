"""Memory and expressions of small programs: what an expression is worth in a state, with the conversions of C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tests.claims.c_types import INT_TYPES, STRUCT, common, converted, pointee, promoted, stride, types_of
from tests.claims.run_model import (
    KEEP,
    NO_CHANGES,
    NOT_MODELLED,
    READS_INPUT,
    Changes,
    Decided,
    Event,
    Frame,
    Object,
    Pointer,
    Stored,
    Undefined,
    Value,
)
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    At,
    Binary,
    CallExpr,
    Cast,
    Choice,
    Compound,
    Deref,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    Function,
    Input,
    Node,
    Num,
    Place,
    Program,
    Step,
    Unary,
    Var,
)


class Evaluator(ABC):
    """The state of a run, and the values of expressions in it."""

    def __init__(self, program: Program, inputs: Sequence[int], changes: Changes = NO_CHANGES) -> None:
        self.program = program
        self.inputs = inputs
        self.changes = changes
        self.types = types_of(program)
        self.events: list[Event] = []
        self.frames: list[tuple[Function, Frame]] = []
        self.steps = 0
        self.is_c = program.language == "c"
        self.globals: Frame = {}
        self.statics: Frame = {}
        self.reads: dict[int, int] = {}
        self.rounds: list[list[int]] = [[]]  # of the loops under way, for each call
        self.calls: list[int] = [0]  # the numbers of the calls under way
        self.called = 0
        self.current: Node = program.main.body[0]  # the statement that is executed
        self.part: Node | None = None  # what stores: the statement itself, or a step in it; None: a parameter is passed

    @abstractmethod
    def call_function(self, f: Function, arguments: Sequence[tuple[Node, Value]]) -> Value:
        """The result of a call; each argument comes with the statement that passes it."""

    def read(self, number: int) -> int:
        """An input."""
        self.reads.setdefault(number, len(self.events))
        return self.inputs[number]

    def happened(self, event: Event) -> None:
        """Note an event."""
        self.events.append(event)
        if self.changes.observe is not None:
            self.changes.observe(self, event)

    # --- memory -------------------------------------------------------------------------------------------------------

    def variable(self, name: str, frame: Frame, at: Node) -> Object:
        """The variable that a name means in a function."""
        found = frame.get(name) or self.statics.get(name) or self.globals.get(name)
        if found is None:
            raise Undefined(f"{name} is not declared yet", at)
        return found

    def place(self, p: Place, frame: Frame) -> Pointer:
        """Where a place is in memory; it may be outside of its object."""
        found = self._place(p, frame)
        change = self.changes.places.get(p)
        return found if change is None else change(self, frame, found)

    def _place(self, p: Place, frame: Frame) -> Pointer:
        match p:
            case Var(name=name):
                return self.variable(name, frame, p), 0
            case Elem(name=name, index=index):
                at = self.value(index, frame)
                base = self.variable(name, frame, p)
                if base.kind == "scalar":
                    pointer = self.load((base, 0), p, as_pointer=True)
                    if isinstance(pointer, int) or not isinstance(at, int):
                        raise Undefined("an index of something else", p)
                    return pointer[0], pointer[1] + at * stride(self.types.of(p))
                if not isinstance(at, int):
                    raise Undefined("an index that is a pointer", p)
                return base, at * (len(STRUCT_FIELDS) if base.kind == "structs" else 1)
            case Elem2(name=name, row=row, index=index):
                at = self.number(row, frame) * ARRAY_LENGTH
                return self.variable(name, frame, p), at + self.number(index, frame)
            case ElemField(name=name, index=index, field=member):
                at = self.number(index, frame) * len(STRUCT_FIELDS)
                return self.variable(name, frame, p), at + STRUCT_FIELDS.index(member)
            case Field(name=name, field=member, arrow=arrow):
                base = self.variable(name, frame, p)
                number = STRUCT_FIELDS.index(member)
                if not arrow:
                    return base, number
                pointer = self.load((base, 0), p, as_pointer=True)
                if isinstance(pointer, int):
                    raise Undefined("NULL", p)
                return pointer[0], pointer[1] + number
            case Deref(name=name):
                return self.pointed(self.load((self.variable(name, frame, p), 0), p, as_pointer=True), p)
            case At(pointer=computed):
                return self.pointed(self.value(computed, frame), p)

    @staticmethod
    def pointed(pointer: Value, at: Node) -> Pointer:
        """A value as an address."""
        if isinstance(pointer, int):
            raise Undefined("NULL" if pointer == 0 else "no pointer", at)
        return pointer

    def check_access(self, where: Pointer, at: Node, *, as_pointer: bool = False) -> None:
        """Raise Undefined where nothing may be accessed, or with another type."""
        base, index = where
        if base.is_gone:
            raise Undefined("gone", at)
        if not 0 <= index < len(base.cells) and self.is_c:
            raise Undefined("bounds-low" if index < 0 else "bounds-high", at)
        if base.types and not as_pointer and isinstance(at, Elem | Elem2 | ElemField | Field | Deref | At):
            accessed = self.types.of(at)
            if accessed != base.types[index] and accessed != STRUCT:
                raise Undefined(NOT_MODELLED, at)

    def load(self, where: Pointer, at: Node, *, as_pointer: bool = False) -> Value:
        """What a cell holds; `as_pointer`: for the access at the place, to go on from there."""
        self.check_access(where, at, as_pointer=as_pointer)
        base, index = where
        if not self.is_c and not 0 <= index < len(base.cells):
            raise Undefined(READS_INPUT, at)
        found = base.cells[index]
        if found is None:
            raise Undefined("uninitialised", at)
        return found

    def store(self, node: Node, where: Pointer, value: Value, at: Node | None = None) -> None:
        """Store what a statement stores, or what it stores in a changed run."""
        change = self.changes.stores.get(node)
        base, index = where
        value = self._as_stored(base, index, value)
        if change is not None:
            new = change(self, base, index, value)
            if new is KEEP:
                return
            assert isinstance(new, int | tuple)
            value = self._as_stored(base, index, new)
        self.check_access(where, at or node)
        if not 0 <= index < len(base.cells):
            raise Undefined(NOT_MODELLED, at or node)
        base.cells[index] = value
        self.happened(Stored(node, base, index, value, self.all_rounds, self.calls[-1]))

    @staticmethod
    def _as_stored(base: Object, index: int, value: Value) -> Value:
        if isinstance(value, int) and 0 <= index < len(base.types):
            return converted(value, base.types[index])
        return value

    @property
    def all_rounds(self) -> tuple[int, ...]:
        """The rounds of the loops under way, outermost first; in C those of the function that is executed."""
        if self.is_c:
            return tuple(self.rounds[-1])
        return tuple(number for loops in self.rounds for number in loops)

    # --- expressions --------------------------------------------------------------------------------------------------

    def wrap(self, value: int, kind: str = "int") -> int:
        """The result of an operation in its type."""
        if not self.is_c or converted(value, kind) == value:
            return value
        if INT_TYPES[kind].is_signed and not self.changes.may_overflow:
            raise Undefined("overflow", self.current)
        return converted(value, kind)

    def value(self, e: Expr, frame: Frame) -> Value:
        """The value of an expression."""
        change = self.changes.values.get(e)
        return change(self, e, frame) if change is not None else self.plain_value(e, frame)

    def number(self, e: Expr, frame: Frame) -> int:
        """The value of an expression that is a number."""
        found = self.value(e, frame)
        if not isinstance(found, int):
            raise Undefined("a pointer as a number", e)
        return found

    def plain_value(self, e: Expr, frame: Frame) -> Value:
        """The value of an expression that is not changed itself; parts of it may be."""
        match e:
            case Num(value=value):
                return value
            case Var() if "[" in self.types.of(e) or self.types.of(e) == STRUCT:
                return self.place(e, frame)  # an array as a pointer; a struct that is passed
            case Var() | Elem() | Field() | Deref() | Elem2() | ElemField() | At():
                where = self.place(e, frame)
                return where if self.is_c and self.types.of(e) == STRUCT else self.load(where, e)
            case Address(place=place):
                return self.place(place, frame)
            case Unary(op="-", arg=arg):
                return self.wrap(-self.number(arg, frame), self._kind(e))
            case Unary(op="~", arg=arg):
                return self.wrap(~self.number(arg, frame), self._kind(e))
            case Unary(arg=arg):
                return int(self.value(arg, frame) == 0)
            case Cast(type=kind, arg=arg):
                return converted(self.number(arg, frame), kind)
            case Binary(op="&&" | "||" as op, left=left, right=right):
                return self.connective(op, left, right, frame)
            case Binary(op=op, left=left, right=right):
                return self.binary(op, self.value(left, frame), self.value(right, frame), e)
            case Choice(cond=cond, yes=yes, no=no):
                held = self.value(cond, frame) != 0
                self.happened(Decided(e, held))
                chosen = self.value(yes if held else no, frame)
                return converted(chosen, self._kind(e)) if isinstance(chosen, int) and self.is_c else chosen
            case Step():
                return self.step_place(e, frame)
            case CallExpr(function=function, arguments=arguments):
                given = [self.value(a, frame) for a in arguments]
                return self.call_function(self.program.function(function), [(self.current, a) for a in given])
            case Input(number=number):
                return self.read(number)

    def _kind(self, e: Expr) -> str:
        found = self.types.of(e)
        return found if found in INT_TYPES else "int"

    def connective(self, op: str, left: Expr, right: Expr, frame: Frame) -> int:
        """`&&` or `||`: in C the right side may not be evaluated."""
        first = self.value(left, frame) != 0
        if self.is_c:
            self.happened(Decided(left, first))
        if first == (op == "||") and self.is_c:
            return int(first)
        second = self.value(right, frame) != 0
        if self.is_c:
            self.happened(Decided(right, second))
            return int(second)
        return int((first and second) if op == "&&" else (first or second))

    def step_place(self, e: Step, frame: Frame) -> Value:
        """`++` or `--`."""
        where = self.place(e.place, frame)
        old = self.load(where, e.place)
        new = self.combined(e, "+", old, 1 if e.op == "++" else -1)
        self.part = e
        self.store(self.current, where, new, e.place)
        return self._as_stored(*where, new) if e.is_prefix else old  # what is stored in a changed run is not read here

    def combined(self, node: Compound | Step, op: str, old: Value, value: Value) -> Value:
        """What `+=` or `++` computes."""
        change = self.changes.operations.get(node)
        return self.binary(op, old, value, node) if change is None else change(self, old, value)

    def binary(self, op: str, a: Value, b: Value, at: Node) -> Value:
        """An operation on two values, in the types of the operands that the node has."""
        left, right = self.types.operands(at)
        if isinstance(a, tuple) and isinstance(b, int) and op in ("+", "-"):
            step = stride(pointee(left)) if pointee(left) else 1
            return a[0], a[1] + (b if op == "+" else -b) * step
        if isinstance(a, tuple) or isinstance(b, tuple):
            if op not in ("==", "!="):
                raise Undefined("arithmetic on pointers", at)
            return int((a == b) == (op == "=="))
        if not self.is_c:
            return arithmetic(op, a, b, at)
        if op in ("<<", ">>"):
            kind = promoted(left) if left in INT_TYPES else "int"
            if not 0 <= b < INT_TYPES[kind].bits:
                raise Undefined("shift", at)
            if a < 0 and op == "<<" and not self.changes.may_overflow:
                raise Undefined("overflow", at)
            return self.wrap(arithmetic(op, a, b, at), kind)
        kind = common(left, right) if left in INT_TYPES and right in INT_TYPES else "int"
        a, b = converted(a, kind), converted(b, kind)
        if op in ("/", "%") and b == -1 and a == INT_TYPES[kind].least:
            raise Undefined("division", at)
        return self.wrap(arithmetic(op, a, b, at), kind)


def arithmetic(op: str, a: int, b: int, at: Node) -> int:
    """The result of an operation on numbers, before it is cut to the width of the type."""
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "/" | "%":
            if b == 0:
                raise Undefined("division", at)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - quotient * b
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case ">":
            return int(a > b)
        case ">=":
            return int(a >= b)
        case "==":
            return int(a == b)
        case "!=":
            return int(a != b)
    raise AssertionError(op)
