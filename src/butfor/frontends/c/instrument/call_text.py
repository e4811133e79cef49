"""Calls and types in the text of LLVM assembly."""

from __future__ import annotations

import re

from butfor.ir.machine_types import Kind, Type

FAST_MATH_FLAGS = "fast|nnan|ninf|nsz|arcp|contract|afn|reassoc"
_VALUE = re.compile(
    r'(?:^| )((?:%"[^"]*"|%[-\w.$]+|@"[^"]*"|@[-\w.$]+|null|undef|poison|true|false|-?\d+'
    r"|getelementptr.*\)|inttoptr.*\)))$"
)


def arguments_start(text: str) -> int:
    """Where the argument list of a call begins: the last parenthesis group."""
    end = text.rindex(")")
    depth = 0
    for i in range(end, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0:
            return i
    raise AssertionError(text)


def split_commas(text: str) -> list[str]:
    """The parts of a text between the commas that are in no brackets."""
    out, depth, start = [], 0, 0
    for i, ch in enumerate(text):
        if ch in "([{<":
            depth += 1
        elif ch in ")]}>":
            depth -= 1
        elif ch == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    return [*out, text[start:].strip()]


def argument_texts(text: str) -> list[str]:
    """The arguments of a call with their types and attributes."""
    inside = text[arguments_start(text) + 1 : text.rindex(")")]
    return split_commas(inside) if inside.strip() else []


def value_text(operand: str) -> str:
    """The value of an argument, without its type and attributes."""
    m = _VALUE.search(operand)
    assert m is not None, operand
    return m[1]


def type_text(t: Type) -> str:
    """A type in LLVM syntax."""
    match t.kind:
        case Kind.INT:
            return f"i{t.bits}"
        case Kind.FLOAT:
            return {16: "half", 32: "float", 64: "double", 80: "x86_fp80", 128: "fp128"}[t.bits]
        case Kind.PTR:
            return "ptr"
        case Kind.ARRAY:
            return f"[{t.count} x {type_text(t.elem)}]"
        case Kind.VECTOR:
            return f"<{t.count} x {type_text(t.elem)}>"
        case Kind.STRUCT:
            inner = "{ " + ", ".join(map(type_text, t.elems)) + " }"
            return f"<{inner}>" if t.packed else inner
        case _:
            return "void"
