"""Random C expressions without undefined behaviour, over the places that are in scope.

Signed arithmetic is kept from overflowing by halving, masking or going through the unsigned type; divisors are
positive; shift counts are masked; a floating-point number becomes an integer only where it fits. A variable changes
inside an expression only when nothing else in that expression can see it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.property.cgen_types import (
    BOOL,
    FLOAT,
    FLOATS,
    INT,
    INTS,
    LLONG,
    UINT,
    ULLONG,
    Bits,
    Float,
    Int,
    Part,
    Scalar,
    Struct,
    leaves,
    promoted,
    unsigned,
    usual,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar object that an expression can name.

    `private`: nothing but this name reaches it. `punned`: its bytes are also read as another type.
    """

    parts: tuple[Part, ...]
    type: Scalar | Bits
    writable: bool = True
    addressable: bool = True
    private: bool = False
    punned: bool = False


@dataclass(frozen=True, slots=True)
class Fn:
    """A function that later code may call. A parameter `(T,)` is a pointer to T."""

    name: str
    result: Scalar | Struct | None
    params: tuple[Scalar | Struct | tuple[Scalar], ...]


@dataclass
class Shared:
    """What all parts of a program share: the functions known so far and the conversions used."""

    functions: list[Fn] = field(default_factory=list)
    conversions: dict[str, str] = field(default_factory=dict)


Typed = tuple[str, Scalar]


