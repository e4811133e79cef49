"""How often a minimal diagnosis contains the fault: the faults of bench/repair.py, over all failing tests."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import butfor.api
from bench.ranking import tests_file
from bench.repair import EVERY, FIRST, of_one_line
from butfor.options import Options
from tests.seeded_corpus import Fault, Seeded, load

BUDGET = 30.0


@dataclass(frozen=True, slots=True)
class Found:
    """One fault: the sizes of the smallest set that contains it and of the smallest of all, 0 for none.

    `proved`: a set of the former size is proved.
    """

    size: int
    smallest: int
    proved: bool
    sets: int
    statements: int  # in any set
    runs: int
    complete: bool
    seconds: float


def asked(seeded: Seeded, budget: float = BUDGET) -> dict[str, Any]:
    """What the method says about a fault."""
    with tempfile.TemporaryDirectory(prefix="butfor-bench-") as name:
        tests = tests_file(seeded, Path(name))
        options = Options(sources=(seeded.path,), tests=tests, time_limit=2.0, budget=budget, methods=("diagnoses",))
        found: dict[str, Any] = butfor.api.explain(options).to_dict()["methods"]["diagnoses"]
    return found


def measure(fault: Fault, budget: float = BUDGET) -> Found:
    """How the diagnoses of one fault do."""
    seeded = load(fault)
    start = time.monotonic()
    answer = asked(seeded, budget)
    seconds = time.monotonic() - start
    sets = answer["sets"]
    right = [s for s in sets if seeded.fault_lines & {line for p in s["statements"] for line in lines_of(p)}]
    least = min((len(s["statements"]) for s in right), default=0)
    return Found(
        least,
        min((len(s["statements"]) for s in sets), default=0),
        any(s["proved"] for s in right if len(s["statements"]) == least),
        len(sets),
        len({(p["file"], p["line"], p["text"]) for s in sets for p in s["statements"]}),
        len(answer.get("runs", ())),
        bool(answer["complete"]),
        seconds,
    )


def lines_of(statement: dict[str, Any]) -> set[int]:
    """The lines that a statement of a set names."""
    return {statement["line"], *(also["line"] for also in statement.get("also", ()))}


def rows(chosen: Sequence[Fault] | None = None) -> Iterator[str]:
    """One line per fault, and the sums."""
    heads = (
        ("size", 6),
        ("least", 7),
        ("proved", 8),
        ("sets", 6),
        ("stmts", 7),
        ("runs", 6),
        ("complete", 10),
        ("seconds", 9),
    )
    yield f"{'fault':<36}{'kind':<18}" + "".join(f"{name:>{width}}" for name, width in heads)
    results = []
    for fault in of_one_line()[FIRST::EVERY] if chosen is None else chosen:
        r = measure(fault)
        results.append(r)
        proved, complete = ("yes" if flag else "no" for flag in (r.proved, r.complete))
        words = f"{proved:>8}{r.sets:>6}{r.statements:>7}{r.runs:>6}{complete:>10}"
        yield f"{fault.id:<36}{fault.kind:<18}{r.size:>6}{r.smallest:>7}{words}{r.seconds:>9.1f}"
    some, least = sum(r.size > 0 for r in results), sum(0 < r.size == r.smallest for r in results)
    yield f"{len(results)} faults: a set has the faulty statement for {some}, one of the smallest for {least}"


if __name__ == "__main__":
    at = int(sys.argv[1]) if len(sys.argv) > 1 else FIRST
    for line in rows(of_one_line()[at::EVERY]):
        print(line, flush=True)
