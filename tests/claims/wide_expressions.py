"""Random expressions over the rest of C: integer types, shifts, divisions, nested conditions and calls, pointers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.claims.c_types import STRUCT
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
    Num,
    Place,
    Unary,
    Var,
)

ROWS = 2  # of two-dimensional arrays and arrays of structs
NUMBER_TYPES = ("int", "int", "int", "unsigned", "unsigned", "char", "unsigned char", "short", "unsigned short", "long")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_RISKY_DIVISOR = 0.3  # how often a divisor may be zero


@dataclass
class WideScope:
    """The names that a function may use; types are those of the generator."""

    numbers: list[str] = field(default_factory=list)  # may be assigned
    constants: list[str] = field(default_factory=list)  # may only be read
    indexes: list[str] = field(default_factory=list)  # known to be within the arrays
    arrays: list[str] = field(default_factory=list)
    matrices: list[str] = field(default_factory=list)
    structs: list[str] = field(default_factory=list)
    struct_arrays: list[str] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)  # to a single int
    bases: list[str] = field(default_factory=list)  # pointers to the first element of an array of int
    struct_pointers: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)  # hold an input

    def inner(self, index: str) -> WideScope:
        """The scope of a loop with this index."""
        return replace(
            self,
            numbers=list(self.numbers),
            constants=[*self.constants, index],
            indexes=[*self.indexes, index],
        )


@dataclass(frozen=True)
class Callee:
    """A function that can be called; `is_pure`: it changes nothing that its caller sees."""

    function: Function
    is_pure: bool
    depth_first: bool = False  # its first argument bounds its recursion


class Expressions:
    """Random expressions and places."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.callees: list[Callee] = []
        self.kinds: dict[str, str] = {}  # types of variables and of elements of arrays
        self.has_int_members = True
        self.may_call = True

    # --- places -------------------------------------------------------------------------------------------------------

    def place(self, s: WideScope) -> Place:
        """A place that may be assigned."""
        rng = self.rng
        options = self.parts(s)
        if s.numbers:
            options += [lambda: Var(rng.choice(s.numbers))] * 4
        return rng.choice(options)()

    def parts(self, s: WideScope) -> list[Callable[[], Place]]:
        """Makers of places in objects and behind pointers."""
        rng = self.rng
        options: list[Callable[[], Place]] = []
        if s.arrays:
            options += [lambda: Elem(rng.choice(s.arrays), self.index(s))] * 2
        if s.matrices:
            options += [lambda: Elem2(rng.choice(s.matrices), self.index(s, ROWS), self.index(s))] * 2
        if s.structs:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))] * 2
        if s.struct_arrays:
            options += [
                lambda: ElemField(rng.choice(s.struct_arrays), self.index(s, ROWS), rng.choice(STRUCT_FIELDS))
            ] * 2
        if s.pointers:
            options += [lambda: Deref(rng.choice(s.pointers))]
        if s.bases:
            options += [lambda: At(Binary("+", Var(rng.choice(s.bases)), self.index(s)))]
            options += [lambda: Elem(rng.choice(s.bases), self.index(s))]
        if s.struct_pointers:
            options += [lambda: Field(rng.choice(s.struct_pointers), rng.choice(STRUCT_FIELDS), True)]
        return options

    def index(self, s: WideScope, size: int = ARRAY_LENGTH) -> Expr:
        """An index that is within an array of that size, which is a power of two."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.2:
            return Num(rng.randrange(size))
        if kind < 0.5 and s.indexes and size == ARRAY_LENGTH:
            return Var(rng.choice(s.indexes))
        if kind < 0.7:
            return Choice(self.condition(s, 0), Num(rng.randrange(size)), Num(rng.randrange(size)))
        return Binary("&", self.number(s, 1), Num(size - 1))

    def int_address(self, s: WideScope) -> Address | None:
        """The address of an int."""
        rng = self.rng
        options: list[Callable[[], Place]] = []
        numbers = [n for n in s.numbers if self.kinds.get(n) == "int"]
        arrays = [n for n in s.arrays if self.kinds.get(n) == "int"]
        matrices = [n for n in s.matrices if self.kinds.get(n) == "int"]
        if numbers:
            options += [lambda: Var(rng.choice(numbers))] * 2
        if arrays:
            options += [lambda: Elem(rng.choice(arrays), self.index(s))]
        if matrices:
            options += [lambda: Elem2(rng.choice(matrices), self.index(s, ROWS), self.index(s))]
        if s.structs and self.has_int_members:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))]
        return Address(rng.choice(options)()) if options else None

    # --- expressions --------------------------------------------------------------------------------------------------

    def atom(self, s: WideScope) -> Expr:
        """A constant or a place."""
        rng = self.rng
        names = s.numbers + s.constants
        options: list[Callable[[], Expr]] = [lambda: Num(rng.randint(0, 7)), *self.parts(s)]
        if names:
            options += [lambda: Var(rng.choice(names))] * 5
        return rng.choice(options)()

    def number(self, s: WideScope, depth: int = 2) -> Expr:
        """An integer of any type."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return self.atom(s)
        less = depth - 1
        options: list[tuple[int, Callable[[], Expr]]] = [
            (6, lambda: Binary(rng.choice("++-"), self.number(s, less), self.number(s, less))),
            (1, lambda: Binary("*", self.atom(s), Num(rng.randint(2, 3)))),
            (1, lambda: Unary(rng.choice("-~"), self.atom(s))),
            (1, lambda: Binary(rng.choice("&|^"), self.number(s, less), Num(rng.randint(1, 7)))),
            (1, lambda: Choice(self.condition(s, 1), self.number(s, less), self.atom(s))),
            (1, lambda: Binary(rng.choice(_COMPARISONS), self.number(s, less), self.atom(s))),
            (1, lambda: self.condition(s, 1)),
            (2, lambda: Cast(rng.choice(NUMBER_TYPES), self.number(s, less))),
            (1, lambda: Binary("<<", Binary("&", self.number(s, less), Num(15)), self.shift(s))),
            (1, lambda: Binary(">>", self.number(s, less), self.shift(s))),
            (2, lambda: Binary(rng.choice("/%"), self.number(s, less), self.divisor(s))),
        ]
        if self.may_call and any(c.is_pure for c in self.callees):
            options.append((2, lambda: self.nested_call(s)))
        return rng.choices([make for _, make in options], [weight for weight, _ in options])[0]()

    def shift(self, s: WideScope) -> Expr:
        """A shift that is within every type."""
        rng = self.rng
        return Num(rng.randint(1, 4)) if rng.random() < 0.6 else Binary("&", self.atom(s), Num(3))

    def divisor(self, s: WideScope) -> Expr:
        """A divisor, which may be zero now and then."""
        rng = self.rng
        kind = rng.random()
        if kind < _RISKY_DIVISOR and (s.numbers or s.constants):
            return Binary("-", Var(rng.choice(s.numbers + s.constants)), Num(rng.randint(1, 6)))
        if kind < 0.6:
            return Num(rng.randint(2, 5))
        return Binary("+", Binary("&", self.atom(s), Num(3)), Num(rng.randint(1, 2)))

    def condition(self, s: WideScope, depth: int = 1) -> Expr:
        """A condition."""
        rng = self.rng
        if depth and rng.random() < 0.35:
            return Binary(rng.choice(("&&", "||")), self.condition(s, depth - 1), self.condition(s, depth - 1))
        if depth and rng.random() < 0.1:
            return Unary("!", Binary(rng.choice(_COMPARISONS), self.atom(s), self.atom(s)))
        if depth and rng.random() < 0.1:
            return self.atom(s)
        right = Num(rng.randint(0, 6)) if rng.random() < 0.7 else self.atom(s)
        return Binary(rng.choice(_COMPARISONS), self.number(s, min(depth, 1)), right)

    # --- calls --------------------------------------------------------------------------------------------------------

    def nested_call(self, s: WideScope) -> Expr:
        """A call in an expression; only one of them calls, so that the order of calls does not matter."""
        callee = self.rng.choice([c for c in self.callees if c.is_pure])
        self.may_call = self.rng.random() < 0.2
        arguments = self.arguments(s, callee)
        self.may_call = False
        return self.atom(s) if arguments is None else CallExpr(callee.function.name, arguments)

    def arguments(self, s: WideScope, callee: Callee) -> tuple[Expr, ...] | None:
        """Arguments for a call; None when there are none in this scope."""
        rng = self.rng
        found: list[Expr] = []
        for number, (kind, _) in enumerate(callee.function.parameters):
            given: Expr | None
            if kind == "int *":
                given = Var(rng.choice(s.bases)) if s.bases else None
            elif kind == STRUCT:
                given = Var(rng.choice(s.structs)) if s.structs else None
                if s.struct_arrays and (given is None or rng.random() < 0.4):
                    given = Elem(rng.choice(s.struct_arrays), self.index(s, ROWS))
            elif kind == f"{STRUCT} *":
                given = Address(Var(rng.choice(s.structs))) if s.structs else None
                if s.struct_arrays and (given is None or rng.random() < 0.4):
                    given = Address(Elem(rng.choice(s.struct_arrays), self.index(s, ROWS)))
            elif callee.depth_first and not number:
                given = Binary("&", self.number(s, 1), Num(3))
            else:
                given = self.number(s, 1)
            if given is None:
                return None
            found.append(given)
        return tuple(found)
