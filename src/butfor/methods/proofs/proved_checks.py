"""Which checks of the program hold in every run, by static analysis; the others may fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from butfor.ir.instructions import Function, Instr
from butfor.ir.intervals.proved_facts import CheckVerdict, StaticFacts
from butfor.ir.intervals.whole_program import analyse
from butfor.ir.machine_types import Kind
from butfor.methods.case import FailingRun
from butfor.methods.proofs.mined_facts import facts_by_statement
from butfor.ranking.finding import Diagnosis
from butfor.trace.view.source_places import Place, Places

ANALYSIS_SHARE = 0.5  # of the budget: other methods need time too
MAX_NAMED_CHECKS = 7  # in a note; the others are counted
_WORDS = {
    "bounds-low": "lower bound",
    "bounds-high": "upper bound",
    "null": "NULL",
    "division": "division",
    "assertion": "assertion",
}


def checks_for_all_runs(case: FailingRun) -> Diagnosis:
    """The checks with the verdict of the analysis on each; no findings."""
    facts = analyse(case.recording.program, case.budget.part(ANALYSIS_SHARE * case.budget.seconds).is_over)
    rows = [row for check in facts.checks if (row := _row(case, check)) is not None]
    counts = Counter(row["verdict"] for row in rows)
    data = {
        "checks": rows,
        "counts": {v: counts[v] for v in ("proved", "unreachable", "open")},
        "reasons": list(facts.reasons),
        **facts_by_statement(facts, case.recording.program, case.places).rows,
    }
    return Diagnosis((), data, facts.complete, (*_notes(rows, counts), *_unfinished(facts)))


def _row(case: FailingRun, check: CheckVerdict) -> dict[str, Any] | None:
    function = case.recording.program.function(check.function)
    instr = function.instrs[check.instr]
    place = case.places.of_instr(function, instr)
    if place is None:  # not in the user's own files
        return None
    where = case.places.location(instr)
    assert where is not None
    return {
        "file": place.file,
        "line": where.line,
        "column": where.column,
        "kind": check.kind,
        "text": _text(case.places, function, instr, place),
        "verdict": check.verdict,
    }


def _text(places: Places, function: Function, instr: Instr, place: Place) -> str:
    """The accessed expression as written in the source, else the statement."""
    written = None
    if instr.op in ("load", "store"):
        address = function.definition(instr.address)
        if address is not None and address.type.kind is Kind.PTR and address.op == "gep":
            written = places.lvalue_text(address)
        elif instr.op == "load":
            written = places.lvalue_text(instr)
    return place.text if written is None else written


def _unfinished(facts: StaticFacts) -> Iterator[str]:
    if facts.reasons:
        yield f"the checks that are open may hold all the same: {'; '.join(facts.reasons)}"


def _notes(rows: list[dict[str, Any]], counts: Counter[str]) -> Iterator[str]:
    if not rows:
        yield "there is no bounds, NULL, division or assertion check in the program"
        return
    open_checks: dict[tuple[int, str], dict[str, None]] = {}
    for row in rows:
        if row["verdict"] == "open":
            open_checks.setdefault((row["line"], row["text"]), {})[_WORDS[row["kind"]]] = None
    named = [
        f"line {line} {' '.join(text.split())} ({', '.join(words)})"
        for (line, text), words in sorted(open_checks.items())
    ]
    holding = counts["proved"] + counts["unreachable"]
    note = f"bounds, NULL, division and assertion checks: {holding} of {len(rows)} hold in every run"
    if named:
        more = f" and {len(named) - MAX_NAMED_CHECKS} more" if len(named) > MAX_NAMED_CHECKS else ""
        note += f"; open: {', '.join(named[:MAX_NAMED_CHECKS])}{more}"
    yield note
