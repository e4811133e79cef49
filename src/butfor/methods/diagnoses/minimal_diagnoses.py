"""Minimal diagnoses over all failing tests, as a method."""

from __future__ import annotations

from butfor.errors import ButforError
from butfor.failures.failure_point import Unsupported
from butfor.methods.case import Budget, FailingPath, FailingRun
from butfor.methods.diagnoses.diagnosis_findings import Runs, diagnosis
from butfor.methods.diagnoses.structural_changes import structural_changes, value_changes
from butfor.methods.other_failing_tests import other_cases
from butfor.path.execute.statement_changes import plain_changes
from butfor.ranking.finding import Diagnosis
from butfor.trace.view.source_places import Place

_LIFTING = 0.4  # the share of the time that other runs may take before they are compared


def diagnoses_of_runs(case: FailingRun) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure of this run and of the other failing tests."""
    share = Budget(_LIFTING * case.budget.seconds)
    found = Runs()
    try:
        _add(found, "", case)
    except ButforError as e:
        return Diagnosis((), {"sets": []}, complete=False, notes=(f"there are no diagnoses: {e.message}",))
    others = [run for run in case.others if run.failed]
    for name, other in other_cases(case):
        try:
            _add(found, name, other)
        except (ButforError, Unsupported):
            continue
        if share.is_over():
            break
    return diagnosis(found, case.budget, failing=1 + len(others))


def _add(found: Runs, name: str, case: FailingRun) -> None:
    path = case.any_path
    found.paths[name] = path
    found.possible.append({p: c for p, c in value_changes(case, path).items() if _may_change(case, p)})
    found.wider.append({p: c for p, c in structural_changes(case, path).items() if _may_change(case, p)})


def _may_change(case: FailingRun, place: Place) -> bool:
    return (
        not case.is_check(place)
        and place.function not in case.options.trust
        and case.marks.of(place.file, place.line) != "benign"
    )


def diagnoses_of_path(case: FailingPath) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure, with inputs as found."""
    return diagnosis(Runs({"": case.path}, [plain_changes(case.path)]), case.budget)
