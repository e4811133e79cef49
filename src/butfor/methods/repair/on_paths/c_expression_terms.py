"""C expressions as terms: the meaning of an expression in the source, as it is or after an edit.

Only what conditions and assigned numbers need: variables, constants, operators without side effects. Reads through
pointers and results of calls are opaque: they have a term only where the path has one for the very same text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    binary,
    compare,
    conjunction,
    const,
    disjunction,
    equal,
    ite,
    negate,
    resize,
)
from butfor.source.c_parser import strip_parentheses
from butfor.source.integer_constants import evaluate

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
INT_BITS, LONG_BITS = 32, 64


class Untranslatable(Exception):
    """The expression has no term here."""


@dataclass(frozen=True, slots=True)
class TypedTerm:
    """A number with its type: `step` is the size of a pointer's target, 0 for a number, negative if unknown."""

    term: Term
    signed: bool = True
    step: int = 0


@dataclass(frozen=True, slots=True)
class Environment:
    """The meaning of names and opaque texts at one instance."""

    name: Callable[[str], TypedTerm | None]
    opaque: Mapping[str, TypedTerm]
    constant: Callable[[str], int | None]
    size: Callable[[str], int | None]  # of the operand of sizeof, without blanks


def without_blanks(text: str) -> str:
    """A text without blanks, so that equal expressions have equal texts."""
    return "".join(text.split())


