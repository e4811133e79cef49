"""What an edge adds to the distance from the failure, by its kind and its target."""

from __future__ import annotations

from butfor.ir.instructions import Instr

UNIT = 100  # costs are whole hundredths, so that sums do not depend on their order
COSTS = {
    "data": 100,
    "call": 100,
    "control": 150,
    "guard": 300,
    "address": 200,
    "potential": 300,
}
_STATEMENTS = frozenset(("store", "ret", "br", "switch", "indirectbr", "atomicrmw", "cmpxchg"))


def costs_as_target(instr: Instr, is_guard: bool) -> tuple[int, int, int]:
    """The costs of a data, an address and a control edge to an instance of an instruction.

    Nearly nothing within an expression, that of its kind from statement to statement.
    """
    data = COSTS["data"] if instr.op in _STATEMENTS else 10 if instr.op == "call" else 1
    address = COSTS["address"] - UNIT if instr.op in ("gep", "alloca") else COSTS["address"]
    return data, address, COSTS["guard"] if is_guard else COSTS["control"]
