"""How often a repair is found for seeded faults of one line, with all their tests; then the table of `fixes.py`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import butfor.api
from bench import fixes
from bench.ranking import tests_file
from butfor.options import Options
from butfor.source.edits import Edit, apply_edits
from tests.seeded_corpus import Fault, Seeded, faults, load

EVERY, FIRST = 4, 2  # of the faults of one line, in the order of the file


@dataclass(frozen=True, slots=True)
class Found:
    """Which of the repairs passes all tests first, and which is the text of the correct program; 0 for none."""

    complete: int
    exact: int
    shown: int
    seconds: float


def of_one_line() -> list[Fault]:
    """The faults that changed one line into another."""
    return [f for f in faults() if len(f.before) == 1 and f.source_text.count("\n") == f.correct_text.count("\n")]


def sample() -> list[Fault]:
    """Those that are measured."""
    return of_one_line()[FIRST::EVERY]


def repaired(seeded: Seeded, budget: float = 30.0) -> list[dict[str, Any]]:
    """The repairs of a fault."""
    with tempfile.TemporaryDirectory(prefix="butfor-bench-") as name:
        options = Options(sources=(seeded.path,), tests=tests_file(seeded, Path(name)), time_limit=2.0, budget=budget)
        found: list[dict[str, Any]] = butfor.api.repair(options).to_dict()["methods"]["repair"]["repairs"]
    return found


def measure(fault: Fault, budget: float = 30.0) -> Found:
    """How the repairs of one fault do."""
    seeded = load(fault)
    start = time.monotonic()
    repairs = repaired(seeded, budget)
    seconds = time.monotonic() - start
    complete = [is_complete(r) for r in repairs]
    exact = [_flat(after(seeded.source_text, r)) == _flat(seeded.correct_text) for r in repairs]
    return Found(_first(complete), _first(exact), len(repairs), seconds)


def is_complete(repair: dict[str, Any]) -> bool:
    """Whether all tests pass with it."""
    return (repair["failing_fixed"], repair["passing_kept"]) == (repair["failing_total"], repair["passing_total"])


def after(text: str, repair: dict[str, Any]) -> str:
    """A source after a repair."""
    edits = [Edit("", e["start"], e["end"], e["new"].encode("utf-8", "surrogateescape")) for e in repair["edits"]]
    return apply_edits(text.encode(), edits).decode()


def _first(flags: list[bool]) -> int:
    return flags.index(True) + 1 if True in flags else 0


def _flat(text: str) -> str:
    return "".join(text.split())


def rows() -> Iterator[str]:
    """One line per fault, and the sums."""
    yield f"{'fault':<36}{'kind':<18}{'complete':>9}{'exact':>7}{'shown':>7}{'seconds':>9}"
    results = []
    for fault in sample():
        found = measure(fault)
        results.append(found)
        yield f"{fault.id:<36}{fault.kind:<18}{found.complete:>9}{found.exact:>7}{found.shown:>7}{found.seconds:>9.1f}"
    complete, exact = sum(r.complete > 0 for r in results), sum(r.exact > 0 for r in results)
    yield (
        f"{len(results)} faults: a repair that passes all tests for {complete}, the text of the correct program"
        f" among the first five for {exact}"
    )
    yield ""
    yield from fixes.rows()


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
