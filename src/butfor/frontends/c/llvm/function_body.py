"""Parsing of one function's body into instructions."""

from __future__ import annotations

import re

from butfor.errors import UnsupportedError
from butfor.frontends.c.llvm.assembly_tokens import TOKEN, Cursor
from butfor.frontends.c.llvm.instruction_parser import InstructionParser, skip_attributes
from butfor.ir.instructions import Block, Function, Instr
from butfor.ir.machine_types import Type

_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
_DBG_END = re.compile(r"((?:, ![\w.]+ !(?:\d+|DIExpression\(\)|\{\}))+)$")
_DBG = re.compile(r"!dbg !(\d+)")


def split_metadata(line: str) -> tuple[str, int]:
    """The instruction without its trailing metadata, and the number of its `!dbg` node or -1."""
    m = _DBG_END.search(line)
    if m is None:
        return line, -1
    dbg = _DBG.search(m[1])
    return line[: m.start()], int(dbg[1]) if dbg else -1


def instruction_lines(lines: list[str], start: int, end: int) -> list[tuple[int, int, str]]:
    """(first line, last line, joined text) of every label and instruction of a function's body."""
    out = []
    i = start + 1
    while i < end:
        line = lines[i]
        first = i
        if not line or line.startswith(("    #dbg_", "  ;", ";")):
            i += 1
            continue
        if line.startswith("  switch ") and line.endswith("["):
            parts = [line]
            while not lines[i].startswith("  ]"):
                i += 1
                parts.append(lines[i])
            line = " ".join(parts)
        out.append((first, i, line))
        i += 1
    return out


def parse_header(line: str, named: dict[str, Type]) -> tuple[Type, list[tuple[Type, str, int]], bool]:
    """Result type, parameters as (type, name, byval size) and whether it is variadic."""
    at = line.index("(", _name_start(line))
    result = _result_type(line, named)
    cursor = Cursor(TOKEN.findall(line[at:]), named)
    cursor.expect("(")
    params: list[tuple[Type, str, int]] = []
    variadic = False
    while not cursor.accept(")"):
        if cursor.accept("..."):
            variadic = True
            continue
        t = cursor.type()
        byval, _ = skip_attributes(cursor)
        name = cursor.next() if cursor.peek()[:1] == "%" else f"%{len(params)}"
        params.append((t, name, byval))
        cursor.accept(",")
    return result, params, variadic


def _name_start(line: str) -> int:
    m = re.search(r'@("[^"]*"|[-\w.$]+)\(', line)
    assert m is not None
    return m.start()


def _result_type(line: str, named: dict[str, Type]) -> Type:
    toks = TOKEN.findall(line[: _name_start(line)])
    for k in range(1, len(toks) + 1):  # the type is what stands last before the name
        cursor = Cursor(toks[-k:], named)
        try:
            t = cursor.type()
        except (UnsupportedError, IndexError, ValueError):
            continue
        if cursor.at == k:
            # a longer match wins for types that end in a bracket
            if toks[-1] in "]}>" and toks[-k] not in "[{<":
                continue
            if toks[-k] == "{" and k < len(toks) and toks[-k - 1] == "<":
                continue
            return t
    raise UnsupportedError(f"LLVM assembly: no result type in {line!r}")


def slot_names(lines: list[str], start: int, end: int, named: dict[str, Type]) -> dict[str, int]:
    """The slot of every register of a function, by name with %."""
    params = parse_header(lines[start], named)[1]
    slots = {p[1]: k for k, p in enumerate(params)}
    for _, _, line in instruction_lines(lines, start, end):
        if line[:3] == "  %":
            slots[line[2 : line.index(" = ")]] = len(slots)
    return slots


def parse_function(lines: list[str], start: int, end: int, name: str, index: int, named: dict[str, Type]) -> Function:
    """The function whose `define` line is `lines[start]` and whose closing brace is `lines[end]`."""
    result, params, variadic = parse_header(lines[start], named)
    fn = Function(name, index, tuple(p[0] for p in params), tuple(p[2] for p in params), result, variadic)
    slots = {p[1]: k for k, p in enumerate(params)}
    fn.definer = [-1] * len(params)
    items = instruction_lines(lines, start, end)
    blocks: dict[str, int] = {}
    if not items or not _LABEL.match(items[0][2]):
        unnamed = sum(1 for p in params if p[1][1:].isdigit())
        blocks[str(unnamed)] = 0
    count = 0
    for _, _, line in items:
        if line[0] != " ":
            m = _LABEL.match(line)
            assert m is not None, line
            blocks[m[1].strip('"')] = len(blocks)
            continue
        if line[2] == "%":
            slots[line[2 : line.index(" = ")]] = len(fn.definer)
            fn.definer.append(count)
        count += 1
    types: list[Type] = list(fn.params)
    body = InstructionParser(slots, types, blocks, named)
    labels = list(blocks)
    current: Block | None = None
    for _, _, line in items:
        if line[0] != " ":
            if current is not None:
                current.end = len(fn.instrs)
            current = Block(len(fn.blocks), labels[len(fn.blocks)], len(fn.instrs), 0)
            fn.blocks.append(current)
            continue
        if current is None:
            current = Block(0, labels[0], 0, 0)
            fn.blocks.append(current)
        text, dbg_id = split_metadata(line)
        toks = TOKEN.findall(text)
        at, slot = 0, -1
        if toks[0][0] == "%":
            slot = slots[toks[0]]
            at = 2
        cursor = Cursor(toks, named)
        cursor.at = at + 1
        op, t, args, detail = body.parse(toks[at], cursor)
        fn.instrs.append(Instr(len(fn.instrs), current.index, op, t, slot, args, detail, dbg_id))
    assert current is not None, name
    current.end = len(fn.instrs)
    _link(fn)
    return fn


def targets(instr: Instr) -> tuple[int, ...]:
    """The blocks that a terminator can go to, in order, without repeats."""
    if instr.op in ("br", "indirectbr"):
        return tuple(dict.fromkeys(instr.detail))
    if instr.op == "switch":
        return tuple(dict.fromkeys((instr.detail[0], *(t for _, t in instr.detail[1]))))
    return ()


def _link(fn: Function) -> None:
    preds: list[list[int]] = [[] for _ in fn.blocks]
    for block in fn.blocks:
        block.succs = targets(fn.instrs[block.end - 1])
        for s in block.succs:
            preds[s].append(block.index)
    for block in fn.blocks:
        block.preds = tuple(preds[block.index])
