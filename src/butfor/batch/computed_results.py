"""Results of a batch: from the store where they are known, else computed by the workers and put there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from butfor.batch.examine_item import WarmProgram
from butfor.batch.result_store import ResultStore, version_of_code
from butfor.batch.supervisor import CallLimits
from butfor.batch.work_items import BatchItem, BatchLimits, BatchProgram
from butfor.batch.worker_pool import Task, WorkerPool
from butfor.native.build_cache import key_of

Progress = Callable[[str], None]
Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A result that is wanted: its key, the run that it is about, and how it is computed."""

    key: str
    item: BatchItem
    work: Callable[[WarmProgram], Result]


@dataclass(slots=True)
class ComputedResults:
    """The results of one batch, and why some are missing."""

    store: ResultStore
    limits: BatchLimits
    progress: Progress | None = None
    has_failed: bool = False  # whether a run failed, which ends a batch with --fail-fast
    lost: dict[str, str] = field(default_factory=dict)  # by key, or by the name of a program that was not built
    programs: dict[str, str] = field(default_factory=dict)  # what identifies each program that was built
    _begun: float = field(default_factory=time.monotonic)

    def build(self, programs: Sequence[BatchProgram]) -> None:
        """Build the programs, and note what identifies each."""
        files = {program.name: self.store.folder / f"program-{k}" for k, program in enumerate(programs)}

        def noting(file: Path) -> Callable[[WarmProgram], None]:
            return lambda warm: self.store.put_file(file, warm.key.encode())

        tasks = [Task(program, noting(files[program.name])) for program in programs]
        for number, wrong in self._ends(tasks, "building"):
            name = programs[number].name
            if wrong is None:
                self.programs[name] = files[name].read_text("ascii")
                files[name].unlink()
            else:
                self.lost[name] = wrong

    def key(self, kind: str, item: BatchItem, *more: str) -> str:
        """The key of a result: all that it depends on, by content."""
        options = repr(replace(item.options, sources=()))
        return key_of([version_of_code(), self.programs[item.program.name], kind, options, *more])

    def results(self, wanted: Sequence[Wanted], doing: str) -> Iterator[tuple[int, Result | None]]:
        """The positions of what is wanted with the results, the known ones first, then as they come.

        A result is None where there is none; `lost` says why, unless the batch ended before.
        """
        missing = []
        for position, one in enumerate(wanted):
            known = self.store.get(one.key)
            if known is None:
                missing.append(position)
            else:
                yield position, known
        if not missing:
            return
        tasks = [Task(wanted[position].item.program, self._putting(wanted[position])) for position in missing]
        ended = set()
        for number, wrong in self._ends(tasks, doing):
            position = missing[number]
            key = wanted[position].key
            ended.add(position)
            found = self.store.get(key) if wrong is None else None
            if found is None:
                self.lost[key] = wrong or "left a damaged result"
            yield position, found
        yield from ((position, None) for position in missing if position not in ended)

    def may_begin(self) -> bool:
        """Whether the limits of the batch allow to begin something."""
        seconds = self.limits.max_seconds
        is_late = seconds is not None and time.monotonic() - self._begun >= seconds
        return not is_late and not (self.limits.fail_fast and self.has_failed)

    def _putting(self, one: Wanted) -> Callable[[WarmProgram], None]:
        return lambda warm: self.store.put(one.key, dict(one.work(warm)))

    def _ends(self, tasks: Sequence[Task], doing: str) -> Iterator[tuple[int, str | None]]:
        """The numbers of the tasks as they end, with what went wrong or None; progress is shown meanwhile."""
        pool = WorkerPool(
            self.limits.jobs, CallLimits(self.limits.item_seconds, self.limits.item_megabytes), self.store.folder
        )
        begun = time.monotonic()
        self._say(f"{doing}: {len(tasks)} to do")
        for done, ended in enumerate(pool.run(tasks, self.may_begin), start=1):
            yield ended.number, None if ended.end.how == "done" else ended.end.words
            left = (time.monotonic() - begun) / done * (len(tasks) - done)
            self._say(f"{doing}: {done} of {len(tasks)}" + (f", about {left:.0f} s left" if left >= 1 else ""))

    def _say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)
