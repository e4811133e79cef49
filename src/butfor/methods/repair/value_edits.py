"""Other constants, variables and members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair import call_edits
from butfor.methods.repair.ingredients import COMPARISONS, PLACES, Idea, Ingredients, in_directive
from butfor.methods.repair.names_in_scope import class_of

_MOST_CONSTANTS, _MOST_VARIABLES = 14, 16
_NUMBER = re.compile(rb"(\d+)([uUlL]*)\Z")
_SHORT_TEXT = 8  # bytes of a text with its quotes in which two letters may have changed places
_NEAR_LINES = 400  # bytes around a use in which a twin of it is looked for


def ideas(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Replacements of a value by another of the same type."""
    match node.type:
        case "number_literal" | "char_literal" | "string_literal":
            yield from _constants(node, by)
        case "identifier":
            yield from _names(node, by)
        case "null":
            yield from _pointers(node, by)
        case "field_expression":
            yield from _members(node, by)
        case "call_expression":
            yield from call_edits.ideas(node, by)
            yield from _variables(node, by.scope.class_of(node), by)
        case "subscript_expression":
            yield from _variables(node, by.scope.class_of(node), by)
            yield from _index(node, by)
        case "init_declarator" | "declaration":
            yield from _initial(node, by)


# --- constants ------------------------------------------------------------------------------------------------------------


def _constants(node: Node, by: Ingredients) -> Iterator[Idea]:
    old = by.text(node)
    if in_directive(node) or b"\n" in old:
        return
    met = {old}
    for new, kind, weight in _other_constants(node, old, by):
        if new not in met:
            met.add(new)
            words = f"{new.decode('utf-8', 'replace')} instead of {old.decode('utf-8', 'replace')}"
            yield by.idea(node, new, kind, words, weight)


