"""Whether the run of a witness fails, and where: what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from butfor.explanation import Failure
from butfor.frontends.c.build import Build
from butfor.frontends.c.record_run import record
from butfor.options import RunOptions
from butfor.trace.recording import Recording
from butfor.witness.follow_witness import follow
from butfor.witness.read_witness import read_witness
from butfor.witness.witness_model import Witness

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class WitnessRun:
    """The run with the values of a witness."""

    witness: Witness
    values: tuple[int, ...]
    recording: Recording
    used: int

    def is_confirmed(self, failure: Failure | None) -> bool:
        """Whether the run fails, and at the line that the witness names if it names one."""
        return failure is not None and (not self.witness.target or failure.line == self.witness.target)

    def notes(self, failure: Failure | None) -> tuple[str, ...]:
        """What came of the witness, in words."""
        taken = ",".join(map(str, self.values[:_MOST_SHOWN])) + (" and so on" if len(self.values) > _MOST_SHOWN else "")
        used = (
            f"the witness gives the nondet values {taken}"
            if self.values
            else "the witness gives no nondet values other than 0"
        )
        left = len(self.witness.waypoints) - self.used
        notes = [
            used + (f"; {left} of its {len(self.witness.waypoints)} assumptions fit no call of the run" if left else "")
        ]
        if failure is None:
            notes.append("the witness is not confirmed: the run with these values does not fail")
        elif not self.is_confirmed(failure):
            notes.append(
                f"the run of the witness fails in line {failure.line}, the witness names line {self.witness.target}"
            )
        return tuple(notes)

    def to_dict(self, failure: Failure | None) -> dict[str, Any]:
        """Its part of the JSON report."""
        w = self.witness
        return {
            "values": list(self.values),
            "assumptions": len(w.waypoints),
            "used": self.used,
            "fails": failure is not None,
            "target": w.target,
            "not_understood": list(w.unread),
        }


def follow_witness(options: RunOptions, program: Build, say: Callable[[str], None]) -> WitnessRun:
    """The run that the witness of the options stands for."""
    assert options.witness is not None
    witness = read_witness(options.witness)
    say("following the witness")
    plain = replace(options, witness=None)
    followed = follow(witness, lambda values: record(replace(plain, nondet=values), program, lambda text: None))
    return WitnessRun(witness, followed.values, followed.recording, followed.used)
