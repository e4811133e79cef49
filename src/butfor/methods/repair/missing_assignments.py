"""Statements that may be missing and stand nowhere else: a value that was saved and is never put back, a member that is never set."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair.ingredients import ASSIGNABLE, FunctionIngredients, Replacement, walk
from butfor.methods.repair.names_in_scope import type_class
from butfor.methods.repair.statement_edits import inserted_beside

_MOST_PLACES, _MOST_POINTERS = 8, 5
_SCALARS = ("integer", "real")


def replacements(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Assignments before and after a statement of a block."""
    if statement.parent is None or statement.parent.type not in ("compound_statement", "case_statement"):
        return
    for text, kind in (*_put_back(statement, code), *_members(statement, code)):
        yield from inserted_beside(statement, code, text, kind, f"`{text.decode('utf-8', 'replace')}`")


def _put_back(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """For a variable that nothing reads: an assignment of it to something that the statement mentions, as the end of an exchange."""
    for name in code.unread:
        mine = type_class(code.scope.variable(name))
        met: set[bytes] = {name.encode()}
        for node in walk(statement):
            text = code.text(node)
            if (
                node.type in ASSIGNABLE
                and text not in met
                and len(met) <= _MOST_PLACES
                and mine
                and code.scope.type_class(node) == mine
            ):
                met.add(text)
                yield b"%s = %s;" % (text, name.encode()), "insert-near"


def _members(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str]]:
    """For a struct that the statement mentions: members that the function never sets get a pointer that it mentions, or zero."""
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
    """Variables that a statement mentions and that are structs or point to one, with what chooses a member of it."""
    met: set[bytes] = set()
    for node in walk(statement):
        t = code.scope.local.get(code.name(node)) if node.type == "identifier" else None
        inner = t.pointee if t is not None and t.kind == "pointer" else t
        if t is None or inner is None or inner.kind != "struct" or code.text(node) in met:
            continue
        met.add(code.text(node))
        yield code.text(node), b"->" if t.kind == "pointer" else b".", inner


def _pointers(mine: str, statement: Node, code: FunctionIngredients) -> list[bytes]:
    """Pointers of a class: what the function has and never mentions, what it mentions near by, and no pointer at all."""
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
    return [*list(found)[:_MOST_POINTERS], b"NULL" if b"NULL" in code.data else b"0"]
