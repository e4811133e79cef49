"""On generated paths, solutions are those that trying everything finds, and the cheapest comes first."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from butfor.logic.terms import Term, extract, store
from butfor.methods.repair.on_paths.solution_model import (
    ANY_VALUE,
    CONDITION,
    Alternative,
    PathSite,
    Solution,
    SolutionOptions,
)
from butfor.methods.repair.on_paths.solution_search import cost_of, solutions
from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place
from tests.methods.relevance.test_enumeration import CELLS, path_of, term
from tests.methods.relevance.tiny_programs import Node, Program, program
from tests.methods.repair.on_paths.tiny_repairs import ANY, Option, avoids, grouped, options_of, outcomes

QUICK, ALL = 2, 14
FEW, MANY = 15, 60
PLAIN = SolutionOptions(use_def=False, earlier=False, alike=0, most=1000)

Picked = frozenset[tuple[int, int]]
"""A solution: which option of which group."""


def place_of(group: int) -> Place:
    """The statement of a group of steps."""
    return Place("tiny", group + 1, 1, "main", f"group {group}", "expression", "tiny")


def path_with(p: Program, groups: list[list[int]]) -> Path:
    """The path whose groups are statements."""
    path = path_of(p)
    instances = list(path.instances)
    for g, steps in enumerate(groups):
        for k in steps:
            instances[k] = replace(instances[k], place=place_of(g))
    return replace(path, instances=tuple(instances))


def site_term(p: Program, k: int, node: Node) -> tuple[PathSite, Term]:
    """What an option puts at a step."""
    step = p.steps[k]
    if step.what == "branch":
        return (0, k, CONDITION), term(node)
    if step.index is not None:
        return (0, k, 0), store(CELLS["m"].term, extract(term(step.index), 0, 1), term(node))
    return (0, k, 0), term(node)


def alternative(p: Program, g: int, n: int, steps: list[int], o: Option) -> Alternative:
    """An option as the search takes it."""
    return Alternative(f"{g}.{n}", "", float(o.weight), "test", dict(site_term(p, k, o.node) for k in steps))


def by_trying(p: Program, groups: list[list[int]], options: list[list[Option]], most: int) -> dict[Picked, int]:
    """All minimal solutions with their costs: no statement too many, and no free value where an expression does."""
    found: dict[Picked, int] = {}
    enough: list[frozenset[int]] = []
    for size in range(1, most + 1):
        good: dict[Picked, tuple[frozenset[int], bool, int]] = {}
        for chosen in itertools.combinations(range(len(groups)), size):
            if any(e < set(chosen) for e in enough):
                continue
            for picks in itertools.product(*(range(len(options[g])) for g in chosen)):
                made = [options[g][n] for g, n in zip(chosen, picks, strict=True)]
                if avoids(p, [groups[g] for g in chosen], made):
                    is_vague = any(o.node == ANY for o in made)
                    cost = sum(
                        cost_of(Alternative("", "", float(o.weight), ANY_VALUE if o.node == ANY else "test", {}))
                        for o in made
                    )
                    good[frozenset(zip(chosen, picks, strict=True))] = (frozenset(chosen), is_vague, cost)
        enough += {groups_ for groups_, _, _ in good.values()}
        found |= {k: cost for k, (_, _, cost) in good.items()}
    return found


def picked(s: Solution, options: list[list[Option]]) -> Picked:
    """A solution of the search as one of these."""
    found = set()
    for c in s.changes:
        g = c.place.line - 1
        found.add(
            (g, len(options[g]) - 1 if c.alternative.kind == ANY_VALUE else int(c.alternative.text.partition(".")[2]))
        )
    return frozenset(found)


def statements(p: Picked) -> frozenset[int]:
    """The statements that it changes."""
    return frozenset(g for g, _ in p)


@pytest.mark.parametrize("seed", [*range(QUICK), *(pytest.param(k, marks=pytest.mark.slow) for k in range(QUICK, ALL))])
def test_solutions_are_those_of_trying_everything(seed: int) -> None:
    pick = random.Random(seed)
    made = compared = 0
    while made < (FEW if seed < QUICK else MANY):
        p = program(pick)
        if p is None:
            continue
        made += 1
        assert outcomes(p, {}) == {"fails"}
        groups = grouped(pick, p)
        options = [options_of(pick, p, g) for g in groups]
        path = path_with(p, groups)
        known = {
            place_of(g): [alternative(p, g, n, steps, o) for n, o in enumerate(options[g]) if o.node != ANY]
            for g, steps in enumerate(groups)
        }
        wanted = by_trying(p, groups, options, 2)
        for runs in (True, False):
            found = solutions([path], known, lambda: False, replace(PLAIN, runs=runs))
            told = [picked(s, options) for s in found.found]
            assert len(set(told)) == len(told)
            assert set(told) <= set(wanted), (p, groups, options)
            if not found.complete:
                continue
            compared += 1
            assert {statements(s) for s in told} == {statements(s) for s in wanted}
            definite = {s for s in wanted if all(options[g][n].node != ANY for g, n in s)}
            assert definite == {s for s in told if all(options[g][n].node != ANY for g, n in s)}
    assert compared > made


@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_solution_is_found_first(seed: int) -> None:
    pick = random.Random(1000 + seed)
    compared = 0
    while compared < 8:
        p = program(pick)
        if p is None:
            continue
        groups = grouped(pick, p)
        options = [options_of(pick, p, g) for g in groups]
        wanted = by_trying(p, groups, options, 2)
        if not wanted:
            continue
        known = {
            place_of(g): [alternative(p, g, n, steps, o) for n, o in enumerate(options[g]) if o.node != ANY]
            for g, steps in enumerate(groups)
        }
        (first,) = solutions([path_with(p, groups)], known, lambda: False, replace(PLAIN, runs=False, most=1)).found
        compared += 1
        assert wanted[picked(first, options)] == min(wanted.values())


def test_chosen_values_avoid_the_failure_when_they_are_put_in() -> None:
    pick = random.Random(77)
    seen = 0
    while seen < 25:
        p = program(pick)
        if p is None:
            continue
        groups = grouped(pick, p)
        path = path_with(p, groups)
        for s in solutions([path], {}, lambda: False, replace(PLAIN, alternatives=False, templates=False)).found:
            if any(p.steps[k].what == "put" for c in s.changes for _, k, _ in c.alternative.terms):
                continue  # the value is an element of a map, which the report does not tell
            change = {site[1]: int(v) for c in s.changes for site, v in c.values.items()}
            for k in change:
                if p.steps[k].what == "branch":
                    change[k] = int(change[k])
            assert outcomes(p, change) == {"avoids"}, (p, change)
            seen += 1
