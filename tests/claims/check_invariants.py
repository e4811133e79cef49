"""Checks of error invariants.

Every invariant must hold in the run where it is said to, and lead to the failure from any state in which it holds; and
the run fails without the steps that are said to make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.claims.c_types import converted
from tests.claims.claim_model import Claim, FailingCase, has_inner_stores, judged, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.formula_text import Evaluated, NotUnderstood, formula, holds
from tests.claims.run_model import KEEP, Changes, Event, Object, Outcome, Run, Stored, Value
from tests.claims.run_program import run_program
from tests.claims.small_program import Call, CopyStruct, DeclareObject, Node

METHOD = "error-invariants"
HOLDS = "a fact of an invariant holds in the run"
RUNS_WITHOUT_OTHERS = 4  # with different values in variables whose initialisation makes no difference
STATES_PER_INVARIANT = 12  # in which it holds, other than the recorded one
DRAWS_PER_STATE = 25
MAX_INPUTS_PER_INVARIANT = 6  # of those along the same path, where inputs are free


@dataclass(frozen=True, slots=True)
class _Said:
    """An invariant: after which event it holds, until which event at most."""

    text: str
    facts: tuple[str, ...]
    after: int | None
    until: int
    is_exact: bool  # where it begins to hold is known


def check_invariants(case: FailingCase) -> Iterator[Claim]:
    """The invariants and the steps between them."""
    part = case.method(METHOD)
    if not any(reason["evidence"] == "proved" for _, reason in case.reasons(METHOD)):
        return
    if part.get("coarse"):
        return
    aligned = _aligned(case, part["abstract_trace"])
    if aligned is None:
        yield unchecked(METHOD, "the other steps make no difference", "", "a statement of the story is not known")
        return
    relevant, invariants = aligned
    inputs = [case.inputs] if part.get("pinned") else [case.inputs, *case.same_path]
    yield from _no_difference(case, relevant, inputs)
    for said in invariants:
        yield from _invariant(case, said, relevant, inputs)


# --- from the report to events ----------------------------------------------------------------------------------------


def _aligned(case: FailingCase, trace: Sequence[Mapping[str, Any]]) -> tuple[set[Node], list[_Said]] | None:
    """The statements that matter, and the invariants with the events between which they are said to hold."""
    relevant: set[Node] = set()
    invariants: list[_Said] = []
    at: int | None = -1
    known = -1  # the last place that was found
    is_exact = True
    for entry in trace:
        if entry["kind"] == "invariant":
            facts = tuple(entry.get("facts", ()))
            if facts:
                invariants.append(_Said(entry["formula"], facts, at, len(case.run.events), is_exact))
            continue
        if entry["kind"] != "statement":
            continue
        node = case.printed.statement_at(entry["line"], entry["text"])
        if node is None:
            return None
        relevant.add(node)
        if entry.get("role") == "input" and not entry.get("frame"):
            is_exact = False
            continue
        if not entry.get("frame"):
            known = known if at is None else at
            call = _call(case, node, tuple(entry.get("rounds", ())), entry.get("occurrence", 1))
            at = _next_event(case.run, node, known, tuple(entry.get("rounds", ())), call)
            invariants = [_closed(i, at) for i in invariants]
            is_exact = not isinstance(node, Call) and not has_inner_stores(node)
    return relevant, invariants


def _closed(said: _Said, at: int | None) -> _Said:
    """An invariant that holds at most until this event."""
    if at is None or said.until <= at:
        return said
    return replace(said, until=at)


def _call(case: FailingCase, node: Node, rounds: tuple[int, ...], occurrence: int) -> int | None:
    """The call of the occurrence of a statement in these rounds.

    None when that is not certain: the story of a C program counts the calls that it tells.
    """
    calls = list(dict.fromkeys(e.call for e in case.run.events if e.node is node and e.rounds == rounds))
    if case.program.language == "c" and len(calls) > 1:
        return None
    return calls[occurrence - 1] if occurrence <= len(calls) else None


def _next_event(run: Run, node: Node, after: int, rounds: tuple[int, ...], call: int | None) -> int | None:
    """The next event of a statement in this call and these rounds; the last of those that one declaration makes."""
    for k in range(after + 1, len(run.events)):
        if run.events[k].node is node and run.events[k].rounds == rounds and run.events[k].call == call:
            while (
                (isinstance(node, DeclareObject | Call | CopyStruct) or has_inner_stores(node))
                and k + 1 < len(run.events)
                and run.events[k + 1].node is node
                and _same_call(run.events[k], run.events[k + 1])
            ):
                k += 1
            return k
    return None


def _same_call(a: Event, b: Event) -> bool:
    return isinstance(a, Stored) and isinstance(b, Stored) and a.object.function == b.object.function


# --- steps that make no difference ------------------------------------------------------------------------------------


def _no_difference(case: FailingCase, relevant: set[Node], inputs: Sequence[tuple[int, ...]]) -> Iterator[Claim]:
    """Whatever the other steps do, the run fails."""
    text = f"only lines {sorted(case.printed.line_of(n) for n in relevant)} matter"
    for number in range(RUNS_WITHOUT_OTHERS):
        base = inputs[number % len(inputs)]
        run, done = without_others(case, base, relevant)
        if _refutes(case, run, relevant):
            reason = f"with {done} the run {run.outcome.value}"
            yield judged(False, METHOD, "the other steps make no difference", text, reason)
            return
    yield judged(True, METHOD, "the other steps make no difference", text, "")


def _refutes(case: FailingCase, run: Run, kept: set[Node]) -> bool:
    """Whether a run does not fail; that it fails elsewhere is no refutation.

    A step that makes no difference where it stored may well make one elsewhere: that is not said of it.
    """
    if run.outcome is not Outcome.PASSED:
        return False
    if not case.method(METHOD)["flow_sensitive"] and not run.goes_along(case.run):
        return False  # without the reasons why statements are reached, only this path is spoken of
    places = {(e.node, e.object.shown(e.index)) for e in case.run.events if isinstance(e, Stored)}
    moved = (e for e in run.events if isinstance(e, Stored) and e.node not in kept)
    known = {node for node, _ in places}
    return all((e.node, e.object.shown(e.index)) in places for e in moved if e.node in known)


def without_others(
    case: FailingCase,
    inputs: Sequence[int],
    kept: set[Node],
    first: Callable[[Evaluator, Event], None] | None = None,
    since: int = 0,
) -> tuple[Run, list[str]]:
    """A run without the steps that are said to make no difference, and what was left out.

    A declaration that is left out leaves anything in its variable. `first` sees every event; before event number
    `since` everything is as it was.
    """
    rng = case.rng
    done: list[str] = []
    values = case.values()

    def left_out(node: Node) -> Callable[[Evaluator, Object, int, Value], object]:
        is_declaration = isinstance(node, DeclareObject) or bool(getattr(node, "declares", ""))

        def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
            if len(machine.events) < since or not isinstance(value, int):
                return value
            if machine.part is None or (isinstance(node, Call) and base.cells[index] is None):
                return value  # a parameter has no earlier value
            if not is_declaration or machine.part is not node:
                done.append(f"without {base.shown(index)} = {value} (line {case.printed.line_of(node)})")
                return KEEP
            new = rng.choice(values)
            done.append(f"{base.shown(index)} = {new} (line {case.printed.line_of(node)})")
            return new

        return change

    others = case.other_statements(kept)
    changes = Changes(stores={n: left_out(n) for n in others}, observe=first, may_overflow=False)
    return run_program(case.program, inputs, changes), done


# --- invariants -------------------------------------------------------------------------------------------------------


def _invariant(
    case: FailingCase, said: _Said, relevant: set[Node], inputs: Sequence[tuple[int, ...]]
) -> Iterator[Claim]:
    boogie = case.program.language == "boogie"
    try:
        parsed = [formula(fact, boogie=boogie) for fact in said.facts]
    except NotUnderstood as e:
        yield unchecked(METHOD, HOLDS, said.text, f"the formula: {e}")
        return
    if said.after is None:
        yield unchecked(METHOD, HOLDS, said.text, "its place in the run is not known")
        return
    true_in_run: set[int] = set()
    for base in inputs[:MAX_INPUTS_PER_INVARIANT]:
        true_at = _true_at(case, base, parsed, said)
        true_in_run = true_in_run or true_at or set()
        if true_at is None:
            yield unchecked(METHOD, HOLDS, said.text, "a variable that is not there")
            return
        if not true_at:
            reason = f"with inputs {base} it is false from event {said.after} to {said.until}"
            yield judged(False, METHOD, HOLDS, said.text, reason)
            return
    for fact in said.facts:
        yield judged(True, METHOD, HOLDS, fact, "")
    if said.is_exact and said.after in true_in_run:
        yield _leads_to_failure(case, said, parsed, relevant)


def _true_at(case: FailingCase, base: Sequence[int], parsed: Sequence[Evaluated], said: _Said) -> set[int] | None:
    """The events after which an invariant is true, where it is said to be; None when it has no value there."""
    found: set[int] = set()
    seen = 0

    def observe(machine: Evaluator, event: Event) -> None:
        nonlocal seen
        at = len(machine.events) - 1
        if said.after is not None and said.after <= at < max(said.until, said.after + 1):
            try:
                true = all(holds(machine, p) for p in parsed)
            except NotUnderstood:
                return
            seen += 1
            if true:
                found.add(at)

    run_program(case.program, base, Changes(observe=observe))
    return found if seen else None


def _leads_to_failure(case: FailingCase, said: _Said, parsed: Sequence[Evaluated], relevant: set[Node]) -> Claim:
    """From any state in which the invariant holds, the rest of the run fails, with and without the other steps."""
    kind = "from any state with the invariant, the run fails"
    assert said.after is not None
    for number in range(STATES_PER_INVARIANT):
        changed: list[str] = []

        def disturb(machine: Evaluator, event: Event, changed: list[str] = changed) -> None:
            if len(machine.events) - 1 == said.after:
                changed += _disturb(case, machine, parsed)

        if number % 2:
            run, done = without_others(case, case.inputs, relevant, disturb, said.after + 1)
        else:
            run, done = run_program(case.program, case.inputs, Changes(observe=disturb, may_overflow=False)), []
        if _refutes(case, run, relevant):
            return judged(False, METHOD, kind, said.text, f"with {changed}, then {done}, the run {run.outcome.value}")
    return judged(True, METHOD, kind, said.text, "")


def _of_type(o: Object, index: int, value: int) -> int:
    return converted(value, o.types[index]) if o.types else value


def _disturb(case: FailingCase, machine: Evaluator, parsed: Sequence[Evaluated]) -> list[str]:
    """Change cells of the state at random, such that the invariant still holds."""
    rng = case.rng
    values = case.values()
    cells = [
        (o, k)
        for frame in [machine.globals, *(f for _, f in machine.frames)]
        for o in frame.values()
        for k, v in enumerate(o.cells)
        if isinstance(v, int)
    ]
    done: list[str] = []
    for _ in range(DRAWS_PER_STATE):
        if not cells:
            break
        o, k = rng.choice(cells)
        old, o.cells[k] = o.cells[k], _of_type(o, k, rng.choice(values))
        try:
            keep = all(holds(machine, p) for p in parsed)
        except NotUnderstood:
            keep = False
        if keep:
            done.append(f"{o.shown(k)} = {o.cells[k]}")
        else:
            o.cells[k] = old
    return done
