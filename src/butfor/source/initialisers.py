"""Which part of an initialiser sets an element of an array or struct, by C's rules for braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from tree_sitter import Node

from butfor.source.c_parser import expression_in
from butfor.source.integer_constants import ConstantLookup, evaluate
from butfor.source.lexer import split_at_top_level

_TEXTS = ("string_literal", "concatenated_string")
_STRINGIFIED = re.compile(rb"#\s*\w+\Z")
Range = tuple[int, int]


class Shape(Protocol):
    """The members of a type as far as initialisers need to know them."""

    @property
    def count(self) -> int:
        """How many elements or members an initialiser without designators has; 0 for a scalar."""
        ...

    @property
    def is_text(self) -> bool:
        """Whether it is an array that one string literal may initialise."""
        ...

    def path_to_member(self, member: str) -> tuple[int, ...] | None:
        """The indices that lead to a member, through anonymous members; None when there is no such member."""
        ...

    def inner(self, number: int) -> Shape:
        """The shape of an element or member."""
        ...


@dataclass(frozen=True, slots=True)
class NameMeanings:
    """What names in an initialiser stand for: the values of constants, and the bodies of all macros of a name."""

    constant: ConstantLookup = lambda name: None
    bodies: Callable[[str], frozenset[bytes]] = lambda name: frozenset()


class UnclearInitialiser(Exception):
    """Raised if the text does not determine which element a part of an initialiser belongs to."""


@dataclass(frozen=True, slots=True)
class _InitialiserPart:
    """One part of an initialiser list: the elements it is for and the value they get."""

    where: tuple[Range, ...]  # for each level of nesting, the range of indices
    node: Node
    value: Node
    shape: Shape  # of one of these elements


class Initialiser:
    """A braced initialiser of an object of a known shape; a shape of 0 members is a scalar in braces."""

    def __init__(self, values: Node, shape: Shape, names: NameMeanings) -> None:
        self.values = values
        self.shape = shape
        self.names = names
        self._inner: dict[int, Initialiser] = {}

    def part(self, path: Sequence[int]) -> Node | None:
        """The innermost part that mentions the element at the end of `path` or an aggregate around it; the last wins.

        None when no part does, so that the value is a zero nobody wrote. Raises `UnclearInitialiser` if the text
        does not determine it.
        """
        found: Node | None = None
        for entry in self._entries:
            if all(low <= number <= high for (low, high), number in zip(entry.where, path, strict=False)):
                rest = path[len(entry.where) :]
                within = self._within(entry).part(rest) if rest and entry.value.type == "initializer_list" else None
                found = entry.node if within is None else within
        return found

    def _within(self, entry: _InitialiserPart) -> Initialiser:
        known = self._inner.get(entry.value.start_byte)
        if known is None:
            known = self._inner[entry.value.start_byte] = Initialiser(entry.value, entry.shape, self.names)
        return known

    @cached_property
    def _entries(self) -> list[_InitialiserPart]:
        found: list[_InitialiserPart] = []
        place: tuple[Range, ...] | None = ((0, 0),)
        for node in _items(self.values):
            value = node
            if node.type == "initializer_pair":
                inner = node.child_by_field_name("value")
                if inner is None:
                    raise UnclearInitialiser
                place, value = self._designated(node), inner
            if self.shape.count == 0 or (self.shape.is_text and value.type in _TEXTS):  # braces that are not needed
                return [_InitialiserPart((), node, value, self.shape)]
            if place is None:
                break  # more values than elements
            place, shape = self._reached(place, value)
            found.append(_InitialiserPart(place, node, value, shape))
            place = self._next(place)
        return found

    def _designated(self, pair: Node) -> tuple[Range, ...]:
        where: list[Range] = []
        shape = self.shape
        for designator in pair.children_by_field_name("designator"):
            for step in self._steps(designator, shape):
                where.append(step)
                shape = shape.inner(step[0])
        return tuple(where)

    def _steps(self, designator: Node, shape: Shape) -> Iterator[Range]:
        if designator.type in ("field_designator", "field_identifier"):
            name = designator if designator.type == "field_identifier" else designator.named_children[0]
            indices = shape.path_to_member((name.text or b"").decode("ascii", "replace"))
            if indices is None:
                raise UnclearInitialiser
            yield from ((number, number) for number in indices)
            return
        first, last = designator.child_by_field_name("start"), designator.child_by_field_name("end")
        if first is None or last is None:
            first = last = next(iter(designator.named_children), None)
        low, high = evaluate(first, self.names.constant), evaluate(last, self.names.constant)
        if low is None or high is None or not shape.count:
            raise UnclearInitialiser
        yield low, high

    def _reached(self, place: tuple[Range, ...], value: Node) -> tuple[tuple[Range, ...], Shape]:
        """The place a value initialises, with its shape: without braces it goes to the first scalar at `place`."""
        shape = self.shape
        for low, _ in place:
            shape = shape.inner(low)
        kind = self._kind(value, shape.count > 0)
        while shape.count and kind != "braced" and not (shape.is_text and kind == "text"):
            place, shape = (*place, (0, 0)), shape.inner(0)
        return place, shape

    def _kind(self, value: Node, is_aggregate: bool) -> str:
        """What a value is: braced, text or scalar."""
        if value.type == "initializer_list":
            return "braced"
        if value.type in _TEXTS:
            return "text"
        if value.type == "compound_literal_expression" and is_aggregate:
            raise UnclearInitialiser  # a struct of its own, or the array that its first member points to
        called = value.child_by_field_name("function") if value.type == "call_expression" else None
        name = (called or value).text if (called or value).type == "identifier" else None
        if name is None:
            return "scalar"
        word = name.decode("ascii", "replace")
        bodies = self.names.bodies(word)
        if not bodies:
            if is_aggregate and self.names.constant(word) is None:
                raise UnclearInitialiser  # a macro of a file that is not at hand, which may be a list
            return "scalar"
        kinds = {_kind_of_body(body) for body in bodies}
        if len(kinds) > 1:
            raise UnclearInitialiser
        return kinds.pop()

    def _next(self, place: tuple[Range, ...]) -> tuple[Range, ...] | None:
        """The element after one, in the order of a list without designators."""
        for depth in range(len(place) - 1, -1, -1):
            around = self.shape
            for low, _ in place[:depth]:
                around = around.inner(low)
            following = place[depth][1] + 1
            if following < around.count:
                return *((high, high) for _, high in place[:depth]), (following, following)
        return None


def _items(values: Node) -> Iterator[Node]:
    """The parts of an initialiser list in order."""
    if values.has_error:
        raise UnclearInitialiser
    for child in values.named_children:
        if child.type.startswith("preproc"):
            raise UnclearInitialiser
        if child.type != "comment":
            yield child


def _kind_of_body(body: bytes) -> str:
    """What a macro with this body is in an initialiser: braced, text or scalar."""
    if body.startswith(b"{") and len(list(split_at_top_level(body, 0, len(body), b","))) == 1:
        return "braced"
    if _STRINGIFIED.match(body):
        return "text"
    found = expression_in(body)
    if found is None or found.type == "comma_expression":
        raise UnclearInitialiser
    return "text" if found.type in _TEXTS else "scalar"
