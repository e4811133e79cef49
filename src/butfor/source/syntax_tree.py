"""From positions in a compiler's debug info to the source as the programmer wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tree_sitter import Node, Tree

from butfor.source import expression_positions, whole_conditions
from butfor.source.c_parser import Path, descend, find_all, parse
from butfor.source.declarations import DeclarationIndex, Declared, index_declarations, nearest, part_unit, unit_of
from butfor.source.function_extents import Extent, FunctionIndex, header_unit, index_functions
from butfor.source.initialisers import Initialiser, Names, Shape, Unclear
from butfor.source.integer_constants import Constants, Lookup
from butfor.source.lexer import Lexed, Macro, lex, parser_input, trim, words
from butfor.source.source_model import Expression, FunctionSpan, Role, Statement
from butfor.source.source_text import Position, SourceFile, fold
from butfor.source.statement_units import target_of, unit_at
from butfor.source.unit import Unit
from butfor.source.unparsed_statements import loose_unit

_LONGEST = 4_000
"""Bytes beyond which text between two delimiters is taken for a table or an error, not for a statement."""


class SyntaxTree:
    """The syntax of one file, parsed when first asked and asked by line and column; it never raises on broken C."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._paths: dict[int, Path] = {}
        self._units: dict[Unit, Statement] = {}
        self._statements: dict[Position, Statement | None] = {}
        self._decisions: dict[Position, Statement | None] = {}
        self._initialisers: dict[int, Initialiser] = {}

    def statement_at(self, line: int, column: int) -> Statement | None:
        """Return the smallest statement-like unit at a position, None on a blank or missing line."""
        key = (line, column)
        if key not in self._statements:
            offset = self.source.anchor(line, column)
            self._statements[key] = None if offset is None else self._statement(self._unit(offset))
        return self._statements[key]

    def expression_at(self, line: int, column: int) -> Expression | None:
        """Return the expression that clang's debug info means by a position."""
        offset = self.source.anchor(line, column)
        node = None if offset is None else expression_positions.expression_at(self._path(offset), offset)
        return None if node is None else self._expression(node)

    def expressions_at(self, line: int, column: int) -> tuple[Expression, ...]:
        """Return every expression that a position can mean, smallest first.

        In `p->a[i]` clang places the load of `p` and the load of the element at the same byte; who knows the operation
        can choose.
        """
        offset = self.source.anchor(line, column)
        nodes = () if offset is None else expression_positions.expressions_at(self._path(offset), offset)
        return tuple(self._expression(node) for node in nodes)

    def lvalue_at(self, line: int, column: int) -> Expression | None:
        """Return the largest expression at a position that names a place in memory; None for what a call, or a macro with arguments, does there."""
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
        """Return the lvalue that a store at a position assigns, also inside a condition or a chain of assignments."""
        offset = self.source.anchor(line, column)
        span = None if offset is None else target_of(expression_positions.assignment_at(self._path(offset)))
        if span is None:
            statement = self.statement_at(line, column)
            return statement.target if statement and not statement.declares else None
        return fold(self.source.slice_text(*span))

    def decision_at(self, line: int, column: int) -> Statement | None:
        """Return the whole condition that a branch at a position is a part of, None where nothing is decided."""
        key = (line, column)
        if key not in self._decisions:
            self._decisions[key] = self._decision(line, column)
        return self._decisions[key]

    def is_negated(self, line: int, column: int, condition: Statement) -> bool | None:
        """Return whether a condition is false when its operand at a position is true and evaluated last; None where that is not so simple."""
        offset = self.source.anchor(line, column)
        start, end = self.source.offset(*condition.start), self.source.offset(*condition.end)
        return None if offset is None else whole_conditions.is_negated(self._path(offset), start, end, self._macros)

    def initializer_of(self, name: str, line: int) -> Statement | None:
        """Return the initialised declaration of a global or static nearest to a line."""
        entry = self._initialised(name, line)
        return None if entry is None else self._statement(unit_of(entry))

    def element_of(self, name: str, line: int, shape: Shape, path: Sequence[int], names: Names) -> Statement | None:
        """Return the part of the initialiser of a global or static that gives an element its value; None where that is not known.

        `shape` is that of the whole, `path` leads to the element, each step a number among neighbours; `names` knows what names stand for.
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
        except Unclear:
            return None
        return None if part is None else self._statement(part_unit(entry, part))

    def _initialised(self, name: str, line: int) -> Declared | None:
        return nearest([entry for entry in self._declarations.get(name, ()) if entry.role is Role.INITIALIZER], line)

    def declaration_of(self, name: str, line: int) -> Statement | None:
        """Return the declaration of a variable nearest to a line, initialised or not."""
        entry = nearest(self._declarations.get(name, ()), line)
        return None if entry is None else self._statement(unit_of(entry))

    def definition_of_macro(self, name: str, line: int | None = None) -> Statement | None:
        """Return the `#define` of a macro: the last one before `line`, without a line or such a one the first."""
        found = self._macros.get(name, [])
        before = [macro for macro in found if line is not None and self.source.position(macro.start)[0] <= line]
        macro = before[-1] if before else next(iter(found), None)
        return None if macro is None else self._statement(Unit(macro.start, macro.end, Role.MACRO))

    def bodies_of_macro(self, name: str) -> frozenset[bytes]:
        """Return what the macros of a name stand for, without comments and on one line each; nothing when there is none."""
        return frozenset(map(self._body, self._macros.get(name, ())))

    def constant(self, name: str, outer: Lookup) -> int | None:
        """Return the value of an enumerator or of a macro that is a number; `outer` is asked for names that this file does not define."""
        return self._constants.value(name, outer)

    def macros_used_at(self, line: int, column: int) -> tuple[str, ...]:
        """Return the macros of this file that the statement at a position uses, in order."""
        statement = self.statement_at(line, column)
        if statement is None or (statement.role is Role.MACRO and statement.text.startswith("#")):
            return ()
        start, end = self.source.offset(*statement.start), self.source.offset(*statement.end)
        return tuple(dict.fromkeys(word for word in words(self._lexed.code, start, end) if word in self._macros))

    def functions(self) -> tuple[FunctionSpan, ...]:
        """Return all function definitions, in order."""
        spans = []
        for extent in self._functions.extents:
            line, column = self.source.position(extent.start)
            end_line, end_column = self.source.position(extent.end)
            header = fold(self.source.slice_text(extent.start, extent.close + 1))
            spans.append(FunctionSpan(extent.name, self.source.path, line, column, end_line, end_column, header))
        return tuple(spans)

    @property
    def root(self) -> Node:
        """Return the root of the parser's tree; its offsets are those of the file, its text has no bytes beyond ASCII."""
        return self._tree.root_node

    @property
    def extents(self) -> tuple[Extent, ...]:
        """Return the byte offsets of all function definitions, in order."""
        return self._functions.extents

    def macros_named(self, name: str) -> tuple[Macro, ...]:
        """Return the definitions of a macro in this file."""
        return tuple(self._macros.get(name, ()))

    @cached_property
    def _lexed(self) -> Lexed:
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

    def _body(self, macro: Macro) -> bytes:
        return fold(self.source.slice_text(macro.body, macro.end)).encode("ascii", "replace")

    @cached_property
    def _constants(self) -> Constants:
        plain = [(macro.name, self._body(macro)) for macro in self._lexed.macros if not macro.has_parameters]
        return Constants(find_all(self._tree, "enum_specifier"), plain)

    @cached_property
    def _functions(self) -> FunctionIndex:
        return index_functions(self._lexed.code, find_all(self._tree, "function_definition"))

    @cached_property
    def _declarations(self) -> DeclarationIndex:
        return index_declarations(find_all(self._tree, "declaration"), find_all(self._tree, "compound_statement"))

    def _path(self, offset: int) -> Path:
        if offset not in self._paths:
            self._paths[offset] = descend(self._tree, offset)
        return self._paths[offset]

    def _unit(self, offset: int) -> Unit:
        function = self._functions.at(offset)
        if function is not None and offset <= function.body:
            return header_unit(self._lexed.code, function, offset)
        unit = unit_at(self._path(offset))
        if unit is not None:
            return unit
        start, end = self._lexed.segment(offset)
        if start <= offset < end <= start + _LONGEST:
            return loose_unit(self._lexed.code, start, end, offset)
        start, end = self.source.line_span(self.source.position(offset)[0])
        return Unit(*trim(self.source.data, start, end), Role.OTHER)

    def _decision(self, line: int, column: int) -> Statement | None:
        offset = self.source.anchor(line, column)
        if offset is None:
            return None
        unit = whole_conditions.decision_at(self._path(offset), offset, self._macros)
        if unit is not None:
            return self._statement(unit)
        statement = self.statement_at(line, column)
        return statement if statement is not None and statement.role is Role.CONDITION else None

    def _statement(self, unit: Unit) -> Statement:
        if unit not in self._units:
            self._units[unit] = self._make_statement(unit)
        return self._units[unit]

    def _make_statement(self, unit: Unit) -> Statement:
        start, end = trim(self.source.data, unit.start, unit.end)
        line, column = self.source.position(start)
        end_line, end_column = self.source.position(end)
        exact = self.source.slice_text(start, end)
        text = fold(exact) or exact
        role = Role.MACRO if unit.role is Role.EXPRESSION and self._is_macro_call(start, end) else unit.role
        target = None if unit.target is None else fold(self.source.slice_text(*unit.target))
        function = self._functions.at(start)
        name = None if function is None else function.name
        span = (line, column, end_line, end_column)
        return Statement(self.source.path, *span, text, role, target, name, unit.keyword, unit.declares)

    def _is_macro_call(self, start: int, end: int) -> bool:
        """Return whether a whole statement is one use of a macro of this file, or a use without a semicolon."""
        code = self._lexed.code[start:end].rstrip(b"; \t\r\n")
        head, parenthesis, _ = code.partition(b"(")
        name = head.strip().decode("ascii", "replace")
        if parenthesis and not code.endswith(b")"):
            return False
        return name in self._macros or (bool(parenthesis) and not self._lexed.code[start:end].endswith(b";"))

    def _expression(self, node: Node) -> Expression:
        line, column = self.source.position(node.start_byte)
        end_line, end_column = self.source.position(node.end_byte)
        text = fold(self.source.slice_text(node.start_byte, node.end_byte))
        return Expression(self.source.path, line, column, end_line, end_column, text, node.type)
