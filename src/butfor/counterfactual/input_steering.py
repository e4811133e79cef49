"""Runs of the same program with other inputs: which of them does not fail?"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.counterfactual.fork_server import Limits, Outcome, Server
from butfor.counterfactual.input_units import Unit, World, is_number, put, variants
from butfor.explanation import FailureKind
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.record_run import scratch_folder
from butfor.frontends.c.run_program import RunSpec

_SECONDS = 1.0
_MOST_LINKS = 2_000  # entries of the folder that a changed file stands in


@dataclass(frozen=True, slots=True)
class Steered:
    """A unit whose text decides about the failure: with `fails` the run fails, with `passes` it does not; both were run."""

    unit: Unit
    fails: str
    passes: str


class Steering:
    """Tries other inputs. Use it in a `with` block."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        folder: str | None,
        world: World,
        kind: FailureKind,
    ) -> None:
        self.build, self.name, self.folder, self.world = build, name, folder, world
        self.kind = kind
        self.runs = 0
        self._known: dict[World, bool | None] = {}
        self._stack = ExitStack()
        self._server: Server | None = None
        self._served: World | None = None

    def __enter__(self) -> Steering:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def fails(self) -> bool:
        """Whether the run fails here as it did when it was recorded."""
        return self.avoids(self.world) is False

    def avoids(self, world: World) -> bool | None:
        """Whether a run does not fail; None when that cannot be told."""
        if world not in self._known:
            self.runs += 1
            self._known[world] = self._avoids(world)
        return self._known[world]

    def _avoids(self, world: World) -> bool | None:
        outcome = self._run(world)
        ended = outcome.exit_status
        if self.kind is FailureKind.EXIT_STATUS:
            return ended == 0
        if self.kind is FailureKind.NO_END:
            return not outcome.timed_out and outcome.end != 4
        if outcome.timed_out or outcome.end == 4:
            return None
        return ended is not None

    def _run(self, world: World) -> Outcome:
        same = self._served is not None and _without_stdin(self._served) == _without_stdin(world)
        if not same or self._server is None:
            self._stack.close()
            self._server = self._stack.enter_context(self._started(world))
            self._served = world
        self._server.give(world.spec.stdin)
        return self._server.run()

    @contextmanager
    def _started(self, world: World) -> Iterator[Server]:
        with ExitStack() as stack:
            folder, spec = self.folder, world.spec
            if world.files != self.world.files:
                folder, spec = stack.enter_context(_folder_with(world, self.world, self.folder))
            limits = Limits(milliseconds=int(_SECONDS * 1000))
            yield stack.enter_context(Server(self.build, self.name, spec, b"", limits, folder))

    # --- the search -----------------------------------------------------------------------------------------

    def find(self, units: Iterable[Unit], is_over: Callable[[], bool]) -> Iterator[Steered]:
        """Units with a text that does not fail, a few texts of each unit at a time."""
        waiting = [(unit, variants(unit)) for unit in units]
        while waiting and not is_over():
            left = []
            for unit, texts in waiting:
                found = self._next(unit, texts, is_over)
                if isinstance(found, Steered):
                    yield found
                elif found:
                    left.append((unit, texts))
            waiting = left

    def _next(self, unit: Unit, texts: Iterator[str], is_over: Callable[[], bool]) -> Steered | bool:
        """What the next text of a unit gives; True when there may be more."""
        for text in texts:
            if is_over():
                return False
            return self.try_text(unit, text, is_over) or True
        return False

    def try_text(self, unit: Unit, text: str, is_over: Callable[[], bool]) -> Steered | None:
        """The unit, if the run does not fail with this text; of numbers the one that is nearest to what it was."""
        world = put(self.world, unit, text)
        if world is None or not self.avoids(world):
            return None
        return Steered(unit, unit.text, self._nearest(unit, text, is_over))

    def _nearest(self, unit: Unit, text: str, is_over: Callable[[], bool]) -> str:
        if not (is_number(unit.text) and is_number(text)):
            return text
        near, far = int(unit.text), int(text)
        while abs(far - near) > 1 and not is_over():
            middle = (near + far) // 2
            world = put(self.world, unit, str(middle))
            if world is not None and self.avoids(world):
                far = middle
            else:
                near = middle
        return str(far)


def _without_stdin(world: World) -> tuple[object, ...]:
    spec = world.spec
    return spec.args, spec.env, spec.nondet, world.files


@contextmanager
def _folder_with(world: World, usual: World, folder: str | None) -> Iterator[tuple[str, RunSpec]]:
    """A folder that looks like the given one, with other content in some files, and the run in it; files elsewhere get other names."""
    home = Path(tempfile.mkdtemp(prefix="butfor-files-", dir=scratch_folder()))
    try:
        there = Path(folder or ".")
        for number, entry in enumerate(there.iterdir()):
            if number < _MOST_LINKS:
                (home / entry.name).symlink_to(entry.resolve())
        args = world.spec.args
        for number, (name, data) in enumerate(world.files):
            if (name, data) in usual.files:
                continue
            if Path(name).is_absolute() or len(Path(name).parts) > 1:
                target = home / f"butfor-{number}"
                args = tuple(str(target) if a == name else a for a in args)
            else:
                target = home / name
                target.unlink(missing_ok=True)
            target.write_bytes(data)
        yield str(home), replace(world.spec, args=args)
    finally:
        shutil.rmtree(home, ignore_errors=True)
