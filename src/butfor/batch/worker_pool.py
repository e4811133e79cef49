"""A pool of warm workers: each has one program built and read, and lets a process of its own do each task.

Workers are forked from the process of the batch. They take the numbers of their tasks from a pipe and say on another
one how each ended; results go to the store. A worker that is lost costs the task in its hands only.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from butfor.batch.examine_item import WarmProgram, warmed
from butfor.batch.supervisor import CallEnd, CallLimits, end_process_and_descendants, ends_with_its_parent, supervised
from butfor.batch.work_items import BatchProgram
from butfor.errors import ButforError

_READY, _ENDED, _REFUSED = "ready", "ended", "refused"
_TASK_BYTES = 1 << 16  # of one reply, which is short


@dataclass(frozen=True, slots=True)
class Task:
    """Work on one program: `work` is called in a process of its own and puts its result into the store."""

    program: BatchProgram
    work: Callable[[WarmProgram], None]


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How a task ended: its number, and what happened."""

    number: int
    end: CallEnd


@dataclass(slots=True)
class _Worker:
    """A worker as the pool sees it."""

    process: int
    program: BatchProgram
    orders: int  # file descriptors: numbers of tasks go out, replies come in
    replies: int
    given_up_at: float  # on the monotonic clock: the supervisor should have said something long before
    task: int | None = None
    text: bytes = b""


@dataclass(slots=True)
class WorkerPool:
    """So many workers, each task within these limits; `folder` is for notes of the workers."""

    jobs: int
    limits: CallLimits
    folder: Path
    _workers: list[_Worker] = field(default_factory=list)

    def run(self, tasks: Sequence[Task], may_begin: Callable[[], bool]) -> Iterator[TaskEnd]:
        """The ends of the tasks as they come; no more tasks are begun once `may_begin` says no.

        Tasks that were not begun have no end. The workers are ended with the iterator.
        """
        waiting: dict[str, deque[int]] = {}
        for number, task in enumerate(tasks):
            waiting.setdefault(task.program.name, deque()).append(number)
        try:
            while True:
                if may_begin():
                    self._begin_workers(tasks, waiting)
                if not self._workers:
                    return
                for worker in self._heard():
                    yield from self._advance(worker, waiting, may_begin)
        finally:
            self._end_all()

    def _begin_workers(self, tasks: Sequence[Task], waiting: dict[str, deque[int]]) -> None:
        """Let there be as many workers as there may be and as there is work for."""
        for numbers in waiting.values():
            at_work = sum(bool(numbers) and w.program is tasks[numbers[0]].program for w in self._workers)
            idle = max(0, len(numbers) - at_work)
            while idle and len(self._workers) < self.jobs:
                self._workers.append(self._forked(tasks, tasks[numbers[0]].program))
                idle -= 1

    def _forked(self, tasks: Sequence[Task], program: BatchProgram) -> _Worker:
        (orders_in, orders_out), (replies_in, replies_out) = os.pipe(), os.pipe()
        pool = os.getpid()
        process = os.fork()
        if process == 0:
            for other in self._workers:
                os.close(other.orders)
                os.close(other.replies)
            os.close(orders_out)
            os.close(replies_in)
            status = self.folder / f"status-{os.getpid()}"
            _work_and_exit(tasks, program, self.limits, status, (orders_in, replies_out), pool)
        os.close(orders_in)
        os.close(replies_out)
        os.set_blocking(replies_in, False)
        return _Worker(process, program, orders_out, replies_in, self._patience())

    def _patience(self) -> float:
        return time.monotonic() + 2 * self.limits.seconds + 10  # the supervisor needs time to end what it has begun

    def _heard(self) -> list[_Worker]:
        """The workers that said something, came to their end, or have been silent for too long."""
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(worker.replies, selectors.EVENT_READ, worker)
            first = min(worker.given_up_at for worker in self._workers)
            ready = [key.data for key, _ in selector.select(max(0.0, min(1.0, first - time.monotonic())))]
        return ready or [worker for worker in self._workers if time.monotonic() > worker.given_up_at]

    def _advance(
        self, worker: _Worker, waiting: dict[str, deque[int]], may_begin: Callable[[], bool]
    ) -> Iterator[TaskEnd]:
        """What a worker has to say, after which it has its next task or is ended."""
        with contextlib.suppress(BlockingIOError):
            worker.text += os.read(worker.replies, _TASK_BYTES)
        line, newline, worker.text = worker.text.partition(b"\n")
        own = waiting[worker.program.name]
        reply = json.loads(line) if newline else {"what": _ENDED, **_as_dict(CallEnd("lost"))}
        end = CallEnd(reply["how"], reply["detail"])
        if reply["what"] == _REFUSED:
            yield from (TaskEnd(number, end) for number in own)
            own.clear()
        elif worker.task is not None:
            yield TaskEnd(worker.task, end)
        elif not newline and own:  # it was lost while it built the program
            yield from (TaskEnd(number, end) for number in own)
            own.clear()
        worker.task = None
        if newline and reply["what"] != _REFUSED and own and may_begin():
            worker.task, worker.given_up_at = own.popleft(), self._patience()
            with contextlib.suppress(BrokenPipeError):
                os.write(worker.orders, b"%d\n" % worker.task)
            return
        self._end(worker)

    def _end(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        os.close(worker.orders)
        os.close(worker.replies)
        end_process_and_descendants(worker.process)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(worker.process, 0)

    def _end_all(self) -> None:
        for worker in list(self._workers):
            self._end(worker)


def _as_dict(end: CallEnd) -> dict[str, str]:
    return {"how": end.how, "detail": end.detail}


def _work_and_exit(
    tasks: Sequence[Task],
    program: BatchProgram,
    limits: CallLimits,
    status: Path,
    pipes: tuple[int, int],
    pool: int,
) -> None:
    """Be a worker: get the program ready, do one task after the other; this process ends here."""
    orders, replies = pipes

    def say(what: str, end: CallEnd) -> None:
        os.write(replies, json.dumps({"what": what, **_as_dict(end)}).encode() + b"\n")

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ends_with_its_parent(pool)
        try:
            ready = warmed(program.options)
        except ButforError as error:
            say(_REFUSED, CallEnd("error", error.message))
            return
        gc.collect()
        gc.freeze()  # what all tasks share is not looked at again in each of them
        say(_READY, CallEnd("done"))
        with open(orders) as lines:
            for line in lines:
                task = tasks[int(line)]
                say(_ENDED, supervised(lambda work=task.work: work(ready), limits, status))  # type: ignore[misc]
    finally:
        os._exit(0)
