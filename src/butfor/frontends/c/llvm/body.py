"""Parsing of one function's body into instructions."""

from __future__ import annotations

import re
from typing import Any

from butfor.errors import UnsupportedError
from butfor.frontends.c.llvm.tokens import TOKEN, Cursor, unquote
from butfor.program.model import Block, Call, Const, Function, Instr, Operand
from butfor.program.types import OTHER, PTR, VOID, Kind, Type, alloc_size, int_type

_BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
_CASTS = frozenset("trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast".split())
_PARAM_ATTRS = frozenset(
    "zeroext signext noext inreg noalias nocapture nofree nest returned nonnull immarg noundef swiftself swifterror swiftasync readonly readnone "
    "writeonly writable dead_on_unwind dead_on_return allocalign allocptr noreturn nounwind fast nnan ninf nsz arcp contract afn reassoc".split()
)
_PAREN_ATTRS = frozenset(
    "byval sret inalloca preallocated byref elementtype dereferenceable dereferenceable_or_null captures range initializes nofpclass".split()
)
_CCONV = frozenset("ccc fastcc coldcc tailcc swiftcc win64cc x86_64_sysvcc preserve_mostcc preserve_allcc x86_stdcallcc x86_fastcallcc".split())
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
    """(first line, last line, joined text) of every label and instruction between a `define` line and its closing brace."""
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
        byval, _ = _skip_attrs(cursor)
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


def _skip_attrs(cursor: Cursor) -> tuple[int, bool]:
    """The size of a byval argument or 0, and whether `sret` was among the attributes."""
    byval, sret = 0, False
    while True:
        tok = cursor.peek()
        if tok in _PARAM_ATTRS:
            cursor.at += 1
        elif tok in _PAREN_ATTRS:
            cursor.at += 1
            if tok in ("byval", "sret") and cursor.peek() == "(":
                save = cursor.at
                cursor.at += 1
                t = cursor.type()
                cursor.at = save
                byval = alloc_size(t) if tok == "byval" else byval
                sret = sret or tok == "sret"
            if cursor.peek() == "(":
                cursor.skip_parens()
        elif tok in ("align", "alignstack"):
            cursor.at += 1
            if cursor.peek() == "(":
                cursor.skip_parens()
            else:
                cursor.at += 1
        elif tok[:1] == '"':
            cursor.at += 1
            if cursor.accept("="):
                cursor.at += 1
        else:
            return byval, sret


