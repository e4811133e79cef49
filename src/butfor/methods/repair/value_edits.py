"""Edits of values: other constants, variables, members, initial values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from butfor.methods.repair import call_edits, initial_values
from butfor.methods.repair.ingredients import (
    ASSIGNABLE,
    COMPARISONS,
    FunctionIngredients,
    Replacement,
    is_declared,
    is_in_directive,
)
from butfor.methods.repair.names_in_scope import type_class

MAX_CONSTANTS = 14  # of one kind for one value: the nearest ones
MAX_VARIABLES = 16  # for one value: the nearest ones
_NUMBER = re.compile(rb"(\d+)([uUlL]*)\Z")
MAX_TRANSPOSED_BYTES = 8  # of a text with its quotes: transposed letters are tried in short texts only
NEARBY_BYTES = 400  # around a use: about ten lines
MIN_CONTEXT_BYTES = 6  # of a line around a name, by which copies of the line are recognised
MAX_CONTEXT_BYTES = 12  # on each side
# How much less likely an edit is than the usual one of its kind, in weights; set by hand and checked on seeded faults.
OTHER_TYPE_OR_SCOPE = 3
VARIABLE_FOR_LITERAL = 4
VARIABLE_FOR_NAMED_CONSTANT = 7
VARIABLE_FOR_EXPRESSION = 6
POINTER_FOR_NULL = 4
MEMBER_OF_OTHER_VARIABLE = 2
NAMED_CONSTANT_FOR_VARIABLE = 2
LITERAL_FOR_NAME = 3
OTHER_ENUM = 5
NEGATED_VARIABLE = 6
ADDED_DEREFERENCE = 4


def replacements(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Replacements of a value by another of the same type."""
    match node.type:
        case "number_literal" | "char_literal" | "string_literal":
            yield from _constants(node, code)
        case "identifier":
            yield from _names(node, code)
        case "null":
            yield from _pointers(node, code)
        case "field_expression":
            yield from _members(node, code)
        case "call_expression":
            yield from call_edits.replacements(node, code)
            yield from _variables(node, code.scope.type_class(node), code)
        case "subscript_expression":
            yield from _variables(node, code.scope.type_class(node), code)
            yield from _index(node, code)
        case "init_declarator" | "declaration":
            yield from initial_values.replacements(node, code)


# --- constants --------------------------------------------------------------------------------------------------------


