"""Source files for the page: coloured lines with marks in the gutter; parts of large files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from butfor.explanation import Explanation
from butfor.report.cause_tree import causes_of
from butfor.report.inert_text import inert, inert_line
from butfor.report.shared_words import MAX_ROWS_SHOWN
from butfor.report.source_excerpt import source_lines

_MAX_LINES_SHOWN_WHOLE = 5000  # of a file; a browser lays out larger ones slowly
_CONTEXT_LINES = 60  # shown around each line that matters in a larger file: a screen
_MAX_LINE_CHARS = 4000  # longer lines are data, not code to read
_MAX_COLOURED_CHARS = 1_000_000  # of a file; colouring more takes seconds
_FILES_KEPT = 64  # whose coloured lines are remembered: many reports of one program show the same
LINES_PER_CHUNK = 100  # that a browser lays out at a time, when they come into view


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line: its number, its text as markup, and its marks."""

    number: int
    text: Markup
    ranks: tuple[int, ...] = ()
    is_failure: bool = False
    is_slice: bool = False
    before: tuple[str, ...] = ()  # invariants that hold before it


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """Lines that follow each other; `skipped` lines of the file were left out before them."""

    skipped: int
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file."""

    number: int
    name: str
    chunks: tuple[SourceChunk, ...]
    skipped: int  # lines left out at the end


def mentioned_lines(explanation: Explanation) -> dict[str, set[int]]:
    """The lines that the report mentions, by file."""
    found: dict[str, set[int]] = {}
    for file, line in _mentioned(explanation):
        if file in explanation.sources:
            found.setdefault(file, set()).add(line)
    return found


def _mentioned(e: Explanation) -> Iterator[tuple[str, int]]:
    for failure in (e.failure, *e.memory_errors):
        if failure is not None:
            yield failure.file, failure.line
    for row in e.ranking:
        yield row.file, row.line
        yield from ((also.file, also.line) for also in row.also)
    for cause in causes_of(e):
        yield from ((p["file"], p["line"]) for p in (cause["condition"], *cause["statements"]) if p)
    for entry in e.methods.get("error-invariants", {}).get("abstract_trace", ()):
        if entry.get("kind") == "statement":
            yield entry["file"], entry["line"]
    for step in e.story.steps if e.story is not None else ():
        yield step.file, step.line


def source_files(explanation: Explanation, numbers: Mapping[str, int]) -> tuple[SourceFile, ...]:
    """The files that the report mentions, in the order of their numbers."""
    lines = mentioned_lines(explanation)
    marks = _Marks(explanation)
    return tuple(
        _source_file(number, name, explanation.sources[name], lines[name], marks) for name, number in numbers.items()
    )


class _Marks:
    """What the gutter shows: the failure, ranks, the slice, and the invariants before a line."""

    def __init__(self, e: Explanation) -> None:
        self.failure = (e.failure.file, e.failure.line) if e.failure is not None else None
        self.ranks: dict[tuple[str, int], list[int]] = {}
        for row in e.ranking[:MAX_ROWS_SHOWN]:
            self.ranks.setdefault((row.file, row.line), []).append(row.rank)
        lines = e.methods.get("slice", {}).get("relevant", {}).get("lines", ())
        self.slice = {(file, line) for file, line in lines} | {(row.file, row.line) for row in e.ranking}
        self.before = invariants_by_line(e)


def invariants_by_line(e: Explanation) -> dict[tuple[str, int], list[str]]:
    """The invariants of the abstract error trace, by the line of the statement before which each holds."""
    found: dict[tuple[str, int], list[str]] = {}
    waiting: list[str] = []
    for entry in e.methods.get("error-invariants", {}).get("abstract_trace", ()):
        if entry.get("kind") == "invariant":
            waiting.append(inert(str(entry["formula"])))
        elif entry.get("kind") == "statement":
            found.setdefault((entry["file"], entry["line"]), []).extend(
                f for f in waiting if f not in found.get((entry["file"], entry["line"]), [])
            )
            waiting = []
    if waiting and e.failure is not None:
        found.setdefault((e.failure.file, e.failure.line), []).extend(waiting)
    return found


def _source_file(number: int, name: str, text: str, lines: set[int], marks: _Marks) -> SourceFile:
    coloured = coloured_lines(text)
    wanted = (
        range(1, len(coloured) + 1) if len(coloured) <= _MAX_LINES_SHOWN_WHOLE else _with_context(lines, len(coloured))
    )
    chunks: list[SourceChunk] = []
    rows: list[SourceLine] = []
    last = 0
    for k in wanted:
        if rows and (k != last + 1 or len(rows) >= LINES_PER_CHUNK):
            chunks.append(SourceChunk(rows[0].number - (chunks[-1].lines[-1].number if chunks else 0) - 1, tuple(rows)))
            rows = []
        at = (name, k)
        ranks = tuple(marks.ranks.get(at, ()))
        rows.append(
            SourceLine(
                k, coloured[k - 1], ranks, at == marks.failure, at in marks.slice, tuple(marks.before.get(at, ()))
            )
        )
        last = k
    if rows:
        chunks.append(SourceChunk(rows[0].number - (chunks[-1].lines[-1].number if chunks else 0) - 1, tuple(rows)))
    return SourceFile(number, name, tuple(chunks), len(coloured) - last)


def _with_context(lines: Iterable[int], count: int) -> list[int]:
    return sorted(
        {k for line in lines for k in range(max(1, line - _CONTEXT_LINES), min(count, line + _CONTEXT_LINES) + 1)}
    )


@lru_cache(maxsize=_FILES_KEPT)
def coloured_lines(text: str) -> tuple[Markup, ...]:
    """The lines of a source as markup."""
    lines = source_lines(text)
    while lines and not lines[-1]:
        lines.pop()
    if len(text) > _MAX_COLOURED_CHARS:
        return tuple(_plain(line) for line in lines)
    from pygments.lexers import get_lexer_by_name  # late: it is slow to import

    out: list[list[Markup]] = [[]]
    room = _MAX_LINE_CHARS
    for _, token, value in get_lexer_by_name("c").get_tokens_unprocessed("\n".join(lines)):
        name = _class_of(str(token))
        for k, piece in enumerate(value.split("\n")):
            if k:
                out.append([])
                room = _MAX_LINE_CHARS
            if piece and room > 0:
                out[-1].append(_piece(piece[:room], name))
                room -= len(piece)
                if room <= 0:
                    out[-1].append(_cut())
    return tuple(Markup("").join(parts) for parts in out[: len(lines)])


def _plain(line: str) -> Markup:
    return _piece(line[:_MAX_LINE_CHARS], "") + (_cut() if len(line) > _MAX_LINE_CHARS else Markup(""))


def _cut() -> Markup:
    return Markup('<span class="cut">… the line goes on</span>')


def _class_of(token: str) -> str:
    for prefix, name in (
        ("Token.Comment.Preproc", "p"),
        ("Token.Comment", "c"),
        ("Token.Literal.String", "s"),
        ("Token.Keyword", "k"),
    ):
        if token.startswith(prefix):
            return name
    return ""


def _piece(text: str, name: str) -> Markup:
    shown = escape(inert_line(text))
    return Markup('<span class="{}">{}</span>').format(name, shown) if name else shown