class _Body:
    def __init__(self, slots: dict[str, int], types: list[Type], blocks: dict[str, int], named: dict[str, Type]) -> None:
        self.slots = slots
        self.types = types
        self.blocks = blocks
        self.named = named

    def operand(self, c: Cursor, t: Type) -> Operand:
        tok = c.peek()
        if tok[0] == "%":
            c.at += 1
            return self.slots[tok]
        return c.constant(t)

    def typed(self, c: Cursor) -> tuple[Type, Operand]:
        t = c.type()
        return t, self.operand(c, t)

    def label(self, c: Cursor) -> int:
        c.expect("label")
        return self.blocks[unquote(c.next())]

    def parse(self, op: str, c: Cursor) -> tuple[str, Type, tuple[Operand, ...], Any]:
        """(op, result type, args, detail) of the instruction whose opcode has just been read."""
        if op in _BINARY:
            c.skip_flags()
            t, a = self.typed(c)
            c.expect(",")
            return op, t, (a, self.operand(c, t)), None
        if op in _CASTS:
            c.skip_flags()
            t, a = self.typed(c)
            c.expect("to")
            return ("ptrtoint" if op == "ptrtoaddr" else op), c.type(), (a,), t
        handler = getattr(self, "_" + op, None)
        if handler is None:
            raise UnsupportedError(f"LLVM instruction {op!r} is not supported")
        result: tuple[str, Type, tuple[Operand, ...], Any] = handler(c)
        return result

    def _load(self, c: Cursor) -> Any:
        c.skip_flags()
        t = c.type()
        c.expect(",")
        return "load", t, (self.typed(c)[1],), None

    def _store(self, c: Cursor) -> Any:
        c.skip_flags()
        t, v = self.typed(c)
        c.expect(",")
        return "store", VOID, (v, self.typed(c)[1]), t

    def _alloca(self, c: Cursor) -> Any:
        c.accept("inalloca")
        t = c.type()
        args: tuple[Operand, ...] = ()
        align = 0
        while c.accept(","):
            if c.accept("align"):
                align = int(c.next())
            elif c.peek() == "addrspace":
                c.at += 1
                c.skip_parens()
            else:
                args = (self.typed(c)[1],)
        if len(args) == 1 and isinstance(args[0], Const) and args[0].kind == "int":
            t = t if args[0].value == 1 else Type(Kind.ARRAY, elems=(t,), count=args[0].value)
            args = ()
        return "alloca", PTR, args, (t, align)

    def _getelementptr(self, c: Cursor) -> Any:
        c.skip_flags()
        source = c.type()
        c.expect(",")
        base_type, base = self.typed(c)
        args, types = [base], []
        while c.accept(","):
            c.skip_flags()
            t, a = self.typed(c)
            args.append(a)
            types.append(t)
        return "gep", base_type, tuple(args), (source, tuple(types))

    def _icmp(self, c: Cursor) -> Any:
        return self._compare("icmp", c)

    def _fcmp(self, c: Cursor) -> Any:
        return self._compare("fcmp", c)

    def _compare(self, op: str, c: Cursor) -> Any:
        c.skip_flags()
        pred = c.next()
        t, a = self.typed(c)
        c.expect(",")
        result = Type(Kind.VECTOR, elems=(int_type(1),), count=t.count) if t.kind is Kind.VECTOR else int_type(1)
        return op, result, (a, self.operand(c, t)), (pred, t)

    def _fneg(self, c: Cursor) -> Any:
        c.skip_flags()
        t, a = self.typed(c)
        return "fneg", t, (a,), None

    def _freeze(self, c: Cursor) -> Any:
        t, a = self.typed(c)
        return "freeze", t, (a,), None

    def _phi(self, c: Cursor) -> Any:
        c.skip_flags()
        t = c.type()
        args, preds = [], []
        while c.accept("["):
            args.append(self.operand(c, t))
            c.expect(",")
            preds.append(self.blocks[unquote(c.next())])
            c.expect("]")
            c.accept(",")
        return "phi", t, tuple(args), tuple(preds)

    def _select(self, c: Cursor) -> Any:
        c.skip_flags()
        ct, cond = self.typed(c)
        c.expect(",")
        t, a = self.typed(c)
        c.expect(",")
        return "select", t, (cond, a, self.typed(c)[1]), ct

    def _br(self, c: Cursor) -> Any:
        if c.peek() == "label":
            return "br", VOID, (), (self.label(c),)
        cond = self.typed(c)[1]
        c.expect(",")
        yes = self.label(c)
        c.expect(",")
        return "br", VOID, (cond,), (yes, self.label(c))

    def _switch(self, c: Cursor) -> Any:
        t, v = self.typed(c)
        c.expect(",")
        default = self.label(c)
        c.expect("[")
        cases = []
        while not c.accept("]"):
            value = c.constant(c.type()).value
            c.expect(",")
            cases.append((value, self.label(c)))
        return "switch", VOID, (v,), (default, tuple(cases), t)

    def _indirectbr(self, c: Cursor) -> Any:
        v = self.typed(c)[1]
        c.expect(",")
        c.expect("[")
        targets = []
        while not c.accept("]"):
            targets.append(self.label(c))
            c.accept(",")
        return "indirectbr", VOID, (v,), tuple(targets)

    def _ret(self, c: Cursor) -> Any:
        if c.accept("void"):
            return "ret", VOID, (), None
        t, v = self.typed(c)
        return "ret", VOID, (v,), t

    def _unreachable(self, c: Cursor) -> Any:
        return "unreachable", VOID, (), None

    def _fence(self, c: Cursor) -> Any:
        return "fence", VOID, (), None

    def _va_arg(self, c: Cursor) -> Any:
        a = self.typed(c)[1]
        c.expect(",")
        return "va_arg", c.type(), (a,), None

    def _extractvalue(self, c: Cursor) -> Any:
        t, v = self.typed(c)
        idx = self._indices(c)
        for i in idx:
            t = t.elems[i] if t.kind is Kind.STRUCT else t.elem
        return "extractvalue", t, (v,), idx

    def _insertvalue(self, c: Cursor) -> Any:
        t, v = self.typed(c)
        c.expect(",")
        part = self.typed(c)[1]
        return "insertvalue", t, (v, part), self._indices(c)

    def _indices(self, c: Cursor) -> tuple[int, ...]:
        out = []
        while c.accept(","):
            out.append(int(c.next()))
        return tuple(out)

    def _extractelement(self, c: Cursor) -> Any:
        t, v = self.typed(c)
        c.expect(",")
        return "extractelement", t.elem, (v, self.typed(c)[1]), t

    def _insertelement(self, c: Cursor) -> Any:
        t, v = self.typed(c)
        c.expect(",")
        e = self.typed(c)[1]
        c.expect(",")
        return "insertelement", t, (v, e, self.typed(c)[1]), t

    def _shufflevector(self, c: Cursor) -> Any:
        t, a = self.typed(c)
        c.expect(",")
        b = self.typed(c)[1]
        c.expect(",")
        mask_type = c.type()
        mask = c.constant(mask_type)
        result = Type(Kind.VECTOR, elems=t.elems, count=mask_type.count)
        return "shufflevector", result, (a, b), (t, mask)

    def _atomicrmw(self, c: Cursor) -> Any:
        c.skip_flags()
        operation = c.next()
        address = self.typed(c)[1]
        c.expect(",")
        t, v = self.typed(c)
        return "atomicrmw", t, (address, v), (operation, t)

    def _cmpxchg(self, c: Cursor) -> Any:
        c.accept("weak")
        c.skip_flags()
        address = self.typed(c)[1]
        c.expect(",")
        t, expected = self.typed(c)
        c.expect(",")
        new = self.typed(c)[1]
        return "cmpxchg", Type(Kind.STRUCT, elems=(t, int_type(1))), (address, expected, new), t

    def _tail(self, c: Cursor) -> Any:
        c.accept("call")
        return self._call(c)

    _musttail = _tail
    _notail = _tail

    def _call(self, c: Cursor) -> Any:
        c.skip_flags()
        while c.peek() in _CCONV:
            c.at += 1
        _skip_attrs(c)
        start = c.at
        t = c.type()
        variadic = False
        if t.kind is Kind.OTHER:  # result (parameters): the function type is spelled out for variadic callees
            variadic = "..." in c.toks[start : c.at]
            t = Cursor(_before_paren(c.toks[start : c.at]), self.named).type()
        asm = None
        callee: str | None = None
        target: Operand | None = None
        if c.accept("asm"):
            while c.peek()[:1] != '"':
                c.at += 1
            asm = c.next().strip('"')
            c.expect(",")
            c.at += 1
        elif c.peek()[0] == "@":
            callee = unquote(c.next())
        else:
            target = self.operand(c, PTR)
        args, types, byval, sret = self._call_args(c)
        if target is not None:
            args.append(target)
        return "call", t, tuple(args), Call(callee, tuple(types), tuple(byval), variadic, asm, sret)

    def _call_args(self, c: Cursor) -> tuple[list[Operand], list[Type], list[int], bool]:
        args: list[Operand] = []
        types: list[Type] = []
        byval: list[int] = []
        any_sret = False
        c.expect("(")
        while not c.accept(")"):
            t = c.type()
            size, sret = _skip_attrs(c)
            any_sret = any_sret or sret
            if t is OTHER:  # metadata arguments carry no value
                while c.peek() not in (",", ")"):
                    if c.next() == "(":
                        c.at -= 1
                        c.skip_parens()
                c.accept(",")
                continue
            args.append(self.operand(c, t))
            types.append(t)
            byval.append(size)
            c.accept(",")
        return args, types, byval, any_sret


def _before_paren(toks: list[str]) -> list[str]:
    depth = 0
    for i in range(len(toks) - 1, -1, -1):
        depth += (toks[i] == ")") - (toks[i] == "(")
        if depth == 0:
            return toks[:i]
    return toks


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
    dbg = _DBG.search(lines[start])
    fn.subprogram = int(dbg[1]) if dbg else -1
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
    body = _Body(slots, types, blocks, named)
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
