"""The other tests of a program, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.run_program import RunSpec


@dataclass(frozen=True, slots=True)
class OtherRun:
    """Another test of the program: how to run it, what it should do, whether it fails, and which segments it ran."""

    name: str
    spec: RunSpec
    expect_stdout: bytes | None
    expect_exit: int | None
    failed: bool
    covered: NDArray[np.bool_]
