"""Statements by their delimiters, for code that the parser does not understand."""

from __future__ import annotations

import re

from butfor.source.lexer import closing_parenthesis, split_at_top_level, trim
from butfor.source.source_model import Role, StatementSpan

_PREFIX = re.compile(rb"(?:(?P<case>case\b[^:;{}]*:|default\s*:)|else\b|do\b|[A-Za-z_]\w*\s*:(?!:))\s*")
_CONTROL = re.compile(rb"(if|while|for|switch)\s*\(")
_ASSIGN = re.compile(rb"(?:<<|>>|[-+*/%&|^])?(?<![=!<>])=(?!=)|<<=|>>=")
_PREFIX_STEP = re.compile(rb"(?:\+\+|--)\s*+([\w.\[\]>*()\-]++)\s*+;?\Z")
_POSTFIX_STEP = re.compile(rb"([\w.\[\]>*()\-]+?)\s*+(?:\+\+|--)\s*+;?\Z")
_DECLARATION = re.compile(
    rb"(?:[A-Za-z_]\w*+[\s*]++)+(?P<name>[A-Za-z_]\w*+)\s*+"  # type and name
    rb"(?:\[[^\]]*+\]\s*+)*+(?P<end>=(?!=)|[;,])"  # array bounds and what follows
)
_FIRST_WORD = {b"return": Role.RETURN, b"break": Role.JUMP, b"continue": Role.JUMP, b"goto": Role.JUMP}
_FOR_ROLES = (Role.FOR_INIT, Role.CONDITION, Role.FOR_UPDATE)


def unparsed_statement_at(code: bytes, start: int, end: int, offset: int) -> StatementSpan:
    """The statement-like unit at `offset` inside the span between two delimiters."""
    while True:
        prefix = _PREFIX.match(code, start, end)
        if prefix is not None and prefix[0].strip() != b"default":
            if offset < prefix.end():
                return StatementSpan(*trim(code, start, prefix.end()), Role.CASE if prefix["case"] else Role.OTHER)
            start = prefix.end()
            continue
        control = _CONTROL.match(code, start, end)
        close = closing_parenthesis(code, control.end() - 1, end) if control else None
        if control is None or close is None:
            return _simple_statement(code, start, end)
        if offset <= close or not code[close + 1 : end].strip():
            return _control_header(code, control, close, offset)
        start, _ = trim(code, close + 1, end)


def _control_header(code: bytes, control: re.Match[bytes], close: int, offset: int) -> StatementSpan:
    keyword = control[1].decode("ascii")
    if keyword != "for":
        return StatementSpan(*trim(code, control.end(), close), Role.CONDITION, keyword=keyword)
    parts = list(zip(split_at_top_level(code, control.end(), close, b";"), _FOR_ROLES, strict=False))
    chosen = next((part for part in parts if part[0][0] <= offset <= part[0][1]), None)
    (start, end), role = chosen or next((part for part in parts if part[1] is Role.CONDITION), parts[0])
    start, end = trim(code, start, end)
    if start >= end:
        return StatementSpan(control.start(), close + 1, Role.OTHER, keyword=keyword)
    return StatementSpan(start, end, role, target=_target(code, start, end), keyword=keyword)


def _simple_statement(code: bytes, start: int, end: int) -> StatementSpan:
    text = code[start:end]
    if text == b"}":
        return StatementSpan(start, end, Role.END)
    word = re.match(rb"\w*", text)
    role = _FIRST_WORD.get(word[0] if word else b"")
    if role is not None or text == b"{":
        return StatementSpan(start, end, role or Role.OTHER)
    declaration = _DECLARATION.match(code, start, end)
    if declaration is not None:
        target = declaration.span("name") if declaration["end"] == b"=" else None
        return StatementSpan(start, end, Role.DECLARATION, target=target, declares=True)
    return StatementSpan(start, end, Role.EXPRESSION, target=_target(code, start, end))


def _target(code: bytes, start: int, end: int) -> tuple[int, int] | None:
    assign = _ASSIGN.search(code, start, end)
    if assign is not None:
        left = code[start : assign.start()]
        return trim(code, start, assign.start()) if left.count(b"(") == left.count(b")") else None
    step = _PREFIX_STEP.match(code, start, end) or _POSTFIX_STEP.match(code, start, end)
    return step.span(1) if step is not None and step[1].count(b"(") == step[1].count(b")") else None
