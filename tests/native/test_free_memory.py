"""Memory that was freed goes back to the machine."""

from __future__ import annotations

import subprocess
import sys

MEASURE = """
import ctypes
from pathlib import Path
from butfor.native.free_memory import give_back
c = ctypes.CDLL(None)
c.malloc.restype = ctypes.c_void_p
c.free.argtypes = (ctypes.c_void_p,)
resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096
blocks = [c.malloc(4096) for _ in range(20_000)]
for block in blocks:
    ctypes.memset(block, 1, 4096)
for block in blocks[:-1]:  # the last one keeps the heap as long as it is
    c.free(block)
before = resident()
give_back()
print(before - resident())
"""


def test_free_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 60 * 2**20
