"""Abstract objects, the places in them, and the words of memory that hold pointers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from butfor.ir.points_to.inclusion_solver import NO_NODE, InclusionSolver
from butfor.ir.points_to.object_shapes import ANYWHERE, ObjectShape

_MAX_PLACES_PER_UNTYPED_OBJECT = 256  # beyond that its fields are not told apart: offsets into it are computed
ObjectKey = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class AbstractObject:
    """An abstract object with the words of its memory, which are numbered by their offset over 8."""

    key: ObjectKey
    shape: ObjectShape
    bare: bool = False  # holds no pointers: a function, a string literal
    escaped: bool = False  # known to code outside of the program
    places: list[int] = field(default_factory=list)
    words: dict[int, int] = field(default_factory=dict)  # word -> node
    copies: dict[tuple[int, int, int], None] = field(default_factory=dict)  # (offset, length, place it is copied to)


class MemoryPlaces(InclusionSolver):
    """Objects and places; a place is an object and an offset, and its number is its bit in points-to sets."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: list[AbstractObject] = []
        self.place_object: list[int] = []
        self.place_offset: list[int] = []
        self.escapes: Callable[[AbstractObject], None] = lambda o: None  # called with every object that escapes
        self._numbers: dict[ObjectKey, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._new_words: list[tuple[int, int]] = []  # in objects that were copied before
        self._bare = self._code = 0  # places in bare objects, in functions
        self._flat = self._shared = 0  # places in objects that are one cell, in escaped ones
        self.unknown = self.node()  # what code outside of the program may hold
        outside = self.object(("outside",), ObjectShape(flat=True))
        self.objects[outside].words[0] = self.unknown
        self.objects[outside].escaped = True
        self.add(self.unknown, 1 << self.place(outside, 0))
        self.each(self.unknown, self._escape)

    def object(self, key: ObjectKey, shape: ObjectShape | None = None, bare: bool = False) -> int:
        """The number of the object with that key, which is created if need be."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.objects)
            self.objects.append(AbstractObject(key, shape or ObjectShape(), bare))
        return number

    def number(self, key: ObjectKey) -> int | None:
        """The number of the object with that key, if there is one."""
        return self._numbers.get(key)

    def place(self, number: int, offset: int) -> int:
        """The place at an offset of an object."""
        o = self.objects[number]
        if offset != ANYWHERE:
            offset = o.shape.cell(offset)
        p = self._places.get((number, offset))
        if p is None:
            if len(o.places) >= _MAX_PLACES_PER_UNTYPED_OBJECT and o.shape.type is None and not o.shape.flat:
                self.flatten(number)
                return self.place(number, 0)
            p = self._places[number, offset] = len(self.place_object)
            self.place_object.append(number)
            self.place_offset.append(offset)
            o.places.append(p)
            self._mark(o, 1 << p)
        return p

    def _mark(self, o: AbstractObject, bits: int) -> None:
        if o.bare:
            self._bare |= bits
            self._code |= bits if o.key[0] == "function" else 0
        if o.bare or o.shape.flat:
            self._flat |= bits
        if o.escaped and not o.bare:
            self._shared |= bits

    def places_of(self, n: int) -> tuple[int, ...]:
        """The places that a node may point to."""
        return self.listed(self.bits_of(n)) if n != NO_NODE else ()

    def each(self, n: int, visit: Callable[[int], None]) -> None:
        """Call a function with every place that a node may point to, now or later."""

        def act(places: int, detail: Any, other: int) -> None:
            for p in self.listed(places):
                visit(p)

        self.rule(n, act, None, NO_NODE)

    def word(self, number: int, w: int) -> int:
        """The node of a word of an object."""
        o = self.objects[number]
        node = o.words.get(w)
        if node is None:
            node = o.words[w] = self.node()
            if o.copies:
                self._new_words.append((number, w))
        return node

    def flatten(self, number: int) -> None:
        """Make an object one cell."""
        if not self.objects[number].shape.flat:
            self.objects[number].shape.flat = True
            self._reshape(number)

    def _reshape(self, number: int) -> None:
        """Update places and words after a shape has become coarser."""
        o = self.objects[number]
        for p in o.places:
            if self.place_offset[p] != ANYWHERE or o.shape.flat:
                self.place_offset[p] = o.shape.cell(self.place_offset[p])
            self._mark(o, 1 << p)
        words, o.words = o.words, {}
        for w, node in words.items():
            at = o.shape.cell(8 * w) >> 3
            if at in o.words:
                self.merge(o.words[at], node)
            else:
                o.words[at] = node

    def _escape(self, place: int) -> None:
        number = self.place_object[place]
        o = self.objects[number]
        if o.escaped:
            return
        o.escaped = True
        if not o.bare:
            self.flatten(number)
            self.merge(self.unknown, self.word(number, 0))
            for p in o.places:
                self._mark(o, 1 << p)
        self.escapes(o)
