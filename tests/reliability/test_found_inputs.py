"""Inputs that a fuzzer once found to break a reader, and recordings that did: read or refused, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.fuzz_parsers import FOUND, verdict
from tests.reliability.fuzz_recordings import outcome
from tests.reliability.fuzz_targets import TARGETS, Target
from tests.reliability.mutate_recording import BODIES, KNOBS, members_of, mutated
from tests.small import saved

INPUTS = sorted(FOUND.glob("*"))
SEEDS = range(1, 9)


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: p.name)
def test_inputs_that_once_broke_a_reader(path: Path) -> None:
    name = path.name.rpartition("-")[0]
    (target,) = [t for t in TARGETS if t.name == name]
    assert verdict(target, path.read_bytes()) in ("accepted", "refused")


@pytest.mark.parametrize("target", [t for t in TARGETS if t.name != "recording"], ids=lambda t: t.name)
def test_what_the_fuzzers_begin_from_is_accepted(target: Target) -> None:
    assert {verdict(target, seed) for seed in target.seeds()} == {"accepted"}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("good")
    return members_of(saved(folder, BODIES["list"], **KNOBS["list"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_recordings_changed_at_random(seed: int, good: dict[str, bytes], tmp_path: Path) -> None:
    what, data = mutated(good, seed)
    path = tmp_path / "bad.bfr"
    path.write_bytes(data)
    found = outcome(path)
    assert not found.is_fault, (what, found)
