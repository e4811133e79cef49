"""Assignments that may be missing: a saved value that is never restored, a member that is never set."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair.ingredients import ASSIGNABLE, FunctionIngredients, Replacement, walk
from butfor.methods.repair.names_in_scope import type_class
from butfor.methods.repair.statement_edits import inserted_beside

MAX_RESTORED_TARGETS = 8  # per unread variable: an exchange mentions few
MAX_POINTERS_PER_MEMBER = 5  # the nearest ones
_SCALARS = ("integer", "real")


def replacements(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Assignments before and after a statement of a block."""
    if statement.parent is None or statement.parent.type not in ("compound_statement", "case_statement"):
        return
    for text, kind in (*_restored(statement, code), *_members(statement, code)):
        yield from inserted_beside(statement, code, text, kind, f"`{text.decode('utf-8', 'replace')}`")


def _restored(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """Assignments of a variable that is never read to what the statement mentions, as at the end of an exchange."""
    for name in code.unread:
        mine = type_class(code.scope.variable(name))
        met: set[bytes] = {name.encode()}
        for node in walk(statement):
            text = code.text(node)
            if (
                node.type in ASSIGNABLE
                and text not in met
                and len(met) <= MAX_RESTORED_TARGETS
                and mine
                and code.scope.type_class(node) == mine
            ):
                met.add(text)
                yield b"%s = %s;" % (text, name.encode()), "insert-near"


def _members(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """Assignments to members that the function never sets, of structs in the statement: a pointer of it, or zero."""
    for text, arrow, t in _structs(statement, code):
        for f in t.fields:
            target = text + arrow + f.name.encode() if f.name else b""
            if not target or target in code.assigned:
                continue
            mine = type_class(f.type)
            if mine in _SCALARS:
                yield target + b" = 0;", "insert-member"
            elif mine.startswith("pointer") and f.type.kind == "pointer":
                for value in _pointers(mine, statement, code):
                    if not value.startswith(target):
                        yield b"%s = %s;" % (target, value), "insert-member"


def _structs(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, bytes, CType]]:
    """Structs and pointers to structs that a statement mentions, with the operator that selects a member."""
    met: set[bytes] = set()
    for node in walk(statement):
        t = code.scope.local.get(code.name(node)) if node.type == "identifier" else None
        inner = t.pointee if t is not None and t.kind == "pointer" else t
        if t is None or inner is None or inner.kind != "struct" or code.text(node) in met:
            continue
        met.add(code.text(node))
        yield code.text(node), b"->" if t.kind == "pointer" else b".", inner


def _pointers(mine: str, statement: Node, code: FunctionIngredients) -> list[bytes]:
    """Pointers of a class: variables that the function never mentions, those it mentions near by, and NULL."""
    near = sorted(
        (n for n in code.nodes if n.type in ASSIGNABLE), key=lambda n: abs(n.start_byte - statement.start_byte)
    )
    mentioned = {code.text(n) for n in near}
    unused = (
        name.encode()
        for name, t in code.scope.local.items()
        if type_class(t) == mine and name.encode() not in mentioned
    )
    found = dict.fromkeys((*unused, *(code.text(n) for n in near if code.scope.type_class(n) == mine)))
    return [*list(found)[:MAX_POINTERS_PER_MEMBER], b"NULL" if b"NULL" in code.data else b"0"]
