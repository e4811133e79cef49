"""Calls that lead to a function: the closure agrees with a walk over callers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from butfor.ir.call_reachability import CallReachability

FUNCTIONS = tuple("abcdef")
CALLS = st.lists(st.tuples(st.sampled_from(FUNCTIONS), st.sampled_from(FUNCTIONS), st.integers(0, 2)), max_size=14)


def walked(calls: list[tuple[str, Any, str]], name: str) -> set[tuple[str, int]]:
    """The calls that lead to a function, by going from caller to caller."""
    found: set[tuple[str, int]] = set()
    work, seen = [name], {name}
    while work:
        callee = work.pop()
        for caller, instr, target in calls:
            if target == callee:
                found.add((caller, instr.index))
                if caller not in seen:
                    seen.add(caller)
                    work.append(caller)
    return found


@given(CALLS)
def test_against_a_walk(drawn: list[tuple[str, str, int]]) -> None:
    calls: list[tuple[str, Any, str]] = [
        (caller, SimpleNamespace(index=k, block=block), callee) for k, (caller, callee, block) in enumerate(drawn)
    ]
    arms = {(f, b): 1 << (3 * k + b) for k, f in enumerate(FUNCTIONS) for b in range(3)}
    leading = CallReachability(
        lambda name: [(c, i) for c, i, target in calls if target == name],
        FUNCTIONS,
        lambda name, block: arms[name, block],
    )
    for name in FUNCTIONS:
        wanted = walked(calls, name)
        bits = leading.calls_to(name)
        assert {(f, i.index) for f in FUNCTIONS for b in range(3) for i in leading.in_block(bits, f, b)} == wanted
        over = 0
        for caller, instr, _ in calls:
            if (caller, instr.index) in wanted:
                over |= arms[caller, instr.block]
        assert leading.arms_to(name) == over
