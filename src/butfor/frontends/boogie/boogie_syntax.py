"""Boogie programs as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the source: its line and its column in bytes, both from 1, and its characters [start, end)."""

    line: int
    column: int
    start: int
    end: int


MAP = "[]"  # the name of all types of maps; a program cannot declare it


@dataclass(frozen=True, slots=True)
class Type:
    """A type: int, bool, real, bvN or a declared name; a map has the types of its indexes and, last, of its value."""

    name: str
    args: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.args[:-1]))}]{self.args[-1]}" if self.is_map else self.name

    @property
    def is_map(self) -> bool:
        """Whether it is the type of a map."""
        return self.name == MAP


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression.

    `op` is an operator as it is written, or int, real, bits, name, apply, old, not, minus, choice, select, update,
    extract, to_int, to_real, true, false. `data` is the literal, the name or the bits `high:low`.
    """

    op: str
    args: tuple[Expr, ...]
    data: str
    span: Span


@dataclass(frozen=True, slots=True)
class Named:
    """A variable, parameter or constant with its type as written."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Target:
    """What an assignment assigns: a variable, or elements of it by one or more lists of indexes."""

    name: str
    indexes: tuple[tuple[Expr, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """`name:`"""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert e;` or `assume e;`"""

    expr: Expr
    is_assumption: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Havoc:
    """`havoc x, y;`"""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`x, a[i] := e, f;`"""

    targets: tuple[Target, ...]
    values: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`call x, y := p(e, f);`"""

    outs: tuple[str, ...]
    callee: str
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if (guard) { } else { }`; a guard of None is `*`."""

    guard: Expr | None
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span
    guard_span: Span


@dataclass(frozen=True, slots=True)
class Invariant:
    """`invariant e;`"""

    expr: Expr
    is_free: bool
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """`while (guard) invariant e; { }`; a guard of None is `*`."""

    guard: Expr | None
    invariants: tuple[Invariant, ...]
    body: tuple[Statement, ...]
    span: Span
    guard_span: Span


@dataclass(frozen=True, slots=True)
class Jump:
    """`break label;`, `return;` or `goto a, b;`, by its keyword."""

    keyword: str
    labels: tuple[str, ...]
    span: Span


Statement = Label | Assert | Havoc | Assign | Call | If | While | Jump


@dataclass(frozen=True, slots=True)
class Spec:
    """`requires e;` or `ensures e;`, by its keyword."""

    keyword: str
    expr: Expr
    is_free: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Body:
    """Local variables and statements; `span` covers the braces."""

    variables: tuple[Named, ...]
    statements: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure or an implementation of one."""

    name: str
    params: tuple[Named, ...]
    returns: tuple[Named, ...]
    specs: tuple[Spec, ...]
    modifies: tuple[tuple[str, Span], ...]
    body: Body | None
    span: Span


@dataclass(frozen=True, slots=True)
class Function:
    """A function; without a body it is any function. `builtin` names the operation of SMT-LIB that it is."""

    name: str
    params: tuple[Named, ...]
    result: Type
    body: Expr | None
    builtin: str
    span: Span


@dataclass(frozen=True, slots=True)
class Program:
    """All declarations of a file. `types` maps names of types to what they stand for, None for types of their own."""

    types: dict[str, Type | None] = field(default_factory=dict)
    constants: dict[str, Named] = field(default_factory=dict)
    unique: tuple[tuple[str, ...], ...] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    axioms: tuple[Expr, ...] = ()
    variables: dict[str, Named] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
