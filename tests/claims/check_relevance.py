"""Checks of relevance and security: the program is run with the values, and with all inputs that may follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from butfor.path.lift.movable_stores import MOVABLE
from tests.claims.changed_runs import deciding, instances, storing, with_later_inputs
from tests.claims.claim_model import Claim, FailingCase, PointerTo, is_failure, is_modelled, judged, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import (
    KEEP,
    NOT_DECLARED,
    READS_INPUT,
    UNMODELLED,
    Changes,
    Object,
    Outcome,
    Run,
    Stored,
    Value,
)
from tests.claims.run_program import all_inputs, run_program
from tests.claims.small_program import ARRAY_LENGTH, STRUCT_FIELDS, Decision, Expr, Havoc, Input, Node
from tests.claims.walk_program import parts

_POINTER = re.compile(r"&(?P<name>\w+)(?P<indexes>(?:\[\d+\])*)(?:\.(?P<field>\w+))?\Z")


def is_exact(part: Mapping[str, Any]) -> bool:
    """Whether the path leaves out nothing but stores that statements called irrelevant do not move."""
    return set(part.get("approximate", ())) <= {MOVABLE}


def check_relevance(case: FailingCase) -> Iterator[Claim]:
    """The verdicts on statements."""
    part = case.method("relevance")
    known = {
        (row["line"], row["text"]): reason["evidence"]
        for row, reason in case.reasons("relevance")
        if reason["evidence"] in ("proved", "replayed")
    }
    for row in part.get("statements", ()):
        kind = f"{row['verdict']}{' (control)' if row['control'] else ''}"
        if row["verdict"] == "unknown" or (row["verdict"] == "irrelevant" and not is_exact(part)):
            continue
        text = f"line {row['line']}: {row['text']}: {row['verdict']} {row['counterfactual'] or ''}"
        evidence = known.get((row["line"], row["text"]), "")
        if row["verdict"] != "irrelevant" and not evidence:
            continue
        kind += f", {evidence}" if evidence else ""
        node = case.printed.statement_at(row["line"], row["text"])
        if node is None:
            yield unchecked("relevance", kind, text, "the statement is in no function of the generated program")
        elif not is_modelled(node):
            yield unchecked("relevance", kind, text, "a statement that stores nothing")
        elif row["verdict"] == "irrelevant":
            yield from _irrelevant(case, node, kind, text)
        elif row["control"]:
            yield _control(case, node, kind, text)
        elif evidence == "replayed":
            yield _avoids(case, node, str(row["counterfactual"]), kind, text)
        else:
            yield _relevant(case, node, row, kind, text)


def _irrelevant(case: FailingCase, node: Node, kind: str, text: str) -> Iterator[Claim]:
    why = avoiding_value(case, node)
    yield judged(not why, "relevance", kind, text, why)


def avoiding_value(case: FailingCase, node: Node) -> str:
    """A value at one instance that avoids the failure whatever comes in later, in words; empty when none was found."""
    for base in (case.inputs, *(() if case.is_pinned else case.same_path[:4])):
        run = case.run if base is case.inputs else run_program(case.program, base)
        stores = [(at, e) for at, e in enumerate(run.events) if isinstance(e, Stored) and e.node is node]
        for number, (at, event) in enumerate(stores):
            values: Sequence[int | PointerTo] = case.cells() if isinstance(event.value, tuple) else case.values()
            for value in values:
                ends = (  # the first one that fails is enough
                    run_program(case.program, i, Changes(stores=storing({node: {number: value}})))
                    for i in with_later_inputs(case, base, run, at)
                )
                if all(end.outcome is Outcome.PASSED for end in ends):
                    return f"store {number} set to {value} with inputs {base}: the program does not fail"
    return ""


def _control(case: FailingCase, node: Node, kind: str, text: str) -> Claim:
    """Decided otherwise, the failed check is not reached."""
    if not isinstance(node, Decision):
        return unchecked("relevance", kind, text, "not a decision of the generated program")
    outcomes = instances(case, node)
    for number, outcome in enumerate(outcomes):
        changed = run_program(case.program, case.inputs, Changes(decisions=deciding({node: {number: not outcome}})))
        if not changed.fails_like(case.run):
            return judged(True, "relevance", kind, text, "")
    return judged(False, "relevance", kind, text, "with every single decision reversed, the same check fails")


def _avoids(case: FailingCase, node: Node, other: str, kind: str, text: str) -> Claim:
    """With the value at one instance, or without it, the run does not fail; `where`: some run with other inputs."""
    other, _, where = other.partition(", where ")
    if other.endswith(" left as it was"):
        stores = [number for number, (_, e) in enumerate(case.stored(node))]
        changes = [(0, _leaving(node, number)) for number in stores]
    else:
        found = _changes_of(case, node, other)
        if found is None:
            return unchecked("relevance", kind, text, "the cell of the other value is not a variable of the program")
        changes = found
    bases = (case.inputs, *(case.same_failure if where else ()), *_named_inputs(case, where))
    ends = [run_program(case.program, base, change()) for base in bases for _, change in changes]
    if any(end.why == NOT_DECLARED for end in ends):
        return unchecked("relevance", kind, text, "the address of a variable that is not in scope")
    avoids = any(end.outcome is Outcome.PASSED for end in ends)
    if not avoids and any(end.why in {READS_INPUT, *UNMODELLED} for end in ends):
        return unchecked("relevance", kind, text, "an element is used that may hold anything")
    if not avoids and any(end.outcome is Outcome.ENDLESS for end in ends):
        return unchecked("relevance", kind, text, "the changed run is too long for the interpreter")
    return judged(avoids, "relevance", kind, text, _refutation(case, changes))


def _named_inputs(case: FailingCase, where: str) -> Iterator[tuple[int, ...]]:
    """The inputs with the values that a claim names, which does not say of which inputs they are."""
    values = [int(n) for n in re.findall(r"= (-?\d+)", where)]
    for places in combinations(range(len(case.inputs)), len(values)) if values else ():
        given = dict(zip(places, values, strict=True))
        yield tuple(given.get(k, value) for k, value in enumerate(case.inputs))


def _leaving(node: Node, wanted: int) -> Any:
    def make() -> Changes:
        count = -1

        def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
            nonlocal count
            count += 1
            return KEEP if count == wanted else value

        return Changes(stores={node: change})

    return make


def _relevant(case: FailingCase, node: Node, row: Mapping[str, Any], kind: str, text: str) -> Claim:
    """With the value at one instance, no inputs that may follow lead along the same path to the failure."""
    assignments, _, where = str(row["counterfactual"]).partition(", where ")
    changes = _changes_of(case, node, assignments)
    if changes is None:
        return unchecked("relevance", kind, text, "the cell of the other value is not a variable of the program")
    if not changes:
        return judged(False, "relevance", kind, text, "the statement never stores to that cell")
    bases = [case.inputs, *(case.same_path if where else ())]
    for base in bases:
        run = case.run if base is case.inputs else run_program(case.program, base)
        for at, change in changes:
            ends = [run_program(case.program, i, change()) for i in with_later_inputs(case, base, run, at)]
            if not any(end.is_same_failure_along_same_path(run) for end in ends):
                undefined = next((e for e in ends if e.outcome is Outcome.UNDEFINED), None)
                if undefined is not None and case.program.language == "c":
                    continue
                return judged(True, "relevance", kind, text, "")
    return judged(False, "relevance", kind, text, _refutation(case, changes))


def _refutation(case: FailingCase, changes: Sequence[tuple[int, Any]]) -> str:
    runs = [run_program(case.program, case.inputs, change()) for _, change in changes]
    return f"runs with the value at each instance: {', '.join(_ending(r) for r in runs)}"


def _ending(run: Run) -> str:
    return f"{run.outcome.value}{' ' + run.why if run.why else ''}"


def _changes_of(case: FailingCase, node: Node, assignments: str) -> list[tuple[int, Any]] | None:
    """Changes of each instance that stores to the cells: the number of events before it, and a maker of the change.

    None when a cell is not known.
    """
    wanted: dict[str, int | PointerTo] = {}
    for part in assignments.split(", "):
        cell, _, shown = part.rpartition(" = ")
        value = parse_value(shown)
        if value is None or not cell:
            return None
        wanted[cell.split("::")[-1]] = value
    stores = case.stored(node)
    found: list[tuple[int, Any]] = []
    is_input = any("(" in name and name not in {e.object.name for _, e in stores} for name in wanted)
    if not is_input and any(e.object.shown(e.index) in wanted or len(stores) == 1 for _, e in stores):
        numbers = [(n, at, e) for n, (at, e) in enumerate(stores)]
        if len(wanted) == 1:
            ((name, value),) = wanted.items()
            chosen = [(n, at) for n, at, e in numbers if e.object.shown(e.index) == name or len(stores) == 1]
            found += [(at, _storing(node, {n: value})) for n, at in chosen]
        else:  # several cells of one instance: an array or a struct
            settings = {n: wanted[e.object.shown(e.index)] for n, _, e in numbers if e.object.shown(e.index) in wanted}
            if len(settings) != len(wanted):
                return None
            found.append((stores[0][0], _storing(node, settings)))
    reads = [] if isinstance(node, Decision) else [n for n in parts(node) if isinstance(n, Input)]
    if not found and len(reads) == 1 and len(wanted) == 1:
        (value,) = wanted.values()
        if isinstance(value, int):
            found.append((case.run.reads[reads[0].number] + 1, _reading(reads[0], value)))
            return found
    return found or None


def _storing(node: Node, settings: Mapping[int, int | PointerTo]) -> Any:
    return lambda: Changes(stores=storing({node: settings}))


def _reading(node: Input, value: int) -> Any:
    def read(machine: Evaluator, e: Expr, frame: Any) -> Value:
        return value

    return lambda: Changes(values={node: read})


def parse_value(text: str) -> int | PointerTo | None:
    """A value as reports show it: a number or the address of a cell."""
    pointer = _POINTER.match(text)
    if pointer is not None:
        indexes = [int(i) for i in re.findall(r"\d+", pointer["indexes"])]
        if pointer["field"] is not None and (pointer["field"] not in STRUCT_FIELDS or len(indexes) > 1):
            return None
        if len(indexes) > 1:
            return PointerTo(pointer["name"], indexes[0] * ARRAY_LENGTH + indexes[1])
        member = 0 if pointer["field"] is None else STRUCT_FIELDS.index(pointer["field"])
        return PointerTo(pointer["name"], member, sum(indexes))
    number = re.match(r"(-?\d+)(?: '.+')?\Z", text)
    return int(number[1]) if number else None


# --- security ---------------------------------------------------------------------------------------------------------


def check_security(case: FailingCase) -> Iterator[Claim]:
    """Which inputs control the failure, or that none does."""
    part = case.method("relevance").get("security", {})
    verdict, evidence = part.get("verdict"), part.get("evidence")
    if evidence not in ("proved", "replayed"):
        return
    ends = [(i, run_program(case.program, i)) for i in all_inputs(case.program)]
    if verdict == "not-input-controlled":
        passing = [i for i, run in ends if run.outcome is Outcome.PASSED]
        yield judged(not passing, "security", "no input controls it", "", f"inputs {passing[:1]} do not fail")
        return
    for row in part.get("inputs", ()):
        yield from _controlling(case, row)


def _controlling(case: FailingCase, row: Mapping[str, Any]) -> Iterator[Claim]:
    text = f"{row['source']} {row['name']}: {row['fails']} fails, {row['passes']} does not"
    number = _input_number(case, row)
    if number is None:
        yield unchecked("security", "one value fails, another does not", text, "several inputs at once")
        return
    fails, passes = (_input_value(case, row[key]) for key in ("fails", "passes"))
    if fails is None or passes is None:
        yield unchecked("security", "one value fails, another does not", text, "a text that is not a number")
        return
    at = case.run.reads.get(number)
    if at is None:
        yield judged(False, "security", "one value fails, another does not", text, "the input is never read")
        return
    # inputs until this one as recorded, and any after it
    prefix = [
        i
        for i in with_later_inputs(case, case.inputs, case.run, at)
        if all(i[k] == case.inputs[k] for k, r in case.run.reads.items() if r < at or (r == at and k < number))
    ]
    other = {k: v for k, v in enumerate(case.inputs) if k != number}
    ends = [run_program(case.program, i) for i in _replaced(prefix, number, fails)]
    kind = "a value leads to the failure whatever follows"
    if case.program.language == "boogie" or len(ends) == 1:
        yield judged(all(is_failure(r) for r in ends), "security", kind, text, f"with {fails} a run passes")
    else:
        same = run_program(case.program, tuple(fails if k == number else other[k] for k in range(len(case.inputs))))
        yield judged(
            is_failure(same), "security", "a value fails, all else as recorded", text, f"with {fails} it passes"
        )
    passing = [run_program(case.program, i) for i in _replaced(prefix, number, passes)]
    yield judged(
        any(r.outcome is Outcome.PASSED for r in passing),
        "security",
        "another value does not fail",
        text,
        f"with {passes} no run passes",
    )


def _replaced(found: Sequence[tuple[int, ...]], number: int, value: int) -> list[tuple[int, ...]]:
    return list(dict.fromkeys((*i[:number], value, *i[number + 1 :]) for i in found))


def _input_number(case: FailingCase, row: Mapping[str, Any]) -> int | None:
    """The input that a row of the verdict names."""
    program = case.program
    if program.language == "boogie":
        havocs = [s for s in program.main.body if isinstance(s, Havoc)]
        return next((h.number for h in havocs if case.printed.line_of(h) == row["line"]), None)
    match program.style:
        case "nondet":
            return int(row["start"])
        case "atoi":
            return int(row["name"]) - 1 if row["name"] and row["source"] == "argv" else None
        case "getchar":
            return int(row["start"]) if row["source"] == "stdin" and row["end"] - row["start"] == 1 else None
        case "scanf":
            if row["source"] != "stdin" or row["end"] - row["start"] != 1 or row["start"] % 2:
                return None
            return int(row["start"]) // 2


def _input_value(case: FailingCase, text: str) -> int | None:
    if case.program.language == "c" and case.program.style == "getchar":
        return ord(text) if len(text) == 1 else None
    return int(text) if re.fullmatch(r"-?\d+", text) else None
