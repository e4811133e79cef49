"""The statement, expression, decision or declaration of a C file at a position of the debug info."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from tree_sitter import Node, Tree

from butfor.source import expression_positions, whole_conditions
from butfor.source.c_parser import NodePath, find_all, parse, path_to
from butfor.source.declaration_index import (
    DeclarationIndex,
    Declared,
    declarator_span,
    index_declarations,
    initialiser_part_span,
    nearest_declarator,
)
from butfor.source.function_extents import FunctionExtent, FunctionIndex, header_span, index_functions
from butfor.source.initialisers import Initialiser, NameMeanings, Shape, UnclearInitialiser
from butfor.source.integer_constants import ConstantLookup, FileConstants
from butfor.source.lexer import LexedFile, Macro, lex, parser_input, trim, words
from butfor.source.source_model import Expression, FunctionSpan, Role, Statement, StatementSpan
from butfor.source.source_text import Position, SourceFile, on_one_line
from butfor.source.statement_spans import statement_span_at, target_span
from butfor.source.unparsed_statements import unparsed_statement_at

_AFTER_DEFINE = re.compile(rb"define(?:\s|\\|/\*.*?\*/)*(\w+)", re.DOTALL)
_MAX_UNPARSED_STATEMENT_BYTES = 4_000  # longer text between two delimiters is a table or an error, not a statement


class SyntaxTree:
    """The syntax of one file, parsed on first use and looked up by line and column; it never raises on broken C."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._paths: dict[int, NodePath] = {}
        self._by_span: dict[StatementSpan, Statement] = {}
        self._statements: dict[Position, Statement | None] = {}
        self._decisions: dict[Position, Statement | None] = {}
        self._initialisers: dict[int, Initialiser] = {}

    def statement_at(self, line: int, column: int) -> Statement | None:
        """The smallest statement-like unit at a position, None on a blank or missing line."""
        key = (line, column)
        if key not in self._statements:
            offset = self.source.anchor(line, column)
            self._statements[key] = None if offset is None else self._statement(self._span(offset))
        return self._statements[key]

    def expression_at(self, line: int, column: int) -> Expression | None:
        """The expression that clang's debug info means by a position."""
        offset = self.source.anchor(line, column)
        node = None if offset is None else expression_positions.expression_at(self._path(offset), offset)
        return None if node is None else self._expression(node)

    def expressions_at(self, line: int, column: int) -> tuple[Expression, ...]:
        """Every expression that a position can mean, smallest first.

        In `p->a[i]` clang places the load of `p` and the load of the element at the same byte; a caller that knows the
        operation can choose.
        """
        offset = self.source.anchor(line, column)
        nodes = () if offset is None else expression_positions.expressions_at(self._path(offset), offset)
        return tuple(self._expression(node) for node in nodes)

    def lvalue_at(self, line: int, column: int) -> Expression | None:
        """The largest lvalue at a position; None where a call or a macro with arguments accesses memory there."""
        found = self.expressions_at(line, column)
        largest = next((each for each in reversed(found) if each.kind in expression_positions.LVALUES), None)
        if (
            largest is not None
            and largest.kind == "identifier"
            and any(each.kind == "call_expression" for each in found)
        ):
            return None
        return largest

    def target_at(self, line: int, column: int) -> str | None:
        """The lvalue that a store at a position assigns, also inside a condition or a chain of assignments."""
        offset = self.source.anchor(line, column)
        span = None if offset is None else target_span(expression_positions.assignment_at(self._path(offset)))
        if span is None:
            statement = self.statement_at(line, column)
            return statement.target if statement and not statement.declares else None
        return on_one_line(self.source.slice_text(*span))

    def decision_at(self, line: int, column: int) -> Statement | None:
        """The whole condition that a branch at a position is a part of, None where nothing is decided."""
        key = (line, column)
        if key not in self._decisions:
            self._decisions[key] = self._decision(line, column)
        return self._decisions[key]

    def is_negated(self, line: int, column: int, condition: Statement) -> bool | None:
        """Whether a condition is false when its operand at a position is true and evaluated last; None if unclear."""
        offset = self.source.anchor(line, column)
        start, end = self.source.offset(*condition.start), self.source.offset(*condition.end)
        return None if offset is None else whole_conditions.is_negated(self._path(offset), start, end, self._macros)

    def initializer_of(self, name: str, line: int) -> Statement | None:
        """The initialised declaration of a global or static nearest to a line."""
        entry = self._initialised(name, line)
        return None if entry is None else self._statement(declarator_span(entry))

    def element_of(
        self, name: str, line: int, shape: Shape, path: Sequence[int], names: NameMeanings
    ) -> Statement | None:
        """The part of a global's or static's initialiser that gives an element its value; None where that is unknown.

        `shape` is that of the whole object, `path` the indices that lead to the element.
        """
        entry = self._initialised(name, line)
        value = None if entry is None else entry.value
        if entry is None or value is None or value.type != "initializer_list" or not path:
            return None
        known = self._initialisers.get(value.start_byte)
        if known is None:
            known = self._initialisers[value.start_byte] = Initialiser(value, shape, names)
        try:
            part = known.part(path)
        except UnclearInitialiser:
            return None
        return None if part is None else self._statement(initialiser_part_span(entry, part))

    def _initialised(self, name: str, line: int) -> Declared | None:
        return nearest_declarator(
            [entry for entry in self._declarations.get(name, ()) if entry.role is Role.INITIALIZER], line
        )

    def declaration_of(self, name: str, line: int) -> Statement | None:
        """The declaration of a variable nearest to a line, initialised or not."""
        entry = nearest_declarator(self._declarations.get(name, ()), line)
        return None if entry is None else self._statement(declarator_span(entry))

    def member_declaration(self, name: str, line: int) -> Statement | None:
        """The declaration of a member of a struct or union nearest to a line."""
        entry = nearest_declarator(self._members.get(name, ()), line)
        return None if entry is None else self._statement(declarator_span(entry))

    def definition_of_macro(self, name: str, line: int | None = None) -> Statement | None:
        """The `#define` of a macro: the last one before `line`; the first one without a line or if none is before."""
        found = self._macros.get(name, [])
        before = [macro for macro in found if line is not None and self.source.position(macro.start)[0] <= line]
        macro = before[-1] if before else next(iter(found), None)
        return None if macro is None else self._statement(StatementSpan(macro.start, macro.end, Role.MACRO))

    def bodies_of_macro(self, name: str) -> frozenset[bytes]:
        """The bodies of the macros of a name, each without comments and on one line."""
        if name.encode("utf-8", "surrogateescape") not in self._names_after_define:
            return frozenset()
        return frozenset(map(self._body, self._macros.get(name, ())))

    def constant(self, name: str, outer: ConstantLookup) -> int | None:
        """The value of an enumerator or of a macro that is a number; `outer` looks up names of other files."""
        return self._constants.value(name, outer)

    def macros_used_at(self, line: int, column: int) -> tuple[str, ...]:
        """The macros of this file that the statement at a position uses, in order."""
        statement = self.statement_at(line, column)
        if statement is None or (statement.role is Role.MACRO and statement.text.startswith("#")):
            return ()
        start, end = self.source.offset(*statement.start), self.source.offset(*statement.end)
        return tuple(dict.fromkeys(word for word in words(self._lexed.code, start, end) if word in self._macros))

    def functions(self) -> tuple[FunctionSpan, ...]:
        """All function definitions, in order."""
        spans = []
        for extent in self._functions.extents:
            line, column = self.source.position(extent.start)
            end_line, end_column = self.source.position(extent.end)
            header = on_one_line(self.source.slice_text(extent.start, extent.close + 1))
            spans.append(FunctionSpan(extent.name, self.source.path, line, column, end_line, end_column, header))
        return tuple(spans)

    @property
    def root(self) -> Node:
        """The root of the parser's tree: offsets are those of the file, bytes beyond ASCII are replaced."""
        return self._tree.root_node

    @property
    def extents(self) -> tuple[FunctionExtent, ...]:
        """The byte offsets of all function definitions, in order."""
        return self._functions.extents

    def macros_named(self, name: str) -> tuple[Macro, ...]:
        """The definitions of a macro in this file."""
        return tuple(self._macros.get(name, ()))

    @cached_property
    def _lexed(self) -> LexedFile:
        return lex(self.source.data)

    @cached_property
    def _tree(self) -> Tree:
        return parse(parser_input(self.source.data, self._lexed))

    @cached_property
    def _macros(self) -> dict[str, list[Macro]]:
        found: dict[str, list[Macro]] = {}
        for macro in self._lexed.macros:
            found.setdefault(macro.name, []).append(macro)
        return found

    @cached_property
    def _names_after_define(self) -> frozenset[bytes]:
        """All macros of the file and perhaps more: one look at the text, without lexing files that lack a name."""
        return frozenset(_AFTER_DEFINE.findall(self.source.data))

    def _body(self, macro: Macro) -> bytes:
        return on_one_line(self.source.slice_text(macro.body, macro.end)).encode("ascii", "replace")

    @cached_property
    def _constants(self) -> FileConstants:
        plain = [(macro.name, self._body(macro)) for macro in self._lexed.macros if not macro.has_parameters]
        return FileConstants(find_all(self._tree, "enum_specifier"), plain)

    @cached_property
    def _functions(self) -> FunctionIndex:
        return index_functions(self._lexed.code, find_all(self._tree, "function_definition"))

    @cached_property
    def _declarations(self) -> DeclarationIndex:
        return index_declarations(find_all(self._tree, "declaration"), find_all(self._tree, "compound_statement"))

    @cached_property
    def _members(self) -> DeclarationIndex:
        return index_declarations(find_all(self._tree, "field_declaration"), ())

    def _path(self, offset: int) -> NodePath:
        if offset not in self._paths:
            self._paths[offset] = path_to(self._tree, offset)
        return self._paths[offset]

    def _span(self, offset: int) -> StatementSpan:
        function = self._functions.at(offset)
        if function is not None and offset <= function.body:
            return header_span(self._lexed.code, function, offset)
        span = statement_span_at(self._path(offset))
        if span is not None:
            return span
        start, end = self._lexed.segment(offset)
        if start <= offset < end <= start + _MAX_UNPARSED_STATEMENT_BYTES:
            return unparsed_statement_at(self._lexed.code, start, end, offset)
        start, end = self.source.line_span(self.source.position(offset)[0])
        return StatementSpan(*trim(self.source.data, start, end), Role.OTHER)

    def _decision(self, line: int, column: int) -> Statement | None:
        offset = self.source.anchor(line, column)
        if offset is None:
            return None
        span = whole_conditions.decision_at(self._path(offset), offset, self._macros)
        if span is not None:
            return self._statement(span)
        statement = self.statement_at(line, column)
        return statement if statement is not None and statement.role is Role.CONDITION else None

    def _statement(self, span: StatementSpan) -> Statement:
        if span not in self._by_span:
            self._by_span[span] = self._make_statement(span)
        return self._by_span[span]

    def _make_statement(self, span: StatementSpan) -> Statement:
        start, end = trim(self.source.data, span.start, span.end)
        line, column = self.source.position(start)
        end_line, end_column = self.source.position(end)
        exact = self.source.slice_text(start, end)
        text = on_one_line(exact) or exact
        role = Role.MACRO if span.role is Role.EXPRESSION and self._is_macro_call(start, end) else span.role
        target = None if span.target is None else on_one_line(self.source.slice_text(*span.target))
        function = self._functions.at(start)
        name = None if function is None else function.name
        place = (line, column, end_line, end_column)
        return Statement(self.source.path, *place, text, role, target, name, span.keyword, span.declares)

    def _is_macro_call(self, start: int, end: int) -> bool:
        """Whether a whole statement is one use of a macro of this file, or a use without a semicolon."""
        code = self._lexed.code[start:end].rstrip(b"; \t\r\n")
        head, parenthesis, _ = code.partition(b"(")
        name = head.strip().decode("ascii", "replace")
        if parenthesis and not code.endswith(b")"):
            return False
        return name in self._macros or (bool(parenthesis) and not self._lexed.code[start:end].endswith(b";"))

    def _expression(self, node: Node) -> Expression:
        line, column = self.source.position(node.start_byte)
        end_line, end_column = self.source.position(node.end_byte)
        text = on_one_line(self.source.slice_text(node.start_byte, node.end_byte))
        return Expression(self.source.path, line, column, end_line, end_column, text, node.type)
