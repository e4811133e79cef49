"""The whole condition that a branch of a short-circuit evaluation is a part of."""

from __future__ import annotations

from collections.abc import Container

from tree_sitter import Node

from butfor.source.c_parser import NodePath, strip_parentheses
from butfor.source.source_model import Role, StatementSpan
from butfor.source.statement_spans import KEYWORDS, condition_span

_LOGICAL = ("&&", "||")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_SEPARATE_VALUE = {"argument_list": None, "subscript_expression": "index"}


def decision_at(path: NodePath, offset: int, macros: Container[str]) -> StatementSpan | None:
    """The condition that holds the offset, None where nothing is decided.

    That is the full condition of the if, loop, switch or `?:` around it; else the largest tree of `&&`, `||` and `!`
    around it. A value computed by `&&` for an argument or an index is a decision of its own.
    """
    found: StatementSpan | None = None
    for index in range(len(path) - 1, 0, -1):
        node, field = path[index]
        parent = path[index - 1].node
        if parent.type in KEYWORDS:
            return _control_condition(path, index, offset, found)
        if node.type == "compound_statement" or parent.type == "compound_statement":
            return _end_of_do(path, index) if found is None else found
        if parent.type == "conditional_expression" and (field == "condition" or not node.is_named):
            found = _ternary_condition(parent, found)
        elif _is_logical(parent) or (found is not None and found.keyword in _LOGICAL and _is_negation(parent)):
            found = StatementSpan(parent.start_byte, parent.end_byte, Role.CONDITION, keyword=_operator(parent, found))
        elif parent.type in _SEPARATE_VALUE and field == _SEPARATE_VALUE[parent.type]:
            found = _asserted(path, index, macros) or found
            if found is not None:
                return found
    return found


def is_negated(path: NodePath, start: int, end: int, macros: Container[str]) -> bool | None:
    """Whether the condition from `start` to `end` is false when its operand at the end of the path is true.

    That holds for the operand that was evaluated last. None where the condition, or a macro in it, is more than `&&`,
    `||`, `!` and `?:` of operands.
    """
    odd = is_operand = False
    for index in range(len(path) - 1, 0, -1):
        node, field = path[index]
        if node.type == "identifier" and (node.text or b"").decode("ascii", "replace") in macros:
            return None
        if (node.start_byte, node.end_byte) == (start, end):
            return odd
        parent = path[index - 1].node
        if _is_negation(parent):
            odd = not odd
        elif parent.type == "conditional_expression" and field == "condition":
            return None
        elif _is_logical(parent) or parent.type == "conditional_expression":
            is_operand = True
        elif is_operand and parent.type != "parenthesized_expression":
            return None
    return None


def _control_condition(path: NodePath, index: int, offset: int, found: StatementSpan | None) -> StatementSpan | None:
    """The decision of a position in an if, loop or switch: its condition, unless another part holds it."""
    node, field = path[index]
    control = path[index - 1].node
    # clang puts the branch of a do loop at the start of a body without braces.
    body_of_do = control.type == "do_statement" and field == "body" and node.start_byte == offset
    if field == "condition" or not node.is_named or (body_of_do and node.type != "compound_statement"):
        span = condition_span(control)
        return span if span.role is Role.CONDITION else None
    return found or _end_of_do(path, index)


def _end_of_do(path: NodePath, index: int) -> StatementSpan | None:
    """The condition of a do loop for the closing brace of its body, where clang puts the branch."""
    if path[-1].node.type != "}" or len(path) < 3 or index < len(path) - 2:
        return None
    owner, body = path[-3].node, path[-2]
    return condition_span(owner) if owner.type == "do_statement" and body.field == "body" else None


def _ternary_condition(conditional: Node, found: StatementSpan | None) -> StatementSpan | None:
    condition = conditional.child_by_field_name("condition")
    if condition is None:
        return found
    condition = strip_parentheses(condition)
    return StatementSpan(condition.start_byte, condition.end_byte, Role.CONDITION, keyword="?:")


def _is_logical(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return operator is not None and operator.type in _LOGICAL


def _is_negation(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "unary_expression" else None
    return operator is not None and operator.type == "!"


def _operator(node: Node, found: StatementSpan | None) -> str | None:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None and _is_logical(node) else found.keyword if found else None


def _asserted(path: NodePath, index: int, macros: Container[str]) -> StatementSpan | None:
    """The argument of a macro such as assert, which may decide by it."""
    node = path[index].node
    call = path[index - 2].node if index > 1 else None
    callee = call.child_by_field_name("function") if call is not None else None
    if callee is None or callee.text is None or not node.is_named:
        return None
    name = callee.text.decode("ascii", "replace")
    if name != "assert" and not (name in macros and _is_boolean(strip_parentheses(node))):
        return None
    return StatementSpan(node.start_byte, node.end_byte, Role.CONDITION, keyword=name)


def _is_boolean(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return _is_negation(node) or (operator is not None and operator.type in _COMPARISONS + _LOGICAL)
