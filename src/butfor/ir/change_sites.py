"""Sites: the places of a program at which a run can be changed, numbered from 1."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import overload

NOWHERE = 0  # the number of no site


class SiteKind(enum.StrEnum):
    """What is decided at a site."""

    LOAD = "load"  # the value of a variable, an element, a member
    STORE = "store"  # the value that is assigned
    COMPARE = "compare"  # the outcome of a comparison
    BRANCH = "branch"  # the outcome of a condition that is not a comparison
    OPERATION = "operation"  # the result of an operator
    CALL = "call"  # which function is called, or none
    CONSTANT = "constant"  # a constant that is passed or returned
    RESULT = "result"  # what a library function returned
    SWITCH = "switch"  # the value that chooses a case
    ADDRESS = "address"  # the member or element that is meant
    INITIAL = "initial"  # no place in the code: the value a global starts with


@dataclass(frozen=True, slots=True)
class Site:
    """One site: instruction `instr` of a function."""

    number: int
    function: str
    instr: int
    kind: SiteKind
    operand: int = -1  # the argument that is a constant
    bits: int = 0
    is_real: bool = False  # floating point
    is_pointer: bool = False
    is_unsigned: bool = False  # compared as unsigned numbers
    operator: int = -1  # predicate or operator as the runtime numbers them

    def to_row(self) -> list[object]:
        """The site as a row of a JSON table."""
        return [
            self.function,
            self.instr,
            str(self.kind),
            self.operand,
            self.bits,
            self.is_real,
            self.is_pointer,
            self.is_unsigned,
            self.operator,
        ]

    @staticmethod
    def of_row(number: int, row: list[object]) -> Site:
        """The site of a row of a JSON table."""
        function, instr, kind, *rest = row
        return Site(number, function, instr, SiteKind(kind), *rest)  # type: ignore[arg-type]


class SiteTable(Sequence[Site]):
    """All sites of a program, by number; each is made when it is asked for, since most of a large program never ran.

    A row without a function is no site of the program: the function it was in has been replaced by another one.
    """

    def __init__(self, rows: list[list[object]]) -> None:
        self._rows = rows
        self._first: dict[object, int] = {}  # the sites of a function follow each other
        for k, row in enumerate(rows):
            self._first.setdefault(row[0], k)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Site: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Site, ...]: ...
    def __getitem__(self, at: int | slice) -> Site | tuple[Site, ...]:
        if isinstance(at, slice):
            return tuple(self[k] for k in range(*at.indices(len(self._rows))))
        return Site.of_row(range(1, len(self._rows) + 1)[at], self._rows[at])

    def __iter__(self) -> Iterator[Site]:
        return (Site.of_row(number, row) for number, row in enumerate(self._rows, 1) if row[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteTable) and self._rows == other._rows

    def __hash__(self) -> int:
        return len(self._rows)

    def of_function(self, name: str) -> Iterator[Site]:
        """The sites of a function."""
        first = self._first.get(name, len(self._rows))
        rows = takewhile(lambda row: row[0] == name, islice(self._rows, first, None))
        return (Site.of_row(number, row) for number, row in enumerate(rows, first + 1))
