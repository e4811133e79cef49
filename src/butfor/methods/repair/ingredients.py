"""Repair ingredients: the constants, names, conditions and statements of a function and its file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from butfor.methods.repair.names_in_scope import Scope
from butfor.methods.repair.slip_library import SlipLibrary
from butfor.source.function_extents import FunctionExtent
from butfor.source.source_text import on_one_line
from butfor.source.statement_spans import declared_name
from butfor.source.syntax_tree import SyntaxTree

COMPARISONS = frozenset(("<", ">", "<=", ">=", "==", "!="))
LOGICAL = frozenset(("&&", "||"))
LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
JUMPS = frozenset(("break_statement", "continue_statement", "return_statement", "goto_statement"))
ASSIGNABLE = frozenset(("identifier", "field_expression", "pointer_expression", "subscript_expression"))
MAX_GUARD_CLAUSE_BYTES = 160  # longer ones do more than leave
MAX_GUARD_CLAUSE_STATEMENTS = 2  # a message and the jump
_PLAIN_DECLARATORS = frozenset(("identifier", "pointer_declarator", "array_declarator"))
_NAME = re.compile(
    rb"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:\.|->)\s*[A-Za-z_\x80-\xff][\w\x80-\xff]*|([A-Za-z_\x80-\xff][\w\x80-\xff]*))"""
)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A candidate edit: the bytes from `start` to `end` become `new`; `skips`: a statement no longer runs."""

    start: int
    end: int
    new: bytes
    kind: str
    weight: float
    why: str
    skips: bool = False


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the source."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(here.children)


def is_declared(node: Node, parent: Node) -> bool:
    """Whether a node is the name that a declaration declares, not a value."""
    return parent.type.endswith(("declarator", "declaration")) and node in parent.children_by_field_name("declarator")


class FileIngredients:
    """What one source file offers."""

    def __init__(self, tree: SyntaxTree) -> None:
        self.tree = tree
        self.data = tree.source.data

    def text(self, node: Node) -> bytes:
        """The node as written."""
        return self.data[node.start_byte : node.end_byte]

    def shown(self, node: Node) -> str:
        """The node on one line, for people."""
        return on_one_line(self.tree.source.slice_text(node.start_byte, node.end_byte))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes of the file."""
        return tuple(walk(self.tree.root))

    @cached_property
    def constants(self) -> dict[str, dict[bytes, list[int]]]:
        """Where constants stand, by the kind of literal and their text."""
        found: dict[str, dict[bytes, list[int]]] = {}
        for node in self.nodes:
            if node.type in ("number_literal", "char_literal", "string_literal") and not is_in_directive(node):
                found.setdefault(node.type, {}).setdefault(self.text(node), []).append(node.start_byte)
        return found

    @cached_property
    def constant_names(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names for constants: the enumerators of each enum, the macros that are numbers."""
        groups = []
        for node in self.nodes:
            if node.type == "enumerator_list":
                names = [n.child_by_field_name("name") for n in node.named_children if n.type == "enumerator"]
                groups.append(tuple(self.text(n).decode("utf-8", "replace") for n in names if n is not None))
        macros = []
        for node in self.nodes:
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if (
                node.type == "preproc_def"
                and name is not None
                and value is not None
                and re.match(rb"\s*\(?-?\d", self.text(value))
            ):
                macros.append(self.text(name).decode("utf-8", "replace"))
        return (*groups, tuple(macros))

    @cached_property
    def local_names(self) -> frozenset[bytes]:
        """The names of the parameters and local variables of all functions."""
        found = set()
        for node in self.nodes:
            is_local = node.type == "parameter_declaration" or (
                node.type == "declaration" and node.parent != self.tree.root
            )
            for declarator in node.children_by_field_name("declarator") if is_local else ():
                name = declared_name(declarator)
                if name is not None:
                    found.add(self.text(name))
        return frozenset(found)

    @cached_property
    def guard_clauses(self) -> tuple[Node, ...]:
        """Short guard clauses: `if (c) return x;`."""
        return tuple(
            n
            for n in self.nodes
            if n.type == "if_statement" and is_guard_clause(n) and n.end_byte - n.start_byte <= MAX_GUARD_CLAUSE_BYTES
        )


class FunctionIngredients:
    """What one function of a file offers."""

    def __init__(self, file: FileIngredients, extent: FunctionExtent, scope: Scope, library: SlipLibrary) -> None:
        self.file = file
        self.extent = extent
        self.scope = scope
        self.library = library
        self.data = file.data

    def text(self, node: Node) -> bytes:
        """The node as written."""
        return self.file.text(node)

    def name(self, node: Node) -> str:
        """The node as a name."""
        return self.text(node).decode("utf-8", "replace")

    def weight(self, kind: str) -> float:
        """The weight of a kind of edit."""
        return self.library.kinds[kind]

    def replacement(
        self,
        node: Node,
        new: bytes,
        kind: str,
        why: str,
        weight: float | None = None,
        *,
        penalty: float = 0.0,
        skips: bool = False,
    ) -> Replacement:
        """The replacement of a node; its weight is that of its kind unless given, less a penalty."""
        whole = self.weight(kind) if weight is None else weight
        return Replacement(node.start_byte, node.end_byte, new, kind, whole - penalty, why, skips)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes of the body."""
        return tuple(n for n in self.file.nodes if self.extent.body <= n.start_byte and n.end_byte <= self.extent.end)

    @cached_property
    def conditions(self) -> tuple[tuple[bytes, str], ...]:
        """Atomic conditions that the function tests, as written and for people."""
        found: dict[bytes, str] = {}
        for node in self.nodes:
            if node.type in (
                "if_statement",
                "while_statement",
                "for_statement",
                "do_statement",
                "conditional_expression",
            ):
                condition = node.child_by_field_name("condition")
                for leaf in atomic_conditions(condition) if condition is not None else ():
                    found.setdefault(self.text(leaf), self.file.shown(leaf))
        return tuple(found.items())

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """Local variables that are assigned and never read: a use of them may be missing."""
        used: dict[str, bool] = {}
        for node in self.nodes:
            parent = node.parent
            if node.type == "identifier" and parent is not None and self.name(node) in self.scope.local:
                operator = parent.child_by_field_name("operator")
                is_set = (
                    parent.type == "assignment_expression"
                    and node == parent.child_by_field_name("left")
                    and operator is not None
                )
                is_set = (
                    is_set and operator is not None and operator.type == "="
                ) or node == parent.child_by_field_name("declarator")
                used[self.name(node)] = used.get(self.name(node), False) or not is_set
        return tuple(name for name, is_read in used.items() if not is_read)

    @cached_property
    def assigned(self) -> frozenset[bytes]:
        """The targets of the function's assignments, `++` and `--`, as written."""
        assignments = (n.child_by_field_name("left") for n in self.nodes if n.type == "assignment_expression")
        updates = (n.child_by_field_name("argument") for n in self.nodes if n.type == "update_expression")
        return frozenset(self.text(n) for n in (*assignments, *updates) if n is not None)

    @cached_property
    def uninitialised(self) -> dict[str, Node]:
        """The declarators of uninitialised local variables, by name; names that are declared twice are left out."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            is_static = any(c.type == "storage_class_specifier" for c in node.children)
            for declarator in (
                node.children_by_field_name("declarator") if node.type == "declaration" and not is_static else ()
            ):
                name = declared_name(declarator)
                if name is not None:
                    found.setdefault(self.name(name), []).append(declarator)
        return {
            name: nodes[0] for name, nodes in found.items() if len(nodes) == 1 and nodes[0].type in _PLAIN_DECLARATORS
        }

    @cached_property
    def _scopes(self) -> dict[bytes, list[tuple[int, int]]]:
        """The scopes of each local name: from a declaration to the end of its block."""
        found: dict[bytes, list[tuple[int, int]]] = {}
        for node in self.file.nodes:
            if (
                node.type in ("declaration", "parameter_declaration")
                and self.extent.start <= node.start_byte < self.extent.end
            ):
                block = node.parent
                while block is not None and block.type not in (
                    "compound_statement",
                    "for_statement",
                    "function_definition",
                ):
                    block = block.parent
                for declarator in node.children_by_field_name("declarator"):
                    name = declared_name(declarator)
                    if name is not None and block is not None:
                        found.setdefault(self.text(name), []).append((declarator.end_byte, block.end_byte))
        return found

    def is_in_scope(self, text: bytes, offset: int) -> bool:
        """Whether all local variables that a text mentions are in scope at an offset."""
        for m in _NAME.finditer(text):
            name = m[1] or b""
            is_local = name in self.file.local_names and name.decode("utf-8", "replace") not in self.scope.outer
            if is_local and not any(start <= offset < end for start, end in self._scopes.get(name, ())):
                return False
        return True

    @cached_property
    def statements(self) -> tuple[Node, ...]:
        """The expression statements of the body."""
        return tuple(n for n in self.nodes if n.type == "expression_statement" and n.named_child_count)


def atomic_conditions(condition: Node) -> Iterator[Node]:
    """The atomic conditions that `&&`, `||` and parentheses join to a condition."""
    stack = [condition]
    while stack:
        node = stack.pop()
        operator = node.child_by_field_name("operator")
        if node.type == "parenthesized_expression":
            stack += reversed([c for c in node.named_children if c.type != "comment"])
        elif node.type == "binary_expression" and operator is not None and operator.type in LOGICAL:
            stack += [n for n in (node.child_by_field_name("right"), node.child_by_field_name("left")) if n is not None]
        else:
            yield node


def is_in_directive(node: Node) -> bool:
    """Whether a node is a part of a preprocessor line."""
    above = node.parent
    while above is not None and not above.type.endswith(("_statement", "declaration", "definition")):
        if above.type in ("preproc_include", "preproc_def", "preproc_function_def", "preproc_call"):
            return True
        above = above.parent
    return False


def is_guard_clause(node: Node) -> bool:
    """Whether an `if` without `else` only leaves the function or loop, perhaps after one other statement."""
    body = node.child_by_field_name("consequence")
    if body is None or node.child_by_field_name("alternative") is not None:
        return False
    inside = body.named_children if body.type == "compound_statement" else [body]
    return 0 < len(inside) <= MAX_GUARD_CLAUSE_STATEMENTS and inside[-1].type in JUMPS


def is_in_loop(node: Node) -> bool:
    """Whether a node is a part of a loop."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        if above.type in LOOPS:
            return True
        above = above.parent
    return False
