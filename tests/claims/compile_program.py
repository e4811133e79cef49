"""Small programs as Python functions: what the tree walk of `run_program` does, many times as fast.

Each function of a program becomes a Python function of a machine and a frame. Decisions, stores and the numbers of
events come out as in the tree walk, which the tests compare; changes of stores and decisions, and observers, work here
too. Changes of anything else need the tree walk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tests.claims.c_types import STRUCT, cell_types, converted, object_type
from tests.claims.compile_expressions import ExpressionWriter, NotCompiled, Shape
from tests.claims.compiled_accesses import (
    as_number,
    converted_number,
    divided,
    element,
    fetched,
    member,
    pointed,
    shifted,
)
from tests.claims.machine import MAX_STEPS
from tests.claims.run_model import Blocked, Endless, Failed, Frame, Object, Undefined, Value
from tests.claims.small_program import (
    ARRAY_LENGTH,
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
    Program,
    Return,
    Statement,
    Step,
    Switch,
    Var,
    While,
)
from tests.claims.walk_program import initialisers, is_static, statements

if TYPE_CHECKING:
    from tests.claims.compiled_machine import CompiledMachine

Body = Callable[["CompiledMachine", Frame], "Value | None"]
_INDENT = " "


@dataclass(frozen=True, slots=True)
class _Around:
    """What jumps do where a statement stands.

    `again`: the lines with which a round of the loop ends; `flag`: what a switch sets instead, in which Python's
    `continue` would be that of the switch.
    """

    again: tuple[str, ...] = ()
    flag: str = ""


class StatementWriter(ExpressionWriter):
    """Writes the statements of one function."""

    def __init__(self, program: Program, function: Function, constants: dict[str, object], *, follows: bool) -> None:
        super().__init__(program, function, constants, follows=follows)
        self.local: set[str] = set()
        self._find_variables()

    def _find_variables(self) -> None:
        for f, initial in initialisers(self.program):
            self._add(initial, None)
            if f is None and initial in self.function.body:
                raise NotCompiled("a global variable in a function")
        outer = set(self.shapes)
        for kind, name in self.function.parameters:
            self._is_local(name, self._scalar_shape(kind))
        if self.function.result:
            self._is_local(self.function.result, Shape("scalar", 1))
        for s in statements(self.function.body):
            self._add(s, self.local)
        if outer & self.local:
            raise NotCompiled("a variable that hides another one")

    def _scalar_shape(self, kind: str) -> Shape:
        cells = cell_types(kind, self.program) if self.is_c else ()
        return Shape("struct" if kind == STRUCT else "scalar", max(1, len(cells)))

    def _is_local(self, name: str, shape: Shape) -> None:
        if self.shapes.setdefault(name, shape) != shape:
            raise NotCompiled(f"{name} is declared in two ways")
        self.local.add(name)

    def _add(self, s: Statement, local: set[str] | None) -> None:
        found: tuple[str, Shape] | None = None
        match s:
            case DeclareObject(name=name):
                kinds = ("array", "matrix") if not s.is_struct else ("struct", "structs")
                found = name, Shape(kinds[bool(s.rows)], len(cell_types(object_type(s), self.program)))
            case Assign(target=Var(name=name), declares=kind) | Call(target=Var(name=name), declares=kind) if (
                kind or not self.is_c
            ):
                found = name, self._scalar_shape((kind or "int").removeprefix("static "))
            case Assign(target=Elem(name=name)) | Call(target=Elem(name=name)) if not self.is_c:
                found = name, Shape("array", ARRAY_LENGTH)
            case Havoc(name=name):
                found = name, Shape("scalar", 1)
            case _:
                return
        if local is None:
            self.shapes[found[0]] = found[1]
        elif not (isinstance(s, Assign | DeclareObject) and is_static(s)):
            self._is_local(*found)

    # --- functions ----------------------------------------------------------------------------------------------------

    def source(self, name: str) -> str:
        """The whole function."""
        lines = self.body(self.function.body, _Around())
        given = {n for _, n in self.function.parameters} | {self.function.result}
        head = [f"def {name}(m, frame):", f"{_INDENT}m.check_steps()"]
        head += [f"{_INDENT}stores = m.changes.stores; decisions = m.changes.decisions; note = m.note"]
        head += [f"{_INDENT}call = m.calls[-1]", *([] if self.is_c else [f"{_INDENT}outer = m.now"])]
        for used in sorted(self.used):
            if used in given:
                head.append(f"{_INDENT}o_{used} = frame[{used!r}]; c_{used} = o_{used}.cells")
            elif used in self.local:
                undeclared = self.constant("u", Undeclared(used, self.program.main.body[0]))
                head.append(f"{_INDENT}o_{used} = None; c_{used} = {undeclared}")
            else:
                head.append(f"{_INDENT}o_{used} = m.variable({used!r}, frame, None); c_{used} = o_{used}.cells")
        return "\n".join([*head, *(_INDENT + line for line in lines), f"{_INDENT}return None"])

    def body(self, body: list[Statement], around: _Around) -> list[str]:
        """Statements one after the other."""
        lines = [f"m.steps += {len(body)}"]
        for s in body:
            self.current = s
            written = self.statement(s, around)
            if _needs_current(written):
                lines.append(f"m.current = {self.node(s)}")
            lines += written
        return lines

    def statement(self, s: Statement, around: _Around) -> list[str]:
        """A statement."""
        match s:
            case Assign() | DeclareObject() if is_static(s):
                return []
            case Assign(target=target, value=value, declares=declares):
                return [f"v = {self._converted(target, value)}", *self._store(s, target, "v", declares)]
            case DeclareObject(name=name):
                self.used.add(name)
                made = f"o_{name} = m.declared({self.node(s)}, frame, {self.rounds})"
                return [made, f"c_{name} = o_{name}.cells"]
            case Compound(target=target, op=op, value=value):
                return self._combine(s, target, op, f"{self.value(value)}")
            case Step(place=place, op=op):
                return self._combine(s, place, "+", "1" if op == "++" else "-1")
            case CopyStruct(target=target, source=source):
                n = self.node(s)
                return [f"m.copied({n}, {self.place(source)}, {self.place(target)}, {self.rounds})"]
            case Havoc():
                return self._havoc(s)
            case Call(target=target, function=function, arguments=arguments, declares=declares):
                given = "".join(f"{self.value(a)}, " for a in arguments)
                called = f"v = m.called_with({function!r}, {self.node(s)}, ({given}), {self.rounds})"
                if target is None:
                    return [called]
                converted = [f"v = converted_number(v, {self.types.of(target)!r})"] if self.is_c else []
                return [called, *converted, *self._store(s, target, "v", declares)]
            case If(cond=cond, then=then, orelse=orelse):
                lines = [*self._decide(s, cond), "if h:", *_indented(self.body(then, around))]
                return lines if not orelse else [*lines, "else:", *_indented(self.body(orelse, around))]
            case While() | For() | DoWhile():
                return self._loop(s)
            case Switch():
                return self._switch(s, around)
            case Jump(word="break"):
                return ["break"]
            case Jump():
                return [f"{around.flag} = True", "break"] if around.flag else [*around.again, "continue"]
            case Assert(cond=cond):
                if self.follows:
                    return [f"m.checked({self.node(s)}, {self.condition(cond)})"]
                return [f"if not {self.condition(cond)}: raise Failed({self.node(s)})"]
            case Return(value=value):
                return self._return(s, value)
        raise NotCompiled(type(s).__name__)

    def _converted(self, target: Place, value: Expr) -> str:
        return self.as_type(value, self.types.of(target))

    # --- stores -------------------------------------------------------------------------------------------------------

    def _store(self, s: Statement, target: Place, value: str, declares: str) -> list[str]:
        """A store of a value that has the type of its target; the target may come into being with it."""
        lines = self._declare(target, declares)
        n = self.node(s)
        known = None if self.follows else self.known_place(target)
        if known is None:
            return [*lines, f"m.put({n}, {n}, {self.place(target)}, {value}, {self.node(target)}, {self.rounds})"]
        name, index, length = known
        at = index
        conditions = [f"{n} in stores"]
        if not index.isdigit() or int(index) >= length:
            lines.append(f"i = {index}")
            at = "i"
            conditions.append(f"not 0 <= i < {length}")
        slow = f"m.put({n}, {n}, ({self.object(name, target)}, {at}), {value}, {self.node(target)}, {self.rounds})"
        fast = f"c_{name}[{at}] = {value}; note(({n}, o_{name}, {at}, {value}, {self.rounds}, call))"
        return [*lines, f"if {' or '.join(conditions)}: {slow}", f"else: {fast}"]

    def _declare(self, target: Place, declares: str) -> list[str]:
        """The lines that make a new variable."""
        match target:
            case Var(name=name) if declares or not self.is_c:
                self.used.add(name)
                shape = self._scalar_shape(declares or "int")
                types = self.constant("k", cell_types(declares or "int", self.program) if self.is_c else ())
                made = (
                    f"Object({name!r}, {self.function.name!r}, [None] * {shape.length}, {shape.kind!r}, False, {types})"
                )
            case Elem(name=name) if not self.is_c:
                made = f"Object({name!r}, {self.function.name!r}, [None] * {ARRAY_LENGTH}, 'array')"
            case _:
                return []
        known = self._known_before(name)
        make = f"frame[{name!r}] = o_{name} = {made}; c_{name} = o_{name}.cells"
        return [make] if declares else [] if known else [f"if o_{name} is None: {make}"]

    def _known_before(self, name: str) -> bool:
        return name in {n for _, n in self.function.parameters} or name == self.function.result

    def _combine(self, s: Compound | Step, target: Place, op: str, value: str) -> list[str]:
        """`target op= value`: the value, the place, then what it holds."""
        n = self.node(s)
        kind = self.types.of(target)
        known = None if self.follows else self.known_place(target)
        if known is None or not known[1].isdigit() or int(known[1]) >= known[2]:
            return [f"m.combine({n}, {op!r}, {value}, {self.place(target)}, {self.node(target)}, {self.rounds})"]
        name, index, _ = known
        old = self._checked(f"c_{name}[{index}]", target)
        left, right = self.types.operands(s)
        if op in ("+", "-") and left == right == "int" == kind:
            new = self.wrapped(f"{old} {op} w", "int")
        else:
            new = f"converted_number(m.binary({op!r}, {old}, w, {n}), {kind!r})"
        return [f"w = {value}", f"v = {new}", *self._store(s, target, "v", "")]

    def _havoc(self, s: Havoc) -> list[str]:
        name = s.name
        self.used.add(name)
        made = f"Object({name!r}, {self.function.name!r}, [None], 'scalar')"
        n = self.node(s)
        return [
            f"if o_{name} is None: frame[{name!r}] = o_{name} = {made}; c_{name} = o_{name}.cells",
            f"m.put({n}, m.part, (o_{name}, 0), m.read({s.number}), {n}, {self.rounds})",
            f"if not isinstance(c_{name}[0], int) or not 0 <= c_{name}[0] <= {s.most}: raise Blocked",
        ]

    def _return(self, s: Return, value: Expr) -> list[str]:
        f = self.function
        n = self.node(s)
        kind = f.returns
        types = self.constant("k", cell_types(kind, self.program) if self.is_c else ())
        shape = self._scalar_shape(kind)
        if shape.length > 1:
            raise NotCompiled("a struct that is returned")
        made = f"Object({f.name + '()'!r}, {f.name!r}, [None], {shape.kind!r}, False, {types})"
        lines = [f"v = {self.as_type(value, kind)}", f"o = {made}"]
        put = f"m.put({n}, {n}, (o, 0), v, {n}, {self.rounds}); return o.cells[0]"
        if self.follows:
            return [*lines, put]
        plain = f"o.cells[0] = v; note(({n}, o, 0, v, {self.rounds}, call)); return v"
        return [*lines, f"if {n} in stores: {put}", plain]

    # --- decisions ----------------------------------------------------------------------------------------------------

    def _decide(self, s: Decision, cond: Expr) -> list[str]:
        """The outcome of a condition, as `h`."""
        n = self.node(s)
        lines = ["m.steps += 1"] if isinstance(s, If) else ["m.steps += 1", "if m.steps > most_steps: raise Endless"]
        lines += [f"h = {self.condition(cond)}"]
        if _needs_current(lines):
            lines.insert(0, f"m.current = {n}")
        if self.follows:
            return [*lines, f"h = m.came_out({n}, h, {self.rounds})"]
        return [*lines, f"if {n} in decisions: h = decisions[{n}](h)", f"note(({n}, h, {self.rounds}, call))"]

    def _loop(self, s: Loop) -> list[str]:
        lines: list[str] = []
        if isinstance(s, For):
            self.current = s.init
            lines += [f"m.current = {self.node(s.init)}", *self.statement(s.init, _Around())]
        self.loops += 1
        r = f"r{self.loops}"
        if isinstance(s, DoWhile):
            again = [*self._decide(s, s.cond), "if not h: break", f"{r} += 1"]
            rest = [*self.body(s.body, _Around(tuple(again))), *again]
            lines += [f"{r} = 1", "while True:", *_indented(rest)]
        else:
            again = []
            if isinstance(s, For):
                self.current = s.update
                again = [f"m.current = {self.node(s.update)}", *self.statement(s.update, _Around())]
            test = [f"{r} += 1", *self._decide(s, s.cond), "if not h: break"]
            inside = [*test, *self.body(s.body, _Around(tuple(again))), *again]
            lines += [f"{r} = 0", "while True:", *_indented(inside)]
        self.loops -= 1
        return lines

    def _switch(self, s: Switch, around: _Around) -> list[str]:
        numbers: dict[int | None, int] = {}
        for k, (label, _) in enumerate(s.cases):
            numbers.setdefault(label, k)
        default = numbers.get(None, len(s.cases))
        cases = self.constant("k", {label: k for label, k in numbers.items() if label is not None})
        n = self.node(s)
        chosen, flag = self.temporary(), self.temporary()
        lines = [f"{chosen} = {cases}.get(as_number({self.value(s.cond)}, {n}), {default})"]
        if self.follows:
            lines.append(f"{chosen} = m.chosen({n}, {chosen}, {self.rounds})")
        else:
            lines.append(f"note(({n}, {chosen}, {self.rounds}, call))")
        inside: list[str] = []
        for k, (_, body) in enumerate(s.cases):
            inside += [f"if {chosen} <= {k}:", *_indented(self.body(body, _Around(around.again, flag)))]
        lines += [f"{flag} = False", "while True:", *_indented([*inside, "break"])]
        if around.flag:
            return [*lines, f"if {flag}:", *_indented([f"{around.flag} = True", "break"])]
        return [*lines, f"if {flag}:", *_indented([*around.again, "continue"])] if self.loops else lines


def _needs_current(lines: list[str]) -> bool:
    """Whether an operation in these lines may be undefined at the statement that is executed."""
    return any(call in line for call in ("m.wrap(", "m.binary(", "shifted(m, ", "divided(m, ") for line in lines)


def _indented(lines: list[str]) -> list[str]:
    return [_INDENT + line for line in lines]


class Undeclared:
    """The cells of a variable that is not declared yet."""

    def __init__(self, name: str, at: Node) -> None:
        self.name, self.at = name, at

    def __getitem__(self, index: int) -> Value:
        raise Undefined(f"{self.name} is not declared yet", self.at)

    def __setitem__(self, index: int, value: Value) -> None:
        raise Undefined(f"{self.name} is not declared yet", self.at)


@lru_cache(maxsize=8)
def compiled(program: Program, *, follows: bool = False) -> dict[str, Body] | None:
    """The functions of a program by name; None when there is something in it that only the tree walk knows."""
    constants: dict[str, object] = {}
    try:
        texts = [
            StatementWriter(program, f, constants, follows=follows).source(f"f_{f.name}") for f in program.functions
        ]
    except NotCompiled:
        return None
    names: dict[str, Any] = {
        **constants,
        "Blocked": Blocked, "Endless": Endless, "Failed": Failed, "Object": Object, "converted": converted,
        "element": element, "fetched": fetched, "member": member, "pointed": pointed, "as_number": as_number,
        "converted_number": converted_number, "divided": divided, "shifted": shifted,
        "most_steps": MAX_STEPS,
    }  # fmt: skip
    exec(compile("\n".join(texts), "<small program>", "exec"), names)
    return {f.name: names[f"f_{f.name}"] for f in program.functions}
