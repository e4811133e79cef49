"""The C parser: the only module that starts tree-sitter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import tree_sitter_c
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree


class PathNode(NamedTuple):
    """One node on the path from the root to a position, and the field of its parent that it fills."""

    node: Node
    field: str | None


NodePath = Sequence[PathNode]


@cache
def _language() -> Language:
    return Language(tree_sitter_c.language())


@cache
def _query(pattern: str) -> Query:
    return Query(_language(), pattern)


def parse(buffer: bytes) -> Tree:
    """The syntax tree of a C file; broken code gives a tree with error nodes."""
    return Parser(_language()).parse(buffer)


def find_all(tree: Tree, kind: str) -> list[Node]:
    """All nodes of one grammar type, in order of their start."""
    found = QueryCursor(_query(f"({kind}) @found")).captures(tree.root_node)
    return sorted(found.get("found", []), key=lambda node: node.start_byte)


def path_to(tree: Tree, offset: int) -> tuple[PathNode, ...]:
    """The nodes that contain a byte, from the root to the smallest."""
    cursor = tree.walk()
    path = [PathNode(tree.root_node, None)]
    while cursor.goto_first_child_for_byte(offset) is not None:
        node = cursor.node
        if node is None or not node.start_byte <= offset < node.end_byte:
            break
        path.append(PathNode(node, cursor.field_name))
    return tuple(path)


@lru_cache(maxsize=4096)
def expression_in(text: bytes) -> Node | None:
    """The expression that a text parses as, without its parentheses; None when it is something else."""
    tree = parse(b"int x = (" + text + b"\n);")
    found = tree.root_node.named_children
    declarator = (
        found[0].child_by_field_name("declarator") if len(found) == 1 and not tree.root_node.has_error else None
    )
    value = declarator.child_by_field_name("value") if declarator is not None else None
    return None if value is None or value.type != "parenthesized_expression" else strip_parentheses(value)


def strip_parentheses(node: Node) -> Node:
    """The expression inside any number of parentheses."""
    while node.type == "parenthesized_expression":
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1 or inner[0].type == "compound_statement":
            break
        node = inner[0]
    return node
