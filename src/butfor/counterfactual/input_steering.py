"""The search for inputs that control a failure: does the program fail with another text in a unit?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.counterfactual.fork_server import Ending, ForkServer, RunLimits, RunOutcome
from butfor.counterfactual.input_units import InputUnit, RunInputs, is_number, other_texts, with_text
from butfor.explanation import FailureKind
from butfor.frontends.c.c_frontend import scratch_folder
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.native.kept_process import new_folder, remove_folder

_SECONDS_PER_RUN = 1.0  # a run that takes longer counts as one without end
_MAX_LINKS = 2_000  # entries of a folder that are linked into its copy


@dataclass(frozen=True, slots=True)
class ControllingInput:
    """A unit whose text decides about the failure, as two runs showed."""

    unit: InputUnit
    fails: str  # a text with which the run fails
    passes: str  # one with which it does not


class InputSteering:
    """Runs of one program with other inputs, to be used in a `with` block."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        folder: str | None,
        inputs: RunInputs,
        kind: FailureKind,
    ) -> None:
        self.build, self.name, self.folder, self.inputs = build, name, folder, inputs
        self.kind = kind
        self.runs = 0
        self._known: dict[RunInputs, bool | None] = {}
        self._stack = ExitStack()
        self._server: ForkServer | None = None

    def __enter__(self) -> InputSteering:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def fails(self) -> bool:
        """Whether the run fails again as it did when it was recorded."""
        return self.avoids(self.inputs) is False

    def avoids(self, inputs: RunInputs) -> bool | None:
        """Whether a run with these inputs does not fail; None if that is unknown."""
        if inputs not in self._known:
            self.runs += 1
            self._known[inputs] = self._run_avoids(inputs)
        return self._known[inputs]

    def _run_avoids(self, inputs: RunInputs) -> bool | None:
        outcome = self._run(inputs)
        ended = outcome.exit_status
        if self.kind is FailureKind.EXIT_STATUS:
            return ended == 0
        if self.kind is FailureKind.NO_END:
            return not outcome.timed_out and outcome.end != Ending.LIMIT
        if outcome.timed_out or outcome.end == Ending.LIMIT:
            return None
        return ended is not None

    def _run(self, inputs: RunInputs) -> RunOutcome:
        if self._server is None:
            limits = RunLimits(milliseconds=int(_SECONDS_PER_RUN * 1000))
            first = ForkServer(self.build, self.name, self.inputs.spec, b"", limits, self.folder)
            self._server = self._stack.enter_context(first)
        if inputs.files == self.inputs.files:
            self._server.set_input(inputs.spec)
            return self._server.run()
        with _folder_with(inputs, self.inputs, self.folder) as (folder, spec):
            self._server.set_input(spec, folder)
            return self._server.run()

    # --- the search -----------------------------------------------------------------------------------------

    def find(self, units: Iterable[InputUnit], is_over: Callable[[], bool]) -> Iterator[ControllingInput]:
        """The units that have a text with which the run does not fail; each unit in turn gets one more text."""
        waiting = [(unit, other_texts(unit)) for unit in units]
        while waiting and not is_over():
            left = []
            for unit, texts in waiting:
                found = self._try_next(unit, texts, is_over)
                if isinstance(found, ControllingInput):
                    yield found
                elif found:
                    left.append((unit, texts))
            waiting = left

    def _try_next(self, unit: InputUnit, texts: Iterator[str], is_over: Callable[[], bool]) -> ControllingInput | bool:
        """The result of the next text of a unit; True if it decides nothing but there may be more texts."""
        for text in texts:
            if is_over():
                return False
            return self.try_text(unit, text, is_over) or True
        return False

    def try_text(self, unit: InputUnit, text: str, is_over: Callable[[], bool]) -> ControllingInput | None:
        """The unit, if the run does not fail with this text; for a number, with the nearest number found."""
        text = unit.fitting(text)
        inputs = None if text == unit.text else with_text(self.inputs, unit, text)
        if inputs is None or not self.avoids(inputs):
            return None
        return ControllingInput(unit, unit.text, self._nearest(unit, text, is_over))

    def _nearest(self, unit: InputUnit, text: str, is_over: Callable[[], bool]) -> str:
        if not (is_number(unit.text) and is_number(text)):
            return text
        near, far = int(unit.text), int(text)
        while abs(far - near) > 1 and not is_over():
            middle = (near + far) // 2
            inputs = with_text(self.inputs, unit, str(middle))
            if inputs is not None and self.avoids(inputs):
                far = middle
            else:
                near = middle
        return str(far)


@contextmanager
def _folder_with(inputs: RunInputs, original: RunInputs, folder: str | None) -> Iterator[tuple[str, RunSpec]]:
    """A copy of a folder with other content in some files, and the run in it; files outside it get other names."""
    home = new_folder(scratch_folder())
    try:
        there = Path(folder or ".")
        for number, entry in enumerate(there.iterdir()):
            if number < _MAX_LINKS:
                (home / entry.name).symlink_to(entry.resolve())
        args = inputs.spec.args
        for number, (name, data) in enumerate(inputs.files):
            if (name, data) in original.files:
                continue
            if Path(name).is_absolute() or len(Path(name).parts) > 1:
                target = home / f"butfor-{number}"
                args = tuple(str(target) if a == name else a for a in args)
            else:
                target = home / name
                target.unlink(missing_ok=True)
            target.write_bytes(data)
        yield str(home), replace(inputs.spec, args=args)
    finally:
        remove_folder(home)
