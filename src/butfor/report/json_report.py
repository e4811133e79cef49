"""The explanation as one JSON object."""

from __future__ import annotations

import json
from typing import Any

from butfor.explanation import Explanation


def render(explanation: Explanation) -> str:
    """The report, valid JSON for every reader, ending in a newline; to be written as UTF-8."""
    return json_text(explanation.to_dict())


def json_text(value: Any) -> str:
    """Plain values as JSON that a terminal shows but never obeys: what is not a visible character is written as an escape."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if text.isascii():  # json has escaped control characters
        return text
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
