"""Variable declarations by name: where variables are declared, and globals and statics initialised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from butfor.source.source_model import Role, StatementSpan
from butfor.source.statement_spans import declaration_role, declaration_span, declared_name, target_span


@dataclass(frozen=True, slots=True)
class Declared:
    """One declarator, with its declaration and whether that is inside a function."""

    declaration: Node
    declarator: Node
    local: bool

    @property
    def value(self) -> Node | None:
        """The initialiser."""
        return self.declarator.child_by_field_name("value") if self.declarator.type == "init_declarator" else None

    @property
    def role(self) -> Role:
        """Whether it is initialised before the program starts or when control reaches it."""
        return declaration_role(self.declaration, self.declarator, local=self.local)


DeclarationIndex = dict[str, list[Declared]]


def index_declarations(declarations: Iterable[Node], bodies: Iterable[Node]) -> DeclarationIndex:
    """All declarators of variables by name; `bodies` are the blocks that make a declaration local."""
    found: DeclarationIndex = {}
    ends = iter(sorted((body.start_byte, body.end_byte) for body in bodies))
    block, reach = next(ends, None), 0
    for declaration in declarations:
        while block is not None and block[0] <= declaration.start_byte:
            reach, block = max(reach, block[1]), next(ends, None)
        for declarator in declaration.children_by_field_name("declarator"):
            name = declared_name(declarator)
            if name is not None and name.text is not None and not _is_prototype(declarator):
                entry = Declared(declaration, declarator, declaration.start_byte < reach)
                found.setdefault(name.text.decode("ascii"), []).append(entry)
    return found


def nearest_declarator(entries: Iterable[Declared], line: int) -> Declared | None:
    """The declarator whose lines are nearest to `line`."""

    def distance(entry: Declared) -> tuple[int, int]:
        first, last = entry.declaration.start_point.row + 1, entry.declaration.end_point.row + 1
        return max(first - line, line - last, 0), first

    return min(entries, key=distance, default=None)


def declarator_span(entry: Declared) -> StatementSpan:
    """The span of a declarator."""
    return declaration_span(entry.declaration, entry.declarator, entry.role)


def initialiser_part_span(entry: Declared, part: Node) -> StatementSpan:
    """The span of a part of a declarator's initialiser."""
    return StatementSpan(part.start_byte, part.end_byte, Role.INITIALIZER, target_span(entry.declarator), declares=True)


def _is_prototype(declarator: Node) -> bool:
    """Whether a declarator declares a function, not a variable; `int (*f)(void)` declares a variable."""
    while declarator.type == "pointer_declarator":
        inner = declarator.child_by_field_name("declarator")
        if inner is None:
            return False
        declarator = inner
    inner = declarator.child_by_field_name("declarator") if declarator.type == "function_declarator" else None
    return inner is not None and inner.type == "identifier"
