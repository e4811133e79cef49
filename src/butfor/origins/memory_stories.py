"""Memory errors told in their own words: used after it was freed, out of bounds, null, never set."""

from __future__ import annotations

from dataclasses import replace

from butfor.failures.failure_point import FailurePoint
from butfor.origin_ladder import RungKind
from butfor.origins.assignments_of import assignments_of, cell_of
from butfor.origins.failing_access import FailingAccess, failing_access, failing_object, left_object
from butfor.origins.freed_pointers import taken_over_after_free
from butfor.origins.null_tests import decision_that_saw_null, is_tested_before_use
from butfor.origins.run_words import RunWords, callee_name
from butfor.origins.value_ladder import LadderBuilder, Subject
from butfor.origins.value_origins import Origin, OriginKind
from butfor.trace.log.record_layout import NO_FRAME, ObjectKind
from butfor.trace.trace import Node
from butfor.trace.view.object_parts import is_scalar
from butfor.trace.view.run_objects import RunObject
from butfor.trace.view.source_places import Place

_MAX_CALLERS_TOLD = 4  # calls around a failure
_MAX_INSTANCES_TRACED = 10_000  # back from a wrong value: milliseconds
_MAX_LINES_LISTED = 4  # other statements that assign a variable


def call_stack(words: RunWords, i: int) -> str:
    """The calls around a segment instance: `in push(value = 99), called at line 52`."""
    inside = words.frames(i, _MAX_CALLERS_TOLD + 1)
    if len(inside) == 1:
        return ""
    first = words.call_words(inside[0])
    callers = [words.call_words(at, with_caller=True) for at in inside[1:_MAX_CALLERS_TOLD]]
    rest = [c for c in callers if not c.startswith("main()")]
    return f", in {first}" + "".join(f", in {c}" for c in rest)


def in_call(words: RunWords, i: int) -> str:
    """The call that a segment instance is in, unless that is main: ` in pop(), called at line 51`."""
    shown = words.call_words(i)
    return "" if shown == "main()" else f" in {shown}"


def in_other_call(words: RunWords, i: int, node: Node) -> str:
    """The call that a segment instance is in, where it is not the one that an instance told before is in."""
    return "" if words.log.frame_of(i) == words.log.frame_of(node[0]) else in_call(words, i)


def does(access: FailingAccess) -> str:
    """What an access does: reads or writes, or passes on."""
    return f"{access.callee}()" if access.callee else "writes" if access.is_write else "reads"


# --- used after it was freed --------------------------------------------------------------------------------------


