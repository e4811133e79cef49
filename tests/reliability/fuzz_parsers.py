"""`python -m tests.reliability.fuzz_parsers`: coverage-guided fuzzing (atheris) of everything that reads a file.

Each target reads bytes as one of butfor's readers does. It may refuse them with an error of butfor; any other
exception, a hang or a crash is a fault. Inputs that were accepted are counted apart: a fuzzer whose inputs are all
refused at the door shows nothing. `--save` keeps the input of each fault in tests/reliability/found; tests read these.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from butfor.errors import ButforError
from tests.reliability.fuzz_targets import TARGETS, Target

FOUND = Path(__file__).parent / "found"
MAX_BYTES = 4096
MAX_SECONDS_PER_INPUT = 20
MAX_MB = 2048
_SECONDS_BETWEEN_WRITES = 1.0  # of the counts: libFuzzer ends the process without a word


class Counts:
    """What became of the inputs of one target."""

    def __init__(self, target: Target, to: Path) -> None:
        self.target = target
        self.to = to
        self.tried = self.accepted = 0
        self.slowest = self.written = 0.0
        self.faults: dict[str, str] = {}

    def one(self, data: bytes) -> None:
        """Let the target read one input."""
        begun = time.monotonic()
        self.tried += 1
        try:
            self.accepted += verdict(self.target, data) == "accepted"
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            key = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            if key not in self.faults:
                self.faults[key] = data.hex()
                print(f"{self.target.name}: {key}\n{traceback.format_exc()}", flush=True)
                self.write()
        self.slowest = max(self.slowest, time.monotonic() - begun)
        if time.monotonic() - self.written > _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Keep the counts."""
        self.written = time.monotonic()
        known = {k: getattr(self, k) for k in ("tried", "accepted", "slowest", "faults")}
        self.to.write_text(json.dumps(known))


def verdict(target: Target, data: bytes) -> str:
    """ "accepted" or "refused"; other exceptions than those that say so come out."""
    try:
        target.read(data)
    except (ButforError, RecursionError):
        return "refused"
    return "accepted"


def fuzz(target: Target, seconds: int, to: Path) -> None:
    """Fuzz one target; the process ends with it."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # late: it is optional

    with atheris.instrument_imports(include=["butfor"]):
        for module in target.modules:
            __import__(module)
    counts = Counts(target, to)
    counts.write()
    with tempfile.TemporaryDirectory() as corpus:
        for k, seed in enumerate(target.seeds()):
            Path(corpus, f"seed{k}").write_bytes(seed)
        arguments = [f"-max_total_time={seconds}", f"-timeout={MAX_SECONDS_PER_INPUT}", f"-rss_limit_mb={MAX_MB}"]
        arguments += [f"-max_len={MAX_BYTES}", "-verbosity=0", "-print_final_stats=0"]
        atheris.Setup([sys.argv[0], *arguments, corpus], counts.one)
        atheris.Fuzz()


def main() -> int:
    """Fuzz all targets, one after the other, each in a process of its own, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.fuzz_parsers", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    parser.add_argument("--target", choices=[t.name for t in TARGETS], help="only this one")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="keep the inputs of faults as tests")
    parser.add_argument("--state", type=Path, help="file for the figures, for docs/reliability.md")
    given = parser.parse_args()
    chosen = [t for t in TARGETS if given.target in (None, t.name)]
    if given.inside is not None:
        fuzz(chosen[0], given.seconds, given.inside)
        return 0
    rows = {target.name: _in_process(target, given.seconds) for target in chosen}
    for name, row in rows.items():
        print(
            f"{name}: {row['tried']} inputs, {row['accepted']} accepted, slowest {row['slowest']:.1f} s, "
            f"{len(row['faults'])} faults, ended with {row['status']}"
        )
        for data in row["faults"].values() if given.save else ():
            _keep(name, bytes.fromhex(data))
    if given.state is not None:
        given.state.write_text(json.dumps({"seconds": given.seconds, "targets": rows}))
    return 1 if any(row["faults"] or row["status"] for row in rows.values()) else 0


def _in_process(target: Target, seconds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "counts")
        command = [sys.executable, "-m", "tests.reliability.fuzz_parsers", "--target", target.name]
        command += ["--seconds", str(seconds), "--inside", str(to)]
        environment = {**os.environ, "TMPDIR": folder}
        done = subprocess.run(command, cwd=folder_of_tests(), env=environment, check=False, stderr=subprocess.PIPE)
        if done.returncode:
            print(done.stderr.decode("utf-8", "replace")[-3000:])
        return {**json.loads(to.read_text()), "status": done.returncode}


def folder_of_tests() -> Path:
    """The folder above `tests`."""
    return Path(__file__).parents[2]


def _keep(name: str, data: bytes) -> None:
    FOUND.mkdir(exist_ok=True)
    (FOUND / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
