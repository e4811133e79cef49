"""Simple questions answered without a solver: one variable is given values that are near, readable, or named in the condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import Term, postorder

_MOST_WORK = 4000  # terms that are computed before a solver is asked instead
_MOST_VARIABLES = 4
_READABLE = b"a0A1 \n-+.,z9Z" + bytes(range(33, 127))
_BYTES = tuple(dict.fromkeys((*_READABLE, *range(256))))


def guess(goal: Term, needed: Sequence[Term], values: Mapping[str, int]) -> dict[str, int] | None:
    """Values for which the goal and all that is needed hold, if changing one variable is enough; None says nothing."""
    terms = list(postorder((goal,)))
    variables = [t for t in terms if t.op == "var"]
    if not 0 < len(variables) <= _MOST_VARIABLES:
        return None
    constants = {int(t.data or 0) for t in terms if t.op == "const"}
    work = 0
    for v in variables:
        name = str(v.data)
        for value in _values(v, values[name], constants):
            work += len(terms)
            if work > _MOST_WORK:
                return None
            holds = Evaluator({**values, name: value})
            if holds(goal):
                work += 4 * len(needed)
                if all(holds(t) for t in needed):
                    return {name: value}
    return None


def _values(v: Term, now: int, constants: set[int]) -> Iterator[int]:
    """Values to try, those that change little first."""
    if v.width <= 8:
        yield from (x for x in _BYTES if x < 1 << v.width and x != now)
        return
    mask = (1 << v.width) - 1
    near = {(c + d) & mask for c in (*constants, now, 0) for d in (-1, 0, 1)} | {
        1 << 31,
        (1 << 31) - 1,
        mask >> 1,
        (mask >> 1) + 1,
        mask,
    }
    near.discard(now)
    yield from sorted(near, key=lambda x: (_size(x, v.width), x))


def _size(x: int, width: int) -> int:
    return min(x, (1 << width) - x)
