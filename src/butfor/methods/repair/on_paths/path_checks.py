"""Where a path checked the violated property before, and what it assumes only because it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import Value
from butfor.logic.terms import TRUE, Term, TermError, postorder
from butfor.path.instance_uses import values_before
from butfor.path.path_model import Kind, Path
from butfor.trace.view.source_places import Place


def earlier_checks(path: Path) -> frozenset[int]:
    """The positions at which the failing check ran in earlier iterations.

    It runs whenever the condition around it has the same outcome as in the last iteration. Where the steps from there
    to the check are the same as well, and the property held with the recorded values, it was checked there.
    """
    if not path.scope:
        return frozenset()
    last = path.scope[-1]
    branch = path.instances[last]
    tail = [i.place for i in path.instances[last + 1 :] if i.place != path.place]
    states = values_before(path)
    found = set()
    for k, instance in enumerate(path.instances[:last]):
        if instance.kind is not Kind.BRANCH or (instance.place, instance.frame, instance.held) != (
            branch.place,
            branch.frame,
            branch.held,
        ):
            continue
        if _shape(instance.condition) != _shape(branch.condition):
            continue  # its outcome may be the other one
        at = _after_places(path, k + 1, tail)
        if at is not None and _held(path, states[at]):
            found.add(at)
    return frozenset(found)


def _shape(term: Term) -> tuple[str, ...]:
    """The operators of a condition, without its variables and constants."""
    return tuple(t.op for t in postorder((term,)) if t.args)


def _after_places(path: Path, position: int, tail: Sequence[Place]) -> int | None:
    """The position after the instances of these places, which begin at a position; None if others are there."""
    for place in tail:
        while position < len(path.instances) and path.instances[position].place == path.place:
            position += 1
        if position >= len(path.instances) or path.instances[position].place != place:
            return None
        position += 1
    return position


def _held(path: Path, state: Mapping[str, Value]) -> bool:
    try:
        return bool(Evaluator(state)(path.check))
    except TermError:
        return False


def without_failing_assumptions(path: Path) -> Path:
    """The path without the assumptions of the failing statement, such as the element of an access out of bounds."""
    instances = list(path.instances)
    for k in range(len(instances) - 1, -1, -1):
        if instances[k].place != path.place or instances[k].kind is Kind.BRANCH:
            break
        instances[k] = replace(instances[k], condition=TRUE)
    return replace(path, instances=tuple(instances))
