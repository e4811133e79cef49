"""A pool of warm workers on this machine.

Workers are forked from the process of the batch, each for one program. One that is lost costs the task in its hands.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from butfor.batch.examine_item import warmed
from butfor.batch.supervisor import CallEnd, end_process_and_descendants, ends_with_its_parent
from butfor.batch.warm_worker import ENDED, REFUSED, Reply, Task, TaskEnd, WorkerSetup, send, work
from butfor.batch.work_items import BatchProgram

_REPLY_BYTES = 1 << 16  # of one reply, which is short


@dataclass(slots=True)
class _Worker:
    """A worker as the pool sees it."""

    process: int
    program: BatchProgram
    orders: int  # file descriptors: tasks go out, replies come in
    replies: int
    given_up_at: float  # on the monotonic clock: the supervisor should have said something long before
    task: int | None = None
    text: bytes = b""


@dataclass(slots=True)
class WorkerPool:
    """So many workers."""

    jobs: int
    setup: WorkerSetup
    _workers: list[_Worker] = field(default_factory=list)

    def run(self, tasks: Sequence[Task], may_begin: Callable[[], bool]) -> Iterator[TaskEnd]:
        """The ends of the tasks as they come; no more tasks are begun once `may_begin` says no.

        Tasks that were not begun have no end. The workers are ended with the iterator.
        """
        waiting: dict[str, deque[int]] = {}
        for number, task in enumerate(tasks):
            waiting.setdefault(task.question.item.program.name, deque()).append(number)
        try:
            while True:
                if may_begin():
                    self._begin_workers(tasks, waiting)
                if not self._workers:
                    return
                for worker in self._heard():
                    yield from self._advance(worker, tasks, waiting[worker.program.name], may_begin)
        finally:
            self._end_all()

    def _begin_workers(self, tasks: Sequence[Task], waiting: dict[str, deque[int]]) -> None:
        """Let there be as many workers as there may be and as there is work for."""
        for numbers in waiting.values():
            if not numbers:
                continue
            program = tasks[numbers[0]].question.item.program
            at_work = sum(worker.program is program for worker in self._workers)
            for _ in range(min(len(numbers) - at_work, self.jobs - len(self._workers))):
                self._workers.append(self._forked(program))

    def _forked(self, program: BatchProgram) -> _Worker:
        (orders_in, orders_out), (replies_in, replies_out) = os.pipe(), os.pipe()
        pool = os.getpid()
        process = os.fork()
        if process == 0:
            for other in self._workers:
                os.close(other.orders)
                os.close(other.replies)
            os.close(orders_out)
            os.close(replies_in)
            _work_and_exit(program, self.setup, (orders_in, replies_out), pool)
        os.close(orders_in)
        os.close(replies_out)
        os.set_blocking(replies_in, False)
        return _Worker(process, program, orders_out, replies_in, self._patience())

    def _patience(self) -> float:
        return (
            time.monotonic() + 2 * self.setup.limits.seconds + 10
        )  # the supervisor needs time to end what it has begun

    def _heard(self) -> list[_Worker]:
        """The workers that said something, came to their end, or have been silent for too long."""
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(worker.replies, selectors.EVENT_READ, worker)
            first = min(worker.given_up_at for worker in self._workers)
            ready = [key.data for key, _ in selector.select(max(0.0, min(1.0, first - time.monotonic())))]
        return ready or [worker for worker in self._workers if time.monotonic() > worker.given_up_at]

    def _advance(
        self, worker: _Worker, tasks: Sequence[Task], waiting: deque[int], may_begin: Callable[[], bool]
    ) -> Iterator[TaskEnd]:
        """What a worker has to say, after which it has its next task or is ended."""
        said = b""
        with contextlib.suppress(BlockingIOError):
            said = os.read(worker.replies, _REPLY_BYTES)
        line, newline, worker.text = (worker.text + said).partition(b"\n")
        if said and not newline:  # the rest of a long reply is under way
            worker.text = line
            return
        reply = Reply.of_line(line) if newline else Reply(ENDED, CallEnd("lost"))
        if worker.task is not None:
            yield TaskEnd(worker.task, reply.end)
        elif reply.what == REFUSED or not newline:  # its program cannot be built, or it was lost while it built it
            yield from (TaskEnd(number, reply.end) for number in waiting)
            waiting.clear()
        worker.task = None
        if newline and waiting and may_begin():
            worker.task, worker.given_up_at = waiting.popleft(), self._patience()
            with contextlib.suppress(BrokenPipeError):
                send(worker.orders, tasks[worker.task])
        else:
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


def _work_and_exit(program: BatchProgram, setup: WorkerSetup, pipes: tuple[int, int], pool: int) -> None:
    """Be a worker of the pool, the process with this number; this process ends here."""
    orders, replies = pipes
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ends_with_its_parent(pool)
        with open(orders, "rb") as stream:
            work(lambda: warmed(program.options), setup, stream, replies)
    finally:
        os._exit(0)
