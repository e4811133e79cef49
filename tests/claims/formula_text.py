"""Formulas as reports write them: C or Boogie expressions over variables of any function of the run."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import Object, Undefined, Value
from tests.claims.small_program import STRUCT_FIELDS

_TOKEN = re.compile(
    r"\s*(?:(\d+)|((?:\w+::)?[A-Za-z_]\w*)|(==>|<==>|==|!=|<=|>=|&&|\|\||<<|>>|:=|[-+*/%&|^~!<>()\[\].?:,]))"
)
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))

Evaluated = Callable[[Evaluator], Value]


class NotUnderstood(Exception):
    """The text is not a formula over variables of the program."""


class _Parser:
    def __init__(self, text: str, boogie: bool) -> None:
        self.tokens: list[str] = []
        self.boogie = boogie
        at = 0
        text = text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise NotUnderstood(text[at:])
            self.tokens.append(found[0].strip())
            at = found.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise NotUnderstood(f"{token!r} where {wanted!r} was expected")
        self.at += 1
        return token

    def whole(self) -> Evaluated:
        found = self.choice()
        if self.peek():
            raise NotUnderstood(self.peek())
        return found

    def choice(self) -> Evaluated:
        cond = self.level(0)
        if self.peek() != "?":
            return cond
        self.take()
        yes = self.choice()
        self.take(":")
        no = self.choice()
        return lambda m: yes(m) if cond(m) else no(m)

    def level(self, k: int) -> Evaluated:
        if k == len(_LEVELS):
            return self.unary()
        left = self.level(k + 1)
        while self.peek() in _LEVELS[k]:
            left = _applied(self.take(), left, self.level(k + 1))
        return left

    def unary(self) -> Evaluated:
        token = self.peek()
        if token in ("-", "!", "~"):
            self.take()
            arg = self.unary()
            if token == "!":
                return lambda m: int(arg(m) == 0)
            return lambda m: m.wrap(-_number(arg(m)) if token == "-" else ~_number(arg(m)))
        if self.tokens[self.at : self.at + 3] == ["(", "unsigned", ")"]:
            self.at += 3
            signed = self.unary()
            return lambda m: _number(signed(m)) % 2**32
        if token == "&":
            self.take()
            return self.postfix(address=True)
        if token == "*":
            self.take()
            pointer = self.unary()
            return lambda m: m.load(_pointer(pointer(m)), m.program.main.body[0])
        return self.postfix()

    def postfix(self, *, address: bool = False) -> Evaluated:
        token = self.take()
        if token == "(":
            inner = self.choice()
            self.take(")")
            if address or self.peek() in ("[", "."):
                raise NotUnderstood("a part of an expression")
            return inner
        if token.isdigit():
            return lambda m: int(token)
        if token in ("true", "false"):
            return lambda m: int(token == "true")
        if not re.match(r"[A-Za-z_]", token) or self.peek() == "(":
            raise NotUnderstood(token)
        index: Evaluated = lambda m: 0  # noqa: E731
        updates: list[tuple[Evaluated, Evaluated]] = []
        while self.peek() == "[":
            self.take()
            index = self.choice()
            if self.peek() == ":=":
                self.take()
                updates.append((index, self.choice()))
            self.take("]")
        if self.peek() == ".":
            self.take()
            field = self.take()
            if field not in STRUCT_FIELDS:
                raise NotUnderstood(field)
            index = lambda m: STRUCT_FIELDS.index(field)  # noqa: E731
        if self.peek() in ("[", ".", "("):
            raise NotUnderstood(self.peek())
        if address:
            return lambda m: (_variable(m, token), _number(index(m)))
        return lambda m: _element(m, token, _number(index(m)), updates)


def _element(m: Evaluator, name: str, index: int, updates: list[tuple[Evaluated, Evaluated]]) -> Value:
    """The element of a map with some of its elements replaced, the last replacement first."""
    for where, value in reversed(updates):
        if where(m) == index:
            return value(m)
    return m.load((_variable(m, name), index), m.program.main.body[0])


def _applied(op: str, left: Evaluated, right: Evaluated) -> Evaluated:
    if op == "&&":
        return lambda m: int(left(m) != 0 and right(m) != 0)
    if op == "||":
        return lambda m: int(left(m) != 0 or right(m) != 0)
    return lambda m: m.binary(op, left(m), right(m), m.program.main.body[0])


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise NotUnderstood("a pointer as a number")
    return value


def _pointer(value: Value) -> tuple[Object, int]:
    if isinstance(value, int):
        raise NotUnderstood("a number as a pointer")
    return value


def _variable(machine: Evaluator, name: str) -> Object:
    """The variable of that name: of the function that is said, of the current one, or of its callers."""
    function, _, plain = name.rpartition("::")
    for f, frame in reversed(machine.frames):
        if plain in frame and function in ("", f.name):
            return frame[plain]
    if plain in machine.globals:
        return machine.globals[plain]
    raise NotUnderstood(f"there is no variable {name} here")


def formula(text: str, *, boogie: bool) -> Evaluated:
    """The value of a formula in the state of a run; raises NotUnderstood."""
    return _Parser(text, boogie).whole()


def holds(machine: Evaluator, parsed: Evaluated) -> bool:
    """Whether a formula is true in the state of a run; NotUnderstood where it has no value there."""
    try:
        return parsed(machine) != 0
    except Undefined as e:
        raise NotUnderstood(e.why) from e
