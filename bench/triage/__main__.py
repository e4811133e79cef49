"""`python -m bench.triage [--count N] [--seed N] [--jobs N] [PROGRAM...]`: groups of failing runs, judged."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from bench.triage.judged_groups import PROGRAMS, judged


def main() -> None:
    """Print a row for each program."""
    parser = argparse.ArgumentParser(prog="python -m bench.triage", description=__doc__)
    parser.add_argument("programs", nargs="*", choices=[[], *PROGRAMS], metavar="PROGRAM")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--folder", type=Path, help="where it works, and goes on if it was there before")
    given = parser.parse_args()
    for name in given.programs or PROGRAMS:
        with tempfile.TemporaryDirectory(prefix="butfor-triage-") as temporary:
            folder = given.folder / name if given.folder else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            print(judged(PROGRAMS[name], given.count, given.seed, given.jobs, folder).line(), flush=True)


if __name__ == "__main__":
    main()
