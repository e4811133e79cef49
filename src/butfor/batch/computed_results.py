"""Results of a batch: from the store where they are known, else computed by the workers and put there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from butfor.batch.examine_item import Ask, Question
from butfor.batch.result_store import ResultStore, version_of_code
from butfor.batch.supervisor import CallLimits
from butfor.batch.warm_worker import Task, TaskEnd, WorkerSetup
from butfor.batch.work_items import BatchItem, BatchLimits
from butfor.batch.worker_pool import WorkerPool
from butfor.native.build_cache import key_of

Progress = Callable[[str], None]
Result = Mapping[str, Any]


class Engine(Protocol):
    """Something that does tasks: the workers of this machine, or those of a cluster."""

    def run(self, tasks: Sequence[Task], may_begin: Callable[[], bool]) -> Iterator[TaskEnd]:
        """The ends of the tasks as they come; no more tasks are begun once `may_begin` says no."""


@dataclass(slots=True)
class ComputedResults:
    """The results of one batch, and why some are missing."""

    store: ResultStore
    limits: BatchLimits
    progress: Progress | None = None
    engine: Engine | None = None  # what answers the questions; None: the workers of this machine
    has_failed: bool = False  # whether a run failed, which ends a batch with --fail-fast
    lost: dict[str, str] = field(default_factory=dict)  # by key, or by the name of a program that was not built
    programs: dict[str, str] = field(default_factory=dict)  # what identifies each program that was built, by name
    _begun: float = field(default_factory=time.monotonic)

    def build(self, items: Sequence[BatchItem]) -> None:
        """Build the programs of these items on this machine, and note what identifies each."""
        first = {item.program.name: item for item in reversed(items)}
        tasks = [Task(Question(Ask.BUILD, item), f"build-{name}") for name, item in first.items()]
        for task, wrong in self._done(self._pool(), tasks, "building"):
            name = task.question.item.program.name
            found = self.store.get(task.key) if wrong is None else None
            if found is not None:
                self.programs[name] = found["key"]
            else:
                self.lost[name] = wrong or "left a damaged result"

    def key(self, question: Question) -> str:
        """The key of an answer: all that it depends on, by content."""
        run = question.item.run
        options = repr(replace(run.options, sources=()))
        digest = run.input_file.digest if run.input_file is not None else ""
        program = self.programs[question.item.program.name]
        return key_of([version_of_code(), program, question.ask, options, digest, *question.changes])

    def lost_answer(self, question: Question) -> str | None:
        """Why there is no answer to a question; None if the batch ended before."""
        return self.lost.get(self.key(question))

    def results(self, questions: Sequence[Question], doing: str) -> Iterator[tuple[int, Result | None]]:
        """The positions of the questions with the answers, the known ones first, then as they come.

        An answer is None where there is none; `lost_answer` says why.
        """
        missing: dict[str, list[int]] = {}  # the positions of equal questions, by key
        for position, question in enumerate(questions):
            key = self.key(question)
            known = self.store.get(key) if key not in missing else None
            if known is None:
                missing.setdefault(key, []).append(position)
            else:
                yield position, known
        tasks = [Task(questions[positions[0]], key) for key, positions in missing.items()]
        for task, wrong in self._done(self.engine or self._pool(), tasks, doing):
            found = self.store.get(task.key) if wrong is None else None
            if found is None:
                self.lost[task.key] = wrong or "left a damaged result"
            yield from ((position, found) for position in missing.pop(task.key))
        yield from ((position, None) for positions in missing.values() for position in positions)

    def may_begin(self) -> bool:
        """Whether the limits of the batch allow to begin something."""
        seconds = self.limits.max_seconds
        is_late = seconds is not None and time.monotonic() - self._begun >= seconds
        return not is_late and not (self.limits.fail_fast and self.has_failed)

    @property
    def setup(self) -> WorkerSetup:
        """What the workers need to know."""
        limits = CallLimits(self.limits.item_seconds, self.limits.item_megabytes)
        return WorkerSetup(limits, self.store.folder, self.store.folder)

    def _pool(self) -> WorkerPool:
        return WorkerPool(self.limits.jobs or len(os.sched_getaffinity(0)), self.setup)

    def _done(self, engine: Engine, tasks: Sequence[Task], doing: str) -> Iterator[tuple[Task, str | None]]:
        """The tasks as they end, each with what went wrong or None; progress is shown meanwhile."""
        if not tasks:
            return
        begun = time.monotonic()
        self._say(f"{doing}: {len(tasks)} to do")
        for done, ended in enumerate(engine.run(tasks, self.may_begin), start=1):
            yield tasks[ended.number], None if ended.end.how == "done" else ended.end.words
            left = (time.monotonic() - begun) / done * (len(tasks) - done)
            self._say(f"{doing}: {done} of {len(tasks)}" + (f", about {left:.0f} s left" if left >= 1 else ""))

    def _say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)
