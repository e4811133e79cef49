"""Commands for gdb that stop at the causes, at the occurrence that matters."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from butfor.explanation import Explanation
from butfor.report.inert_text import one_line
from butfor.report.shared_words import failure_message, telling_reason
from butfor.run_story import DebuggerStop

_PLAIN_FILE_NAME = re.compile(r"[\w./+@%=-]+\Z")


def render(explanation: Explanation) -> str:
    """The file of commands, ending in a newline: `gdb -x FILE PROGRAM`."""
    return "\n".join(_lines(explanation)) + "\n"


def _lines(e: Explanation) -> Iterator[str]:
    failure = e.failure
    if failure is None:
        yield "# no failure to stop at"
        return
    yield f"# {failure_message(failure)} at {one_line(failure.file)}:{failure.line}"
    yield "# compile the program with -g -O0, then: gdb -x FILE PROGRAM"
    yield "set breakpoint pending on"
    yield from _arguments(e.run.args)
    stops = e.story.stops if e.story is not None else ()
    by_place = {(stop.file, stop.line): stop for stop in reversed(stops)}
    seen: set[tuple[str, int]] = set()
    for row in e.ranking:
        stop = by_place.get((row.file, row.line))
        if stop is None or (stop.file, stop.at) in seen:
            continue
        seen.add((stop.file, stop.at))
        reason = telling_reason(row)
        yield ""
        yield f"# cause {row.rank}: {one_line(row.text)}"
        if reason is not None:
            yield f"#   {one_line(reason.text)}"
        yield from _break(stop)
    if failure.file and failure.line and (failure.file, failure.line) not in seen:
        yield ""
        yield "# where the failure shows"
        yield from _break(DebuggerStop(failure.file, failure.line, failure.line, 1, 1))


def _break(stop: DebuggerStop) -> Iterator[str]:
    if not _PLAIN_FILE_NAME.match(stop.file):
        yield f"# gdb cannot be told of a file with this name: {one_line(stop.file)}"
        return
    if stop.at != stop.line:
        yield "# it is in the head of a loop: gdb stops at what ran next"
    yield f"break {stop.file}:{stop.at}"
    if stop.hit > 1:
        yield f"# the line is reached {stop.total:,} times; number {stop.hit:,} matters"
        yield f"ignore $bpnum {stop.hit - 1}"


def _arguments(args: tuple[str, ...]) -> Iterator[str]:
    if not args:
        return
    line = shlex.join(args)
    if line.isprintable():
        yield f"set args {line}"
    else:
        yield "# the arguments hold characters that cannot be written here; use: set args ..."
