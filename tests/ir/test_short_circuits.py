"""Decisions on the shapes that clang emits at -O0, written as `label: instruction; ...; terminator`."""

from __future__ import annotations

from typing import Any

import pytest

from butfor.ir.flow_graphs import reversed_graph
from butfor.ir.instructions import Block, Call, Const, Function, Instr, Operand
from butfor.ir.machine_types import VOID, int_type
from butfor.ir.short_circuits import find_decisions

BOOL = int_type(1)
Found = list[tuple[str, str]]


def build(text: str) -> Function:
    """The function of a text with one block per line."""
    lines = [line.strip().split(": ") for line in text.strip().splitlines()]
    number = {label: i for i, (label, _) in enumerate(lines)}
    function = Function("f", 0, (BOOL,), (), VOID, False)
    for label, body in lines:
        start = len(function.instrs)
        for item in body.split("; "):
            function.instrs.append(_instr(item.split(), number, number[label], function))
        last = function.instrs[-1]
        targets = last.detail if last.op in ("br", "switch") else ()
        function.blocks.append(Block(number[label], label, start, len(function.instrs), targets))
    for block, preds in zip(function.blocks, reversed_graph([block.succs for block in function.blocks]), strict=True):
        block.preds = tuple(preds)
    return function


def _instr(words: list[str], number: dict[str, int], block: int, function: Function) -> Instr:
    """One instruction; it uses the value before it, and its location is its block."""
    op, slot = words[0], len(function.instrs) + 1
    previous = function.instrs[-1].slot if function.instrs else 0
    args: tuple[Operand, ...] = (previous,)
    detail: Any = None
    if op in ("br", "switch"):
        detail = tuple(number[word] for word in words[1:])
        args = args if len(detail) > 1 else ()
    elif op == "phi":
        pairs = [word.split("=") for word in words[1:]]
        detail = tuple(number[label] for label, _ in pairs)
        args = tuple(0 if value == "v" else Const("int", BOOL, int(value)) for _, value in pairs)
    elif op == "call":
        detail = Call(words[1], (), (), False)
    elif op == "load":
        args = (0,)
    return Instr(len(function.instrs), block, op, BOOL, slot, args, detail, block)


def found(text: str) -> Found:
    """The decisions as (blocks, exits) in labels."""
    function = build(text)
    names = [block.label for block in function.blocks]
    result = find_decisions(function)
    for i, decision in enumerate(result.decisions):
        assert all(result.of_block[block] == i for block in decision.blocks)
    assert sum(len(decision.blocks) for decision in result.decisions) == sum(i >= 0 for i in result.of_block)
    branching = {i for i, block in enumerate(function.blocks) if len(set(block.succs)) > 1}
    assert all(result.of_block[block] >= 0 for block in branching)
    return [("".join(names[b] for b in d.blocks), "".join(sorted(names[b] for b in d.exits))) for d in result.decisions]


CASES: dict[str, tuple[str, Found]] = {
    "if (a && (b || c))": (
        "a: store; load; br b F\nb: load; br T c\nc: call g; br T F\nT: store; br F\nF: ret",
        [("abc", "FT")],
    ),
    "if ((a || b) && c)": ("a: br c b\nb: load; br c F\nc: load; br T F\nT: br F\nF: ret", [("abc", "FT")]),
    "if (a ? b : c)": ("a: br b c\nb: load; br T F\nc: load; br T F\nT: br F\nF: ret", [("abc", "FT")]),
    "if (a) { if (b) s; else t; }": (
        "a: br b F\nb: load; br T E\nT: br F\nE: br F\nF: ret",
        [("a", "Fb"), ("b", "ET")],
    ),
    "if (a && (x = b))": ("a: br b F\nb: load; store; br T F\nT: br F\nF: ret", [("a", "Fb"), ("b", "FT")]),
    "if (a && (s = t, b))": ("a: br b F\nb: call llvm.memcpy.p0; br T F\nT: br F\nF: ret", [("a", "Fb"), ("b", "FT")]),
    "goto into b": (
        "s: br a z\nz: br b\na: load; br b F\nb: load; br T F\nT: br F\nF: ret",
        [("s", "az"), ("a", "Fb"), ("b", "FT")],
    ),
    "x = a && b": ("a: br b j\nb: load; br j\nj: phi a=0 b=v; store; ret", [("ab", "j")]),
    "x = a && b && c": ("a: br b j\nb: load; br c j\nc: load; br j\nj: phi a=0 b=0 c=v; store; ret", [("abc", "j")]),
    "x = a && (b || c)": (
        "a: br b j\nb: load; br i c\nc: load; br i\ni: phi b=1 c=v; br j\nj: phi a=0 i=v; store; ret",
        [("abci", "j")],
    ),
    "while (a && !(b || g()))": (
        "s: br a\na: load; br b j\nb: load; br i c\nc: call g; br i\ni: phi b=1 c=v; xor; br j\n"
        "j: phi a=0 i=v; br B F\nB: store; br a\nF: ret",
        [("abcij", "BF")],
    ),
    "do s; while (a && b)": (
        "B: store; br a\na: load; br b j\nb: load; br j\nj: phi a=0 b=v; br B F\nF: ret",
        [("abj", "BF")],
    ),
    "if ((a && b) | y)": (
        "a: br b j\nb: load; br j\nj: phi a=0 b=v; load; br T F\nT: br F\nF: ret",
        [("ab", "j"), ("j", "FT")],
    ),
    "x = a ? y : 0 (no boolean)": ("a: br b j\nb: load; br j\nj: phi a=v b=v; store; ret", [("a", "bj")]),
    "x = a && (b ? c : d) && e": (
        "a: br b j\nb: load; br c d\nc: load; br e j\nd: load; br e j\ne: load; br j\n"
        "j: phi a=0 c=0 d=0 e=v; store; ret",
        [("abcde", "j")],
    ),
    "switch in if": ("a: br s F\ns: load; switch T F\nT: br F\nF: ret", [("a", "Fs"), ("s", "FT")]),
    "if (a) s; if (b) t;": (
        "a: br T b\nT: store; br b\nb: load; br U F\nU: store; br F\nF: ret",
        [("a", "Tb"), ("b", "FU")],
    ),
    "loop around one block": ("a: load; br a F\nF: ret", [("a", "Fa")]),
    "same target twice": ("a: load; br F F\nF: ret", []),
    "unreachable branch": ("a: ret\nb: br a c\nc: ret", [("b", "ac")]),
}


@pytest.mark.parametrize("source", CASES)
def test_decisions_of(source: str) -> None:
    text, expected = CASES[source]
    assert found(text) == expected


def test_locations_can_keep_nested_ifs_apart() -> None:
    function = build("a: br b F\nb: load; br T F\nT: br F\nF: ret")
    assert len(find_decisions(function).decisions) == 1
    assert len(find_decisions(function, related=lambda first, second: first == second).decisions) == 2
