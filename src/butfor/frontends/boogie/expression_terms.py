"""Boogie expressions as terms.

Functions are inlined where they are used; what the language leaves open (functions without a body, division by zero) is
an arbitrary map, the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from butfor.frontends.boogie.boogie_syntax import Expr, Function, Program
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.boogie_types import TypeRules, postorder
from butfor.logic import terms as t
from butfor.logic.sorts import INT, REAL, MapSort
from butfor.logic.terms import FALSE, TRUE, Term
from butfor.path.path_model import Cell

Lookup = Callable[[str, bool], Term]
"""The term of a variable by its name, at the start of the procedure where the second argument says so."""

_ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "div": "div", "mod": "mod", "/": "over"}
_BINARY = {f"bv{op}": op for op in t.BINARY}
_COMPARISONS = {f"bv{op}": op for op in t.COMPARISONS if op != "eq"}
_TURNED = {"bvugt": "ult", "bvuge": "ule", "bvsgt": "slt", "bvsge": "sle"}
_EXTEND = re.compile(r"\(?_?\s*(zero|sign)_extend\s+(\d+)\s*\)?\Z")


class ExpressionTerms:
    """The terms of one program's expressions.

    `cells` are those of the constants, open functions and divisions by zero that occurred.
    """

    def __init__(self, text: BoogieText, program: Program) -> None:
        self.text = text
        self.program = program
        self.type_rules = TypeRules(text, program)
        self.cells: dict[str, Cell] = {}

    def term(self, root: Expr, lookup: Lookup) -> Term:
        """The term of an expression that was checked."""
        known: dict[Expr, Term] = {}
        for expr, is_old in postorder(root):
            known[expr] = self._one(expr, is_old, [known[a] for a in expr.args], lookup)
        return known[root]

    def constant(self, name: str) -> Term:
        """The term of a constant of the program."""
        declared = self.program.constants[name]
        return self._cell(name, self.type_rules.sort(declared.type, declared.span), name, str(declared.type))

    def _cell(self, name: str, sort: int, shown: str, kind: str) -> Term:
        cell = self.cells.get(name)
        if cell is None:
            cell = self.cells[name] = Cell(name, sort, shown, kind)
        return cell.term

    def _one(self, expr: Expr, is_old: bool, a: list[Term], lookup: Lookup) -> Term:
        match expr.op:
            case "int":
                return t.number(int(expr.data), INT)
            case "real":
                return t.number(Fraction(expr.data), REAL)
            case "bits":
                value, _, width = expr.data.partition("bv")
                return t.const(int(value), int(width))
            case "true" | "false":
                return TRUE if expr.op == "true" else FALSE
            case "name":
                return lookup(expr.data, is_old)
            case "old":
                return a[0]
            case "not":
                return t.negate(a[0])
            case "minus":
                return (
                    t.number(-Fraction(a[0].data or 0), a[0].width)
                    if a[0].op == "number"
                    else t.arithmetic("minus", _zero(a[0]), a[0])
                )
            case "to_int" | "to_real":
                return t.converted(a[0], INT if expr.op == "to_int" else REAL)
            case "choice":
                return t.ite(a[0], a[1], a[2])
            case "apply":
                return self._applied(expr, a)
            case "select":
                return _selected(a[0], a[1:])
            case "update":
                return stored(a[0], a[1:-1], a[-1])
            case "extract":
                high, low = map(int, expr.data.split(":"))
                return t.extract(a[0], low, high - low)
        return self._binary(expr.op, a[0], a[1])

    def _binary(self, op: str, x: Term, y: Term) -> Term:
        match op:
            case "==" | "<==>":
                return t.equal(x, y)
            case "!=":
                return t.negate(t.equal(x, y))
            case "&&":
                return t.conjunction((x, y))
            case "||":
                return t.disjunction((x, y))
            case "==>":
                return t.implies(x, y)
            case "<" | ">":
                return t.order("lt", *((x, y) if op == "<" else (y, x)))
            case "<=" | ">=":
                return t.order("le", *((x, y) if op == "<=" else (y, x)))
            case "++":
                return t.concat((y, x))
        if op == "/":
            x, y = (t.converted(v, REAL) if v.width == INT else v for v in (x, y))
        if op in ("div", "mod", "/"):
            return self._division(op, x, y)
        return t.arithmetic(_ARITHMETIC[op], x, y)

    def _division(self, op: str, x: Term, y: Term) -> Term:
        """The language does not say what a division by zero gives: any value, the same for the same dividend."""
        whole = t.arithmetic(_ARITHMETIC[op], x, y)
        if y.op == "number" and y.data:
            return whole
        by_zero = self._cell(f"x {op} 0", MapSort(x.width, x.width), f"x {op} 0", "")
        return t.ite(t.equal(y, _zero(y)), t.select(by_zero, x), whole)

    def _applied(self, expr: Expr, args: list[Term]) -> Term:
        function = self.program.functions[expr.data]
        if function.builtin:
            return self._builtin(expr, function, args)
        if function.body is not None:
            bound = {p.name: a for p, a in zip(function.params, args, strict=True)}
            return self.term(function.body, lambda name, is_old: bound[name] if name in bound else self.constant(name))
        sort = self.type_rules.sort(function.result, function.span)
        for a in reversed(args):
            if a.width < REAL:
                raise self.text.unsupported(expr.span, "a function without a body that takes a map")
            sort = MapSort(a.width, sort)
        return _selected(self._cell(f"{function.name}()", sort, function.name, "function"), args)

    def _builtin(self, expr: Expr, function: Function, a: list[Term]) -> Term:
        found = self._operation(expr, function.builtin.strip(), a)
        if found.width != self.type_rules.sort(function.result, function.span):
            raise self.text.error(expr.span, f"{function.builtin} does not give a {function.result}")
        return found

    def _operation(self, expr: Expr, name: str, a: list[Term]) -> Term:
        extension = _EXTEND.match(name)
        try:
            if name in _BINARY and len(a) == 2:
                return t.binary(_BINARY[name], a[0], a[1])
            if name in _COMPARISONS and len(a) == 2:
                return t.compare(_COMPARISONS[name], a[0], a[1])
            if name in _TURNED and len(a) == 2:
                return t.compare(_TURNED[name], a[1], a[0])
            if name == "bvnot" and len(a) == 1:
                return t.binary("xor", a[0], t.const(-1, a[0].width))
            if name == "bvneg" and len(a) == 1:
                return t.binary("sub", t.const(0, a[0].width), a[0])
            if extension and len(a) == 1:
                return t.resize(a[0], a[0].width + int(extension[2]), signed=extension[1] == "sign")
        except t.TermError as e:
            raise self.text.error(expr.span, f"{name} does not fit its arguments") from e
        raise self.text.unsupported(expr.span, f"the builtin function {name}")


def _zero(x: Term) -> Term:
    return t.number(0, x.width)


def _selected(m: Term, indexes: list[Term]) -> Term:
    for index in indexes:
        m = t.select(m, index)
    return m


def stored(m: Term, indexes: list[Term], value: Term) -> Term:
    """The map with another value at some indexes, one behind the other."""
    inner = [m]
    for index in indexes[:-1]:
        inner.append(t.select(inner[-1], index))
    for outer, index in zip(reversed(inner), reversed(indexes), strict=True):
        value = t.store(outer, index, value)
    return value
