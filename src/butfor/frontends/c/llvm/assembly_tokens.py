"""Tokens of LLVM assembly, and a cursor that reads types and constants from them."""

from __future__ import annotations

import re
import struct

from butfor.errors import UnsupportedError
from butfor.ir.instructions import Const
from butfor.ir.machine_types import OTHER, PTR, VOID, Kind, Type, float_type, int_type

TOKEN = re.compile(
    r'[%@](?:"[^"]*"|[-\w.$]+)|c"[^"]*"|"[^"]*"|\.\.\.|!(?:"[^"]*"|[-\w.]*)|#\d+'
    r"|[fn]?0x[KHLMR]?[0-9A-Fa-f]+|-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+|[-+\w.$]+|[()\[\]{}<>,=*:|]"
)

_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}
CASTS = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)
_FLAGS = frozenset(
    "nsw nuw exact disjoint nneg inbounds nusw samesign fast nnan ninf nsz arcp contract afn reassoc volatile atomic "
    "tail musttail notail dso_local dso_preemptable".split()
)
BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|\\)")


def unquote(name: str) -> str:
    """The plain name of a local or global token such as `%x` or `@"a b"`."""
    return name[2:-1] if name[1] == '"' else name[1:]


def c_string(token: str) -> bytes:
    """The bytes of a `c"..."` token."""
    return unescaped(token[2:-1])


def unescaped(text: str) -> bytes:
    """The bytes of a text of the assembly, which writes some as `\\0A` and a backslash as two."""
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), raw)


def _float_bits(token: str, t: Type) -> int:
    if token.startswith(("0x", "f0x")):
        digits = token.split("0x")[1]
        if digits[0] in "KHLMR":
            value = int(digits[1:], 16)
            if digits[0] == "L":  # fp128: the low half is printed first
                value = (value & (2**64 - 1)) << 64 | value >> 64
            return value
        value = int(digits, 16)
        if t.bits == 32 and not token.startswith("f"):  # floats are printed as the double of the same value
            (number,) = struct.unpack("<d", value.to_bytes(8, "little"))
            if number != number:  # keep the payload of a NaN
                return (value >> 63) << 31 | 0x7F800000 | (value >> 29) & 0x7FFFFF
            return int.from_bytes(struct.pack("<f", number), "little")
        return value
    number = float(token)
    return int.from_bytes(struct.pack({16: "<e", 32: "<f"}.get(t.bits, "<d"), number), "little")


