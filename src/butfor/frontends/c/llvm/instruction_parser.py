"""Parsing of single instructions."""

from __future__ import annotations

from typing import Any

from butfor.errors import UnsupportedError
from butfor.frontends.c.llvm.assembly_tokens import BINARY, CASTS, Cursor, unquote
from butfor.ir.instructions import Call, Const, Operand
from butfor.ir.machine_types import OTHER, PTR, VOID, Kind, Type, alloc_size, int_type

_PARAM_ATTRS = frozenset(
    "zeroext signext noext inreg noalias nocapture nofree nest returned nonnull immarg noundef swiftself swifterror "
    "swiftasync readonly readnone writeonly writable dead_on_unwind dead_on_return allocalign allocptr noreturn "
    "nounwind fast nnan ninf nsz arcp contract afn reassoc".split()
)
_PAREN_ATTRS = frozenset(
    "byval sret inalloca preallocated byref elementtype dereferenceable dereferenceable_or_null captures range "
    "initializes nofpclass".split()
)
_CCONV = frozenset(
    "ccc fastcc coldcc tailcc swiftcc win64cc x86_64_sysvcc preserve_mostcc preserve_allcc x86_stdcallcc "
    "x86_fastcallcc".split()
)


def skip_attributes(cursor: Cursor) -> tuple[int, bool]:
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


class InstructionParser:
    """Parses the instructions of one function: `slots` and `blocks` by name."""

    def __init__(
        self, slots: dict[str, int], types: list[Type], blocks: dict[str, int], named: dict[str, Type]
    ) -> None:
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
        if op in BINARY:
            flags = c.skip_flags()
            t, a = self.typed(c)
            c.expect(",")
            return op, t, (a, self.operand(c, t)), "nsw" if "nsw" in flags else None
        if op in CASTS:
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
        skip_attributes(c)
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
            size, sret = skip_attributes(c)
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
