"""The story of a failure: the ladder from what went wrong back to where the bad value was made."""

from __future__ import annotations

from butfor.explanation import FailureKind
from butfor.failures.check_functions import failed_check
from butfor.failures.failure_point import FailurePoint
from butfor.origin_ladder import Ladder, RungKind
from butfor.origins.failing_access import failing_access
from butfor.origins.memory_stories import (
    call_stack,
    quoted_place,
    tell_bad_pointer,
    tell_bounds,
    tell_freed,
    tell_lifetime,
    tell_uninitialised,
)
from butfor.origins.other_stories import tell_endless, tell_output, tell_reached, tell_recursion
from butfor.origins.run_words import RunWords, told_leaves
from butfor.origins.value_ladder import LadderBuilder, Subject
from butfor.source.source_model import Role
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import Steps

_MEMORY = {
    "use-after-free": tell_freed,
    "double-free": tell_freed,
    "out-of-bounds": tell_bounds,
    "out-of-member": tell_bounds,
    "uninitialised": tell_uninitialised,
}
_MAX_OPERANDS = 4  # of a failed check, each with its own origin


def failure_ladder(
    places: Places, dependence: Dependence, point: FailurePoint, steps: Steps | None = None
) -> Ladder | None:
    """The ladder of a failure; None where the recording has nothing to say about it."""
    if point.node is None:
        return None
    node = places.in_user_code(point.node)
    place = places.of(node)
    words = RunWords(places, dependence, steps, place.file if place is not None else "")
    builder = LadderBuilder(words)
    _tell(builder, point, node)
    return builder.ladder() if builder.rungs else None


def _tell(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    match point.kind:
        case FailureKind.MEMORY:
            _MEMORY.get(str(point.details.get("memory")), tell_lifetime)(b, point, node)
        case FailureKind.SIGNAL if "depth" in point.details:
            tell_recursion(b, point, node)
        case FailureKind.SIGNAL if "address" in point.details or "function pointer" in point.message:
            tell_bad_pointer(b, point, node)
        case FailureKind.SIGNAL if _has_null_argument(b.words, node):
            tell_bad_pointer(b, point, node)
        case FailureKind.ASSERTION | FailureKind.REACH_ERROR:
            _tell_check(b, point, node)
        case FailureKind.OUTPUT:
            tell_output(b, point, node)
        case FailureKind.NO_END:
            tell_endless(b, point, node)
        case FailureKind.EXIT_STATUS:
            _tell_exit(b, point, node)
        case _:
            _tell_operands(b, point, node)


def _has_null_argument(words: RunWords, node: Node) -> bool:
    """Whether an instance is the call of a library function that was given a null pointer."""
    access = failing_access(words, node, 0) if node[1] >= 0 and words.trace.instr(node).op == "call" else None
    return access is not None and access.base is not None and words.number(access.base) == 0


def _tell_operands(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell an operation that failed: its statement with values, and where its bad operands came from."""
    words = b.words
    place = words.place(node)
    shown = words.with_origins(told_leaves(words.leaves(node), _MAX_OPERANDS), place) if node[1] >= 0 else ""
    says = f"{quoted_place(words, place)}: {point.message}" + (f", with {shown}" if shown else "")
    b.add(b.at(RungKind.FAILURE, node, says + call_stack(words, node[0])))
    for root in point.roots[:_MAX_OPERANDS]:
        b.tell_value(Subject(root, words.pointer_name(root), 0, node))


def _tell_check(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell a failed check: its condition with each operand and where that came from."""
    words = b.words
    node = failed_check(words.trace, node).node
    place = words.place(node)
    decisions = [r for r in point.roots if r[1] >= 0 and words.trace.instr(r).is_conditional]
    leaves = [leaf for d in decisions for leaf in words.leaves(d)]
    if not decisions:
        b.add(
            b.at(RungKind.FAILURE, node, f"{quoted_place(words, place)}: {point.message}{call_stack(words, node[0])}")
        )
        tell_reached(b, node)
        return
    shown = words.with_origins(told_leaves(leaves, _MAX_OPERANDS), place)
    says = f"{quoted_place(words, place)} failed" + (f" with {shown}" if shown else "")
    b.add(b.at(RungKind.FAILURE, node, says + call_stack(words, node[0])))
    values = [leaf for leaf in leaves if not leaf.is_index][:_MAX_OPERANDS]
    for leaf in values:
        b.tell_value(Subject(leaf.node, leaf.name, 0 if len(values) == 1 else 1, node))


def _tell_exit(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell an exit status: the statement that gave it, and the decisions that led there."""
    words = b.words
    returned = [origin.through[-1] for root in point.roots if (origin := words.origins.of(root)).through]
    is_end = getattr(words.place(node), "role", "") == Role.END
    at = returned[0] if is_end and returned and returned[0][1] >= 0 else node
    says = f"{quoted_place(words, words.place(at))} ended the program with status {point.details.get('status')}"
    b.add(b.at(RungKind.FAILURE, at, says + call_stack(words, at[0])))
    for root in point.roots if at == node else ():
        b.tell_value(Subject(root, words.pointer_name(root), 0, node))
    tell_reached(b, at)
