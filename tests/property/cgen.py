"""Random C programs whose behaviour is fully defined by the language and the x86-64 ABI.

A program is a list of units. A unit is made from a kind (which part of C it exercises), a size and a seed. It stands
alone, except that it may call functions of the units before it; so a failing program shrinks to the unit that fails.
Every unit ends by adding all its variables to a checksum, which the program prints.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.property.cgen_expr import Fn, Place, Shared
from tests.property.cgen_stmt import Statements
from tests.property.cgen_types import (
    CHAR,
    FLOATS,
    INT,
    INTS,
    UINT,
    Array,
    Float,
    Int,
    Scalar,
    Struct,
    declare,
    leaves,
    random_struct,
    spelled,
)

FUEL = 150  # loop rounds and calls of one unit
PRELUDE = """\
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int fuel;
static unsigned long long sum = 14695981039346656037ULL;
static void mix(unsigned long long v) { sum = (sum ^ v) * 1099511628211ULL; sum ^= sum >> 29; }
static void mixd(double d) { unsigned long long u = 0; if (d == d) memcpy(&u, &d, sizeof u); mix(u); }
static double clean(double d) { return d == d ? d : 0.5; }
static float cleanf(float f) { return f == f ? f : 0.25f; }
"""


@dataclass(frozen=True, slots=True)
class UnitSpec:
    """What a unit is made from."""

    kind: str
    size: int
    seed: int


@dataclass
class Unit(Statements):
    """The text of one unit while it is made."""

    number: int
    rng: random.Random
    shared: Shared
    top: list[str] = field(default_factory=list)  # types, globals, functions
    decls: list[str] = field(default_factory=list)  # of the driver's locals
    specials: list[Callable[[], str]] = field(default_factory=list)
    last: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.rng, self.shared, f"u{self.number}_")

    # --- building blocks ----------------------------------------------------------------------------------------------

    def scalar(self) -> Scalar:
        """A random scalar type, mostly an integer."""
        return self.rng.choice((*INTS, *INTS, *FLOATS))

    def variable(self, t: Scalar | Struct | Array) -> None:
        """Declares a variable, global or local, all zero; its members come into scope."""
        name = self.name("g")
        where = self.top if self.coin(0.4) else self.decls
        prefix = "static " if where is self.top or self.coin(0.1) else ""
        where.append(f"{prefix}{declare(t, name)} = {{0}};")
        if isinstance(t, Struct):
            self.add_struct(name, t)
        elif isinstance(t, Array) and isinstance(t.elem, Struct):
            index: tuple[str | int, ...] = (name, *(n - 1 for n in t.lengths))
            for path, leaf in leaves(t.elem):
                self.places.append(
                    Place((*index, *path), leaf, addressable=isinstance(leaf, Int | Float) and not t.elem.packed)
                )
        elif isinstance(t, Array):
            assert not isinstance(t.elem, Struct)
            self.places.append(Place((name, *(n - 1 for n in t.lengths)), t.elem))
        else:
            self.places.append(Place((name,), t))

    def function(self, result: Scalar | Struct, params: list[Scalar | Struct], size: int, export: bool = True) -> Fn:
        """A function of its own scope: it sees its parameters, the globals of the unit and the functions before it."""
        name = self.name("f")
        saved = self.places, self.structs
        self.places = [p for p in self.places if not p.private and self._is_global(str(p.parts[0]))]
        self.structs = [(text, t) for text, t in self.structs if self._is_global(text)]
        names = [self.name("a") for _ in params]
        for n, t in zip(names, params, strict=True):
            if isinstance(t, Struct):
                self.add_struct(n, t)
            else:
                self.places.append(Place((n,), t))
        lines = [self._no_fuel(result), self.local(INT, private=True), self.local(self.scalar())]
        lines += [self.statement() for _ in range(size)]
        self.fresh()
        if isinstance(result, Struct):
            found = [text for text, t in self.structs if t == result]
            lines.append(f"return {self.rng.choice(found)};" if found else f"{{ {result.tag} r = {{0}}; return r; }}")
        else:
            lines.append(f"return {self.as_type(result, 2)};")
        self.places, self.structs = saved
        signature = ", ".join(f"{spelled(t)} {n}" for n, t in zip(names, params, strict=True)) or "void"
        self.top.append(f"static {spelled(result)} {name}({signature}) {{\n" + "\n".join(lines) + "\n}")
        fn = Fn(name, result, tuple(params))
        if export and not any(isinstance(t, Struct) for t in (result, *params)):
            self.shared.functions.append(fn)
        else:
            self.local_functions.append(fn)
        return fn

    def _is_global(self, text: str) -> bool:
        """Whether the variable that the text of a place begins with is declared outside functions."""
        name = re.match(r"\w+", text)
        return name is not None and any(re.match(rf"static [\w ]* {name[0]}\b[^(]*=", line) for line in self.top)

    def _no_fuel(self, result: Scalar | Struct) -> str:
        if isinstance(result, Struct):
            return f"if (fuel-- <= 0) {{ {result.tag} r = {{0}}; return r; }}"
        return f"if (fuel-- <= 0) return {self.initial(result)};"

    def struct(self, **knobs: bool) -> Struct:
        """A new struct type."""
        t = random_struct(
            self.rng, self.name("S"), [t for _, t in self.structs if t.keyword == "struct" and not t.packed], **knobs
        )
        self.top.append(t.text())
        return t

    # --- the whole ----------------------------------------------------------------------------------------------------

    def text(self, size: int) -> str:
        """The unit's definitions; its driver is `unit_N`."""
        for _ in range(3):
            self.decls.append(self.local(self.scalar()))
        for t in (UINT, self.rng.choice(INTS), CHAR):
            self.decls.append(self.local(t, private=True))
        first = self.fill(8)
        todo: list[Callable[[], str]] = [*self.specials, *(self.statement for _ in range(size))]
        self.rng.shuffle(todo)
        body = []
        for make in todo:
            self.fresh()
            body.append(make())
        lines = [*self.decls, *first, *body, self.mix_all(), *self.last]
        return "\n".join((*self.top, f"static void unit_{self.number}(void) {{", *lines, "}"))


def program(specs: list[UnitSpec]) -> str:
    """The text of the program of these units."""
    from tests.property.cgen_kinds import KINDS  # which needs Unit

    shared = Shared()
    units, calls = [], []
    for k, spec in enumerate(specs):
        unit = Unit(k, random.Random(spec.seed), shared)
        KINDS[spec.kind](unit)
        units.append(f"/* {spec} */\n{unit.text(spec.size)}")
        calls.append(f'  fuel = {FUEL};\n  unit_{k}();\n  printf("{k} {spec.kind} %016llx\\n", sum);')
    main = "int main(void) {\n" + "\n".join(calls) + "\n  return (int)(sum & 63);\n}\n"
    return "\n".join((PRELUDE, *shared.conversions.values(), *units, main))
