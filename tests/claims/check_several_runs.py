"""Checks of claims about several failing runs at once: what avoids all of them, and what avoids none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from tests.claims.changed_runs import can_avoid
from tests.claims.check_diagnoses import MANY_TRIES, claimed_values
from tests.claims.check_relevance import avoiding_value, is_exact
from tests.claims.claim_model import Claim, FailingCase, is_modelled, judged, unchecked
from tests.claims.small_program import Node

THIS_RUN = "this run"


def check_several_runs(cases: Mapping[str, FailingCase], report: Mapping[str, Any]) -> Iterator[Claim]:
    """The claims of a report about these failing runs, by the names of their tests; the first one is explained."""
    first = next(iter(cases))
    named = {**cases, "": cases[first], THIS_RUN: cases[first]}
    yield from _diagnoses(named, report["methods"].get("diagnoses", {}))
    yield from _irrelevant(named, report["methods"].get("relevance", {}))


def _diagnoses(cases: Mapping[str, FailingCase], part: Mapping[str, Any]) -> Iterator[Claim]:
    runs = [cases[name] for name in part.get("runs", ())]
    if len(runs) < 2:
        return
    for row in part.get("sets", ()):
        if not row["proved"] and row.get("evidence") != "replayed":
            continue
        text = " + ".join(f"line {s['line']}: {s['text']}" for s in row["statements"])
        kind = f"a change of {len(row['statements'])} can avoid all failures"
        nodes = [runs[0].printed.statement_at(s["line"], s["text"]) for s in row["statements"]]
        known: list[Node] = [n for n in nodes if n is not None]
        if len(known) < len(nodes) or not all(is_modelled(n) for n in known):
            yield unchecked("diagnoses", kind, text, "a statement that stores nothing, or of no generated function")
            continue
        likely = claimed_values(row)
        found = [_avoids(run, known, likely) for run in runs]
        bad = [run.inputs for run, avoids in zip(runs, found, strict=True) if avoids is False]
        if bad and len(known) > 1:
            yield unchecked("diagnoses", kind, text, "no values were found: two needles in a haystack may exist")
        elif None in found:
            yield unchecked("diagnoses", kind, text, "a run reads anything, or points to what is not declared yet")
        else:
            reason = f"none of the values that were tried avoids the failure with inputs {bad[:1]}"
            yield judged(not bad, "diagnoses", kind, text, reason)
        if row["proved"]:
            yield from _no_part(runs, known, text)


def _avoids(run: FailingCase, nodes: Sequence[Node], likely: Sequence[int]) -> bool | None:
    return can_avoid(run, nodes, likely=likely) or can_avoid(run, nodes, MANY_TRIES, wide=True, likely=likely)


def _no_part(runs: Sequence[FailingCase], nodes: Sequence[Node], text: str) -> Iterator[Claim]:
    kind = "no part of the set can avoid all failures"
    for size in range(1, len(nodes)):
        for part in combinations(nodes, size):
            shown = ", ".join(str(runs[0].printed.line_of(n)) for n in part)
            avoids = all(can_avoid(run, part) for run in runs)
            yield judged(not avoids, "diagnoses", kind, text, f"a change of line {shown} avoids all failures")


def _irrelevant(cases: Mapping[str, FailingCase], part: Mapping[str, Any]) -> Iterator[Claim]:
    """A statement is irrelevant in each of the runs of which that is said."""
    if not is_exact(part):
        return
    for row in part.get("statements", ()):
        for name, verdict in (row.get("traces") or {}).items():
            if verdict != "irrelevant" or name not in cases or row["control"]:
                continue
            case = cases[name]
            text = f"line {row['line']}: {row['text']}: irrelevant with inputs {case.inputs}"
            kind = "irrelevant in one of several runs"
            node = case.printed.statement_at(row["line"], row["text"])
            if node is None or not is_modelled(node):
                yield unchecked("relevance", kind, text, "a statement that stores nothing")
                continue
            why = avoiding_value(case, node)
            yield judged(not why, "relevance", kind, text, why)
