"""Edits of conditions: negated, strengthened, weakened, always or never true."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from butfor.methods.repair.ingredients import (
    COMPARISONS,
    LOGICAL,
    FunctionIngredients,
    Replacement,
    atomic_conditions,
    walk,
)
from butfor.methods.repair.names_in_scope import type_class
from butfor.source.c_parser import strip_parentheses

MAX_ADDED_CONDITIONS = 28  # per condition: the first ones are about what it mentions
MAX_ADDED_PER_PART = 14  # per part of a condition: these edits are rarer
WEAKENED_PART_PENALTY = 2  # in weights: conditions are weakened as a whole more often
_NEEDS_NO_PARENTHESES = frozenset(
    (
        "identifier",
        "call_expression",
        "parenthesized_expression",
        "field_expression",
        "subscript_expression",
        "number_literal",
    )
)


def replacements(condition: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Changes of a whole condition; `condition` has no parentheses around it."""
    if condition.parent is not None and _statement_type(condition) == "switch_statement":
        return
    if not _is_comparison(condition):  # operator_edits negates comparisons
        yield code.replacement(condition, negated(condition, code), "not", f"not `{code.file.shown(condition)}`")
    shown = code.file.shown(condition)
    for text, words in further_conditions(condition, code):
        yield code.replacement(
            condition, _left_operand(condition, code) + b" && " + text, "strengthen", f"only if also `{words}`"
        )
        yield code.replacement(
            condition, _left_operand(condition, code, b"||") + b" || " + text, "weaken", f"also if `{words}`"
        )
    parts = [leaf for leaf in atomic_conditions(condition) if leaf != condition]
    for leaf in parts:
        for text, words in list(further_conditions(leaf, code))[:MAX_ADDED_PER_PART]:
            weaker = b"(" + code.text(leaf) + b" || " + text + b")"
            yield code.replacement(
                leaf, weaker, "weaken", f"`{code.file.shown(leaf)}` also if `{words}`", penalty=WEAKENED_PART_PENALTY
            )
    yield code.replacement(condition, b"1", "always", f"`{shown}` not asked")
    yield code.replacement(condition, b"0", "never", f"never, whatever `{shown}` is", skips=True)


def _statement_type(condition: Node) -> str:
    """The type of the statement that a condition belongs to."""
    above = condition.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    return "" if above is None else above.type


def _is_comparison(condition: Node) -> bool:
    operator = condition.child_by_field_name("operator")
    return condition.type == "binary_expression" and operator is not None and operator.type in COMPARISONS


_NEGATED_OPERATOR = {b"<": b">=", b">=": b"<", b">": b"<=", b"<=": b">", b"==": b"!=", b"!=": b"=="}


def negated_text(text: bytes) -> bytes:
    """The negation of one comparison, given as text."""
    found = re.fullmatch(rb"([^<>=!&|?]*) (<=|>=|==|!=|<|>) ([^<>=!&|?]*)", text)
    return b"!(" + text + b")" if found is None else b"%s %s %s" % (found[1], _NEGATED_OPERATOR[found[2]], found[3])


def negated(condition: Node, code: FunctionIngredients) -> bytes:
    """The negation of a condition."""
    text = code.text(condition)
    operator, argument = condition.child_by_field_name("operator"), condition.child_by_field_name("argument")
    if condition.type == "unary_expression" and operator is not None and operator.type == "!" and argument is not None:
        return code.text(argument)
    return b"!" + text if condition.type in _NEEDS_NO_PARENTHESES else b"!(" + text + b")"


def further_conditions(node: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """Conditions that could be added: plain ones about what the node mentions, and those of the function."""
    own = code.text(strip_parentheses(node))
    found: dict[bytes, str] = {}
    for text, words in plain_conditions(node, code):
        found.setdefault(text, words)
    for text, words in code.conditions:
        found.setdefault(text, words)
        if words.isidentifier():
            found.setdefault(b"!" + text, "!" + words)
    for text, words in list(found.items())[:MAX_ADDED_CONDITIONS]:
        if text != own:
            yield text, words


def plain_conditions(node: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """Plain conditions: another member compared too, an index in bounds, a pointer not NULL, a number not 0."""
    yield from ((text, text.decode("utf-8", "replace")) for part in walk(node) for text in _other_members(part, code))
    for part in walk(node):
        if part.type == "subscript_expression":
            array, index = part.child_by_field_name("argument"), part.child_by_field_name("index")
            t = code.scope.type_of(array) if array is not None else None
            if index is not None and t is not None and t.kind == "array" and t.count:
                i = code.text(index)
                bound = _written_size(array, code) if array is not None else None
                for text in (i + b" < " + (bound or b"%d" % t.count), i + b" >= 0"):
                    yield text, text.decode("utf-8", "replace")
    for part in walk(node):
        if part.type in ("identifier", "field_expression"):
            t = code.scope.type_of(part)
            name = code.text(part)
            if t is not None and t.kind == "pointer":
                yield (
                    name + b" != 0" if b"NULL" not in code.data else name + b" != NULL",
                    f"{code.file.shown(part)} is not NULL",
                )
            elif type_class(t) == "integer":
                for text in (name + b" != 0", name + b" > 0"):
                    yield text, text.decode("utf-8", "replace")


def _other_members(node: Node, code: FunctionIngredients) -> Iterator[bytes]:
    """A comparison of two equal members, of the other members of that type: `a.y == b.y` for `a.x == b.x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if (
        not _is_comparison(node)
        or left is None
        or right is None
        or left.type != "field_expression"
        or right.type != "field_expression"
    ):
        return
    mine, other = left.child_by_field_name("field"), right.child_by_field_name("field")
    if mine is None or other is None or code.text(mine) != code.text(other):
        return
    known = {f.name: type_class(f.type) for f in code.scope.fields(left)}
    for name, its in known.items():
        if name and name != code.name(mine) and its == known.get(code.name(mine)):
            middle = code.data[mine.end_byte : other.start_byte]
            yield code.data[node.start_byte : mine.start_byte] + name.encode() + middle + name.encode()


def _written_size(array: Node, code: FunctionIngredients) -> bytes | None:
    """The size of an array as its declaration writes it."""
    name = code.text(array)
    for node in code.file.nodes:
        size, declarator = node.child_by_field_name("size"), node.child_by_field_name("declarator")
        if (
            node.type == "array_declarator"
            and size is not None
            and declarator is not None
            and code.text(declarator) == name
        ):
            return code.text(size)
    return None


def _left_operand(condition: Node, code: FunctionIngredients, operator: bytes = b"&&") -> bytes:
    """The condition as the left operand of `&&` or `||`, in parentheses where it needs them."""
    inner = condition.child_by_field_name("operator")
    loose = condition.type in ("assignment_expression", "conditional_expression", "comma_expression")
    loose |= (
        condition.type == "binary_expression"
        and inner is not None
        and inner.type in LOGICAL
        and inner.type.encode() != operator
    )
    return b"(" + code.text(condition) + b")" if loose else code.text(condition)
