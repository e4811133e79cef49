"""When a changed run counts as right, or at least as past the failure."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.counterfactual.fork_server import RunOutcome


@dataclass(frozen=True, slots=True)
class Goal:
    """When a changed run counts as right."""

    output: bytes  # all that is expected, or what the failing run had written
    is_whole: bool  # the output must be exactly this, not only begin with it
    exit_status: int | None  # None: any
    probe: int = 0  # a site that must be reached as often as in the failing run, 0 for none
    or_status: int | None = None  # another exit status that is right too
    is_memory: bool = False  # the failure is a memory error: then none is allowed
    failing_checks: frozenset[int] = frozenset()  # of the failing instruction; their errors are never allowed
    is_endless: bool = False  # the failure is that the run does not end
    is_open: bool = False  # nobody said how the run should end, only that it should not fail as it does

    def is_met(self, outcome: RunOutcome) -> bool:
        """Whether the run did not fail. Its output may differ if none is expected: it may have been wrong before."""
        status = outcome.exit_status
        if status is None or (self.exit_status is not None and status not in (self.exit_status, self.or_status)):
            return False
        return not self.is_whole or (self.keeps(outcome) and outcome.output == len(self.output))

    def is_past(self, outcome: RunOutcome, baseline: RunOutcome) -> bool:
        """Whether the run got past a crash and ended with a status of its own.

        A program that crashes on bad input should often refuse that input. Of a run that was cut nothing is known: it
        may fail later.
        """
        return self.is_open and baseline.exit_status is None and outcome.exit_status is not None

    def keeps(self, outcome: RunOutcome) -> bool:
        """Whether the output begins as it should, or as it did up to the failure."""
        return outcome.matched == len(self.output)
