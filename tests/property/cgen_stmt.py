"""Random C statements: assignments, branches, loops that end, switches, forward jumps."""

from __future__ import annotations

import random

from tests.property.cgen_expr import Expressions, Place, Shared
from tests.property.cgen_types import BOOL, FLOATS, INT, INTS, UINT, ULLONG, Bits, Float, Int, Scalar, promoted

MAX_NESTING = 3


class Statements(Expressions):
    """Generates statements.

    Loops and functions use up `fuel`, a global counter of the program, so that every program ends soon.
    """

    def __init__(self, rng: random.Random, shared: Shared, prefix: str) -> None:
        super().__init__(rng, shared)
        self.prefix = prefix  # of the names made here
        self.depth = 2  # of expressions
        self._names = 0
        self._nesting = 0
        self._in_loop = 0

    def name(self, kind: str) -> str:
        """A new name."""
        self._names += 1
        return f"{self.prefix}{kind}{self._names}"

    def local(self, t: Scalar, private: bool = False) -> str:
        """The declaration of a new local variable, which is in scope from now on."""
        name = self.name("p" if private else "v")
        self.places.append(Place((name,), t, private=private, addressable=not private))
        return f"{t.name} {name} = {self.initial(t)};"

    def block(self, count: int) -> str:
        """Some statements in braces; what they declare goes out of scope."""
        places, structs = len(self.places), len(self.structs)
        self._nesting += 1
        lines = []
        if self.coin(0.3):
            lines.append(self.local(self.rng.choice((*INTS, *FLOATS)), self.coin(0.5)))
        lines += [self.statement() for _ in range(count)]
        self._nesting -= 1
        del self.places[places:], self.structs[structs:]
        return "{ " + "\n".join(lines) + " }"

    def statement(self) -> str:
        """One statement."""
        simple = (
            self._assign,
            self._assign,
            self._assign,
            self._compound,
            self._compound,
            self._step,
            self._mix,
            self._through,
            self._called,
        )
        nested = (self._if, self._if, self._for, self._while, self._do, self._switch, self._goto)
        self.fresh()
        if self._nesting >= MAX_NESTING or self.coin(0.6):
            return self.rng.choice(simple)()
        return self.rng.choice(nested)()

    # --- simple ones --------------------------------------------------------------------------------------------------

    def _target(self) -> Place:
        place = self.pick(lambda p: p.writable)
        assert place is not None
        self.fresh(place)
        return place

    def _assign(self) -> str:
        p = self._target()
        if self.coin(0.1):
            q = self.pick(lambda q: q.writable and q is not p and q.private and p.private and isinstance(q.type, Int))
            if q is not None:
                self.fresh(p, q)
                return f"{self.spell(p.parts)} = {self.spell(q.parts)} = {self.as_type(q.type, self.depth)};"
        if self.coin(0.25) and not isinstance(p.type, Bits):
            return f"{self.spell(p.parts)} = {self.initial(p.type)};"
        return f"{self.spell(p.parts)} = {self.assigned(p, self.depth)};"

    def fill(self, most: int) -> list[str]:
        """Assignments that give up to so many of the places a value of their own."""
        chosen = [p for p in self.places if p.writable and not p.private and not isinstance(p.type, Bits)]
        self.rng.shuffle(chosen)
        return [
            f"{text} = {self.initial(p.type)};"
            for p in chosen[:most]
            for text in self._instances(p)[:4]
            if not isinstance(p.type, Bits)
        ]

    def _compound(self) -> str:
        p = self._target()
        if isinstance(p.type, Float):
            if p.punned:
                return self._assign()
            return f"{self.spell(p.parts)} {self.rng.choice('+-*/')}= {self.as_type(p.type, self.depth)};"
        t = p.type.type if isinstance(p.type, Bits) else p.type
        text, (e, _) = self.spell(p.parts), self.integer(self.depth)
        op = self.rng.choice(("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"))
        match op:
            case "&" | "|" | "^":
                return f"{text} {op}= {e};"
            case "/" | "%":
                return f"{text} {op}= (({e}) & 0x7f) + 1;"
            case ">>":
                return f"{text} >>= ({e}) & {promoted(t).bits - 1};"
            case "<<":
                return (
                    f"{text} <<= ({e}) & 7;"
                    if t in (ULLONG, UINT) or (t.rank < INT.rank and not t.signed)
                    else f"{text} ^= {e};"
                )
        if t.rank < INT.rank and self.coin(0.5):
            return f"{text} {op}= ({e}) & 0xff;"
        return f"{text} {op}= (unsigned long long)({e});"

    def _step(self) -> str:
        p = self.pick(
            lambda p: (
                p.writable
                and isinstance(p.type, Int)
                and (not p.type.signed or p.type.rank < INT.rank)
                and p.type is not BOOL
            )
        )
        if p is None:
            return self._mix()
        self.fresh(p)
        text = self.spell(p.parts)
        return self.rng.choice(
            (f"{text}++;", f"--{text};", f"++{text};", f"{text}--;", f"if ({text}++ > 5) {text} += 3;")
        )

    def _mix(self) -> str:
        if self.coin(0.3):
            return f"mixd({self.floating(self.depth)[0]});"
        return f"mix({self.integer(self.depth)[0]});"

    def _through(self) -> str:
        """An assignment through the address of one of two variables."""
        p = self.pick(lambda p: p.writable and p.addressable and not p.private and not p.punned)
        if p is None:
            return self._mix()
        q = (
            self.pick(lambda q: q.type == p.type and q.writable and q.addressable and not q.private and not q.punned)
            or p
        )
        value = self.as_type(p.type, 1)
        return f"*({self.condition(1)} ? &{self.spell(p.parts)} : &{self.spell(q.parts)}) = {value};"

    def _called(self) -> str:
        found = (*self.local_functions, *self.shared.functions[-8:])
        fn = self.rng.choice(found) if found else None
        text = self.call(fn, 1) if fn is not None else None
        return f"{text};" if text else self._mix()

    # --- nested ones --------------------------------------------------------------------------------------------------

    def _some(self) -> str:
        return self.block(self.rng.randint(1, 3))

    def _if(self) -> str:
        text = f"if ({self.condition(self.depth)}) {self._some()}"
        return f"{text} else {self._some()}" if self.coin(0.5) else text

    def _body(self, counter: str) -> str:
        """The body of a loop, which may leave it early."""
        self.places.append(Place((counter,), INT, writable=False))
        self._in_loop += 1
        body = self._some()
        self.fresh()
        if self.coin(0.4):
            body = f"{{ if ({self.condition(1)}) {self.rng.choice(('break', 'continue'))};\n{body} }}"
        self._in_loop -= 1
        self.places.pop()
        return body

    def _for(self) -> str:
        i = self.name("i")
        if self.coin(0.3):
            return f"for (int {i} = {self.rng.randint(1, 6)}; {i} > 0 && fuel-- > 0; {i}--) {self._body(i)}"
        return f"for (int {i} = 0; {i} < {self.rng.randint(1, 6)} && fuel-- > 0; {i}++) {self._body(i)}"

    def _while(self) -> str:
        i = self.name("i")
        return f"{{ int {i} = {self.rng.randint(1, 6)}; while ({i}-- > 0 && fuel-- > 0) {self._body(i)} }}"

    def _do(self) -> str:
        i = self.name("i")
        return f"{{ int {i} = 0; do {self._body(i)} while (++{i} < {self.rng.randint(1, 5)} && fuel-- > 0); }}"

    def _switch(self) -> str:
        value = self.integer(self.depth)[0]
        mask = self.rng.choice((3, 7, 0xFF))
        cases = self.rng.sample(range(mask + 1), min(mask + 1, self.rng.randint(2, 5)))
        arms = [f"case {c}: {self._some()} {'break;' if self.coin(0.7) else ''}" for c in cases]
        if self.coin(0.7):
            arms.insert(self.rng.randint(0, len(arms)), f"default: {self._some()} {'break;' if self.coin(0.5) else ''}")
        kind = self.rng.choice(("int", "long", "unsigned char", "unsigned"))
        return f"switch (({kind})(({value}) & {mask})) {{ {' '.join(arms)} }}"

    def _goto(self) -> str:
        label = self.name("L")
        return f"{{ if ({self.condition(1)}) goto {label};\n{self._some()} }} {label}: ;"

    # --- the end ------------------------------------------------------------------------------------------------------

    def mix_all(self) -> str:
        """Adds every place in scope to the checksum."""
        lines = []
        for p in self.places:
            call = "mixd" if isinstance(p.type, Float) else "mix"
            for text in self._instances(p):
                lines.append(f"{call}({text});")
        return "\n".join(lines)

    def _instances(self, p: Place) -> list[str]:
        texts = [""]
        for part in p.parts:
            if isinstance(part, str):
                texts = [t + part for t in texts]
            else:
                texts = [f"{t}[{k}]" for t in texts for k in range(part + 1)]
        return texts if len(texts) <= 16 else self.rng.sample(texts, 16)
