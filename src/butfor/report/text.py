"""The explanation as text for a terminal: the failure, its causes, notes, and one line to search for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from butfor.explanation import Evidence, Explanation, Failure, RankedStatement, Status
from butfor.report.cause_tree import tree_block
from butfor.report.error_invariants_text import error_invariants_block
from butfor.report.fixes import best_changed_run, fixes
from butfor.report.ladder_text import ladder_block
from butfor.report.proofs_text import proofs_block
from butfor.report.repairs_text import best_repair_line, repairs_block
from butfor.report.shared_words import (
    KIND_WORDS,
    MAX_ROWS_SHOWN,
    failing_text,
    ordered_reasons,
    rows_to_show,
    strongest_reason,
    telling_reason,
)
from butfor.report.source_excerpt import excerpt
from butfor.report.text_page import DIFF_STYLES, Page, make_page

_MAX_REASONS_SHOWN = 3  # of a cause, and places to see also; --verbose shows all
_MAX_SUMMARY_CHARS = 160  # of a statement in the last line, which is not wrapped
_MAX_FIX_LINES = 24  # of a diff: what fits on a screen below the causes

_EVIDENCE_STYLES = {Evidence.PROVED: "good", Evidence.REPLAYED: "good", Evidence.HEURISTIC: "weak"}


def render(
    explanation: Explanation,
    *,
    color: bool = False,
    width: int = 100,
    verbose: bool = False,
    sources: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    only_repairs: bool = False,
    is_begun: bool = False,
) -> str:
    """The report, ending in a newline. `sources` maps file names to text (default: those of the explanation).

    `is_begun`: only what follows on the text of `render_beginning`.
    """
    page = make_page(width, color, encoding)
    known = explanation.sources if sources is None else sources
    blocks = [
        [""] if is_begun else list(_failure_block(page, explanation, known, verbose)),
        [] if only_repairs or is_begun else list(ladder_block(page, explanation)),
        [] if only_repairs else list(_causes_block(page, explanation, known, verbose)),
        list(repairs_block(page, explanation) if only_repairs else _fixes_block(page, explanation, verbose)),
        [] if only_repairs else list(tree_block(page, explanation, verbose)),
        [] if only_repairs else list(error_invariants_block(page, explanation, verbose)),
        [] if only_repairs else list(proofs_block(page, explanation, verbose)),
        list(_notes_block(page, explanation, verbose)),
        [(best_repair_line(page, explanation) if only_repairs else "") or _summary(page, explanation)],
    ]
    return _joined(blocks).removeprefix("\n" if is_begun else "")


def render_beginning(
    explanation: Explanation, *, color: bool = False, width: int = 100, verbose: bool = False, encoding: str = "utf-8"
) -> str:
    """The part of a report that is known before the methods are asked: the failure and what led to it."""
    page = make_page(width, color, encoding)
    failure = _failure_block(page, explanation, explanation.sources, verbose)
    return _joined([list(failure), list(ladder_block(page, explanation))])


def _joined(blocks: Sequence[list[str]]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _failure_block(page: Page, explanation: Explanation, sources: Mapping[str, str], verbose: bool) -> Iterator[str]:
    failure = explanation.failure
    if failure is None:
        if explanation.status is Status.UNSUPPORTED:
            yield from page.wrap("this program cannot be explained")
        else:
            searched = explanation.extra.get("search")
            ending = searched["verdict"] if isinstance(searched, Mapping) else f"the program {explanation.run.ending}"
            yield from page.wrap(
                f"no failure: {ending}" if explanation.status is Status.NO_FAILURE else f"no failure found: {ending}"
            )
    else:
        yield from _headline(page, failure)
        source = sources.get(failure.file, "")
        yield from excerpt(page, source, failure.line, failure.column, failing_text(failure))
        yield from _facts(page, failure)
    yield from _survived(page, explanation.memory_errors, verbose)


def _headline(page: Page, failure: Failure) -> Iterator[str]:
    where = _place(page, failure.file, failure.line, failure.column)
    message = page.flat(failure.message) or KIND_WORDS[failure.kind]
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
        facts += [f"{name} is {value}" for name, value in values.items()][:MAX_ROWS_SHOWN]
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
    shown = errors if verbose else errors[:_MAX_REASONS_SHOWN]
    for error in shown:
        where = _place(page, error.file, error.line, error.column)
        yield from page.wrap(f"{where}: {error.message}" if where else error.message, first="  ", rest="    ")
    yield from _rest(page, len(errors) - len(shown), "memory error", "  ")


def _causes_block(page: Page, explanation: Explanation, sources: Mapping[str, str], verbose: bool) -> Iterator[str]:
    rows = explanation.ranking
    if explanation.failure is None and not rows:
        return
    partial = " (partial: a limit was reached)" if explanation.status is Status.PARTIAL else ""
    if not rows:
        yield from _heading(page, f"causes: none found{partial}")
        return
    yield from _heading(page, f"causes, most likely first{partial}:")
    shown = rows if verbose else rows_to_show(explanation)
    digits = max(len(str(row.rank)) for row in shown)
    for row in shown:
        yield from _row(page, row, digits, sources, verbose, brief=not verbose and row is not shown[0])
    yield from _rest(page, len(rows) - len(shown), "statement", "")
    yield from _replay_hint(page, explanation)


def _replay_hint(page: Page, explanation: Explanation) -> Iterator[str]:
    """The command that shows the first changed run."""
    change = best_changed_run(explanation)
    if change is not None and change.command:
        yield f"see the changed run: {page.flat(change.command)}"


def _fixes_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The best repair as a diff, or all of them."""
    found = fixes(explanation)
    for fix in found if verbose else found[:1]:
        called = "partial fix" if not fix.is_validated else "fix" if fix.passing_total else "an edit that avoids it"
        yield from _heading(page, f"{called}: {fix.tests}")
        lines = fix.diff.rstrip("\n").split("\n")
        for line in lines if verbose else lines[:_MAX_FIX_LINES]:
            shown = page.window(page.show(line.replace("\t", "    ")), 0, page.width - 2)[0]
            style = DIFF_STYLES.get(line[:1], "")
            yield "  " + (page.style(shown, style) if style else shown)
        if not verbose:
            yield from _rest(page, len(lines) - _MAX_FIX_LINES, "line", "  ")
    if not verbose:
        yield from _rest(page, len(found) - 1, "fix", "", "fixes")


