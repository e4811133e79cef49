"""Reading and writing the abstract memory of one state."""

from __future__ import annotations

from collections.abc import Mapping

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_state import ZEROS, AbstractState, Content, Place, Rest
from butfor.ir.intervals.abstract_values import (
    Pointer,
    SummaryPointer,
    SummaryValue,
    Value,
    hull,
    instantiated,
    joined,
    summarised,
    to_object,
    unknown_pointer,
)
from butfor.ir.intervals.join_and_widen import as_summary, overlaps, value_at
from butfor.ir.intervals.linear_terms import Linear, constant
from butfor.ir.intervals.range_access import RangeAccess
from butfor.ir.machine_types import Kind, Type, store_size

MAX_READ_CELLS = 300  # of one object; a read beyond them is not remembered as a cell of its own


class AbstractMemory:
    """The contents of objects in one state, with reads, strong and weak updates."""

    def __init__(self, state: AbstractState, arithmetic: Arithmetic, constants: Mapping[int, Content]) -> None:
        self.state = state
        self.arithmetic = arithmetic
        self.constants = constants  # never written

    def content(self, obj: int) -> Content | None:
        """The contents of an object, None if nothing is known about it."""
        found = self.state.memory.get(obj)
        return self.constants.get(obj) if found is None else found

    # --- reading --------------------------------------------------------------------------------------------

    def read(self, obj: int, offset: Linear, t: Type) -> Value:
        """The value that a load of that type yields from an object."""
        found = self.content(obj)
        if found is None:
            return self.typed(None, t)
        size = store_size(t)
        if found.is_summary:
            return self.typed(instantiated(self._read_summary(found, offset, size), self.arithmetic), t)
        if not offset.is_const:
            return self.typed(instantiated(self._read_range(found, offset, size), self.arithmetic), t)
        place = (offset.const, size)
        value = self.typed(value_at(found, place, self.arithmetic), t)
        if obj in self.constants:
            return value
        if (
            value is not None
            and value is not found.cells.get(place)
            and len(found.cells) < MAX_READ_CELLS
            and not self._is_torn(found, place)
        ):
            self.state.memory[obj] = found._replace(
                cells={**found.cells, place: value}
            )  # reading it again yields the same value
        return value

    def _is_torn(self, found: Content, place: Place) -> bool:
        return place not in found.cells and overlaps(found, place)

    def typed(self, value: Value, t: Type) -> Value:
        """The value if it fits the type, else an unknown value of that type."""
        if t.kind is Kind.INT:
            if t.bits % 8 == 0 and (isinstance(value, Linear) or (isinstance(value, Pointer) and t.bits == 64)):
                return value
            return self.arithmetic.fresh_of_width(t.bits) if t.bits > 1 else self.arithmetic.fresh_in(0, 1)
        if t.kind is Kind.PTR:
            if isinstance(value, Pointer):
                return value
            return Pointer((), constant(0), False) if value == constant(0) else unknown_pointer(self.arithmetic)
        return None

    def _read_summary(self, found: Content, offset: Linear, size: int) -> SummaryValue:
        assert found.summary_cells is not None
        access = RangeAccess(offset, size, self.arithmetic.numbers.range(offset))
        return access.read({p: v for p, v in found.summary_cells.items() if access.may_touch(p)}, found.rest)

    def _read_range(self, found: Content, offset: Linear, size: int) -> SummaryValue:
        numbers = self.arithmetic.numbers
        access = RangeAccess(offset, size, numbers.range(offset))
        return access.read(
            {p: summarised(v, numbers) for p, v in found.cells.items() if access.may_touch(p)}, found.rest
        )

    # --- writing --------------------------------------------------------------------------------------------

    def write(self, obj: int, offset: Linear, size: int, value: Value, certain: bool) -> None:
        """Store a value; `certain` if the store cannot be to another object."""
        found = self.state.memory.get(obj)
        if found is None:
            return
        if certain and not found.is_summary and offset.is_const:
            self._strong_update(obj, found, offset.const, size, value)
            return
        numbers = self.arithmetic.numbers
        access = RangeAccess(offset, size, numbers.range(offset))
        if found.is_summary:
            assert found.summary_cells is not None
            new = summarised(value, numbers)
            cells = {p: access.cell_after(p, v, new) for p, v in found.summary_cells.items()}
            self.state.memory[obj] = found._replace(
                summary_cells=cells, rest=access.rest_after(found.rest, new, found.summary_cells)
            )
        else:
            self._weak_update(obj, found, access, value)

    def _strong_update(self, obj: int, found: Content, at: int, size: int, value: Value) -> None:
        cells, torn = {}, False
        for (o, k), v in found.cells.items():
            if at + size <= o or o + k <= at:
                cells[o, k] = v
            else:
                torn = torn or o < at or o + k > at + size  # some of its bytes are now unknown and in no cell
        cells[at, size] = value
        self.state.memory[obj] = Content(cells, None if torn else found.rest, found.size)

    def _weak_update(self, obj: int, found: Content, access: RangeAccess, value: Value) -> None:
        numbers = self.arithmetic.numbers
        new = summarised(value, numbers)
        cells: dict[Place, Value] = {}
        for place, old in found.cells.items():
            if not access.may_touch(place) or (old == value and access.is_exactly(place)):
                cells[place] = old
            else:
                cells[place] = instantiated(access.cell_after(place, summarised(old, numbers), new), self.arithmetic)
        self.state.memory[obj] = Content(cells, access.rest_after(found.rest, new, found.cells), found.size)

    def forget(self, obj: int, low: int | None = None, high: int | None = None) -> None:
        """Forget the bytes from low to high (exclusive), or the whole object."""
        found = self.state.memory.get(obj)
        if found is None:
            return
        if found.is_summary or low is None or high is None:
            no_cells: dict[Place, SummaryValue] | None = {} if found.is_summary else None
            self.state.memory[obj] = Content({}, None, found.size, found.is_summary, no_cells, found.size_range)
            return
        cells = {(o, k): v for (o, k), v in found.cells.items() if o + k <= low or o >= high}
        self.state.memory[obj] = Content(cells, None, found.size)

    def clear(self, obj: int) -> None:
        """Set all bytes of the object to zero."""
        found = self.state.memory.get(obj)
        if found is not None and not found.is_summary:
            self.state.memory[obj] = Content({}, ZEROS, found.size)

    def clear_range(self, obj: int, low: int, high: int) -> None:
        """Set the bytes from low to high (exclusive) to zero."""
        found = self.state.memory.get(obj)
        if found is None or found.is_summary:
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
        """Copy bytes from one object to another."""
        found = self.content(source)
        target = self.state.memory.get(to)
        if target is None:
            return
        if target.is_summary or found is None or found.is_summary:
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
        """A pointer to a new object of an allocation site; the one before it joins the summary object `older`."""
        old = self.state.memory.get(obj)
        if old is not None:
            self._age_object(obj, older, old)
        self.state.memory[obj] = Content({}, rest, size)
        return to_object(obj)

    def _age_object(self, obj: int, older: int, old: Content) -> None:
        """Move an object into the summary object of its allocation site, with all pointers to it."""
        numbers, memory = self.arithmetic.numbers, self.state.memory
        summary = as_summary(old, numbers)
        before = memory.get(older)
        memory[older] = summary if before is None else _joined_summaries(before, summary)
        del memory[obj]
        for o, found in list(memory.items()):
            if found.is_summary:
                assert found.summary_cells is not None
                summary_cells = {p: _retargeted_summary(v, obj, older) for p, v in found.summary_cells.items()}
                rest = _retargeted_rest(found.rest, obj, older)
                memory[o] = found._replace(summary_cells=summary_cells, rest=rest)
            elif any(
                isinstance(v, Pointer) and any(t == obj for t, _ in v.targets) for v in found.cells.values()
            ) or _rest_points_to(found.rest, obj):
                cells = {p: self._retargeted(v, obj, older) for p, v in found.cells.items()}
                rest = _retargeted_rest(found.rest, obj, older)
                memory[o] = found._replace(cells=cells, rest=rest)
        for key, value in self.state.slots.items():
            self.state.slots[key] = self._retargeted(value, obj, older)

    def _retargeted(self, value: Value, obj: int, older: int) -> Value:
        if not isinstance(value, Pointer):
            return value
        targets = dict(value.targets)
        offset = targets.pop(obj, None)
        if offset is None:
            return value
        if older in targets:
            low, high = self.arithmetic.numbers.range(offset)
            a, b = self.arithmetic.numbers.range(targets[older])
            offset = self.arithmetic.fresh_in(min(low, a), max(high, b))
        targets[older] = offset
        return Pointer(tuple(sorted(targets.items())), value.nonnull, value.unknown)


