"""Random and nasty programs: the recorded run must equal the plain one, and the replay must agree with it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.families import some_of
from tests.property.cgen import UnitSpec, program
from tests.property.cgen_kinds import KINDS
from tests.property.compare import compare

NASTY = sorted((Path(__file__).parent / "nasty").glob("*.c"))
LONG = frozenset(("calls", "deep_stack", "timer", "vla_loop", "many_nodes"))  # millions of instructions

_UNITS = st.lists(
    st.builds(UnitSpec, st.sampled_from(sorted(KINDS)), st.integers(1, 8), st.integers(0, 2**32 - 1)),
    min_size=2,
    max_size=6,
)


def _judge(specs: list[UnitSpec]) -> None:
    text = program(specs)
    with tempfile.TemporaryDirectory(prefix="butfor-property-") as name:
        folder = Path(name)
        source = folder / "random.c"
        source.write_text(text)
        outcome = compare(source, folder, seed=specs[0].seed, forget=True)
    report = "\n".join((*outcome.wrong, "", text))
    assert not outcome.wrong, report
    assert outcome.check.loads > 20 * len(specs), report
    assert outcome.check.stores > 10 * len(specs), report
    assert min(outcome.values, outcome.accesses) > 30, report
    assert outcome.unknown * 10 < outcome.values, report


def _random_programs(shard: int, count: int) -> None:
    @seed(shard)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
    )
    @given(_UNITS)
    def run(specs: list[UnitSpec]) -> None:
        _judge(specs)

    run()


@pytest.mark.parametrize("shard", some_of(range(2), lambda shard, _: shard == 0, str))
def test_random_program_replays_as_it_ran(shard: int) -> None:
    _random_programs(shard, 5)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(100, 108))
def test_many_random_programs_replay_as_they_ran(shard: int) -> None:
    _random_programs(shard, 40)


@pytest.mark.parametrize(
    "source",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else []) for path in NASTY],
)
def test_nasty_program_replays_as_it_ran(source: Path, tmp_path: Path) -> None:
    outcome = compare(source, tmp_path)
    assert not outcome.wrong, "\n".join(outcome.wrong)
    assert outcome.values + outcome.accesses > 5


def test_every_kind_of_unit_is_made_and_compiles(tmp_path: Path) -> None:
    source = tmp_path / "all.c"
    source.write_text(program([UnitSpec(kind, 2, 7) for kind in KINDS]))
    outcome = compare(source, tmp_path)
    assert not outcome.wrong, "\n".join((*outcome.wrong, "", source.read_text()))
    assert min(outcome.check.loads, outcome.check.stores, outcome.check.branches) > 1000
    assert min(outcome.values, outcome.accesses, outcome.branches) > 50
    assert outcome.unknown == 0
