"""Changed runs of small programs: other values at chosen instances, other outcomes of decisions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from tests.claims.claim_model import FailingCase, PointerTo, resolved
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import (
    NOT_DECLARED,
    READS_INPUT,
    UNMODELLED,
    Changes,
    Decided,
    DecisionChange,
    Object,
    Outcome,
    Run,
    StoreChange,
    Stored,
    Value,
)
from tests.claims.run_program import all_inputs, run_program
from tests.claims.small_program import Decision, Node, Program

RANDOM_TRIES = 400  # of values for statements that have to change together
Setting = int | PointerTo | bool | None  # None: as it would be


def storing(values: Mapping[Node, Mapping[int, int | PointerTo]]) -> Mapping[Node, StoreChange]:
    """Changes of stores: by statement and by the number of the store, from 0."""
    return {node: _numbered_store(by_number) for node, by_number in values.items()}


def _numbered_store(by_number: Mapping[int, int | PointerTo]) -> StoreChange:
    count = -1

    def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
        nonlocal count
        count += 1
        return resolved(machine, by_number[count]) if count in by_number else value

    return change


def deciding(outcomes: Mapping[Node, Mapping[int, bool]]) -> Mapping[Node, DecisionChange]:
    """Changes of decisions: by statement and by the number of the decision, from 0."""
    return {node: _numbered_decision(by_number) for node, by_number in outcomes.items()}


def _numbered_decision(by_number: Mapping[int, bool]) -> DecisionChange:
    count = -1

    def change(held: bool) -> bool:
        nonlocal count
        count += 1
        return by_number.get(count, held)

    return change


def with_later_inputs(case: FailingCase, base: Sequence[int], run: Run, event: int) -> list[tuple[int, ...]]:
    """All inputs that are those of a run until an event, those of the run first; pinned ones follow as they were."""
    if case.is_pinned:
        return [tuple(base)]
    fixed = {number for number, at in run.reads.items() if at < event}
    found = [i for i in all_inputs(case.program) if all(i[number] == base[number] for number in fixed)]
    return sorted(found, key=lambda i: i != tuple(base))


def instances(case: FailingCase, node: Node) -> list[object]:
    """The stores of a statement or the outcomes of a decision, in the failing run."""
    if isinstance(node, Decision):
        return [e.held for e in case.run.events if isinstance(e, Decided) and e.node is node]
    return [e.value for e in case.run.events if isinstance(e, Stored) and e.node is node]


def _options(case: FailingCase, value: object, values: list[int]) -> list[Setting]:
    if isinstance(value, bool):
        return [not value, value]
    return list(case.cells()) if isinstance(value, tuple) else list(values)


def run_with_settings(
    program: Program, inputs: Sequence[int], settings: Mapping[Node, Callable[[int], Setting]]
) -> Run:
    """A run in which statements store, and decisions take, what `settings` gives for each instance."""

    def store(node: Node) -> StoreChange:
        count = -1

        def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
            nonlocal count
            count += 1
            new = settings[node](count)
            if new is None or isinstance(new, PointerTo) != isinstance(value, tuple):
                return value
            return resolved(machine, new)

        return change

    def decision(node: Node) -> DecisionChange:
        count = -1

        def change(held: bool) -> bool:
            nonlocal count
            count += 1
            new = settings[node](count)
            return new if isinstance(new, bool) else held

        return change

    decisions: dict[Node, DecisionChange] = {n: decision(n) for n in settings if isinstance(n, Decision)}
    stores: dict[Node, StoreChange] = {n: store(n) for n in settings if not isinstance(n, Decision)}
    return run_program(program, inputs, Changes(stores=stores, decisions=decisions))


def can_avoid(
    case: FailingCase,
    nodes: Sequence[Node],
    tries: int = RANDOM_TRIES,
    *,
    wide: bool = False,
    likely: Sequence[int] = (),
) -> bool | None:
    """Whether other values of these statements were found with which the run does not fail. `wide`: of many more.

    `likely` values are tried too. None: not, but some of the runs read what may hold anything, or pointed to a variable
    that was not declared yet.
    """
    values = [*likely, *(case.more_values() if wide else case.values())]
    options = {n: [_options(case, v, values) for v in instances(case, n)] for n in nodes}
    if not all(options.values()):
        return False
    is_known = True
    for settings in _candidates(case.rng, nodes, options, tries):
        run = run_with_settings(case.program, case.inputs, settings)
        if run.outcome is Outcome.PASSED:
            return True
        is_known = is_known and run.why not in {READS_INPUT, NOT_DECLARED, *UNMODELLED}
    return False if is_known else None


def _candidates(
    rng: random.Random, nodes: Sequence[Node], options: Mapping[Node, list[list[Setting]]], tries: int
) -> list[Mapping[Node, Callable[[int], Setting]]]:
    """Settings to try: one value for all instances of a statement; one instance alone; anything."""
    found: list[Mapping[Node, Callable[[int], Setting]]] = []
    if len(nodes) == 1:
        (node,) = nodes
        found += [{node: _always(v)} for v in options[node][0]]
        for k, values in enumerate(options[node]):
            found += [{node: _only(k, v)} for v in values]
    for _ in range(tries):
        chosen: dict[Node, Callable[[int], Setting]] = {}
        for node in nodes:
            draws: list[Setting] = [rng.choice(o) if rng.random() < 0.7 else None for o in options[node]]
            everywhere = rng.choice(options[node][0])
            chosen[node] = _listed(draws, rng.choice(options[node][0])) if rng.random() < 0.6 else _always(everywhere)
        found.append(chosen)
    return found


def _always(value: Setting) -> Callable[[int], Setting]:
    return lambda number: value


def _only(k: int, value: Setting) -> Callable[[int], Setting]:
    return lambda number: value if number == k else None


def _listed(values: Sequence[Setting], later: Setting) -> Callable[[int], Setting]:
    return lambda number: values[number] if number < len(values) else later
