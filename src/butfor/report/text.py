"""The explanation as text for a terminal: the failure, its causes, notes, and one line to search for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from rich.cells import cell_len

from butfor.explanation import Evidence, Explanation, Failure, FailureKind, RankedStatement, Status
from butfor.report.excerpt import excerpt
from butfor.report.page import Page, make_page
from butfor.report.story import story_block
from butfor.report.tree import tree_block

MOST_ROWS = 7
_MOST_REASONS = 3
_LONGEST_SUMMARY = 160

_KIND_WORDS = {
    FailureKind.ASSERTION: "assertion failed",
    FailureKind.SIGNAL: "fatal signal",
    FailureKind.MEMORY: "memory error",
    FailureKind.DIVISION: "division by zero",
    FailureKind.EXIT_STATUS: "unexpected exit status",
    FailureKind.OUTPUT: "output differs from the expected output",
    FailureKind.NO_END: "the run did not end",
    FailureKind.REACH_ERROR: "reach_error() was called",
}

_EVIDENCE_STYLES = {Evidence.PROVED: "good", Evidence.REPLAYED: "good", Evidence.HEURISTIC: "weak"}


def render(
    explanation: Explanation,
    *,
    color: bool = False,
    width: int = 100,
    verbose: bool = False,
    sources: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> str:
    """The report, ending in a newline. `sources` maps file names to text (default: those of the explanation); no file is read."""
    page = make_page(width, color, encoding)
    known = explanation.sources if sources is None else sources
    blocks = [
        list(_failure_block(page, explanation, known, verbose)),
        list(_causes_block(page, explanation, verbose)),
        list(tree_block(page, explanation, verbose)),
        list(story_block(page, explanation, verbose)),
        list(_notes_block(page, explanation, verbose)),
        [_summary(page, explanation)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _failure_block(page: Page, explanation: Explanation, sources: Mapping[str, str], verbose: bool) -> Iterator[str]:
    failure = explanation.failure
    if failure is None:
        if explanation.status is Status.UNSUPPORTED:
            yield from page.wrap("this program cannot be explained")
        else:
            searched = explanation.extra.get("search")
            ending = searched["verdict"] if isinstance(searched, Mapping) else f"the program {explanation.run.ending}"
            yield from page.wrap(f"no failure: {ending}" if explanation.status is Status.NO_FAILURE else f"no failure found: {ending}")
    else:
        yield from _headline(page, failure)
        text = failure.details.get("text")
        source = sources.get(failure.file, "")
        yield from excerpt(page, source, failure.line, failure.column, text if isinstance(text, str) else "")
        yield from _facts(page, failure)
    yield from _survived(page, explanation.memory_errors, verbose)


def _headline(page: Page, failure: Failure) -> Iterator[str]:
    where = _place(page, failure.file, failure.line, failure.column)
    message = page.flat(failure.message) or _KIND_WORDS[failure.kind]
    lines = page.wrap(f"{where}: {message}" if where else message, rest="    ")
    if not page.color:
        yield from lines
        return
    # The location is one word unless it is wider than the page; only then the style covers the rest of the line too.
    cut = len(where) + 1 if where and lines[0].startswith(f"{where}:") else 0
    yield page.style(lines[0][:cut], "strong") + page.style(lines[0][cut:], "error")
    yield from (page.style(line, "error") for line in lines[1:])


def _facts(page: Page, failure: Failure) -> Iterator[str]:
    facts = [f"in {failure.function}"] if failure.function else []
    for key, words in (("expected", "expected"), ("actual", "got")):
        if key in failure.details:
            facts.append(f"{words} {_quoted(page, failure.details[key])}")
    values = failure.details.get("values")
    if isinstance(values, Mapping):
        facts += [f"{name} is {value}" for name, value in values.items()][:MOST_ROWS]
    for fact in facts:
        yield from page.wrap(fact, first="  = ")


def _quoted(page: Page, value: object) -> str:
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "surrogateescape")
    return f'"{page.show(value)}"' if isinstance(value, str) else str(value)


def _survived(page: Page, errors: tuple[Failure, ...], verbose: bool) -> Iterator[str]:
    if not errors:
        return
    yield ""
    yield from _heading(page, "memory errors that the run survived:")
    shown = errors if verbose else errors[:_MOST_REASONS]
    for error in shown:
        where = _place(page, error.file, error.line, error.column)
        yield from page.wrap(f"{where}: {error.message}" if where else error.message, first="  ", rest="    ")
    yield from _rest(page, len(errors) - len(shown), "memory error", "  ")


def _causes_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    rows = explanation.ranking
    if explanation.failure is None and not rows:
        return
    partial = " (partial: a limit was reached)" if explanation.status is Status.PARTIAL else ""
    if not rows:
        yield from _heading(page, f"causes: none found{partial}")
        return
    yield from _heading(page, f"causes, most likely first{partial}:")
    shown = rows if verbose else rows[:MOST_ROWS]
    digits = max(len(str(row.rank)) for row in shown)
    for row in shown:
        yield from _row(page, row, digits, verbose)
    yield from _rest(page, len(rows) - len(shown), "statement", "")
    yield from _again(page, explanation)


def _again(page: Page, explanation: Explanation) -> Iterator[str]:
    """The command that shows the first changed run."""
    change = next((row.extra["counterfactual"]["with"] for row in explanation.ranking if "counterfactual" in row.extra), "")
    command = explanation.extra.get("again")
    if change and isinstance(command, str):
        yield f"see the changed run: {page.flat(command.replace('CHANGE', shlex.quote(change), 1))}"


def _row(page: Page, row: RankedStatement, digits: int, verbose: bool) -> Iterator[str]:
    rank = f"{row.rank:>{digits}}  "
    indent = " " * len(rank)
    where, text = _place(page, row.file, row.line), page.flat(row.text)
    if cell_len(rank + where) + 2 + cell_len(text) <= page.width:
        yield f"{rank}{page.style(where, 'line')}  {page.style(text, 'strong')}"
    else:
        yield f"{rank}{page.style(where, 'line')}"
        yield from (page.style(line, "strong") for line in page.wrap(text, first=indent))
    yield from _label(page, row, indent)
    reasons = row.reasons if verbose else row.reasons[:_MOST_REASONS]
    for reason in reasons:
        yield from page.wrap(f"{reason.method}: {reason.text}", first=indent, rest=indent + "  ")
    yield from _rest(page, len(row.reasons) - len(reasons), "reason", indent)
    also = row.also if verbose else row.also[:_MOST_REASONS]
    for other in also:
        yield from page.wrap(f"see also {_place(page, other.file, other.line)}: {other.why}", first=indent, rest=indent + "  ")
    yield from _rest(page, len(row.also) - len(also), "related definition", indent)


def _label(page: Page, row: RankedStatement, indent: str) -> Iterator[str]:
    parts = [page.flat(row.role), f"in {page.flat(row.function)}" if row.function else ""]
    plain = f" {page.glyphs.dot} ".join([*filter(None, parts), row.evidence.value])
    head, dot, evidence = plain.rpartition(f"{page.glyphs.dot} ")
    if cell_len(indent + plain) <= page.width:
        yield indent + page.style(head + dot, "faint") + page.style(evidence, _EVIDENCE_STYLES[row.evidence])
    else:
        yield from (page.style(line, "faint") for line in page.wrap(plain, first=indent))


def _notes_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    run = explanation.run
    notes = [n for n in explanation.notes if not n.startswith("the program did not fail")]  # the headline says so
    if verbose:
        notes.append(
            f"{run.instructions:,} instructions in {run.steps:,} steps; recorded in {run.record_seconds:.2f} s, "
            f"analysed in {run.analyse_seconds:.2f} s"
        )
    if notes:
        yield from _heading(page, "notes:")
    for note in notes:
        yield from page.wrap(note, first=f"  {page.glyphs.bullet} ")


def _summary(page: Page, explanation: Explanation) -> str:
    """One line, whatever the width of the page, so that it can be searched for."""
    failure = explanation.failure
    if explanation.ranking:
        best = explanation.ranking[0]
        return f"{_place(page, best.file, best.line)}: cause: {_shortened(page, best.text)} [{page.flat(_best_method(best))}]"
    if failure is not None:
        where = _place(page, failure.file, failure.line) or "butfor"
        return f"{where}: failure: {_shortened(page, failure.message) or _KIND_WORDS[failure.kind]} [no cause found]"
    return f"butfor: {explanation.status.value}"


def _best_method(row: RankedStatement) -> str:
    """The first method with the best evidence for a row, which is the evidence of the row."""
    strongest = [reason for reason in row.reasons if reason.evidence is row.evidence]
    return next((reason.method for reason in (*strongest, *row.reasons)), row.evidence.value)


def _shortened(page: Page, text: str) -> str:
    flat = page.flat(text)
    return flat if len(flat) <= _LONGEST_SUMMARY else flat[: _LONGEST_SUMMARY - len(page.glyphs.cut)] + page.glyphs.cut


def _place(page: Page, file: str, line: int, column: int = 0) -> str:
    parts = [page.show(file)] if file else []
    if file and line > 0:
        parts += [str(line)] + ([str(column)] if column > 0 else [])
    return ":".join(parts)


def _heading(page: Page, text: str) -> Iterator[str]:
    yield from (page.style(line, "strong") for line in page.wrap(text))


def _rest(page: Page, count: int, noun: str, indent: str) -> Iterator[str]:
    if count == 1:
        yield from page.wrap(f"1 more {noun}; --verbose shows it", first=indent)
    elif count > 1:
        yield from page.wrap(f"{count} more {noun}s; --verbose shows them", first=indent)
