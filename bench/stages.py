"""Time and memory of the stages from a recorded folder to its slice, measured in a process of its own."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from butfor.frontends.c.c_module import CModule
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Meta, RecordedProgram, Recording
from butfor.trace.replay.full_replay import check_recording

FIRST = 2_000


def peak_memory() -> float:
    """The most memory that this process has held so far, in megabytes (getrusage would count the parent's)."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main(home: Path) -> None:
    """Print a JSON object: seconds and megabytes of each stage since the run ended, and the size of the slice.

    `check` is the CPU time of the full check for each instruction.
    """
    start = time.perf_counter()
    result: dict[str, float] = {}

    def reached(stage: str) -> None:
        result[stage] = time.perf_counter() - start
        result[f"{stage}_mb"] = peak_memory()

    trace = Recording(home, Meta(), RecordedProgram.in_folder(home, CModule), owned=False).trace
    reached("open")
    dependence = Dependence(trace)
    root = dependence.control(len(trace) - 1)  # the decision that led to the failed assertion
    assert root is not None
    Slicer(dependence).backward([root], "control", limit=FIRST)
    reached("first")
    full = Slicer(Dependence(trace)).backward([root], "control")
    reached("full")
    result["nodes"] = full.size
    before = time.process_time()
    compared = check_recording(trace).instructions
    result["check"] = (time.process_time() - before) / compared
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