def _other_constants(node: Node, old: bytes, by: Ingredients) -> Iterator[tuple[bytes, str, float | None]]:
    for known, weight in by.library.constants.get(old.decode("latin-1"), {}).items():
        yield known.encode("utf-8"), "constant-near", weight
    number = _NUMBER.match(old)
    if number is not None and not (old.startswith(b"0") and len(old) > 1):
        value = int(number[1])
        for near in (value - 1, value + 1):
            yield b"%d%s" % (near, number[2]), "constant-near", None
        for far in (value * 10, value // 10, 2 * value, value // 2, 0) if value else ():
            yield b"%d%s" % (far, number[2]), "constant-file", None
    if node.type == "string_literal" and len(old) <= _SHORT_TEXT and b"\\" not in old:
        for k in range(1, len(old) - 2):
            yield old[:k] + old[k + 1 : k + 2] + old[k : k + 1] + old[k + 2 :], "letters", None
    if node.type == "char_literal" and len(old) == 3 and chr(old[1]).isalnum():
        for near in (old[1] - 1, old[1] + 1):
            if chr(near).isalnum():
                yield b"'%c'" % near, "constant-near", None
    yield from _elsewhere(node, by)
    if node.type == "number_literal" and _is_used(node):
        for name, t in by.scope.local.items():
            if class_of(t) == by.scope.class_of(node):
                yield name.encode(), "variable", by.weight("variable") - 4
    if node.type == "number_literal":
        for text in by.file.constants.get("char_literal", {}) if _beside_a_character(node, by) else ():
            yield text, "constant-file", None
        for group in by.file.names:
            for name in group[:_MOST_CONSTANTS]:
                yield name.encode(), "constant-file", None


def _is_used(node: Node) -> bool:
    """Whether a variable can stand there too: not in a label or the size of an array."""
    return node.parent is not None and node.parent.type not in (
        "case_statement",
        "array_declarator",
        "enumerator",
        "bitfield_clause",
    )


def _elsewhere(node: Node, by: Ingredients) -> Iterator[tuple[bytes, str, float | None]]:
    """Constants of the same kind, those of the function first, near ones first."""
    known = by.file.constants.get(node.type, {})
    near = sorted(known, key=lambda text: min(abs(at - node.start_byte) for at in known[text]))
    kinds = ("text", "text") if node.type == "string_literal" else ("constant-other", "constant-file")
    for text in near[: 2 * _MOST_CONSTANTS]:
        is_mine = any(by.extent.start <= at < by.extent.end for at in known[text])
        yield text, kinds[0] if is_mine else kinds[1], None


def _beside_a_character(node: Node, by: Ingredients) -> bool:
    return node.parent is not None and any(c.type == "char_literal" for c in node.parent.children)


# --- names ------------------------------------------------------------------------------------------------------------------


def _names(node: Node, by: Ingredients) -> Iterator[Idea]:
    parent = node.parent
    if (
        parent is None
        or (parent.type == "call_expression" and node == parent.child_by_field_name("function"))
        or _declares(node, parent)
    ):
        return
    name = by.name(node)
    t = by.scope.variable(name)
    if t is None:
        yield from _constant_names(node, name, by)
        return
    declarator = by.unset.get(name)
    if declarator is not None:
        yield from _unset(declarator, t, name, by)
    twins = _twins(node, by)
    mine = class_of(t)
    found = 0
    near = sorted(
        by.scope.names(),
        key=lambda item: (item[0] not in twins, item[0] not in by.scope.local, item[0] not in _around(node, by)),
    )
    for other, its in near:
        if other != name and class_of(its) == mine and found < _MOST_VARIABLES:
            found += 1
            kind = "twin" if other in twins else "variable"
            weight = by.library.variables.get(name, {}).get(other)
            if weight is None:
                is_far = its.kind != t.kind or its.size != t.size or other not in by.scope.local
                weight = by.weight(kind) - (3 if is_far else 0)
            yield by.idea(node, other.encode(), kind, f"`{other}` instead of `{name}`", weight)
    yield from _steps(node, by)
    for f in t.pointee.fields if t.kind == "pointer" and t.pointee is not None else ():
        if f.name and class_of(f.type) == mine:
            yield by.idea(node, f"{name}->{f.name}".encode(), "step", f"`{name}->{f.name}` instead of `{name}`")
    if mine == "integer":
        yield by.idea(node, b"-" + by.text(node), "sign", f"`-{name}` instead of `{name}`", by.weight("sign") - 6)
    if t.kind == "pointer" and t.pointee is not None and class_of(t.pointee) in ("integer", "real", mine):
        yield by.idea(
            node, b"*" + by.text(node), "dereference", f"`*{name}` instead of `{name}`", by.weight("dereference") - 4
        )


def _unset(declarator: Node, t: CType, name: str, by: Ingredients) -> Iterator[Idea]:
    """A first value for a variable that starts without one, where it is declared."""
    at = declarator.end_byte
    for value in (
        (b"{0}",) if t.kind in ("struct", "union", "array") else (b"0", b"1") if class_of(t) == "integer" else (b"0",)
    ):
        yield Idea(
            at,
            at,
            b" = " + value,
            "initialise",
            by.weight("initialise") - (2 if value == b"1" else 0),
            f"`{name}` starts as {value.decode()}",
        )


def _steps(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Constants in the place of an integer variable."""
    parent = node.parent
    is_target = (
        parent is not None
        and parent.type in ("update_expression", "assignment_expression")
        and node == parent.child_by_field_name("left")
    )
    if by.scope.class_of(node) != "integer" or is_target or (parent is not None and parent.type == "update_expression"):
        return
    name = by.name(node)
    for group in by.file.names:
        for other in islice(group, _MOST_CONSTANTS):
            yield by.idea(
                node, other.encode(), "constant-file", f"`{other}` instead of `{name}`", by.weight("constant-file") - 2
            )
    for text in (b"0", b"1"):
        yield by.idea(
            node, text, "constant-file", f"{text.decode()} instead of `{name}`", by.weight("constant-file") - 3
        )


def _constant_names(node: Node, name: str, by: Ingredients) -> Iterator[Idea]:
    """Other names for constants: of the same enum, other macros; a little more or less."""
    groups = [group for group in by.file.names if name in group]
    if not groups:
        return
    for group in by.file.names:
        weight = by.weight("name-other") - (0 if name in group else 5)
        for other in group[: 2 * _MOST_CONSTANTS]:
            if other != name:
                yield by.idea(node, other.encode(), "name-other", f"`{other}` instead of `{name}`", weight)
    for text in (b"0", b"1"):
        yield by.idea(
            node, text, "constant-file", f"{text.decode()} instead of `{name}`", by.weight("constant-file") - 3
        )
    if (
        name in by.file.names[-1] and node.parent is not None and node.parent.type != "case_statement"
    ):  # a macro; enumerators do not count
        is_safe = _is_safe(node.parent, by)
        for sign in b"-", b"+":
            new = b"%s %s 1" % (by.text(node), sign)
            yield by.idea(
                node,
                new if is_safe else b"(" + new + b")",
                "off-by-one",
                f"`{name} {sign.decode()} 1` instead of `{name}`",
            )
    for variable, t in by.scope.local.items():
        if class_of(t) == "integer" and node.parent is not None and node.parent.type != "case_statement":
            yield by.idea(
                node, variable.encode(), "variable", f"`{variable}` instead of `{name}`", by.weight("variable") - 7
            )


def _is_safe(parent: Node, by: Ingredients) -> bool:
    """Whether a sum can stand below a node without parentheses: as a side of a comparison, or an argument of what is no macro."""
    operator, call = parent.child_by_field_name("operator"), parent.parent
    if parent.type == "argument_list" and call is not None:
        function = call.child_by_field_name("function")
        return function is not None and not by.file.tree.macros_named(by.name(function))
    return parent.type == "array_declarator" or (
        parent.type == "binary_expression" and operator is not None and operator.type in COMPARISONS
    )


def _pointers(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Pointers that the function mentions, in the place of NULL, and addresses of its variables."""
    near = sorted((n for n in by.nodes if n.type in PLACES), key=lambda n: abs(n.start_byte - node.start_byte))
    met: set[bytes] = set()
    for name, t in by.scope.local.items():
        if t.kind in ("struct", "union"):
            yield by.idea(
                node, b"&" + name.encode(), "variable", f"`&{name}` instead of `NULL`", by.weight("variable") - 4
            )
    for other in near:
        if by.text(other) not in met and by.scope.class_of(other).startswith("pointer") and len(met) < _MOST_VARIABLES:
            met.add(by.text(other))
            yield by.idea(
                node,
                by.text(other),
                "variable",
                f"`{by.file.shown(other)}` instead of `NULL`",
                by.weight("variable") - 4,
            )


def _declares(node: Node, parent: Node) -> bool:
    return parent.type.endswith("declarator") and node == parent.child_by_field_name("declarator")


def _around(node: Node, by: Ingredients) -> frozenset[str]:
    """Names used near by."""
    text = by.data[
        max(by.extent.start, node.start_byte - _NEAR_LINES) : min(by.extent.end, node.end_byte + _NEAR_LINES)
    ]
    return frozenset(m.decode("utf-8", "replace") for m in re.findall(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*", text))


def _twins(node: Node, by: Ingredients) -> frozenset[str]:
    """Names that lines near by use in the place of this one, as after copy and paste."""
    start, end = node.start_byte, node.end_byte
    line_start, line_end = by.data.rfind(b"\n", 0, start) + 1, by.data.find(b"\n", end)
    before, after = by.data[line_start:start].strip(), by.data[end : line_end if line_end >= 0 else None].strip()
    if len(before) + len(after) < 6:
        return frozenset()
    pattern = re.compile(re.escape(before[-12:]) + rb"\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*" + re.escape(after[:12]))
    near = by.data[max(by.extent.start, start - _NEAR_LINES) : min(by.extent.end, end + _NEAR_LINES)]
    return frozenset(m[1].decode("utf-8", "replace") for m in pattern.finditer(near)) - {by.name(node)}


# --- members ---------------------------------------------------------------------------------------------------------


def _members(node: Node, by: Ingredients) -> Iterator[Idea]:
    field, argument = node.child_by_field_name("field"), node.child_by_field_name("argument")
    if field is None or argument is None:
        return
    fields = by.scope.fields(node)
    mine = next((f for f in fields if f.name == by.name(field)), None)
    if mine is None:
        return
    for f in fields:
        if f.name and f.name != mine.name and class_of(f.type) == class_of(mine.type):
            yield by.idea(field, f.name.encode(), "member", f"`{f.name}` instead of `{mine.name}`")
    if class_of(mine.type) == by.scope.class_of(argument):
        yield by.idea(
            node, by.text(argument), "step", f"`{by.file.shown(argument)}` instead of `{by.file.shown(node)}`"
        )
        yield by.idea(
            node, by.text(node) + b"->" + by.text(field), "step", f"one step further than `{by.file.shown(node)}`"
        )
    yield from _variables(node, class_of(mine.type), by)
    for name, t in by.scope.names():
        inner = t.pointee if t.kind == "pointer" else t
        if inner is not None and inner.kind in ("struct", "union") and any(f.name == mine.name for f in inner.fields):
            new = f"{name}{'->' if t.kind == 'pointer' else '.'}{mine.name}"
            yield by.idea(
                node, new.encode(), "variable", f"`{new}` instead of `{by.file.shown(node)}`", by.weight("variable") - 2
            )


def _variables(node: Node, mine: str, by: Ingredients) -> Iterator[Idea]:
    """Variables in the place of a whole expression."""
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
    for name, t in by.scope.local.items():
        if class_of(t) == mine:
            yield by.idea(
                node,
                name.encode(),
                "variable",
                f"`{name}` instead of `{by.file.shown(node)}`",
                by.weight("variable") - 6,
            )


def _index(node: Node, by: Ingredients) -> Iterator[Idea]:
    """The first elements of an array instead of one that is computed."""
    index = node.child_by_field_name("index")
    if index is None or index.type in ("number_literal", "identifier"):
        return
    for text in (b"0", b"1"):
        yield by.idea(index, text, "constant-file", f"index {text.decode()} instead of `{by.file.shown(index)}`")


def _initial(node: Node, by: Ingredients) -> Iterator[Idea]:
    """A value for a variable that has none."""
    if node.type != "declaration":
        return
    for declarator in node.children_by_field_name("declarator"):
        t = by.scope.variable(by.name(declarator)) if declarator.type in ("identifier",) else None
        if t is not None and t.kind in ("struct", "union"):
            yield by.idea(
                declarator, by.text(declarator) + b" = {0}", "initialise", f"all of `{by.name(declarator)}` starts as 0"
            )
        elif t is not None:
            for value in (b"0", b"1"):
                words = f"`{by.name(declarator)}` starts as {value.decode()}"
                yield by.idea(declarator, by.text(declarator) + b" = " + value, "initialise", words)
        elif declarator.type in ("array_declarator", "pointer_declarator"):
            yield by.idea(
                declarator,
                by.text(declarator) + (b" = {0}" if declarator.type[0] == "a" else b" = 0"),
                "initialise",
                "it starts as 0",
            )
