"""Conditions that are negated, stronger or weaker."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from butfor.methods.repair.ingredients import COMPARISONS, LOGICAL, Idea, Ingredients, leaves, walk
from butfor.methods.repair.names_in_scope import class_of
from butfor.source.c_parser import strip_parentheses

_MOST_ATOMS, _MOST_PART_ATOMS = 28, 14
_PLAIN = frozenset(
    (
        "identifier",
        "call_expression",
        "parenthesized_expression",
        "field_expression",
        "subscript_expression",
        "number_literal",
    )
)


def ideas(condition: Node, by: Ingredients) -> Iterator[Idea]:
    """Changes of a whole condition; `condition` has no parentheses around it."""
    if condition.parent is not None and _kind_of(condition) == "switch_statement":
        return
    if not _is_comparison(condition):  # those have operators for the opposite
        yield by.idea(condition, negated(condition, by), "not", f"not `{by.file.shown(condition)}`")
    shown = by.file.shown(condition)
    for text, words in atoms(condition, by):
        yield by.idea(condition, _side(condition, by) + b" && " + text, "strengthen", f"only if also `{words}`")
        yield by.idea(condition, _side(condition, by, b"||") + b" || " + text, "weaken", f"also if `{words}`")
    parts = [leaf for leaf in leaves(condition) if leaf != condition]
    for leaf in parts:
        for text, words in list(atoms(leaf, by))[:_MOST_PART_ATOMS]:
            weaker = b"(" + by.text(leaf) + b" || " + text + b")"
            yield by.idea(leaf, weaker, "weaken", f"`{by.file.shown(leaf)}` also if `{words}`", by.weight("weaken") - 2)
    yield by.idea(condition, b"1", "always", f"`{shown}` not asked")
    yield by.idea(condition, b"0", "never", f"never, whatever `{shown}` is", skips=True)


def _kind_of(condition: Node) -> str:
    """The statement that a condition belongs to."""
    above = condition.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    return "" if above is None else above.type


def _is_comparison(condition: Node) -> bool:
    operator = condition.child_by_field_name("operator")
    return condition.type == "binary_expression" and operator is not None and operator.type in COMPARISONS


_OPPOSITE = {b"<": b">=", b">=": b"<", b">": b"<=", b"<=": b">", b"==": b"!=", b"!=": b"=="}


def opposite(text: bytes) -> bytes:
    """The opposite of one comparison, given as text."""
    found = re.fullmatch(rb"([^<>=!&|?]*) (<=|>=|==|!=|<|>) ([^<>=!&|?]*)", text)
    return b"!(" + text + b")" if found is None else b"%s %s %s" % (found[1], _OPPOSITE[found[2]], found[3])


def negated(condition: Node, by: Ingredients) -> bytes:
    """The opposite of a condition."""
    text = by.text(condition)
    operator, argument = condition.child_by_field_name("operator"), condition.child_by_field_name("argument")
    if condition.type == "unary_expression" and operator is not None and operator.type == "!" and argument is not None:
        return by.text(argument)
    return b"!" + text if condition.type in _PLAIN else b"!(" + text + b")"


def atoms(node: Node, by: Ingredients) -> Iterator[tuple[bytes, str]]:
    """Conditions that could be asked too: those the function asks elsewhere, and plain ones about what the node mentions."""
    own = by.text(strip_parentheses(node))
    found: dict[bytes, str] = {}
    for text, words in about(node, by):
        found.setdefault(text, words)
    for text, words in by.atoms:
        found.setdefault(text, words)
        if words.isidentifier():
            found.setdefault(b"!" + text, "!" + words)
    for text, words in list(found.items())[:_MOST_ATOMS]:
        if text != own:
            yield text, words


def about(node: Node, by: Ingredients) -> Iterator[tuple[bytes, str]]:
    """Plain questions: another member compared too, an index within its array, a pointer that is there, a number that is not 0."""
    yield from ((text, text.decode("utf-8", "replace")) for part in walk(node) for text in _twins(part, by))
    for part in walk(node):
        if part.type == "subscript_expression":
            array, index = part.child_by_field_name("argument"), part.child_by_field_name("index")
            t = by.scope.type_of(array) if array is not None else None
            if index is not None and t is not None and t.kind == "array" and t.count:
                i = by.text(index)
                bound = _bound(array, by) if array is not None else None
                for text in (i + b" < " + (bound or b"%d" % t.count), i + b" >= 0"):
                    yield text, text.decode("utf-8", "replace")
    for part in walk(node):
        if part.type in ("identifier", "field_expression"):
            t = by.scope.type_of(part)
            name = by.text(part)
            if t is not None and t.kind == "pointer":
                yield (
                    name + b" != 0" if b"NULL" not in by.data else name + b" != NULL",
                    f"{by.file.shown(part)} is not NULL",
                )
            elif class_of(t) == "integer":
                for text in (name + b" != 0", name + b" > 0"):
                    yield text, text.decode("utf-8", "replace")


def _twins(node: Node, by: Ingredients) -> Iterator[bytes]:
    """A comparison of two equal members with the other members of that type: for `a.x == b.x` also `a.y == b.y`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if (
        not _is_comparison(node)
        or left is None
        or right is None
        or left.type != "field_expression"
        or right.type != "field_expression"
    ):
        return
    mine, other = left.child_by_field_name("field"), right.child_by_field_name("field")
    if mine is None or other is None or by.text(mine) != by.text(other):
        return
    known = {f.name: class_of(f.type) for f in by.scope.fields(left)}
    for name, its in known.items():
        if name and name != by.name(mine) and its == known.get(by.name(mine)):
            middle = by.data[mine.end_byte : other.start_byte]
            yield by.data[node.start_byte : mine.start_byte] + name.encode() + middle + name.encode()


def _bound(array: Node, by: Ingredients) -> bytes | None:
    """The size of an array as its declaration writes it."""
    name = by.text(array)
    for node in by.file.nodes:
        size, declarator = node.child_by_field_name("size"), node.child_by_field_name("declarator")
        if (
            node.type == "array_declarator"
            and size is not None
            and declarator is not None
            and by.text(declarator) == name
        ):
            return by.text(size)
    return None


def _side(condition: Node, by: Ingredients, operator: bytes = b"&&") -> bytes:
    """The condition as the left side of an operator."""
    inner = condition.child_by_field_name("operator")
    loose = condition.type in ("assignment_expression", "conditional_expression", "comma_expression")
    loose |= (
        condition.type == "binary_expression"
        and inner is not None
        and inner.type in LOGICAL
        and inner.type.encode() != operator
    )
    return b"(" + by.text(condition) + b")" if loose else by.text(condition)
