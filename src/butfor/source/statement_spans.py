"""Which statement-like unit of the syntax tree holds a position."""

from __future__ import annotations

from tree_sitter import Node

from butfor.source.c_parser import NodePath, strip_parentheses
from butfor.source.source_model import Role, StatementSpan

KEYWORDS = {
    "if_statement": "if",
    "while_statement": "while",
    "do_statement": "do",
    "for_statement": "for",
    "switch_statement": "switch",
}
_JUMPS = frozenset({"break_statement", "continue_statement", "goto_statement"})
_OTHERS = frozenset({"preproc_include", "preproc_call", "linkage_specification", "static_assert_declaration"})
_MEMBERS = frozenset({"field_declaration", "enumerator", "type_definition"})
_SPECIFIERS = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})
_BLOCKS = frozenset({"translation_unit", "compound_statement", "preproc_if", "preproc_ifdef", "preproc_else"})
_ASSIGNMENTS = {"assignment_expression": "left", "update_expression": "argument"}


def statement_span_at(path: NodePath) -> StatementSpan | None:
    """The smallest statement-like unit on a path through the tree, None where the parser found no structure."""
    for index in range(len(path) - 1, 0, -1):
        node, field = path[index]
        if node.type == "ERROR":
            return None
        span = _control_part_span(path, index) or _token_span(path, index) or _statement_span(path, index)
        if span is not None:
            return span
        if field == "body" and path[index - 1].node.type == "function_definition":
            return None
    return None


def condition_span(control: Node) -> StatementSpan:
    """The condition of an if, loop or switch, without its parentheses; the header of a loop without one."""
    keyword = KEYWORDS[control.type]
    condition = control.child_by_field_name("condition")
    if condition is None:
        end = next((child.end_byte for child in control.children if child.type == ")"), control.end_byte)
        return StatementSpan(control.start_byte, end, Role.OTHER, keyword=keyword)
    inner = [child for child in condition.named_children if child.type != "comment"]
    if condition.type != "parenthesized_expression" or not inner:
        return StatementSpan(condition.start_byte, condition.end_byte, Role.CONDITION, keyword=keyword)
    return StatementSpan(inner[0].start_byte, inner[-1].end_byte, Role.CONDITION, keyword=keyword)


def target_span(node: Node | None) -> tuple[int, int] | None:
    """The span of the lvalue that an expression, or a declarator with initialiser, assigns."""
    if node is None:
        return None
    if node.type in ("init_declarator", "enumerator"):
        name = declared_name(node) if node.child_by_field_name("value") else None
    else:
        node = strip_parentheses(node)
        name = node.child_by_field_name(_ASSIGNMENTS[node.type]) if node.type in _ASSIGNMENTS else None
        name = strip_parentheses(name) if name else None
    return (name.start_byte, name.end_byte) if name else None


def declared_name(node: Node) -> Node | None:
    """The identifier that a declarator declares."""
    current: Node | None = node
    while current is not None and current.type not in ("identifier", "type_identifier", "field_identifier"):
        inner = current.child_by_field_name("declarator") or current.child_by_field_name("name")
        if inner is None and current.type == "parenthesized_declarator":
            inner = next(iter(current.named_children), None)
        current = inner
    return current


def declaration_span(declaration: Node, declarator: Node | None, role: Role) -> StatementSpan:
    """The span of one declarator: all of a declaration that has only one, else the declarator alone.

    Without a declarator it is the whole declaration, which has a target only when it declares one thing.
    """
    declarators = declaration.children_by_field_name("declarator")
    if len(declarators) == 1:
        end = declaration.end_byte
        if role is Role.FOR_INIT and declaration.children[-1].type == ";":
            end = declaration.children[-1].start_byte
        return StatementSpan(declaration.start_byte, end, role, target_span(declarators[0]), declares=True)
    if declarator is None:
        return StatementSpan(declaration.start_byte, declaration.end_byte, role, declares=True)
    return StatementSpan(declarator.start_byte, declarator.end_byte, role, target_span(declarator), declares=True)