class Expressions:
    """Generates expressions from one source of randomness."""

    def __init__(self, rng: random.Random, shared: Shared) -> None:
        self.rng = rng
        self.shared = shared
        self.places: list[Place] = []
        self.structs: list[tuple[str, Struct]] = []  # struct-valued lvalues
        self.local_functions: list[Fn] = []
        self._seen: set[str] = set()  # private variables that the expression under way has named

    def coin(self, chance: float) -> bool:
        """True with this chance."""
        return self.rng.random() < chance

    # --- places -------------------------------------------------------------------------------------------------------

    def spell(self, parts: tuple[Part, ...], depth: int = 1) -> str:
        """The text of a place, with a masked expression for every index."""
        return "".join(p if isinstance(p, str) else f"[{self.index(p, depth)}]" for p in parts)

    def index(self, mask: int, depth: int = 1) -> str:
        """An index between 0 and the mask."""
        if self.coin(0.3):
            return str(self.rng.randint(0, mask))
        return f"({self.integer(depth - 1)[0]}) & {mask}"

    def pick(self, accept: Callable[[Place], bool]) -> Place | None:
        """A random place of those accepted."""
        found = [p for p in self.places if accept(p)]
        return self.rng.choice(found) if found else None

    def _read(self, accept: Callable[[Place], bool], depth: int) -> Typed | None:
        place = self.pick(lambda p: accept(p) and not (p.private and p.parts[0] in self._seen))
        if place is None:
            return None
        if place.private:
            self._seen.add(str(place.parts[0]))
        text = self.spell(place.parts, depth)
        if isinstance(place.type, Bits):
            return f"({place.type.type.name}){text}", place.type.type
        return text, place.type

    # --- integers -----------------------------------------------------------------------------------------------------

    def fresh(self, *named: Place) -> None:
        """Begins a full expression, in which these places are named already."""
        self._seen = {str(p.parts[0]) for p in named}

    def integer(self, depth: int) -> Typed:
        """An integer expression."""
        if depth <= 0:
            return self._integer_leaf()
        return self.rng.choice(
            (
                self._arithmetic, self._arithmetic, self._arithmetic, self._bitwise, self._shift, self._divide,
                self._compare, self._logic, self._unary, self._cast, self._ternary, self._comma, self._changing,
                self._call, self._from_float,
            )
        )(depth - 1)  # fmt: skip

    def _integer_leaf(self) -> Typed:
        if self.coin(0.8):
            found = self._read(lambda p: isinstance(p.type, Int | Bits), 0)
            if found is not None:
                return found
        return self.literal(self.rng.choice((INT, INT, UINT, LLONG, ULLONG)))

    def literal(self, t: Int) -> Typed:
        """A constant, often near a limit of some type."""
        r = self.rng
        value = r.choice(
            (r.randint(0, 9), r.randint(0, 300), 1 << r.randint(0, 62), (1 << r.randint(1, 62)) - 1, r.getrandbits(60))
        )
        value &= (1 << (t.bits - t.signed)) - 1
        suffix = {INT: "", UINT: "u", LLONG: "LL", ULLONG: "ULL"}[t]
        if t.signed and self.coin(0.5):
            return f"(-{value}{suffix})", t
        return f"{value}{suffix}", t

    def _arithmetic(self, depth: int) -> Typed:
        (a, ta), (b, tb) = self.integer(depth), self.integer(depth)
        t = usual(ta, tb)
        assert isinstance(t, Int)
        op = self.rng.choice("+-*")
        if not t.signed:
            return f"(({a}) {op} ({b}))", t
        safe = self.rng.randint(0, 2)
        if safe == 0:
            u = unsigned(t).name
            return f"({t.name})(({u})({a}) {op} ({u})({b}))", t
        if safe == 1 and op != "*":
            return f"((({a}) >> 1) {op} (({b}) >> 1))", t
        return f"((({a}) & 0x7fff) {op} ((({b}) & 0x3fff) - 0x1000))", t

    def _bitwise(self, depth: int) -> Typed:
        (a, ta), (b, tb) = self.integer(depth), self.integer(depth)
        t = usual(ta, tb)
        return f"(({a}) {self.rng.choice('&|^')} ({b}))", t

    def _shift(self, depth: int) -> Typed:
        (a, ta), (b, _) = self.integer(depth), self.integer(depth)
        assert isinstance(ta, Int)
        t = promoted(ta)
        count = f"(({b}) & {t.bits - 1})"
        if self.coin(0.5):
            return f"(({a}) >> {count})", t
        if t.signed:
            return f"((({a}) & 0xff) << (({b}) & 15))", t
        return f"(({a}) << {count})", t

    def _divide(self, depth: int) -> Typed:
        (a, ta), (b, tb) = self.integer(depth), self.integer(depth)
        t = usual(ta, tb)
        assert isinstance(t, Int)
        op = self.rng.choice("/%")
        if not t.signed:
            return f"(({a}) {op} (({b}) | 1))", t
        if self.coin(0.5):
            return f"(({a}) {op} ((({b}) & 0xff) + 1))", t
        return f"(({a}) {op} (-2 - (int)(({b}) & 0xf)))", usual(ta, INT)

    def _compare(self, depth: int) -> Typed:
        if self.coin(0.3):
            (a, _), (b, _) = self.floating(depth), self.floating(depth)
        else:
            (a, _), (b, _) = self.integer(depth), self.integer(depth)
        return f"(({a}) {self.rng.choice(('<', '<=', '>', '>=', '==', '!='))} ({b}))", INT

    def condition(self, depth: int) -> str:
        """An expression for an if or a loop."""
        r = self.rng.random()
        if r < 0.5:
            return self._compare(depth)[0]
        if r < 0.75:
            return self._logic(depth)[0]
        return self.integer(depth)[0] if r < 0.9 else f"!({self.floating(depth)[0]})"

    def _logic(self, depth: int) -> Typed:
        (a, _), (b, _) = self.integer(depth), self.integer(depth)
        return f"(({a}) {self.rng.choice(('&&', '||'))} ({b}))", INT

    def _unary(self, depth: int) -> Typed:
        a, ta = self.integer(depth)
        assert isinstance(ta, Int)
        t = promoted(ta)
        op = self.rng.choice("!~-+")
        if op == "!":
            return f"(!({a}))", INT
        if op == "-" and t.signed:
            return f"(-(({a}) >> 1))", t
        return f"({op}({a}))", t

    def _cast(self, depth: int) -> Typed:
        t = self.rng.choice(INTS)
        return f"(({t.name})({self.integer(depth)[0]}))", t

    def _ternary(self, depth: int) -> Typed:
        c = self.integer(depth)[0]
        (a, ta), (b, tb) = self.integer(depth), self.integer(depth)
        return f"(({c}) ? ({a}) : ({b}))", usual(ta, tb)

    def _comma(self, depth: int) -> Typed:
        place = self._changeable()
        a, ta = self.integer(depth)
        if place is None:
            return a, ta
        return f"({place.parts[0]} = {self.as_type(place.type, 1)}, ({a}))", ta

    def _changeable(self) -> Place | None:
        """A variable that may change here: private, unsigned or short, and not yet named in this expression."""
        place = self.pick(
            lambda p: (
                p.private
                and p.writable
                and p.parts[0] not in self._seen
                and isinstance(p.type, Int)
                and p.type in (UINT, ULLONG, *INTS[2:6])
            )
        )
        if place is not None:
            self._seen.add(str(place.parts[0]))
        return place

    def _changing(self, depth: int) -> Typed:
        place = self._changeable()
        if place is None:
            return self.integer(depth)
        name, t = place.parts[0], place.type
        assert isinstance(t, Int)
        form = self.rng.choice(("({}++)", "({}--)", "(++{})", "(--{})", "({} += {})", "({} ^= {})", "({} = {})"))
        if form.count("{}") == 1:
            return form.format(name), t
        return form.format(name, f"(unsigned char)({self.integer(depth)[0]})"), t

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, depth: int) -> Typed:
        found = [f for f in (*self.shared.functions[-8:], *self.local_functions) if isinstance(f.result, Int)]
        if not found:
            return self._integer_leaf()
        fn = self.rng.choice(found)
        text = self.call(fn, min(depth, 1))
        assert isinstance(fn.result, Int)
        return (text, fn.result) if text else self._integer_leaf()

    def call(self, fn: Fn, depth: int) -> str | None:
        """A call with arguments of the right types; None when an argument cannot be had here."""
        args = []
        for p in fn.params:
            arg = self._argument(p, depth)
            if arg is None:
                return None
            args.append(arg)
        return f"{fn.name}({', '.join(args)})"

    def _argument(self, p: Scalar | Struct | tuple[Scalar], depth: int) -> str | None:
        if isinstance(p, tuple):
            place = self.pick(lambda q: q.type == p[0] and q.addressable and q.writable and not q.private)
            return f"&{self.spell(place.parts)}" if place is not None else None
        if isinstance(p, Struct):
            found = [text for text, t in self.structs if t == p]
            return self.rng.choice(found) if found else None
        return self.as_type(p, depth)

    # --- floating point -----------------------------------------------------------------------------------------------

    def floating(self, depth: int) -> Typed:
        """A floating-point expression."""
        if depth <= 0:
            return self._float_leaf()
        return self.rng.choice(
            (
                self._float_arithmetic,
                self._float_arithmetic,
                self._float_cast,
                self._float_ternary,
                self._mixed,
                self._negate,
            )
        )(depth - 1)

    def _float_leaf(self) -> Typed:
        if self.coin(0.7):
            found = self._read(lambda p: isinstance(p.type, Float), 0)
            if found is not None:
                return found
        t = self.rng.choice(FLOATS)
        suffix = {"float": "f", "double": "", "long double": "L"}[t.name]
        number = self.rng.choice(
            ("0.0", "1.0", "0.1", "1e10", "3.4e38", "1.5e-40", "16777217.0", f"{self.rng.uniform(-1000, 1000):.6f}")
        )
        return f"({number}{suffix})", t

    def _float_arithmetic(self, depth: int) -> Typed:
        (a, ta), (b, tb) = self.floating(depth), self.floating(depth)
        return f"(({a}) {self.rng.choice('+-*/')} ({b}))", usual(ta, tb)

    def _float_cast(self, depth: int) -> Typed:
        t = self.rng.choice(FLOATS)
        source = self.floating(depth) if self.coin(0.5) else self.integer(depth)
        return f"(({t.name})({source[0]}))", t

    def _float_ternary(self, depth: int) -> Typed:
        c = self.condition(depth)
        (a, ta), (b, tb) = self.floating(depth), self.floating(depth)
        return f"(({c}) ? ({a}) : ({b}))", usual(ta, tb)

    def _mixed(self, depth: int) -> Typed:
        (a, ta), (b, tb) = self.floating(depth), self.integer(depth)
        if self.coin(0.5):
            (a, ta), (b, tb) = (b, tb), (a, ta)
        return f"(({a}) {self.rng.choice('+-*')} ({b}))", usual(ta, tb)

    def _negate(self, depth: int) -> Typed:
        a, t = self.floating(depth)
        return f"(-({a}))", t

    def _from_float(self, depth: int) -> Typed:
        a, source = self.floating(depth)
        assert isinstance(source, Float)
        target = self.rng.choice(INTS)
        if target is BOOL:
            return f"((_Bool)({a}))", BOOL
        return f"{self._conversion(source, target)}({a})", target

    def _conversion(self, source: Float, target: Int) -> str:
        """The name of a function that converts where the number fits."""
        name = f"to_{target.name}_from_{source.name}".replace(" ", "_")
        low = -(2 ** (target.bits - 2)) if target.signed else 0
        high = 2 ** (target.bits - 2) if target.signed else 2 ** (target.bits - 1)
        body = f"return x >= {low}.0 && x <= {high}.0 ? ({target.name})x : ({target.name})3;"
        self.shared.conversions[name] = f"static {target.name} {name}({source.name} x) {{ {body} }}"
        return name

    # --- by type ------------------------------------------------------------------------------------------------------

    def as_type(self, t: Scalar | Bits, depth: int) -> str:
        """An expression that can be assigned to the type."""
        if isinstance(t, Float) and self.coin(0.8):
            return self.floating(depth)[0]
        return self.integer(depth)[0]

    def assigned(self, place: Place, depth: int) -> str:
        """What is assigned to a place: never a NaN whose bits could be seen."""
        text = self.as_type(place.type, depth)
        if place.punned and isinstance(place.type, Float):
            return f"clean{'f' if place.type is FLOAT else ''}({text})"
        return text

    def add_struct(self, text: str, t: Struct, arrow: bool = False, **kinds: bool) -> None:
        """Brings the members of a struct variable, or of what a pointer points to, into scope."""
        self.structs.append((f"*{text}" if arrow else text, t))
        for path, leaf in leaves(t):
            first = str(path[0])
            parts: tuple[Part, ...] = (
                (text + first.replace(".", "->", 1), *path[1:]) if arrow else (text + first, *path[1:])
            )
            self.places.append(Place(parts, leaf, addressable=not isinstance(leaf, Bits) and not t.packed, **kinds))

    def initial(self, t: Scalar) -> str:
        """A constant to initialise a variable of the type with."""
        if isinstance(t, Float):
            return f"{self.rng.uniform(-100, 100):.3f}"
        r = self.rng
        low, high = (-(1 << t.bits - 1), (1 << t.bits - 1) - 1) if t.signed else (0, (1 << t.bits) - 1)
        value = r.choice(
            (
                low,
                high,
                low + 1,
                r.randint(low, high),
                r.randint(low, high),
                -r.randint(1, 100) if t.signed else r.randint(0, 100),
            )
        )
        return f"({t.name}){value % (1 << 64):#x}ULL"
