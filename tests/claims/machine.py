"""Small programs run by a walk of their trees, as they are or with anything in them changed."""

from __future__ import annotations

from collections.abc import Sequence

from tests.claims.c_types import STRUCT, cell_types, object_type
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import (
    Blocked,
    Decided,
    Endless,
    Failed,
    Frame,
    Object,
    Outcome,
    Pointer,
    Run,
    Undefined,
    Value,
)
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Assert,
    Assign,
    Call,
    Compound,
    CopyStruct,
    Decision,
    DeclareObject,
    DoWhile,
    Elem,
    Expr,
    For,
    Function,
    Havoc,
    If,
    Jump,
    Loop,
    Node,
    Place,
    Return,
    Statement,
    Step,
    Switch,
    Var,
    While,
)
from tests.claims.walk_program import initialisers, is_static

MAX_STEPS = 4_000  # a generated program takes a few hundred; a changed one may not end
MAX_CALLS = 20  # that are under way at the same time


class _Returned(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):
    """Leaves a loop or a switch."""


class _Continue(Exception):
    """Goes on with the next round."""


class Machine(Evaluator):
    """One run of a program."""

    def run(self) -> Run:
        """Run main to its end."""
        found = self._run()
        found.reads = self.reads
        return found

    def _run(self) -> Run:
        try:
            self.initialise()
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
        """Count a step."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Endless

    def initialise(self) -> None:
        """Give the variables that live as long as the program their values."""
        for f, s in initialisers(self.program):
            self.current = s
            frame = self.globals if f is None else self.statics
            if isinstance(s, DeclareObject):
                self.declare_object(s, "" if f is None else f.name, frame)
            else:
                assert isinstance(s.target, Var)
                kind = (s.declares or "int").removeprefix("static ")
                made = self.scalar(s.target.name, "" if f is None else f.name, kind)
                frame[s.target.name] = made
                self.part = s
                self.store(s, (made, 0), self.value(s.value, frame))

    # --- functions ----------------------------------------------------------------------------------------------------

    def scalar(self, name: str, function: str, kind: str) -> Object:
        """A new variable that is not initialised; a struct when that is its type."""
        types = cell_types(kind, self.program) if self.is_c else ()
        return Object(
            name, function, [None] * max(1, len(types)), "struct" if kind == STRUCT else "scalar", types=types
        )

    def call_function(self, f: Function, arguments: Sequence[tuple[Node, Value]]) -> Value:
        """The result of a call; each argument comes with the statement that passes it."""
        if len(self.frames) > MAX_CALLS:
            raise Endless
        frame: Frame = {}
        if f.result:
            frame[f.result] = Object(f.result, f.name, [None], "scalar")
        self.part = None
        for (kind, name), (node, value) in zip(f.parameters, arguments, strict=True):
            frame[name] = made = self.scalar(name, f.name, kind)
            self.pass_argument(node, made, value)
        self.frames.append((f, frame))
        self.rounds.append([])
        self.called += 1
        self.calls.append(self.called)
        caller = self.current
        try:
            found = self.execute_function(f, frame)
            if found is not None:
                return found
            return self.load((frame[f.result], 0), f.body[-1]) if f.result else 0
        except _Returned as e:
            return e.value
        finally:
            self.current = caller
            self.frames.pop()
            self.rounds.pop()
            self.calls.pop()
            for o in frame.values():
                o.is_gone = True

    def pass_argument(self, node: Node, made: Object, value: Value) -> None:
        """Give a parameter its value."""
        if made.kind == "struct":
            self.copy_struct(node, self.pointed(value, node), (made, 0))
        else:
            self.store(node, (made, 0), value)

    def execute_function(self, f: Function, frame: Frame) -> Value | None:
        """Execute the body of a function; None when it ends without a `return`."""
        self.execute(f.body, frame)
        return None

    # --- statements ---------------------------------------------------------------------------------------------------

    def execute(self, body: Sequence[Statement], frame: Frame) -> None:
        """Execute statements one after the other."""
        for s in body:
            self.step()
            self.current = s
            self.statement(s, frame)

    def statement(self, s: Statement, frame: Frame) -> None:
        """Execute a statement."""
        match s:
            case Assign() | DeclareObject() if is_static(s):
                pass
            case Assign():
                self.assign(s, frame)
            case DeclareObject():
                self.declare_object(s, self.frames[-1][0].name, frame)
            case Compound():
                self.compound(s, frame)
            case Step():
                self.step_place(s, frame)
            case CopyStruct(target=target, source=source):
                self.part = s
                self.copy_struct(s, self.place(source, frame), self.place(target, frame))
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
            case While() | For() | DoWhile():
                self.loop(s, frame)
            case Switch():
                self.switch(s, frame)
            case Jump(word=word):
                raise _Break if word == "break" else _Continue
            case Assert(cond=cond):
                held = self.value(cond, frame) != 0
                if not held:
                    raise Failed(s)
            case Return(value=value):
                f = self.frames[-1][0]
                result = self.scalar(f"{f.name}()", f.name, f.returns)
                given = self.value(value, frame)
                self.part = s
                self.store(s, (result, 0), given)
                found = result.cells[0]
                assert found is not None
                raise _Returned(found)

    def loop(self, s: Loop, frame: Frame) -> None:
        """Execute a loop."""
        if isinstance(s, For):
            self.assign(s.init, frame)
        self.rounds[-1].append(0)
        depth = len(self.rounds[-1])
        if isinstance(s, DoWhile):
            self.rounds[-1][-1] += 1
        try:
            while isinstance(s, DoWhile) or self.decide(s, s.cond, frame):
                try:
                    self.execute(s.body, frame)
                except _Continue:
                    del self.rounds[-1][depth:]
                if isinstance(s, For):
                    self.update(s.update, frame)
                if isinstance(s, DoWhile) and not self.decide(s, s.cond, frame):
                    break
        except _Break:
            pass
        del self.rounds[-1][depth - 1 :]

    def update(self, s: Assign | Compound | Step, frame: Frame) -> None:
        """Execute the update of a loop."""
        self.current = s
        self.statement(s, frame)

    def switch(self, s: Switch, frame: Frame) -> None:
        """Execute a switch from the case that is chosen."""
        depth = len(self.rounds[-1])
        chosen = self.choose(s, frame)
        try:
            for _, body in s.cases[chosen:]:
                self.execute(body, frame)
        except _Break:
            del self.rounds[-1][depth:]

    def choose(self, s: Switch, frame: Frame) -> int:
        """The number of the case that a switch goes to; the number of cases when to none."""
        value = self.number(s.cond, frame)
        labels = [label for label, _ in s.cases]
        wanted = value if value in labels else None
        chosen = labels.index(wanted) if wanted in labels else len(labels)
        self.happened(Decided(s, chosen, self.all_rounds, self.calls[-1]))
        return chosen

    def decide(self, s: Decision, cond: Expr, frame: Frame) -> bool:
        """The outcome of a condition."""
        self.step()
        self.current = s
        if isinstance(s, While | For):
            self.rounds[-1][-1] += 1
        held = self.value(cond, frame) != 0
        change = self.changes.decisions.get(s)
        if change is not None:
            held = change(held)
        self.happened(Decided(s, held, self.all_rounds, self.calls[-1]))
        if isinstance(s, DoWhile) and held:
            self.rounds[-1][-1] += 1
        return held

    def declare_object(self, s: DeclareObject, function: str, frame: Frame) -> None:
        """Make an array or a struct with its initial values."""
        types = cell_types(object_type(s), self.program)
        kinds = ("array", "matrix") if not s.is_struct else ("struct", "structs")
        made = Object(s.name, function, [0] * len(types), kinds[bool(s.rows)], types=types)
        frame[s.name] = made
        self.part = s
        for index in range(len(types)):
            self.store(s, (made, index), s.values[index] if index < len(s.values) else 0)

    def copy_struct(self, node: Node, source: Pointer, target: Pointer) -> None:
        """Copy all members of a struct."""
        for base, index in (source, target):
            if base.kind not in ("struct", "structs") or index % len(STRUCT_FIELDS):
                raise Undefined("a copy of something else", node)
        values = [self.load((source[0], source[1] + k), node) for k in range(len(STRUCT_FIELDS))]
        for k, value in enumerate(values):
            self.store(node, (target[0], target[1] + k), value)

    def target(self, place: Place, declares: str, frame: Frame) -> Pointer:
        """The place that is assigned, which comes into being with its declaration."""
        if isinstance(place, Var) and (declares or not self.is_c):
            if declares or place.name not in frame:
                frame[place.name] = self.scalar(place.name, self.frames[-1][0].name, declares or "int")
        elif isinstance(place, Elem) and not self.is_c and place.name not in frame:
            frame[place.name] = Object(place.name, self.frames[-1][0].name, [None] * ARRAY_LENGTH, "array")
        return self.place(place, frame)

    def assign(self, s: Assign, frame: Frame) -> None:
        """Execute an assignment."""
        self.current = s
        value = self.value(s.value, frame)
        where = self.target(s.target, s.declares, frame)
        self.part = s
        self.store(s, where, value, s.target)

    def compound(self, s: Compound, frame: Frame) -> None:
        """Execute `target op= value`."""
        value = self.value(s.value, frame)
        where = self.place(s.target, frame)
        new = self.combined(s, s.op, self.load(where, s.target), value)
        self.part = s
        self.store(s, where, new, s.target)

    def call(self, s: Call, frame: Frame) -> None:
        """Execute a call and store its result."""
        arguments = [self.value(a, frame) for a in s.arguments]
        f = self.program.function(self.changes.calls.get(s, s.function))
        result = self.call_function(f, [(s, a) for a in arguments])
        if s.target is not None:
            where = self.target(s.target, s.declares, frame)
            self.part = s
            self.store(s, where, result, s.target)
