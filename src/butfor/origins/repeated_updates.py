"""Variables that a loop updates: a count or a sum is told once, with where it started and how often it changed."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.recording_segments import variable_and_offset
from butfor.origins.run_words import Leaf, RunWords
from butfor.trace.trace import Node

_MAX_ROUNDS_WALKED = 400  # of a variable that has no fixed place, such as `p->count`
_VALUES_SHOWN_AT_START, _VALUES_SHOWN_AT_END = 3, 2  # of a long history
_INSTANCES_KEPT = 3  # of the updates: what they added can be told
_MAX_VALUES_SHOWN = 6  # a history up to that long is shown whole


@dataclass(frozen=True, slots=True)
class RepeatedUpdate:
    """A variable that one statement changed `count` times in a row since `start`, None where that is not known."""

    start: Node | None
    count: int
    history: tuple[str, ...]  # values, that of `start` first; "..." stands for those left out
    instances: tuple[Node, ...]  # the latest updates, in order
    cut: Node | None = None  # the first update whose value did not fit the variable

    @property
    def is_constant(self) -> bool:
        """Whether the updates left the variable as it was."""
        return len({text for text in self.history if text != "..."}) == 1


def repeated_update(words: RunWords, store: Node, leaves: list[Leaf]) -> RepeatedUpdate | None:
    """How often the statement of a store had updated the same variable in a row; None if it is no such update."""
    own = _own_leaf(words, store, leaves)
    if own is None:
        return None
    known = _instances_since_start(words, store)
    if known is None:
        known = _walked_back(words, store, own)
    start, updates = known
    instr = words.trace.instr(store)
    values = ([start] if start is not None else []) + updates
    shown = (
        values
        if len(values) <= _MAX_VALUES_SHOWN
        else [*values[:_VALUES_SHOWN_AT_START], None, *values[-_VALUES_SHOWN_AT_END:]]
    )
    texts = tuple("..." if at is None else words.stored_text(at, words.trace.instr(at)) for at in shown)
    if instr.op != "store":
        return None
    latest = tuple(updates[-_INSTANCES_KEPT:])
    return RepeatedUpdate(start, len(updates), texts, latest, _first_cut(words, updates))


def _first_cut(words: RunWords, updates: list[Node]) -> Node | None:
    """The conversion that first cut off a part of an updated value, among the updates that are looked at."""
    for store in updates[:_MAX_ROUNDS_WALKED]:
        operand = words.trace.instr(store).args[0]
        at = words.definition(store[0], operand)
        if at is not None and at[1] >= 0 and words.origins.before_conversion(at) is not None:
            return at
    return None


def _own_leaf(words: RunWords, store: Node, leaves: list[Leaf]) -> Leaf | None:
    """The value that a store's expression read from what the same statement had stored before."""
    fn = words.trace.at(store[0]).fn
    address = words.trace.instr(store).args[1]
    for leaf in leaves:
        instr = words.trace.instr(leaf.node)
        if leaf.is_index or instr.op != "load" or words.trace.at(leaf.node[0]).fn is not fn:
            continue
        frame = words.trace.program.layout(fn.name).frame
        place = variable_and_offset(fn, address, frame)
        if place is not None and variable_and_offset(fn, instr.args[0], frame) == place:
            return leaf
        if _is_same_static(words, words.origins.of(leaf.node).holder, store):
            return leaf
    return None


def _is_same_static(words: RunWords, one: Node, other: Node) -> bool:
    return one[1] == other[1] and words.trace.at(one[0]).fn is words.trace.at(other[0]).fn


def _instances_since_start(words: RunWords, store: Node) -> tuple[Node | None, list[Node]] | None:
    """The store that a variable of a function started with and the later instances of this one, if all are known."""
    trace, log = words.trace, words.log
    fn = trace.at(store[0]).fn
    layout = trace.program.layout(fn.name).frame
    place = variable_and_offset(fn, trace.instr(store).args[1], layout)
    if place is None or not isinstance(place[0], int):
        return None
    frame = log.frame_of(store[0])
    same = [s for s in fn.instrs if s.op == "store" and variable_and_offset(fn, s.args[1], layout) == place]
    start: Node | None = None
    for other in same:
        if other.index == store[1]:
            continue
        at = words.steps.overwritten.named.latest(fn, other.index, store, frame)
        if at is not None and (start is None or at > start):
            start = at
    if start is None:
        return None
    places = log.positions(trace.static.defining_segment(fn, store[1]))
    low, high = int(places.searchsorted(start[0])), int(places.searchsorted(store[0], "right"))
    inside = [(int(p), store[1]) for p in places[low:high]]
    return start, [at for at in inside if start < at <= store and log.frame_of(at[0]) == frame]


def _walked_back(words: RunWords, store: Node, own: Leaf) -> tuple[Node | None, list[Node]]:
    updates = [store]
    at: Node | None = words.origins.of(own.node).holder
    while at is not None and _is_same_static(words, at, store) and len(updates) < _MAX_ROUNDS_WALKED:
        updates.append(at)
        leaf = next((x for x in words.leaves(at) if x.name == own.name), None)
        at = words.origins.of(leaf.node).holder if leaf is not None else None
    is_store = at is not None and at[1] >= 0 and words.trace.instr(at).op == "store"
    return (at if is_store else None), updates[::-1]
