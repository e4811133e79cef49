"""Units that are worked on in parallel, by processes of their own: LLVM lets one thread of a process in at a time.

    python -m butfor.frontends.c.whole_programs.unit_workers

reads jobs, one on a line, and answers each with an empty line, or with what went wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from butfor.errors import ButforError
from butfor.frontends.c.whole_programs.unit_store import UnitJob
from butfor.native import build_cache

_MIN_BYTES_FOR_WORKERS = 150_000  # of bitcode: less is done before a worker has started
_REFUSED = (ButforError, RuntimeError, AssertionError, ValueError, KeyError, IndexError)


def run_jobs(jobs: Sequence[UnitJob], progress: Callable[[int, int], None]) -> dict[UnitJob, str]:
    """The jobs that failed, each with what went wrong; the results of the others are in the store.

    `progress` is told how many of how many units are done.
    """
    waiting = [job for job in jobs if job.find() is None]
    size = sum(os.path.getsize(job.bitcode) for job in waiting)
    workers = min(os.cpu_count() or 1, len(waiting))
    if workers < 2 or size < _MIN_BYTES_FOR_WORKERS:
        failed = {job: wrong for job in waiting if (wrong := _tried(job))}
    else:
        failed = _tried_by_workers(waiting, workers, progress)
    if waiting:
        build_cache.prune_when_grown()
    return failed


def _tried_by_workers(
    waiting: Sequence[UnitJob], workers: int, progress: Callable[[int, int], None]
) -> dict[UnitJob, str]:
    queue: SimpleQueue[UnitJob] = SimpleQueue()
    for job in sorted(waiting, key=lambda job: -os.path.getsize(job.bitcode)):
        queue.put(job)
    failed: dict[UnitJob, str] = {}
    done = 0

    def serve(_: int) -> None:
        nonlocal done
        for job, wrong in _answers(queue):
            if wrong:
                failed[job] = wrong
            done += 1
            progress(done, len(waiting))

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(serve, range(workers)))
    return failed


def _answers(queue: SimpleQueue[UnitJob]) -> Iterator[tuple[UnitJob, str]]:
    """The jobs that one worker did, each with what went wrong. Another takes the place of a worker that died."""
    while not queue.empty():
        with _worker() as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            while True:
                try:
                    job = queue.get_nowait()
                except Empty:
                    break
                try:
                    worker.stdin.write(job.to_json() + "\n")
                    worker.stdin.flush()
                    answer = worker.stdout.readline()
                except BrokenPipeError:
                    answer = ""
                yield job, answer.strip() or ("" if answer else "the process that worked on it died")
                if not answer:
                    break


@contextmanager
def _worker() -> Iterator[subprocess.Popen[str]]:
    folder = str(Path(__file__).parents[4])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))}
    command = (sys.executable, "-m", __name__)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _tried(job: UnitJob) -> str:
    """What went wrong with a job; empty where nothing did."""
    try:
        job.run()
    except _REFUSED as error:
        return (str(error) or type(error).__name__).partition("\n")[0]
    return ""


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything else writes is no answer
    for line in sys.stdin:
        answers.write(_tried(UnitJob.from_json(line)) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
