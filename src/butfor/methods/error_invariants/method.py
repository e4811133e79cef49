"""Error invariants as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.errors import UsageError
from butfor.methods.error_invariants.story_settings import ENGINES, FORMULA, RECURSIVE, StorySettings
from butfor.methods.method import Earlier, Method, When
from butfor.options import Inputs
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class ErrorInvariantsMethod(Method):
    """The failing path told by what was true and which statements changed that."""

    name = "error-invariants"
    on_paths = When.ALWAYS
    weighing = Weighing(1.0)

    inputs: Inputs | None = None  # None: as recorded for runs, any for paths
    pre: str | None = None  # a condition on the start of the path, as the source would write it
    flow_insensitive: bool = False  # without asking why the statements were reached
    engine: str = FORMULA  # or RECURSIVE

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise UsageError(
                f"error invariants have no engine {self.engine!r}", hint=f"the engines are: {', '.join(ENGINES)}"
            )
        if self.engine == RECURSIVE and self.flow_insensitive:
            raise UsageError("the recursive engine is flow-sensitive", hint="leave out --flow-insensitive")

    @property
    def _settings(self) -> StorySettings:
        return StorySettings(self.inputs, self.pre, self.flow_insensitive, self.engine)

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The story of a recorded run."""
        from butfor.methods.error_invariants.explained_path import story_of_run

        return story_of_run(case, self._settings)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The story of a failing path that a search found."""
        from butfor.methods.error_invariants.explained_path import story_of_path

        return story_of_path(case, self._settings)
