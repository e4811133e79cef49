"""Minimal diagnoses over all failing tests, as a method."""

from __future__ import annotations

from butfor.errors import ButforError
from butfor.localize.base import Case, Diagnosis, PathCase
from butfor.localize.changing import NAME, diagnosis
from butfor.localize.failing import other_paths


def localize(case: Case) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure of this run and of the other failing tests."""
    try:
        paths = {"": case.path, **dict(other_paths(case, free=False))}
    except ButforError as e:
        return Diagnosis(NAME, (), {"sets": []}, complete=False, notes=(f"there are no diagnoses: {e.message}",))
    return diagnosis(paths, case.budget)


def localize_path(case: PathCase) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure, with inputs as found."""
    return diagnosis({"": case.path}, case.budget)
