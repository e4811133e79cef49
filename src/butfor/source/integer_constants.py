"""Integer constants of a file: enumerators, macros that are one number, and expressions of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tree_sitter import Node

from butfor.source.c_parser import expression_in, strip_parentheses

ConstantLookup = Callable[[str], int | None]

_NUMBER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*\Z")
_CHAR = re.compile(r"'(?:\\([0-7]{1,3})|\\x([0-9a-fA-F]+)|\\(.)|([^\\]))'\Z", re.DOTALL)
_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "e": 27,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}
_UNCHANGED_BY_CASTS = range(128)  # values that every integer type can hold
_UNARY: dict[str, Callable[[int], int]] = {
    "+": lambda a: a,
    "-": lambda a: -a,
    "~": lambda a: ~a,
    "!": lambda a: int(not a),
}
_BINARY: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else None,
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1) if b else None,
    "<<": lambda a, b: a << b if 0 <= b < 64 else None,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else None,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
}


def evaluate(node: Node | None, lookup: ConstantLookup) -> int | None:
    """The value of a constant expression, None where it is not known; `lookup` gives the values of names."""
    if node is None or node.text is None:
        return None
    node = strip_parentheses(node)
    text = (node.text or b"").decode("ascii", "replace")
    operator = node.child_by_field_name("operator")
    match node.type:
        case "number_literal":
            return _number(text.replace("'", ""))
        case "char_literal":
            return _character(text)
        case "true" | "false":
            return int(node.type == "true")
        case "identifier":
            return lookup(text)
        case "unary_expression" if operator is not None and operator.type in _UNARY:
            value = evaluate(node.child_by_field_name("argument"), lookup)
            return None if value is None else _UNARY[operator.type](value)
        case "binary_expression" if operator is not None and operator.type in _BINARY:
            left, right = (evaluate(node.child_by_field_name(side), lookup) for side in ("left", "right"))
            return None if left is None or right is None else _BINARY[operator.type](left, right)
        case "conditional_expression":
            condition = evaluate(node.child_by_field_name("condition"), lookup)
            chosen = "consequence" if condition else "alternative"
            return None if condition is None else evaluate(node.child_by_field_name(chosen), lookup)
        case "cast_expression":
            value = evaluate(node.child_by_field_name("value"), lookup)
            return value if value in _UNCHANGED_BY_CASTS else None
        case _:
            return None


def _number(text: str) -> int | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    sign, digits = match.groups()
    try:
        value = int(digits, 0) if digits[:2].lower() in ("0x", "0b") else int(digits, 8 if digits[0] == "0" else 10)
    except ValueError:
        return None
    return -value if sign == "-" else value


def _character(text: str) -> int | None:
    match = _CHAR.match(text)
    if match is None:
        return None
    octal, hexadecimal, escape, plain = match.groups()
    if octal or hexadecimal:
        value = int(octal, 8) if octal else int(hexadecimal, 16)
    else:
        value = _ESCAPES.get(escape, -1) if escape else ord(plain)
    return value if value in _UNCHANGED_BY_CASTS else None


class FileConstants:
    """The constants that one file defines."""

    def __init__(self, enums: Iterable[Node], bodies: Iterable[tuple[str, bytes]]) -> None:
        """Take the enum specifiers of the file and its macros without parameters, with their bodies."""
        self._values: dict[str, int | None] = {}
        self._bodies: dict[str, bytes | None] = {}
        for name, body in bodies:
            self._bodies[name] = body if self._bodies.get(name, body) == body else None
        for enum in enums:
            self._add_enumerators(enum)

    def value(self, name: str, outer: ConstantLookup = lambda name: None) -> int | None:
        """The value of a name, None where it is unknown or ambiguous; `outer` looks up names of other files."""
        return self._value(name, outer, frozenset())

    def _value(self, name: str, outer: ConstantLookup, under_way: frozenset[str]) -> int | None:
        if name in self._values:
            return self._values[name]
        if name in under_way:
            return None
        if name not in self._bodies:
            return outer(name)
        body = self._bodies[name]
        inner = under_way | {name}
        return None if body is None else evaluate(expression_in(body), lambda other: self._value(other, outer, inner))

    def _add_enumerators(self, enum: Node) -> None:
        body = enum.child_by_field_name("body")
        following: int | None = 0
        for child in body.children if body is not None else ():
            if child.type == "enumerator":
                name, explicit = child.child_by_field_name("name"), child.child_by_field_name("value")
                value = following if explicit is None else evaluate(explicit, self.value)
                if name is not None and name.text is not None:
                    word = name.text.decode("ascii", "replace")
                    self._values[word] = value if self._values.get(word, value) == value else None
                following = None if value is None else value + 1
            elif child.type not in ("comment", "{", "}", ","):
                following = None  # a preprocessor line, or what a macro expands to
