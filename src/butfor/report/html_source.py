"""Source files for the page: lines in colour, inert, with the marks of the gutter; of large files only what is near the failure and its causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from butfor.explanation import Explanation
from butfor.report.inert_text import escaped_character as spelled
from butfor.report.inert_text import inert
from butfor.report.shared_words import MAX_ROWS_SHOWN
from butfor.report.source_excerpt import source_lines

_WHOLE = 5000  # lines of a file that is shown whole
_NEAR = 60  # lines shown around one that matters in a larger file
_LONGEST = 4000  # characters of a line
_MOST_COLOURED = 1_000_000  # characters of a file
LINES_PER_CHUNK = 100  # lines that a browser lays out at a time


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


def shown_line(raw: str) -> str:
    """A line of source in visible characters; tabs stay."""
    return raw if raw.isprintable() else "".join(c if c == "\t" or c.isprintable() else spelled(c) for c in raw)


def mentioned_lines(explanation: Explanation) -> dict[str, set[int]]:
    """The lines of each file that the report speaks of."""
    found: dict[str, set[int]] = {}
    for file, line in _places(explanation):
        if file in explanation.sources:
            found.setdefault(file, set()).add(line)
    return found


def _places(e: Explanation) -> Iterator[tuple[str, int]]:
    for failure in (e.failure, *e.memory_errors):
        if failure is not None:
            yield failure.file, failure.line
    for row in e.ranking:
        yield row.file, row.line
        yield from ((also.file, also.line) for also in row.also)
    for cause in e.methods.get("cascade", {}).get("causes", ()):
        yield from ((p["file"], p["line"]) for p in (cause["condition"], *cause["statements"]) if p)
    for entry in e.methods.get("error-invariants", {}).get("abstract_trace", ()):
        if entry.get("kind") == "statement":
            yield entry["file"], entry["line"]
    for step in e.story.steps if e.story is not None else ():
        yield step.file, step.line


def source_files(explanation: Explanation, numbers: Mapping[str, int]) -> tuple[SourceFile, ...]:
    """The files that the report speaks of, in the order of their numbers."""
    lines = mentioned_lines(explanation)
    marks = _Marks(explanation)
    return tuple(_file(number, name, explanation.sources[name], lines[name], marks) for name, number in numbers.items())


class _Marks:
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


def _file(number: int, name: str, text: str, lines: set[int], marks: _Marks) -> SourceFile:
    coloured = _coloured(text)
    wanted = range(1, len(coloured) + 1) if len(coloured) <= _WHOLE else _near(lines, len(coloured))
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


def _near(lines: Iterable[int], count: int) -> list[int]:
    return sorted({k for line in lines for k in range(max(1, line - _NEAR), min(count, line + _NEAR) + 1)})


def _coloured(text: str) -> list[Markup]:
    """The lines of a source as markup."""
    lines = source_lines(text)
    while lines and not lines[-1]:
        lines.pop()
    if len(text) > _MOST_COLOURED:
        return [_plain(line) for line in lines]
    from pygments.lexers import get_lexer_by_name

    out: list[list[Markup]] = [[]]
    room = _LONGEST
    for _, token, value in get_lexer_by_name("c").get_tokens_unprocessed("\n".join(lines)):
        name = _class_of(str(token))
        for k, piece in enumerate(value.split("\n")):
            if k:
                out.append([])
                room = _LONGEST
            if piece and room > 0:
                out[-1].append(_piece(piece[:room], name))
                room -= len(piece)
                if room <= 0:
                    out[-1].append(_cut())
    return [Markup("").join(parts) for parts in out[: len(lines)]]


def _plain(line: str) -> Markup:
    return _piece(line[:_LONGEST], "") + (_cut() if len(line) > _LONGEST else Markup(""))


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
    shown = escape(shown_line(text))
    return Markup('<span class="{}">{}</span>').format(name, shown) if name else shown
