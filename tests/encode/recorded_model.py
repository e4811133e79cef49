"""The run as a model: recorded values for the variables of a trace formula."""

from __future__ import annotations

import re

from butfor.encode.instance_values import InstanceValues
from butfor.logic.solvers.solver import Problem
from butfor.trace.trace import Node, Trace

_NAME = re.compile(r"([a-z]+)(\d+)_(\d+)(?:_\d+)?")


def environment(trace: Trace, problem: Problem[Node]) -> dict[str, int]:
    """The recorded values of the problem's variables: a model of all groups, and not of the goal."""
    values = InstanceValues(trace)
    found: dict[str, int] = {}
    for v in problem.variables():
        name = str(v.data)
        kind, i, n = _NAME.fullmatch(name).groups()  # type: ignore[union-attr]  # made by this layer only
        match kind:
            case "v" | "p":
                found[name] = values.recorded((int(i), int(n) if kind == "v" else ~int(n)))
            case "s":
                found[name] = int.from_bytes(trace.stored_bytes((int(i), int(n))), "little")
            case _:
                found[name] = int(kind == "a")
    return found
