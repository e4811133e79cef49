"""Small programs as syntax trees: what the campaign generates, prints, runs and shrinks.

One tree serves two languages: C with pointers, arrays, structs and calls; Boogie with maps and procedures. Nodes are
compared by identity, so that two equal statements are two statements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass(eq=False, slots=True)
class Elem2:
    """An element of a two-dimensional array."""

    name: str
    row: Expr
    index: Expr


@dataclass(eq=False, slots=True)
class ElemField:
    """A member of an element of an array of structs."""

    name: str
    index: Expr
    field: str


@dataclass(eq=False, slots=True)
class At:
    """What a computed pointer points to: `*(p + k)`."""

    pointer: Expr


@dataclass(eq=False, slots=True)
class Cast:
    """A conversion to an integer type."""

    type: str
    arg: Expr


@dataclass(eq=False, slots=True)
class Step:
    """`++` or `--` on a place: a statement, or an expression with the new value (prefix) or the old one."""

    place: Place
    op: str
    is_prefix: bool = False


@dataclass(eq=False, slots=True)
class CallExpr:
    """A call inside of an expression."""

    function: str
    arguments: tuple[Expr, ...]


Place = Var | Elem | Field | Deref | Elem2 | ElemField | At
Expr = Num | Address | Unary | Binary | Choice | Input | Cast | Step | CallExpr | Place


@dataclass(eq=False, slots=True)
class Assign:
    """An assignment; `declares`: the type with which it declares its variable."""

    target: Place
    value: Expr
    declares: str = ""


@dataclass(eq=False, slots=True)
class DeclareObject:
    """An array or a struct with its initial values; `rows`: so many of them, one after the other."""

    name: str
    values: tuple[int, ...]
    is_struct: bool = False
    type: str = "int"  # of the elements of an array
    rows: int = 0
    is_static: bool = False


@dataclass(eq=False, slots=True)
class Compound:
    """`target op= value`."""

    target: Place
    op: str
    value: Expr


@dataclass(eq=False, slots=True)
class CopyStruct:
    """An assignment of a whole struct."""

    target: Place
    source: Place


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
    update: Assign | Compound | Step
    body: list[Statement]


@dataclass(eq=False, slots=True)
class DoWhile:
    """`do body while (cond);`."""

    cond: Expr
    body: list[Statement]


@dataclass(eq=False, slots=True)
class Switch:
    """A switch; a case without a label is the default. Each falls through to the next unless it ends in a jump."""

    cond: Expr
    cases: tuple[tuple[int | None, list[Statement]], ...]


@dataclass(eq=False, slots=True)
class Jump:
    """`break` or `continue`."""

    word: Literal["break", "continue"]


@dataclass(eq=False, slots=True)
class Assert:
    """A check."""

    cond: Expr


@dataclass(eq=False, slots=True)
class Return:
    """The end of a function."""

    value: Expr


Loop = While | For | DoWhile
Decision = If | Loop  # statements that branch on a condition
Statement = (
    Assign | DeclareObject | Compound | CopyStruct | Step | Havoc | Call | Decision | Switch | Jump | Assert | Return
)
Node = Expr | Statement


@dataclass(eq=False, slots=True)
class Function:
    """A function that returns an integer. `result`: the variable that holds it at the end (Boogie)."""

    name: str
    parameters: tuple[tuple[str, str], ...]  # type and name
    body: list[Statement]
    result: str = ""
    returns: str = "int"


InputStyle = Literal["nondet", "atoi", "getchar", "scanf"]


@dataclass(eq=False, slots=True)
class Program:
    """A program: functions, the last is main; `domains` has the number of values of each input."""

    language: Literal["c", "boogie"]
    functions: list[Function]
    domains: tuple[int, ...]
    style: InputStyle = "nondet"
    globals: list[Assign | DeclareObject] = field(default_factory=list)
    field_types: tuple[str, ...] = ("int",) * len(STRUCT_FIELDS)
    is_wide: bool = False  # of the generator that uses the rest of C

    @property
    def main(self) -> Function:
        """Where the program starts."""
        return self.functions[-1]

    def function(self, name: str) -> Function:
        """The function of that name."""
        return next(f for f in self.functions if f.name == name)
