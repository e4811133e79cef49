"""The explanation as one JSON object."""

from __future__ import annotations

import json
from typing import Any

from butfor.explanation import Explanation


def render(explanation: Explanation) -> str:
    """The report, ending in a newline; strict JSON, to be written as UTF-8."""
    return json_text(explanation.to_dict())


def json_text(value: Any) -> str:
    """Plain values as JSON that a terminal shows but never obeys: characters that are not visible are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if text.isascii():  # then json.dumps has escaped all that is not visible
        return text
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
