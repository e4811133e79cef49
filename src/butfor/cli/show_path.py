"""Print the failing path that was lifted from a run.

python -m butfor.cli.show_path prog.c [--free] [--check] -- ARGS
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.find_failure import verdict_on
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.logic.solvers import Limit
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.options import Options
from butfor.path.path_text import path_text
from butfor.path.verify_path import verify
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

_BUDGET_SECONDS = 30.0  # the default of `butfor explain`


def main(words: list[str]) -> int:
    """The exit status, after recording the run and printing its path."""
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(prog="python -m butfor.cli.show_path", description=__doc__)
    parser.add_argument("source", type=Path, nargs="+")
    parser.add_argument("--free", action="store_true", help="inputs may be anything")
    parser.add_argument("--check", action="store_true", help="verify the path, also by a solver")
    parser.add_argument("--stdin", type=Path)
    parser.add_argument("--expect-stdout", type=Path)
    parser.add_argument("--nondet", type=int, nargs="*", default=[])
    given = parser.parse_args(words[:at])
    expected = given.expect_stdout.read_bytes() if given.expect_stdout else None
    stdin = given.stdin.read_bytes() if given.stdin else None
    options = Options(
        sources=tuple(given.source),
        args=tuple(words[at + 1 :]),
        stdin=stdin,
        nondet=tuple(given.nondet),
        expect_stdout=expected,
    )
    try:
        print(_path_in_words(options, given.free, given.check))
    except ButforError as e:
        print(f"{e.message}", file=sys.stderr)
        return int(e.exit_code)
    return 0


def _path_in_words(options: Options, free: bool, checked: bool) -> str:
    def quiet(text: str) -> None:
        del text

    recording = record(options, compile_program(options, quiet), quiet)
    dependence = Dependence(recording.trace)
    places = Places(recording)
    failure = verdict_on(recording, places, dependence, options).failure
    if failure is None:
        return "the program did not fail"
    case = FailingRun(recording, failure, dependence, places, options, Budget(_BUDGET_SECONDS))
    path = case.free_path if free else case.path
    lines = [path_text(path)]
    if checked:
        verdict = verify(path, Limit.after(_BUDGET_SECONDS))
        lines += [*verdict.wrong, f"the check cannot hold along the path: {verdict.forced.value}"]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
