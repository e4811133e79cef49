"""Random paths: every invariant is one by the definition, asked of a solver on the whole formula; what is told is flow-sensitive."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, assume, given, settings

from butfor.logic.rewrite import Substitution
from butfor.logic.selector_problem import Problem
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.terms import TRUE, Term, conjunction, implies, negate
from butfor.methods.error_invariants.contradiction_chain import Chain, chain_of, end_of
from butfor.methods.error_invariants.explained_path import Localized, localized
from butfor.methods.error_invariants.inductiveness import is_inductive
from butfor.methods.error_invariants.interpolation_engines import ENGINES
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.naive_algorithm import naive
from butfor.methods.error_invariants.step_actions import guard_of
from butfor.path.path_formula import Formula, flow_sensitive, plain
from butfor.path.path_model import Kind, Path
from butfor.path.verify_path import verify
from tests.methods.error_invariants.random_paths import failing_paths

RANDOM = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LIMIT = 20.0


def impossible(terms: Sequence[Term]) -> bool:
    """Whether terms cannot hold together, by a solver of its own."""
    verdict = default_solver().check(Problem((("all", tuple(terms)),), TRUE), Limit.after(LIMIT)).verdict
    assert verdict is not Verdict.UNKNOWN
    return verdict is Verdict.UNSAT


def check_definition(path: Path, formula: Formula, at: int, invariant: Term, flags: Sequence[Term]) -> None:
    """Fails unless the invariant follows from the first `at` steps of a formula and contradicts the rest; `flags` say what flags mean there."""
    versions = formula.steps[at].before if at < len(formula.steps) else end_of(path, formula)
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
    formula = flow_sensitive(path)
    numbers = {s.name: k for k, s in enumerate(formula.steps)}
    for interval in found.intervals:
        for position in {interval.first, interval.last}:
            steps = found.chain.steps
            at = numbers[steps[position].name] if position < len(steps) else len(formula.steps)
            check_definition(path, formula, at, conjunction(interval.atoms), found.chain.links(position))


@RANDOM
@given(failing_paths())
def test_the_story_is_flow_sensitive(path: Path) -> None:
    """Definition 4: what was true before a statement gives the conditions around it."""
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    chain = found.chain
    for interval in found.intervals:
        before = [chain.put(a, interval.last) for a in interval.atoms]
        if interval.last < len(chain):
            guard = chain.actions[interval.last].guard
            assert impossible([*before, *chain.links(interval.last), negate(guard)])
        else:
            assert impossible(
                [
                    *before,
                    *chain.links(interval.last),
                    implies(guard_of(chain.path, chain.path.scope), chain.put(chain.path.check, interval.last)),
                ]
            )


@RANDOM
@given(failing_paths())
def test_the_naive_algorithm_is_flow_sensitive_too(path: Path) -> None:
    encoded = localized(path, Limit.after(LIMIT))
    assert isinstance(encoded, Localized)
    path = encoded.chain.path
    found = naive(path, default_solver(), Limit.after(LIMIT))
    assert found is not None
    formula = plain(path)
    for position, atoms in enumerate(found.invariants):
        versions = formula.steps[position].before if position < len(formula.steps) else end_of(path, formula)
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
    chain = chain_of(path, True, default_solver(), Limit.after(LIMIT))
    assume(isinstance(chain, Chain))
    assert isinstance(chain, Chain)
    assert chain.minimal
    groups = [s.terms for s in chain.steps]
    assert impossible([chain.pre, *(t for g in groups for t in g), chain.check])
    for k in range(len(groups)):
        assert not impossible([chain.pre, *(t for j, g in enumerate(groups) if j != k for t in g), chain.check])


@pytest.mark.parametrize("engine", ENGINES)
@RANDOM
@given(path=failing_paths())
def test_each_engine_gives_inductive_sequences(engine: str, path: Path) -> None:
    chain = chain_of(path, True, default_solver(), Limit.after(LIMIT))
    assume(isinstance(chain, Chain))
    assert isinstance(chain, Chain)
    questions = Questions(Limit.after(LIMIT))
    made = ENGINES[engine](chain, questions, repr)
    assume(made is not None or engine == "literals")
    assert made is not None
    assert is_inductive(chain, made.atoms, questions)


@RANDOM
@given(failing_paths())
def test_frames_are_told_only_of_branches(path: Path) -> None:
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    for e in found.entries:
        if e.frame:
            assert found.chain.path.instances[e.position].kind is Kind.BRANCH
            assert e.kept
