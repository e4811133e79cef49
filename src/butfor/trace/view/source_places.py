"""The source statements of instances, as the programmer wrote them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from butfor.ir.debug_types import CType, Field, Location, Variable
from butfor.ir.instructions import Const, Function, Instr
from butfor.source import SourceFile, Statement, SyntaxTree
from butfor.source.expression_positions import is_lvalue
from butfor.source.initialisers import NameMeanings
from butfor.source.source_model import Role
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace
from butfor.trace.view.object_parts import element_path
from butfor.trace.view.run_objects import RunObjects

_CASE = re.compile(r"\s*(?:case\b|default\b)")
_INITIALISERS_OF_LOCALS = "__const."  # begins the names of constants that clang copies: then the function, the variable
_MAX_CALLERS = 1000  # searched for one with a position; more are a recursion of code without any
_UNBOUNDED_ELEMENTS = 1 << 30  # of a flexible array, which takes what it is given


@dataclass(frozen=True, slots=True)
class Place:
    """A statement of the program, equal for all of its instances."""

    file: str  # as the user wrote it
    line: int
    column: int
    function: str
    text: str
    role: str
    path: str  # of the file, as the debug information has it
    target: str | None = None
    keyword: str | None = None


class Places:
    """Source statements of a recording's instances."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.source = recording.source
        self._trees: dict[str, SyntaxTree | None] = {}
        self._shown: dict[str, str] = {}
        self._cache: dict[tuple[str, int], Place | None] = {}
        self._lvalues: dict[Location, str | None] = {}

    @property
    def trace(self) -> Trace:
        """The run."""
        return self.recording.trace

    @cached_property
    def objects(self) -> RunObjects:
        """The objects of the run by address."""
        return RunObjects(self.recording)

    def tree(self, path: str) -> SyntaxTree | None:
        """The syntax of a source file that the recording carries."""
        if path not in self._trees:
            data = self.recording.text_of(path)
            self._trees[path] = SyntaxTree(SourceFile(path, data)) if data is not None else None
        return self._trees[path]

    def shown(self, path: str) -> str:
        """The path as the user wrote it, else relative to where the program was run."""
        found = self._shown.get(path)
        if found is None:
            meta = self.recording.meta
            found = path
            for given in meta.given:
                if os.path.normpath(os.path.join(meta.folder, given)) == os.path.normpath(path):
                    found = given
                    break
            else:
                relative = os.path.relpath(path, meta.folder) if meta.folder else path
                found = _shortened(path) if relative.startswith("..") else relative
            self._shown[path] = found
        return found

    def location(self, instr: Instr) -> Location | None:
        """The position of an instruction."""
        return self.source.location(instr)

    def of_instr(self, fn: Function, instr: Instr) -> Place | None:
        """The statement that an instruction belongs to."""
        key = (fn.name, instr.index)
        if key not in self._cache:
            where = self.location(instr)
            self._cache[key] = None if where is None else self._place(fn, where, instr.is_conditional)
        return self._cache[key]

    def _place(self, fn: Function, where: Location, is_branch: bool) -> Place | None:
        tree = self.tree(where.file)
        if tree is None:
            return None
        statement = tree.decision_at(where.line, where.column) if is_branch else None
        if statement is None:
            statement = tree.statement_at(where.line, where.column)
        if statement is None:
            return None
        return self.of_statement(statement, fn.name)

    def statement_of(self, fn: Function, instr: Instr) -> Place | None:
        """The statement that an instruction belongs to; of a branch inside an expression, the whole statement."""
        if not instr.is_conditional:
            return self.of_instr(fn, instr)
        where = self.location(instr)
        return None if where is None else self._place(fn, where, is_branch=False)

    def lines_of(self, place: Place) -> range:
        """The lines that a statement spans."""
        tree = self.tree(place.path)
        found: Statement | None = None
        if tree is not None:
            condition = tree.decision_at(place.line, place.column) if place.role == Role.CONDITION else None
            found = condition or tree.statement_at(place.line, place.column)
        if found is None or found.start != (place.line, place.column):
            return range(place.line, place.line + 1)
        return range(place.line, found.end_line + 1)

    def of_statement(self, s: Statement, function: str) -> Place:
        """The place of a statement."""
        return Place(
            self.shown(s.file),
            s.line,
            s.column,
            s.function or function,
            s.text,
            str(s.role),
            s.file,
            s.target,
            s.keyword,
        )

    def of(self, node: Node) -> Place | None:
        """The statement of an instance; for a parameter, and for code without a position, the call that led there."""
        seen = 0
        at: Node | None = node
        while at is not None and seen < _MAX_CALLERS:
            s = self.trace.at(at[0])
            if at[1] >= 0:
                place = self.of_instr(s.fn, s.fn.instrs[at[1]])
                if place is not None:
                    return place
                instr = s.fn.instrs[at[1]]
                if self.tree_of(s.fn) is not None and not (instr.op == "store" and s.fn.is_parameter(instr.args[0])):
                    return None
            at = self.trace.call_of(at[0])
            seen += 1
        return None

    def tree_of(self, fn: Function) -> SyntaxTree | None:
        """The syntax of the file that a function is in."""
        where = self.source.function_location(fn.name)
        return self.tree(where.file) if where is not None else None

    def in_user_code(self, node: Node) -> Node:
        """The instance itself, or the call that led from the user's own code to where it is."""
        at: Node | None = node
        while at is not None:
            if self.tree_of(self.trace.at(at[0]).fn) is not None:
                return at
            at = self.trace.call_of(at[0])
        return node

    def initialisers(self, name: str, offset: int) -> list[Place]:
        """The statements that gave a global its initial value at a byte offset: a table element, the declaration."""
        variable: Variable | None = self.source.global_declaration(name)
        tree = self.tree(variable.file) if variable is not None else None
        if variable is None or tree is None:
            return []
        found = []
        names = NameMeanings(partial(self._constant, tree), partial(self._macro_bodies, tree))
        element = tree.element_of(
            variable.name, variable.line, _InitialiserShape(variable.type), element_path(variable.type, offset), names
        )
        whole = tree.initializer_of(variable.name, variable.line) or tree.declaration_of(variable.name, variable.line)
        if element is not None and element != whole:
            found.append(self.of_statement(element, ""))
        if whole is None:
            whole = tree.statement_at(variable.line, 1)
        if whole is not None:
            found.append(
                replace(
                    self.of_statement(whole, ""),
                    line=variable.line,
                    column=1 if whole.line != variable.line else whole.column,
                )
            )
        return found

    def declaration(self, variable: Variable, function: str = "") -> Place | None:
        """Where a variable is declared, with its initialiser if it has one; None for a parameter."""
        tree = self.tree(variable.file)
        if tree is None or variable.is_parameter:
            return None
        found = tree.initializer_of(variable.name, variable.line) or tree.declaration_of(variable.name, variable.line)
        return None if found is None else self.of_statement(found, function)

    def member_declaration(self, member: Field) -> Place | None:
        """Where a member of a struct or union is declared."""
        where = member.declared_at
        tree = self.tree(where.file)
        found = tree.member_declaration(member.name, where.line) if tree is not None and member.name else None
        return None if found is None else self.of_statement(found, "")

    def copied_initialiser(self, name: str) -> Place | None:
        """The declaration of a local variable whose initialiser the compiler put into the constant of that name."""
        words = name.removeprefix(_INITIALISERS_OF_LOCALS).split(".")
        functions = (
            [".".join(words[:k]) for k in range(1, len(words))] if name.startswith(_INITIALISERS_OF_LOCALS) else []
        )
        for function in filter(self.trace.program.defines, functions):
            fn = self.trace.program.function(function)
            for instr in fn.instrs:
                if instr.op == "call" and any(isinstance(a, Const) and a.value == name for a in instr.args):
                    return self.of_instr(fn, instr)
        return None

    def _other_trees(self, tree: SyntaxTree) -> Iterator[SyntaxTree]:
        """The syntax trees of the other source files."""
        for path in self.recording.meta.sources:
            other = self.tree(path)
            if other is not None and other is not tree:
                yield other

    def _constant(self, tree: SyntaxTree, name: str) -> int | None:
        """The value of a constant in one file, which another may define; None if several define it differently."""

        def elsewhere(wanted: str) -> int | None:
            values = {
                value
                for other in self._other_trees(tree)
                if (value := other.constant(wanted, lambda _: None)) is not None
            }
            return values.pop() if len(values) == 1 else None

        return tree.constant(name, elsewhere)

    def _macro_bodies(self, tree: SyntaxTree, name: str) -> frozenset[bytes]:
        """The bodies of a macro in one file, or in all others if that one does not define it."""
        return tree.bodies_of_macro(name) or frozenset(
            body for other in self._other_trees(tree) for body in other.bodies_of_macro(name)
        )

    def lvalue_text(self, load: Instr) -> str | None:
        """The lvalue that a load reads, as written; None for a call or a macro that may mean several lvalues."""
        where = self.location(load)
        if where is None:
            return None
        if where not in self._lvalues:
            self._lvalues[where] = self._lvalue(where)
        return self._lvalues[where]

    def _lvalue(self, where: Location) -> str | None:
        tree = self.tree(where.file)
        found = tree.lvalue_at(where.line, where.column) if tree is not None else None
        if tree is None or found is None:
            return None
        is_one = found.kind != "identifier" or all(map(is_lvalue, self._macro_bodies(tree, found.text)))
        return found.text if is_one else None

    def labels(self, node: Node) -> list[int]:
        """The lines of the case labels that a switch instance went to."""
        following = self.trace.next_in_frame(node[0])
        return [] if following < 0 else self.labels_above(following)

    def labels_above(self, i: int) -> list[int]:
        """The lines of the case labels at which a segment instance begins."""
        s = self.trace.at(i)
        where = next((w for w in map(self.location, s.fn.instrs[s.seg.start : s.seg.end]) if w is not None), None)
        tree = self.tree(where.file) if where is not None else None
        if where is None or tree is None:
            return []
        lines, line = [], where.line
        while line > 0 and (_CASE.match(tree.source.line(line)) or line == where.line):
            if _CASE.match(tree.source.line(line)):
                lines.append(line)
            line -= 1
        return lines

    def macros(self, place: Place) -> list[Place]:
        """The definitions of the macros that a statement uses."""
        tree = self.tree(place.path)
        if tree is None:
            return []
        found = [tree.definition_of_macro(name, place.line) for name in tree.macros_used_at(place.line, place.column)]
        return [self.of_statement(s, "") for s in found if s is not None]

    def texts(self) -> dict[str, str]:
        """The texts of the source files by the name shown."""
        out = {}
        for path in self.recording.meta.sources:
            data = self.recording.text_of(path)
            if data is not None:
                out[self.shown(path)] = data.decode("utf-8", "surrogateescape")
        return out


