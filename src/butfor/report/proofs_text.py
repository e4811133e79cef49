"""What the proofs of checks rest on, as text: bounds of values that keep them, and statements that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import Page


def proofs_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The verdicts, projections and trusted statements; only where all is asked for."""
    data = explanation.methods.get("proofs")
    if not verbose or not isinstance(data, Mapping):
        return
    if data.get("checks"):
        yield "checks, for every execution:"
        yield from (_line(page, row, f"{row['verdict']} ({row['kind']})") for row in data["checks"])
    if data.get("projections"):
        yield "other values of these statements would violate a check that holds:"
        yield from (_line(page, row, _bounds(row)) for row in data["projections"])
    if data.get("trusted"):
        yield "statements that the proofs depend on:"
        yield from (_line(page, row, "") for row in data["trusted"])


def _line(page: Page, row: Mapping[str, Any], words: str) -> str:
    text = f"  line {row['line']}: {page.flat(row['text'])}"
    return f"{text}  {words}" if words else text


def _bounds(row: Mapping[str, Any]) -> str:
    low, high = row["low"], row["high"]
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"
