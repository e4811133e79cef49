"""Problems as SMT-LIB text, which solvers read faster than calls, and which any of them reads."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from butfor.logic.solvers.solver import Problem
from butfor.logic.sorts import REAL, sort_name
from butfor.logic.terms import Term, TermError, postorder

MAX_INLINE_CHARACTERS = 4_000  # longer expressions get a name of their own: nested ones would grow without bound
_NAMES = {
    **{op: f"bv{op}" for op in "add sub mul udiv urem sdiv srem and or xor shl lshr ashr ult ule slt sle".split()},
    "eq": "=",
    "ite": "ite",
    "concat": "concat",
    "not": "not",
    "plus": "+",
    "minus": "-",
    "times": "*",
    "lt": "<",
    "le": "<=",
    "toreal": "to_real",
    "toint": "to_int",
    "select": "select",
    "store": "store",
}
BITS, ALL = "(set-logic QF_BV)", "(set-logic ALL)"


def selector(number: int) -> str:
    """The name of the boolean that switches a group on."""
    return f"group{number}"


def script(problem: Problem[Any], with_selectors: bool) -> str:
    """The problem as text, its logic in the first line; with selectors, a group holds if its selector is assumed."""
    equations = [t for _, terms in problem.groups for t in terms]
    writer = _Writer([*equations, problem.goal])
    for number, (_, terms) in enumerate(problem.groups):
        if with_selectors:
            writer.lines.append(f"(declare-const {selector(number)} Bool)")
        for t in terms:
            writer.lines.append(
                f"(assert (=> {selector(number)} {writer.text(t)}))" if with_selectors else f"(assert {writer.text(t)})"
            )
    writer.lines.append(f"(assert {writer.text(problem.goal)})")
    return "\n".join((BITS if writer.only_bits else ALL, *writer.lines))


def assertions(terms: Iterable[Term]) -> str:
    """The terms as declarations and assertions."""
    chosen = list(terms)
    writer = _Writer(chosen)
    return "\n".join((*writer.lines, *(f"(assert {writer.text(t)})" for t in chosen)))


class _Writer:
    """Texts of terms; a term that is used twice is defined once, so that the text grows with the number of terms."""

    def __init__(self, roots: Iterable[Term]) -> None:
        self.lines: list[str] = []
        self.only_bits = True
        self._texts: dict[Term, str] = {}
        terms = list(postorder(roots))
        uses: dict[Term, int] = {}
        for t in terms:
            for a in t.args:
                uses[a] = uses.get(a, 0) + 1
        for number, t in enumerate(terms):
            text = self._expression(t)
            if t.width < 0:
                self.only_bits = False
            if t.op == "var":
                self.lines.append(f"(declare-const {text} {sort_name(t.width)})")
            elif t.args and (uses.get(t, 0) > 1 or len(text) > MAX_INLINE_CHARACTERS):
                self.lines.append(f"(define-fun term{number} () {sort_name(t.width)} {text})")
                text = f"term{number}"
            self._texts[t] = text

    def text(self, t: Term) -> str:
        """The text that stands for a term."""
        return self._texts[t]

    def _expression(self, t: Term) -> str:
        args = " ".join(self._texts[a] for a in t.args)
        match t.op:
            case "var":
                return f"|{t.data}|"
            case "const":
                return f"(_ bv{t.data} {t.width})"
            case "extract":
                low = int(t.data or 0)
                return f"((_ extract {low + t.width - 1} {low}) {args})"
            case "zext" | "sext":
                name = "zero_extend" if t.op == "zext" else "sign_extend"
                return f"((_ {name} {t.width - t.args[0].width}) {args})"
            case "all":
                return f"(and {args})" if t.args else "true"
            case "any":
                return f"(or {args})" if t.args else "false"
            case "number":
                return _number(Fraction(t.data or 0), t.width == REAL)
            case "div" | "mod" | "over":
                return self._division(t)
            case "everywhere":
                return f"((as const {sort_name(t.width)}) {args})"
            case op if op in _NAMES:
                return f"({_NAMES[op]} {args})"
        raise TermError(f"no operation is called {t.op}")

    def _division(self, t: Term) -> str:
        """A quotient or remainder, with the value that terms have where SMT-LIB leaves it open."""
        x, y = (self._texts[a] for a in t.args)
        text = f"({'/' if t.op == 'over' else t.op} {x} {y})"
        if t.args[1].op == "number" and t.args[1].data:
            return text
        zero = _number(Fraction(0), t.width == REAL)
        return f"(ite (= {y} {zero}) {x if t.op == 'mod' else zero} {text})"


def _number(value: Fraction, is_real: bool) -> str:
    point = ".0" if is_real else ""
    text = f"{abs(value.numerator)}{point}"
    if value.denominator != 1:
        text = f"(/ {text} {value.denominator}{point})"
    return f"(- {text})" if value < 0 else text
