"""What a campaign found, as tables."""

from __future__ import annotations

import os
import platform
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from tests.claims.campaign import Tally
from tests.claims.campaign_state import CampaignState
from tests.claims.claim_model import Verdict

BEGIN, END = "<!-- written by the campaign -->", "<!-- end of what the campaign wrote -->"
REASONS_SHOWN = 25


def table(tally: Tally) -> str:
    """The counts by language, method and kind of claim, and why claims were not checked."""
    lines = [*_rows(tally, by_kind=True), "", "Not checked, and why:", "", *_reasons(tally, len(tally.reasons))]
    total = (
        f"{tally.checked} claims checked, {len(tally.refuted)} refuted: {tally.programs} programs, {tally.runs} runs"
    )
    return "\n".join([*lines, "", total, *(f"error: {e}" for e in tally.errors)])


def _rows(tally: Tally, *, by_kind: bool) -> list[str]:
    """A table with a row for each method, or each kind of claim, in each language."""
    rows: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for (language, method, kind, verdict), n in tally.counts.items():
        rows[(language, method, kind) if by_kind else (language, method)][verdict] += n
    names = ("language", "method", *(("claim",) if by_kind else ()), "checked", "refuted", "not checked")
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for key, counts in sorted(rows.items()):
        bad, unchecked = counts[Verdict.REFUTED.value], counts[Verdict.UNCHECKED.value]
        lines.append(f"| {' | '.join(key)} | {counts[Verdict.HELD.value] + bad:,} | {bad} | {unchecked:,} |")
    return lines


def _reasons(tally: Tally, most: int) -> list[str]:
    return [f"- {n:,} of {method}, {kind}: {why}" for (method, kind, why), n in tally.reasons.most_common(most)]


def results(state: CampaignState) -> str:
    """The section of a document about a campaign: when and where it ran, what it counted."""
    t = state.tally
    version = " and ".join(state.versions)
    said = (
        f"{datetime.now(UTC):%d %B %Y}, commit {version}, Python {platform.python_version()}, {_machine()}: "
        f"seeds {state.first} to {state.next - 1} of {', '.join(state.kinds)}; {t.programs:,} programs, "
        f"{t.runs:,} failing runs, {t.cpu_seconds:,.0f} s of CPU time. **{t.checked:,} claims were checked, "
        f"{len(t.refuted)} were refuted**; butfor itself failed {len(t.errors)} times."
    )
    shown = _reasons(t, REASONS_SHOWN)
    more = sum(t.reasons.values()) - sum(n for _, n in t.reasons.most_common(REASONS_SHOWN))
    rest = [f"- {more:,} for other reasons"] if more else []
    bad = [f"- refuted: {r['seed']}, {r['method']}, {r['kind']}: {r['claim']}" for r in t.refuted]
    return "\n".join([said, "", *_rows(t, by_kind=False), "", "Not checked, and why:", "", *shown, *rest, *bad])


def _machine() -> str:
    """The processor, and how many cores there are."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return f"{found[1] if found else platform.machine()}, {os.cpu_count()} cores"


def with_results(text: str, section: str) -> str:
    """A document with a section between its two marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the file has no lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{section}\n\n{END}{after}"
