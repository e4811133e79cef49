"""What is called proved was said by a solver: where the faster code accepts something false, nothing is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.logic.propagated_core import PropagatedCore
from butfor.methods.error_invariants import (
    core_trace,
    inductive_sequence,
    interpolation_engines,
    recorded_invariants,
)
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.other_runs import OtherRuns
from butfor.options import make_options

PROGRAM = """procedure main() {
    var x, y, z, lock: int;
    lock := 1;
    x := 0;
    y := -1;
    z := 0;
    if (y != 0) {
        z := y;
    }
    if (x != 0) {
        lock := 0;
    } else {
        if (z > 0) {
            lock := 0;
        }
    }
    assert lock == 0;
}
"""
Patch = pytest.MonkeyPatch


def _follows(patch: Patch) -> None:
    patch.setattr(CoreTrace, "surely_follows", lambda *_: True)
    patch.setattr(CoreTrace, "held", lambda *_: True)


def _fails(patch: Patch) -> None:
    patch.setattr(CoreTrace, "surely_fails", lambda *_: True)
    patch.setattr(OtherRuns, "avoids", lambda *_: False)


def _implies(patch: Patch) -> None:
    patch.setattr(inductive_sequence, "surely_implies", lambda *_: True)


def _too_small_core(patch: Patch) -> None:
    def one_left_out(problem: Any, *_: Any) -> PropagatedCore[Any]:
        return PropagatedCore(problem.names[1:], minimal=True)

    patch.setattr(core_trace, "MAX_STEPS_FOR_SOLVER", 0)
    patch.setattr(core_trace, "propagated_core", one_left_out)


def _wrong_values(patch: Patch) -> None:
    original = recorded_invariants._states
    patch.setattr(interpolation_engines, "is_inductive", lambda *_: False)
    patch.setattr(recorded_invariants, "_states", lambda core: [{**s, "x": 1} for s in original(core) or ()])


def _told(folder: Path) -> tuple[dict[str, Any], set[str]]:
    """What the method says, and how its statements are known."""
    program = folder / "prog.bpl"
    program.write_text(PROGRAM)
    found = api.explain(make_options(program, methods=("error-invariants",)))
    method: dict[str, Any] = found.to_dict()["methods"]["error-invariants"]
    return method, {row.evidence.value for row in found.ranking}


@pytest.mark.parametrize("sabotage", [_follows, _fails, _implies, _too_small_core, _wrong_values])
def test_what_the_faster_code_wrongly_accepts_is_not_called_proved(
    tmp_path: Path, sabotage: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    right, evidence = _told(tmp_path)
    assert right["proved"]
    assert evidence == {"proved"}
    sabotage(monkeypatch)
    wrong, evidence = _told(tmp_path)
    assert wrong["abstract_trace"] != right["abstract_trace"]
    assert not wrong["proved"]
    assert "heuristic" in evidence
