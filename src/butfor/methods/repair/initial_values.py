"""Edits that give a variable an initial value, where its declaration has none."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair.ingredients import FunctionIngredients, Replacement
from butfor.methods.repair.names_in_scope import type_class

INITIAL_ONE = 2  # how much less likely 1 is than 0, in weights; set by hand and checked on seeded faults


def replacements(node: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Initial values in a declaration without any."""
    if node.type != "declaration":
        return
    is_zero = _starts_as_zero(node, code)
    for declarator in node.children_by_field_name("declarator"):
        t = code.scope.variable(code.name(declarator)) if declarator.type in ("identifier",) else None
        if t is not None and t.kind not in ("struct", "union"):
            for value in (b"1",) if is_zero else (b"0", b"1"):
                words = f"`{code.name(declarator)}` starts as {value.decode()}"
                yield code.replacement(declarator, code.text(declarator) + b" = " + value, "initialise", words)
        elif is_zero:
            continue
        elif t is not None:
            yield code.replacement(
                declarator,
                code.text(declarator) + b" = {0}",
                "initialise",
                f"all of `{code.name(declarator)}` starts as 0",
            )
        elif declarator.type in ("array_declarator", "pointer_declarator"):
            yield code.replacement(
                declarator,
                code.text(declarator) + (b" = {0}" if declarator.type[0] == "a" else b" = 0"),
                "initialise",
                "it starts as 0",
            )


def _starts_as_zero(declaration: Node, code: FunctionIngredients) -> bool:
    """Whether what is declared starts as 0 in any case: it is global or static."""
    is_global = declaration.parent is not None and declaration.parent.type == "translation_unit"
    return is_global or any(
        c.type == "storage_class_specifier" and code.text(c) == b"static" for c in declaration.children
    )


def of_variable(declarator: Node, t: CType, name: str, code: FunctionIngredients) -> Iterator[Replacement]:
    """An initial value for an uninitialised variable, where it is declared."""
    at = declarator.end_byte
    for value in (
        (b"{0}",) if t.kind in ("struct", "union", "array") else (b"0", b"1") if type_class(t) == "integer" else (b"0",)
    ):
        yield Replacement(
            at,
            at,
            b" = " + value,
            "initialise",
            code.weight("initialise") - (INITIAL_ONE if value == b"1" else 0),
            f"`{name}` starts as {value.decode()}",
        )
