"""How much a confirmed change says about the statement it was made at.

The weights are log-odds, read off logistic regressions over seeded faults and rounded by hand. They were chosen while looking at all programs;
weights fitted on one half of the programs alone (bench/ranking.py) do as well on the other half: the fault is among the first five in 78 %
there, with these in 79 %.
That a change avoids the failure is much; how natural an edit it is, and how little else it would change on other
inputs, tells the fault from its bystanders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from butfor.intervene.experiment import Confirmed

FAMILIES: Mapping[str, float] = {
    "boundary": 2.2,
    "size": 1.2,
    "operand": 0.6,
    "flip": 0.5,
    "relation": 0.3,
    "operator": 0.3,
    "member": 0.3,
    "call": 0.2,
    "initial": 0.2,
    "literal": 0.1,
    "variable": 0.0,
    "index": -0.1,
    "shift": -0.1,
    "force": -0.1,
    "near": -0.2,
    "reversed": 0.5,
    "truth": -0.4,
    "named": -0.4,
    "compound": -0.4,
    "value": -0.7,
    "keep": -0.7,
    "case": -0.8,
    "skip": -1.0,
    "once": -1.2,
}
_BASE = 2.7
SCALE = 10.0
_ELSEWHERE = -2.0  # for a change that alters the output on all other inputs
_UNKNOWN = 0.5  # the share of other inputs it alters, when none was tried
_BYPASS = -1.0  # the place of the failure was not reached any more
_DIRECT = -1.0  # it overrides what is printed: of course that helps
_OTHER_OUTPUT = -0.5  # what was written before the failure would differ
_ERRORS = -0.5  # memory errors of the failing run are still there
_AVOIDS, _BREAKS = 1.5, -3.0  # other failing tests that it mends, passing tests that it breaks: all of them
_LEAST = 4  # other inputs that make a share


def weights_of(inputs: Sequence[Sequence[int]]) -> list[float]:
    """How much each of the other inputs tells: little when most changes matter there, for then the program probably fails there too."""
    count = max((len(effects) for effects in inputs), default=0)
    found = []
    for k in range(count):
        column = [effects[k] for effects in inputs if len(effects) > k]
        found.append(max(0.05, 1.0 - sum(e == 2 for e in column) / len(column)))
    return found


def strength(c: Confirmed, weights: Sequence[float], failing: int, passing: int) -> float:
    """The log-odds that one change gives to its statement. `failing` and `passing` are the other tests that were tried."""
    total = _BASE + FAMILIES[c.candidate.family] + _ELSEWHERE * _share(c, weights)
    if c.is_direct:
        total += _DIRECT
    if not c.passes:
        total += _BYPASS
    if not c.keeps:
        total += _OTHER_OUTPUT
    if not c.is_clean:
        total += _ERRORS
    if failing:
        total += _AVOIDS * c.avoids / failing
    if passing:
        total += _BREAKS * c.breaks / passing
    return total


def _share(c: Confirmed, weights: Sequence[float]) -> float:
    """The share of other inputs whose output the change alters."""
    if len(c.elsewhere) < _LEAST:
        return _UNKNOWN
    used = weights[: len(c.elsewhere)]
    return sum(w for w, effect in zip(used, c.elsewhere, strict=True) if effect == 2) / sum(used)


def score_of(log_odds: float) -> float:
    """Log-odds as a number from 0 to 1; the ranking multiplies it by `SCALE` again."""
    return min(max(log_odds / SCALE, 0.0), 1.0)
