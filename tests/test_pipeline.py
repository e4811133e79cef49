"""The pipeline: Ctrl-C in the middle of an analysis, methods that take too much time or memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.explanation import Interrupted, Status
from butfor.methods.budget import MemoryIsUp
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.method import CauseTreeMethod
from butfor.methods.hazards.method import HazardsMethod
from butfor.methods.method import Earlier
from butfor.ranking.finding import Diagnosis
from tests.small import explained

FAILING = "int main(int argc, char **argv) {\n int x = argc;\n assert(x == 5);\n return 0; }\n"


def test_the_interruption_carries_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: CauseTreeMethod, case: FailingRun, earlier: Earlier) -> Diagnosis:
        raise KeyboardInterrupt

    monkeypatch.setattr(CauseTreeMethod, "explain_run", interrupted)
    with pytest.raises(Interrupted) as caught:
        explained(tmp_path, FAILING, methods=["slice", "cascade"])
    known = caught.value.explanation
    assert known.status is Status.PARTIAL
    assert known.failure is not None
    assert "int x = argc;" in [row.text for row in known.ranking]
    assert known.notes == ("interrupted in the method cascade: this is what was known by then",)


def test_a_method_that_does_not_look_at_the_clock_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(self: CauseTreeMethod, case: FailingRun, earlier: Earlier) -> Diagnosis:
        while True:
            pass

    monkeypatch.setattr(CauseTreeMethod, "explain_run", endless)
    known = explained(tmp_path, FAILING, methods=["slice", "cascade", "hazards"], budget=1.0)
    assert known.status is Status.PARTIAL
    assert "int x = argc;" in [row.text for row in known.ranking]
    assert "no time was left for: cascade, hazards" in known.notes
    assert set(known.methods) == {"slice"}


def test_a_method_that_takes_too_much_memory_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(self: CauseTreeMethod, case: FailingRun, earlier: Earlier) -> Diagnosis:
        raise MemoryIsUp

    monkeypatch.setattr(CauseTreeMethod, "explain_run", greedy)
    known = explained(tmp_path, FAILING, methods=["slice", "cascade", "hazards"])
    assert "the method cascade needed too much memory, so its answer is missing" in known.notes
    assert set(known.methods) == {"slice", "hazards"}


def test_a_method_sees_its_share_of_the_time_and_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def measured(self: CauseTreeMethod, case: FailingRun, earlier: Earlier) -> Diagnosis:
        seen.append(case.budget.left)
        return Diagnosis((), {"causes": []})

    monkeypatch.setattr(CauseTreeMethod, "explain_run", measured)
    explained(tmp_path, FAILING, methods=["slice", "cascade", "hazards"], budget=1000.0)
    explained(tmp_path, FAILING, methods=["slice", "cascade"], budget=1000.0)
    others = CauseTreeMethod.share / (CauseTreeMethod.share + HazardsMethod.share)
    assert others * 800 < seen[0] < others * 900
    assert 800 < seen[1] < 900
