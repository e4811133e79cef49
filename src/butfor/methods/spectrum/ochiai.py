"""The spectrum of the tests: statements that mostly failing tests run, scored by Ochiai."""

from __future__ import annotations

import math

import numpy as np

from butfor.methods.case import FailingRun
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place


def spectrum_of_tests(case: FailingRun) -> Diagnosis:
    """The statements of the failing run, those first that passing tests avoid."""
    passing = [run.covered for run in case.others if not run.failed]
    failing = [run.covered for run in case.others if run.failed]
    if not passing:
        return Diagnosis((), {"skipped": "it needs tests that pass"})
    here = case.recording.log.counts > 0
    failing.append(here)
    counts: dict[Place, tuple[int, int]] = {}
    for number in np.flatnonzero(here).tolist():
        failed = sum(bool(c[number]) for c in failing)
        passed = sum(bool(c[number]) for c in passing)
        for place in case.statements_of_segment(number):
            old = counts.get(place, (0, 0))
            counts[place] = (max(old[0], failed), max(old[1], passed))
    findings = [
        Finding(place, round(ochiai(f, p, len(failing)), 4), _words(f, p, len(failing), len(passing)))
        for place, (f, p) in counts.items()
    ]
    findings.sort(key=lambda f: -f.score)
    return Diagnosis(tuple(findings), {"failing": len(failing), "passing": len(passing)})


def ochiai(failed: int, passed: int, failing: int) -> float:
    """The suspiciousness of a statement that `failed` of `failing` failing tests and `passed` passing tests ran."""
    return failed / math.sqrt(failing * (failed + passed)) if failed else 0.0


def _words(failed: int, passed: int, failing: int, passing: int) -> str:
    return f"{failed} of {failing} failing and {passed} of {passing} passing tests run it"
