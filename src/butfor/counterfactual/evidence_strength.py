"""How strongly a confirmed change suggests that its statement is faulty.

That a change avoids the failure says much; how natural an edit it is, and how little else it changes on other inputs,
distinguishes the fault from its bystanders. The weights are log-odds: a conditional logit over the statements of each
failing run, fitted on 147 faults that people made in small programs, 127 faults of older test suites and half a of the
seeded faults (bench/ranking.py), and rounded. Half b of those was held out. Too few faults determine the weights of
`size`, `solved`, `term` and `outcome`, of a change that repairs all tests, of remaining memory errors, and of a failure
that is bypassed, of bystanders, and of a run that only gets past the failure: they are set by hand, as are those of
edits (methods/repair/edit_findings.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from butfor.counterfactual.experiment import ConfirmedChange, Effect

FAMILY_WEIGHTS: Mapping[str, float] = {
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
    "outcome": 0.0,
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
_BASE = 3.5  # for any confirmed change
SCALE = 10.0  # log-odds that make a score of 1
_RIVALS = -0.7  # per e-fold of statements at which a change helps: where many do, each says little
_USUAL_RIVALS = 5  # statements at which a change helps in a typical run; with these, nothing is subtracted
_CHANGES = 0.3  # per e-fold of changes that help at this statement
_ALTERS_OTHER_INPUTS = -1.6  # for a change that alters the output of all other inputs
_ASSUMED_ALTERED_SHARE = 0.5  # of other inputs, if too few were tried
_BYPASS = -1.5  # the point of failure is not reached any more, which avoids most failures, however natural the edit
_DIRECT = -0.3  # it overrides the wrong value itself, which is bound to help
_HANDS_ON = -1.0  # it overrides the wrong value in a function that only passes its parameter on
_IN_STAND_IN = -2.0  # a function that looks at none of its parameters stands in for one that a configuration left out
_OTHER_OUTPUT = -0.5  # the output before the failure would differ
_ONLY_PAST = -0.7  # the run gets past the failure, but ends with another status than 0
_ERRORS = -0.5  # memory errors of the failing run remain
AVOIDS, BREAKS = 1.5, -3.0  # all other failing tests pass with it, all passing tests fail with it
COMPLETE = 1.0  # all failing tests pass with it and all passing tests still do
_MIN_INPUTS_FOR_SHARE = 4  # other inputs; a share of fewer says nothing
_MIN_INPUT_WEIGHT = 0.05  # so that the weights never add up to 0


def input_weights(effects_by_change: Sequence[Sequence[Effect]]) -> list[float]:
    """The weight of each other input: small if most changes matter there, for then it probably fails too."""
    count = max((len(effects) for effects in effects_by_change), default=0)
    found = []
    for k in range(count):
        column = [effects[k] for effects in effects_by_change if len(effects) > k]
        altered = sum(e is Effect.OUTPUT for e in column) / len(column)
        found.append(max(_MIN_INPUT_WEIGHT, 1.0 - altered))
    return found


def strength(c: ConfirmedChange, weights: Sequence[float], failing: int, passing: int) -> float:
    """The log-odds that one change adds to its statement; `failing` and `passing` count the other tests tried."""
    natural = FAMILY_WEIGHTS[c.candidate.family]
    total = _BASE + (natural if c.passes else min(natural, 0.0)) + _ALTERS_OTHER_INPUTS * _altered_share(c, weights)
    if c.is_direct:
        total += _DIRECT
    if c.hands_on:
        total += _HANDS_ON
    if c.is_in_stand_in:
        total += _IN_STAND_IN
    if not c.passes:
        total += _BYPASS
    if not c.keeps:
        total += _OTHER_OUTPUT
    if c.is_past:
        total += _ONLY_PAST
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
    """The log-odds to add for a statement if changes help at so many statements, and so many changes at this one."""
    return _RIVALS * math.log(max(rivals, 1) / _USUAL_RIVALS) + _CHANGES * math.log(max(changes, 1))


def _altered_share(c: ConfirmedChange, weights: Sequence[float]) -> float:
    """The share of other inputs whose output the change alters."""
    if len(c.other_effects) < _MIN_INPUTS_FOR_SHARE:
        return _ASSUMED_ALTERED_SHARE
    used = weights[: len(c.other_effects)]
    return sum(w for w, effect in zip(used, c.other_effects, strict=True) if effect is Effect.OUTPUT) / sum(used)


def score_of_log_odds(log_odds: float) -> float:
    """The score from 0 to 1 for some log-odds; the ranking multiplies it by `SCALE` again."""
    return min(max(log_odds / SCALE, 0.0), 1.0)
