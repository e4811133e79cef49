"""`python -m tests.reliability.signal_campaign`: signals at random moments of an explanation."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.reliability.test_signals import PROGRAM, SIGNALS, calls_of_a_whole_run, check_ending


def main() -> int:
    """Send signals, and print at how many moments butfor did not end as it should."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.signal_campaign", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, help="file for the figures, for docs/reliability.md")
    given = parser.parse_args()
    rng, sent, wrong = random.Random(given.seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "work")
        place.mkdir()
        Path(folder, "scratch").mkdir()
        (place / "prog.c").write_text(PROGRAM)
        whole = calls_of_a_whole_run(place)
        for k in range(given.count):
            number = SIGNALS[k % len(SIGNALS)]
            sent[number.name] += 1
            try:
                check_ending(place, number, rng.randrange(1, whole))
            except AssertionError as error:
                wrong.append(str(error))
                print(wrong[-1], flush=True)
    print(dict(sent), f"{len(wrong)} wrong, of {whole} moments")
    if given.state is not None:
        given.state.write_text(json.dumps({"sent": sent, "wrong": wrong, "moments": whole, "seed": given.seed}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
