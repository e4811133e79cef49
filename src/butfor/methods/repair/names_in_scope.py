"""The names in scope in one function: types of variables and members, from the debug information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.source.c_parser import strip_parentheses

INTEGERS = frozenset(("signed", "unsigned", "char", "uchar", "bool", "enum"))


def type_class(t: CType | None) -> str:
    """The class of types whose values can replace each other; empty when the type is unknown."""
    if t is None:
        return ""
    if t.kind in INTEGERS:
        return "integer"
    if t.kind == "float":
        return "real"
    if t.kind == "pointer" or (t.kind == "array" and t.element is not None):
        inner = t.pointee if t.kind == "pointer" else t.element
        return f"pointer to {inner.kind if inner is not None else 'void'} {inner.name if inner is not None else ''}"
    return f"{t.kind} {t.name}"


@dataclass(frozen=True)
class Scope:
    """The variables of one function and the global ones, by name. `data` is the text of the file that nodes are of."""

    data: bytes
    local: Mapping[str, CType]
    outer: Mapping[str, CType]
    signatures: Mapping[str, tuple[str, ...]]  # of the program's functions: classes of the result and the parameters

    def names(self) -> Iterator[tuple[str, CType]]:
        """All variables, local ones first."""
        yield from self.local.items()
        yield from ((name, t) for name, t in self.outer.items() if name not in self.local)

    def variable(self, name: str) -> CType | None:
        """The type of a variable; None when there is no such variable."""
        return self.local.get(name) or self.outer.get(name)

    def type_of(self, node: Node) -> CType | None:
        """The type of an expression that names a place in memory."""
        node = strip_parentheses(node)
        match node.type:
            case "identifier":
                return self.variable(self._text(node))
            case "field_expression":
                return self._member(node)
            case "subscript_expression" | "pointer_expression":
                return self._element(node)
            case "assignment_expression":
                return self._of(node, "left")
            case "update_expression":
                return self._of(node, "argument")
        return None

    def type_class(self, node: Node) -> str:
        """The class of an expression; empty when it is not known."""
        node = strip_parentheses(node)
        match node.type:
            case "number_literal":
                return "real" if "." in self._text(node) else "integer"
            case "char_literal" | "sizeof_expression":
                return "integer"
            case "binary_expression":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                operator = node.child_by_field_name("operator")
                if operator is not None and operator.type in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
                    return "integer"
                classes = [self.type_class(n) for n in (left, right) if n is not None]
                return next(
                    (c for c in classes if c.startswith("pointer") or c == "real"), classes[0] if classes else ""
                )
            case "unary_expression":
                argument = node.child_by_field_name("argument")
                return self.type_class(argument) if argument is not None else ""
            case "call_expression":
                function = node.child_by_field_name("function")
                known = self.signatures.get(self._text(function)) if function is not None else None
                return known[0] if known else ""
        return type_class(self.type_of(node))

    def fields(self, node: Node) -> tuple[Any, ...]:
        """The members of the struct that a member expression selects from."""
        argument = node.child_by_field_name("argument")
        t = self.type_of(argument) if argument is not None else None
        if t is not None and t.kind == "pointer":
            t = t.pointee
        elif t is not None and t.kind == "array":
            t = t.element
        return t.fields if t is not None else ()

    def _of(self, node: Node, field: str) -> CType | None:
        child = node.child_by_field_name(field)
        return self.type_of(child) if child is not None else None

    def _member(self, node: Node) -> CType | None:
        name = node.child_by_field_name("field")
        return next((f.type for f in self.fields(node) if name is not None and f.name == self._text(name)), None)

    def _element(self, node: Node) -> CType | None:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type == "&":
            return None
        t = self._of(node, "argument")
        return None if t is None else t.pointee if t.kind == "pointer" else t.element

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
