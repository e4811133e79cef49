"""Preconditions that users write, as terms over the start of a path: `n > 0 && a[2] == 'x'`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from butfor.errors import UsageError
from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import INT
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    arithmetic,
    binary,
    compare,
    conjunction,
    const,
    disjunction,
    equal,
    negate,
    number,
    order,
    variables,
)
from butfor.logic.terms import resize as resized
from butfor.path.instance_uses import terms_of, values_before
from butfor.path.path_model import Cell, Instance, Kind, Path

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_$][\w$]*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[\s*\d+\s*\])*)|(?P<number>0[xX][0-9a-fA-F]+|\d+)[uUlL]*"
    r"|(?P<char>'(?:\\.|[^'\\])')|(?P<op><==>|==>|<<|>>|&&|\|\||[=!<>]=|[-+*/%<>!~&|^()]))"
)
_LEVELS = [
    ("<==>",),
    ("==>",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
]
_BITS = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
_NUMBERS = {"+": "plus", "-": "minus", "*": "times", "/": "div", "%": "mod"}
_ESCAPED = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39}
INT_BITS = 32  # C computes in no fewer


@dataclass(frozen=True, slots=True)
class _Operand:
    term: Term | None  # None for a number that takes the sort of the other operand
    signed: bool = True
    value: int = 0


class _Parser:
    def __init__(self, text: str, cells: Iterable[Cell], entry: str) -> None:
        self.text = text
        self.cells = list(cells)
        self.entry = entry
        self.tokens = self._tokens()
        self.at = 0
        self.is_unbounded = any(c.sort == INT for c in self.cells)

    def _tokens(self) -> list[tuple[str, str]]:
        found, at = [], 0
        while at < len(self.text.rstrip()):
            m = _TOKEN.match(self.text, at)
            if m is None or m.lastgroup is None:
                raise self.wrong(f"{self.text[at:].strip()[:20]!r} is not understood")
            found.append((m.lastgroup, m.group(m.lastgroup)))
            at = m.end()
        return found

    def wrong(self, what: str) -> UsageError:
        return UsageError(
            f"the precondition {self.text!r}: {what}",
            hint="write a condition over variables of the entry, such as --pre 'n > 0 && n < 42'",
        )

    def condition(self) -> Term:
        found = self.boolean(self._level(0))
        if self.at < len(self.tokens):
            raise self.wrong(f"{self.tokens[self.at][1]!r} is one word too many")
        return found

    def boolean(self, x: _Operand) -> Term:
        if x.term is None:
            return TRUE if x.value else FALSE
        return x.term if not x.term.width else negate(equal(x.term, self._number(0, x.term.width)))

    def _number(self, value: int, sort: int) -> Term:
        return number(value, INT) if sort == INT else const(value, sort)

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _level(self, level: int) -> _Operand:
        if level == len(_LEVELS):
            return self._unary()
        x = self._level(level + 1)
        while self._peek() in _LEVELS[level]:
            op = self._peek()
            self.at += 1
            x = self._binary(op, x, self._level(level + 1))
        return x

    def _binary(self, op: str, x: _Operand, y: _Operand) -> _Operand:
        match op:
            case "&&":
                return _Operand(conjunction((self.boolean(x), self.boolean(y))))
            case "||":
                return _Operand(disjunction((self.boolean(x), self.boolean(y))))
            case "==>":
                return _Operand(disjunction((negate(self.boolean(x)), self.boolean(y))))
            case "<==>":
                return _Operand(equal(self.boolean(x), self.boolean(y)))
        a, b, signed = self._alike(x, y)
        if op in ("==", "!="):
            return _Operand(equal(a, b) if op == "==" else negate(equal(a, b)))
        if a.width == 0:
            raise self.wrong(f"{op!r} of conditions")
        if op in ("<", "<=", ">", ">="):
            if op[0] == ">":
                a, b = b, a
            if a.width == INT:
                return _Operand(order("lt" if len(op) == 1 else "le", a, b))
            return _Operand(compare(("s" if signed else "u") + ("lt" if len(op) == 1 else "le"), a, b))
        if a.width == INT:
            if op not in _NUMBERS:
                raise self.wrong(f"{op!r} of unbounded numbers")
            return _Operand(arithmetic(_NUMBERS[op], a, b))
        return _Operand(
            binary(_BITS.get(op) or ("s" if signed else "u") + ("div" if op == "/" else "rem"), a, b), signed
        )

    def _alike(self, x: _Operand, y: _Operand) -> tuple[Term, Term, bool]:
        """Both operands in one sort, as C converts them."""
        if x.term is None and y.term is None:
            sort = INT if self.is_unbounded else 64
            return self._number(x.value, sort), self._number(y.value, sort), True
        widths = [o.term.width for o in (x, y) if o.term is not None]
        if 0 in widths:
            return self.boolean(x), self.boolean(y), True
        if any(w < 0 for w in widths):
            if any(w != INT for w in widths):
                raise self.wrong("numbers and maps cannot be compared")
            a, b = (o.term if o.term is not None else number(o.value, INT) for o in (x, y))
            return a, b, True
        width = max(INT_BITS, *widths)
        signed = not any(o.term is not None and not o.signed and o.term.width == width for o in (x, y))
        a, b = (const(o.value, width) if o.term is None else resized(o.term, width, o.signed) for o in (x, y))
        return a, b, signed

    def _unary(self) -> _Operand:
        if self.at >= len(self.tokens):
            raise self.wrong("something is missing at its end")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return _Operand(None, True, int(word, 0))
        if kind == "char":
            return _Operand(None, True, _ESCAPED.get(word[2], ord(word[2])) if word[1] == "\\" else ord(word[1]))
        if kind == "name":
            return self._name(word)
        if word == "(":
            x = self._level(0)
            if self._peek() != ")":
                raise self.wrong("a parenthesis is not closed")
            self.at += 1
            return x
        if word == "!":
            return _Operand(negate(self.boolean(self._unary())))
        if word in ("-", "~"):
            x = self._unary()
            if x.term is None:
                return replace(x, value=-x.value if word == "-" else ~x.value)
            return (
                self._binary("-", _Operand(None), x) if word == "-" else self._binary("^", x, _Operand(None, True, -1))
            )
        raise self.wrong(f"{word!r} cannot stand there")

    def _name(self, word: str) -> _Operand:
        name = re.sub(r"\s+", "", word)
        if name in ("true", "false"):
            return _Operand(TRUE if name == "true" else FALSE)
        found = [c for c in self.cells if c.shown == name]
        found.sort(key=lambda c: (c.function != self.entry, c.function != ""))
        if not found:
            known = ", ".join(dict.fromkeys(c.shown for c in self.cells if c.function in ("", self.entry)))
            raise self.wrong(f"the path to the failure has no variable {name!r} (it has: {known})")
        return _Operand(found[0].term, found[0].signed)


def parsed_precondition(text: str, path: Path, entry: str = "main") -> Term:
    """The condition over the cells of a path; a UsageError when it is none."""
    return _Parser(text, path.cells, entry).condition()


def with_precondition(path: Path, text: str, entry: str = "main") -> Path:
    """The path under a precondition: assumed as soon as all its cells have their first values."""
    condition = parsed_precondition(text, path, entry)
    names = {str(v.data) for v in variables((condition,))}
    at = _ready(path, names)
    values = values_before(path)[at]
    if not Evaluator({n: values.get(n, 0) for n in names})(condition):
        raise UsageError(
            f"the precondition {text!r} does not hold in the failing run",
            hint="a precondition describes runs like the one that failed",
        )
    if not at:
        return replace(path, pre=conjunction((path.pre, condition)))
    writer = path.instances[at - 1]
    assumption = Instance(
        Kind.ASSUME, writer.place, condition=condition, scope=writer.scope, frame=writer.frame, rounds=writer.rounds
    )
    shifted = [_shifted(i, at) for i in path.instances]
    return replace(path, instances=(*shifted[:at], assumption, *shifted[at:]), scope=_moved(path.scope, at))


def _ready(path: Path, names: set[str]) -> int:
    """The position behind the first writes of the cells that are not read before."""
    at, open_ = 0, set(names)
    for k, instance in enumerate(path.instances):
        open_ -= {
            str(v.data) for v in variables(terms_of(instance))
        }  # read before it is written: its value at the start is meant
        written = {c.name for c, _ in instance.writes} & open_
        if written:
            open_ -= written
            at = k + 1
    return at


def _shifted(instance: Instance, at: int) -> Instance:
    end = instance.end + (instance.kind is Kind.BRANCH and instance.end >= at)
    return replace(instance, scope=_moved(instance.scope, at), end=end)


def _moved(scope: tuple[int, ...], at: int) -> tuple[int, ...]:
    return tuple(k + (k >= at) for k in scope)
