"""Annotations for the log of GitHub Actions: the failure and its first causes at their lines."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.explanation import Explanation
from butfor.report.fixes import fixes
from butfor.report.inert_text import one_line
from butfor.report.shared_words import failure_message, telling_reason

_MAX_CAUSES = 3  # GitHub shows ten annotations of a step at most, and other tools want some


def render(explanation: Explanation) -> str:
    """The workflow commands, one per line, ending in a newline."""
    return "".join(f"{line}\n" for line in _lines(explanation))


def _lines(e: Explanation) -> Iterator[str]:
    failure = e.failure
    if failure is None:
        yield _command("notice", "", 0, 0, "butfor", f"{e.status.value}: the program {e.run.ending}")
        return
    best = e.ranking[0] if e.ranking else None
    cause = f"; most likely cause: {one_line(best.file)}:{best.line}: {one_line(best.text)}" if best is not None else ""
    yield _command(
        "error", failure.file, failure.line, failure.column, "butfor: failure", failure_message(failure) + cause
    )
    for row in e.ranking[:_MAX_CAUSES]:
        reason = telling_reason(row)
        why = f": {one_line(reason.text)}" if reason is not None else ""
        yield _command(
            "warning",
            row.file,
            row.line,
            row.column,
            f"butfor: cause {row.rank} ({row.evidence.value})",
            f"{one_line(row.text)}{why}",
        )
    fix = next(iter(fixes(e)), None)
    if fix is not None and fix.is_validated:
        yield _command("notice", fix.file, fix.line, 0, "butfor: fix", f"{one_line(fix.after)} ({fix.tests})")


def _command(kind: str, file: str, line: int, column: int, title: str, message: str) -> str:
    where = [f"file={_property(one_line(file))}"] if file else []
    where += [f"line={line}"] if file and line > 0 else []
    where += [f"col={column}"] if file and line > 0 and column > 0 else []
    return f"::{kind} {','.join([*where, f'title={_property(title)}'])}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
