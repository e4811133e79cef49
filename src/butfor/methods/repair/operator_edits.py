"""Other operators, other operands, swapped ones, one too many or too few."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from butfor.methods.repair.ingredients import COMPARISONS, LOGICAL, Idea, Ingredients

_LOOSE = frozenset(
    ("binary_expression", "conditional_expression", "assignment_expression", "comma_expression", "cast_expression")
)


def ideas(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Replacements of an operator and of what it is applied to."""
    match node.type:
        case "binary_expression":
            yield from _binary(node, by)
        case "assignment_expression":
            yield from _operator(node, by)
        case "update_expression":
            yield from _update(node, by)
        case "unary_expression" | "pointer_expression":
            yield from _unary(node, by)
        case "initializer_list":
            yield from _neighbours(node, by)
    yield from _off_by_one(node, by)


def _operator(node: Node, by: Ingredients) -> Iterator[Idea]:
    operator = node.child_by_field_name("operator")
    if operator is None:
        return
    old = by.name(operator)
    for new, weight in by.library.operators.get(old, {}).items():
        yield by.idea(operator, new.encode(), "operator", f"`{new}` instead of `{old}`", weight)


def _binary(node: Node, by: Ingredients) -> Iterator[Idea]:
    yield from _operator(node, by)
    left, operator, right = (node.child_by_field_name(f) for f in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return
    yield from _crossed(node, by)
    kind = "condition-part" if operator.type in LOGICAL else "operand"
    if operator.type not in COMPARISONS:
        for kept, gone in ((left, right), (right, left)):
            yield by.idea(node, by.text(kept), kind, f"without `{by.file.shown(gone)}`")
    if operator.type in ("-", "/", "%", "<<", ">>"):
        between = by.data[left.end_byte : right.start_byte]
        first, second = _tight(right, by), _tight(left, by)
        yield by.idea(node, first + between + second, "swap", f"the sides of `{operator.type}` swapped")
    if operator.type == "/" and {by.scope.class_of(left), by.scope.class_of(right)} == {"integer"}:
        yield by.idea(left, b"(double)" + _tight(left, by), "cast", "division of real numbers instead of integers")


def _crossed(node: Node, by: Ingredients) -> Iterator[Idea]:
    """The right sides of two products of a sum swapped, and the like: `a * x + b * y` as `a * y + b * x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "binary_expression" or right.type != "binary_expression":
        return
    for field in ("right", "left"):
        a, b = left.child_by_field_name(field), right.child_by_field_name(field)
        if a is not None and b is not None and by.text(a) != by.text(b):
            new = by.text(b) + by.data[a.end_byte : b.start_byte] + by.text(a)
            words = f"`{by.file.shown(a)}` and `{by.file.shown(b)}` swapped"
            yield Idea(a.start_byte, b.end_byte, new, "swap", by.weight("swap") - 4, words)


def _neighbours(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Two elements of a table that stand side by side swapped."""
    elements = [n for n in node.named_children if n.type != "comment"]
    for a, b in pairwise(elements):
        if by.text(a) != by.text(b) and a.type == b.type:
            new = by.text(b) + by.data[a.end_byte : b.start_byte] + by.text(a)
            words = f"`{by.file.shown(a)[:40]}` and `{by.file.shown(b)[:40]}` swapped"
            yield Idea(a.start_byte, b.end_byte, new, "swap", by.weight("swap"), words)


def _update(node: Node, by: Ingredients) -> Iterator[Idea]:
    yield from _operator(node, by)
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    used = node.parent is not None and node.parent.type not in (
        "expression_statement",
        "for_statement",
        "comma_expression",
    )
    if argument is None or operator is None or not used:
        return
    sign, text = by.text(operator), by.text(argument)
    is_prefix = operator.start_byte < argument.start_byte
    new = text + sign if is_prefix else sign + text
    yield by.idea(node, new, "fix", f"`{new.decode('ascii', 'replace')}` instead of `{by.file.shown(node)}`")
    yield by.idea(node, text, "operand", f"without `{by.name(operator)}`")


def _unary(node: Node, by: Ingredients) -> Iterator[Idea]:
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if operator is None or argument is None:
        return
    kind = {"!": "not", "-": "sign", "~": "operand", "*": "dereference", "&": "dereference"}.get(operator.type)
    if kind is not None:
        yield by.idea(node, by.text(argument), kind, f"without `{operator.type}`")


def _off_by_one(node: Node, by: Ingredients) -> Iterator[Idea]:
    """One more, one less: where a number is used as a bound, an index, an argument, a result, a value that is assigned."""
    parent = node.parent
    if parent is None or node.type in (
        "number_literal",
        "char_literal",
        "string_literal",
        "assignment_expression",
        "update_expression",
    ):
        return
    if not _is_value(node, parent) or by.scope.class_of(node) not in ("integer", *_pointers(node, by)):
        return
    for name in by.unread if parent.type != "subscript_expression" else ():
        for new in (
            name.encode() + b" * " + _tight(node, by),
            by.text(node) + b" + " + name.encode(),
            by.text(node) + b" - " + name.encode(),
        ):
            yield by.idea(node, new, "unread", f"with `{name}`, which is not used so far")
    step = _step(node, by)
    if step is not None:
        yield step
    needs = parent.type == "binary_expression" and not _compares(parent)
    for sign in "-+":
        new = (
            _tight(node, by) if node.type in ("conditional_expression", "assignment_expression") else by.text(node)
        ) + f" {sign} 1".encode()
        weight = by.weight("off-by-one") - (8 if needs else 0)
        yield by.idea(
            node,
            b"(" + new + b")" if needs else new,
            "off-by-one",
            f"`{by.file.shown(node)}` {'less' if sign == '-' else 'plus'} 1",
            weight,
        )


def _step(node: Node, by: Ingredients) -> Idea | None:
    """The value without its `+ 1` or `- 1`."""
    right, operator, left = (node.child_by_field_name(f) for f in ("right", "operator", "left"))
    if (
        node.type != "binary_expression"
        or right is None
        or operator is None
        or left is None
        or by.text(right) != b"1"
        or operator.type not in "+-"
    ):
        return None
    return by.idea(node, by.text(left), "off-by-one", f"without `{operator.type} 1`")


def _pointers(node: Node, by: Ingredients) -> tuple[str, ...]:
    """Texts are also moved by one: `p + 1`."""
    found = by.scope.class_of(node)
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
            return _compares(parent) or (
                node.type in ("identifier", "field_expression", "subscript_expression") and not _joins(parent)
            )
    return False


def _compares(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in COMPARISONS


def _joins(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in LOGICAL


def _tight(node: Node, by: Ingredients) -> bytes:
    """The text of an operand, in parentheses where another operator beside it could tear it apart."""
    return b"(" + by.text(node) + b")" if node.type in _LOOSE else by.text(node)