def _rest_points_to(rest: Rest | None, obj: int) -> bool:
    return rest is not None and isinstance(rest.value, SummaryPointer) and any(t == obj for t, _ in rest.value.targets)


def _retargeted_rest(rest: Rest | None, obj: int, older: int) -> Rest | None:
    return None if rest is None else Rest(rest.size, _retargeted_summary(rest.value, obj, older))


def _retargeted_summary(value: SummaryValue, obj: int, older: int) -> SummaryValue:
    if not isinstance(value, SummaryPointer):
        return value
    targets = dict(value.targets)
    r = targets.pop(obj, None)
    if r is None:
        return value
    targets[older] = hull(r, targets[older]) if older in targets else r
    return SummaryPointer(tuple(sorted(targets.items())), value.nonnull, value.unknown)


def _joined_summaries(a: Content, b: Content) -> Content:
    assert a.summary_cells is not None
    assert b.summary_cells is not None
    cells = {p: joined(v, b.summary_cells[p]) for p, v in a.summary_cells.items() if p in b.summary_cells}
    rest = a.rest if a.rest == b.rest and a.summary_cells.keys() == b.summary_cells.keys() else None
    sizes = None if a.size_range is None or b.size_range is None else hull(a.size_range, b.size_range)
    return Content({}, rest, None, True, cells, sizes)
