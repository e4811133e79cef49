"""Sites: the places of a program at which a run can be changed, numbered from 1."""

from __future__ import annotations

import enum
from dataclasses import dataclass

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
