"""A warm worker: a process that has one program ready, and lets a process of its own answer each question about it.

It takes tasks, pickled one after the other, and says in a line of JSON how each ended; the answers go to the store.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from butfor.batch.examine_item import Question, WarmProgram
from butfor.batch.result_store import ResultStore
from butfor.batch.supervisor import CallEnd, CallLimits, supervised
from butfor.errors import ButforError

READY, ENDED, REFUSED = "ready", "ended", "refused"


@dataclass(frozen=True, slots=True)
class Task:
    """A question, and the key under which its answer goes into the store."""

    question: Question
    key: str


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How a task ended: its number, and what happened."""

    number: int
    end: CallEnd


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker says: that it is ready, that a task ended, or that its program cannot be built."""

    what: str
    end: CallEnd

    def line(self) -> bytes:
        """The reply as it is sent."""
        return json.dumps({"what": self.what, "how": self.end.how, "detail": self.end.detail}).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Reply:
        """The reply as it was sent."""
        found = json.loads(line)
        return cls(found["what"], CallEnd(found["how"], found["detail"]))


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What workers need to know: the limits of each task, the store for answers, a folder for their own notes."""

    limits: CallLimits
    store: Path
    notes: Path


def work(warmed: Callable[[], WarmProgram], setup: WorkerSetup, orders: BinaryIO, replies: int) -> None:
    """Get the program ready, then do one task after the other, until there are no more orders."""

    def say(what: str, end: CallEnd) -> None:
        os.write(replies, Reply(what, end).line())

    try:
        ready = warmed()
    except ButforError as error:
        say(REFUSED, CallEnd("error", error.message))
        return
    say(READY, CallEnd("done"))
    store = ResultStore(setup.store)
    status = setup.notes / f"status-{os.getpid()}"
    got_ready_for = None
    while True:
        try:
            task: Task = pickle.load(orders)
        except EOFError:
            return
        ask = task.question.ask
        if ask is not got_ready_for:
            ready.get_ready_for(ask)
            gc.collect()
            gc.freeze()  # what all tasks share is not looked at again in each of them
            got_ready_for = ask
        say(ENDED, supervised(partial(_answer, task, ready, store), setup.limits, status))


def send(orders: int, task: Task) -> None:
    """Send a task to a worker, which is waiting for it."""
    left = memoryview(pickle.dumps(task))
    while left:
        left = left[os.write(orders, left) :]


def _answer(task: Task, ready: WarmProgram, store: ResultStore) -> None:
    store.put(task.key, task.question.answer(ready))
