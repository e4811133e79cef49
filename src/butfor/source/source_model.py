"""Statements, expressions and functions as the programmer wrote them: the answers of `SyntaxTree`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from butfor.source.source_text import Position


class Role(StrEnum):
    """What part a piece of source plays in the program."""

    EXPRESSION = "expression"
    DECLARATION = "declaration"
    CONDITION = "condition"
    FOR_INIT = "for-init"
    FOR_UPDATE = "for-update"
    RETURN = "return"
    JUMP = "jump"
    CASE = "case"
    PARAMETER = "parameter"
    FUNCTION = "function"
    END = "end"
    INITIALIZER = "initializer"
    MACRO = "macro"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement-like unit of source; equal for every position inside the same unit, so it can group steps.

    Lines and columns count from 1, columns in bytes; the start is inclusive and `end_column` exclusive. `text` is the
    source on one line. `target` is the lvalue that the unit assigns, `keyword` is that of the statement a condition
    belongs to, and `declares` distinguishes a declaration from an assignment.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    role: Role
    target: str | None = None
    function: str | None = None
    keyword: str | None = None
    declares: bool = False

    @property
    def start(self) -> Position:
        """The line and column of the first byte."""
        return self.line, self.column

    @property
    def end(self) -> Position:
        """The line and column just after the last byte."""
        return self.end_line, self.end_column


@dataclass(frozen=True, slots=True)
class Expression:
    """One sub-expression, with `kind` the node type of the C grammar (`binary_expression`, `call_expression`, ...)."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class FunctionSpan:
    """A function definition from the start of its header to its closing brace; `header` is the text before the body."""

    name: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    header: str


@dataclass(frozen=True, slots=True)
class StatementSpan:
    """A statement-like unit as byte offsets, with the span of the lvalue that it assigns, if any."""

    start: int
    end: int
    role: Role
    target: tuple[int, int] | None = None
    keyword: str | None = None
    declares: bool = False
