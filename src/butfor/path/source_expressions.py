"""Terms over cells as expressions of the source language, with names as written and few parentheses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butfor.logic.sorts import INT
from butfor.logic.terms import FALSE, TRUE, Term, postorder
from butfor.path.path_model import Cell
from butfor.path.path_words import boogie_text

_SIGNS = {
    **dict.fromkeys(("mul", "times"), ("*", 10)),
    **dict.fromkeys(("udiv", "sdiv", "over"), ("/", 10)),
    **dict.fromkeys(("urem", "srem"), ("%", 10)),
    "div": ("div", 10),
    "mod": ("mod", 10),
    **dict.fromkeys(("add", "plus"), ("+", 9)),
    **dict.fromkeys(("sub", "minus"), ("-", 9)),
    "shl": ("<<", 8),
    **dict.fromkeys(("lshr", "ashr"), (">>", 8)),
    "and": ("&", 5),
    "xor": ("^", 4),
    "or": ("|", 3),
}
_ORDER = {**dict.fromkeys(("slt", "ult", "lt"), "<"), **dict.fromkeys(("sle", "ule", "le"), "<=")}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_CONSTANTS = ("const", "number")
_WITH_SIGN = frozenset(("sdiv", "srem", "ashr"))
_WITHOUT_SIGN = frozenset(("udiv", "urem", "lshr"))
_MAY_WRAP = frozenset(("add", "sub", "mul", "shl"))  # their results may have more bits than their operands
_NARROW = frozenset((8, 16))
_C_TYPES = {8: "char", 16: "short", 32: "int", 64: "long"}
_ESCAPES = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"}
_TIGHT, _LEAST = 12, 0
MAX_DECIMAL = 1 << 40  # larger numbers are mostly addresses and written in hexadecimal
MAX_EXPRESSION_CHARACTERS = 400  # the rest is cut: nobody reads longer ones


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    level: int  # how tightly its operator binds

    def within(self, level: int) -> str:
        """The text as an operand of an operator of a level."""
        return self.text if self.level >= level else f"({self.text})"


def _is_comparison(t: Term) -> bool:
    return t.op in _ORDER or (t.op == "eq" and t.args[0].width != 0)


class SourceExpressions:
    """Expressions over the cells of one path.

    `name` gives the words for a cell, `flag` those for an arm that was entered, `address` those for a pointer.
    """

    def __init__(
        self,
        cells: Mapping[str, Cell],
        *,
        boogie: bool = False,
        name: Callable[[Cell], str] = lambda cell: cell.shown,
        flag: Callable[[str], str] = lambda flag: flag,
        address: Callable[[int], str] = hex,
    ) -> None:
        self.cells = cells
        self.boogie = boogie
        self._name = name
        self._flag = flag
        self._address = address
        self._signs: dict[Term, bool] = {}

    def __call__(self, term: Term) -> str:
        known: dict[Term, _Text] = {}
        for t in postorder((term,)):
            self._signs.setdefault(t, self._sign(t))
            denied = t.op == "not" and _is_comparison(t.args[0])
            inner = t.args[0] if denied else t
            texts = [known[a] for a in inner.args]
            found = self._compare(_DENIED[_ORDER.get(inner.op, "==")], inner, texts) if denied else self._one(t, texts)
            known[t] = (
                found
                if len(found.text) <= MAX_EXPRESSION_CHARACTERS
                else _Text(found.text[:MAX_EXPRESSION_CHARACTERS] + "...", _TIGHT)
            )
        return known[term].text

    def _one(self, t: Term, a: list[_Text]) -> _Text:
        match t.op:
            case "const" | "number":
                return _Text(self._constant(t, None, True), _TIGHT)
            case "var":
                cell = self.cells.get(str(t.data))
                return _Text(self._name(cell), _TIGHT) if cell is not None else _Text(self._flag(str(t.data)), _TIGHT)
            case "zext" | "sext":
                return self._extended(t, a[0])
            case "toreal":
                return a[0]
            case "extract":
                return self._extract(t, a[0])
            case "concat":
                return _Text(f"{a[0].within(_TIGHT)} ++ {a[1].within(_TIGHT)}", 8)
            case "ite":
                text = (
                    f"if {a[0].text} then {a[1].text} else {a[2].text}"
                    if self.boogie
                    else f"{a[0].within(2)} ? {a[1].text} : {a[2].within(1)}"
                )
                return _Text(text, _LEAST)
            case "not":
                return _Text(f"!{a[0].within(_TIGHT)}", 11)
            case "all" | "any":
                return self._joined(t, a)
            case "eq":
                return self._compare("==", t, a)
            case "select":
                return _Text(f"{a[0].within(_TIGHT)}[{a[1].text}]", _TIGHT)
            case "store":
                return _Text(f"{a[0].within(_TIGHT)}[{a[1].text} := {a[2].text}]", _TIGHT)
            case "everywhere":
                return _Text(f"[else {a[0].text}]", _TIGHT)
            case "toint":
                return _Text(f"int({a[0].text})", _TIGHT)
        if t.op in _ORDER:
            return self._compare(_ORDER[t.op], t, a)
        return self._arithmetic(t, a)

    def _extended(self, t: Term, inner: _Text) -> _Text:
        """A term in a wider type: a cast where C would extend it in another way."""
        x, by_sign = t.args[0], t.op == "sext"
        if self.boogie or x.width not in _C_TYPES or x.op in _CONSTANTS or self.is_signed(x) == by_sign:
            return inner
        if x.op == "extract" and inner.text.startswith(f"({_C_TYPES[x.width]})"):
            return _Text(f"({_type_name(x.width, by_sign)}){inner.text.partition(')')[2]}", inner.level)
        return self._cast(x, inner, by_sign)

    def _arithmetic(self, t: Term, a: list[_Text]) -> _Text:
        """An operation; a cast says so where it is one of fewer bits than the int in which C would compute it."""
        text = self._operation(t, a)
        if self.boogie or t.width not in _NARROW or t.op not in _MAY_WRAP:
            return text
        return _Text(f"({_type_name(t.width, self.is_signed(t))}){text.within(_TIGHT)}", 11)

    def _operation(self, t: Term, a: list[_Text]) -> _Text:
        sign, level = _SIGNS[t.op]
        x, y = t.args
        if t.op in _WITH_SIGN or t.op in _WITHOUT_SIGN:
            by_sign = t.op in _WITH_SIGN
            right = a[1] if sign == ">>" else self._cast(y, a[1], by_sign)
            a = [self._cast(x, a[0], by_sign), right]
        if sign == "+" and y.op in _CONSTANTS and self._number(y, True) < 0:
            return _Text(f"{a[0].within(level)} - {-self._number(y, True)}", level)
        if sign in ("+", "*", "&", "|", "^") and x.op in _CONSTANTS and y.op not in _CONSTANTS:
            x, y, a = y, x, a[::-1]
        texts = [self._operand(x, y, a[0], self.is_signed(t)), self._operand(y, x, a[1], self.is_signed(t))]
        return _Text(f"{texts[0].within(level)} {sign} {texts[1].within(level + 1)}", level)

    def _operand(self, t: Term, other: Term, text: _Text, signed: bool) -> _Text:
        return _Text(self._constant(t, other, signed), _TIGHT) if t.op in _CONSTANTS else text

    def _compare(self, sign: str, t: Term, a: list[_Text]) -> _Text:
        x, y = t.args
        if x.width == 0:
            return self._same(x, y, a)
        if x.op in _CONSTANTS and y.op not in _CONSTANTS:
            x, y, a, sign = y, x, a[::-1], _TURNED.get(sign, sign)
        level = 6 if sign in ("==", "!=") else 7
        signed = self.is_signed(x) or (x.op in _CONSTANTS and self.is_signed(y))
        if t.op in ("slt", "sle", "ult", "ule"):
            by_sign = t.op[0] == "s"
            a = [self._cast(x, a[0], by_sign), self._cast(y, a[1], by_sign)]
            signed = by_sign
        if y.op in _CONSTANTS and sign in ("<=", ">=") and self._number(y, signed) == (-1 if sign == "<=" else 1):
            return _Text(f"{a[0].within(level)} {'<' if sign == '<=' else '>'} 0", level)
        right = self._operand(y, x, a[1], signed)
        return _Text(f"{self._operand(x, y, a[0], signed).within(level)} {sign} {right.within(level + 1)}", level)

    def _cast(self, t: Term, text: _Text, signed: bool) -> _Text:
        """An operand that is compared against its own sign says so."""
        if t.op in _CONSTANTS or self.is_signed(t) == signed or t.op in ("zext", "ite", "select"):
            return text
        return text if self.boogie else _Text(f"({_type_name(t.width, signed)}){text.within(_TIGHT)}", 11)

    def _same(self, x: Term, y: Term, a: list[_Text]) -> _Text:
        for one, text in ((x, a[1]), (y, a[0])):
            if one is TRUE:
                return text
        sign = "<==>" if self.boogie else "=="
        return _Text(f"{a[0].within(7)} {sign} {a[1].within(7)}", 6)

    def _joined(self, t: Term, a: list[_Text]) -> _Text:
        if t is TRUE or t is FALSE:
            return (
                _Text("true" if t is TRUE else "false", _TIGHT)
                if self.boogie
                else _Text("1" if t is TRUE else "0", _TIGHT)
            )
        level, sign = (2, "&&") if t.op == "all" else (1, "||")
        return _Text(f" {sign} ".join(x.within(3) for x in a), level)

    def _extract(self, t: Term, inner: _Text) -> _Text:
        low = int(t.data or 0)
        if not low and t.args[0].op in ("sext", "zext") and t.args[0].args[0].width <= t.width:
            return inner
        if not low and t.width in _C_TYPES and not self.boogie:
            return _Text(f"({_C_TYPES[t.width]}){inner.within(_TIGHT)}", 11)
        return _Text(f"{inner.within(_TIGHT)}[{low + t.width}:{low}]", _TIGHT)

    def is_signed(self, t: Term) -> bool:
        """Whether a term is read with a sign, by the language's rules for its text."""
        if t not in self._signs:
            for part in postorder((t,)):
                self._signs.setdefault(part, self._sign(part))
        return self._signs[t]

    def _sign(self, t: Term) -> bool:
        """The same, where it is known of the operands; one without a sign makes a sum one without."""
        match t.op:
            case "var":
                cell = self.cells.get(str(t.data))
                return cell is None or cell.signed
            case "add" | "sub" | "mul" | "and" | "or" | "xor":
                return all(self._signs[a] for a in t.args if a.op not in _CONSTANTS)
            case "ite":
                return all(self._signs[a] for a in t.args[1:] if a.op not in _CONSTANTS)
            case "shl":
                return self._signs[t.args[0]]
        return t.op not in _WITHOUT_SIGN

    def _number(self, t: Term, signed: bool) -> int:
        value = int(t.data or 0)
        return value - (1 << t.width) if signed and t.width > 0 and value >> t.width - 1 else value

    def _constant(self, t: Term, other: Term | None, signed: bool) -> str:
        if t.width <= 0 and t.width != INT:
            return boogie_text(t.data, t.width)
        value = self._number(t, signed)
        if self.boogie:
            return str(value) if t.width == INT else boogie_text(t.data, t.width)
        inner = other
        while inner is not None and inner.op in ("sext", "zext"):
            inner = inner.args[0]
        cell = self.cells.get(str(inner.data)) if inner is not None and inner.op == "var" else None
        kind = cell.type if cell is not None else ""
        if kind.endswith("*"):
            return "NULL" if not value else self._address(int(t.data or 0))
        if kind == "char" and (32 <= value < 127 or value in _ESCAPES):
            return f"'{_ESCAPES.get(value, chr(value))}'"
        return str(value) if abs(value) < MAX_DECIMAL else hex(value)


def _type_name(width: int, signed: bool) -> str:
    """A type of C of that many bits, or of an int."""
    name = _C_TYPES.get(width, "int")
    return name if signed else "unsigned" if name == "int" else f"unsigned {name}"
