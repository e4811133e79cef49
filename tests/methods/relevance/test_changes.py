"""Smallest changes against their definition, over one path and over several that share statements."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Verdict, default_stack
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, TRUE, negate
from butfor.path.execute.relaxed_path import Selectors, with_selectors
from butfor.path.execute.single_change import Avoidance, can_avoid
from butfor.path.execute.single_change_rerun import SingleChangeRerun
from butfor.path.execute.smallest_change_sets import smallest_change_sets
from butfor.path.execute.statement_changes import ChangeKind, plain_changes
from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place
from tests.methods.relevance.enumerated_change_sets import Names, minimal, surely
from tests.methods.relevance.test_enumeration import path_of
from tests.methods.relevance.tiny_programs import Program, program

QUICK, ALL = 3, 40  # lists of paths: in every run, and in the slow one
FEW, MANY = 8, 40
SEEDS = [*range(QUICK), *(pytest.param(k, marks=pytest.mark.slow) for k in range(QUICK, ALL))]


def made(pick: random.Random) -> tuple[Program, Names, Path]:
    """A failing program, the statement of each of its instances, some of them the same, and its path."""
    p = program(pick)
    while p is None or len(p.steps) > 7:
        p = program(pick)
    names = [pick.randrange(max(len(p.steps) - 1, 1)) for _ in p.steps]
    path = path_of(p)
    instances = tuple(replace(i, place=statement(n)) for i, n in zip(path.instances, names, strict=True))
    return p, names, replace(path, instances=instances)


def statement(number: int) -> Place:
    """A statement by its number."""
    return Place("tiny", number, 1, "main", f"statement {number}", "expression", "tiny")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("paths", [1, 2, 3])
def test_sets_are_those_of_the_definition(seed: int, paths: int) -> None:
    pick = random.Random(1000 * paths + seed)
    sizes = set()
    for _ in range(FEW if seed < QUICK else MANY):
        rows = [made(pick) for _ in range(paths)]
        found = smallest_change_sets([path for _, _, path in rows], lambda: False, most=1000, largest=3, each=60.0)
        told = {frozenset(p.line for p in s.places) for s in found.sets}
        wanted = minimal([(p, names) for p, names, _ in rows], 3)
        least = min((len(s) for s in wanted), default=0)
        assert told == {s for s in wanted if len(s) <= least + 1}, rows
        assert found.complete
        assert found.unavoidable <= (not wanted)
        for s in found.sets:
            chosen = frozenset(p.line for p in s.places)
            sizes.add(len(chosen))
            assert not s.proved or all(surely(p, names, chosen) for p, names, _ in rows), (chosen, rows)
    assert sizes


@pytest.mark.parametrize("seed", SEEDS)
def test_one_statement_changed_is_the_same_as_its_selector_alone(seed: int) -> None:
    pick = random.Random(seed)
    verdicts = set()
    for _ in range(FEW if seed < QUICK else MANY):
        _, _, path = made(pick)
        changes = plain_changes(path)
        selectors = Selectors()
        fails = with_selectors(path, 0, changes.values(), selectors).fails
        for place, change in changes.items():
            on = {str(v.data): FALSE for v in selectors.by_place.values()} | {str(selectors.by_place[place].data): TRUE}
            can = (
                default_stack().check([(negate(Substitution(on, ALGEBRA)(fails)),)], Limit.after(60.0)).verdict
                is Verdict.SAT
            )
            verdict = can_avoid(SingleChangeRerun(path), change, Limit.after(60.0), Limit.after(60.0))
            verdicts.add(verdict.avoidance)
            assert verdict.avoidance.can == can, (place, path)
    assert {Avoidance.NO, Avoidance.PROVED} <= verdicts


def test_nothing_is_needed_anew_without_a_change() -> None:
    pick = random.Random(7)
    for _ in range(FEW):
        _, _, path = made(pick)
        for change in plain_changes(path).values():
            assert list(SingleChangeRerun(path).needed(replace(change, on=frozenset()))) == []


def test_a_macro_is_all_statements_that_use_it() -> None:
    pick = random.Random(3)
    for _ in range(FEW):
        p, names, path = made(pick)
        macro = statement(99)
        changes = plain_changes(path, lambda place: (macro,) if place.line < 2 else ())  # noqa: B023  # called at once
        assert changes.get(macro) is None or changes[macro].how is ChangeKind.DEFINITION
        if macro in changes:
            found = smallest_change_sets([path], lambda: False, possible=[changes], largest=1)
            joined = [99 if n < 2 else n for n in names]
            alone = {s.places[0].line for s in found.sets}
            assert (99 in alone) == (frozenset({99}) in minimal([(p, joined)], 1))
