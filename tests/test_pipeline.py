"""The pipeline: Ctrl-C in the middle of an analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.explanation import Interrupted, Status
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.method import CauseTreeMethod
from butfor.methods.method import Earlier
from butfor.ranking.finding import Diagnosis
from tests.small import explained


def test_the_interruption_carries_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: CauseTreeMethod, case: FailingRun, earlier: Earlier) -> Diagnosis:
        raise KeyboardInterrupt

    monkeypatch.setattr(CauseTreeMethod, "explain_run", interrupted)
    with pytest.raises(Interrupted) as caught:
        explained(
            tmp_path,
            "int main(int argc, char **argv) {\n int x = argc;\n assert(x == 5);\n return 0; }\n",
            methods=["slice", "cascade"],
        )
    known = caught.value.explanation
    assert known.status is Status.PARTIAL
    assert known.failure is not None
    assert "int x = argc;" in [row.text for row in known.ranking]
    assert known.notes == ("interrupted in the method cascade: this is what was known by then",)
