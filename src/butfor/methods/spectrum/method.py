"""The spectrum of the tests as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingRun


@dataclass(frozen=True)
class SpectrumMethod(Method):
    """Which statements the failing tests ran and the passing ones did not."""

    name = "spectrum"
    on_runs = When.WITH_TESTS
    share = 1.0
    weighing = Weighing(3.0)

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The suspiciousness of each statement by Ochiai."""
        from butfor.methods.spectrum.ochiai import spectrum_of_tests

        return spectrum_of_tests(case)