def declaration_role(declaration: Node, declarator: Node | None, *, local: bool) -> Role:
    """Whether a declaration runs as a statement or is an initialiser done before the program starts."""
    static = not local or any(child.text == b"static" for child in declaration.children)
    declarators = [declarator] if declarator else declaration.children_by_field_name("declarator")
    valued = any(each.type == "init_declarator" for each in declarators)
    return Role.INITIALIZER if static and valued else Role.DECLARATION


def _control_part_span(path: NodePath, index: int) -> StatementSpan | None:
    """The span of a part of an if, loop or switch header."""
    node, field = path[index]
    parent = path[index - 1].node
    if parent.type not in KEYWORDS:
        return None
    if field == "condition" or not node.is_named:
        return condition_span(parent)
    role = {"initializer": Role.FOR_INIT, "update": Role.FOR_UPDATE}.get(field or "")
    if role is None or node.type == "declaration":
        return None
    return StatementSpan(node.start_byte, node.end_byte, role, target_span(node), KEYWORDS[parent.type])


def _token_span(path: NodePath, index: int) -> StatementSpan | None:
    """The span of a token that stands for itself: a brace, a label or an else."""
    node = path[index].node
    parent, parent_field = path[index - 1]
    if node.type in "{}" and parent.type == "compound_statement":
        owner = path[index - 2].node if index > 1 else parent
        if node.type == "}" and owner.type == "do_statement" and parent_field == "body":
            return condition_span(owner)
        return StatementSpan(node.start_byte, node.end_byte, Role.END if node.type == "}" else Role.OTHER)
    if parent.type == "labeled_statement" and (node.type == ":" or path[index].field == "label"):
        return StatementSpan(parent.start_byte, _end_of_label(parent), Role.OTHER)
    return StatementSpan(node.start_byte, node.end_byte, Role.OTHER) if node.type == "else" else None


def _end_of_label(node: Node) -> int:
    return next((child.end_byte for child in node.children if child.type == ":"), node.end_byte)


def _statement_span(path: NodePath, index: int) -> StatementSpan | None:
    """The span of a node that is a statement of its own."""
    node = path[index].node
    start, end = node.start_byte, node.end_byte
    kind = node.type
    if kind == "expression_statement":
        inner = next((child for child in node.named_children if child.type != "comment"), None)
        return StatementSpan(start, end, Role.EXPRESSION, target_span(inner))
    if kind == "declaration":
        return _declaration_on_path(path, index)
    if kind == "return_statement":
        return StatementSpan(start, end, Role.RETURN, keyword="return")
    if kind in _JUMPS:
        return StatementSpan(start, end, Role.JUMP, keyword=kind.split("_")[0])
    if kind == "case_statement":
        return StatementSpan(start, _end_of_label(node), Role.CASE, keyword="case")
    if kind in ("preproc_def", "preproc_function_def"):
        return StatementSpan(start, end, Role.MACRO)
    if kind in _MEMBERS:
        return StatementSpan(
            start, end, Role.DECLARATION, target_span(node) if kind == "enumerator" else None, declares=True
        )
    if kind in _SPECIFIERS and path[index - 1].node.type in _BLOCKS:
        return StatementSpan(start, end, Role.DECLARATION, declares=True)
    return StatementSpan(start, end, Role.OTHER) if kind in _OTHERS else None


def _declaration_on_path(path: NodePath, index: int) -> StatementSpan:
    node, field = path[index]
    parent = path[index - 1].node
    below = path[index + 1] if index + 1 < len(path) else None
    declarator = below.node if below is not None and below.field == "declarator" else None
    if parent.type == "for_statement" and field == "initializer":
        span = declaration_span(node, declarator, Role.FOR_INIT)
        return StatementSpan(span.start, span.end, span.role, span.target, "for", declares=True)
    local = any(step.node.type == "compound_statement" for step in path[:index])
    return declaration_span(node, declarator, declaration_role(node, declarator, local=local))
