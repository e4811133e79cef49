"""Expressions of small programs as Python source, for one function.

What the tree walk of `evaluate_expressions` looks up for every value, this decides once: which variable a name means,
of which types the operands are, which results may need a conversion. Names in the source that is written: `o_x` is the
object of a variable, `c_x` its cells, `n7` a node, `t3` a value on the way.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.claims.c_types import INT_TYPES, STRUCT, common, converted, promoted, stride, types_of
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    At,
    Binary,
    CallExpr,
    Cast,
    Choice,
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

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class NotCompiled(Exception):
    """The program has something that only the tree walk knows."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a variable: how many cells it has, and whether they are those of an object."""

    kind: str  # "scalar", "array", "struct", "matrix" or "structs"
    length: int


class ExpressionWriter:
    """Writes expressions of one function. `follows`: every access and part of a condition is told to the machine."""

    def __init__(self, program: Program, function: Function, constants: dict[str, object], *, follows: bool) -> None:
        self.program = program
        self.function = function
        self.constants = constants
        self.follows = follows
        self.is_c = program.language == "c"
        self.types = types_of(program)
        self.shapes: dict[str, Shape] = {}
        self.used: set[str] = set()  # variables that the function uses
        self.loops = 0  # around what is written
        self.current: Node = program.main.body[0]
        self._names: dict[int, str] = {}
        self._temporaries = 0

    # --- names --------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> str:
        """The name of a node."""
        return self.constant("n", node)

    def constant(self, prefix: str, value: object) -> str:
        """The name of an object that stands in the source."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"{prefix}{len(self.constants)}"
            self.constants[name] = value
        return name

    def temporary(self) -> str:
        """A name for a value on the way."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    @property
    def rounds(self) -> str:
        """The rounds of the loops around what is written."""
        own = "".join(f"r{k}, " for k in range(1, self.loops + 1))
        return f"({own})" if self.is_c else f"(*outer, {own})" if own else "outer"

    def shape(self, name: str) -> Shape:
        """What is known of a variable."""
        self.used.add(name)
        found = self.shapes.get(name)
        if found is None:
            raise NotCompiled(name)
        return found

    def object(self, name: str, at: Node) -> str:
        """The object of a variable."""
        self.shape(name)
        return f"(o_{name} or m.variable({name!r}, frame, {self.node(at)}))"

    # --- types --------------------------------------------------------------------------------------------------------

    def kind(self, e: Expr) -> str:
        """The integer type of a value; of a pointer `int`."""
        found = self.types.of(e)
        return found if found in INT_TYPES else "int"

    def as_type(self, e: Expr, kind: str, code: str = "") -> str:
        """The value of an expression in a type; pointers as they are."""
        if isinstance(e, Num):
            return str(converted(e.value, kind) if self.is_c else e.value)
        code = code or self.value(e)
        source = self.types.of(e)
        if not self.is_c or kind not in INT_TYPES or source not in INT_TYPES or _contains(kind, source):
            return code
        return self._cut(code, kind, f"converted({{}}, {kind!r})")

    def _cut(self, code: str, kind: str, otherwise: str) -> str:
        t = self.temporary()
        least, most = INT_TYPES[kind].least, INT_TYPES[kind].most
        return f"({t} if {least} <= ({t} := {code}) <= {most} else {otherwise.format(t)})"

    def wrapped(self, code: str, kind: str) -> str:
        """The result of an operation in its type, which may overflow."""
        return self._cut(code, kind, f"m.wrap({{}}, {kind!r})") if self.is_c else f"({code})"

    # --- places -------------------------------------------------------------------------------------------------------

    def known_place(self, p: Place) -> tuple[str, str, int] | None:
        """The variable, the index in it and its length, of a place in a variable that is known; otherwise None."""
        match p:
            case Var(name=name):
                return name, "0", self.shape(name).length
            case Elem(name=name, index=index) if (shape := self.shape(name)).kind != "scalar":
                self._expect(name, "array", "structs")
                width = len(STRUCT_FIELDS) if shape.kind == "structs" else 1
                return name, self._scaled(index, width), shape.length
            case Elem2(name=name, row=row, index=index):
                self._expect(name, "matrix")
                at = f"{self._scaled(row, ARRAY_LENGTH)} + {self.value(index)}"
                return name, at, self.shape(name).length
            case ElemField(name=name, index=index, field=member):
                self._expect(name, "structs")
                at = f"{self._scaled(index, len(STRUCT_FIELDS))} + {STRUCT_FIELDS.index(member)}"
                return name, at, self.shape(name).length
            case Field(name=name, field=member, arrow=False):
                self._expect(name, "struct")
                return name, str(STRUCT_FIELDS.index(member)), self.shape(name).length
            case _:
                return None

    def _expect(self, name: str, *kinds: str) -> None:
        if self.shape(name).kind not in kinds:
            raise NotCompiled(name)

    def _scaled(self, e: Expr, width: int) -> str:
        if isinstance(e, Num):
            return str(e.value * width)
        return self.value(e) if width == 1 else f"{self.value(e)} * {width}"

    def place(self, p: Place) -> str:
        """Where a place is."""
        known = self.known_place(p)
        n = self.node(p)
        if known is not None:
            name, index, _ = known
            found = f"({self.object(name, p)}, {index})"
        else:
            match p:
                case Elem(name=name, index=index_of):
                    found = f"element({self.value(index_of)}, {self._pointer(name, p)}, {self._stride(p)}, {n})"
                case Field(name=name, field=member):
                    found = f"member({self._pointer(name, p)}, {STRUCT_FIELDS.index(member)}, {n})"
                case Deref(name=name):
                    found = f"pointed({self._pointer(name, p)}, {n})"
                case At(pointer=computed):
                    found = f"pointed({self.value(computed)}, {n})"
                case _:
                    raise NotCompiled(type(p).__name__)
        return f"m.placed({n}, {found})" if self.follows else found

    def _stride(self, p: Elem) -> int:
        return stride(self.types.of(p))

    def _pointer(self, name: str, at: Node) -> str:
        if self.shape(name).kind != "scalar":
            raise NotCompiled(name)
        return self._checked(f"c_{name}[0]", at)

    def _checked(self, code: str, at: Node) -> str:
        t = self.temporary()
        return f"({t} if ({t} := {code}) is not None else m.uninitialised({self.node(at)}))"

    def load(self, p: Place) -> str:
        """What a place holds."""
        known = None if self.follows else self.known_place(p)
        if known is None:
            accessed = repr(self.types.of(p)) if self.is_c and not isinstance(p, Var) else "''"
            return f"fetched(m, {self.place(p)}, {self.node(p)}, {accessed})"
        name, index, length = known
        if index.isdigit() and int(index) < length:
            return self._checked(f"c_{name}[{index}]", p)
        i, t = self.temporary(), self.temporary()
        inside = f"0 <= ({i} := {index}) < {length} and ({t} := c_{name}[{i}]) is not None"
        return f"({t} if {inside} else m.load(({self.object(name, p)}, {i}), {self.node(p)}))"

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, e: Expr) -> str:
        """The value of an expression."""
        match e:
            case Num(value=value):
                return str(value) if value >= 0 else f"({value})"
            case Var() if "[" in self.types.of(e) or self.types.of(e) == STRUCT:
                return self.place(e)
            case Var() | Elem() | Field() | Deref() | Elem2() | ElemField() | At():
                return self.place(e) if self.is_c and self.types.of(e) == STRUCT else self.load(e)
            case Address(place=place):
                return self.place(place)
            case Unary(op="-" | "~" as op, arg=arg):
                return self.wrapped(f"{op}({self.value(arg)})", self.kind(e))
            case Unary() | Binary(op="&&" | "||"):
                return f"(1 if {self.condition(e)} else 0)"
            case Cast(type=kind, arg=arg):
                return self._cut(self.value(arg), kind, f"converted({{}}, {kind!r})")
            case Binary():
                return self._binary(e)
            case Choice(cond=cond, yes=yes, no=no):
                kind = self.types.of(e)
                held = self.part(e, self.condition(cond))
                return f"({self.as_type(yes, kind)} if {held} else {self.as_type(no, kind)})"
            case Step():
                return f"m.stepped({self.node(e)}, {self.node(self.current)}, {self.place(e.place)}, {self.rounds})"
            case CallExpr(function=function, arguments=arguments):
                given = "".join(f"{self.value(a)}, " for a in arguments)
                return f"m.called_with({function!r}, {self.node(self.current)}, ({given}), {self.rounds})"
            case Input(number=number):
                return f"m.read({number})"

    def condition(self, e: Expr) -> str:
        """Whether an expression is not zero."""
        match e:
            case Binary(op="&&" | "||" as op, left=left, right=right):
                if not self.is_c:
                    return f"(({self.condition(left)}) {op[0]} ({self.condition(right)}))"
                first, second = (self.part(side, self.condition(side)) for side in (left, right))
                return f"({first} {'and' if op == '&&' else 'or'} {second})"
            case Unary(op="!", arg=arg):
                return f"(not {self.condition(arg)})"
            case Binary(op=op) if op in _COMPARISONS and self._are_numbers(e):
                kind = common(*self.types.operands(e)) if self.is_c else ""
                return f"({self.as_type(e.left, kind)} {op} {self.as_type(e.right, kind)})"
            case _:
                return f"({self.value(e)} != 0)"

    def part(self, e: Expr, held: str) -> str:
        """The outcome of a part of a condition, which is noted."""
        t = self.temporary()
        if self.follows:
            return f"m.part_came_out({self.node(e)}, {held})"
        return f"(note(({self.node(e)}, {t} := {held}, (), 0)) or {t})"

    def _are_numbers(self, e: Binary) -> bool:
        return not self.is_c or all(t in INT_TYPES for t in self.types.operands(e))

    def _binary(self, e: Binary) -> str:
        op = e.op
        if op in _COMPARISONS and self._are_numbers(e):
            return f"(1 if {self.condition(e)} else 0)"
        if self._are_numbers(e) and op in ("+", "-", "*", "&", "|", "^"):
            kind = common(*self.types.operands(e)) if self.is_c else ""
            code = f"{self.as_type(e.left, kind)} {op} {self.as_type(e.right, kind)}"
            return self.wrapped(code, kind) if op in ("+", "-", "*") else f"({code})"
        if self._are_numbers(e) and self.is_c:
            left, right = self.types.operands(e)
            kind = promoted(left) if op in ("<<", ">>") else common(left, right)
            sides = [self.as_type(side, kind) if op in ("/", "%") else self.value(side) for side in (e.left, e.right)]
            name = "shifted" if op in ("<<", ">>") else "divided"
            return f"{name}(m, {op!r}, {', '.join(sides)}, {kind!r}, {self.node(e)})"
        return f"m.binary({op!r}, {self.value(e.left)}, {self.value(e.right)}, {self.node(e)})"


def _contains(outer: str, inner: str) -> bool:
    return INT_TYPES[outer].least <= INT_TYPES[inner].least and INT_TYPES[inner].most <= INT_TYPES[outer].most
