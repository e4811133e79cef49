"""Types of the generated C programs: integers and their conversions, and the type of every expression.

A type is written as in C: `unsigned char`, `int *`, `struct S`; of an array `int[4]`, `int[2][4]` or `struct S[2]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    Assign,
    At,
    Binary,
    Call,
    CallExpr,
    Cast,
    Choice,
    Compound,
    DeclareObject,
    Deref,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    Node,
    Program,
    Step,
    Unary,
    Var,
)
from tests.claims.walk_program import walk

STRUCT = "struct S"
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer type: its width, and whether it has a sign (`char` has one on x86-64)."""

    bits: int
    is_signed: bool

    @property
    def least(self) -> int:
        """The least value."""
        return -int(2 ** (self.bits - 1)) if self.is_signed else 0

    @property
    def most(self) -> int:
        """The greatest value."""
        return int(2 ** (self.bits - self.is_signed)) - 1


INT_TYPES = {
    "char": IntType(8, True),
    "unsigned char": IntType(8, False),
    "short": IntType(16, True),
    "unsigned short": IntType(16, False),
    "int": IntType(32, True),
    "unsigned": IntType(32, False),
    "long": IntType(64, True),
    "unsigned long": IntType(64, False),
}
_LIMITS = {name: (kind.least, kind.most) for name, kind in INT_TYPES.items()}
_SYNONYMS = {
    "signed char": "char", "unsigned int": "unsigned", "long long": "long", "unsigned long long": "unsigned long",
    "signed": "int",
}  # fmt: skip


def int_type(name: str) -> str | None:
    """The name of an integer type as this module writes it; None when it is none that it knows."""
    name = " ".join(name.split())
    name = _SYNONYMS.get(name, name)
    return name if name in INT_TYPES else None


def converted(value: int, name: str) -> int:
    """A value as an integer type stores it; as it is for other types."""
    limits = _LIMITS.get(name)
    if limits is None or limits[0] <= value <= limits[1]:
        return value
    least, most = limits
    value %= most - least + 1
    return value - (most - least + 1) if value > most else value


def promoted(name: str) -> str:
    """The type in which a single operand is computed."""
    kind = INT_TYPES.get(name)
    return "int" if kind is not None and kind.bits < 32 else name


def common(left: str, right: str) -> str:
    """The type in which two operands are computed (C 6.3.1.8)."""
    left, right = promoted(left), promoted(right)
    if left not in INT_TYPES or right not in INT_TYPES or left == right:
        return left if left in INT_TYPES else "int" if right not in INT_TYPES else right
    a, b = INT_TYPES[left], INT_TYPES[right]
    if a.bits != b.bits:
        return left if a.bits > b.bits else right
    return right if a.is_signed else left


def pointee(name: str) -> str:
    """What a pointer, or an array as a pointer, points to."""
    if name.endswith("*"):
        return name[:-1].strip()
    base, bracket, dimensions = name.partition("[")
    _, _, inner = dimensions.partition("]")
    return base + inner if bracket else ""


def stride(name: str) -> int:
    """How many cells a value of this type takes."""
    if "[" in name:
        base, _, dimensions = name.partition("[")
        size = stride(base)
        for part in dimensions.rstrip("]").split("]["):
            size *= int(part)
        return size
    return len(STRUCT_FIELDS) if name == STRUCT else 1


def object_type(s: DeclareObject) -> str:
    """The type of what a declaration declares."""
    if s.is_struct:
        return f"{STRUCT}[{s.rows}]" if s.rows else STRUCT
    return f"{s.type}[{s.rows}][{ARRAY_LENGTH}]" if s.rows else f"{s.type}[{ARRAY_LENGTH}]"


def cell_types(name: str, program: Program) -> tuple[str, ...]:
    """The types of the cells of an object."""
    return _cell_types(name, program.field_types)


@lru_cache(maxsize=256)
def _cell_types(name: str, field_types: tuple[str, ...]) -> tuple[str, ...]:
    base = name.partition("[")[0]
    inner = field_types if base == STRUCT else (base,)
    return inner * (stride(name) // len(inner))


class Types:
    """The types of a program's variables and expressions. A name means the same in all functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[str, str] = {name: kind for f in program.functions for kind, name in f.parameters}
        self.returns = {f.name: f.returns for f in program.functions}
        for node in walk(program):
            match node:
                case Assign(target=Var(name=name), declares=kind) | Call(target=Var(name=name), declares=kind) if kind:
                    self.names[name] = kind.removeprefix("static ")
                case DeclareObject(name=name):
                    self.names[name] = object_type(node)
                case _:
                    pass
        self.known: dict[Node, str] = {}

    def of(self, e: Expr) -> str:
        """The type of an expression, before it is promoted."""
        found = self.known.get(e)
        if found is None:
            found = self.known[e] = self._of(e)
        return found

    def _field(self, name: str) -> str:
        return self.program.field_types[STRUCT_FIELDS.index(name)]

    def _of(self, e: Expr) -> str:
        match e:
            case Var(name=name):
                return self.names.get(name, "int")
            case Elem(name=name) | Deref(name=name):
                return pointee(self.names.get(name, "")) or "int"
            case Elem2(name=name):
                return pointee(pointee(self.names.get(name, ""))) or "int"
            case Field(field=member) | ElemField(field=member):
                return self._field(member)
            case At(pointer=pointer):
                return pointee(self.of(pointer)) or "int"
            case Address(place=place):
                return f"{self.of(place)} *"
            case Step(place=place):
                return self.of(place)
            case Cast(type=kind):
                return kind
            case CallExpr(function=function):
                return self.returns.get(function, "int")
            case Unary(op="!"):
                return "int"
            case Unary(arg=arg):
                return promoted(self.of(arg))
            case Binary(op=op) if op in _COMPARISONS:
                return "int"
            case Binary(op="<<" | ">>", left=left):
                return promoted(self.of(left))
            case Binary(left=left, right=right):
                return self._pointer_or_common(self.of(left), self.of(right))
            case Choice(yes=yes, no=no):
                return self._pointer_or_common(self.of(yes), self.of(no))
            case _:
                return "int"

    @staticmethod
    def _pointer_or_common(left: str, right: str) -> str:
        pointers = [t for t in (left, right) if pointee(t)]
        return f"{pointee(pointers[0])} *" if pointers else common(left, right)

    def operands(self, node: Node) -> tuple[str, str]:
        """The types of the two operands that a node combines."""
        match node:
            case Binary(left=left, right=right):
                return self.of(left), self.of(right)
            case Compound(target=left, value=right) | Assign(target=left, value=right):
                return self.of(left), self.of(right)
            case Step(place=place):
                return self.of(place), "int"
            case _:
                return "int", "int"


@lru_cache(maxsize=4)
def types_of(program: Program) -> Types:
    """The types of a program."""
    return Types(program)
