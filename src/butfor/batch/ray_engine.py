"""The tasks of a batch done by a Ray cluster; its nodes have butfor installed and share the folder of the batch."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from butfor.batch.ray_node import NodeSetup, answer_on_node, mark_file
from butfor.batch.result_store import ResultStore, version_of_code
from butfor.batch.shipped_program import ShippedProgram
from butfor.batch.supervisor import CallEnd
from butfor.batch.warm_worker import Task, TaskEnd, WorkerSetup
from butfor.batch.work_items import BatchProgram
from butfor.errors import ToolMissing, UsageError
from butfor.frontends.c.c_frontend import compile_program
from butfor.frontends.program_kinds import is_recording

_RETRIES = 3  # of a task whose node or process of Ray was lost
_TASKS_PER_CORE = 2  # one at work and one waiting, so that no core waits for the network
_SECONDS_TO_ANSWER = 10.0  # for the cluster, when it is first spoken to
_SECONDS_PER_LOOK = 1.0  # at the limits of the batch


@dataclass(slots=True)
class RayEngine:
    """A cluster that this process is connected to."""

    setup: WorkerSetup
    jobs: int | None  # tasks under way at once; None: as many as the cluster has room for
    _node: NodeSetup = field(init=False)
    _programs: dict[str, tuple[str, Any]] = field(default_factory=dict)  # by name: key, and where Ray has it

    @classmethod
    def connected(cls, address: str, setup: WorkerSetup, jobs: int | None) -> RayEngine:
        """The cluster at this address."""
        ray = _ray()
        try:
            _check_reachable(address)
            ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
        except (OSError, ValueError, RuntimeError) as error:
            raise UsageError(
                f"--ray {address}: no cluster can be reached there: {error}",
                hint="`ray start --head` starts one and says its address; `auto` is the one of this machine",
            ) from error
        engine = cls(setup, jobs)
        mark = secrets.token_hex(16)
        ResultStore(setup.store).put_file(mark_file(setup.store), mark.encode())
        engine._node = NodeSetup(setup, version_of_code(), mark, os.getcwd(), dict(os.environ))
        return engine

    def run(self, tasks: Sequence[Task], may_begin: Callable[[], bool]) -> Iterator[TaskEnd]:
        """The ends of the tasks as they come; no more tasks are begun once `may_begin` says no.

        Tasks that were not begun have no end.
        """
        ray = _ray()
        remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(answer_on_node)
        node = ray.put(self._node)
        waiting = deque(range(len(tasks)))
        under_way: dict[Any, int] = {}
        try:
            while True:
                while waiting and len(under_way) < self._room() and may_begin():
                    number = waiting.popleft()
                    program = self._shipped(tasks[number].question.item.program)
                    under_way[remote.remote(program, tasks[number], node)] = number
                if not under_way:
                    return
                for done in ray.wait(list(under_way), timeout=_SECONDS_PER_LOOK)[0]:
                    yield TaskEnd(under_way.pop(done), _end_of(done))
        finally:
            for left in under_way:
                with contextlib.suppress(Exception):  # the connection may be gone
                    ray.cancel(left, force=True)

    def close(self) -> None:
        """End the connection, and with it what the cluster still does for this batch."""
        _ray().shutdown()

    def _room(self) -> int:
        return self.jobs or max(1, _TASKS_PER_CORE * int(_ray().cluster_resources().get("CPU", 1)))

    def _shipped(self, program: BatchProgram) -> tuple[str, Any]:
        """The key of a program and its place in the cluster, to which it is sent once."""
        if is_recording(program.options.sources):
            raise UsageError("--ray takes programs, not recordings", hint="leave out --ray")
        if program.name not in self._programs:
            shipped = ShippedProgram.of(compile_program(program.options, lambda text: None))
            # In a tuple Ray passes the place on as it is, and a node fetches the program once.
            self._programs[program.name] = (shipped.key, _ray().put(shipped))
        return self._programs[program.name]


def _check_reachable(address: str) -> None:
    """Raise an OSError where nobody answers: Ray itself would ask for more than a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()


def _end_of(done: Any) -> CallEnd:
    """How a task ended, as Ray has it."""
    ray = _ray()
    try:
        end: CallEnd = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        return CallEnd("error", str(error.cause or error))
    except ray.exceptions.RayError:
        return CallEnd("lost")
    return end


def _ray() -> Any:
    """The package; an error says how to get it."""
    try:
        import ray  # late: an extra
    except ImportError as error:
        raise ToolMissing("--ray needs the package ray", hint="pip install 'butfor[ray]' brings it") from error
    return ray
