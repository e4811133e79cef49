"""Repair as a method."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, Subject, When
from butfor.ranking.finding import A_CHANGE_HELPS, Diagnosis

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class RepairMethod(Method):
    """Edits of the source that fix the failure, each compiled and run on all tests."""

    name = "repair"
    on_runs = When.LAST_RESORT
    needs = {Subject.RUN: ("slice", "cascade", "butfor", "spectrum")}  # noqa: RUF012 (a constant of the class)
    weighing = A_CHANGE_HELPS

    annotations: Path | None = None  # a file that adds to the library of slips that edits are made from

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """Validated edits of the statements that the other methods suspect."""
        from butfor.methods.repair.run_repair import repairs_of_run

        return repairs_of_run(case, earlier, self.annotations)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """Changes along a failing path that avoid the failure; no patch is tried."""
        from butfor.methods.repair.on_paths.path_repair import solutions_of_path

        return solutions_of_path(case, self.annotations)
