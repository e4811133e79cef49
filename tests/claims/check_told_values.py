"""Checks of values that are told: what statements are said to have stored and read, how conditions came out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.claims.check_relevance import parse_value
from tests.claims.claim_model import Claim, FailingCase, PointerTo, has_inner_stores, judged, resolved, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.formula_text import Evaluated, NotUnderstood, formula
from tests.claims.run_model import Changes, Decided, Event, Object, StoreChange, Undefined, Value
from tests.claims.run_program import run_program
from tests.claims.small_program import Assert, Call, Decision, Jump, Node, Switch
from tests.claims.walk_program import parts

METHOD = "told values"  # of the cause tree and the story: recorded, neither proved nor replayed
STORED = "a value that a statement is said to have stored"
CAME_OUT = "what a condition is said to have come out with"
READ = "a value that a statement is said to have read"
_BECAME = re.compile(r"(?P<cell>.+?) became (?P<value>.+?)(?: \(was (?P<was>[^)]*)\))?(?: with (?P<reads>.*))?\Z")
_HELD = re.compile(r"(?P<held>true|false)(?: with (?P<reads>.*))?\Z")
_WITH = re.compile(r"with (?P<reads>.*)\Z")
_STORY_STORE = re.compile(r"`(?P<cell>[^`]+)` became (?P<value>.+?) here: ")
_STORY_DECISION = re.compile(r"(?:because )?`[^`]+` was (?P<held>true|false)\b")

_Shown = int | PointerTo


@dataclass(eq=False)
class _Told:
    """What is said of some instance of a statement, in values that are understood."""

    kind: str
    text: str
    node: Node
    cell: str = ""
    value: _Shown | None = None
    was: _Shown | None = None
    held: bool | None = None
    reads: list[tuple[Evaluated, _Shown]] = field(default_factory=list)
    is_true: bool = False  # of an instance


def check_told_values(case: FailingCase) -> Iterator[Claim]:
    """The values in the cause tree and in the story."""
    told: list[_Told] = []
    for found in (*_in_causes(case), *_in_story(case)):
        if isinstance(found, Claim):
            yield found
        else:
            told.append(found)
    by_node: dict[Node, list[_Told]] = {}
    for t in told:
        by_node.setdefault(t.node, []).append(t)
    stores: dict[Node, StoreChange] = {n: _watching(ts) for n, ts in by_node.items() if not isinstance(n, Decision)}
    run_program(case.program, case.inputs, Changes(stores=stores, observe=_decisions(by_node)))
    for t in told:
        yield judged(t.is_true, METHOD, t.kind, t.text, "no instance of the statement did so")


# --- what is told -----------------------------------------------------------------------------------------------------


def _in_causes(case: FailingCase) -> Iterator[_Told | Claim]:
    for cause in case.method("cascade").get("causes", ()):
        for s in cause["statements"]:
            if s["values"]:
                yield from _read(case, s, s["values"])


def _in_story(case: FailingCase) -> Iterator[_Told | Claim]:
    for rung in (case.report.get("story") or {}).get("rungs", ()):
        reads = ", ".join(f"{name} = {value}" for name, value in rung["values"].items())
        store, decision = _STORY_STORE.match(rung["says"]), _STORY_DECISION.match(rung["says"])
        if rung["kind"] == "value" and store is not None:
            said = f"{store['cell']} became {store['value']}"
        elif rung["kind"] == "decision" and decision is not None:
            said = decision["held"]
        else:
            continue
        yield from _read(case, rung, f"{said} with {reads}" if reads else said)


def _read(case: FailingCase, s: Mapping[str, Any], said: str) -> Iterator[_Told | Claim]:
    """What is said of a statement: its store or its outcome, and what it read."""
    text = f"line {s['line']}: {s['text']}: {said}"
    became, held, reads = _BECAME.match(said), _HELD.match(said), _WITH.match(said)
    found = became or held or reads
    kind = STORED if became else CAME_OUT if held else READ
    node = case.printed.statement_at(s["line"], s["text"])
    if node is None or found is None:
        yield unchecked(METHOD, kind, text, "a statement that is not known" if found else "not understood")
        return
    told = _Told(kind, text, node)
    boogie = case.program.language == "boogie"
    if became is not None:
        told.cell, told.value = became["cell"], parse_value(became["value"])
        if became["was"] is not None and not getattr(node, "declares", ""):  # a declaration makes a new variable
            told.was = parse_value(became["was"])
        if told.value is None:
            yield unchecked(METHOD, kind, text, "a value that is not a number or an address")
            return
    if held is not None:
        told.held = held["held"] == "true"
    # A call or a `++` may change what else the statement reads: when it read it is not known then.
    is_plain = not has_inner_stores(node) and not isinstance(node, Call)
    told.reads = list(_values(found["reads"] or "", boogie=boogie)) if is_plain else []
    if isinstance(node, Assert) or (became is None and case.run.at in set(parts(node))):
        yield unchecked(METHOD, kind, text, "what was read where the run failed")
    elif isinstance(node, Switch | Jump):
        yield unchecked(METHOD, kind, text, "a `switch` or a jump, which is not watched")
    elif (isinstance(node, Decision) and held is None) or (not isinstance(node, Decision) and held is not None):
        yield unchecked(METHOD, kind, text, "no outcome of a whole condition")
    elif became is None and held is None and not told.reads:
        yield unchecked(METHOD, kind, text, "values of library functions, or read beside a call or `++`")
    else:
        yield told


def _values(text: str, *, boogie: bool) -> Iterator[tuple[Evaluated, _Shown]]:
    """The values of expressions, those that are understood."""
    for part in text.split(", "):
        name, sign, shown = part.rpartition(" = ")
        value = parse_value(shown) if sign else None
        if value is None:
            continue
        try:
            yield formula(name, boogie=boogie), value
        except NotUnderstood:
            continue


# --- what happened ----------------------------------------------------------------------------------------------------


def _watching(told: Sequence[_Told]) -> StoreChange:
    """A change of stores that changes nothing, and sees which of the told values are stored."""

    def watch(machine: Evaluator, base: Object, index: int, value: Value) -> object:
        for t in told:
            if t.is_true:
                continue
            if t.cell:
                is_stored = _is_cell(machine, t.cell, base, index) and _is(machine, value, t.value)
                was = base.cells[index] if 0 <= index < len(base.cells) else None
                t.is_true = is_stored and (t.was is None or _is(machine, was, t.was)) and _has_read(machine, t)
            else:
                t.is_true = _has_read(machine, t)
        return value

    return watch


def _decisions(by_node: Mapping[Node, Sequence[_Told]]) -> Callable[[Evaluator, Event], None]:
    def observe(machine: Evaluator, event: Event) -> None:
        if isinstance(event, Decided) and isinstance(event.node, Decision):
            for t in by_node.get(event.node, ()):
                t.is_true = t.is_true or (bool(event.held) == t.held and _has_read(machine, t))

    return observe


def _is_cell(machine: Evaluator, name: str, base: Object, index: int) -> bool:
    """Whether a place, as it is written in the source, is this cell; a parameter is told by its name.

    Of a place that cannot be evaluated only the value is compared.
    """
    if base.shown(index) == name:
        return True
    address = name[1:] if name.startswith("*") else f"&{name}"
    try:
        return formula(address, boogie=not machine.is_c)(machine) == (base, index)
    except (NotUnderstood, Undefined):
        return True


def _is(machine: Evaluator, value: Value | None, shown: _Shown | None) -> bool:
    if shown is None or isinstance(shown, int):
        return value == shown
    try:
        return value == resolved(machine, shown)
    except Undefined:
        return False


def _has_read(machine: Evaluator, told: _Told) -> bool:
    for parsed, shown in told.reads:
        try:
            if not _is(machine, parsed(machine), shown):
                return False
        except (NotUnderstood, Undefined):
            continue  # what cannot be evaluated here is not compared
    return True
