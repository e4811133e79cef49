"""The backward slice as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class SliceMethod(Method):
    """The statements that the failure depended on, nearest first."""

    name = "slice"
    on_runs = When.ALWAYS
    on_paths = When.ALWAYS
    runs_program = False
    share = 8.0  # the others start from it
    weighing = Weighing(0.6)
    prominence = 1
    tells_what_happened = True

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The slices of a recorded run."""
        from butfor.methods.slice.run_slice import slices_of_run

        return slices_of_run(case)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The slice of a failing path."""
        from butfor.methods.slice.path_slice import slice_of_path

        return slice_of_path(case)
