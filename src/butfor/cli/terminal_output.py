"""Results on stdout or in files, with the width and colours that fit; the progress line on stderr."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO, TypedDict

from butfor.cli.report_targets import Target
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.files import write_file
from butfor.report.formats import TEXT
from butfor.report.inert_text import one_line

_PIPE_WIDTH_CELLS = 100  # a pipe or a file has no width; a fixed one keeps what is written there the same everywhere
_CAUSES_SHOWN_EARLY = 3  # the rest may still change, and the answer is to stand below the beginning soon
_TICK_SECONDS = 1.0  # between two updates of the progress line, which shows whole seconds


def deliver(
    explanation: Explanation,
    target: Target,
    *,
    verbose: bool,
    color: str,
    only_repairs: bool = False,
    is_begun: bool = False,
) -> None:
    """Write the explanation to stdout or to a file, in the format of the target; it may be begun there already."""
    if target.format is not TEXT:
        data = target.format.render(explanation).encode("utf-8", target.format.on_unencodable)
        write_result(data, target.path)
        return
    from butfor.report.text import render  # late: other formats and --help do not need it

    layout = layout_for(target.path, color)
    sources = {**_read_sources(explanation), **explanation.sources}
    text = render(explanation, verbose=verbose, sources=sources, only_repairs=only_repairs, is_begun=is_begun, **layout)
    write_result(text.encode(layout["encoding"], TEXT.on_unencodable), target.path)


def is_shown_at_once(target: Target) -> bool:
    """Whether somebody sees a report come: text on a terminal."""
    return target.format is TEXT and target.path is None and sys.stdout is not None and sys.stdout.isatty()


def deliver_beginning(explanation: Explanation, target: Target, *, verbose: bool, color: str) -> None:
    """Write what is known of an explanation to the terminal."""
    from butfor.report.text import render_beginning  # late: as above

    layout = layout_for(target.path, color)
    text = render_beginning(explanation, verbose=verbose, **layout)
    write_result(text.encode(layout["encoding"], TEXT.on_unencodable), target.path)


class TextLayout(TypedDict):
    """What a text is laid out for; the parameters that its renderers take."""

    color: bool
    width: int
    encoding: str


def layout_for(out: Path | None, color: str) -> TextLayout:
    """The layout of a text that goes to the file `out`, or to stdout if that is None."""
    if out is not None:
        return {"color": wants_color(color, None), "width": _PIPE_WIDTH_CELLS, "encoding": "utf-8"}
    return {
        "color": wants_color(color, sys.stdout),
        "width": _width(),
        "encoding": getattr(sys.stdout, "encoding", None) or "utf-8",
    }


def write_result(data: bytes, out: Path | None) -> None:
    """Write a report to the file `out`, or to stdout if that is None."""
    if out is not None:
        write_file(out, data)
    else:
        write_stdout(data)


def write_stdout(data: bytes) -> None:
    """Write to stdout; a reader that went away is no error, and the exit status stays that of the result."""
    if sys.stdout is None:
        raise UsageError("standard output is closed, so the result cannot be written", hint="-o writes it to a file")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python flushes stdout once more when it ends, which would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Whether to write colours: as chosen, else on a terminal unless the environment says otherwise (None: a file)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or stream is None:
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextlib.contextmanager
def progress_line() -> Iterator[Callable[[str], None] | None]:
    """A function that shows progress in one line of the terminal, cleared at the end; None if stderr is no terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield None
    elif os.environ.get("TERM") == "dumb" or os.environ.get("CI"):
        yield lambda text: print(f"butfor: {one_line(text)}", file=stream, flush=True)
    else:
        line = _ProgressLine(stream)
        try:
            yield line
        finally:
            line.end()


def without_line(progress: Callable[[str], None] | None) -> contextlib.AbstractContextManager[None]:
    """A block that writes to the terminal, during which no progress is shown there."""
    return progress.hidden() if isinstance(progress, _ProgressLine) else contextlib.nullcontext()


def show_causes(progress: Callable[[str], None] | None, explanation: Explanation) -> None:
    """Show the first causes above the progress line until the next ones, or the whole answer, are known."""
    if isinstance(progress, _ProgressLine) and explanation.ranking:
        first = explanation.ranking[:_CAUSES_SHOWN_EARLY]
        progress.show_above(
            ("causes so far:", *(f"{row.rank}  {row.file}:{row.line}  {row.text} · {row.evidence}" for row in first))
        )


class _ProgressLine:
    """One line of a terminal that says what is going on, and for how long once that is more than a second.

    Above it may stand what is known so far; all of it goes away at the end.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self._above: tuple[str, ...] = ()
        self._drawn_above = 0  # lines, of which the cursor stands below the last
        self._since = time.monotonic()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._clock = threading.Thread(target=self._tick, daemon=True)
        self._clock.start()

    def __call__(self, text: str) -> None:
        """Show this text."""
        with self._lock:
            self._text, self._since = one_line(text), time.monotonic()
            self._draw()

    def show_above(self, lines: Sequence[str]) -> None:
        """Show these lines above the progress, each cut to the width of the terminal."""
        with self._lock:
            self._above = tuple(one_line(line) for line in lines)
            self._draw()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Clear the progress line while something is written above it."""
        with self._lock:
            self._clear()
            yield
            self._draw()

    def end(self) -> None:
        """Clear the progress line."""
        self._over.set()
        self._clock.join()
        self._clear()

    def _tick(self) -> None:
        while not self._over.wait(_TICK_SECONDS):
            with self._lock:
                if self._text:
                    self._draw()

    def _clear(self) -> None:
        up = f"\x1b[{self._drawn_above}A" if self._drawn_above else ""
        print(f"\r{up}\x1b[J", end="", file=self._stream, flush=True)
        self._drawn_above = 0

    def _draw(self) -> None:
        self._clear()
        columns = shutil.get_terminal_size().columns
        seconds = int(time.monotonic() - self._since)
        took = f" ({seconds} s)" if seconds else ""
        room = max(0, columns - len("butfor: ") - len(took) - 1)
        above = "".join(f"{line[: columns - 1]}\r\n" for line in self._above)
        print(f"{above}butfor: {self._text[:room]}{took}", end="", file=self._stream, flush=True)
        self._drawn_above = len(self._above)


def _width() -> int:
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return (
        shutil.get_terminal_size((_PIPE_WIDTH_CELLS, 24)).columns
        if on_terminal or os.environ.get("COLUMNS")
        else _PIPE_WIDTH_CELLS
    )


def _read_sources(explanation: Explanation) -> Mapping[str, str]:
    """The source file of the failure, where the explanation does not carry it and it can be read."""
    failure = explanation.failure
    if failure is None or not failure.file or failure.file in explanation.sources:
        return {}
    try:
        return {failure.file: Path(failure.file).read_bytes().decode("utf-8", "surrogateescape")}
    except (OSError, ValueError):
        return {}
