"""Edits of calls: another function, other arguments, no call, a missing call around a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from butfor.methods.repair.ingredients import FunctionIngredients, Replacement, is_declared

MAX_CALLS_AROUND_VALUE = 4  # missing calls are rare
MAX_SWAPPED_PAIRS = 6  # of arguments of one call
_VALUE_EXPRESSIONS = frozenset(
    (
        "identifier",
        "field_expression",
        "subscript_expression",
        "pointer_expression",
        "call_expression",
        "binary_expression",
    )
)
_PARENTS_WITHOUT_VALUE = frozenset(
    ("update_expression", "pointer_expression", "expression_statement", "sizeof_expression", "case_statement")
)
_FIELDS_NOT_READ = {
    "assignment_expression": "left",
    "call_expression": "function",
    "field_expression": "argument",
    "subscript_expression": "argument",
}
_LIBRARY_FUNCTIONS: Mapping[str, Mapping[bytes, tuple[str, ...]]] = {
    "integer": {b"<ctype.h>": ("tolower", "toupper"), b"<stdlib.h>": ("abs",)},
    "real": {b"<math.h>": ("fabs", "sqrt", "floor")},
}
_TYPE_WORDS = {
    "integer": frozenset(("int", "long", "short", "char", "unsigned", "signed", "size_t")),
    "real": frozenset(("double", "float")),
}


def replacements(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Another function, other arguments, no call."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "identifier":
        return
    name = code.name(function)
    signature = code.scope.signatures.get(name)
    others = dict(code.library.functions.get(name, {}))
    for other, its in code.scope.signatures.items():
        if other != name and its == signature and other != "main":
            others.setdefault(other, code.weight("function"))
    for other, weight in others.items():
        yield code.replacement(function, other.encode(), "function", f"`{other}` instead of `{name}`", weight)
    given = [a for a in arguments.named_children if a.type != "comment"]
    for k, (a, b) in enumerate((a, b) for a in given for b in given if a.start_byte < b.start_byte):
        if (
            k < MAX_SWAPPED_PAIRS
            and code.text(a) != code.text(b)
            and code.scope.type_class(a) == code.scope.type_class(b)
        ):
            between = code.data[a.end_byte : b.start_byte]
            new = code.text(b) + between + code.text(a)
            yield Replacement(
                a.start_byte,
                b.end_byte,
                new,
                "swap",
                code.weight("swap"),
                f"arguments {code.file.shown(a)} and {code.file.shown(b)} swapped",
            )
    parent = node.parent
    if parent is not None and parent.type in ("init_declarator", "assignment_expression", "return_statement"):
        for text in (b"0", b"1"):
            yield code.replacement(node, text, "constant-file", f"{text.decode()} instead of `{code.file.shown(node)}`")
    classes = {code.scope.type_class(a) for a in given}
    if len(given) == 1 and classes == {code.scope.type_class(node)}:
        yield code.replacement(node, code.text(given[0]), "operand", f"without the call of `{name}`")


def missing_calls(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Calls that may be missing around a value: of functions that take one such value and return one."""
    parent = node.parent
    if (
        node.type not in _VALUE_EXPRESSIONS
        or parent is None
        or parent.type in _PARENTS_WITHOUT_VALUE
        or _is_target(node, parent)
    ):
        return
    mine = code.scope.type_class(node)
    if mine not in ("integer", "real"):
        return
    shown = code.file.shown(node)
    for name in _one_to_one(mine, code)[:MAX_CALLS_AROUND_VALUE]:
        call = parent.parent
        is_called = (
            parent.type == "argument_list" and call is not None and code.text(call).startswith(name.encode() + b"(")
        )
        if not is_called and name != code.extent.name:
            yield code.replacement(
                node, b"%s(%s)" % (name.encode(), code.text(node)), "around", f"`{name}({shown})` instead of `{shown}`"
            )


def _one_to_one(mine: str, code: FunctionIngredients) -> list[str]:
    """Functions that take a value of a class and return one, those that this function calls first."""
    known = [
        name for name, its in code.scope.signatures.items() if len(its) == 2 and its[0] == mine and _takes(its[1], mine)
    ]
    usual = [
        name for header, names in _LIBRARY_FUNCTIONS.get(mine, {}).items() if header in code.data for name in names
    ]
    return sorted(
        dict.fromkeys((*known, *usual)),
        key=lambda name: b"%s(" % name.encode() not in code.data[code.extent.start : code.extent.end],
    )


def _takes(parameter: str, mine: str) -> bool:
    """Whether a parameter of this type, as written, takes a value of a class."""
    words = parameter.split()
    return "*" not in words and "[" not in words and any(w in _TYPE_WORDS[mine] for w in words)


def _is_target(node: Node, parent: Node) -> bool:
    """Whether a node is not read for its value: it is assigned, called, declared, or part of a larger expression."""
    field = _FIELDS_NOT_READ.get(parent.type)
    return is_declared(node, parent) or (field is not None and node == parent.child_by_field_name(field))
