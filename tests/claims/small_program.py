"""Small programs as syntax trees: what the campaign generates, prints, runs and shrinks.

One tree serves two languages: C with pointers, arrays, structs and calls; Boogie with maps and procedures. Nodes are
compared by identity, so that two equal statements are two statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

ARRAY_LENGTH = 4
STRUCT_FIELDS = ("a", "b", "c")


@dataclass(eq=False, slots=True)
class Num:
    """A constant."""

    value: int


@dataclass(eq=False, slots=True)
class Var:
    """A variable: an int, or a pointer."""

    name: str


@dataclass(eq=False, slots=True)
class Elem:
    """An element of an array."""

    name: str
    index: Expr


@dataclass(eq=False, slots=True)
class Field:
    """A member of a struct; `arrow`: of the struct that a pointer points to."""

    name: str
    field: str
    arrow: bool = False


@dataclass(eq=False, slots=True)
class Deref:
    """What a pointer points to."""

    name: str


@dataclass(eq=False, slots=True)
class Address:
    """The address of a place; of a whole struct when the place is its variable."""

    place: Place


@dataclass(eq=False, slots=True)
class Unary:
    """`-e` or `!e`."""

    op: str
    arg: Expr


@dataclass(eq=False, slots=True)
class Binary:
    """Arithmetic, a comparison, or a short-circuit connective."""

    op: str
    left: Expr
    right: Expr


@dataclass(eq=False, slots=True)
class Choice:
    """`cond ? yes : no`."""

    cond: Expr
    yes: Expr
    no: Expr


@dataclass(eq=False, slots=True)
class Input:
    """Input number `number`, read here."""

    number: int


Place = Var | Elem | Field | Deref
Expr = Num | Var | Elem | Field | Deref | Address | Unary | Binary | Choice | Input


@dataclass(eq=False, slots=True)
class Assign:
    """An assignment; `declares`: the type with which it declares its variable."""

    target: Place
    value: Expr
    declares: str = ""


@dataclass(eq=False, slots=True)
class DeclareObject:
    """An array or a struct with its initial values."""

    name: str
    values: tuple[int, ...]
    is_struct: bool = False


@dataclass(eq=False, slots=True)
class Havoc:
    """A value from outside, between 0 and `most` (Boogie)."""

    name: str
    number: int
    most: int


@dataclass(eq=False, slots=True)
class Call:
    """`target = function(arguments)`."""

    target: Place | None
    function: str
    arguments: tuple[Expr, ...]
    declares: str = ""


@dataclass(eq=False, slots=True)
class If:
    """A branch."""

    cond: Expr
    then: list[Statement]
    orelse: list[Statement]


@dataclass(eq=False, slots=True)
class While:
    """A loop."""

    cond: Expr
    body: list[Statement]


@dataclass(eq=False, slots=True)
class For:
    """`for (init; cond; update)`."""

    init: Assign
    cond: Expr
    update: Assign
    body: list[Statement]


@dataclass(eq=False, slots=True)
class Assert:
    """A check."""

    cond: Expr


@dataclass(eq=False, slots=True)
class Return:
    """The end of a function."""

    value: Expr


Statement = Assign | DeclareObject | Havoc | Call | If | While | For | Assert | Return
Node = Expr | Statement


@dataclass(eq=False, slots=True)
class Function:
    """A function that returns an int. `result`: the variable that holds it at the end (Boogie)."""

    name: str
    parameters: tuple[tuple[str, str], ...]  # type and name
    body: list[Statement]
    result: str = ""


InputStyle = Literal["nondet", "atoi", "getchar", "scanf"]


@dataclass(eq=False, slots=True)
class Program:
    """A program: functions, the last is main; `domains` has the number of values of each input."""

    language: Literal["c", "boogie"]
    functions: list[Function]
    domains: tuple[int, ...]
    style: InputStyle = "nondet"
    globals: list[Assign] = field(default_factory=list)

    @property
    def main(self) -> Function:
        """Where the program starts."""
        return self.functions[-1]

    def function(self, name: str) -> Function:
        """The function of that name."""
        return next(f for f in self.functions if f.name == name)


def children(node: Node) -> Iterator[Node]:
    """The parts of a node, in the order of the source."""
    match node:
        case Elem(index=index):
            yield index
        case Address(place=place):
            yield place
        case Unary(arg=arg):
            yield arg
        case Binary(left=left, right=right):
            yield from (left, right)
        case Choice(cond=cond, yes=yes, no=no):
            yield from (cond, yes, no)
        case Assign(target=target, value=value):
            yield from (target, value)
        case Call(target=place, arguments=arguments):
            yield from () if place is None else (place,)
            yield from arguments
        case If(cond=cond, then=then, orelse=orelse):
            yield from (cond, *then, *orelse)
        case While(cond=cond, body=body):
            yield from (cond, *body)
        case For(init=init, cond=cond, update=update, body=body):
            yield from (init, cond, update, *body)
        case Assert(cond=cond):
            yield cond
        case Return(value=value):
            yield value
        case _:
            return


def walk(program: Program) -> Iterator[Node]:
    """All nodes of a program."""
    work: list[Node] = [*program.globals, *(s for f in program.functions for s in f.body)]
    while work:
        node = work.pop()
        yield node
        work += children(node)


def statements(body: list[Statement]) -> Iterator[Statement]:
    """The statements of a body, those inside others included."""
    for s in body:
        yield s
        match s:
            case If(then=then, orelse=orelse):
                yield from statements(then)
                yield from statements(orelse)
            case While(body=inner):
                yield from statements(inner)
            case For(init=init, update=update, body=inner):
                yield from (init, update)
                yield from statements(inner)
            case _:
                pass


def rewritten(program: Program, change: Callable[[Statement], list[Statement]]) -> Program:
    """The program with each statement replaced by what `change` gives for it, from the inside out."""

    def body(old: list[Statement]) -> list[Statement]:
        return [new for s in old for new in change(inside(s))]

    def inside(s: Statement) -> Statement:
        match s:
            case If():
                return replace(s, then=body(s.then), orelse=body(s.orelse))
            case While() | For():
                return replace(s, body=body(s.body))
            case _:
                return s

    return replace(program, functions=[replace(f, body=body(f.body)) for f in program.functions])


def constants(program: Program) -> set[int]:
    """The numbers that are written in a program."""
    found = {n.value for n in walk(program) if isinstance(n, Num)}
    return found | {v for n in walk(program) if isinstance(n, DeclareObject) for v in n.values}
