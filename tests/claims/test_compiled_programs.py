"""Compiled small programs do what the tree walk does, with and without changes."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from tests.claims.changed_runs import deciding, storing
from tests.claims.check_causes import recorded_path
from tests.claims.compile_program import compiled
from tests.claims.compiled_machine import CompiledMachine
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.generate_program import KINDS, generate
from tests.claims.machine import Machine
from tests.claims.run_model import UNMODELLED, Changes, Object, Outcome, Run, StoreChange, Stored, Value
from tests.claims.run_program import all_inputs
from tests.claims.small_program import Decision, Node, Program
from tests.claims.walk_program import walk

CHANGED_RUNS = 5  # of each program and input
VALUES = (0, 1, -1, 2, 5, 100, 300, -(2**31), 2**31 - 1)


def _numbers_only(change: StoreChange) -> StoreChange:
    def changed(machine: Evaluator, base: Object, index: int, value: Value) -> object:
        return change(machine, base, index, value) if isinstance(value, int) else value

    return changed


def _some_changes(program: Program, seed: str) -> Changes:
    """Other values and other outcomes at a few instances; the same for the same seed."""
    rng = random.Random(seed)
    nodes = list(walk(program))
    settings = {n: {rng.randrange(3): rng.choice(VALUES)} for n in nodes if rng.random() < 0.1}
    stores: Mapping[Node, StoreChange] = {n: _numbers_only(c) for n, c in storing(settings).items()}
    outcomes = {n: {rng.randrange(3): rng.random() < 0.5} for n in nodes if isinstance(n, Decision)}
    decisions = deciding({n: o for n, o in outcomes.items() if rng.random() < 0.2})
    return Changes(stores=stores, decisions=decisions, may_overflow=rng.random() < 0.5)


def _ending(run: Run) -> object:
    if run.why in UNMODELLED:
        return "not modelled"
    return run.outcome, run.failed, run.why, run.at, dict(run.reads)


def _events(run: Run) -> list[object]:
    found: list[object] = []
    for e in run.events:
        if isinstance(e, Stored):
            value = (e.value[0].shown(e.value[1]), e.value[0].function) if isinstance(e.value, tuple) else e.value
            found.append((e.node, e.object.shown(e.index), e.object.function, e.object.kind, value, e.rounds, e.call))
        else:
            found.append((e.node, e.held, e.rounds, e.call))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(300, 310))
def test_a_compiled_program_runs_as_its_tree_does(kind: str, seed: int) -> None:
    program = generate(seed, kind)
    bodies = compiled(program)
    assert bodies is not None
    for inputs in all_inputs(program)[:6]:
        for number in range(CHANGED_RUNS):
            changes = [_some_changes(program, f"{inputs} {number}") if number else Changes() for _ in range(2)]
            tree = Machine(program, inputs, changes[0]).run()
            fast = CompiledMachine(program, inputs, changes[1], bodies).run()
            assert _ending(tree) == _ending(fast)
            if tree.outcome is not Outcome.ENDLESS and tree.why not in UNMODELLED:
                assert _events(tree) == _events(fast)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(310, 314))
def test_the_path_is_recorded_as_the_tree_walk_takes_it(kind: str, seed: int) -> None:
    program = generate(seed, kind)
    for inputs in all_inputs(program)[:6]:
        tree = Machine(program, inputs).run()
        base, run = recorded_path(program, inputs)
        assert (run.outcome, run.failed, run.why, run.at) == (tree.outcome, tree.failed, tree.why, tree.at)
        assert [(n, o) for n, os in base.outcomes.items() for o in os] == [
            (n, held) for n in base.outcomes for node, held in tree.outcomes if node is n
        ]
        stored = [e for e in tree.events if isinstance(e, Stored)]
        assert len(base.objects) >= len({id(e.object) for e in stored})
