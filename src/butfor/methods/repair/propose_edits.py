"""Proposals for suspicious statements: every candidate edit of each, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from tree_sitter import Node

from butfor.ir.debug_types import CType
from butfor.methods.repair import (
    call_edits,
    condition_edits,
    missing_assignments,
    operator_edits,
    statement_edits,
    value_edits,
)
from butfor.methods.repair.ingredients import FileIngredients, FunctionIngredients, Replacement, is_in_loop, walk
from butfor.methods.repair.names_in_scope import Scope
from butfor.methods.repair.repair_model import Proposal
from butfor.methods.repair.slip_library import SlipLibrary
from butfor.source import SourceFile, Statement, SyntaxTree
from butfor.source.c_parser import strip_parentheses
from butfor.source.edits import Edit
from butfor.source.function_extents import FunctionExtent
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place, Places

_BLANK = re.compile(rb"\s*")
_MACRO_FRAME = (b"int x = (", b"\n);")  # makes the body of a macro an initialiser, so that it can be parsed
_TYPE_WORDS = {
    "real": ("double", "float"),
    "integer": ("int", "long", "short", "char", "unsigned", "signed", "size_t", "bool", "_Bool"),
}


class Proposer:
    """Proposals for the statements of one program."""

    def __init__(self, places: Places, library: SlipLibrary, given: Sequence[Path] = ()) -> None:
        self.places = places
        self.source = places.source
        self.library = library
        self.skipped: dict[str, None] = {}  # why some statements have no proposals
        self._files: dict[str, FileIngredients] = {}
        self._functions: dict[tuple[str, int], FunctionIngredients] = {}
        recording = places.recording
        files = given or tuple(
            map(Path, recording.meta.given)
        )  # of a program that was built before, that is the program
        self._editable = frozenset(str((Path(recording.meta.folder) / file).absolute()) for file in files)

    def proposals(self, suspects: Sequence[Place]) -> list[Proposal]:
        """All proposals, in the order in which they are to be tried; `suspects` are the most suspicious first."""
        found: dict[object, Proposal] = {}
        near: dict[object, dict[Place, None]] = {}
        for rank, place in enumerate(suspects):
            for p in self.proposals_for(place, rank):
                key = self._effect(p.edits)
                near.setdefault(key, {})[place] = None
                old = found.get(key)
                if old is None or p.order < old.order:
                    found[key] = p
        whole = (replace(p, near=tuple(other for other in near[key] if other != p.place)) for key, p in found.items())
        return sorted(whole, key=lambda p: (p.order, p.edits))

    def _effect(self, edits: tuple[Edit, ...]) -> object:
        """A key of what an edit does: a text inserted after one statement is the same as before the next."""
        (edit,) = edits
        tree = self.places.tree(edit.path)
        if edit.start != edit.end or tree is None:
            return edits
        blank = _BLANK.match(tree.source.data, edit.start)
        return edit.path, blank.end() if blank is not None else edit.start, edit.new.strip()

    def proposals_for(self, place: Place, rank: int) -> Iterator[Proposal]:
        """The proposals for one statement."""
        tree = self.places.tree(place.path)
        if tree is None or not self._is_editable(place):
            return
        span = self.span(tree, place)
        if span is None:
            return
        start, end = span
        code = self.ingredients(tree, place, start)
        nodes = [n for n in code.file.nodes if start <= n.start_byte and n.end_byte <= end] or [
            _covering(code.file, start, end)
        ]
        for r in self._replacements(code, nodes, place, start, end):
            if (
                self._is_outside_macros(tree, r)
                and code.data[r.start : r.end] != r.new
                and (r.kind == "member" or code.is_in_scope(r.new, r.start))
            ):
                in_loop = is_in_loop(nodes[0])
                yield Proposal(
                    (Edit(place.path, r.start, r.end, r.new),),
                    r.why,
                    r.weight,
                    place,
                    r.kind,
                    rank,
                    r.skips,
                    in_loop,
                )
        yield from self._in_macros(place, rank)

    def _replacements(
        self, code: FunctionIngredients, nodes: Sequence[Node], place: Place, start: int, end: int
    ) -> Iterator[Replacement]:
        for node in nodes:
            if node.is_named:
                yield from operator_edits.replacements(node, code)
                yield from value_edits.replacements(node, code)
                yield from call_edits.missing_calls(node, code)
        if place.role == Role.CONDITION:
            whole = next((n for n in nodes if (n.start_byte, n.end_byte) == (start, end) and n.is_named), None)
            if whole is not None:
                yield from condition_edits.replacements(strip_parentheses(whole), code)
        table = nodes[0].parent
        if table is not None and table.type == "initializer_list":
            yield from (i for i in operator_edits.replacements(table, code) if i.start <= start < i.end)
        statement = statement_edits.enclosing_statement(nodes[0])
        if statement is None or code.extent.end == 0:
            return
        yield from statement_edits.replacements(statement, code)
        yield from missing_assignments.replacements(statement, code)
        if statement.type == "switch_statement":
            for label in walk(statement):
                value = label.child_by_field_name("value") if label.type == "case_statement" else None
                for part in walk(value) if value is not None else ():
                    yield from value_edits.replacements(part, code)

    # --- positions and ingredients ------------------------------------------------------------------------------------

    def _is_editable(self, place: Place) -> bool:
        if str(Path(place.path).absolute()) in self._editable:
            return True
        self.skipped[f"{place.file} is not one of the files given, so no edit of it was tried"] = None
        return False

    def span(self, tree: SyntaxTree, place: Place) -> tuple[int, int] | None:
        """The bytes of a statement."""
        s: Statement | None = None
        if place.role == Role.CONDITION:
            s = tree.decision_at(place.line, place.column)
        s = s or tree.statement_at(place.line, place.column)
        return None if s is None else (tree.source.offset(*s.start), tree.source.offset(*s.end))

    def ingredients(self, tree: SyntaxTree, place: Place, offset: int) -> FunctionIngredients:
        """The ingredients of the function around a statement."""
        extent = next((e for e in tree.extents if e.start <= offset < e.end), FunctionExtent("", 0, 0, 0, 0, 0))
        key = (place.path, extent.start)
        if key not in self._functions:
            file = self._files.setdefault(place.path, FileIngredients(tree))
            self._functions[key] = FunctionIngredients(file, extent, self._scope(file, extent.name), self.library)
        return self._functions[key]

    def _scope(self, file: FileIngredients, function: str) -> Scope:
        local = {}
        if function in self.source.function_names():
            fn = self.places.recording.program.function(function)
            variables = sorted(self.source.variables(fn).values(), key=lambda v: v.line)
            local = {v.name: v.type for v in variables if v.name}
        return Scope(file.data, local, self._outer, self._signatures)

    @cached_property
    def _outer(self) -> dict[str, CType]:
        return {v.name: v.type for v in self.source.global_declarations().values()}

    @cached_property
    def _signatures(self) -> dict[str, tuple[str, ...]]:
        """The class of the result of each function, and the types of its parameters as written."""
        found = {}
        for path in self.places.recording.meta.sources:
            tree = self.places.tree(path)
            if tree is None:
                continue
            for extent in tree.extents:
                header = tree.source.data[extent.start : extent.open].decode("latin-1")
                found[extent.name] = (
                    _result_class(header),
                    *_parameter_types(tree.source.data[extent.open + 1 : extent.close].decode("latin-1")),
                )
        return found

    # --- macros -------------------------------------------------------------------------------------------------------

    def _is_outside_macros(self, tree: SyntaxTree, r: Replacement) -> bool:
        """Whether an edit leaves the directives of the preprocessor alone."""
        line = tree.source.data.rfind(b"\n", 0, r.start) + 1
        return not tree.source.data[line : r.start].lstrip().startswith(b"#")

    def _in_macros(self, place: Place, rank: int) -> Iterator[Proposal]:
        """Edits of the definitions of macros that a statement uses."""
        tree = self.places.tree(place.path)
        for used in self.places.macros(place):
            for macro in tree.macros_named(_macro_name(used.text)) if tree is not None else ():
                body = tree.source.data[macro.body : macro.end] if tree is not None else b""
                wrapped = SyntaxTree(SourceFile(place.path, _MACRO_FRAME[0] + body + _MACRO_FRAME[1]))
                if wrapped.root.has_error:
                    self.skipped[f"the macro {macro.name} is no expression, so no edit of it was tried"] = None
                    continue
                code = FunctionIngredients(
                    FileIngredients(wrapped),
                    FunctionExtent("", 0, 0, 0, 0, len(wrapped.source.data)),
                    Scope(wrapped.source.data, {}, self._outer, {}),
                    self.library,
                )
                shift = macro.body - len(_MACRO_FRAME[0])
                for node in code.file.nodes:
                    for r in (
                        (*operator_edits.replacements(node, code), *value_edits.replacements(node, code))
                        if node.is_named and node.type != "declaration"
                        else ()
                    ):
                        if len(_MACRO_FRAME[0]) <= r.start and r.end <= len(_MACRO_FRAME[0]) + len(body):
                            edit = Edit(place.path, r.start + shift, r.end + shift, r.new)
                            yield Proposal((edit,), f"in the macro {macro.name}: {r.why}", r.weight, used, r.kind, rank)


def _macro_name(text: str) -> str:
    return text.partition("define")[2].strip().partition("(")[0].split()[0] if "define" in text else ""


def _covering(file: FileIngredients, start: int, end: int) -> Node:
    """The smallest node around a span."""
    return file.tree.root.descendant_for_byte_range(start, max(start, end - 1)) or file.tree.root


def _result_class(header: str) -> str:
    """The class of the result of a function."""
    words = header.split()
    if "*" in header:
        return "pointer"
    return next((name for name, known in _TYPE_WORDS.items() if any(w in known for w in words)), " ".join(words[:-1]))


def _parameter_types(text: str) -> Iterable[str]:
    """The types of parameters, without their names."""
    for part in text.split(","):
        words = part.replace("*", " * ").replace("[", " [ ").split()
        yield " ".join(words[:-1]) if len(words) > 1 and words[-1].isidentifier() else " ".join(words)
