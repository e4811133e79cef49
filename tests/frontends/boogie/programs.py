"""Small random Boogie programs as nested tuples, their text, and an interpreter that shares no code with butfor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Tree = tuple[Any, ...]
NAMES = ("p", "q", "x", "y")
HELPER = """procedure twice(n: int) returns (r: int) {
r := n + n;
if (n < 0) {
r := 0;
}
}"""
FIRST = HELPER.count("\n") + 5  # the line of the first statement

_ints = st.deferred(
    lambda: st.one_of(
        st.tuples(st.just("num"), st.integers(-3, 5)),
        st.tuples(st.just("var"), st.sampled_from(NAMES)),
        st.tuples(st.sampled_from(("+", "-", "*")), _small, _small),
        st.tuples(st.sampled_from(("div", "mod")), _small, st.tuples(st.just("num"), st.sampled_from((-3, -2, 2, 3)))),
        st.tuples(st.just("at"), _small),
    )
)
_small: st.SearchStrategy[Tree] = st.one_of(
    st.tuples(st.just("num"), st.integers(-3, 5)),
    st.tuples(st.just("var"), st.sampled_from(NAMES)),
    st.tuples(st.just("var"), st.sampled_from(NAMES)),
)
_compare = st.tuples(st.sampled_from(("<", "<=", ">", ">=", "==", "!=")), _ints, _small)
_bools: st.SearchStrategy[Tree] = st.one_of(
    _compare, st.tuples(st.sampled_from(("&&", "||", "==>")), _compare, _compare), st.tuples(st.just("!"), _compare)
)
_simple: st.SearchStrategy[Tree] = st.one_of(
    st.tuples(st.just("assign"), st.sampled_from(("x", "y")), _ints),
    st.tuples(st.just("assign"), st.sampled_from(("x", "y")), _ints),
    st.tuples(st.just("store"), _small, _small),
    st.tuples(st.just("havoc"), st.sampled_from(("x", "y"))),
    st.tuples(st.just("assert"), _bools),
    st.tuples(st.just("assume"), _bools),
    st.tuples(st.just("call"), st.sampled_from(("x", "y")), _small),
    st.tuples(st.just("return")),
)


def _blocks(depth: int) -> st.SearchStrategy[list[Tree]]:
    if not depth:
        return st.lists(_simple, max_size=3)
    inner = _blocks(depth - 1)
    guard = st.one_of(_bools, _bools, st.none())
    compound = st.one_of(st.tuples(st.just("if"), guard, inner, inner), st.tuples(st.just("while"), guard, inner))
    return st.lists(st.one_of(_simple, _simple, compound), min_size=1, max_size=4)


programs: st.SearchStrategy[list[Tree]] = st.builds(
    lambda block, check: [*block, ("assert", check)], _blocks(2), _bools
)


def text_of(expr: Tree | None) -> str:
    """An expression as Boogie writes it."""
    match expr:
        case None:
            return "*"
        case ("num", value):
            return f"({value})"
        case ("var", name):
            return str(name)
        case ("at", index):
            return f"m[{text_of(index)}]"
        case ("!", inner):
            return f"!({text_of(inner)})"
        case (op, left, right):
            return f"({text_of(left)} {op} {text_of(right)})"
    raise AssertionError(expr)


def rendered(program: list[Tree]) -> tuple[str, list[Tree]]:
    """The program as text, and its statements with their lines in front."""
    lines: list[str] = []

    def block(statements: list[Tree]) -> list[Tree]:
        return [one(s) for s in statements]

    def one(s: Tree) -> Tree:
        line = FIRST + len(lines)
        match s:
            case ("if", guard, then, otherwise):
                lines.append(f"if ({text_of(guard)}) {{")
                first = block(then)
                lines.append("} else {")
                second = block(otherwise)
                lines.append("}")
                return line, "if", guard, first, second
            case ("while", guard, body):
                lines.append(f"while ({text_of(guard)}) {{")
                inner = block(body)
                lines.append("}")
                return line, "while", guard, inner
            case ("assign", name, expr):
                lines.append(f"{name} := {text_of(expr)};")
            case ("store", index, expr):
                lines.append(f"m[{text_of(index)}] := {text_of(expr)};")
            case ("call", name, expr):
                lines.append(f"call {name} := twice({text_of(expr)});")
            case ("havoc", name):
                lines.append(f"havoc {name};")
            case ("return",):
                lines.append("return;")
            case (op, expr):
                lines.append(f"{op} {text_of(expr)};")
        return line, *s

    tree = block(program)
    body = "\n".join(lines)
    return f"{HELPER}\nprocedure main(p: int, q: int) {{\nvar x, y: int;\nvar m: [int]int;\n{body}\n}}", tree


class Stop(Exception):
    """The run ended: `failed` is the line of the violated assertion."""

    def __init__(self, failed: int | None = None) -> None:
        self.failed = failed


class Run:
    """One execution with given start values and values from outside, at most `most` rounds of each loop."""

    def __init__(
        self, start: dict[str, int], elements: dict[int, int], default: int, outside: Iterator[int], most: int = 10**6
    ) -> None:
        self.values = dict(start)
        self.elements = dict(elements)
        self.default = default
        self.outside = outside
        self.most = most
        self.steps: list[tuple[str, int]] = []
        self.failed: int | None = None

    def go(self, tree: list[Tree]) -> Run:
        """This run, done; the outside may end it by having no more values."""
        try:
            self._block(tree)
        except Stop as stop:
            self.failed = stop.failed
        return self

    def _block(self, tree: list[Tree]) -> None:
        for line, op, *rest in tree:
            self._one(line, op, rest)

    def _one(self, line: int, op: str, rest: list[Any]) -> None:
        match op:
            case "assign":
                self.values[rest[0]] = self.value(rest[1])
                self.steps.append(("assign", line))
            case "store":
                self.elements[self.value(rest[0])] = self.value(rest[1])
                self.steps.append(("assign", line))
            case "havoc":
                self.values[rest[0]] = self._next()
                self.steps.append(("havoc", line))
            case "call":
                n = self.value(rest[1])
                self.steps += [
                    ("assign", line),
                    ("assign", 2),
                    ("branch", 3),
                    *([("assign", 4)] if n < 0 else []),
                    ("assign", line),
                ]
                self.values[rest[0]] = 0 if n < 0 else 2 * n
            case "return":
                raise Stop
            case "assert" | "assume":
                if not self.value(rest[0]):
                    raise Stop(line if op == "assert" else None)
                self.steps.append(("assume", line))
            case "if":
                self._block(rest[1] if self._decided(line, rest[0]) else rest[2])
            case "while":
                for _ in range(self.most + 1):
                    if not self._decided(line, rest[0]):
                        return
                    self._block(rest[1])
                raise Stop

    def _next(self) -> int:
        for value in self.outside:
            return value
        raise Stop

    def _decided(self, line: int, guard: Tree | None) -> bool:
        if guard is None:
            self.steps.append(("havoc", line))
        held = bool(self._next() if guard is None else self.value(guard))
        self.steps.append(("branch", line))
        return held

    def value(self, e: Tree) -> int:
        """The value of an expression."""
        match e:
            case ("num", n):
                return int(n)
            case ("var", name):
                return self.values[name]
            case ("at", index):
                return self.elements.get(self.value(index), self.default)
            case ("!", inner):
                return int(not self.value(inner))
        x, y = self.value(e[1]), self.value(e[2])
        match e[0]:
            case "+" | "-" | "*":
                return {"+": x + y, "-": x - y, "*": x * y}[e[0]]
            case "mod":
                return x - abs(y) * (x // abs(y))
            case "div":
                return (x // abs(y)) * (1 if y > 0 else -1)
            case "&&" | "||" | "==>":
                return int({"&&": bool(x and y), "||": bool(x or y), "==>": bool(not x or y)}[e[0]])
        return int({"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[e[0]])
