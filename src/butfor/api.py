"""The three entry points behind the command line and the Python API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from butfor.explanation import Explanation, RunInfo
from butfor.options import Options

Progress = Callable[[str], None]


def explain(options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of one run of the program in `options`."""
    raise NotImplementedError


def record(options: Options, out: Path, progress: Progress | None = None) -> RunInfo:
    """What was recorded; the recording is written to `out`."""
    raise NotImplementedError


def replay(path: Path, options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of a saved recording."""
    raise NotImplementedError
