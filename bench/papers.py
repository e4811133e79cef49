"""The tables of the papers, measured on suites of faulty programs that are on disk: see bench/paper_cases.py.

    python -m bench.papers --data DIR                      measure what is missing, print the tables
    python -m bench.papers --data DIR --write FILE         and write them to FILE, such as docs/evaluation.md
    python -m bench.papers --data DIR --only REGEX --seconds 200 --jobs 2 --part answer

Results are kept as JSON lines in DIR/results.jsonl (`--results`), one for each case and part; what is there is not
measured again. Each is measured in a process of its own, which is ended when it takes too long (`--limit`).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.paper_cases import Case, read_case, read_cases
from bench.paper_measures import PARTS, Record, measure
from bench.paper_tables import document
from butfor.errors import ButforError

ROOT = Path(__file__).parent.parent
LIMIT = 150.0  # seconds for one part of one case: the budgets of its answers, and a recording
Results = dict[tuple[str, str], Record]  # by case and part


def commit() -> str:
    """The version of butfor that is measured."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def known_results(file: Path) -> Results:
    """The last result of each case and part; a line that was cut off is left out."""
    found: Results = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        found[record["case"], record["part"]] = record
    return found


def measured_apart(case: Case, part: str, limit: float) -> Record:
    """One part of one case, measured in a process of its own."""
    command = [sys.executable, "-m", "bench.papers", "--measure", str(case.folder), part]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=limit)
        found: Record = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        found = {"case": case.name, "part": part, "error": f"no answer within {limit:g} s"}
    except ValueError:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        found = {"case": case.name, "part": part, "error": words[-1] if words else f"status {done.returncode}"}
    return found


def measure_missing(
    cases: list[Case], parts: list[str], file: Path, jobs: int, limit: float, seconds: float | None
) -> None:
    """Measure what is not in the file yet, and add it; no case is begun after so many seconds."""
    known, version, lock = known_results(file), commit(), threading.Lock()
    end = time.monotonic() + seconds if seconds is not None else None

    def one(case: Case, part: str) -> None:
        if end is not None and time.monotonic() > end:
            return
        record = {**measured_apart(case, part, limit), "commit": version}
        with lock, file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda job: one(*job), [(c, p) for p in parts for c in cases if (c.name, p) not in known]))


def main(words: list[str]) -> int:
    """The exit status."""
    if words[:1] == ["--measure"]:
        print(json.dumps(measure(read_case(Path(words[1])), words[2])))
        return 0
    parser = argparse.ArgumentParser(prog="python -m bench.papers", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of suites")
    parser.add_argument("--results", type=Path, help="file of results (default: results.jsonl in the data folder)")
    parser.add_argument("--write", type=Path, help="also write the tables to this file")
    parser.add_argument("--note", default="", help="a sentence for the head of the document, such as what else ran")
    parser.add_argument("--only", default="", help="cases whose SUITE/PROGRAM/VERSION this expression matches")
    parser.add_argument("--part", action="append", choices=PARTS, help="measure this part only (repeat for more)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one part of one case")
    parser.add_argument("--seconds", type=float, help="begin no case after so many seconds")
    asked = parser.parse_args(words)
    file = asked.results or asked.data / "results.jsonl"
    try:
        cases = list(read_cases(asked.data))
    except ButforError as error:
        parser.error(error.message)
    chosen = [case for case in cases if re.match(asked.only, case.name)]
    measure_missing(chosen, asked.part or list(PARTS), file, asked.jobs, asked.limit, asked.seconds)
    text = document(cases, known_results(file), asked.note)
    print(text)
    if asked.write is not None:
        asked.write.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
