"""C programs written differently with the same meaning: other names, another layout, code that never runs.

A place of a program is the number of the token that stands there, so that places of two texts can be compared.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import tree_sitter
import tree_sitter_c

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
_DECLARING = (
    "array_declarator",
    "declaration",
    "function_declarator",
    "init_declarator",
    "parameter_declaration",
    "parenthesized_declarator",
    "pointer_declarator",
)
_KEPT = frozenset(("main", "argc", "argv"))
_WHOLE = ("string_literal", "char_literal", "system_lib_string", "concatenated_string")
_DEAD = """
static int never_called(int length, const int *values)
{
    int i, best = 0;
    for (i = 1; i < length; i++)
        if (values[i] > values[best])
            best = i;
    return length > 0 ? values[best] : -1;
}
"""


def tokens(text: str) -> Iterator[tree_sitter.Node]:
    """The tokens of a program without its comments; a line of the preprocessor is one token."""
    work = [_PARSER.parse(text.encode()).root_node]
    while work:
        node = work.pop()
        if node.type == "comment":
            continue
        if node.type.startswith("preproc") or node.type in _WHOLE or not node.children:
            if node.end_byte > node.start_byte:
                yield node
        else:
            work += reversed(node.children)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode()


def token_at(text: str) -> Callable[[int, int], int]:
    """A function from a line and a column, both from 1, to the number of the token that begins there or before.

    The tokens of the function that never runs do not count.
    """
    dead = text.find(_DEAD)
    first = text[: max(dead, 0)].count("\n") + 1
    last = first + _DEAD.count("\n") if dead >= 0 else 0
    lines = ((node.start_point[0] + 1, node.start_point[1] + 1) for node in tokens(text))
    starts = [at for at in lines if not first <= at[0] < last]
    return lambda line, column: bisect_right(starts, (line, max(column, 1))) - 1


def with_other_names(text: str) -> str:
    """The program with other names for its variables and functions; members, types and macros keep theirs."""
    data = text.encode()
    own = {_text(node) for node in tokens(text) if node.type == "identifier" and _declares(node)} - _KEPT
    macros = set(re.findall(r"\w+", " ".join(_text(n) for n in tokens(text) if n.type.startswith("preproc"))))
    names = {name: f"{'zyx'[k % 3]}{k}_of_it" for k, name in enumerate(sorted(own - macros))}
    for node in reversed([n for n in tokens(text) if n.type == "identifier"]):
        if _text(node) in names:
            data = data[: node.start_byte] + names[_text(node)].encode() + data[node.end_byte :]
    return data.decode()


def _declares(node: tree_sitter.Node) -> bool:
    parent = node.parent
    if parent is None or parent.type not in _DECLARING:
        return False
    return parent.child_by_field_name("declarator") == node


def with_other_layout(text: str) -> str:
    """The program without its comments, with a line for each statement and each brace, indented by one blank."""
    out: list[str] = []
    parens = depth = 0
    is_line_start = True
    for node in tokens(text):
        token = _text(node)
        if node.type.startswith("preproc"):
            out.append(("" if is_line_start else "\n") + token.rstrip("\n") + "\n")
            is_line_start = True
            continue
        parens += {"(": 1, ")": -1}.get(token, 0)
        depth -= token == "}"
        out.append((" " * depth if is_line_start else " ") + token)
        depth += token == "{"
        is_line_start = parens == 0 and token in ("{", "}", ";")
        out.append("\n" if is_line_start else "")
    return "".join(out)


def with_dead_code(text: str) -> str:
    """The program with a function more that nothing calls, before its last one."""
    functions = [n for n in _PARSER.parse(text.encode()).root_node.children if n.type == "function_definition"]
    at = functions[-1].start_byte
    data = text.encode()
    return (data[:at] + _DEAD.encode() + data[at:]).decode()


REWRITES: dict[str, Callable[[str], str]] = {
    "other names": with_other_names,
    "another layout": with_other_layout,
    "dead code": with_dead_code,
}
