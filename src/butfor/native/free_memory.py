"""Memory that the C library keeps back for later, given back to the machine."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


@cache
def _c_library() -> Any:
    return ctypes.CDLL(None)


def give_back() -> None:
    """Give free memory back: one hard question to a solver leaves tens of megabytes that nothing after it needs."""
    trim = getattr(_c_library(), "malloc_trim", None)  # other C libraries than GNU's have none
    if trim is not None:
        trim(0)
