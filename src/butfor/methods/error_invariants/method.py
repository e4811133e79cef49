"""Error invariants as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The story of a recorded run."""
        from butfor.methods.error_invariants.explained_path import story_of_run

        return story_of_run(case, self.inputs, self.pre)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The story of a failing path that a search found."""
        from butfor.methods.error_invariants.explained_path import story_of_path

        return story_of_path(case, self.inputs, self.pre)
