"""Bounded exploration of a Boogie program: the shortest failing path for each check that can be violated.

The bound counts iterations of a loop and nested calls of a procedure in which the path could have gone elsewhere;
iterations that nothing can avoid are followed up to a fixed number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph
from butfor.frontends.boogie.exploration_state import ExplorationState, ProcedureFrame
from butfor.frontends.boogie.failing_path import ViolatedCheck
from butfor.frontends.boogie.interpreter import Given
from butfor.frontends.boogie.path_walk import MAX_FORCED_ROUNDS, PathWalk
from butfor.frontends.boogie.procedure_calls import local_cells, old_cells
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.sorts import Value
from butfor.logic.terms import Term, conjunction, equal, negate
from butfor.path.searched_program import SearchedProgram

DEFAULT_BOUND = 8  # iterations and nested calls: each one multiplies the paths
_SECONDS_AFTER_FIRST_FAILURE = 2.0  # at least: one failure is explained, the others are only listed
_MAX_TIMES_TO_FIRST_FAILURE = 2  # more time where the first failure took long


@dataclass(frozen=True, slots=True)
class Exploration:
    """The violated checks, shortest path first.

    Everything was explored up to `bound`; if `complete`, no loop and no recursion was cut. `overlong` are the lines of
    loops and calls that were abandoned after a fixed number of iterations because nothing else ended them. `unknown`
    says what a solver could not decide; `in_time` is False when time ran out before the bound was reached.
    """

    failures: tuple[ViolatedCheck, ...]
    bound: int
    complete: bool
    unknown: tuple[str, ...] = ()
    in_time: bool = True
    paths: int = 0
    overlong: tuple[int, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)  # texts of the program by the names of their files
    vacuous: bool = False  # nothing can run: what must hold at the start contradicts itself
    program: SearchedProgram | None = None
    passing: Given | None = None  # values from outside with which the procedure returns and no check fails
    reached: frozenset[tuple[int, int]] = frozenset()  # lines and columns of the checks that some path came to


@dataclass(slots=True)
class _SharedResults:
    """What explorations with deeper and deeper bounds share."""

    found: dict[tuple[object, ...], ViolatedCheck] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    overlong: dict[int, None] = field(default_factory=dict)
    paths: int = 0
    reached: set[tuple[int, int]] = field(default_factory=set)


def explore(
    unit: TranslationUnit,
    flow: FlowGraph,
    bound: int = DEFAULT_BOUND,
    seconds: float = 30.0,
    *,
    stack: Stack | None = None,
    say: Callable[[str], None] = lambda text: None,
    given: Mapping[str, Value] | None = None,
    wants_passing: bool = False,
) -> Exploration:
    """The failing paths of the procedure, by deepening the bound.

    `given` are values of sources that are not free. `wants_passing`: look for an execution that does not fail too, and
    stop when there is one.
    """
    start = time.monotonic()
    end = start + seconds
    solver = stack or default_stack()
    progress = _SharedResults()
    if solver.check([tuple(start_state(unit, flow, given)[0].pending)], Limit(end)).verdict is Verdict.UNSAT:
        return Exploration((), bound, True, vacuous=True)
    reached, complete = 0, False
    first_found = 0.0
    for level in _levels(bound):
        say(f"exploring up to bound {level}")
        state, pre = start_state(unit, flow, given)
        walk = PathWalk(unit, flow.procedure, solver, pre, level, end, progress.found, progress.unknown)
        walk.max_rounds = max(MAX_FORCED_ROUNDS, bound)
        walk.wants_passing = wants_passing
        walk.reached = progress.reached
        state.arrive(0, level, walk.max_rounds)
        work = [state]
        while work and not walk.late:
            if progress.found and not first_found:
                first_found = time.monotonic() - start
                end = walk.end = min(
                    end, time.monotonic() + max(_SECONDS_AFTER_FIRST_FAILURE, _MAX_TIMES_TO_FIRST_FAILURE * first_found)
                )
            walk.follow(work.pop(), work)
            progress.paths += 1
            if walk.passing is not None:
                return replace(_result(progress, reached, False, True), passing=walk.passing)
        if walk.late:
            return _result(progress, reached, False, False)
        reached = level
        progress.overlong |= walk.overlong
        if not walk.cut:
            complete = not walk.overlong
            reached = reached if complete else bound  # deeper bounds would find nothing more
            break
    return _result(progress, reached, complete, True)


def _result(progress: _SharedResults, bound: int, complete: bool, in_time: bool) -> Exploration:
    overlong = tuple(sorted(progress.overlong))
    failures = sorted(
        progress.found.values(), key=lambda f: (len(f.path.instances), f.path.place.line, f.path.place.column)
    )
    return Exploration(
        tuple(failures),
        bound,
        complete and not progress.unknown,
        tuple(progress.unknown),
        in_time,
        progress.paths,
        overlong,
        reached=frozenset(progress.reached),
    )


def _levels(bound: int) -> Iterator[int]:
    level = 1
    while level < bound:
        yield level
        level *= 2
    yield bound


def start_state(
    unit: TranslationUnit, flow: FlowGraph, given: Mapping[str, Value] | None = None
) -> tuple[ExplorationState, Term]:
    """The state before the first statement, and what holds there: preconditions, axioms, constants that differ."""
    procedure = flow.procedure
    frame = ProcedureFrame(flow, 0, local_cells(unit, procedure, 0))
    state = ExplorationState(unit, [frame], {}, given=given or {})
    old = old_cells(unit, procedure, 0)
    conditions = [equal(cell.term, unit.globals[name].term) for name, cell in old.items()]
    frame.cells.update({f"old({name})": cell for name, cell in old.items()})
    state.cells.update({c.name: c for c in old.values()})
    conditions += [state.term(spec.expr, frame) for spec in procedure.specs if spec.keyword == "requires"]
    conditions += [state.term(axiom, frame) for axiom in unit.program.axioms]
    conditions += _unique_constants_differ(unit)
    pre = conjunction(conditions)
    state.pending.append(state.now(pre))
    return state, pre


def _unique_constants_differ(unit: TranslationUnit) -> list[Term]:
    names = [name for group in unit.program.unique for name in group]
    kinds = {
        name: unit.meaning.type_rules.resolved(unit.program.constants[name].type, unit.program.constants[name].span)
        for name in names
    }
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :] if kinds[a] == kinds[b]]
    return [negate(equal(unit.meaning.constant(a), unit.meaning.constant(b))) for a, b in pairs]