def tell_freed(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell a use after free, or a second free: the use, the free, who kept the pointer, and what does not reset it."""
    words = b.words
    address = int(point.details.get("address", 0))
    o = failing_object(words, node, address)
    access = failing_access(words, node, address)
    place = words.place(node)
    name = f"`{access.base_name}`" if access.base_name else "a pointer"
    block = o.describe() if o is not None else "a block"
    is_second_free = point.details.get("memory") == "double-free"
    verb = (
        "frees"
        if is_second_free
        else f"{'writes' if access.is_write else 'reads'} through"
        if not access.callee
        else "uses"
    )
    what = f"{quoted_place(words, place)} {verb} {name}, a pointer to {block}"
    ending = ", which was freed already" if is_second_free else ", after it was freed"
    b.add(b.at(RungKind.FAILURE, node, what + ending + call_stack(words, node[0])))
    death = words.log.death_of(o.number) if o is not None else -1
    freed = words.trace.at(death).call if death >= 0 else None
    if freed is not None:
        text = quoted_place(words, words.place((death, freed.index)))
        round_ = words.round_words(death)
        says = f"{'first ' if is_second_free else ''}freed here: {text}{in_other_call(words, death, node)}"
        b.add(b.at(RungKind.FREE, (death, freed.index), says + (f", {round_}" if round_ else "")))
    if access.base is not None:
        _tell_kept_pointer(b, access, death)
    if o is not None and o.block is not None:
        _tell_made(b, o)


def _tell_kept_pointer(b: LadderBuilder, access: FailingAccess, death: int) -> None:
    """Tell who kept a pointer to a freed block: the latest assignment before the free, and that nothing followed it."""
    words = b.words
    assert access.base is not None
    origin = words.origins.of(access.base)
    stores = [n for n in origin.through if n[1] >= 0 and words.trace.instr(n).op == "store"]
    copy = taken_over_after_free(words, origin.through, death)
    if copy is not None:
        _tell_copied_after_free(b, access, copy)
        return
    kept = next((n for n in stores if n[0] < death), None) if death >= 0 else next(iter(stores), None)
    if kept is None:
        return
    later = [n for n in origin.through if n > kept]
    step = words.steps.of(kept, brief=True)
    target = (step.target if step is not None else None) or access.base_name
    text = quoted_place(words, words.place(kept))
    says = f"`{target}` got the pointer here: {text}{in_other_call(words, kept[0], access.node)}"
    rung = b.at(RungKind.VALUE, kept, says)
    above = {(p.path, p.line) for p in (words.place(access.node), words.place(kept)) if p is not None}
    places = [words.place(n) for n in later]
    through = dict.fromkeys((p.file, p.line) for p in places if p is not None and (p.path, p.line) not in above)
    b.add(replace(rung, through=tuple(through)))
    _tell_not_reset(b, kept, target)
    read = next((load for store, load in origin.reads if store == kept), None)
    if read is not None:
        b.tell_missing(read, 2, most=1)


def _tell_copied_after_free(b: LadderBuilder, access: FailingAccess, copy: Node) -> None:
    """Tell the statement that took over a pointer when its block had been freed already, and what it had it from."""
    words = b.words
    step = words.steps.of(copy, brief=True)
    target = (step.target if step is not None else None) or access.base_name
    round_ = words.round_words(copy[0])
    text = quoted_place(words, words.place(copy))
    says = f"`{target}` got the pointer here, when the block had been freed already: {text}"
    says += in_other_call(words, copy[0], access.node)
    b.add(b.at(RungKind.VALUE, copy, says + (f", {round_}" if round_ else "")))
    source = next((leaf for leaf in words.leaves(copy) if not leaf.is_index), None)
    origin = words.origins.of(source.node) if source is not None else None
    before = next((n for n in origin.through if n[1] >= 0), None) if origin is not None else None
    if source is None or before is None or words.place(before) in (None, words.place(copy)):
        return
    text = quoted_place(words, words.place(before))
    round_ = words.round_words(before[0])
    says = f"`{source.name}` had it from here: {text}" + (f", {round_}" if round_ else "")
    b.add(b.at(RungKind.VALUE, before, says, level=1))


def _tell_not_reset(b: LadderBuilder, store: Node, target: str) -> None:
    words = b.words
    fn, instr = words.trace.at(store[0]).fn, words.trace.instr(store)
    cell, own = cell_of(words, fn, instr.args[1]), words.place(store)
    name = "that element" if target.endswith("]") else f"`{target}`"
    says = f"nothing has assigned {name} since, so it still pointed there"
    if cell is not None and own is not None:
        others = [p for p in assignments_of(words, cell) if (p.path, p.line) != (own.path, own.line)]
        if not others:
            says += "; no other statement of the program assigns it"
        else:
            lines = ", ".join(words.line(p) for p in others[:_MAX_LINES_LISTED])
            says += f"; it is also assigned at {lines}" + (" and others" if len(others) > _MAX_LINES_LISTED else "")
    b.add(b.at_place(RungKind.MISSING, own, says, level=1))


def _tell_made(b: LadderBuilder, o: RunObject, level: int = 0) -> None:
    words = b.words
    if o.block is None:
        return
    node = o.block.made_by
    text = quoted_place(words, words.place(node))
    b.add(b.at(RungKind.ALLOCATION, node, f"made here: {text}{in_call(words, node[0])}", level))


# --- out of bounds ------------------------------------------------------------------------------------------------


def tell_bounds(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell an access outside of its object: which element, how many there are, how the index got there."""
    words = b.words
    address = int(point.details.get("address", 0))
    access = failing_access(words, node, address)
    o = failing_object(words, node, address) or left_object(words, access, address)
    place = words.place(node)
    says = f"{quoted_place(words, place)} {_what_is_accessed(words, point, access, o, address)}"
    round_ = words.round_words(node[0])
    b.add(b.at(RungKind.FAILURE, node, says + (f", {round_}" if round_ else "") + call_stack(words, node[0])))
    for leaf in access.indices[:2]:
        b.tell_value(Subject(leaf.node, leaf.name, 0, node))
    _tell_guard(b, node, {leaf.name for leaf in access.indices})
    if access.callee:
        _tell_arguments(b, node)
    if access.base is not None and not access.indices and not access.callee:
        b.tell_value(Subject(access.base, access.base_name, 0, node))
        _tell_guard(b, node, {access.base_name})
    if o is not None:
        _tell_extent(b, o)


def _what_is_accessed(
    words: RunWords, point: FailurePoint, access: FailingAccess, o: RunObject | None, address: int
) -> str:
    verb = "writes" if point.details.get("write") or access.is_write else "reads"
    if o is None:
        return f"{verb} outside of every object: {point.message}"
    if point.details.get("memory") == "out-of-member" and "index" in point.details:
        count = point.details.get("elements")
        return f"{verb} element {point.details['index']} of {point.details.get('array') or 'an array'}" + (
            f", which has {count}" if count is not None else ""
        )
    width, count = _elements(o)
    size = int(point.details.get("size", 0))
    if point.details.get("memory") == "out-of-member" and (room := point.details.get("elements")) is not None:
        array = point.details.get("array") or "an array"
        return (
            f"{verb} {_bytes(size)} {'to' if verb == 'writes' else 'from'} {array}, "
            f"which has {_bytes(room)}: {size - room} too many"
        )
    if access.callee or width is None or size > width:
        past = max(address + size - o.start - o.size, 0)
        room = _bytes(o.size)
        if address < o.start:
            return f"{verb} {o.start - address} bytes before {o.describe()}"
        of = f"at offset {address - o.start} of" if address > o.start else "from" if verb == "reads" else "to"
        much = f": {past} too many" if address == o.start else ""
        return f"{verb} {_bytes(size)} {of} {o.describe()}, which has {room}{much}"
    number = (address - o.start) // width
    valid = "none" if not count else "only element 0" if count == 1 else f"elements 0 to {count - 1}"
    return f"{verb} element {number} of {o.describe()}, which has {valid}"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' if count != 1 else ''}"


def _elements(o: RunObject) -> tuple[int | None, int]:
    """The width in bytes of the elements of an array and how many it has; None for what is no array."""
    if o.variable is not None and o.variable.type.kind == "array" and o.variable.type.element is not None:
        element = o.variable.type.element
        return (element.size, o.size // element.size) if element.size and is_scalar(element) else (None, 0)
    if o.block is not None and o.block.type is not None and o.block.type.size and is_scalar(o.block.type):
        return o.block.type.size, o.size // o.block.type.size
    return None, 0


def _tell_guard(b: LadderBuilder, node: Node, names: set[str]) -> None:
    """Tell the decision around an access that reads what its index was computed from: it let the access happen."""
    words = b.words
    at, frame = node[0], words.log.frame_of(node[0])
    for _ in range(8):
        parent = words.dependence.control(at)
        if parent is None or words.log.frame_of(parent[0]) != frame or not words.trace.instr(parent).is_conditional:
            break
        if names & {leaf.name for leaf in words.leaves(parent)}:
            b.tell_decision(parent, 0, prefix="it went on because ")
            leaves = [x for x in words.leaves(parent) if x.name not in names and not x.is_index]
            for leaf in leaves[:1]:
                b.tell_operand(leaf, 1, parent)
            return
        at = parent[0]
    indices = ", ".join(f"`{name}`" for name in sorted(names) if name)
    if indices:
        says = f"nothing around it in this function checks {indices}"
        b.add(b.at(RungKind.MISSING, node, says, 1))


def _tell_arguments(b: LadderBuilder, call: Node) -> None:
    """Tell where the numbers that a library function was given came from."""
    words, instr = b.words, b.words.trace.instr(call)
    place = words.place(call)
    leaves = [x for x in words.leaves(call) if not x.is_index]
    shown = words.with_origins(leaves[:4], place)
    if shown:
        b.add(b.at(RungKind.CALL, call, f"{callee_name(instr)}() was given {shown}", 1))
    for leaf in leaves:
        load = words.trace.instr(leaf.node)
        if load.type.kind.value == "int":
            b.tell_operand(leaf, 1, call)


def _tell_extent(b: LadderBuilder, o: RunObject) -> None:
    """Tell where an object got its size."""
    words = b.words
    if o.variable is not None:
        place = words.places.declaration(o.variable)
        _, count = _elements(o)
        size = f"{count} element{'s' if count != 1 else ''}" if count else f"{o.size} bytes"
        frame = int(words.log.object[o.number]["frame"]) if o.number and o.kind != ObjectKind.GLOBAL else NO_FRAME
        owner = words.trace.at(int(words.log.frame["entry"][frame])).fn.name if frame != NO_FRAME else ""
        whose = f" in {owner}()" if owner and owner != words.trace.at(len(words.trace) - 1).fn.name else ""
        b.add(b.at_place(RungKind.DECLARATION, place, f"`{o.name}` is declared here{whose}, with {size}"))
    elif o.block is not None:
        call = words.trace.at(o.birth).call
        node = o.block.made_by
        leaves = words.leaves((o.birth, call.index)) if call is not None else []
        sizes = [x for x in leaves if not x.is_index and words.trace.instr(x.node).type.kind.value == "int"]
        place = words.place(node)
        shown = words.with_origins(sizes[:3], place)
        text = quoted_place(words, place)
        size = f"{o.size} byte{'s' if o.size != 1 else ''}"
        says = f"the {o.block.kind_text.removeprefix('block of ' + size) or 'block'} was made here"
        says = f"{o.block.kind_text} was made here" if o.block.type_text else f"the {o.block.kind_text} was made here"
        b.add(b.at(RungKind.ALLOCATION, node, f"{says}: {text}" + (f" with {shown}" if shown else "")))
        for leaf in sizes[:1]:
            b.tell_operand(leaf, 1, node)


# --- null and other bad pointers ----------------------------------------------------------------------------------


def tell_bad_pointer(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell an access through a pointer that points nowhere: what it is, where it was made, what does not catch it."""
    words = b.words
    access = failing_access(words, node, 0)
    place = words.place(node)
    if left_object(words, access, int(point.details.get("address", 0))) is not None:
        tell_bounds(b, point, node)
        return
    if access.base is None:
        return
    name = f"`{access.base_name}`" if access.base_name else "a pointer"
    value = words.text_of(access.base)
    is_null = words.number(access.base) == 0
    is_indirect = words.trace.instr(node).op == "call" and not access.callee
    verb = "calls" if is_indirect else does(access)
    how = f"{verb} through {name}" if not access.callee else f"passes {name} to {verb}"
    says = f"{quoted_place(words, place)} {how}, which is {value}"
    round_ = words.round_words(node[0])
    b.add(b.at(RungKind.FAILURE, node, says + (f", {round_}" if round_ else "") + call_stack(words, node[0])))
    b.tell_value(Subject(access.base, access.base_name, 0, node))
    if is_null and access.base_name:
        _tell_check(b, node, access, words.origins.of(access.base))


def _tell_check(b: LadderBuilder, node: Node, access: FailingAccess, origin: Origin) -> None:
    """Say that nothing tested a null pointer in the failing function before it was used."""
    words = b.words
    known = decision_that_saw_null(words, node, access)
    if known is not None:
        place, step = words.place(known), words.steps.of(known, brief=True)
        outcome = f" was {step.outcome}" if step is not None and step.outcome else ""
        says = (
            f"{quoted_place(words, place)}{outcome}, and nothing assigned `{access.base_name}` between there and here"
        )
        b.add(b.at(RungKind.MISSING, known, says, 1))
        return
    if not is_tested_before_use(words, node, access, origin):
        says = f"nothing in {words.trace.at(node[0]).fn.name}() tests `{access.base_name}` before it is used"
        b.add(b.at(RungKind.MISSING, node, says, 1))


# --- never set ----------------------------------------------------------------------------------------------------


def tell_uninitialised(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell the use of a value that was never set: where it is declared, and which decision kept it from being set."""
    words = b.words
    place = words.place(node)
    found = [(root, words.origins.of(root)) for root in point.roots]
    work = [leaf for root in point.roots for leaf in _leaves_and_self(words, root)]
    b.add(b.at(RungKind.FAILURE, node, f"{quoted_place(words, place)}: {point.message}" + call_stack(words, node[0])))
    for root, origin in found:
        if origin.kind is OriginKind.UNINITIALISED:
            b.tell_value(Subject(root, words.pointer_name(root), 0, node))
            return
    for leaf, name in work:
        if words.origins.of(leaf).kind is OriginKind.UNINITIALISED:
            b.tell_value(Subject(leaf, name, 0, node))
            return
    for root in point.roots[:2]:
        b.tell_value(Subject(root, words.pointer_name(root), 0, node))
    load = _uninitialised_load(words, point.roots)
    if load is not None:
        b.tell_value(Subject(load, words.pointer_name(load), 0, node))


def _uninitialised_load(words: RunWords, roots: tuple[Node, ...]) -> Node | None:
    """The latest load of memory that nothing had written, of those that some values were computed from."""
    found, seen, work = [], set(roots), list(roots)
    while work and len(seen) < _MAX_INSTANCES_TRACED:
        node = work.pop()
        for kind, target in words.dependence.edges(node):
            if kind == "uninit":
                found.append(node)
            elif kind == "data" and target not in seen:
                seen.add(target)
                work.append(target)
    return max(found, default=None)


def _leaves_and_self(words: RunWords, node: Node) -> list[tuple[Node, str]]:
    if node[1] < 0:
        return []
    inner = [(leaf.node, leaf.name) for leaf in words.leaves(node)]
    return [(node, words.pointer_name(node)), *inner]


def quoted_place(words: RunWords, place: Place | None) -> str:
    """The text of a statement in backticks; a general word where there is no source."""
    return words.quoted(place) if place is not None else "library code"


def tell_lifetime(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell the other misuses of memory: what is accessed, and where the pointer came from."""
    words = b.words
    address = int(point.details.get("address", 0))
    access = failing_access(words, node, address)
    place = words.place(node)
    b.add(b.at(RungKind.FAILURE, node, f"{quoted_place(words, place)}: {point.message}" + call_stack(words, node[0])))
    o = failing_object(words, node, address)
    if access.base is not None:
        b.tell_value(Subject(access.base, access.base_name, 0, node))
    for leaf in access.indices[:2]:
        b.tell_value(Subject(leaf.node, leaf.name, 0, node))
    if o is not None and o.kind != ObjectKind.GLOBAL:
        _tell_extent(b, o)
