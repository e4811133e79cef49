"""`python -m tests.reliability.fuzz_recordings`: recordings changed at random are refused or explained.

Each is opened in a process of its own, so that a crash of the kernels in C is seen, with its time and memory.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from butfor import api
from butfor.errors import ButforError
from butfor.options import Options
from butfor.trace.kernel import kernel_run
from butfor.trace.kernel.structures import layout_header
from butfor.trace.log.columns import Log
from tests.reliability.mutate_recording import BODIES, KNOBS, members_of, mutated
from tests.small import saved

_PRELOADED = "BUTFOR_FUZZ_PRELOADED"  # set in the process that has the runtime of the sanitizers
MAX_SECONDS = 60.0
MAX_MB = 1500.0
BUDGET_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one changed recording."""

    kind: str  # refused, explained, partial, no-failure, internal, crash, hang, memory
    words: str
    seconds: float
    megabytes: float

    @property
    def is_fault(self) -> bool:
        """Whether that must not happen."""
        return self.kind in ("internal", "crash", "hang", "memory")


def opened(path: Path) -> tuple[str, str]:
    """What the API says about a recording."""
    knobs: dict[str, Any] = {"methods": ("slice", "cascade"), "check": True} if _PRELOADED in os.environ else {}
    try:
        answer = api.replay(path, Options(sources=(path,), budget=BUDGET_SECONDS, **knobs))
        json.dumps(answer.to_dict())
    except ButforError as error:
        return "refused", error.message
    except (MemoryError, RecursionError) as error:
        return "refused", type(error).__name__
    except Exception:
        return "internal", traceback.format_exc()
    return answer.status, ""


def outcome(path: Path) -> Outcome:
    """What becomes of a recording in a process of its own."""
    reader, writer = os.pipe()
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reader)
        kind, words = opened(path)
        os.write(writer, f"{kind}\n{words}".encode("utf-8", "replace")[:60000])
        os._exit(0)
    os.close(writer)
    said = b"hang"
    if select.select([reader], [], [], MAX_SECONDS)[0]:
        said = os.read(reader, 65536) or b"crash"
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status, used = os.wait4(child, 0)
    kind, _, words = said.decode().partition("\n")
    if os.WIFSIGNALED(status) and kind != "hang":
        kind, words = "crash", f"signal {os.WTERMSIG(status)}"
    megabytes = used.ru_maxrss / 1024
    if megabytes > MAX_MB and kind not in ("crash", "hang"):
        kind = "memory"
    return Outcome(kind, words, time.monotonic() - begun, megabytes)


def use_sanitized_kernels(folder: Path) -> None:
    """Let the kernels be built by gcc with sanitizers, and columns lie where these see an access beyond their ends."""
    if _PRELOADED not in os.environ:
        names = ("libasan.so", "libstdc++.so")  # without the latter, exceptions of z3 end the process
        found = [subprocess.run(["gcc", f"-print-file-name={n}"], capture_output=True, check=True) for n in names]
        preloaded = " ".join(os.fsdecode(done.stdout.strip()) for done in found)
        environment = {"LD_PRELOAD": preloaded, "ASAN_OPTIONS": "detect_leaks=0", _PRELOADED: "1"}
        os.execve(sys.executable, [*sys.orig_argv], {**os.environ, **environment})
    del os.environ["LD_PRELOAD"]
    (folder / "layout.h").write_text(layout_header())
    sources = sorted(Path(kernel_run.__file__).parent.glob("*.c"))
    flags = ["-O1", "-g", "-w", "-fPIC", "-shared", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += [
        "-fno-sanitize=alignment,signed-integer-overflow,shift"
    ]  # columns are packed; sums of hostile numbers wrap
    library = folder / "kernels.so"
    subprocess.run(["gcc", *flags, f"-I{folder}", *map(str, sources), "-o", str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    for module in [m for name, m in sys.modules.items() if name.startswith("butfor.") and hasattr(m, "kernels")]:
        setattr(module, "kernels", lambda: loaded)  # noqa: B010  # a function of theirs is replaced
    setattr(Log, "_open", _copied)  # noqa: B010


def _copied(log: Log, name: str, dtype: Any) -> Any:
    """A column in memory of its own, the end of which the sanitizers know."""
    return np.fromfile(log.home / name, dtype)


def main() -> int:
    """Try changed recordings and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.fuzz_recordings", description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, help="file for the figures, for docs/reliability.md")
    parser.add_argument("--sanitize", action="store_true", help="kernels with AddressSanitizer; needs gcc")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    slowest, largest = 0.0, 0.0
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        if given.sanitize:
            use_sanitized_kernels(Path(folder))
        good = {name: members_of(_saved(Path(folder), name)) for name in BODIES}
        for seed in range(given.seed, given.seed + given.count):
            name = list(good)[seed % len(good)]
            what, data = mutated(good[name], seed)
            path = Path(folder, "bad.bfr")
            path.write_bytes(data)
            found = outcome(path)
            counts[found.kind] += 1
            reasons[found.words.partition(": ")[2][:40]] += found.kind == "refused"
            slowest, largest = max(slowest, found.seconds), max(largest, found.megabytes)
            if found.is_fault:
                faults.append(f"{seed} ({name}: {what}): {found.kind}\n{found.words}")
                print(faults[-1], flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    print(dict(counts), f"slowest {slowest:.1f} s, largest {largest:.0f} MB")
    print(*reasons.most_common(40), sep="\n")
    if given.state is not None:
        given.state.write_text(
            json.dumps({"counts": counts, "slowest": slowest, "largest": largest, "seed": given.seed, "faults": faults})
        )
    used = sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{used:.0f} s of CPU")
    return 1 if faults else 0


def _saved(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir()
    return saved(place, BODIES[name], **KNOBS[name])


if __name__ == "__main__":
    sys.exit(main())
