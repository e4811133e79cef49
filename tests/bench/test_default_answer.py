"""The table of what the default answer costs shares its time out among the methods."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.default_answer import Stages, cpu_seconds

from butfor.api import explain
from butfor.options import Options
from tests.small import written

PROGRAM = "int main(int argc, char **argv) { int a = argc + 2; assert(a == 1); return 0; }"


def test_all_time_belongs_to_a_method_or_to_what_was_before(tmp_path: Path) -> None:
    options = Options(sources=(written(tmp_path, PROGRAM),), methods=("slice", "cascade"))
    start, stages = cpu_seconds(), Stages()
    answer = explain(options, stages.progress, stages.known)
    stages.enter("")
    taken = cpu_seconds() - start
    assert list(stages.seconds) == ["before", "slice", "cascade"]
    assert sum(stages.seconds.values()) == pytest.approx(taken, abs=0.05)
    assert answer.ranking
    assert stages.first_rows > 0
