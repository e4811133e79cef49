"""The explanation as one JSON object."""

from __future__ import annotations

import json

from butfor.explanation import Explanation


def render(explanation: Explanation) -> str:
    """The report, valid JSON for every reader, ending in a newline; to be written as UTF-8."""
    return json.dumps(explanation.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
