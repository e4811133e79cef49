"""Decisions of instructions on the input: branches, divisors, indirect calls."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.concolic.path_condition import Alternative
from butfor.concolic.shadow_state import UNKNOWN, Shadow, ShadowFrame
from butfor.ir.instructions import Instr
from butfor.logic.byte_rules import bit_is_set, simple_equal
from butfor.logic.signed_overflow import fits_signed
from butfor.logic.terms import Term, compare, conjunction, const, disjunction, negate


def branch(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Add the decision of a branch or switch whose condition depends on the input."""
    term, value = f.term(instr.args[0]), shadow.concrete(f, instr.args[0])
    if term is None or value is UNKNOWN:
        return
    if instr.op == "br":
        condition = bit_is_set(term)
        held, other = (condition, negate(condition)) if value else (negate(condition), condition)
        target, outcome = instr.detail[1 if value else 0], 1 if value else 0
        shadow.decide(held, tuple(_alternatives(shadow, other, f, instr, target, outcome)))
        return
    default, cases, _ = instr.detail
    by_target: dict[int, list[Term]] = {}
    for case, target in cases:
        by_target.setdefault(target, []).append(simple_equal(term, const(int(case or 0), term.width)))
    none = conjunction(negate(t) for terms in by_target.values() for t in terms)
    outcomes = {target: disjunction(terms) for target, terms in by_target.items() if target != default}
    outcomes[default] = disjunction((none, *by_target.get(default, ())))
    taken = dict(cases).get(value, default)
    others = [
        other
        for target, t in outcomes.items()
        if target != taken
        for other in _alternatives(shadow, t, f, instr, target, target)
    ]
    shadow.decide(outcomes[taken], tuple(others))


def _alternatives(
    shadow: Shadow, term: Term, f: ShadowFrame, instr: Instr, target: int, outcome: int
) -> Iterator[Alternative]:
    """The alternative that leads to a block, unless no run comes there."""
    if not shadow.facts.cannot_fail(f.fn, target):
        site = (f.fn.name, instr.index, outcome)
        yield Alternative(term, site, shadow.facts.segment_of(f.fn, target), shadow.facts.is_error(f.fn, target))


def division(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Decide that a division does not trap: the divisor is not zero, nor -1 with the least dividend."""
    if shadow.facts.checks.holds(f.fn.name, instr.index, "division"):
        return
    divisor = shadow.operand(f, instr.args[1])
    dividend = shadow.operand(f, instr.args[0])
    zero = const(0, divisor.width)
    bad = simple_equal(divisor, zero)
    if instr.op[0] == "s":
        least = simple_equal(dividend, const(1 << divisor.width - 1, divisor.width))
        bad = disjunction((bad, conjunction((least, simple_equal(divisor, const(-1, divisor.width))))))
    if bad.args or bad.op == "var":
        shadow.decide(negate(bad), (Alternative(bad, (f.fn.name, instr.index, 1), is_error=True),))


def arithmetic(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Decide that signed arithmetic does not overflow and that a shift is not too far, where these are failures."""
    if instr.op in ("shl", "lshr", "ashr"):
        amount = shadow.operand(f, instr.args[1])
        held = compare("ult", amount, const(amount.width, amount.width))
    elif instr.detail == "nsw":
        held = fits_signed(instr.op, *(shadow.operand(f, a) for a in instr.args))
    else:
        return
    if shadow.value_of(held):
        shadow.decide(held, (Alternative(negate(held), (f.fn.name, instr.index, 40), is_error=True),))


def chosen_function(shadow: Shadow, f: ShadowFrame, instr: Instr, target: int) -> None:
    """Decide which function is called through a pointer that depends on the input."""
    term = f.term(instr.args[-1])
    if term is not None:
        held = simple_equal(term, const(target, 64))
        shadow.decide(held, (Alternative(negate(held), (f.fn.name, instr.index, 20)),))
