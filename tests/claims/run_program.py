"""Small programs run by an interpreter of their own, as they are or with anything in them changed.

It shares nothing with butfor: the answers are checked against it. It is itself compared with gcc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    Assert,
    Assign,
    Binary,
    Call,
    Choice,
    DeclareObject,
    Deref,
    Elem,
    Expr,
    Field,
    For,
    Function,
    Havoc,
    If,
    Input,
    Node,
    Num,
    Place,
    Program,
    Return,
    Statement,
    Unary,
    Var,
    While,
)

MAX_STEPS = 4_000  # a generated program takes a few hundred; a changed one may not end


class Outcome(Enum):
    """How a run ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNDEFINED = "undefined"  # the language does not say what happens
    ENDLESS = "endless"
    BLOCKED = "blocked"  # at an assumption


@dataclass(eq=False, slots=True)
class Object:
    """A variable in memory: its cells, and what they are called."""

    name: str
    function: str
    cells: list[Value | None]
    kind: str  # "scalar", "array" or "struct"
    is_gone: bool = False

    def shown(self, index: int) -> str:
        """A cell as the source names it."""
        if self.kind == "array":
            return f"{self.name}[{index}]"
        return f"{self.name}.{STRUCT_FIELDS[index]}" if self.kind == "struct" else self.name


Pointer = tuple[Object, int]
Value = int | Pointer
Frame = dict[str, Object]


@dataclass(frozen=True, slots=True)
class Stored:
    """An instance of a statement that stored a value."""

    node: Node
    object: Object
    index: int
    value: Value
    rounds: tuple[int, ...] = ()  # of the loops around it, those around the calls that led here included
    call: int = 0  # the number of the call that was under way


@dataclass(frozen=True, slots=True)
class Decided:
    """An instance of a decision; of a part of one, where the node is an expression."""

    node: Node
    held: bool
    rounds: tuple[int, ...] = ()
    call: int = 0


Event = Stored | Decided


@dataclass(slots=True)
class Run:
    """A finished run. `failed` is the check that failed, `why` says what was undefined and where."""

    outcome: Outcome
    events: list[Event]
    failed: Node | None = None
    why: str = ""
    at: Node | None = None
    reads: Mapping[int, int] = field(default_factory=dict)  # inputs, with the number of events before each was read

    @property
    def decisions(self) -> list[tuple[Node, bool]]:
        """The path: all decisions with their outcomes, parts of conditions included."""
        return [(e.node, e.held) for e in self.events if isinstance(e, Decided)]

    def fails_like(self, other: Run) -> bool:
        """Whether both fail at the same check."""
        return self.outcome is other.outcome and self.failed is other.failed and self.at is other.at

    def is_same_failure_along_same_path(self, other: Run) -> bool:
        """Whether both took the same decisions to the same failure."""
        return self.fails_like(other) and self.decisions == other.decisions


class Undefined(Exception):
    """The language does not say what happens."""

    def __init__(self, why: str, at: Node) -> None:
        super().__init__(why)
        self.why, self.at = why, at


class Failed(Exception):
    """A check failed."""

    def __init__(self, at: Node) -> None:
        super().__init__()
        self.at = at


class Blocked(Exception):
    """An assumption does not hold."""


class Endless(Exception):
    """Too many steps."""


