"""Decisions of instructions on the input: branches, divisors, indirect calls."""

from __future__ import annotations

from butfor.concolic.path_condition import Alternative
from butfor.concolic.shadow_state import UNKNOWN, Shadow, ShadowFrame
from butfor.ir.instructions import Instr
from butfor.logic.byte_rules import bit_is_set, simple_equal
from butfor.logic.terms import Term, conjunction, const, disjunction, negate


def branch(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Add the decision of a branch or switch whose condition depends on the input."""
    term, value = f.term(instr.args[0]), shadow.concrete(f, instr.args[0])
    if term is None or value is UNKNOWN:
        return
    if instr.op == "br":
        condition = bit_is_set(term)
        held, other = (condition, negate(condition)) if value else (negate(condition), condition)
        shadow.decide(
            held, (_alternative(shadow, other, f, instr, instr.detail[1 if value else 0], 1 if value else 0),)
        )
        return
    default, cases, _ = instr.detail
    by_target: dict[int, list[Term]] = {}
    for case, target in cases:
        by_target.setdefault(target, []).append(simple_equal(term, const(int(case or 0), term.width)))
    none = conjunction(negate(t) for terms in by_target.values() for t in terms)
    outcomes = {target: disjunction(terms) for target, terms in by_target.items() if target != default}
    outcomes[default] = disjunction((none, *by_target.get(default, ())))
    taken = dict(cases).get(value, default)
    others = tuple(
        _alternative(shadow, t, f, instr, target, target) for target, t in outcomes.items() if target != taken
    )
    shadow.decide(outcomes[taken], others)


def _alternative(shadow: Shadow, term: Term, f: ShadowFrame, instr: Instr, target: int, outcome: int) -> Alternative:
    return Alternative(
        term,
        (f.fn.name, instr.index, outcome),
        shadow.facts.segment_of(f.fn, target),
        shadow.facts.is_error(f.fn, target),
    )


def division(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Decide that a division does not trap: the divisor is not zero, nor -1 with the least dividend."""
    divisor = shadow.operand(f, instr.args[1])
    dividend = shadow.operand(f, instr.args[0])
    zero = const(0, divisor.width)
    bad = simple_equal(divisor, zero)
    if instr.op[0] == "s":
        least = simple_equal(dividend, const(1 << divisor.width - 1, divisor.width))
        bad = disjunction((bad, conjunction((least, simple_equal(divisor, const(-1, divisor.width))))))
    if bad.args or bad.op == "var":
        shadow.decide(negate(bad), (Alternative(bad, (f.fn.name, instr.index, 1), is_error=True),))


def chosen_function(shadow: Shadow, f: ShadowFrame, instr: Instr, target: int) -> None:
    """Decide which function is called through a pointer that depends on the input."""
    term = f.term(instr.args[-1])
    if term is not None:
        held = simple_equal(term, const(target, 64))
        shadow.decide(held, (Alternative(negate(held), (f.fn.name, instr.index, 20)),))