@dataclass(frozen=True, slots=True)
class _InitialiserShape:
    """The members of a C type, as initialisers see them."""

    type: CType

    @property
    def count(self) -> int:
        """How many elements or members an initialiser without designators has; for a union only the first."""
        match self.type.kind:
            case "array" if self.type.element is not None:
                return self.type.count or _UNBOUNDED_ELEMENTS
            case "struct":
                return len(self.type.fields)
            case "union":
                return 1
            case _:
                return 0

    @property
    def is_text(self) -> bool:
        """Whether it is an array of characters."""
        element = self.type.element
        return self.type.kind == "array" and element is not None and element.kind in ("char", "uchar")

    def path_to_member(self, member: str) -> tuple[int, ...] | None:
        """The indices that lead to a member, through anonymous members."""
        for k, f in enumerate(self.type.fields):
            rest = () if f.name == member else None if f.name else _InitialiserShape(f.type).path_to_member(member)
            if rest is not None:
                return (k, *rest)
        return None

    def inner(self, number: int) -> _InitialiserShape:
        """The shape of an element or member."""
        element = self.type.element
        return _InitialiserShape(element if element is not None else self.type.fields[number].type)


def _shortened(path: str) -> str:
    """The path without `..`, as long as that is the same file: build systems enter folders and leave them again."""
    short = os.path.normpath(path)
    is_another = short != path and os.path.exists(path) and os.path.realpath(short) != os.path.realpath(path)
    return path if is_another else short