class _Returned(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


KEEP = object()  # instead of a value: nothing is stored
NOT_DECLARED = "not declared yet"  # a variable whose address is taken before its declaration ran
NOT_MODELLED = "an element that is not modelled"  # of a map of Boogie, written beyond what the programs use
READS_INPUT = "an element that is an input"  # of a map of Boogie: it may hold anything

ExprChange = Callable[["Machine", Expr, Frame], Value]
StoreChange = Callable[["Machine", Object, int, Value], object]
DecisionChange = Callable[[bool], bool]


@dataclass(slots=True)
class Changes:
    """What a changed run does differently.

    `values`: expressions evaluated in another way. `stores`: what a statement stores, by statement. `decisions`:
    outcomes of whole conditions, by statement. `observe` sees each event when it has happened.
    """

    values: Mapping[Node, ExprChange] = field(default_factory=dict)
    places: Mapping[Node, Callable[[Machine, Frame, Pointer], Pointer]] = field(default_factory=dict)
    stores: Mapping[Node, StoreChange] = field(default_factory=dict)
    decisions: Mapping[Node, DecisionChange] = field(default_factory=dict)
    calls: Mapping[Node, str] = field(default_factory=dict)
    observe: Callable[[Machine, Event], None] | None = None
    may_overflow: bool = True  # False: a signed overflow is undefined, as the C standard says


NO_CHANGES = Changes()


class Machine:
    """One run of a program."""

    def __init__(self, program: Program, inputs: Sequence[int], changes: Changes = NO_CHANGES) -> None:
        self.program = program
        self.inputs = inputs
        self.changes = changes
        self.events: list[Event] = []
        self.frames: list[tuple[Function, Frame]] = []
        self.steps = 0
        self.is_c = program.language == "c"
        self.globals: Frame = {}
        self.reads: dict[int, int] = {}
        self.rounds: list[list[int]] = [[]]  # of the loops under way, for each call
        self.calls: list[int] = [0]  # the numbers of the calls under way
        self.called = 0

    def run(self) -> Run:
        """Run main to its end."""
        found = self._run()
        found.reads = self.reads
        return found

    def _run(self) -> Run:
        try:
            for s in self.program.globals:
                assert isinstance(s.target, Var)
                self.globals[s.target.name] = Object(s.target.name, "", [0], "scalar")
                self.store(s, (self.globals[s.target.name], 0), self.value(s.value, self.globals))
            self.call_function(self.program.main, ())
        except Failed as e:
            return Run(Outcome.FAILED, self.events, e.at)
        except Undefined as e:
            return Run(Outcome.UNDEFINED, self.events, why=e.why, at=e.at)
        except Blocked:
            return Run(Outcome.BLOCKED, self.events)
        except Endless:
            return Run(Outcome.ENDLESS, self.events)
        return Run(Outcome.PASSED, self.events)

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Endless

    def read(self, number: int) -> int:
        self.reads.setdefault(number, len(self.events))
        return self.inputs[number]

    def happened(self, event: Event) -> None:
        self.events.append(event)
        if self.changes.observe is not None:
            self.changes.observe(self, event)

    # --- memory -------------------------------------------------------------------------------------------------------

    def variable(self, name: str, frame: Frame, at: Node) -> Object:
        found = frame.get(name) or self.globals.get(name)
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
                    pointer = self.load((base, 0), p)
                    if isinstance(pointer, int) or not isinstance(at, int):
                        raise Undefined("an index of something else", p)
                    return pointer[0], pointer[1] + at
                if not isinstance(at, int):
                    raise Undefined("an index that is a pointer", p)
                return base, at
            case Field(name=name, field=member, arrow=arrow):
                base = self.variable(name, frame, p)
                number = STRUCT_FIELDS.index(member)
                if not arrow:
                    return base, number
                pointer = self.load((base, 0), p)
                if isinstance(pointer, int):
                    raise Undefined("NULL", p)
                return pointer[0], pointer[1] + number
            case Deref(name=name):
                pointer = self.load((self.variable(name, frame, p), 0), p)
                if isinstance(pointer, int):
                    raise Undefined("NULL" if pointer == 0 else "no pointer", p)
                return pointer

    def check_access(self, where: Pointer, at: Node) -> None:
        base, index = where
        if base.is_gone:
            raise Undefined("gone", at)
        if not 0 <= index < len(base.cells) and self.is_c:
            raise Undefined("bounds-low" if index < 0 else "bounds-high", at)

    def load(self, where: Pointer, at: Node) -> Value:
        self.check_access(where, at)
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
        if change is not None:
            new = change(self, base, index, value)
            if new is KEEP:
                return
            assert isinstance(new, int | tuple)
            value = new
        self.check_access(where, at or node)
        if not 0 <= index < len(base.cells):
            raise Undefined(NOT_MODELLED, at or node)
        base.cells[index] = value
        self.happened(Stored(node, base, index, value, self.all_rounds, self.calls[-1]))

    @property
    def all_rounds(self) -> tuple[int, ...]:
        """The rounds of the loops under way, outermost first."""
        return tuple(number for loops in self.rounds for number in loops)

    # --- expressions --------------------------------------------------------------------------------------------------

    def wrap(self, value: int) -> int:
        if not self.is_c or -(2**31) <= value < 2**31:
            return value
        if not self.changes.may_overflow:
            raise Undefined("overflow", self.program.main.body[0])
        return (value + 2**31) % 2**32 - 2**31

    def value(self, e: Expr, frame: Frame) -> Value:
        """The value of an expression."""
        change = self.changes.values.get(e)
        return change(self, e, frame) if change is not None else self.plain_value(e, frame)

    def number(self, e: Expr, frame: Frame) -> int:
        found = self.value(e, frame)
        if not isinstance(found, int):
            raise Undefined("a pointer as a number", e)
        return found

    def plain_value(self, e: Expr, frame: Frame) -> Value:
        match e:
            case Num(value=value):
                return value
            case Var() | Elem() | Field() | Deref():
                return self.load(self.place(e, frame), e)
            case Address(place=place):
                return self.place(place, frame)
            case Unary(op="-", arg=arg):
                return self.wrap(-self.number(arg, frame))
            case Unary(arg=arg):
                return int(self.value(arg, frame) == 0)
            case Binary(op="&&" | "||" as op, left=left, right=right):
                return self.connective(e, op, left, right, frame)
            case Binary(op=op, left=left, right=right):
                return self.binary(op, self.value(left, frame), self.value(right, frame), e)
            case Choice(cond=cond, yes=yes, no=no):
                held = self.value(cond, frame) != 0
                self.happened(Decided(e, held))
                return self.value(yes if held else no, frame)
            case Input(number=number):
                return self.read(number)

    def connective(self, e: Expr, op: str, left: Expr, right: Expr, frame: Frame) -> int:
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

    def binary(self, op: str, a: Value, b: Value, at: Node) -> int:
        """An operation on two values."""
        if op == "==":
            return int(a == b)
        if op == "!=":
            return int(a != b)
        if not isinstance(a, int) or not isinstance(b, int):
            raise Undefined("arithmetic on pointers", at)
        return self.wrap(arithmetic(op, a, b, at))

    # --- statements ---------------------------------------------------------------------------------------------------

    def call_function(self, f: Function, arguments: Sequence[tuple[Node, Value]]) -> Value:
        """The result of a call; each argument comes with the statement that passes it."""
        if len(self.frames) > 20:
            raise Endless
        frame: Frame = {}
        if f.result:
            frame[f.result] = Object(f.result, f.name, [None], "scalar")
        for (_, name), (node, value) in zip(f.parameters, arguments, strict=True):
            frame[name] = Object(name, f.name, [None], "scalar")
            self.store(node, (frame[name], 0), value)
        self.frames.append((f, frame))
        self.rounds.append([])
        self.called += 1
        self.calls.append(self.called)
        try:
            self.execute(f.body, frame)
            return self.load((frame[f.result], 0), f.body[-1]) if f.result else 0
        except _Returned as e:
            return e.value
        finally:
            self.frames.pop()
            self.rounds.pop()
            self.calls.pop()
            for o in frame.values():
                o.is_gone = True

    def execute(self, body: Sequence[Statement], frame: Frame) -> None:
        for s in body:
            self.step()
            self.statement(s, frame)

    def statement(self, s: Statement, frame: Frame) -> None:
        match s:
            case Assign():
                self.assign(s, frame)
            case DeclareObject(name=name, values=values, is_struct=is_struct):
                size = len(STRUCT_FIELDS) if is_struct else ARRAY_LENGTH
                made = Object(name, self.frames[-1][0].name, [0] * size, "struct" if is_struct else "array")
                frame[name] = made
                for index in range(size):
                    self.store(s, (made, index), values[index] if index < len(values) else 0)
            case Havoc(name=name, number=number, most=most):
                frame.setdefault(name, Object(name, self.frames[-1][0].name, [None], "scalar"))
                self.store(s, (frame[name], 0), self.read(number))
                now = frame[name].cells[0]
                if not isinstance(now, int) or not 0 <= now <= most:
                    raise Blocked
            case Call():
                self.call(s, frame)
            case If(cond=cond, then=then, orelse=orelse):
                self.execute(then if self.decide(s, cond, frame) else orelse, frame)
            case While(cond=cond, body=body):
                self.rounds[-1].append(0)
                while self.decide(s, cond, frame):
                    self.execute(body, frame)
                self.rounds[-1].pop()
            case For(init=init, cond=cond, update=update, body=body):
                self.assign(init, frame)
                self.rounds[-1].append(0)
                while self.decide(s, cond, frame):
                    self.execute(body, frame)
                    self.assign(update, frame)
                self.rounds[-1].pop()
            case Assert(cond=cond):
                held = self.value(cond, frame) != 0
                if not held:
                    raise Failed(s)
            case Return(value=value):
                result = Object("the result", self.frames[-1][0].name, [None], "scalar")
                self.store(s, (result, 0), self.value(value, frame))
                found = result.cells[0]
                assert found is not None
                raise _Returned(found)

    def decide(self, s: If | While | For, cond: Expr, frame: Frame) -> bool:
        self.step()
        if isinstance(s, While | For):
            self.rounds[-1][-1] += 1
        held = self.value(cond, frame) != 0
        change = self.changes.decisions.get(s)
        if change is not None:
            held = change(held)
        self.happened(Decided(s, held, self.all_rounds, self.calls[-1]))
        return held

    def target(self, place: Place, declares: str, frame: Frame) -> Pointer:
        if isinstance(place, Var) and (declares or not self.is_c):
            if declares or place.name not in frame:
                frame[place.name] = Object(place.name, self.frames[-1][0].name, [None], "scalar")
        elif isinstance(place, Elem) and not self.is_c and place.name not in frame:
            frame[place.name] = Object(place.name, self.frames[-1][0].name, [None] * ARRAY_LENGTH, "array")
        return self.place(place, frame)

    def assign(self, s: Assign, frame: Frame) -> None:
        value = self.value(s.value, frame)
        self.store(s, self.target(s.target, s.declares, frame), value, s.target)

    def call(self, s: Call, frame: Frame) -> None:
        arguments = [self.value(a, frame) for a in s.arguments]
        f = self.program.function(self.changes.calls.get(s, s.function))
        result = self.call_function(f, [(s, a) for a in arguments])
        if s.target is not None:
            self.store(s, self.target(s.target, s.declares, frame), result, s.target)


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
            if b == 0 or (a == -(2**31) and b == -1):
                raise Undefined("division", at)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - quotient * b
        case "<<" | ">>":
            if not 0 <= b < 32:
                raise Undefined("shift", at)
            return a << b if op == "<<" else a >> b
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case ">":
            return int(a > b)
        case ">=":
            return int(a >= b)
    raise AssertionError(op)


def run_program(program: Program, inputs: Sequence[int], changes: Changes = NO_CHANGES) -> Run:
    """How a program ends with these inputs."""
    return Machine(program, inputs, changes).run()


def all_inputs(program: Program) -> list[tuple[int, ...]]:
    """Every combination of inputs, as the program reads them: `getchar` gives the code of a digit."""
    first = ord("0") if program.style == "getchar" else 0
    found: list[tuple[int, ...]] = [()]
    for size in program.domains:
        found = [(*prefix, first + value) for prefix in found for value in range(size)]
    return found
