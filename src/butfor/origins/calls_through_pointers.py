"""Calls through pointers to functions that a value came back from: another pointer would have given another value."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.origins.run_words import RunWords
from butfor.origins.value_origins import Origin
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place


def calls_through_pointers(words: RunWords, origin: Origin) -> Iterator[tuple[Node, Place, Node, str]]:
    """Each such call with its statement, the instance that gave the pointer, and its name in the source."""
    trace = words.trace
    returns = (n for n in origin.through if n[1] >= 0 and trace.instr(n).op == "ret")
    calls = (call for n in returns if (call := trace.call_of(n[0])) is not None)
    for call in (c for c in calls if trace.instr(c).callee is None):
        place = words.place(call)
        pointer = words.definition(call[0], trace.instr(call).args[-1])
        name = words.pointer_name(pointer) if pointer is not None else ""
        if place is not None and pointer is not None and name:
            yield call, place, pointer, name
