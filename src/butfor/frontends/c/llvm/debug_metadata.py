"""Debug information: source positions, variables, C types."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.frontends.c.llvm.assembly_tokens import unescaped
from butfor.frontends.c.llvm.module_text import Module
from butfor.ir.debug_types import CType, Field, Location, Variable

_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|(!\d+|!DIExpression\([^)]*\)|[-\w| ]+|\S+?))(?=, \w+:|\)$)')
_DECLARE = re.compile(r"#dbg_declare\(ptr (%\"[^\"]*\"|%[-\w.$]+), !(\d+),")
_ENCODINGS = {
    "DW_ATE_float": "float",
    "DW_ATE_boolean": "bool",
    "DW_ATE_unsigned": "unsigned",
    "DW_ATE_unsigned_char": "uchar",
    "DW_ATE_signed_char": "char",
}
_TUPLE = re.compile(r"!(\d+)")


@dataclass(frozen=True, slots=True)
class _Node:
    kind: str
    fields: dict[str, str]


class DebugInfo:
    """Debug information of one module, read on demand."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._nodes: dict[int, _Node] = {}
        self._locations: dict[int, Location | None] = {}
        self._types: dict[int, CType] = {}
        self._files: dict[int, str] = {}
        self._enclosing: dict[int, frozenset[int]] = {}

    def _text(self, n: int) -> str:
        i = self.module.metadata.get(n)
        return "" if i is None else self.module.lines[i].partition(" = ")[2]

    def _node(self, n: int) -> _Node:
        node = self._nodes.get(n)
        if node is None:
            text = self._text(n).removeprefix("distinct ")
            kind, _, body = text.partition("(")
            fields = {}
            for m in _FIELD.finditer(body):
                fields[m[1]] = _unescape(m[2]) if m[2] is not None else m[3]
            node = _Node(kind.removeprefix("!"), fields)
            self._nodes[n] = node
        return node

    def _ref(self, value: str | None) -> int:
        return int(value[1:]) if value and value[0] == "!" and value[1:].isdigit() else -1

    def _members(self, value: str | None) -> list[int]:
        n = self._ref(value)
        return [int(x) for x in _TUPLE.findall(self._text(n))] if n >= 0 else []

    def location(self, n: int) -> Location | None:
        """The source position of a `!dbg` node."""
        if n in self._locations:
            return self._locations[n]
        found: Location | None = None
        if n >= 0:
            node = self._node(n)
            line = int(node.fields.get("line", "0"))
            if node.kind == "DILocation" and line > 0:
                found = Location(
                    self._file_of_scope(self._ref(node.fields.get("scope"))), line, int(node.fields.get("column", "0"))
                )
        self._locations[n] = found
        return found

    def scope(self, n: int) -> int:
        """The scope node of a `!dbg` node, -1 when there is none."""
        return self._ref(self._node(n).fields.get("scope")) if n >= 0 else -1

    def _file_of_scope(self, n: int) -> str:
        while n >= 0:
            node = self._node(n)
            f = self._ref(node.fields.get("file"))
            if f >= 0:
                return self.file(f)
            if node.kind == "DIFile":
                return self.file(n)
            n = self._ref(node.fields.get("scope"))
        return ""

    def file(self, n: int) -> str:
        """The path of a DIFile node, as the compiler was given it, made absolute with the directory of compilation."""
        found = self._files.get(n)
        if found is None:
            node = self._node(n)
            name, folder = node.fields.get("filename", ""), node.fields.get("directory", "")
            found = name if name.startswith("/") or not folder else f"{folder}/{name}"
            self._files[n] = found
        return found

    def subprogram(self, n: int) -> Location | None:
        """Where a function is defined."""
        return self.declared_at(n) if n >= 0 else None

    def declared_at(self, n: int) -> Location:
        """Where a variable, function or member was declared; the column is not known."""
        return Location(self._file_of_scope(n), int(self._node(n).fields.get("line", "0")), 0)

    def variables(self, name: str) -> dict[str, Variable]:
        """The local variables of a function by the register (with %) that holds their address."""
        text = self.module.functions[name]
        out = {}
        for i in range(text.start, text.end):
            line = self.module.lines[i]
            if line.startswith("    #dbg_declare("):
                m = _DECLARE.match(line.strip())
                if m:
                    out[m[1]] = self._variable(int(m[2]))
        return out

    def variable_blocks(self, name: str) -> dict[str, int]:
        """The blocks of source that local variables are declared in, by register; those of the whole function not."""
        text = self.module.functions[name]
        out = {}
        for i in range(text.start, text.end):
            m = _DECLARE.match(self.module.lines[i].strip()) if "#dbg_declare(" in self.module.lines[i] else None
            scope = self._ref(self._node(int(m[2])).fields.get("scope")) if m is not None else -1
            while scope >= 0 and self._node(scope).kind == "DILexicalBlockFile":
                scope = self._ref(self._node(scope).fields.get("scope"))
            if m is not None and scope >= 0 and self._node(scope).kind == "DILexicalBlock":
                out[m[1]] = scope
        return out

    def enclosing_blocks(self, n: int) -> frozenset[int] | None:
        """The blocks of source around a `!dbg` node, also those around a call that was inlined; None: not known."""
        found = self._enclosing.get(n)
        if found is None and n >= 0 and self._node(n).kind == "DILocation":
            around, fields = set(), self._node(n).fields
            scope = self._ref(fields.get("scope"))
            while scope >= 0:
                around.add(scope)
                scope = self._ref(self._node(scope).fields.get("scope"))
            found = frozenset(around) | (self.enclosing_blocks(self._ref(fields.get("inlinedAt"))) or frozenset())
            self._enclosing[n] = found
        return found

    def innermost_block(self, scopes: frozenset[int]) -> int | None:
        """The innermost of nested scopes, if it is a block inside of a function."""
        outer = {self._ref(self._node(n).fields.get("scope")) for n in scopes}
        inner = [n for n in scopes if n not in outer]
        return inner[0] if len(inner) == 1 and self._node(inner[0]).kind == "DILexicalBlock" else None

    def _variable(self, n: int) -> Variable:
        node = self._node(n)
        return Variable(
            node.fields.get("name", ""),
            self._file_of_scope(n),
            int(node.fields.get("line", "0")),
            self.ctype(self._ref(node.fields.get("type"))),
            "arg" in node.fields,
        )

    @cached_property
    def globals(self) -> dict[str, Variable]:
        """Global variables by their name in the module."""
        out = {}
        for name, g in self.module.globals.items():
            if g.dbg >= 0:
                n = self._ref(self._node(g.dbg).fields.get("var"))
                if n >= 0:
                    v = self._variable(n)
                    if v.name:
                        out[name] = v
        return out

    def ctype(self, n: int) -> CType:
        """The C type of a type node."""
        if n < 0:
            return CType("void", "void", 0)
        known = self._types.get(n)
        if known is not None:
            return known
        self._types[n] = CType("struct", "...", 0)  # stands in while a recursive type is being read
        self._types[n] = self._read_type(n)
        return self._types[n]

    def _read_type(self, n: int) -> CType:
        node = self._node(n)
        f = node.fields
        size = int(f.get("size", "0")) // 8
        name = f.get("name", "")
        tag = f.get("tag", "")
        match node.kind, tag:
            case "DIBasicType", _:
                return CType(_ENCODINGS.get(f.get("encoding", ""), "signed"), name, size)
            case "DIDerivedType", "DW_TAG_pointer_type":
                return CType("pointer", "", 8, target=self._ref(f.get("baseType")), owner=self)
            case "DIDerivedType", _:
                base = self.ctype(self._ref(f.get("baseType")))
                return replace(base, name=name or base.name)
            case "DICompositeType", "DW_TAG_array_type":
                return self._array(f, size)
            case "DICompositeType", "DW_TAG_enumeration_type":
                names = tuple(
                    (int(self._node(e).fields.get("value", "0")), self._node(e).fields.get("name", ""))
                    for e in self._members(f.get("elements"))
                )
                return CType("enum", name, size, names=names)
            case "DICompositeType", _:
                kind = "union" if tag == "DW_TAG_union_type" else "struct"
                fields = tuple(self._field(e) for e in self._members(f.get("elements")))
                return CType(kind, f"{kind} {name}" if name else "", size, fields)  # a typedef has no tag before it
            case _:
                return CType("function" if node.kind == "DISubroutineType" else "void", name, size)

    def _field(self, n: int) -> Field:
        f = self._node(n).fields
        bits = int(f.get("offset", "0"))
        is_bits = "DIFlagBitField" in f.get("flags", "")
        return Field(f.get("name", ""), bits, int(f.get("size", "0")), is_bits, self._ref(f.get("baseType")), self, n)

    def _array(self, f: dict[str, str], size: int) -> CType:
        elem = self.ctype(self._ref(f.get("baseType")))
        for e in reversed(self._members(f.get("elements"))):
            text = self._node(e).fields.get("count", "-1")
            count = int(text) if text.lstrip("-").isdigit() else 0
            elem = CType("array", "", max(count, 0) * elem.size, count=max(count, 0), element=elem)
        return elem


def _unescape(text: str) -> str:
    return unescaped(text).decode("utf-8", "surrogateescape")