def _row(
    page: Page, row: RankedStatement, digits: int, sources: Mapping[str, str], verbose: bool, brief: bool
) -> Iterator[str]:
    """A cause; `brief` shows the reason that says most and counts the others."""
    rank = f"{row.rank:>{digits}}  "
    indent = " " * len(rank)
    where, text = _place(page, row.file, row.line), page.flat(row.text)
    if cell_len(rank + where) + 2 + cell_len(text) <= page.width:
        yield f"{rank}{page.style(where, 'line')}  {page.style(text, 'strong')}"
    else:
        yield f"{rank}{page.style(where, 'line')}"
        yield from (page.style(line, "strong") for line in page.wrap(text, first=indent))
    yield from _label(page, row, indent, brief)
    if brief:
        telling = telling_reason(row)
        reasons = [] if telling is None else [telling]
    else:
        values = row.extra.get("values", "")
        yield from excerpt(
            page, sources.get(row.file, ""), row.line, row.column, row.text, str(values), before=1, indent=indent
        )
        reasons = ordered_reasons(row)[: None if verbose else _MAX_REASONS_SHOWN]
    for reason in reasons:
        yield from page.wrap(f"{reason.method}: {reason.text}", first=indent, rest=indent + "  ")
    if not brief:
        yield from _rest(page, len(row.reasons) - len(reasons), "reason", indent)
    also = row.also if verbose else row.also[:_MAX_REASONS_SHOWN]
    for other in also:
        yield from page.wrap(
            f"see also {_place(page, other.file, other.line)}: {other.why}", first=indent, rest=indent + "  "
        )
    yield from _rest(page, len(row.also) - len(also), "related definition", indent)


def _label(page: Page, row: RankedStatement, indent: str, brief: bool) -> Iterator[str]:
    dot = f" {page.glyphs.dot} "
    head = dot.join(filter(None, [page.flat(row.role), f"in {page.flat(row.function)}" if row.function else ""]))
    head += dot if head else ""
    tail = f"{dot}{len(row.reasons)} reasons" if brief and len(row.reasons) > 1 else ""
    plain = f"{head}{row.evidence.value}{tail}"
    if cell_len(indent + plain) <= page.width:
        yield (
            indent
            + page.style(head, "faint")
            + page.style(row.evidence.value, _EVIDENCE_STYLES[row.evidence])
            + page.style(tail, "faint")
        )
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
    """The answer in one line, whatever the width of the page, so that it can be searched for."""
    failure = explanation.failure
    if explanation.ranking:
        best = explanation.ranking[0]
        where, method = _place(page, best.file, best.line), page.flat(_best_method(best))
        return f"{where}: cause: {_shortened(page, best.text)} [{method}]"
    if failure is not None:
        where = _place(page, failure.file, failure.line) or "butfor"
        return f"{where}: failure: {_shortened(page, failure.message) or KIND_WORDS[failure.kind]} [no cause found]"
    return f"butfor: {explanation.status.value}"


def _best_method(row: RankedStatement) -> str:
    """The method with the best evidence for a row."""
    reason = strongest_reason(row)
    return row.evidence.value if reason is None else reason.method


def _shortened(page: Page, text: str) -> str:
    flat = page.flat(text)
    return (
        flat if len(flat) <= _MAX_SUMMARY_CHARS else flat[: _MAX_SUMMARY_CHARS - len(page.glyphs.cut)] + page.glyphs.cut
    )


def _place(page: Page, file: str, line: int, column: int = 0) -> str:
    parts = [page.show(file)] if file else []
    if file and line > 0:
        parts += [str(line)] + ([str(column)] if column > 0 else [])
    return ":".join(parts)


def _heading(page: Page, text: str) -> Iterator[str]:
    yield from (page.style(line, "strong") for line in page.wrap(text))


def _rest(page: Page, count: int, noun: str, indent: str, nouns: str = "") -> Iterator[str]:
    if count == 1:
        yield from page.wrap(f"1 more {noun}; --verbose shows it", first=indent)
    elif count > 1:
        yield from page.wrap(f"{count} more {nouns or noun + 's'}; --verbose shows them", first=indent)
