"""Who should have kept a pointer from being used: statements that kept it after a free, or that did not test it.

A pointer to a freed block was taken over after the free, or it was kept and the free did not reset it. A null pointer
that a function returned was used where nothing tested it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.methods.case import FailingRun
from butfor.origins.failing_access import failing_access, failing_object
from butfor.origins.freed_pointers import taken_over_after_free
from butfor.origins.null_tests import decision_that_saw_null, is_tested_before_use
from butfor.origins.run_words import RunWords
from butfor.origins.value_origins import Origin, OriginKind
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

_OF_FREED_BLOCKS = ("use-after-free", "double-free")


@dataclass(frozen=True, slots=True)
class MisusedPointer:
    """A statement in question: `kind` says why: copied, kept, freed, untested, known."""

    place: Place
    kind: str
    text: str


def misused_pointers(case: FailingRun) -> Iterator[MisusedPointer]:
    """The statements in question for an access through a bad pointer, if that is the failure."""
    if case.point.node is None:
        return
    words = RunWords(case.places, case.dependence, case.steps)
    node = case.places.in_user_code(case.point.node)
    access = failing_access(words, node, int(case.point.details.get("address", 0)))
    if access.base is None:
        return
    origin = words.origins.of(access.base)
    if case.point.details.get("memory") in _OF_FREED_BLOCKS:
        yield from _of_freed_block(case, words, node, origin)
    elif words.number(access.base) == 0:
        known = decision_that_saw_null(words, node, access)
        if known is not None:
            says = f"it found `{access.base_name}` null, and nothing assigned that before its use"
            yield from _at(case, known, "known", says)
            yield from _at(case, node, "known", f"it uses `{access.base_name}`, which a decision before it found null")
        elif not is_tested_before_use(words, node, access, origin):
            yield from _of_null(case, words, node, origin)


def _of_freed_block(case: FailingRun, words: RunWords, node: Node, origin: Origin) -> Iterator[MisusedPointer]:
    o = failing_object(words, node, int(case.point.details.get("address", 0)))
    death = words.log.death_of(o.number) if o is not None else -1
    freed = words.trace.at(death).call if death >= 0 else None
    if o is None or freed is None:
        return
    stores = [n for n in origin.through if n[1] >= 0 and words.trace.instr(n).op == "store"]
    copy = taken_over_after_free(words, origin.through, death)
    if copy is not None:
        yield from _at(case, copy, "copied", f"it takes over a pointer to {o.describe()}, which was freed already")
    yield from _at(case, (death, freed.index), "freed", f"it frees {o.describe()}, which is used later")
    if copy is None:
        kept = next((n for n in stores if n[0] < death), None)
        if kept is not None:
            says = f"it keeps a pointer to {o.describe()}, which the free does not reset"
            yield from _at(case, kept, "kept", says)


def _of_null(case: FailingRun, words: RunWords, node: Node, origin: Origin) -> Iterator[MisusedPointer]:
    """The first statement that had a null pointer from a function, where nothing tested it."""
    frame = words.log.frame_of(node[0])
    here = [n for n in origin.through if n[1] >= 0 and words.log.frame_of(n[0]) == frame]
    is_returned = origin.kind is OriginKind.RETURNED or any(
        n[1] >= 0 and words.trace.instr(n).op == "ret" for n in origin.through
    )
    if is_returned:
        yield from _at(case, node, "untested", "it uses a pointer that a function returned, and nothing tested it")
        for store in here[-1:]:
            says = "a function returned NULL here, and nothing tests it before it is used"
            yield from _at(case, store, "untested", says)


def _at(case: FailingRun, node: Node, kind: str, text: str) -> Iterator[MisusedPointer]:
    place = case.places.of(case.places.in_user_code(node))
    if place is not None and case.may_be_changed(place):
        yield MisusedPointer(place, kind, text)
