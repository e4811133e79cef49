"""Statements that may be missing and stand nowhere else: a value that was saved and is never put back, a member that is never set."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair.ingredients import PLACES, Idea, Ingredients, walk
from butfor.methods.repair.names_in_scope import class_of
from butfor.methods.repair.statement_edits import beside

_MOST_PLACES, _MOST_POINTERS = 8, 5
_SCALARS = ("integer", "real")


def ideas(statement: Node, by: Ingredients) -> Iterator[Idea]:
    """Assignments before and after a statement of a block."""
    if statement.parent is None or statement.parent.type not in ("compound_statement", "case_statement"):
        return
    for text, kind in (*_put_back(statement, by), *_members(statement, by)):
        yield from beside(statement, by, text, kind, f"`{text.decode('utf-8', 'replace')}`")


def _put_back(statement: Node, by: Ingredients) -> Iterator[tuple[bytes, str]]:
    """For a variable that nothing reads: an assignment of it to something that the statement mentions, as the end of an exchange."""
    for name in by.unread:
        mine = class_of(by.scope.variable(name))
        met: set[bytes] = {name.encode()}
        for node in walk(statement):
            text = by.text(node)
            if (
                node.type in PLACES
                and text not in met
                and len(met) <= _MOST_PLACES
                and mine
                and by.scope.class_of(node) == mine
            ):
                met.add(text)
                yield b"%s = %s;" % (text, name.encode()), "insert-near"


def _members(statement: Node, by: Ingredients) -> Iterator[tuple[bytes, str]]:
    """For a struct that the statement mentions: members that the function never sets get a pointer that it mentions, or zero."""
    for text, arrow, t in _structs(statement, by):
        for f in t.fields:
            target = text + arrow + f.name.encode() if f.name else b""
            if not target or target in by.assigned:
                continue
            mine = class_of(f.type)
            if mine in _SCALARS:
                yield target + b" = 0;", "insert-member"
            elif mine.startswith("pointer") and f.type.kind == "pointer":
                for value in _pointers(mine, statement, by):
                    if not value.startswith(target):
                        yield b"%s = %s;" % (target, value), "insert-member"


def _structs(statement: Node, by: Ingredients) -> Iterator[tuple[bytes, bytes, CType]]:
    """Variables that a statement mentions and that are structs or point to one, with what chooses a member of it."""
    met: set[bytes] = set()
    for node in walk(statement):
        t = by.scope.local.get(by.name(node)) if node.type == "identifier" else None
        inner = t.pointee if t is not None and t.kind == "pointer" else t
        if t is None or inner is None or inner.kind != "struct" or by.text(node) in met:
            continue
        met.add(by.text(node))
        yield by.text(node), b"->" if t.kind == "pointer" else b".", inner


def _pointers(mine: str, statement: Node, by: Ingredients) -> list[bytes]:
    """Pointers of a class: what the function has and never mentions, what it mentions near by, and no pointer at all."""
    near = sorted((n for n in by.nodes if n.type in PLACES), key=lambda n: abs(n.start_byte - statement.start_byte))
    mentioned = {by.text(n) for n in near}
    unused = (
        name.encode() for name, t in by.scope.local.items() if class_of(t) == mine and name.encode() not in mentioned
    )
    found = dict.fromkeys((*unused, *(by.text(n) for n in near if by.scope.class_of(n) == mine)))
    return [*list(found)[:_MOST_POINTERS], b"NULL" if b"NULL" in by.data else b"0"]
