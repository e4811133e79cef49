"""A module split into named types, globals, functions and metadata; function bodies are parsed when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from butfor.frontends.c.llvm.assembly_tokens import TOKEN, Cursor, unquote
from butfor.frontends.c.llvm.function_body import parse_function, parse_header, slot_names
from butfor.ir.instructions import Const, Function, Signature
from butfor.ir.machine_types import OTHER, Type
from butfor.trace.semantics.instruction_semantics import intrinsic

_DBG = re.compile(r"!dbg !(\d+)")
_GLOBAL = re.compile(r'^(@(?:"[^"]*"|[-\w.$]+)) = (.*)$')
_LINKAGE = re.compile(r"\b(global|constant)\b")
_BLOCK_ADDRESS = re.compile(r'blockaddress\((@(?:"[^"]*"|[-\w.$]+)), (%(?:"[^"]*"|[-\w.$]+))\)')
_NAME = re.compile(r'@("[^"]*"|[-\w.$]+)\(')


@dataclass(frozen=True, slots=True)
class GlobalVar:
    """A global variable. `init` is None when it is only declared here."""

    name: str
    type: Type
    init: Const | None
    dbg: int
    constant: bool
    thread_local: bool
    line: int


@dataclass(frozen=True, slots=True)
class FunctionText:
    """Where a function's text is: `start` is the index of the `define` line, `end` of its closing brace."""

    name: str
    start: int
    end: int


class Module:
    """Normalised LLVM assembly, read lazily."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.types: dict[str, Type] = {}
        self._type_text: dict[str, str] = {}
        self._global_lines: dict[str, int] = {}
        self.functions: dict[str, FunctionText] = {}
        self.declared: dict[str, int] = {}
        self.metadata: dict[int, int] = {}
        self._parsed: dict[str, Function] = {}
        self._scan()

    @property
    def text(self) -> str:
        """The assembly that was parsed."""
        return "\n".join(self.lines)

    def _scan(self) -> None:
        lines = self.lines
        i, n = 0, len(lines)
        while i < n:
            line = lines[i]
            head = line[:1]
            if head == "!":
                key, _, _ = line.partition(" = ")
                if key == "!0":
                    self._number_metadata(i)
                    break
            elif head == "d" and line.startswith("define "):
                end = lines.index("}", i + 1)
                name = function_name(line)
                self.functions[name] = FunctionText(name, i, end)
                i = end
            elif head == "d" and line.startswith("declare "):
                self.declared[function_name(line)] = i
            elif head == "@":
                m = _GLOBAL.match(line)
                if m:
                    self._global_lines[unquote(m[1])] = i
            elif head == "%" and " = type " in line:
                name, _, body = line.partition(" = type ")
                self._type_text[name] = body
            i += 1
        for name in self._type_text:
            self._named_type(name)
        self.order = {name: k for k, name in enumerate(self.functions)}

    def _number_metadata(self, first: int) -> None:
        """Note where numbered metadata stands: LLVM prints it last, in order, each on a line."""
        count = len(self.lines) - first
        while count and not self.lines[first + count - 1]:
            count -= 1
        if self.lines[first + count - 1].startswith(f"!{count - 1} = "):
            self.metadata = dict(enumerate(range(first, first + count)))
            return
        for i in range(first, first + count):
            key, _, _ = self.lines[i].partition(" = ")
            if key[1:].isdigit():
                self.metadata[int(key[1:])] = i

    def _named_type(self, name: str) -> Type:
        done = self.types.get(name)
        if done is not None:
            return done
        self.types[name] = OTHER  # recursive types only recur through pointers, which are opaque
        toks = TOKEN.findall(self._type_text[name])
        for tok in toks:
            if tok[0] == "%" and tok not in self.types and tok in self._type_text:
                self._named_type(tok)
        self.types[name] = Cursor(toks, self.types).type()
        return self.types[name]

    @cached_property
    def globals(self) -> dict[str, GlobalVar]:
        """All global variables by name."""
        out = {}
        for name, i in self._global_lines.items():
            var = self._global(name, i)
            if var is not None:
                out[name] = var
        return out

    def _global(self, name: str, i: int) -> GlobalVar | None:
        line = self.lines[i]
        body = line.partition(" = ")[2]
        m = _LINKAGE.search(body)
        if m is None:  # an alias or ifunc
            return None
        head = body[: m.start()]
        cut = body[m.end() :]
        cursor = Cursor(TOKEN.findall(cut), self.types)
        t = cursor.type()
        external = "external" in head or "extern_weak" in head
        init = None if external or cursor.peek() in ("", ",") else cursor.constant(t)
        dbg = _DBG.search(line)
        return GlobalVar(name, t, init, int(dbg[1]) if dbg else -1, m[1] == "constant", "thread_local" in head, i)

    def function(self, name: str) -> Function:
        """The parsed function of that name."""
        fn = self._parsed.get(name)
        if fn is None:
            text = self.functions[name]
            fn = parse_function(self.lines, text.start, text.end, name, self.order[name], self.types)
            self._parsed[name] = fn
        return fn

    def signature(self, name: str) -> Signature:
        """The types of a function, without parsing its body."""
        result, params, variadic = parse_header(self.lines[self.functions[name].start], self.types)
        return Signature(tuple(t for t, _, _ in params), result, variadic)

    def subprogram(self, name: str) -> int:
        """The number of a function's debug information, or -1."""
        dbg = _DBG.search(self.lines[self.functions[name].start])
        return int(dbg[1]) if dbg else -1

    def slot_names(self, name: str) -> dict[str, int]:
        """Slots of a function by register name (with %)."""
        text = self.functions[name]
        return slot_names(self.lines, text.start, text.end, self.types)

    def function_names(self) -> tuple[str, ...]:
        """Names of the defined functions, in order."""
        return tuple(self.functions)

    def declared_names(self) -> tuple[str, ...]:
        """Names of functions that are only declared, without intrinsics."""
        return tuple(n for n in self.declared if not n.startswith("llvm."))

    def global_variables(self) -> dict[str, GlobalVar]:
        """Global variables by name."""
        return self.globals

    def labels_taken(self) -> tuple[tuple[str, str], ...]:
        """(function, label) of every label whose address is taken."""
        found = {
            (unquote(m[1]), unquote(m[2])): None
            for line in self.lines
            if "blockaddress(" in line
            for m in _BLOCK_ADDRESS.finditer(line)
        }
        return tuple(found)

    def is_pure(self, name: str, args: tuple[Type, ...], result: Type) -> bool:
        """Whether an intrinsic's result can be computed from its arguments."""
        return intrinsic(name, args, result) is not None


def function_name(line: str) -> str:
    """The name in a `define` or `declare` line."""
    m = _NAME.search(line)
    assert m is not None, line
    return m[1].strip('"')
