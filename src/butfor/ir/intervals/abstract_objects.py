"""The abstract objects of a program: locals per call context, globals, functions, allocation sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Const
from butfor.ir.intervals.abstract_state import ZEROS, Content, Place, Rest
from butfor.ir.intervals.abstract_values import NULL, Value, joined, summarised, to_object
from butfor.ir.intervals.linear_terms import Linear, constant
from butfor.ir.intervals.symbol_facts import SymbolFacts
from butfor.ir.machine_types import Kind, Type, alloc_size, signed_value, store_size, struct_layout
from butfor.ir.program import Program

MAX_INITIAL_CELLS = 64  # of one global; a larger table is summarised by a single value
ObjectKey = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class AbstractObject:
    """An object: what identifies it, whether no unknown pointer can point to it, and the function that it is."""

    key: ObjectKey
    is_private: bool
    function: str | None = None


class ObjectTable:
    """The objects of one analysis, numbered in order of appearance."""

    def __init__(self, program: Program) -> None:
        self.by_number: list[AbstractObject] = []
        self._numbers: dict[ObjectKey, int] = {}
        self.program = program
        self.globals = program.source.global_variables()
        self.names = frozenset(program.names)
        self.constants: dict[int, Content] = {}
        for name, g in self.globals.items():
            if g.init is not None and g.constant and not g.thread_local:
                self.constants[self.number_of_global(name)] = Content({}, None, constant(alloc_size(g.type)))
        for o in self.constants:  # all of them have numbers by now, so that they can point to each other
            self.constants[o] = self.initial_content(str(self.by_number[o].key[1]))

    def number(self, key: ObjectKey, is_private: bool = False, function: str | None = None) -> int:
        """The number of the object with that key, a new one if the key is new."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.by_number)
            self.by_number.append(AbstractObject(key, is_private, function))
        return found

    def number_of_global(self, name: str) -> int:
        """The number of a global variable or function."""
        return self.number(("global", name), False, name if name not in self.globals else None)

    def is_foreign(self, obj: int) -> bool:
        """Whether the object is a function or variable that the program only declares."""
        key = self.by_number[obj].key
        if key[0] != "global" or key[1] in self.names:
            return False
        g = self.globals.get(str(key[1]))
        return g is None or g.init is None

    def mutable_globals(self) -> Iterator[tuple[int, str]]:
        """The global variables of the program that may be written: object and name."""
        for name, g in self.globals.items():
            o = self.number_of_global(name)
            if g.init is not None and o not in self.constants and not g.thread_local and not name.startswith("llvm."):
                yield o, name

    def unknown_content(self, name: str) -> Content:
        """The contents of a global of which only the size is known."""
        return Content({}, None, constant(alloc_size(self.globals[name].type)))

    def initial_content(self, name: str) -> Content:
        """The contents of a global at program start."""
        g = self.globals[name]
        assert g.init is not None
        found: dict[Place, Value] = {}
        has_zeros = self._collect_leaves(g.init, g.type, 0, found)
        size = constant(alloc_size(g.type))
        if not has_zeros:
            return Content({p: v for p, v in found.items() if v is not None}, None, size)
        if len(found) <= MAX_INITIAL_CELLS:
            return Content(found, ZEROS, size)
        sizes = {k for _, k in found}
        if len(sizes) > 1 or any(o % k for o, k in found):
            return Content({}, None, size)
        no_facts = SymbolFacts()  # initial values have no symbols
        rest = summarised(constant(0), no_facts)
        for v in found.values():
            rest = joined(rest, summarised(v, no_facts))
        return Content({}, None if rest is None else Rest(sizes.pop(), rest), size)

    def _collect_leaves(self, c: Const, t: Type, at: int, found: dict[Place, Value]) -> bool:
        """Add the nonzero scalars of a constant to `found`; False if a part of it was not understood."""
        work = [(c, t, at)]
        known = True
        while work:
            c, t, at = work.pop()
            if c.kind in ("zero", "undef"):
                continue
            if c.kind == "agg" and t.kind is Kind.ARRAY:
                work += [(e, t.elem, at + i * alloc_size(t.elem)) for i, e in enumerate(c.value)]
            elif c.kind == "agg" and t.kind is Kind.STRUCT:
                work += [(e, u, at + o) for e, u, o in zip(c.value, t.elems, struct_layout(t)[0], strict=True)]
            elif c.kind == "bytes":
                found.update({(at + i, 1): constant(b - 256 if b > 127 else b) for i, b in enumerate(c.value)})
            elif c.kind == "int":
                found[at, store_size(t)] = signed_constant(c.value, t.bits) if t.bits % 8 == 0 else None
            elif c.kind == "null":
                found[at, store_size(t)] = NULL
            elif c.kind == "global":
                found[at, 8] = to_object(self.number_of_global(c.value))
            elif c.kind in ("float", "expr"):
                found[at, store_size(t)] = None
            else:
                known = False
        return known


def signed_constant(value: int, bits: int) -> Linear:
    """The term of an integer constant, read as signed; truth values are 0 and 1."""
    return constant(value & 1 if bits == 1 else signed_value(value, bits))
