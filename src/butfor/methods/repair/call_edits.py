"""Calls of another function, with other arguments, without need, or missing around a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from butfor.methods.repair.ingredients import Idea, Ingredients

_MOST_AROUND = 4  # functions that are put around one value
_VALUES = frozenset(
    (
        "identifier",
        "field_expression",
        "subscript_expression",
        "pointer_expression",
        "call_expression",
        "binary_expression",
    )
)
_NO_VALUES = frozenset(
    ("update_expression", "pointer_expression", "expression_statement", "sizeof_expression", "case_statement")
)
_PARTS = {
    "assignment_expression": "left",
    "call_expression": "function",
    "field_expression": "argument",
    "subscript_expression": "argument",
}
_USUAL: Mapping[str, Mapping[bytes, tuple[str, ...]]] = {
    "integer": {b"<ctype.h>": ("tolower", "toupper"), b"<stdlib.h>": ("abs",)},
    "real": {b"<math.h>": ("fabs", "sqrt", "floor")},
}
_WORDS = {
    "integer": frozenset(("int", "long", "short", "char", "unsigned", "signed", "size_t")),
    "real": frozenset(("double", "float")),
}


def ideas(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Another function, other arguments, no call."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "identifier":
        return
    name = by.name(function)
    signature = by.scope.signatures.get(name)
    others = dict(by.library.functions.get(name, {}))
    for other, its in by.scope.signatures.items():
        if other != name and its == signature and other != "main":
            others.setdefault(other, by.weight("function"))
    for other, weight in others.items():
        yield by.idea(function, other.encode(), "function", f"`{other}` instead of `{name}`", weight)
    given = [a for a in arguments.named_children if a.type != "comment"]
    for k, (a, b) in enumerate((a, b) for a in given for b in given if a.start_byte < b.start_byte):
        if k < 6 and by.text(a) != by.text(b) and by.scope.class_of(a) == by.scope.class_of(b):
            between = by.data[a.end_byte : b.start_byte]
            new = by.text(b) + between + by.text(a)
            yield Idea(
                a.start_byte,
                b.end_byte,
                new,
                "swap",
                by.weight("swap"),
                f"arguments {by.file.shown(a)} and {by.file.shown(b)} swapped",
            )
    parent = node.parent
    if parent is not None and parent.type in ("init_declarator", "assignment_expression", "return_statement"):
        for text in (b"0", b"1"):
            yield by.idea(node, text, "constant-file", f"{text.decode()} instead of `{by.file.shown(node)}`")
    classes = {by.scope.class_of(a) for a in given}
    if len(given) == 1 and classes == {by.scope.class_of(node)}:
        yield by.idea(node, by.text(given[0]), "operand", f"without the call of `{name}`")


def around(node: Node, by: Ingredients) -> Iterator[Idea]:
    """Functions that may be missing around a value: those that the program has or calls with one such value, for one such value."""
    parent = node.parent
    if node.type not in _VALUES or parent is None or parent.type in _NO_VALUES or _is_target(node, parent):
        return
    mine = by.scope.class_of(node)
    if mine not in ("integer", "real"):
        return
    shown = by.file.shown(node)
    for name in _one_to_one(mine, by)[:_MOST_AROUND]:
        call = parent.parent
        is_called = (
            parent.type == "argument_list" and call is not None and by.text(call).startswith(name.encode() + b"(")
        )
        if not is_called and name != by.extent.name:
            yield by.idea(
                node, b"%s(%s)" % (name.encode(), by.text(node)), "around", f"`{name}({shown})` instead of `{shown}`"
            )


def _one_to_one(mine: str, by: Ingredients) -> list[str]:
    """Functions from one value to one of its class, those that this function calls first."""
    known = [
        name for name, its in by.scope.signatures.items() if len(its) == 2 and its[0] == mine and _takes(its[1], mine)
    ]
    usual = [name for header, names in _USUAL.get(mine, {}).items() if header in by.data for name in names]
    return sorted(
        dict.fromkeys((*known, *usual)),
        key=lambda name: b"%s(" % name.encode() not in by.data[by.extent.start : by.extent.end],
    )


def _takes(parameter: str, mine: str) -> bool:
    """Whether a parameter, by the words of its type, takes a value of a class."""
    words = parameter.split()
    return "*" not in words and "[" not in words and any(w in _WORDS[mine] for w in words)


def _is_target(node: Node, parent: Node) -> bool:
    """Whether a node is not read for its value: assigned, called, declared, or only a part of something larger."""
    field = "declarator" if parent.type.endswith("declarator") else _PARTS.get(parent.type)
    return field is not None and node == parent.child_by_field_name(field)
