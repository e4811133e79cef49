"""Errors that come from what a recording holds, told apart from defects of butfor.

A file may have been written by hand, with every number in range, and still be no run of its program. Nothing goes wrong
in most of them; where something does, the whole run is computed again before anyone is blamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from butfor.errors import ButforError, RecordingError
from butfor.trace.consistency import check_all_functions
from butfor.trace.recording import Recording
from butfor.trace.replay.full_replay import Replay
from butfor.trace.replay.replay_kernel import replayed

_MAX_SEGMENTS_IN_PYTHON = 100_000  # some 10 s; the kernel has no limit, but gives up at the first difference


@contextmanager
def distrusting(recording: Recording, path: Path) -> Iterator[None]:
    """Turn errors in the block into a RecordingError where the recording that was loaded is no run of its program."""
    try:
        yield
    except (ButforError, MemoryError, RecursionError):
        raise
    except Exception as error:
        why = contradiction(recording)
        if why is None:
            raise
        raise RecordingError(
            f"{path}: the recording is no run of its program: {why}", hint="it is damaged, or butfor did not make it"
        ) from error


def contradiction(recording: Recording) -> str | None:
    """What shows that the recording is not what its program would have logged; None if nothing does."""
    trace = recording.trace
    try:
        check_all_functions(trace)
        if replayed(trace) is not None:
            return None
        shown = Replay(trace).run(_MAX_SEGMENTS_IN_PYTHON).shown
        return shown[0] if shown else None
    except ButforError as error:
        return error.message
    except Exception as error:  # the replay of a recording that is right has no errors
        return f"it cannot be replayed ({type(error).__name__})"
