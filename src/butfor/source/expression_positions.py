"""Which expression clang's debug info means by a position."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from butfor.source.c_parser import NodePath, expression_in, strip_parentheses
from butfor.source.statement_spans import KEYWORDS

LVALUES = frozenset({"subscript_expression", "field_expression", "pointer_expression", "identifier"})
_AT_START = frozenset({"call_expression", "subscript_expression"})
_ATOMS = frozenset(
    """identifier number_literal char_literal string_literal concatenated_string true false null
    parenthesized_expression cast_expression compound_literal_expression sizeof_expression alignof_expression
    offsetof_expression generic_expression""".split()
)
_EXPRESSIONS = (
    _ATOMS
    | _AT_START
    | frozenset(
        """binary_expression assignment_expression update_expression unary_expression pointer_expression
    conditional_expression comma_expression field_expression initializer_list init_declarator
    gnu_asm_expression""".split()
    )
)
_STATEMENTS = frozenset(
    """return_statement break_statement continue_statement goto_statement
    parameter_declaration""".split()
)
_ASSIGNS = frozenset({"assignment_expression", "update_expression", "init_declarator"})


def expression_at(path: NodePath, offset: int) -> Node | None:
    """The expression that clang places at the offset.

    Operators stand at their own token, a member access at the member's name, a call or subscript at its first byte,
    where its innermost variable stands too: there the largest call or subscript is meant.
    """
    leaf = path[-1].node
    parent = path[-2].node if len(path) > 1 else leaf
    if not leaf.is_named and parent.type in KEYWORDS:
        condition = parent.child_by_field_name("condition")
        return None if condition is None else strip_parentheses(condition)
    if leaf.type == "{" and parent.type == "initializer_list":
        return path[-3].node if path[-3].node.type == "compound_literal_expression" else parent
    declared = _declared(path)
    if declared is not None:
        return declared
    found = next(_enclosing(path), None)
    if found is None or found.start_byte != offset or found.type not in _ATOMS | _AT_START:
        return found
    return next((node for node in reversed(_starting(path, offset)) if node.type in _AT_START), found)


def expressions_at(path: NodePath, offset: int) -> tuple[Node, ...]:
    """Every expression that starts at the offset or has its operator there, from the smallest to the largest."""
    found = list(_starting(path, offset))
    best = expression_at(path, offset)
    if best is not None and best not in found:
        found.append(best)
    return tuple(sorted(found, key=lambda node: (node.end_byte - node.start_byte, node.start_byte)))


def is_lvalue(text: bytes) -> bool:
    """Whether a text, such as the body of a macro, is an expression that names a place in memory."""
    found = expression_in(text)
    return found is not None and found.type in LVALUES


def assignment_at(path: NodePath) -> Node | None:
    """The innermost assignment, ++, -- or initialised declarator around a position."""
    return next((node for node in _enclosing(path) if node.type in _ASSIGNS), None)


def _enclosing(path: NodePath) -> Iterator[Node]:
    """The expressions around a position, innermost first, up to the statement that holds them."""
    for index in range(len(path) - 1, -1, -1):
        node = path[index].node
        if node.type == "compound_statement" or (node.type.endswith("_statement") and node.type not in _STATEMENTS):
            return
        if node.type == "concatenated_string" or _is_expression(path, index):
            yield node


def _is_expression(path: NodePath, index: int) -> bool:
    node = path[index].node
    parent = path[index - 1].node if index else node
    if node.type == "string_literal" and parent.type == "concatenated_string":
        return False
    return node.is_named and (node.type in _EXPRESSIONS or node.type in _STATEMENTS)


def _starting(path: NodePath, offset: int) -> list[Node]:
    return [node for node in _enclosing(path) if node.start_byte == offset]


def _declared(path: NodePath) -> Node | None:
    """The declaration of the name at the end of the path, if it is a name being declared."""
    if path[-1].field != "declarator" and path[-1].node.type != "identifier":
        return None
    for index in range(len(path) - 1, 0, -1):
        node, field = path[index]
        if node.type in ("init_declarator", "parameter_declaration"):
            return node
        wrapped = path[index - 1].node.type == "parenthesized_declarator"
        if field != "declarator" and not wrapped:
            return None
        if path[index - 1].node.type == "declaration":
            return node
    return None
