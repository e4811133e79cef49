"""Stores to variables by their names, whose addresses are not logged."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.ir.instructions import Function
from butfor.trace.trace import Node, Trace
from butfor.trace.view.global_variables import GlobalVariables


class NamedStores:
    """Which functions may name a variable, and their latest stores."""

    def __init__(self, trace: Trace, variables: GlobalVariables) -> None:
        self.trace = trace
        self.log = trace.log
        self.variables = variables

    def owners(self, address: int, i: int) -> Iterator[tuple[Function, int | str, int, int | None]]:
        """Functions that may name the variable at an address.

        With each: the variable as slot or name, where it starts, and the frame of a local.
        """
        found = self.variables.at(address)
        if found is not None:
            name, offset = found
            for function in self.trace.executed_functions:
                yield self.trace.program.function(function), name, address - offset, None
            return
        frame = self.trace.frame_holding(address, i)
        if frame is None:
            return
        base = int(self.log.frame["base"][frame])
        s = self.trace.at(int(self.log.frame["entry"][frame]))
        slots = s.layout.frame
        slot = max((k for k, off in slots.items() if base + off <= address), key=slots.__getitem__, default=None)
        if slot is not None:
            yield s.fn, slot, base + slots[slot], frame

    def latest(self, fn: Function, n: int, node: Node, frame: int | None) -> Node | None:
        """The latest earlier instance of instruction n of a function, in a frame if one is given."""
        places = self.log.positions(self.trace.static.defining_segment(fn, n))
        k = int(places.searchsorted(node[0], "right")) - 1
        entry = 0 if frame is None else int(self.log.frame["entry"][frame])
        while k >= 0 and places[k] >= entry:
            at = (int(places[k]), n)
            if at < node and (frame is None or self.log.frame_of(at[0]) == frame):
                return at
            k -= 1
        return None
