"""Repair as a method."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, Subject, When
from butfor.ranking.finding import A_CHANGE_HELPS, Diagnosis

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun
    from butfor.methods.repair.on_paths.solution_model import RepairSettings


@dataclass(frozen=True)
class RepairMethod(Method):
    """Edits of the source that fix the failure, each compiled and run on all tests."""

    name = "repair"
    on_runs = When.LAST_RESORT
    needs = {Subject.RUN: ("slice", "cascade", "butfor", "spectrum")}  # noqa: RUF012 (a constant of the class)
    share = 6.0
    prominence = 3
    weighing = A_CHANGE_HELPS

    annotations: Path | None = None  # a file that adds to the library of slips that edits are made from
    library: bool = True  # changes are likely slips and synthesised expressions; else any values
    correlation: bool = True  # the instances of a statement change together; a definition excludes its only use
    mined_facts: bool = True  # what is proved for all executions bounds the values of changed statements
    trusted_statements: bool = True  # ... and keeps the statements that the proofs need as they are
    traces: int = 4  # failing tests, or paths to the failed check, that a change has to help at once
    changes: int = 2  # statements that change together, 0 for any number

    @property
    def repair_settings(self) -> RepairSettings:
        """The options for the search."""
        from butfor.methods.repair.on_paths.solution_model import RepairSettings, SolutionOptions

        search = SolutionOptions(
            alternatives=self.library,
            templates=self.library,
            correlated=self.correlation,
            use_def=self.correlation,
            changes=self.changes,
            allowed=self.mined_facts,
            trusted=self.trusted_statements,
        )
        return RepairSettings(self.annotations, self.traces, search)

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """Validated edits of the statements that the other methods suspect."""
        from butfor.methods.repair.run_repair import repairs_of_run

        return repairs_of_run(case, earlier, self.repair_settings)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """Changes along a failing path that avoid the failure, each judged by the program."""
        from butfor.methods.repair.on_paths.path_repair import solutions_of_path

        return solutions_of_path(case, self.repair_settings)
