"""Extents of function definitions, from the syntax tree or, for K&R and broken code, the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from butfor.source.lexer import closing_parenthesis, split_at_top_level, trim
from butfor.source.source_model import Role, StatementSpan

_ATTRIBUTE = re.compile(rb"\b(?:__attribute__|__declspec)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_CALLABLE = re.compile(rb"([A-Za-z_]\w*)\s*\(")
_OLD_STYLE = re.compile(rb"([A-Za-z_]\w*)\s*(\([\w\s,]*\))\s*[A-Za-z_]")
_NOT_A_NAME = frozenset(
    b"""if while for switch return sizeof typeof
    int char long short unsigned signed float double void""".split()
)


@dataclass(frozen=True, slots=True)
class FunctionExtent:
    """Byte offsets of a function definition: header start, parameter parentheses, opening brace, end."""

    name: str
    start: int
    open: int
    close: int
    body: int
    end: int


@dataclass(frozen=True, slots=True)
class FunctionIndex:
    """All functions of a file in order of their start, to be looked up by offset."""

    extents: tuple[FunctionExtent, ...]
    _starts: tuple[int, ...]

    def at(self, offset: int) -> FunctionExtent | None:
        """The innermost function that contains the offset."""
        for index in range(bisect_right(self._starts, offset) - 1, -1, -1):
            if offset < self.extents[index].end:
                return self.extents[index]
        return None


def index_functions(code: bytes, definitions: Iterable[Node]) -> FunctionIndex:
    """The functions of a file, given its code without comments and the parser's function definitions."""
    textual = list(_textual_functions(code))
    bodies = [extent.body for extent in textual]
    parsed = []
    for node in definitions:
        inside = bisect_left(bodies, node.end_byte) - bisect_left(bodies, node.start_byte)
        extent = _parsed_function(node)
        if extent is not None and not (node.has_error and inside > 1):
            parsed.append(extent)
    known = _index(parsed)
    return _index(parsed + [extent for extent in textual if known.at(extent.body) is None])


def _index(extents: list[FunctionExtent]) -> FunctionIndex:
    ordered = sorted(extents, key=lambda extent: extent.start)
    return FunctionIndex(tuple(ordered), tuple(extent.start for extent in ordered))


def header_span(code: bytes, function: FunctionExtent, offset: int) -> StatementSpan:
    """The span at an offset between the start of a function and its opening brace: a parameter or the whole header."""
    if function.open < offset < function.close:
        for start, end in split_at_top_level(code, function.open + 1, function.close, b","):
            start, end = trim(code, start, end)
            if start <= offset < end and code[start:end] not in (b"void", b"..."):
                return StatementSpan(start, end, Role.PARAMETER, declares=True)
    if function.close < offset < function.body:
        for start, end in split_at_top_level(code, function.close + 1, function.body, b";"):
            start, last = trim(code, start, end)
            if start <= offset <= last < function.body:
                return StatementSpan(start, min(end + 1, function.body), Role.PARAMETER, declares=True)
    return StatementSpan(function.start, function.close + 1, Role.FUNCTION)


def _parsed_function(node: Node) -> FunctionExtent | None:
    body = node.child_by_field_name("body")
    declarator = node.child_by_field_name("declarator")
    parameters: Node | None = None
    while declarator is not None and declarator.type != "identifier":
        if declarator.type == "function_declarator":
            parameters = declarator.child_by_field_name("parameters")
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type == "parenthesized_declarator" and declarator.named_children:
            inner = declarator.named_children[-1]
        declarator = inner
    if body is None or declarator is None or parameters is None or declarator.text is None:
        return None
    name = declarator.text.decode("ascii")
    return FunctionExtent(
        name, node.start_byte, parameters.start_byte, parameters.end_byte - 1, body.start_byte, node.end_byte
    )


def _textual_functions(code: bytes) -> Iterator[FunctionExtent]:
    depth, begin = 0, 0
    header: tuple[str, int, int, int] | None = None
    body = 0
    for match in re.compile(rb"[{}]").finditer(code):
        offset = match.start()
        if match[0] == b"{":
            if depth == 0:
                header, body = _header(code, begin, offset), offset
                if header is None and b"extern" in code[begin:offset].split()[-2:]:
                    begin = match.end()
                    continue
            depth += 1
        else:
            at_margin = offset == 0 or code[offset - 1 : offset] in b"\r\n"
            depth = 0 if at_margin else max(depth - 1, 0)
            if depth == 0:
                if header is not None:
                    yield FunctionExtent(*header, body, match.end())
                header, begin = None, match.end()
    if header is not None:
        yield FunctionExtent(*header, body, len(code))


def _header(code: bytes, begin: int, brace: int) -> tuple[str, int, int, int] | None:
    """Name, start and parameter parentheses of the function header that ends at `brace`."""
    text = _ATTRIBUTE.sub(lambda match: b" " * len(match[0]), code[begin:brace])
    pieces = [trim(text, *span) for span in split_at_top_level(text, 0, len(text), b";")]
    start, end = pieces[-1]
    if start < end:
        if b"=" in text[start:end] or text.startswith(b"typedef", start):
            return None
        for match in _CALLABLE.finditer(text, start, end):
            close = closing_parenthesis(text, match.end() - 1, end)
            if match[1] not in _NOT_A_NAME and close is not None:
                return match[1].decode("ascii"), begin + start, begin + match.end() - 1, begin + close
        return None
    for start, end in reversed(pieces[:-1]):
        old = _OLD_STYLE.search(text, start, end)
        if old is not None and old[1] not in _NOT_A_NAME:
            return old[1].decode("ascii"), begin + start, begin + old.start(2), begin + old.end(2) - 1
    return None
