"""One line of JSON for each run."""

from __future__ import annotations

import json

from butfor.batch.batch_result import BatchResult, ItemResult


def render(result: BatchResult) -> str:
    """The lines, in the order of the manifest."""
    return "".join(map(line_of, result.items))


def line_of(item: ItemResult) -> str:
    """The line of one run."""
    return json.dumps(item.to_dict(), ensure_ascii=True, allow_nan=False) + "\n"
