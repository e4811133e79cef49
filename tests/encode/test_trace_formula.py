"""The trace formula of real runs: the run is a model of it, and every cause of the cause tree is proved by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.encode.statement_groups import Links, statement_groups
from butfor.encode.trace_formula import encode, recheck
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.methods.case import FailingRun
from butfor.trace.trace import Node, Trace
from tests.encode.programs import ARGS, FURTHER, METHODS
from tests.encode.recorded_model import environment
from tests.encode.small_causes import failing, questions_of

PROGRAMS = {**METHODS, **FURTHER}


def holds_in_the_run(trace: Trace, problem: Problem[Node]) -> None:
    """The recorded values satisfy every equation, and the goal is what did not happen."""
    value = Evaluator(environment(trace, problem))
    wrong = [(name, t) for name, equations in problem.groups for t in equations if not value(t)]
    assert not wrong
    assert not value(problem.goal)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_run_is_a_model_and_every_cause_is_proved(name: str, tmp_path: Path) -> None:
    case = failing(tmp_path, PROGRAMS[name], args=ARGS.get(name, []))
    questions = questions_of(case)
    assert questions
    for q in questions:
        problem = encode(case.trace, q.nodes, q.roots, case.dependence)
        holds_in_the_run(case.trace, problem)
        assert problem.gaps == ()
        assert {n for n in q.nodes if not is_alloca(case.trace, n)} <= members(case, q.nodes, q.roots)
        assert q.is_complete
        assert recheck(case.trace, q.nodes, q.roots, 30, dependence=case.dependence) is Verdict.UNSAT


def is_alloca(trace: Trace, node: Node) -> bool:
    """Whether an instance is just the place of a variable."""
    return node[1] >= 0 and trace.instr(node).op == "alloca"


def members(case: FailingRun, nodes: tuple[Node, ...], roots: tuple[Node, ...]) -> set[Node]:
    """All instances that are in some group."""
    return {n for group in statement_groups(Links(case.dependence, nodes), roots).values() for n in group}


# Statements that justification keeps and the failed check did not need: it would have failed whatever they gave.
NOT_NEEDED: dict[str, set[str]] = {
    **{
        name: set()
        for name in ("control", "omission", "pointers", "calls", "short circuit", "callbacks", "varargs", "libc")
    },
    "triangle": {"int s = area(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));"},  # 4 * b / 2 is 9 for no b
    "recursion": {"n < 2", "return n < 2 ? 1 : n * f(n - 1);"},  # a product with 6 is even
    "arrays": {"int i = 0", "i++"},  # two squares have no sum of 6
}


@pytest.mark.parametrize("name", NOT_NEEDED)
def test_a_cause_without_one_of_its_statements_is_no_proof(name: str, tmp_path: Path) -> None:
    case = failing(tmp_path, PROGRAMS[name], args=ARGS.get(name, []))
    solver = default_solver()
    q = questions_of(case)[0]
    problem = encode(case.trace, q.nodes, q.roots, case.dependence)
    idle = {n for n in problem.names if solver.check(problem.without(n), Limit.after(30)).verdict is not Verdict.SAT}
    assert {text(case, n) for n in idle} == NOT_NEEDED[name]


def text(case: FailingRun, node: Node) -> str:
    """The statement of an instance."""
    place = case.places.of(node)
    return "" if place is None else place.text


def test_a_recheck_without_time_is_unknown_and_without_instances_refuted(tmp_path: Path) -> None:
    case = failing(tmp_path, METHODS["control"])
    q = questions_of(case)[0]
    solver = default_solver()
    assert recheck(case.trace, q.nodes, q.roots, 0, solver=solver) is Verdict.UNKNOWN
    assert recheck(case.trace, q.nodes, q.roots, 30, is_cancelled=lambda: True, solver=solver) is Verdict.UNKNOWN
    assert recheck(case.trace, (), q.roots, 30) is Verdict.SAT


def test_what_the_recording_does_not_say_is_unknown_not_refuted(tmp_path: Path) -> None:
    case = failing(tmp_path, "int f(int x) { return x / 0; } int main(void) { return f(4); }\n")
    fn = case.trace.program.function("f")
    (division,) = [k.index for k in fn.instrs if k.op == "sdiv"]
    at = max(i for i in range(len(case.trace)) if case.trace.at(i).fn is fn)
    problem = encode(case.trace, [(at, division)], [(at, division)], case.dependence)
    assert problem.gaps == ((at, division),)
    assert recheck(case.trace, [(at, division)], [(at, division)], 30) is Verdict.UNKNOWN
