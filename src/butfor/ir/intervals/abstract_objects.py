"""The abstract objects of a program, numbered: local variables by context, globals, blocks by the call that allocates them, functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Const
from butfor.ir.intervals.abstract_state import ZEROS, Content, Place, Rest
from butfor.ir.intervals.abstract_values import NULL, Value, generalised, joined, to_object
from butfor.ir.intervals.linear_terms import constant
from butfor.ir.intervals.symbol_facts import Numbers
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size, struct_layout
from butfor.ir.program import Program

_MOST_CELLS = 64  # of a global variable's initial value
Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Info:
    """An object: its key, and whether unknown pointers cannot point to it."""

    key: Key
    is_private: bool
    function: str | None = None


class Objects:
    """Objects by number."""

    def __init__(self, program: Program) -> None:
        self.infos: list[Info] = []
        self._numbers: dict[Key, int] = {}
        self.program = program
        self.globals = program.source.global_variables()
        self.names = frozenset(program.names)
        self.constants: dict[int, Content] = {}
        for name, g in self.globals.items():
            if g.init is not None and g.constant and not g.thread_local:
                self.constants[self.of_global(name)] = Content({}, None, constant(alloc_size(g.type)))
        for o in self.constants:  # now all of them have numbers, so that they can point to each other
            self.constants[o] = self.initial(str(self.infos[o].key[1]))

    def number(self, key: Key, is_private: bool = False, function: str | None = None) -> int:
        """The number of the object with that key."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.infos)
            self.infos.append(Info(key, is_private, function))
        return found

    def of_global(self, name: str) -> int:
        """The number of a global variable or function."""
        return self.number(("global", name), False, name if name not in self.globals else None)

    def is_foreign(self, obj: int) -> bool:
        """Whether it is a function or variable that is only declared in the program."""
        key = self.infos[obj].key
        if key[0] != "global" or key[1] in self.names:
            return False
        g = self.globals.get(str(key[1]))
        return g is None or g.init is None

    def mutable(self) -> Iterator[tuple[int, str]]:
        """The global variables of the program that may be written."""
        for name, g in self.globals.items():
            o = self.of_global(name)
            if g.init is not None and o not in self.constants and not g.thread_local and not name.startswith("llvm."):
                yield o, name

    def unknown(self, name: str) -> Content:
        """A global of which only the size is known."""
        return Content({}, None, constant(alloc_size(self.globals[name].type)))

    def initial(self, name: str) -> Content:
        """A global as it is when the program starts."""
        g = self.globals[name]
        assert g.init is not None
        found: dict[Place, Value] = {}
        has_zeros = self._leaves(g.init, g.type, 0, found)
        size = constant(alloc_size(g.type))
        if not has_zeros:
            return Content({p: v for p, v in found.items() if v is not None}, None, size)
        if len(found) <= _MOST_CELLS:
            return Content(found, ZEROS, size)
        sizes = {k for _, k in found}
        if len(sizes) > 1 or any(o % k for o, k in found):
            return Content({}, None, size)
        rest = generalised(constant(0), _NONE)
        for v in found.values():
            rest = joined(rest, generalised(v, _NONE))
        return Content({}, None if rest is None else Rest(sizes.pop(), rest), size)

    def _leaves(self, c: Const, t: Type, at: int, found: dict[Place, Value]) -> bool:
        """Puts what is not zero into cells; False when something was not understood."""
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
                found[at, 8] = to_object(self.of_global(c.value))
            elif c.kind in ("float", "expr"):
                found[at, store_size(t)] = None
            else:
                known = False
        return known


_NONE = Numbers()


def signed_constant(value: int, bits: int) -> Value:
    """The term of a constant of that many bits; truth values are 0 and 1."""
    if bits == 1:
        return constant(value & 1)
    half = 1 << (bits - 1)
    return constant((value + half) % (2 * half) - half)
