"""`python -m tests.reliability.write_page FOLDER`: docs/reliability.md from the figures that the campaigns have kept.

Only what was measured stands on the page: a campaign that left no figures in the folder has no section.
"""

from __future__ import annotations

import importlib.metadata as metadata
import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"


def main() -> int:
    """Write the page."""
    folder = Path(sys.argv[1])
    figures = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    PAGE.write_text("\n".join(page(figures)) + "\n")
    return 0


def page(figures: dict[str, Any]) -> Iterator[str]:
    """The lines of the page."""
    yield "# Reliability"
    yield ""
    yield "Written by `make reliability` from what `make fuzz`, `make soak` and `make faults` measured. What butfor"
    yield "claims about programs is tried elsewhere: [claims.md](claims.md). What it promises on code that is not"
    yield "trusted: [SECURITY.md](../SECURITY.md)."
    yield ""
    yield f"Written on {datetime.now(UTC):%d %B %Y} at commit {_commit()}, Python {platform.python_version()}."
    for name, section in (("recordings", _recordings), ("sanitized", _sanitized), ("parsers", _parsers)):
        if name in figures:
            yield from ("", *section(figures[name]))
    for name in sorted(name for name in figures if name.startswith("soak")):
        yield from ("", *_soak(figures[name]))
    if "signals" in figures:
        yield from ("", *_signals(figures["signals"]))
    yield from ("", *_licences())


def _recordings(found: dict[str, Any], how: str = "") -> Iterator[str]:
    counts = found["counts"]
    faults = sum(counts.get(kind, 0) for kind in ("internal", "crash", "hang", "memory"))
    yield f"## Recordings changed at random{how}"
    yield ""
    yield "Bits, lengths, numbers, columns, code, the description; the checksum is right but for one in eight."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| recordings | {sum(counts.values()):,} (seeds from {found['seed']}) |"
    for kind, words in (
        ("refused", "refused with a reason"),
        ("explained", "explained"),
        ("partial", "explained in part"),
        ("no-failure", "no failure seen"),
    ):
        yield f"| {words} | {counts.get(kind, 0):,} |"
    yield f"| internal errors, crashes, hangs, more than 1.5 GB | {faults:,} |"
    yield f"| slowest, largest | {found['slowest']:.1f} s, {found['largest']:.0f} MB |"


def _sanitized(found: dict[str, Any]) -> Iterator[str]:
    yield from _recordings(found, ", read by kernels with AddressSanitizer and UBSan")


def _parsers(found: dict[str, Any]) -> Iterator[str]:
    yield "## Fuzzing of what reads files"
    yield ""
    yield f"Guided by coverage (atheris), {found['seconds']} s for each. *Accepted* inputs got past the reader."
    yield "Inputs of faults are kept in `tests/reliability/found` when they are mended, and tests read them again."
    yield ""
    yield "| reader | inputs | accepted | slowest | faults |"
    yield "|---|---|---|---|---|"
    for name, row in found["targets"].items():
        faults = len(row["faults"]) + bool(row["status"] and not row["faults"])
        yield f"| {name} | {row['tried']:,} | {row['accepted']:,} | {row['slowest']:.1f} s | {faults} |"


def _soak(found: dict[str, Any]) -> Iterator[str]:
    processes = "one process" if found["jobs"] == 1 else f"{found['jobs']} processes at once"
    yield f"## Soak: {processes}"
    yield ""
    yield "Generated failing programs, explained with all methods, one after the other; what each leaves is looked for."
    yield ""
    yield "| explanations | a minute | CPU | partial | errors | things left | memory: first, last, growth for 1,000 |"
    yield "|---|---|---|---|---|---|---|"
    for part in found["parts"]:
        minutes = part["seconds"] / 60
        memory = f"{part['memory'][0][1]:.0f} MB, {part['memory'][-1][1]:.0f} MB, {part['growth']:.0f} MB"
        yield (
            f"| {part['explained']:,} | {part['explained'] / minutes:.0f} | {part['cpu_seconds']:,.0f} s "
            f"| {part['partial']} | {len(part['errors'])} | {len(part['left'])} | {memory} |"
        )


def _signals(found: dict[str, Any]) -> Iterator[str]:
    sent = ", ".join(f"{count} {name}" for name, count in sorted(found["sent"].items()))
    yield "## Signals"
    yield ""
    yield f"An explanation calls {found['moments']:,} functions; a signal came after a random number of them: {sent}."
    yield f"It did not end as it should, or left something, {len(found['wrong'])} times."


def _licences() -> Iterator[str]:
    """What butfor needs to run, with the licences that the packages state."""
    yield "## Licences of what butfor needs"
    yield ""
    yield "| package | licence |"
    yield "|---|---|"
    for line in sorted(metadata.requires("butfor") or (), key=str.lower):
        if "extra ==" in line:
            continue
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        yield f"| {name} | {_licence(metadata.metadata(name).json)} |"


def _licence(said: dict[str, Any]) -> str:
    """What a package states: an expression, else classifiers, else the first line of a text."""
    classifiers = [c.rpartition(" :: ")[2] for c in said.get("classifier", ()) if c.startswith("License ::")]
    stated = said.get("license_expression") or ", ".join(classifiers) or said.get("license") or "not stated"
    return str(stated).splitlines()[0][:60]


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
