"""Points-to sets under the constraints of loads, stores, pointer arithmetic and memory copies.

`instruction_constraints.py` generates the constraints, `inclusion_solver.py` solves them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.ir.points_to.inclusion_solver import NO_NODE
from butfor.ir.points_to.memory_places import MemoryPlaces
from butfor.ir.points_to.object_shapes import ANYWHERE, STAY, OffsetPath, forward_by

_MAX_BYTES_COPIED_BY_WORD = 256  # larger copies go through one node for all words: a constraint per word costs too much
_MAX_BYTES_FILLED = 512  # content from an unknown offset may land on any word; a larger target becomes one cell
_OUTSIDE_PLACE = 0  # the place that stands for all memory known to code outside of the program


class PointsToSets(MemoryPlaces):
    """The constraints of C programs, and their solution."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[tuple[str, int, Any], int] = {}
        self._stores: set[tuple[int, int, int]] = set()
        self._shifts: dict[OffsetPath, dict[int, int]] = {}
        self._pools: tuple[tuple[int, int], ...] = ()  # nodes, and the places in flat objects whose content they are
        self._pooled = 0

    # --- constraints ----------------------------------------------------------------------------------------

    def load(self, n: int, size: int) -> int:
        """The node of what `size` bytes where n points to may hold."""
        return self._derived("load", self._load, n, size)

    def shifted(self, n: int, path: OffsetPath) -> int:
        """The node of a pointer derived from n by following a path."""
        return n if path == STAY else self._derived("shift", self._shift, n, path)

    def store(self, n: int, value: int, size: int) -> None:
        """Let the `size` bytes where n points to hold whatever the value may be."""
        key = (self.find(n), size, value)
        if key not in self._stores:
            self._stores.add(key)
            self.rule(n, self._store, size, value)

    def copy_memory(self, to: int, source: int, length: int) -> None:
        """Let memory at `to` hold whatever memory at `source` may hold."""
        if length <= _MAX_BYTES_COPIED_BY_WORD:
            for at in range(0, length, 8):
                size = min(8, length - at)
                self.store(
                    self.shifted(to, forward_by(at)), self.load(self.shifted(source, forward_by(at)), size), size
                )
        else:
            between = self.place(self.object(("passing", len(self.objects))), 0)
            self.rule(source, self._leave, length, between)
            self.rule(to, self._arrive, length, between)

    def _derived(self, kind: str, act: Callable[[int, Any, int], None], n: int, detail: Any) -> int:
        key = (kind, self.find(n), detail)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self.node()
            self.rule(n, act, detail, made)
        return made

    def _load(self, places: int, size: int, result: int) -> None:
        for w in self._words_at(places, size):
            self.copy(w, result)

    def _store(self, places: int, size: int, value: int) -> None:
        for w in self._words_at(places, size):
            self.copy(value, w)

    def _shift(self, places: int, path: OffsetPath, result: int) -> None:
        self.add(result, self.along(places, path))

    def _leave(self, places: int, length: int, between: int) -> None:
        for p in self._holding(places):
            self._copy_words(p, between, length)

    def _arrive(self, places: int, length: int, between: int) -> None:
        for p in self._holding(places):
            self._copy_words(between, p, length)

    def _holding(self, places: int) -> tuple[int, ...]:
        """The places that can hold pointers, with one for all that escaped."""
        return self.listed(places & ~self._bare & ~self._shared) + ((_OUTSIDE_PLACE,) if places & self._shared else ())

    def along(self, places: int, path: OffsetPath) -> int:
        """The places at the ends of a path from these places."""
        if path == STAY:
            return places
        bits = places & self._flat & ~self._code
        known = self._shifts.setdefault(path, {})
        for p in self.listed(places & ~self._flat):
            self.steps += 1
            q = known.get(p)
            if q is None:
                q = known[p] = self._end(p, path)
            if q != NO_NODE:
                bits |= 1 << q
        return bits

    def _end(self, place: int, path: OffsetPath) -> int:
        """The end of a path from one place, or NO_NODE when that is outside of the object."""
        number, offset = self.place_object[place], self.place_offset[place]
        shape = self.objects[number].shape
        if offset == ANYWHERE:
            return place
        step, fixed, parts, needed = path
        if shape.type is not None and offset + needed > shape.size:
            return NO_NODE
        if step or fixed:
            offset, changed = shape.step(offset, step) if step else shape.move(offset, fixed)
            if changed:
                self._reshape(number)
        for count, length, size, moved in parts:
            if offset == ANYWHERE or count == ANYWHERE:
                return self.place(number, ANYWHERE)
            offset += count
            if size:
                offset, changed = shape.enter(offset, length, size, moved)
                if changed:
                    self._reshape(number)
        return self.place(number, offset) if offset == ANYWHERE or shape.holds(offset) else NO_NODE

    # --- memory ---------------------------------------------------------------------------------------------

    def _words_at(self, places: int, size: int) -> list[int]:
        """The nodes of the memory that an access of `size` bytes at these places touches."""
        words = [self.unknown] if places & self._shared else []
        places &= ~self._shared & ~self._bare
        if places & self._pooled and places.bit_count() > len(self._pools):
            words += (node for node, bits in self._pools if places & bits)
            places &= ~self._pooled
        for p in self.listed(places):
            self.steps += 1
            number, offset = self.place_object[p], self.place_offset[p]
            if offset == ANYWHERE:
                self.flatten(number)
            shape = self.objects[number].shape
            if shape.flat:
                words.append(self.word(number, 0))
            else:
                last = offset + max(size, 1) - 1
                words += (self.word(number, w) for w in {shape.cell(at) >> 3 for at in (*range(offset, last, 8), last)})
        return words

    def _copy_words(self, source: int, to: int, length: int) -> None:
        self.steps += 1
        for place in (source, to):
            if self.place_offset[place] == ANYWHERE:
                self.flatten(self.place_object[place])
        number = self.place_object[source]
        o, copy = self.objects[number], (self.place_offset[source], length, to)
        if copy not in o.copies:
            o.copies[copy] = None
            for w in tuple(o.words):
                self._copy_word(number, w, *copy)

    def _copy_word(self, number: int, w: int, start: int, length: int, to: int) -> None:
        o, target = self.objects[number], self.place_object[to]
        into, at = self.objects[target].shape, self.place_offset[to]
        node = o.words.get(w)
        if node is None:
            return  # it has become a part of another
        if o.shape.flat:  # it may have been anywhere in there
            if not into.flat and min(length, into.size - at) > _MAX_BYTES_FILLED:
                self.flatten(target)
            ends = range(0, 1 if into.flat else min(length, into.size - at), 8)
        else:
            start = o.shape.cell(start)
            if not any(o.shape.covers(start, length, 8 * w + k) for k in range(8)):
                return
            distance = 8 * w - start
            if distance <= -8:  # in the next element of an array
                distance += max((e for a, b, e in o.shape.regions if a <= start < b), default=start)
            ends = range(max(distance, 0), max(distance, 0) + 1)
        for end in ends:
            for more in (0, 7) if (at + end) % 8 else (0,):
                if into.flat or into.holds(at + end + more):
                    self.copy(node, self.word(target, into.cell(at + end + more) >> 3))

    # --- solving --------------------------------------------------------------------------------------------

    def solve(self, more: Callable[[], bool]) -> None:
        """Apply all rules until the fixpoint; `more` may add constraints when nothing is left to do."""
        super().solve(lambda: self._copy_new_words() or more())
        self._listed.clear()

    def _copy_new_words(self) -> bool:
        """Copy words that are new in objects to where the other words of the object were copied."""
        found = bool(self._new_words)
        while self._new_words:
            number, w = self._new_words.pop()
            for copy in tuple(self.objects[number].copies):
                self._copy_word(number, w, *copy)
        return found

    def _collapse_cycles(self) -> None:
        super()._collapse_cycles()
        pools: dict[int, int] = {}
        for o in self.objects:
            if o.shape.flat and not o.escaped and 0 in o.words:
                node = self.find(o.words[0])
                pools[node] = pools.get(node, 0) | sum(1 << p for p in o.places)
        self._pools = tuple(pools.items())
        self._pooled = sum(pools.values())
