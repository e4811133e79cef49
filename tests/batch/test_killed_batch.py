"""A batch that is killed again and again gives the answer that it gives undisturbed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.batch.test_batch_command import ALONE, batch, files, fuzzed
from tests.commands import TIMEOUT_SECONDS

_KILLS = 20
_LONGEST_SECONDS = 6.0  # between the start and a kill: most come when something is under way
_SEED = 23


@pytest.mark.slow
def test_twenty_kills_at_random_moments_change_nothing(work: Path) -> None:
    fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE, "--explain-all")
    batch(work, *command, "-o", "whole")
    random, kills = Random(_SEED), 0
    while kills < _KILLS:
        running = subprocess.Popen(
            [sys.executable, "-m", "butfor", "batch", *command, "-o", "killed"], cwd=work, stdout=subprocess.DEVNULL
        )
        try:
            running.wait(random.uniform(0.3, _LONGEST_SECONDS))
        except subprocess.TimeoutExpired:
            running.kill()
            assert running.wait(TIMEOUT_SECONDS) == -signal.SIGKILL
            kills += 1
        else:  # it was over; the next one begins anew
            assert files(work, "killed") == files(work, "whole")
            shutil.rmtree(work / "killed")
    batch(work, *command, "-o", "killed")
    assert files(work, "killed") == files(work, "whole")
