"""The text of a Boogie file, and errors that name a place in it as compilers do."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from butfor.errors import CompileError, UnsupportedError
from butfor.frontends.boogie.boogie_syntax import Span
from butfor.source.source_model import Role
from butfor.source.source_text import on_one_line
from butfor.trace.view.source_places import Place


@dataclass(frozen=True)
class BoogieText:
    """A source file. Bytes that are not UTF-8 are kept as surrogate escapes."""

    file: str
    text: str
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [0, *(k + 1 for k, c in enumerate(self.text) if c == "\n")])

    @staticmethod
    def of(file: str, data: bytes) -> BoogieText:
        """The text of a file's bytes."""
        return BoogieText(file, data.decode("utf-8", "surrogateescape"))

    def span(self, start: int, end: int) -> Span:
        """The piece between two characters."""
        line = bisect_right(self._starts, start)
        before = self.text[self._starts[line - 1] : start]
        return Span(line, len(before.encode("utf-8", "surrogateescape")) + 1, start, end)

    def written(self, span: Span) -> str:
        """The piece as it is written, on one line."""
        return on_one_line(self.text[span.start : span.end])

    def place(self, span: Span, function: str, role: Role, target: str | None = None, text: str = "") -> Place:
        """The piece as a place of the report."""
        return Place(
            self.file, span.line, span.column, function, text or self.written(span), str(role), self.file, target
        )

    def error(self, span: Span, message: str, hint: str = "") -> CompileError:
        """The error at a piece, for raising."""
        return CompileError(f"{self.file}:{span.line}:{span.column}: {message}", hint=hint)

    def unsupported(self, span: Span, what: str, hint: str = "") -> UnsupportedError:
        """The refusal of what stands at a piece, for raising."""
        return UnsupportedError(what, file=self.file, line=span.line, column=span.column, hint=hint)