class Cursor:
    """A position in a list of tokens."""

    __slots__ = ("at", "named", "toks")

    def __init__(self, toks: list[str], named: dict[str, Type]) -> None:
        self.toks = toks
        self.at = 0
        self.named = named

    def peek(self) -> str:
        """The next token, empty at the end."""
        return self.toks[self.at] if self.at < len(self.toks) else ""

    def next(self) -> str:
        """The next token, which is consumed."""
        tok = self.toks[self.at]
        self.at += 1
        return tok

    def accept(self, tok: str) -> bool:
        """Whether the next token is this one; it is consumed if so."""
        if self.at < len(self.toks) and self.toks[self.at] == tok:
            self.at += 1
            return True
        return False

    def expect(self, tok: str) -> None:
        """Consumes this token."""
        if not self.accept(tok):
            raise UnsupportedError(
                f"LLVM assembly: expected {tok!r} at {' '.join(self.toks[max(0, self.at - 8) : self.at + 4])!r}"
            )

    def skip_flags(self) -> set[str]:
        """Passes over instruction flags; which they were."""
        found = set()
        while self.peek() in _FLAGS or self.peek() == "inrange":
            found.add(self.next())
            if "inrange" in found and self.peek() == "(":
                self.skip_parens()
        return found

    def skip_parens(self) -> None:
        """Passes over one balanced group in parentheses."""
        depth = 0
        while True:
            tok = self.next()
            depth += (tok == "(") - (tok == ")")
            if depth == 0:
                return

    def type(self) -> Type:
        """The type that starts here."""
        tok = self.next()
        t = self._plain_type(tok)
        while True:
            nxt = self.peek()
            if nxt == "*":
                self.at += 1
                t = PTR
            elif nxt == "addrspace":
                self.at += 1
                self.skip_parens()
            elif nxt == "(":  # a function type, as written in calls of variadic functions
                self.skip_parens()
                t = OTHER
            else:
                return t

    def _plain_type(self, tok: str) -> Type:
        if tok[0] == "i" and tok[1:].isdigit():
            return int_type(int(tok[1:]))
        if tok == "ptr":
            return PTR
        if tok in _FLOATS:
            return float_type(_FLOATS[tok])
        if tok == "void":
            return VOID
        if tok[0] == "%":
            return self.named.get(tok, OTHER)
        if tok == "[":
            count = int(self.next())
            self.expect("x")
            elem = self.type()
            self.expect("]")
            return Type(Kind.ARRAY, elems=(elem,), count=count)
        if tok == "{":
            return Type(Kind.STRUCT, elems=self._fields("}"))
        if tok == "<":
            if self.accept("{"):
                fields = self._fields("}")
                self.expect(">")
                return Type(Kind.STRUCT, elems=fields, packed=True)
            count = int(self.next())
            self.expect("x")
            elem = self.type()
            self.expect(">")
            return Type(Kind.VECTOR, elems=(elem,), count=count)
        if tok in ("label", "metadata", "token", "opaque", "x86_amx"):
            return OTHER
        raise UnsupportedError(f"LLVM assembly: unknown type {tok!r}")

    def _fields(self, close: str) -> tuple[Type, ...]:
        out = []
        while not self.accept(close):
            out.append(self.type())
            self.accept(",")
        return tuple(out)

    def constant(self, t: Type) -> Const:
        """The constant of type `t` that starts here."""
        tok = self.next()
        if t.kind is Kind.INT:
            if tok in ("true", "false"):
                return Const("int", t, int(tok == "true"))
            if tok[0].isdigit() or tok[0] == "-":
                return Const("int", t, int(tok) & ((1 << t.bits) - 1))
        if t.kind is Kind.FLOAT and (tok[0].isdigit() or tok[0] in "-f"):
            return Const("float", t, _float_bits(tok, t))
        if tok == "null":
            return Const("null", t)
        if tok in ("zeroinitializer", "none"):
            return Const("zero", t)
        if tok in ("undef", "poison"):
            return Const("undef", t)
        if tok[0] == "@":
            return Const("global", t, unquote(tok))
        if tok.startswith('c"'):
            return Const("bytes", t, c_string(tok))
        if tok in "{[<":
            if tok == "<" and self.accept("{"):
                tok = "{"
            return self._aggregate(tok, t)
        if tok == "splat":
            self.expect("(")
            elem = self.constant(self.type())
            self.expect(")")
            return Const("agg", t, (elem,) * t.count)
        if tok in ("dso_local_equivalent", "no_cfi"):
            return self.constant(t)
        if tok == "blockaddress":
            self.expect("(")
            fn = unquote(self.next())
            self.expect(",")
            label = unquote(self.next())
            self.expect(")")
            return Const("block", t, (fn, label))
        return self._expression(tok, t)

    def _aggregate(self, open_: str, t: Type) -> Const:
        close = {"{": "}", "[": "]", "<": ">"}[open_]
        elems = []
        while not self.accept(close):
            elems.append(self.constant(self.type()))
            self.accept(",")
        if open_ == "{" and t.packed:
            self.accept(">")
        return Const("agg", t, tuple(elems))

    def _expression(self, op: str, t: Type) -> Const:
        self.skip_flags()
        if op == "getelementptr":
            self.expect("(")
            source = self.type()
            self.expect(",")
            args = self._typed_constants()
            return Const("expr", t, ("gep", (source, tuple(a.type for a in args[1:])), args))
        if op in CASTS:
            self.expect("(")
            arg = self.constant(self.type())
            self.expect("to")
            self.type()
            self.expect(")")
            return Const("expr", t, ("ptrtoint" if op == "ptrtoaddr" else op, arg.type, (arg,)))
        if op in BINARY:
            self.expect("(")
            return Const("expr", t, (op, None, self._typed_constants()))
        raise UnsupportedError(f"LLVM assembly: unknown constant {op!r}")

    def _typed_constants(self) -> tuple[Const, ...]:
        out = []
        while not self.accept(")"):
            self.skip_flags()
            out.append(self.constant(self.type()))
            self.accept(",")
        return tuple(out)
