"""Reading and writing the abstract memory of one state."""

from __future__ import annotations

from collections.abc import Mapping

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_state import ZEROS, Content, Place, Rest, State
from butfor.ir.intervals.abstract_values import (
    General,
    Loose,
    Pointer,
    Value,
    generalised,
    hull,
    instantiated,
    joined,
    to_object,
    unknown_pointer,
)
from butfor.ir.intervals.join_and_widen import as_many, overlaps, value_at
from butfor.ir.intervals.linear_terms import Linear, constant
from butfor.ir.intervals.range_access import Spread
from butfor.ir.machine_types import Kind, Type, store_size

_MOST_CELLS = 300  # of one object


class Memory:
    """The memory of a state."""

    def __init__(self, state: State, arithmetic: Arithmetic, constants: Mapping[int, Content]) -> None:
        self.state = state
        self.arithmetic = arithmetic
        self.constants = constants  # what is never written

    def content(self, obj: int) -> Content | None:
        """The memory of an object."""
        found = self.state.memory.get(obj)
        return self.constants.get(obj) if found is None else found

    # --- reading --------------------------------------------------------------------------------------------

    def read(self, obj: int, offset: Linear, t: Type) -> Value:
        """What a load of that type gets from an object."""
        found = self.content(obj)
        if found is None:
            return self.typed(None, t)
        size = store_size(t)
        if found.many:
            return self.typed(instantiated(self._general(found, offset, size), self.arithmetic), t)
        if not offset.is_const:
            return self.typed(instantiated(self._anywhere(found, offset, size), self.arithmetic), t)
        place = (offset.const, size)
        value = self.typed(value_at(found, place, self.arithmetic), t)
        if obj in self.constants:
            return value
        if (
            value is not None
            and value is not found.cells.get(place)
            and len(found.cells) < _MOST_CELLS
            and not self._cut(found, place)
        ):
            self.state.memory[obj] = found._replace(cells={**found.cells, place: value})  # read again, it is the same
        return value

    def _cut(self, found: Content, place: Place) -> bool:
        return place not in found.cells and overlaps(found, place)

    def typed(self, value: Value, t: Type) -> Value:
        """A value as one of that type."""
        if t.kind is Kind.INT:
            if t.bits % 8 == 0 and (isinstance(value, Linear) or (isinstance(value, Pointer) and t.bits == 64)):
                return value
            return self.arithmetic.any(t.bits) if t.bits > 1 else self.arithmetic.new(0, 1)
        if t.kind is Kind.PTR:
            if isinstance(value, Pointer):
                return value
            return Pointer((), constant(0), False) if value == constant(0) else unknown_pointer(self.arithmetic)
        return None

    def _general(self, found: Content, offset: Linear, size: int) -> General:
        assert found.general is not None
        spread = Spread(offset, size, self.arithmetic.numbers.range(offset))
        return spread.read({p: v for p, v in found.general.items() if spread.touches(p)}, found.rest)

    def _anywhere(self, found: Content, offset: Linear, size: int) -> General:
        numbers = self.arithmetic.numbers
        spread = Spread(offset, size, numbers.range(offset))
        return spread.read(
            {p: generalised(v, numbers) for p, v in found.cells.items() if spread.touches(p)}, found.rest
        )

    # --- writing --------------------------------------------------------------------------------------------

    def write(self, obj: int, offset: Linear, size: int, value: Value, certain: bool) -> None:
        """A store; `certain` when it can be in no other object."""
        found = self.state.memory.get(obj)
        if found is None:
            return
        if certain and not found.many and offset.is_const:
            self._exact(obj, found, offset.const, size, value)
            return
        numbers = self.arithmetic.numbers
        spread = Spread(offset, size, numbers.range(offset))
        if found.many:
            assert found.general is not None
            new = generalised(value, numbers)
            general = {p: spread.after(p, v, new) for p, v in found.general.items()}
            self.state.memory[obj] = found._replace(general=general, rest=spread.rest(found.rest, new, found.general))
        else:
            self._weak(obj, found, spread, value)

    def _exact(self, obj: int, found: Content, at: int, size: int, value: Value) -> None:
        cells, torn = {}, False
        for (o, k), v in found.cells.items():
            if at + size <= o or o + k <= at:
                cells[o, k] = v
            else:
                torn = (
                    torn or o < at or o + k > at + size
                )  # bytes that are in no cell any more, and of which nothing is known
        cells[at, size] = value
        self.state.memory[obj] = Content(cells, None if torn else found.rest, found.size)

    def _weak(self, obj: int, found: Content, spread: Spread, value: Value) -> None:
        numbers = self.arithmetic.numbers
        new = generalised(value, numbers)
        cells: dict[Place, Value] = {}
        for place, old in found.cells.items():
            if not spread.touches(place) or (old == value and spread.is_exact(place)):
                cells[place] = old
            else:
                cells[place] = instantiated(spread.after(place, generalised(old, numbers), new), self.arithmetic)
        self.state.memory[obj] = Content(cells, spread.rest(found.rest, new, found.cells), found.size)

    def forget(self, obj: int, low: int | None = None, high: int | None = None) -> None:
        """Nothing is known any more of the bytes from low to high (exclusive), or of the whole object."""
        found = self.state.memory.get(obj)
        if found is None:
            return
        if found.many or low is None or high is None:
            general: dict[Place, General] | None = {} if found.many else None
            self.state.memory[obj] = Content({}, None, found.size, found.many, general, found.sizes)
            return
        cells = {(o, k): v for (o, k), v in found.cells.items() if o + k <= low or o >= high}
        self.state.memory[obj] = Content(cells, None, found.size)

    def clear(self, obj: int) -> None:
        """All bytes of the object are zero."""
        found = self.state.memory.get(obj)
        if found is not None and not found.many:
            self.state.memory[obj] = Content({}, ZEROS, found.size)

    def clear_range(self, obj: int, low: int, high: int) -> None:
        """The bytes from low to high (exclusive) are zero."""
        found = self.state.memory.get(obj)
        if found is None or found.many:
            self.forget(obj)
            return
        cells: dict[Place, Value] = {}
        for (o, k), v in found.cells.items():
            if o + k <= low or o >= high:
                cells[o, k] = v
            else:
                cells[o, k] = constant(0) if low <= o and o + k <= high else None
        self.state.memory[obj] = Content(cells, found.rest if found.rest == ZEROS else None, found.size)

    def copy(self, to: int, at: int, source: int, start: int, size: int) -> None:
        """Bytes of one object as another one has them."""
        found = self.content(source)
        target = self.state.memory.get(to)
        if target is None:
            return
        if target.many or found is None or found.many:
            self.forget(to, at, at + size)
            return
        moved = {(o - start + at, k): v for (o, k), v in found.cells.items() if start <= o and o + k <= start + size}
        torn = any(
            o < start + size and start < o + k and not (start <= o and o + k <= start + size) for o, k in found.cells
        )
        whole = target.size == constant(size) and at == 0 and not torn and start == 0
        self.forget(to, at, at + size)
        kept = self.state.memory[to].cells
        self.state.memory[to] = Content({**kept, **moved}, found.rest if whole else None, target.size)

    # --- objects --------------------------------------------------------------------------------------------

    def allocate(self, obj: int, older: int, rest: Rest | None, size: Linear | None) -> Pointer:
        """A pointer to the object that was allocated last; the one before it becomes one of many."""
        old = self.state.memory.get(obj)
        if old is not None:
            self._age(obj, older, old)
        self.state.memory[obj] = Content({}, rest, size)
        return to_object(obj)

    def _age(self, obj: int, older: int, old: Content) -> None:
        numbers, memory = self.arithmetic.numbers, self.state.memory
        many = as_many(old, numbers)
        before = memory.get(older)
        memory[older] = many if before is None else _both(before, many)
        del memory[obj]
        for o, found in list(memory.items()):
            if found.many:
                assert found.general is not None
                general = {p: _moved_general(v, obj, older) for p, v in found.general.items()}
                rest = (
                    None if found.rest is None else Rest(found.rest.size, _moved_general(found.rest.value, obj, older))
                )
                memory[o] = found._replace(general=general, rest=rest)
            elif any(
                isinstance(v, Pointer) and any(t == obj for t, _ in v.targets) for v in found.cells.values()
            ) or _mentions(found.rest, obj):
                cells = {p: self._moved(v, obj, older) for p, v in found.cells.items()}
                rest = (
                    None if found.rest is None else Rest(found.rest.size, _moved_general(found.rest.value, obj, older))
                )
                memory[o] = found._replace(cells=cells, rest=rest)
        for key, value in self.state.slots.items():
            self.state.slots[key] = self._moved(value, obj, older)

    def _moved(self, value: Value, obj: int, older: int) -> Value:
        if not isinstance(value, Pointer):
            return value
        targets = dict(value.targets)
        offset = targets.pop(obj, None)
        if offset is None:
            return value
        if older in targets:
            low, high = self.arithmetic.numbers.range(offset)
            a, b = self.arithmetic.numbers.range(targets[older])
            offset = self.arithmetic.new(min(low, a), max(high, b))
        targets[older] = offset
        return Pointer(tuple(sorted(targets.items())), value.exists, value.unknown)


def _mentions(rest: Rest | None, obj: int) -> bool:
    return rest is not None and isinstance(rest.value, Loose) and any(t == obj for t, _ in rest.value.targets)


def _moved_general(value: General, obj: int, older: int) -> General:
    if not isinstance(value, Loose):
        return value
    targets = dict(value.targets)
    r = targets.pop(obj, None)
    if r is None:
        return value
    targets[older] = hull(r, targets[older]) if older in targets else r
    return Loose(tuple(sorted(targets.items())), value.exists, value.unknown)


def _both(a: Content, b: Content) -> Content:
    assert a.general is not None
    assert b.general is not None
    general = {p: joined(v, b.general[p]) for p, v in a.general.items() if p in b.general}
    rest = a.rest if a.rest == b.rest and a.general.keys() == b.general.keys() else None
    sizes = None if a.sizes is None or b.sizes is None else hull(a.sizes, b.sizes)
    return Content({}, rest, None, True, general, sizes)
