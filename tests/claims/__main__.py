"""`python -m tests.claims`: try to refute what butfor claims, on generated programs.

    python -m tests.claims --claims 100000 --seed 1 --state FILE

Both cores work; seeds that are done are kept in the state file, so that a run that was stopped goes on where it was.
Exit status 1 when a claim was refuted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tests.claims.campaign import Tally, campaign, shrunk_refutation
from tests.claims.claim_model import Verdict
from tests.claims.generate_program import KINDS

SEEDS_PER_TASK = 4
TASKS_AHEAD = 6  # per core: some take many times as long as others


def main() -> int:
    """Run the campaign and print its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.claims", description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000, help="how many claims to check (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=Path, help="file in which the counts are kept, to go on from")
    parser.add_argument("--shrink", action="store_true", help="make the programs of refuted claims small")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"kinds of programs (default {','.join(KINDS)})")
    given = parser.parse_args()
    state = _State(given.state, given.seed, tuple(given.kinds.split(",")))
    state.run(given.claims, given.jobs)
    print(table(state.tally))
    for found in one_of_each(state.tally.refuted):
        print(_refutation(shrunk_refutation(found) if given.shrink else found))
    return 1 if state.tally.refuted else 0


class _State:
    """The counts so far and the next seed, kept in a file."""

    def __init__(self, path: Path | None, seed: int, kinds: tuple[str, ...]) -> None:
        self.path = path
        self.kinds = kinds
        self.tally = Tally()
        self.next = seed
        if path is not None and path.exists():
            self._load(json.loads(path.read_text()))

    def _load(self, kept: dict[str, object]) -> None:
        tally = kept["tally"]
        assert isinstance(tally, dict)
        assert isinstance(kept["next"], int)
        self.next = kept["next"]
        self.tally = Tally(
            Counter({tuple(key): n for key, n in tally["counts"]}),
            Counter({tuple(key): n for key, n in tally["reasons"]}),
            tally["refuted"],
            tally["errors"],
            tally["programs"],
            tally["runs"],
        )

    def _save(self) -> None:
        if self.path is None:
            return
        t = self.tally
        tally = {
            "counts": [[list(key), n] for key, n in t.counts.items()],
            "reasons": [[list(key), n] for key, n in t.reasons.items()],
            "refuted": t.refuted,
            "errors": t.errors,
            "programs": t.programs,
            "runs": t.runs,
        }
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"next": self.next, "tally": tally}))
        new.replace(self.path)

    def run(self, claims: int, jobs: int) -> None:
        """Check so many claims; tasks are counted in the order of their seeds."""
        start = time.monotonic()
        waiting: dict[int, Future[Tally]] = {}
        ahead = self.next
        with ProcessPoolExecutor(jobs) as pool:
            while self.tally.checked < claims:
                while len(waiting) < TASKS_AHEAD * jobs:
                    seeds = range(ahead, ahead + SEEDS_PER_TASK)
                    waiting[ahead] = pool.submit(campaign, seeds, self.kinds)
                    ahead += SEEDS_PER_TASK
                self.tally.add(waiting.pop(self.next).result())
                self.next += SEEDS_PER_TASK
                self._save()
                self._progress(claims, start)
            for task in waiting.values():
                task.cancel()

    def _progress(self, claims: int, start: float) -> None:
        t = self.tally
        print(
            f"{t.checked} of {claims} claims, {t.programs} programs, {len(t.refuted)} refuted, {len(t.errors)} errors, "
            f"{time.monotonic() - start:.0f} s",
            file=sys.stderr,
            flush=True,
        )


def table(tally: Tally) -> str:
    """The counts by language, method and kind of claim, and why claims were not checked."""
    rows: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for (language, method, kind, verdict), n in tally.counts.items():
        rows[language, method, kind][verdict] += n
    lines = ["| language | method | claim | checked | refuted | not checked |", "|---|---|---|---|---|---|"]
    for (language, method, kind), counts in sorted(rows.items()):
        bad, unchecked = counts[Verdict.REFUTED.value], counts[Verdict.UNCHECKED.value]
        lines.append(f"| {language} | {method} | {kind} | {counts[Verdict.HELD.value] + bad} | {bad} | {unchecked} |")
    lines += ["", "Not checked, and why:", ""]
    lines += [f"- {n} of {method}, {kind}: {why}" for (method, kind, why), n in tally.reasons.most_common()]
    total = (
        f"{tally.checked} claims checked, {len(tally.refuted)} refuted: {tally.programs} programs, {tally.runs} runs"
    )
    return "\n".join([*lines, "", total, *(f"error: {e}" for e in tally.errors)])


def one_of_each(refuted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first refutation of each kind of claim."""
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    for found in refuted:
        first.setdefault((found["language"], found["method"], found["kind"]), found)
    return list(first.values())


def _refutation(found: dict[str, object]) -> str:
    said = f"{found['method']}, {found['kind']}: {found['claim']}"
    return f"\nREFUTED ({found['seed']}, inputs {found['inputs']}) {said}\n{found['refuted_by']}\n{found['program']}"


if __name__ == "__main__":
    sys.exit(main())
