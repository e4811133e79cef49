"""`python -m tests.claims`: try to refute what butfor claims, on generated programs.

    python -m tests.claims --claims 100000 --seed 1 --state FILE --write docs/claims.md

All cores work; seeds that are done are kept in the state file, so that a run that was stopped goes on where it was.
Exit status 1 when a claim was refuted or butfor crashed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from tests.claims.campaign import shrunk_refutation
from tests.claims.campaign_state import CampaignState
from tests.claims.generate_program import KINDS
from tests.claims.results import results, table, with_results


def main() -> int:
    """Run the campaign and print its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.claims", description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000, help="how many claims to check (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=Path, help="file in which the counts are kept, to go on from")
    parser.add_argument("--shrink", action="store_true", help="make the programs of refuted claims small")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"kinds of programs (default {','.join(KINDS)})")
    parser.add_argument("--write", type=Path, help="write the table into this file, between its two marks")
    given = parser.parse_args()
    state = CampaignState(given.state, given.seed, tuple(given.kinds.split(",")))
    state.run(given.claims, given.jobs)
    print(table(state.tally))
    for found in one_of_each(state.tally.refuted):
        print(_refutation(shrunk_refutation(found) if given.shrink else found))
    if given.write is not None:
        given.write.write_text(with_results(given.write.read_text(), results(state)))
    return 1 if state.tally.refuted or state.tally.errors else 0


def one_of_each(refuted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first refutation of each kind of claim."""
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    for found in refuted:
        first.setdefault((found["language"], found["method"], found["kind"]), found)
    return list(first.values())


def _refutation(found: dict[str, Any]) -> str:
    said = f"{found['method']}, {found['kind']}: {found['claim']}"
    asked = f", asked with {found['asked_with']}" if found["asked_with"] else ""
    where = f"{found['seed']}, inputs {found['inputs']}{asked}"
    return f"\nREFUTED ({where}) {said}\n{found['refuted_by']}\n{found['program']}"


if __name__ == "__main__":
    sys.exit(main())
