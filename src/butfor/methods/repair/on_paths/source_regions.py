"""The regions of the source that compute the values of a path, read as terms before and after an edit."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from butfor.logic.terms import Term, const
from butfor.methods.repair.ingredients import FileIngredients, walk
from butfor.methods.repair.on_paths.c_expression_terms import (
    INT_BITS,
    Environment,
    ExpressionTranslator,
    TypedTerm,
    Untranslatable,
    arithmetic_term,
    without_blanks,
)
from butfor.source import SourceFile, SyntaxTree
from butfor.source.c_parser import strip_parentheses
from butfor.source.statement_spans import declared_name


class RegionForm(enum.Enum):
    """How a region determines a value."""

    CONDITION = "condition"
    ASSIGN = "assign"  # the operator and the right side
    UPDATE = "update"  # ++ and --
    VALUE = "value"  # an initialiser, an argument, a returned expression


@dataclass(frozen=True, slots=True)
class SourceRegion:
    """The bytes of a file that determine a value. `target` is the assigned expression as written."""

    form: RegionForm
    start: int
    end: int
    target: str = ""

    def value(self, text: bytes, here: Environment, old: TypedTerm | None) -> TypedTerm:
        """The value of a text in this region; `old` is that of the target."""
        data, node = _parsed(self._whole(text))
        reader = ExpressionTranslator(data, here)
        if self.form is RegionForm.VALUE:
            return reader.value(node)
        if node.type == "assignment_expression" and self.form is RegionForm.ASSIGN:
            left, operator, right = (node.child_by_field_name(f) for f in ("left", "operator", "right"))
            if (
                left is None
                or operator is None
                or right is None
                or without_blanks(reader.text(left)) != without_blanks(self.target)
            ):
                raise Untranslatable("another target")
            given = reader.value(right)
            if operator.type == "=":
                return given
            if old is None:
                raise Untranslatable("the target has no term")
            return arithmetic_term(operator.type[:-1], old, given)
        if node.type == "update_expression" and self.form is RegionForm.UPDATE and old is not None:
            operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
            if (
                argument is None
                or operator is None
                or without_blanks(reader.text(argument)) != without_blanks(self.target)
            ):
                raise Untranslatable("another target")
            return arithmetic_term(operator.type[0], old, _ONE)
        raise Untranslatable(node.type)

    def truth(self, text: bytes, here: Environment) -> Term:
        """The condition of a text in this region."""
        data, node = _parsed(text)
        return ExpressionTranslator(data, here).truth(node)

    def _whole(self, text: bytes) -> bytes:
        return self.target.encode() + b" " + text if self.form is RegionForm.ASSIGN else text


MAX_PARSED_TEXTS = 512  # that are kept: the instances of a statement share theirs
_OPAQUE = frozenset(
    ("subscript_expression", "field_expression", "pointer_expression", "call_expression", "cast_expression")
)
_ONE = TypedTerm(const(1, INT_BITS))
_EXPRESSION_FRAME = (b"void f(void) { (", b"\n); }")


@lru_cache(maxsize=MAX_PARSED_TEXTS)
def _parsed(text: bytes) -> tuple[bytes, Node]:
    data = _EXPRESSION_FRAME[0] + text + _EXPRESSION_FRAME[1]
    tree = SyntaxTree(SourceFile("", data))
    if tree.root.has_error:
        raise Untranslatable("it does not parse")
    inside = next((n for n in walk(tree.root) if n.type == "parenthesized_expression"), None)
    if inside is None:
        raise Untranslatable("no expression")
    return data, strip_parentheses(inside)


def opaque_texts(text: bytes) -> list[str]:
    """The outermost reads of a text through pointers, from members and from calls, without blanks."""
    data, node = _parsed(text)
    found, waiting = [], [node]
    while waiting:
        here = waiting.pop()
        if here.type in _OPAQUE:
            found.append(without_blanks(data[here.start_byte : here.end_byte].decode("utf-8", "replace")))
        else:
            waiting += here.children
    return found


# --- finding regions --------------------------------------------------------------------------------------------------


def assigning_regions(file: FileIngredients, start: int, end: int, target: str) -> list[SourceRegion]:
    """The regions between two bytes of a file that assign a variable or member."""
    found = []
    for node in _inside(file, start, end):
        region = _assigning_region(file, node, without_blanks(target))
        if region is not None:
            found.append(region)
    return found


def _assigning_region(file: FileIngredients, node: Node, target: str) -> SourceRegion | None:
    match node.type:
        case "assignment_expression":
            left, operator, right = (node.child_by_field_name(f) for f in ("left", "operator", "right"))
            if left is not None and operator is not None and right is not None and _text(file, left) == target:
                return SourceRegion(RegionForm.ASSIGN, operator.start_byte, right.end_byte, target)
        case "update_expression":
            argument = node.child_by_field_name("argument")
            if argument is not None and _text(file, argument) == target:
                return SourceRegion(RegionForm.UPDATE, node.start_byte, node.end_byte, target)
        case "init_declarator":
            name, value = declared_name(node), node.child_by_field_name("value")
            if (
                name is not None
                and value is not None
                and _text(file, name) == target
                and value.type != "initializer_list"
            ):
                return SourceRegion(RegionForm.VALUE, value.start_byte, value.end_byte, target)
    return None


def returned_regions(file: FileIngredients, start: int, end: int) -> list[SourceRegion]:
    """The expressions of return statements between two bytes of a file."""
    found = []
    for node in _inside(file, start, end):
        if node.type == "return_statement" and node.named_child_count:
            value = next((c for c in node.named_children if c.type != "comment"), None)
            if value is not None:
                found.append(SourceRegion(RegionForm.VALUE, value.start_byte, value.end_byte))
    return found


def argument_regions(file: FileIngredients, start: int, end: int, function: str, number: int) -> list[SourceRegion]:
    """The arguments of that number in calls of a function between two bytes of a file."""
    found = []
    for node in _inside(file, start, end):
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if (
            node.type == "call_expression"
            and called is not None
            and given is not None
            and _text(file, called) == function
        ):
            values = [c for c in given.named_children if c.type != "comment"]
            if number < len(values):
                found.append(SourceRegion(RegionForm.VALUE, values[number].start_byte, values[number].end_byte))
    return found


def parameter_index(file: FileIngredients, function: str, name: str) -> int | None:
    """The number of the parameter of a function with a name."""
    extent = next((e for e in file.tree.extents if e.name == function), None)
    if extent is None:
        return None
    inside = [n for n in _inside(file, extent.open, extent.close + 1) if n.type == "parameter_declaration"]
    for k, node in enumerate(inside):
        declarator = node.child_by_field_name("declarator")
        known = declared_name(declarator) if declarator is not None else None
        if known is not None and _text(file, known) == name:
            return k
    return None


def _inside(file: FileIngredients, start: int, end: int) -> Iterator[Node]:
    return (n for n in file.nodes if start <= n.start_byte and n.end_byte <= end)


def _text(file: FileIngredients, node: Node) -> str:
    return without_blanks(file.text(node).decode("utf-8", "replace"))
