"""The whole answer of a batch as one JSON object; its groups are what `--baseline` reads."""

from __future__ import annotations

from butfor.batch.batch_result import BatchResult
from butfor.report.json_report import json_text


def render(result: BatchResult) -> str:
    """The object, ending in a newline."""
    return json_text(result.to_dict())
