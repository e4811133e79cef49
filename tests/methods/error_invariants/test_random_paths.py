"""Random paths: every invariant meets the definition on the whole formula, and the abstract trace is flow-sensitive."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, assume, given, settings

from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.logic.substitute import Substitution
from butfor.logic.terms import TRUE, Term, conjunction, implies, negate
from butfor.methods.error_invariants.core_trace import CoreTrace, core_trace_of
from butfor.methods.error_invariants.explained_path import Localized, localized
from butfor.methods.error_invariants.inductive_sequence import InterpolationQueries, is_inductive
from butfor.methods.error_invariants.interpolation_engines import ENGINES, is_unbroken
from butfor.methods.error_invariants.recursive_algorithm import explain_recursively
from butfor.path.path_formula import TraceFormula, flow_sensitive_formula, plain_formula, scope_guard
from butfor.path.path_model import Kind, Path
from butfor.path.verify_path import verify
from tests.methods.error_invariants.random_paths import failing_paths

RANDOM = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LIMIT = 20.0  # seconds; only a machine under load needs more than one


def impossible(terms: Sequence[Term]) -> bool:
    """Whether terms cannot hold together, by a solver of its own."""
    verdict = default_solver().check(Problem((("all", tuple(terms)),), TRUE), Limit.after(LIMIT)).verdict
    assert verdict is not Verdict.UNKNOWN
    return verdict is Verdict.UNSAT


def check_definition(path: Path, formula: TraceFormula, at: int, invariant: Term, flags: Sequence[Term]) -> None:
    """Fail unless the invariant follows from the first `at` steps of a formula and contradicts the rest.

    `flags` define the flags at that position.
    """
    versions = formula.steps[at].before if at < len(formula.steps) else formula.end
    said = Substitution(versions)(invariant)
    before = [t for s in formula.steps[:at] for t in s.terms]
    after = [t for s in formula.steps[at:] for t in s.terms]
    assert impossible([formula.pre, *before, negate(said)])
    assert impossible([said, *flags, *after, formula.check])


@RANDOM
@given(failing_paths())
def test_every_invariant_is_one(path: Path) -> None:
    assert verify(path).wrong == () or not path.initial
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    path = found.chain.path
    formula = flow_sensitive_formula(path)
    numbers = {s.name: k for k, s in enumerate(formula.steps)}
    for interval in found.intervals:
        for position in {interval.first, interval.last}:
            steps = found.chain.steps
            at = numbers[steps[position].name] if position < len(steps) else len(formula.steps)
            check_definition(path, formula, at, conjunction(interval.atoms), found.chain.flag_definitions(position))


@RANDOM
@given(failing_paths())
def test_the_story_is_flow_sensitive(path: Path) -> None:
    """Definition 4: what was true before a statement gives the conditions around it."""
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    core = found.chain
    for interval in found.intervals:
        before = [core.at(interval.last, a) for a in interval.atoms]
        if interval.last < len(core):
            guard = core.actions[interval.last].guard
            assert impossible([*before, *core.flag_definitions(interval.last), negate(guard)])
        else:
            assert impossible(
                [
                    *before,
                    *core.flag_definitions(interval.last),
                    implies(scope_guard(core.path, core.path.scope), core.at(interval.last, core.path.check)),
                ]
            )


@RANDOM
@given(failing_paths())
def test_the_recursive_algorithm_is_flow_sensitive_too(path: Path) -> None:
    encoded = localized(path, Limit.after(LIMIT))
    assert isinstance(encoded, Localized)
    path = encoded.chain.path
    found = explain_recursively(path, default_solver(), Limit.after(LIMIT))
    assert found is not None
    formula = plain_formula(path)
    for position, atoms in enumerate(found.invariants):
        versions = formula.steps[position].before if position < len(formula.steps) else formula.end
        said = [Substitution(versions)(a) for a in atoms]
        before = [t for s in formula.steps[:position] for t in s.terms]
        assert impossible([formula.pre, *before, negate(conjunction(said))])
    assert impossible([*found.invariants[-1], path.check])
    for position in (*found.positions, *found.conditions):
        for branch in path.instances[position].scope:
            assert impossible([*found.invariants[branch], negate(path.instances[branch].condition)])
    if not len(encoded.chain):
        assert not found.positions


@RANDOM
@given(failing_paths())
def test_a_minimal_answer_needs_every_statement(path: Path) -> None:
    core = core_trace_of(path, True, default_solver(), Limit.after(LIMIT))
    assume(isinstance(core, CoreTrace))
    assert isinstance(core, CoreTrace)
    assert core.minimal
    groups = [s.terms for s in core.steps]
    assert impossible([core.pre, *(t for g in groups for t in g), core.check])
    for k in range(len(groups)):
        assert not impossible([core.pre, *(t for j, g in enumerate(groups) if j != k for t in g), core.check])


@pytest.mark.parametrize("engine", ENGINES)
@RANDOM
@given(path=failing_paths())
def test_each_engine_gives_inductive_sequences(engine: str, path: Path) -> None:
    core = core_trace_of(path, True, default_solver(), Limit.after(LIMIT))
    assume(isinstance(core, CoreTrace))
    assert isinstance(core, CoreTrace)
    queries = InterpolationQueries(Limit.after(LIMIT))
    made = ENGINES[engine](core, queries, repr)
    assume(made is not None or (engine == "literals" and not queries.is_over))
    assert made is not None
    inductive = is_inductive(core, made.atoms, queries)
    assume(inductive or not queries.is_over)
    assert inductive or not is_unbroken(core, made)  # a literal says nothing about what another statement overwrote


@RANDOM
@given(failing_paths())
def test_frames_are_told_only_of_branches(path: Path) -> None:
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    for e in found.entries:
        if e.frame:
            assert found.chain.path.instances[e.position].kind is Kind.BRANCH
            assert e.kept