class ExpressionTranslator:
    """Terms of the expressions of one text."""

    def __init__(self, data: bytes, environment: Environment) -> None:
        self.data = data
        self.here = environment

    def text(self, node: Node) -> str:
        """The node as written."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def truth(self, node: Node) -> Term:
        """Whether a condition holds."""
        node = strip_parentheses(node)
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        if node.type == "binary_expression" and sign in ("&&", "||"):
            sides = [self.truth(_child(node, field)) for field in ("left", "right")]
            return conjunction(sides) if sign == "&&" else disjunction(sides)
        if node.type == "unary_expression" and sign == "!":
            return negate(self.truth(_child(node, "argument")))
        if node.type == "binary_expression" and sign in ("<", "<=", ">", ">=", "==", "!="):
            return comparison_term(sign, self.value(_child(node, "left")), self.value(_child(node, "right")))
        return _is_nonzero(self.value(node))

    def value(self, node: Node) -> TypedTerm:
        """The value of an expression, with the type that C gives it."""
        node = strip_parentheses(node)
        known = self.here.opaque.get(without_blanks(self.text(node)))
        if known is not None:
            return known
        match node.type:
            case "number_literal" | "char_literal":
                return self._literal(node)
            case "identifier":
                return self._named(self.text(node))
            case "null":
                return TypedTerm(const(0, LONG_BITS), False, 1)
            case "true" | "false":
                return TypedTerm(const(int(node.type == "true"), INT_BITS))
            case "sizeof_expression":
                return self._size(node)
            case "unary_expression":
                return self._unary(node)
            case "binary_expression":
                return self._binary(node)
            case "conditional_expression":
                condition = self.truth(_child(node, "condition"))
                x, y = in_common_type(self.value(_child(node, "consequence")), self.value(_child(node, "alternative")))
                return TypedTerm(ite(condition, x.term, y.term), x.signed, x.step or y.step)
        raise Untranslatable(node.type)

    def _literal(self, node: Node) -> TypedTerm:
        value = evaluate(node, lambda _: None)
        if value is None:
            raise Untranslatable(self.text(node))
        suffix = self.text(node).lower().lstrip("0123456789abcdefx") if node.type == "number_literal" else ""
        signed = "u" not in suffix
        width = LONG_BITS if "l" in suffix or value >= 1 << (INT_BITS - signed) else INT_BITS
        return TypedTerm(const(value, width), signed)

    def _named(self, name: str) -> TypedTerm:
        found = self.here.name(name)
        if found is not None:
            return found
        value = 0 if name == "NULL" else self.here.constant(name)
        if value is None:
            raise Untranslatable(name)
        if name == "NULL":
            return TypedTerm(const(0, LONG_BITS), False, 1)
        return TypedTerm(const(value, INT_BITS if -(1 << INT_BITS - 1) <= value < 1 << INT_BITS - 1 else LONG_BITS))

    def _size(self, node: Node) -> TypedTerm:
        inside = without_blanks(self.text(node).strip().removeprefix("sizeof"))
        while inside.startswith("(") and inside.endswith(")"):
            inside = inside[1:-1]
        size = self.here.size(inside)
        if size is None:
            raise Untranslatable(inside)
        return TypedTerm(const(size, LONG_BITS), False)

    def _unary(self, node: Node) -> TypedTerm:
        operator, argument = _child(node, "operator"), _child(node, "argument")
        if operator.type == "!":
            return _as_int(negate(self.truth(argument)))
        x = promoted(self.value(argument))
        match operator.type:
            case "-" if not x.step:
                return TypedTerm(binary("sub", const(0, x.term.width), x.term), x.signed)
            case "~" if not x.step:
                return TypedTerm(binary("xor", x.term, const(-1, x.term.width)), x.signed)
            case "+":
                return x
        raise Untranslatable(operator.type)

    def _binary(self, node: Node) -> TypedTerm:
        sign = _child(node, "operator").type
        if sign in ("&&", "||", "<", "<=", ">", ">=", "==", "!="):
            return _as_int(self.truth(node))
        return arithmetic_term(sign, self.value(_child(node, "left")), self.value(_child(node, "right")))


def arithmetic_term(sign: str, x: TypedTerm, y: TypedTerm) -> TypedTerm:
    """The result of an arithmetic operator."""
    if x.step or y.step:
        return _pointer_arithmetic(sign, x, y)
    if sign in ("<<", ">>"):
        left, right = promoted(x), promoted(y)
        amount = resize(right.term, left.term.width)
        return TypedTerm(
            binary("shl" if sign == "<<" else "ashr" if left.signed else "lshr", left.term, amount), left.signed
        )
    a, b = in_common_type(x, y)
    if sign in _ARITHMETIC:
        return TypedTerm(binary(_ARITHMETIC[sign], a.term, b.term), a.signed)
    if sign in ("/", "%"):
        return TypedTerm(
            binary(("s" if a.signed else "u") + ("div" if sign == "/" else "rem"), a.term, b.term), a.signed
        )
    raise Untranslatable(sign)


def _pointer_arithmetic(sign: str, x: TypedTerm, y: TypedTerm) -> TypedTerm:
    """A pointer plus or minus a number."""
    if sign == "+" and y.step and not x.step:
        x, y = y, x
    if sign not in ("+", "-") or y.step or x.step < 0:
        raise Untranslatable(f"{sign} of pointers")
    elements = resize(y.term, x.term.width, y.signed)
    return TypedTerm(
        binary(_ARITHMETIC[sign], x.term, binary("mul", elements, const(x.step, x.term.width))), False, x.step
    )


def comparison_term(sign: str, x: TypedTerm, y: TypedTerm) -> Term:
    """The result of a comparison."""
    a, b = in_common_type(x, y)
    match sign:
        case "==":
            return equal(a.term, b.term)
        case "!=":
            return negate(equal(a.term, b.term))
        case ">" | ">=":
            a, b = b, a
    return compare(("s" if a.signed else "u") + ("le" if "=" in sign else "lt"), a.term, b.term)


def promoted(x: TypedTerm) -> TypedTerm:
    """A number after integer promotion."""
    if x.term.width >= INT_BITS:
        return x
    return TypedTerm(resize(x.term, INT_BITS, x.signed), True, x.step)


def in_common_type(x: TypedTerm, y: TypedTerm) -> tuple[TypedTerm, TypedTerm]:
    """Two numbers after the usual arithmetic conversions; a constant beside a pointer is converted too."""
    x, y = promoted(x), promoted(y)
    width = max(x.term.width, y.term.width)
    if x.term.width == y.term.width:
        signed = x.signed and y.signed
    else:
        signed = x.signed if x.term.width > y.term.width else y.signed
    return tuple(TypedTerm(resize(z.term, width, z.signed), signed, z.step) for z in (x, y))  # type: ignore[return-value]


def converted_term(x: TypedTerm, width: int) -> Term:
    """A number as stored in that many bits."""
    return resize(x.term, width, x.signed)


def _is_nonzero(x: TypedTerm) -> Term:
    if x.term.op == "const":
        return TRUE if x.term.data else FALSE
    return negate(equal(x.term, const(0, x.term.width)))


def _as_int(truth: Term) -> TypedTerm:
    return TypedTerm(ite(truth, const(1, INT_BITS), const(0, INT_BITS)))


def _child(node: Node, field: str) -> Node:
    found = node.child_by_field_name(field)
    if found is None:
        raise Untranslatable(node.type)
    return found
