"""Source positions, variables and C types of the debug info, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Location:
    """A position in a source file; lines and columns count from 1, column 0 is unknown."""

    file: str
    line: int
    column: int


_MAX_STARS = 8  # of a pointer to pointers; a type that points to itself has no end of them


class TypeTable(Protocol):
    """Where the types that pointers and fields refer to are looked up, and where fields are declared."""

    def ctype(self, n: int) -> CType:
        """The C type with that number."""
        ...

    def declared_at(self, n: int) -> Location:
        """Where the debug info says that a variable, function or field was declared."""
        ...


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct or union; offset and size in bits."""

    name: str
    bit_offset: int
    bit_size: int
    is_bits: bool
    type_number: int
    owner: TypeTable
    number: int = field(default=-1, compare=False)  # its own, of which `owner` knows where it is declared

    @property
    def type(self) -> CType:
        """The member's type."""
        return self.owner.ctype(self.type_number)

    @property
    def declared_at(self) -> Location:
        """Where the member is declared."""
        return self.owner.declared_at(self.number)


@dataclass(frozen=True, slots=True)
class CType:
    """A C type."""

    kind: str  # signed unsigned char uchar bool float pointer array struct union enum function void
    name: str
    size: int
    fields: tuple[Field, ...] = ()
    count: int = 0
    target: int = -1
    owner: TypeTable | None = None
    names: tuple[tuple[int, str], ...] = ()
    element: CType | None = None

    @property
    def text(self) -> str:
        """The type as C writes it, "" where it has no name."""
        stars, t = "", self
        while t.kind == "pointer" and not t.name and len(stars) < _MAX_STARS:
            stars, t = stars + "*", t.pointee or CType("void", "void", 0)
        if t.kind == "array" and t.element is not None:
            return f"{t.element.text}[{t.count}]" if t.element.text and not stars else ""
        return f"{t.name} {stars}".strip() if t.name and t.kind != "function" else ""

    @property
    def pointee(self) -> CType | None:
        """What a pointer points to."""
        return self.owner.ctype(self.target) if self.kind == "pointer" and self.owner is not None else None


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as declared."""

    name: str
    file: str
    line: int
    type: CType
    is_parameter: bool
