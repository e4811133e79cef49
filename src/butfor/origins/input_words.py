"""Input that a value came from, in words: an argument of the command line, or a piece of standard input."""

from __future__ import annotations

from butfor.origins.run_words import RunWords
from butfor.trace.log.record_layout import STDIN_STREAM, EventKind
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.string_literals import string_literal

_MAX_BYTES_SHOWN = 40  # of an input within a sentence


def input_words(words: RunWords, node: Node, event: int = 0, address_of: Node | None = None) -> str:
    """What a library call read from outside, or where an address points to; "" where it is no input."""
    if address_of is not None:
        return _argument(words, _value(words, address_of))
    events = [event - 1] if event else words.log.events_of(node[0])
    for k in events:
        e = words.log.event[k]
        kind = int(e["kind"])
        if kind == EventKind.INPUT and int(e["stream"]) == STDIN_STREAM:
            return _standard_input(words, int(e["addr2"].astype("int64")), int(e["len"]))
        if kind == EventKind.READ_BY_CALL:
            found = _argument(words, int(e["addr"]))
            if found:
                return f"it read {found}"
    return ""


def _value(words: RunWords, node: Node) -> int:
    try:
        value = words.trace.value(node)
    except UnknownValue:
        return 0
    return value if isinstance(value, int) else 0


def _argument(words: RunWords, address: int) -> str:
    for k, (start, length) in enumerate(words.places.recording.arguments):
        if start <= address < start + length and k:
            text = words.places.recording.meta.args[k - 1].encode("utf-8", "surrogateescape")
            return f"argument {k} of the command line, {string_literal(text[:_MAX_BYTES_SHOWN])}"
    return ""


def _standard_input(words: RunWords, offset: int, length: int) -> str:
    path = words.places.recording.home / "stdin"
    data = path.read_bytes() if path.exists() else b""
    if offset < 0 or offset >= len(data):
        return "standard input had ended" if offset >= len(data) else "it was read from standard input"
    line = data.count(b"\n", 0, offset) + 1
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    shown = data[start : len(data) if end < 0 else end][:_MAX_BYTES_SHOWN]
    return f"it was read from line {line} of standard input, {string_literal(shown)}"
