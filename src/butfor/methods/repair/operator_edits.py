"""Edits of operators and operands: another one, swapped ones, one too many or too few, off by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from butfor.methods.repair.ingredients import COMPARISONS, LOGICAL, FunctionIngredients, Replacement

_BINDS_LOOSELY = frozenset(
    ("binary_expression", "conditional_expression", "assignment_expression", "comma_expression", "cast_expression")
)
CROSSED_PENALTY = 4  # in weights: swapping operands of two operations is rarer than of one
ARITHMETIC_OPERAND_PENALTY = 8  # in weights: off by one inside arithmetic is rarer than at its end
MAX_SHOWN_CHARACTERS = 40  # of an element


def replacements(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Replacements of an operator and of its operands."""
    match node.type:
        case "binary_expression":
            yield from _binary(node, code)
        case "assignment_expression":
            yield from _operator(node, code)
        case "update_expression":
            yield from _update(node, code)
        case "unary_expression" | "pointer_expression":
            yield from _unary(node, code)
        case "initializer_list":
            yield from _neighbours(node, code)
    yield from _off_by_one(node, code)


def _operator(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    operator = node.child_by_field_name("operator")
    if operator is None:
        return
    old = code.name(operator)
    for new, weight in code.library.operators.get(old, {}).items():
        yield code.replacement(operator, new.encode(), "operator", f"`{new}` instead of `{old}`", weight)


def _binary(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    yield from _operator(node, code)
    left, operator, right = (node.child_by_field_name(f) for f in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return
    yield from _crossed(node, code)
    kind = "condition-part" if operator.type in LOGICAL else "operand"
    if operator.type not in COMPARISONS:
        for kept, gone in ((left, right), (right, left)):
            yield code.replacement(node, code.text(kept), kind, f"without `{code.file.shown(gone)}`")
    if operator.type in ("-", "/", "%", "<<", ">>"):
        between = code.data[left.end_byte : right.start_byte]
        first, second = _parenthesised(right, code), _parenthesised(left, code)
        yield code.replacement(node, first + between + second, "swap", f"the sides of `{operator.type}` swapped")
    if operator.type == "/" and {code.scope.type_class(left), code.scope.type_class(right)} == {"integer"}:
        yield code.replacement(
            left, b"(double)" + _parenthesised(left, code), "cast", "division of real numbers instead of integers"
        )


def _crossed(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Operands of two operations swapped: `a * y + b * x` for `a * x + b * y`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "binary_expression" or right.type != "binary_expression":
        return
    for field in ("right", "left"):
        a, b = left.child_by_field_name(field), right.child_by_field_name(field)
        if a is not None and b is not None and code.text(a) != code.text(b):
            new = code.text(b) + code.data[a.end_byte : b.start_byte] + code.text(a)
            words = f"`{code.file.shown(a)}` and `{code.file.shown(b)}` swapped"
            yield Replacement(a.start_byte, b.end_byte, new, "swap", code.weight("swap") - CROSSED_PENALTY, words)


def _neighbours(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Two neighbouring elements of an initialiser list swapped."""
    elements = [n for n in node.named_children if n.type != "comment"]
    for a, b in pairwise(elements):
        if code.text(a) != code.text(b) and a.type == b.type:
            new = code.text(b) + code.data[a.end_byte : b.start_byte] + code.text(a)
            first, second = (code.file.shown(n)[:MAX_SHOWN_CHARACTERS] for n in (a, b))
            words = f"`{first}` and `{second}` swapped"
            yield Replacement(a.start_byte, b.end_byte, new, "swap", code.weight("swap"), words)


def _update(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    yield from _operator(node, code)
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    used = node.parent is not None and node.parent.type not in (
        "expression_statement",
        "for_statement",
        "comma_expression",
    )
    if argument is None or operator is None or not used:
        return
    sign, text = code.text(operator), code.text(argument)
    is_prefix = operator.start_byte < argument.start_byte
    new = text + sign if is_prefix else sign + text
    yield code.replacement(node, new, "fix", f"`{new.decode('ascii', 'replace')}` instead of `{code.file.shown(node)}`")
    yield code.replacement(node, text, "operand", f"without `{code.name(operator)}`")


def _unary(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if operator is None or argument is None:
        return
    kind = {"!": "not", "-": "sign", "~": "operand", "*": "dereference", "&": "dereference"}.get(operator.type)
    if kind is not None:
        yield code.replacement(node, code.text(argument), kind, f"without `{operator.type}`")


def _off_by_one(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """One more or one less, where a number is a bound, an index, an argument, a result or an assigned value."""
    parent = node.parent
    if parent is None or node.type in (
        "number_literal",
        "char_literal",
        "string_literal",
        "assignment_expression",
        "update_expression",
    ):
        return
    if not _is_value(node, parent) or code.scope.type_class(node) not in ("integer", *_text_pointers(node, code)):
        return
    for name in code.unread if parent.type != "subscript_expression" else ():
        for new in (
            name.encode() + b" * " + _parenthesised(node, code),
            code.text(node) + b" + " + name.encode(),
            code.text(node) + b" - " + name.encode(),
        ):
            yield code.replacement(node, new, "unread", f"with `{name}`, which is not used so far")
    without_step = _without_step(node, code)
    if without_step is not None:
        yield without_step
    needs_parentheses = parent.type == "binary_expression" and not _is_comparison(parent)
    for sign in "-+":
        new = (
            _parenthesised(node, code)
            if node.type in ("conditional_expression", "assignment_expression")
            else code.text(node)
        ) + f" {sign} 1".encode()
        weight = code.weight("off-by-one") - (ARITHMETIC_OPERAND_PENALTY if needs_parentheses else 0)
        yield code.replacement(
            node,
            b"(" + new + b")" if needs_parentheses else new,
            "off-by-one",
            f"`{code.file.shown(node)}` {'less' if sign == '-' else 'plus'} 1",
            weight,
        )


def _without_step(node: Node, code: FunctionIngredients) -> Replacement | None:
    """The value without its `+ 1` or `- 1`."""
    right, operator, left = (node.child_by_field_name(f) for f in ("right", "operator", "left"))
    if (
        node.type != "binary_expression"
        or right is None
        or operator is None
        or left is None
        or code.text(right) != b"1"
        or operator.type not in "+-"
    ):
        return None
    return code.replacement(node, code.text(left), "off-by-one", f"without `{operator.type} 1`")


def _text_pointers(node: Node, code: FunctionIngredients) -> tuple[str, ...]:
    """The class of a pointer to characters, which is moved by one too: `p + 1`."""
    found = code.scope.type_class(node)
    return (found,) if found.startswith(("pointer to char", "pointer to uchar")) else ()


def _is_value(node: Node, parent: Node) -> bool:
    if not node.is_named or not node.type.endswith(("expression", "identifier")) or node.type == "field_identifier":
        return False
    match parent.type:
        case "argument_list" | "return_statement":
            return True
        case "subscript_expression":
            return node == parent.child_by_field_name("index")
        case "init_declarator":
            return node == parent.child_by_field_name("value")
        case "assignment_expression":
            return node == parent.child_by_field_name("right")
        case "binary_expression":
            return _is_comparison(parent) or (
                node.type in ("identifier", "field_expression", "subscript_expression") and not _is_logical(parent)
            )
    return False


def _is_comparison(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in COMPARISONS


def _is_logical(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in LOGICAL


def _parenthesised(node: Node, code: FunctionIngredients) -> bytes:
    """The text of an operand, in parentheses where an operator beside it may bind tighter."""
    return b"(" + code.text(node) + b")" if node.type in _BINDS_LOOSELY else code.text(node)
