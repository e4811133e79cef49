"""How high the ranking puts seeded faults, from one failing run, with tests, and without some methods.

The weights (counterfactual/evidence_strength.py, ranking/rank.py) were fitted on half a and on programs that are not in
the repository; half b was held out.
"""

from __future__ import annotations

import json
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import butfor.api
from butfor.explanation import Explanation
from butfor.options import Options
from tests.seeded_corpus import Fault, Seeded, faults, load, options, smallest_failing

EVERY = 3  # of the faults, in the order of the file, are enough for the settings that are only compared
_WHOLE = ("one run", "with tests")  # what people get: measured on all faults
TOPS = (1, 3, 5, 10)
SETTINGS: dict[str, tuple[str, ...]] = {
    "one run": (),  # what is done by default
    "without edits": ("slice", "cascade", "output", "hazards", "butfor"),
    "without interventions": ("slice", "cascade", "output", "hazards"),
    "without the tree": ("slice", "output", "hazards", "butfor"),
    "interventions only": ("butfor",),
    "with tests": (),
}


def half_of(program: str) -> str:
    """The half of the benchmark that a program belongs to; weights are to be fitted on half a only."""
    return "ab"[zlib.crc32(f"S:{program}".encode()) % 2]


def tests_file(seeded: Seeded, folder: Path) -> Path:
    """All tests of a program as a file for `--tests`."""
    rows = [
        {
            "name": str(t.number),
            "args": t.args,
            "stdin": t.stdin.decode(),
            "expect_stdout": t.expect_stdout.decode(),
            "expect_exit": t.expect_exit,
        }
        for t in (*seeded.failing, *seeded.passing)
    ]
    path = folder / "tests.json"
    path.write_text(json.dumps({"tests": rows}))
    return path


def explained(seeded: Seeded, setting: str) -> Explanation:
    """The explanation under one setting."""
    if setting != "with tests":
        return butfor.api.explain(options(seeded, smallest_failing(seeded), methods=SETTINGS[setting]))
    with tempfile.TemporaryDirectory(prefix="butfor-bench-") as name:
        knobs = Options(
            sources=(seeded.path,), tests=tests_file(seeded, Path(name)), methods=SETTINGS[setting], time_limit=2.0
        )
        return butfor.api.explain(knobs)


def rank_of(fault: Fault, setting: str) -> int:
    """The rank of the first statement of the fault, 0 when it is in no row."""
    seeded = load(fault)
    for row in explained(seeded, setting).ranking:
        if {row.line, *(also.line for also in row.also)} & seeded.fault_lines:
            return row.rank
    return 0


def table(chosen: dict[str, list[Fault]]) -> Iterator[str]:
    """One line per setting and half, with the faults chosen for the setting."""
    yield f"{'setting':<24}{'half':>6}{'faults':>8}" + "".join(f"{f'top-{k}':>10}" for k in TOPS)
    for setting, some in chosen.items():
        ranks = [rank_of(fault, setting) for fault in some]  # one at a time, as people do: butfor itself uses all cores
        for half in ("a", "b", "ab"):
            found = [r for r, fault in zip(ranks, some, strict=True) if half_of(fault.program) in half]
            shares = "".join(f"{sum(0 < r <= k for r in found) / max(len(found), 1):>10.0%}" for k in TOPS)
            yield f"{setting:<24}{half if len(half) == 1 else 'all':>6}{len(found):>8}{shares}"


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield from table({setting: list(faults())[:: 1 if setting in _WHOLE else EVERY] for setting in SETTINGS})


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
