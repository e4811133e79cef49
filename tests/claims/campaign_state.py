"""A campaign that can be stopped: the counts so far and the next seed, kept in a file."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from tests.claims.campaign import Tally, campaign

SEEDS_PER_TASK = 4
TASKS_AHEAD = 6  # per core: some take many times as long as others
TRIES = 2  # of seeds whose process died: the machine may have run out of memory


class CampaignState:
    """The counts so far, the seeds that they are for, and the versions that were checked."""

    def __init__(self, path: Path | None, seed: int, kinds: tuple[str, ...]) -> None:
        self.path = path
        self.kinds = kinds
        self.tally = Tally()
        self.first = self.next = seed
        self.versions: list[str] = []
        if path is not None and path.exists():
            self._load(json.loads(path.read_text()))
        version = version_of_checkout()
        if version not in self.versions:
            self.versions.append(version)

    def _load(self, kept: dict[str, Any]) -> None:
        tally = kept["tally"]
        self.first, self.next, self.versions = kept["first"], kept["next"], kept["versions"]
        self.tally = Tally(
            Counter({tuple(key): n for key, n in tally["counts"]}),
            Counter({tuple(key): n for key, n in tally["reasons"]}),
            tally["refuted"],
            tally["errors"],
            tally["programs"],
            tally["runs"],
            tally["cpu_seconds"],
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
            "cpu_seconds": t.cpu_seconds,
        }
        kept = {"first": self.first, "next": self.next, "versions": self.versions, "tally": tally}
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(kept))
        new.replace(self.path)

    def run(self, claims: int, jobs: int) -> None:
        """Check so many claims in all; seeds whose process dies are tried once more."""
        died: Counter[int] = Counter()
        start = time.monotonic()
        while self.tally.checked < claims:
            try:
                self._run(claims, jobs, start)
            except BrokenProcessPool:
                died[self.next] += 1
                if died[self.next] < TRIES:
                    continue
                self.tally.errors.append(f"seeds from {self.next}: the process that checked them died")
                self.next += SEEDS_PER_TASK
                self._save()

    def _run(self, claims: int, jobs: int, start: float) -> None:
        """Check so many claims; tasks are counted in the order of their seeds."""
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


def version_of_checkout() -> str:
    """The commit of what is checked; a + behind it says that files were changed since."""
    root = Path(__file__).resolve().parents[2]

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        return done.stdout.strip()

    return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "src", "tests/claims") else "")