def _constants(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    old = code.text(node)
    if is_in_directive(node) or b"\n" in old:
        return
    met = {old}
    for new, kind, weight in _other_constants(node, old, code):
        if new not in met:
            met.add(new)
            words = f"{new.decode('utf-8', 'replace')} instead of {old.decode('utf-8', 'replace')}"
            yield code.replacement(node, new, kind, words, weight)


def _other_constants(node: Node, old: bytes, code: FunctionIngredients) -> Iterator[tuple[bytes, str, float | None]]:
    for known, weight in code.library.constants.get(old.decode("latin-1"), {}).items():
        yield known.encode("utf-8"), "constant-near", weight
    number = _NUMBER.match(old)
    if number is not None and not (old.startswith(b"0") and len(old) > 1):
        value = int(number[1])
        for near in (value - 1, value + 1):
            yield b"%d%s" % (near, number[2]), "constant-near", None
        for far in (value * 10, value // 10, 2 * value, value // 2, 0) if value else ():
            yield b"%d%s" % (far, number[2]), "constant-file", None
    if node.type == "string_literal" and len(old) <= MAX_TRANSPOSED_BYTES and b"\\" not in old:
        for k in range(1, len(old) - 2):
            yield old[:k] + old[k + 1 : k + 2] + old[k : k + 1] + old[k + 2 :], "letters", None
    if node.type == "char_literal" and len(old) == 3 and chr(old[1]).isalnum():
        for near in (old[1] - 1, old[1] + 1):
            if chr(near).isalnum():
                yield b"'%c'" % near, "constant-near", None
    yield from _elsewhere(node, code)
    if node.type == "number_literal" and _may_be_variable(node):
        for name, t in code.scope.local.items():
            if type_class(t) == code.scope.type_class(node):
                yield name.encode(), "variable", code.weight("variable") - VARIABLE_FOR_LITERAL
    if node.type == "number_literal":
        for text in code.file.constants.get("char_literal", {}) if _beside_a_character(node, code) else ():
            yield text, "constant-file", None
        for group in code.file.constant_names:
            for name in group[:MAX_CONSTANTS]:
                yield name.encode(), "constant-file", None


def _may_be_variable(node: Node) -> bool:
    """Whether a variable can replace a constant: not in a label or the size of an array."""
    return node.parent is not None and node.parent.type not in (
        "case_statement",
        "array_declarator",
        "enumerator",
        "bitfield_clause",
    )


def _elsewhere(node: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str, float | None]]:
    """Constants of the same kind, those of the function first, near ones first."""
    known = code.file.constants.get(node.type, {})
    near = sorted(known, key=lambda text: min(abs(at - node.start_byte) for at in known[text]))
    kinds = ("text", "text") if node.type == "string_literal" else ("constant-other", "constant-file")
    for text in near[: 2 * MAX_CONSTANTS]:
        is_mine = any(code.extent.start <= at < code.extent.end for at in known[text])
        yield text, kinds[0] if is_mine else kinds[1], None


def _beside_a_character(node: Node, code: FunctionIngredients) -> bool:
    return node.parent is not None and any(c.type == "char_literal" for c in node.parent.children)


# --- names ------------------------------------------------------------------------------------------------------------


def _names(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    parent = node.parent
    if (
        parent is None
        or (parent.type == "call_expression" and node == parent.child_by_field_name("function"))
        or is_declared(node, parent)
    ):
        return
    name = code.name(node)
    t = code.scope.variable(name)
    if t is None:
        yield from _constant_names(node, name, code)
        return
    declarator = code.uninitialised.get(name)
    if declarator is not None:
        yield from initial_values.of_variable(declarator, t, name, code)
    twins = _twins(node, code)
    mine = type_class(t)
    found = 0
    near = sorted(
        code.scope.names(),
        key=lambda item: (
            item[0] not in twins,
            item[0] not in code.scope.local,
            item[0] not in _names_nearby(node, code),
        ),
    )
    for other, its in near:
        if other != name and type_class(its) == mine and found < MAX_VARIABLES:
            found += 1
            kind = "twin" if other in twins else "variable"
            weight = code.library.variables.get(name, {}).get(other)
            if weight is None:
                is_far = its.kind != t.kind or its.size != t.size or other not in code.scope.local
                weight = code.weight(kind) - (OTHER_TYPE_OR_SCOPE if is_far else 0)
            yield code.replacement(node, other.encode(), kind, f"`{other}` instead of `{name}`", weight)
    yield from _constants_for_variable(node, code)
    for f in t.pointee.fields if t.kind == "pointer" and t.pointee is not None else ():
        if f.name and type_class(f.type) == mine:
            yield code.replacement(
                node, f"{name}->{f.name}".encode(), "step", f"`{name}->{f.name}` instead of `{name}`"
            )
    if mine == "integer":
        yield code.replacement(
            node, b"-" + code.text(node), "sign", f"`-{name}` instead of `{name}`", penalty=NEGATED_VARIABLE
        )
    if t.kind == "pointer" and t.pointee is not None and type_class(t.pointee) in ("integer", "real", mine):
        yield code.replacement(
            node,
            b"*" + code.text(node),
            "dereference",
            f"`*{name}` instead of `{name}`",
            penalty=ADDED_DEREFERENCE,
        )


def _constants_for_variable(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Constants for an integer variable."""
    parent = node.parent
    is_target = (
        parent is not None
        and parent.type in ("update_expression", "assignment_expression")
        and node == parent.child_by_field_name("left")
    )
    if (
        code.scope.type_class(node) != "integer"
        or is_target
        or (parent is not None and parent.type == "update_expression")
    ):
        return
    name = code.name(node)
    for group in code.file.constant_names:
        for other in islice(group, MAX_CONSTANTS):
            yield code.replacement(
                node,
                other.encode(),
                "constant-file",
                f"`{other}` instead of `{name}`",
                penalty=NAMED_CONSTANT_FOR_VARIABLE,
            )
    for text in (b"0", b"1"):
        yield code.replacement(
            node, text, "constant-file", f"{text.decode()} instead of `{name}`", penalty=LITERAL_FOR_NAME
        )


def _constant_names(node: Node, name: str, code: FunctionIngredients) -> Iterator[Replacement]:
    """Other named constants: of the same enum, other macros; the same one plus or minus 1."""
    groups = [group for group in code.file.constant_names if name in group]
    if not groups:
        return
    for group in code.file.constant_names:
        weight = code.weight("name-other") - (0 if name in group else OTHER_ENUM)
        for other in group[: 2 * MAX_CONSTANTS]:
            if other != name:
                yield code.replacement(node, other.encode(), "name-other", f"`{other}` instead of `{name}`", weight)
    for text in (b"0", b"1"):
        yield code.replacement(
            node, text, "constant-file", f"{text.decode()} instead of `{name}`", penalty=LITERAL_FOR_NAME
        )
    # only macros: enumerators do not count anything
    if name in code.file.constant_names[-1] and node.parent is not None and node.parent.type != "case_statement":
        is_plain = _needs_no_parentheses(node.parent, code)
        for sign in b"-", b"+":
            new = b"%s %s 1" % (code.text(node), sign)
            yield code.replacement(
                node,
                new if is_plain else b"(" + new + b")",
                "off-by-one",
                f"`{name} {sign.decode()} 1` instead of `{name}`",
            )
    for variable, t in code.scope.local.items():
        if type_class(t) == "integer" and node.parent is not None and node.parent.type != "case_statement":
            yield code.replacement(
                node,
                variable.encode(),
                "variable",
                f"`{variable}` instead of `{name}`",
                penalty=VARIABLE_FOR_NAMED_CONSTANT,
            )


def _needs_no_parentheses(parent: Node, code: FunctionIngredients) -> bool:
    """Whether a sum below a node needs no parentheses: as a side of a comparison, or an argument of a function."""
    operator, call = parent.child_by_field_name("operator"), parent.parent
    if parent.type == "argument_list" and call is not None:
        function = call.child_by_field_name("function")
        return function is not None and not code.file.tree.macros_named(code.name(function))
    return parent.type == "array_declarator" or (
        parent.type == "binary_expression" and operator is not None and operator.type in COMPARISONS
    )


def _pointers(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Pointers that the function mentions, and addresses of its variables, for NULL."""
    near = sorted((n for n in code.nodes if n.type in ASSIGNABLE), key=lambda n: abs(n.start_byte - node.start_byte))
    met: set[bytes] = set()
    for name, t in code.scope.local.items():
        if t.kind in ("struct", "union"):
            yield code.replacement(
                node, b"&" + name.encode(), "variable", f"`&{name}` instead of `NULL`", penalty=POINTER_FOR_NULL
            )
    for other in near:
        if (
            code.text(other) not in met
            and code.scope.type_class(other).startswith("pointer")
            and len(met) < MAX_VARIABLES
        ):
            met.add(code.text(other))
            yield code.replacement(
                node,
                code.text(other),
                "variable",
                f"`{code.file.shown(other)}` instead of `NULL`",
                penalty=POINTER_FOR_NULL,
            )


def _names_nearby(node: Node, code: FunctionIngredients) -> frozenset[str]:
    """The names used near by."""
    text = code.data[
        max(code.extent.start, node.start_byte - NEARBY_BYTES) : min(code.extent.end, node.end_byte + NEARBY_BYTES)
    ]
    return frozenset(m.decode("utf-8", "replace") for m in re.findall(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*", text))


def _twins(node: Node, code: FunctionIngredients) -> frozenset[str]:
    """The names that similar lines near by have in the place of this one, as after copy and paste."""
    start, end = node.start_byte, node.end_byte
    line_start, line_end = code.data.rfind(b"\n", 0, start) + 1, code.data.find(b"\n", end)
    before, after = code.data[line_start:start].strip(), code.data[end : line_end if line_end >= 0 else None].strip()
    if len(before) + len(after) < MIN_CONTEXT_BYTES:
        return frozenset()
    pattern = re.compile(
        re.escape(before[-MAX_CONTEXT_BYTES:])
        + rb"\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*"
        + re.escape(after[:MAX_CONTEXT_BYTES])
    )
    near = code.data[max(code.extent.start, start - NEARBY_BYTES) : min(code.extent.end, end + NEARBY_BYTES)]
    return frozenset(m[1].decode("utf-8", "replace") for m in pattern.finditer(near)) - {code.name(node)}


# --- members ----------------------------------------------------------------------------------------------------------


def _members(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    field, argument = node.child_by_field_name("field"), node.child_by_field_name("argument")
    if field is None or argument is None:
        return
    fields = code.scope.fields(node)
    mine = next((f for f in fields if f.name == code.name(field)), None)
    if mine is None:
        return
    for f in fields:
        if f.name and f.name != mine.name and type_class(f.type) == type_class(mine.type):
            yield code.replacement(field, f.name.encode(), "member", f"`{f.name}` instead of `{mine.name}`")
    if type_class(mine.type) == code.scope.type_class(argument):
        yield code.replacement(
            node, code.text(argument), "step", f"`{code.file.shown(argument)}` instead of `{code.file.shown(node)}`"
        )
        yield code.replacement(
            node, code.text(node) + b"->" + code.text(field), "step", f"one step further than `{code.file.shown(node)}`"
        )
    yield from _variables(node, type_class(mine.type), code)
    for name, t in code.scope.names():
        inner = t.pointee if t.kind == "pointer" else t
        if inner is not None and inner.kind in ("struct", "union") and any(f.name == mine.name for f in inner.fields):
            new = f"{name}{'->' if t.kind == 'pointer' else '.'}{mine.name}"
            yield code.replacement(
                node,
                new.encode(),
                "variable",
                f"`{new}` instead of `{code.file.shown(node)}`",
                penalty=MEMBER_OF_OTHER_VARIABLE,
            )


def _variables(node: Node, mine: str, code: FunctionIngredients) -> Iterator[Replacement]:
    """Variables for a whole expression."""
    parent = node.parent
    if (
        parent is not None
        and parent.type in ("assignment_expression", "update_expression")
        and node in (parent.child_by_field_name("left"), parent.child_by_field_name("argument"))
    ):
        return
    if parent is not None and (
        parent.type in ("expression_statement", "pointer_expression") or mine not in ("integer", "real")
    ):
        return
    for name, t in code.scope.local.items():
        if type_class(t) == mine:
            yield code.replacement(
                node,
                name.encode(),
                "variable",
                f"`{name}` instead of `{code.file.shown(node)}`",
                penalty=VARIABLE_FOR_EXPRESSION,
            )


def _index(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """The first elements of an array for a computed index."""
    index = node.child_by_field_name("index")
    if index is None or index.type in ("number_literal", "identifier"):
        return
    for text in (b"0", b"1"):
        yield code.replacement(
            index, text, "constant-file", f"index {text.decode()} instead of `{code.file.shown(index)}`"
        )
