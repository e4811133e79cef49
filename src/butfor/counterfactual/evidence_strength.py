"""How much a confirmed change says about the statement it was made at.

That a change avoids the failure is much; how natural an edit it is, and how little else it would change on other inputs, tells the fault from its
bystanders. The weights are log-odds: a conditional logit over the statements of each failing run, fitted on 147 faults that people made in small
programs, 127 faults of older test suites and half a of the seeded faults (bench/ranking.py), and rounded. Half b of those was held out.
Set by hand, for want of faults that tell: the weights of `size`, `solved` and `term`, of a change that mends all tests, of left-over memory errors,
and of a failure that is bypassed. So are those of edits (repair/evidence.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from butfor.counterfactual.experiment import Confirmed

FAMILIES: Mapping[str, float] = {
    "boundary": 2.8,
    "size": 1.2,
    "operand": 0.7,
    "reversed": 0.7,
    "literal": 0.7,
    "member": 0.4,
    "flip": 0.4,
    "relation": 0.4,
    "index": 0.2,
    "force": 0.0,
    "operator": 0.0,
    "initial": 0.0,
    "near": -0.1,
    "compound": -0.1,
    "named": -0.2,
    "call": -0.2,
    "shift": -0.2,
    "term": -0.3,
    "variable": -0.3,
    "truth": -0.4,
    "solved": -0.7,
    "value": -0.7,
    "keep": -0.7,
    "case": -0.8,
    "skip": -1.3,
    "once": -1.5,
}
_BASE = 3.5
SCALE = 10.0
_RIVALS, _USUAL_RIVALS = (
    -0.7,
    5,
)  # for each e-fold more statements at which a change helps than usual: where many do, one of them tells little
_CHANGES = 0.3  # for each e-fold of changes that help at this statement
_ELSEWHERE = -1.6  # for a change that alters the output on all other inputs
_UNKNOWN = 0.5  # the share of other inputs it alters, when none was tried
_BYPASS = -1.5  # the place of the failure was not reached any more, which avoids most failures; how natural the edit is then tells nothing
_DIRECT = -0.3  # it overrides what is printed: of course that helps
_OTHER_OUTPUT = -0.5  # what was written before the failure would differ
_ERRORS = -0.5  # memory errors of the failing run are still there
AVOIDS, BREAKS = 1.5, -3.0  # other failing tests that it mends, passing tests that it breaks: all of them
COMPLETE = 1.0  # it mends all of them and breaks none
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
    natural = FAMILIES[c.candidate.family]
    total = _BASE + (natural if c.passes else min(natural, 0.0)) + _ELSEWHERE * _share(c, weights)
    if c.is_direct:
        total += _DIRECT
    if not c.passes:
        total += _BYPASS
    if not c.keeps:
        total += _OTHER_OUTPUT
    if not c.is_clean:
        total += _ERRORS
    if failing:
        total += AVOIDS * c.avoids / failing
    if passing:
        total += BREAKS * c.breaks / passing
    if failing + passing and c.avoids == failing and not c.breaks:
        total += COMPLETE
    return total


def statement_strength(rivals: int, changes: int) -> float:
    """What is added for a statement when changes help at so many statements in all, and so many changes at this one."""
    return _RIVALS * math.log(max(rivals, 1) / _USUAL_RIVALS) + _CHANGES * math.log(max(changes, 1))


def _share(c: Confirmed, weights: Sequence[float]) -> float:
    """The share of other inputs whose output the change alters."""
    if len(c.elsewhere) < _LEAST:
        return _UNKNOWN
    used = weights[: len(c.elsewhere)]
    return sum(w for w, effect in zip(used, c.elsewhere, strict=True) if effect == 2) / sum(used)


def score_of(log_odds: float) -> float:
    """Log-odds as a number from 0 to 1; the ranking multiplies it by `SCALE` again."""
    return min(max(log_odds / SCALE, 0.0), 1.0)
