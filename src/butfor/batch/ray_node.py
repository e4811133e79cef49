"""What runs on a node of a Ray cluster: a warm worker of butfor's own, fed by one of Ray's processes.

The worker is not a process of Ray: no threads of Ray are forked with it, and its supervisor reaps what it begins,
whatever Ray does with the signals and exit statuses of children.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from butfor.batch.examine_item import WarmProgram
from butfor.batch.result_store import version_of_code
from butfor.batch.shipped_program import ShippedProgram
from butfor.batch.supervisor import CallEnd, ends_with_its_parent
from butfor.batch.warm_worker import READY, Reply, Task, WorkerSetup, send, work
from butfor.errors import UsageError

_OF_THE_NODE = ("BUTFOR_CACHE_DIR", "HOME", "PATH", "TMPDIR")  # variables that say where things are on a machine


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What all nodes are told about the batch."""

    setup: WorkerSetup
    version: str  # of butfor's code
    mark: str  # what stands in the file `mark_file` of the store, so that a node knows whether it sees the same store
    folder: str  # that the batch was started in
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _NodeWorker:
    """A worker on this node."""

    key: str  # of its program
    process: subprocess.Popen[bytes]
    ready: Reply

    def end(self) -> None:
        """End it; it is between two tasks, or its program is not ready."""
        self.process.kill()
        self.process.wait()


_worker: list[_NodeWorker] = []  # of this process of Ray: the last one, if there was one


def mark_file(store: Path) -> Path:
    """The file by which a node knows the store of the batch."""
    return store / "shared"


def answer_on_node(program: tuple[str, Any], task: Task, node: NodeSetup) -> CallEnd:
    """How a task ended on this node; `program` is the key of a program and its place in Ray's store of objects."""
    worker = _worker_for(program, node)
    if worker.ready.what != READY:
        return worker.ready.end
    assert worker.process.stdin is not None
    try:
        send(worker.process.stdin.fileno(), task)
        return _reply(worker.process.stdout).end
    except (BrokenPipeError, EOFError):
        _worker.clear()
        worker.end()
        return CallEnd("lost")


def _worker_for(program: tuple[str, Any], node: NodeSetup) -> _NodeWorker:
    """The worker for a program: the one that is there, or a new one."""
    key, place = program
    if _worker and _worker[0].key == key and _worker[0].process.poll() is None:
        return _worker[0]
    while _worker:
        _worker.pop().end()
    _worker.append(_begun(key, place, node))
    return _worker[0]


def _begun(key: str, place: Any, node: NodeSetup) -> _NodeWorker:
    import ray  # late: an extra

    own = {name: os.environ[name] for name in _OF_THE_NODE if name in os.environ}
    others = {name: value for name, value in node.environment.items() if name not in _OF_THE_NODE}
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=others | own,
        cwd=node.folder if os.path.isdir(node.folder) else None,
        process_group=0,
    )
    try:
        assert process.stdin is not None
        pickle.dump((ray.get(place), node), process.stdin)
        process.stdin.flush()
        ready = _reply(process.stdout)
    except (BrokenPipeError, EOFError):
        ready = Reply("lost", CallEnd("lost"))
    return _NodeWorker(key, process, ready)


def _reply(stream: IO[bytes] | None) -> Reply:
    assert stream is not None
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return Reply.of_line(line)


def main() -> None:
    """Be a worker; the argument is the number of the process that feeds it."""
    ends_with_its_parent(int(sys.argv[1]))
    orders = sys.stdin.buffer
    replies = os.dup(1)
    os.dup2(2, 1)  # only replies go to the process of Ray
    program: ShippedProgram
    node: NodeSetup
    program, node = pickle.load(orders)

    def warmed() -> WarmProgram:
        _check(node)
        return WarmProgram.of_build(program.unpacked())

    with tempfile.TemporaryDirectory(prefix="butfor-node-") as notes:
        work(warmed, replace(node.setup, notes=Path(notes)), orders, replies)


def _check(node: NodeSetup) -> None:
    """Raise an error where the node cannot do its part."""
    where = os.uname().nodename
    if version_of_code() != node.version:
        raise UsageError(f"{where} has another version of butfor than the machine that the batch was started on")
    mark = mark_file(node.setup.store)
    if not mark.is_file() or mark.read_text("ascii") != node.mark:
        raise UsageError(
            f"{where} does not see the folder {node.setup.store}",
            hint="with --ray, -o names a folder on storage that all nodes share, under the same path",
        )


if __name__ == "__main__":
    main()
