"""Checks of diagnoses: values for the statements of a set are searched for; none may do for a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from tests.claims.changed_runs import can_avoid
from tests.claims.check_relevance import parse_value
from tests.claims.claim_model import Claim, FailingCase, is_modelled, judged, unchecked
from tests.claims.small_program import Node

MANY_TRIES = 10_000  # before it is said that no values avoid the failure


def claimed_values(row: dict[str, Any]) -> list[int]:
    """The numbers with which the failure is said to be avoided."""
    changes = [change for run in row.get("confirmed_by", {}).values() for change in run]
    return [value for c in changes if isinstance(value := parse_value(c["value"]), int)]


def check_diagnoses(case: FailingCase) -> Iterator[Claim]:
    """The sets that are proved: each can avoid the failure, and no part of it can."""
    for row in case.method("diagnoses").get("sets", ()):
        if not row["proved"] and row.get("evidence") != "replayed":
            continue
        text = " + ".join(f"line {s['line']}: {s['text']}" for s in row["statements"])
        kind = f"a change of {len(row['statements'])} can avoid it"
        nodes = [case.printed.statement_at(s["line"], s["text"]) for s in row["statements"]]
        known: list[Node] = [n for n in nodes if n is not None]
        if len(known) < len(nodes):
            yield unchecked("diagnoses", kind, text, "the statement is in no function of the generated program")
            continue
        if not all(is_modelled(n) for n in known):
            yield unchecked("diagnoses", kind, text, "a statement that stores nothing")
            continue
        likely = claimed_values(row)
        avoids = can_avoid(case, known, likely=likely) or can_avoid(case, known, MANY_TRIES, wide=True, likely=likely)
        if avoids is None:
            yield unchecked("diagnoses", kind, text, "a run reads anything, or points to what is not declared yet")
        elif not avoids and len(known) > 1:
            yield unchecked("diagnoses", kind, text, "no values were found: two needles in a haystack may exist")
        else:
            reason = "none of the values that were tried avoids the failure"
            yield judged(avoids, "diagnoses", kind, text, reason)
        for size in range(1, len(known) if row["proved"] else 1):
            for part in combinations(known, size):
                shown = ", ".join(str(case.printed.line_of(n)) for n in part)
                yield judged(
                    not can_avoid(case, part),
                    "diagnoses",
                    "no part of the set can avoid it",
                    text,
                    f"a change of line {shown} avoids the failure",
                )
