"""Smallest change sets by definition, with all sets of statements and all values: a second implementation for tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from tests.methods.relevance.tiny_programs import Program, State, Step, any_at, holds, place, places_of, put, value

Choice = Mapping[int, int]  # what changed instances give, by position
Names = Sequence[int]  # the statement of each instance


def avoids(p: Program, on: frozenset[int], choice: Choice | None = None) -> set[bool]:
    """All outcomes, True for avoided, when the instances `on` have other values: those of `choice`, or any."""
    outcomes: set[bool] = set()
    states: set[tuple[State, tuple[bool, ...]]] = {(p.start, ())}  # and for each branch around, whether its arm is run
    ends: list[int] = []
    for k in range(len(p.steps) + 1):
        while ends and (k == len(p.steps) or p.steps[ends[-1]].end <= k):
            states = set(_closed(p.steps[ends.pop()], states))
        if k == len(p.steps):
            break
        step = p.steps[k]
        new: set[tuple[State, tuple[bool, ...]]] = set()
        for s, guards in states:
            if not all(guards):
                new.add((s, (*guards, False)) if step.what == "branch" else (s, guards))
            elif step.what == "branch":
                for held in _decisions(step, s, k, on, choice):
                    if not held and (step.escapes or k in p.scope):
                        outcomes.add(True)
                    else:
                        new.add((s, (*guards, held)))
            elif step.condition is not None and not holds(step.condition, s):
                outcomes.add(True)
            else:
                new |= {(t, guards) for t in _after(step, s, k, on, choice)}
        if step.what == "branch":
            ends.append(k)
        states = new
    return outcomes | {holds(p.check, s) for s, _ in states}


def _closed(branch: Step, states: set[tuple[State, tuple[bool, ...]]]) -> Iterator[tuple[State, tuple[bool, ...]]]:
    for s, (*guards, held) in states:
        if held or not all(guards):
            yield s, tuple(guards)
        else:
            yield from ((t, tuple(guards)) for t in any_at(s, places_of(branch.frames)))


def _decisions(step: Step, s: State, k: int, on: frozenset[int], choice: Choice | None) -> set[bool]:
    assert step.condition is not None
    if k not in on:
        return {holds(step.condition, s)}
    return {True, False} if choice is None else {bool(choice[k] & 1)}


def _after(step: Step, s: State, k: int, on: frozenset[int], choice: Choice | None) -> set[State]:
    if step.what == "assume":
        return {s}
    if step.value is None:
        return {put(s, place(step, s), step.recorded)}
    if k in on:
        return set(any_at(s, (place(step, s),))) if choice is None else {put(s, place(step, s), choice[k])}
    return {put(s, place(step, s), value(step.value, s))}


def _on(names: Names, chosen: frozenset[int]) -> frozenset[int]:
    return frozenset(k for k, name in enumerate(names) if name in chosen)


def minimal(programs: Sequence[tuple[Program, Names]], largest: int) -> list[frozenset[int]]:
    """The smallest sets of statements with which every failure can be avoided, up to a size."""
    everything = sorted({n for _, names in programs for n in names})
    found: list[frozenset[int]] = []
    for size in range(1, largest + 1):
        for chosen in map(frozenset, itertools.combinations(everything, size)):
            if not any(f <= chosen for f in found) and all(
                True in avoids(p, _on(names, chosen)) for p, names in programs
            ):
                found.append(chosen)
    return found


def surely(p: Program, names: Names, chosen: frozenset[int]) -> bool:
    """Whether values exist with which the failure is avoided, whatever other arms would have assigned."""
    on = _on(names, chosen)
    changed = [k for k in sorted(on) if p.steps[k].what == "branch" or p.steps[k].value is not None]
    return any(
        avoids(p, on, dict(zip(changed, values, strict=True))) == {True}
        for values in itertools.product(range(4), repeat=len(changed))
    )
