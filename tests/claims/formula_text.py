"""Formulas as reports write them: C or Boogie expressions over variables of any function of the run."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.claims.c_types import INT_TYPES, common, converted, int_type, pointee, promoted, stride
from tests.claims.evaluate_expressions import Evaluator, arithmetic
from tests.claims.run_model import Object, Pointer, Undefined, Value
from tests.claims.small_program import ARRAY_LENGTH, STRUCT_FIELDS

_TOKEN = re.compile(
    r"\s*(?:(\d+)|('(?:\\.|[^'])')|((?:\w+::)?[A-Za-z_]\w*)"
    r"|(==>|<==>|==|!=|<=|>=|&&|\|\||<<|>>|:=|->|[-+*/%&|^~!<>()\[\].?:,]))"
)
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_ESCAPES = {"\\0": 0, "\\t": 9, "\\n": 10, "\\r": 13, "\\'": 39, "\\\\": 92}
_TYPE_WORDS = {word for name in INT_TYPES for word in name.split()} | {"signed"}

Evaluated = Callable[[Evaluator], Value]
_Typed = Callable[[Evaluator], tuple[Value, str]]


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
        return lambda m: found(m)[0]

    def choice(self) -> _Typed:
        cond = self.level(0)
        if self.peek() != "?":
            return cond
        self.take()
        yes = self.choice()
        self.take(":")
        no = self.choice()

        def chosen(m: Evaluator) -> tuple[Value, str]:
            value, kind = yes(m) if cond(m)[0] else no(m)
            return value, promoted(kind)

        return chosen

    def level(self, k: int) -> _Typed:
        if k == len(_LEVELS):
            return self.unary()
        left = self.level(k + 1)
        while self.peek() in _LEVELS[k]:
            left = _applied(self.take(), left, self.level(k + 1))
        return left

    def cast(self) -> str | None:
        """The type of a cast that stands here, which is taken."""
        end = self.at + 1
        while end < len(self.tokens) and self.tokens[end] in _TYPE_WORDS:
            end += 1
        if self.peek() != "(" or end == self.at + 1 or end == len(self.tokens) or self.tokens[end] != ")":
            return None
        found = int_type(" ".join(self.tokens[self.at + 1 : end]))
        if found is None:
            raise NotUnderstood(f"a cast to {' '.join(self.tokens[self.at + 1 : end])}")
        self.at = end + 1
        return found

    def unary(self) -> _Typed:
        token = self.peek()
        if token in ("-", "!", "~"):
            self.take()
            arg = self.unary()
            if token == "!":
                return lambda m: (int(arg(m)[0] == 0), "int")
            return lambda m: _unary(m, token, *arg(m))
        cast = self.cast()
        if cast is not None:
            arg = self.unary()
            return lambda m: (converted(_number(arg(m)[0]), cast), cast)
        if token == "&":
            self.take()
            place = self.postfix(is_address=True)
            return lambda m: (place(m)[0], "")
        if token == "*":
            self.take()
            pointer = self.unary()
            return lambda m: _loaded(m, _pointer(pointer(m)[0]))
        return self.value()

    def value(self) -> _Typed:
        token = self.peek()
        if token == "(":
            self.take()
            inner = self.choice()
            self.take(")")
            if self.peek() in ("[", ".", "->"):
                raise NotUnderstood("a part of an expression")
            return inner
        if token.isdigit() or token.startswith("'"):
            self.take()
            number = int(token) if token.isdigit() else _ESCAPES.get(token[1:-1], ord(token[-2]))
            kind = "int" if number <= INT_TYPES["int"].most else "long"
            return lambda m: (number, kind)
        if token in ("true", "false"):
            self.take()
            return lambda m: (int(token == "true"), "int")
        place = self.postfix()
        return lambda m: _loaded(m, *place(m))

    def postfix(self, *, is_address: bool = False) -> Callable[[Evaluator], tuple[Pointer, list[tuple[int, Value]]]]:
        """A place, and for a map of Boogie the elements that are replaced in it."""
        token = self.take()
        if not re.match(r"[A-Za-z_]", token) or self.peek() == "(":
            raise NotUnderstood(token)
        indexes: list[_Typed] = []
        updates: list[tuple[_Typed, _Typed]] = []
        while self.peek() == "[":
            self.take()
            index = self.choice()
            if self.peek() == ":=":
                self.take()
                updates.append((index, self.choice()))
            else:
                indexes.append(index)
            self.take("]")
        sign, field = "", ""
        if self.peek() in (".", "->"):
            sign, field = self.take(), self.take()
            if field not in STRUCT_FIELDS:
                raise NotUnderstood(field)
        if self.peek() in ("[", ".", "(", "->"):
            raise NotUnderstood(self.peek())

        def place(m: Evaluator) -> tuple[Pointer, list[tuple[int, Value]]]:
            replaced = [(_number(where(m)[0]), value(m)[0]) for where, value in updates]
            base = _variable(m, token)
            if not is_address and not field and not indexes and base.kind != "scalar":
                raise NotUnderstood("the bytes of a whole object")
            found = _place(m, base, [_number(i(m)[0]) for i in indexes], sign, field)
            return found, replaced

        return place


def _place(m: Evaluator, base: Object, indexes: list[int], sign: str, field: str) -> Pointer:
    """Where the element or member of a variable is."""
    member = STRUCT_FIELDS.index(field) if field else 0
    if base.kind == "scalar" and (indexes or field):
        pointer, _ = _loaded(m, (base, 0))
        step = stride(pointee(m.types.names.get(base.name, "")))
        if len(indexes) > 1 or (sign == ".") != bool(indexes and field):
            raise NotUnderstood(f"a part of {base.name}")
        target = _pointer(pointer)
        return target[0], target[1] + sum(indexes) * step + member
    shape = {"scalar": (0, False), "array": (1, False), "struct": (0, True), "matrix": (2, False), "structs": (1, True)}
    is_whole = not indexes and not field
    if (len(indexes), bool(field)) != shape[base.kind] and not is_whole:
        raise NotUnderstood(f"a part of {base.name}")
    widths = {"matrix": (ARRAY_LENGTH, 1), "structs": (len(STRUCT_FIELDS),)}.get(base.kind, (1,))
    return base, sum(i * w for i, w in zip(indexes, widths, strict=False)) + member


def _loaded(m: Evaluator, where: Pointer, updates: list[tuple[int, Value]] | None = None) -> tuple[Value, str]:
    """The value of a cell with its type; of a map, the last replacement counts."""
    base, index = where
    for at, value in reversed(updates or []):
        if at == index:
            return value, "int"
    kind = base.types[index] if 0 <= index < len(base.types) else "int"
    return m.load(where, m.program.main.body[0]), kind


def _unary(m: Evaluator, op: str, value: Value, kind: str) -> tuple[Value, str]:
    kind = promoted(kind)
    number = _number(value)
    return m.wrap(-number if op == "-" else ~number, kind), kind


def _applied(op: str, left: _Typed, right: _Typed) -> _Typed:
    if op == "&&":
        return lambda m: (int(left(m)[0] != 0 and right(m)[0] != 0), "int")
    if op == "||":
        return lambda m: (int(left(m)[0] != 0 or right(m)[0] != 0), "int")

    def apply(m: Evaluator) -> tuple[Value, str]:
        (a, first), (b, second) = left(m), right(m)
        if isinstance(a, tuple) or isinstance(b, tuple):
            if op not in ("==", "!="):
                raise NotUnderstood("arithmetic on pointers")
            return int((a == b) == (op == "==")), "int"
        at = m.program.main.body[0]
        if not m.is_c:
            return arithmetic(op, a, b, at), "int"
        kind = promoted(first) if op in ("<<", ">>") else common(first, second)
        if op in ("<<", ">>") and not 0 <= b < INT_TYPES[kind].bits:
            raise Undefined("shift", at)
        if op not in ("<<", ">>"):
            a, b = converted(a, kind), converted(b, kind)
        result = arithmetic(op, a, b, at)
        return (result, "int") if op in _LEVELS[5] + _LEVELS[6] else (converted(result, kind), kind)

    return apply


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise NotUnderstood("a pointer as a number")
    return value


def _pointer(value: Value) -> Pointer:
    if isinstance(value, int):
        raise NotUnderstood("a number as a pointer")
    return value


def _variable(machine: Evaluator, name: str) -> Object:
    """The variable of that name: of the function that is said, of the current one, or of its callers."""
    function, _, plain = name.rpartition("::")
    found = [frame[plain] for f, frame in machine.frames if plain in frame and function in ("", f.name)]
    if len(found) > 1:
        raise NotUnderstood("a variable of a function that is called by itself")
    if found:
        return found[0]
    for variables in (machine.statics, machine.globals):
        if plain in variables and function in ("", variables[plain].function):
            return variables[plain]
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
