"""Closures compiled from the text of an expression.

An instruction is executed millions of times, and a call costs more than the addition inside it. So an operation is
written as a Python expression with `{0}`, `{1}`, ... for its operands and compiled once per text and per pattern of
registers and constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from butfor.ir.instructions import Const, Operand
from butfor.trace.semantics.register_values import Closure, Pure, Value

Rule = str | Pure  # the text of an expression, or a function of the operand values
ConstOf = Callable[[Const], Value]


@cache
def _factory(text: str, shape: str) -> Callable[..., Closure]:
    """A function of `f` and the operands that gives the closure; `shape` has r for a register, c for a constant."""
    names = [f"v{i}" for i in range(len(shape))]
    reads = [f"regs[{name}]" if kind == "r" else name for name, kind in zip(names, shape, strict=True)]
    source = f"lambda f, {', '.join(names)}: lambda regs: {text.format(*reads)}"
    closure: Callable[..., Closure] = eval(source, {})  # the text comes from the tables of this package only
    return closure


def bind(text: str, operands: Sequence[Operand], const: ConstOf, f: Any = None, extra: Sequence[Any] = ()) -> Closure:
    """The closure that evaluates the text; `f` is free in it, `extra` are constants numbered after the operands."""
    shape = "".join("r" if isinstance(operand, int) else "c" for operand in operands) + "c" * len(extra)
    bound = [operand if isinstance(operand, int) else const(operand) for operand in operands]
    return _factory(text, shape)(f, *bound, *extra)


@cache
def _compiled(text: str, arity: int) -> Pure:
    """The function that evaluates the text for its operands."""
    names = [f"v{i}" for i in range(arity)]
    function: Pure = eval(f"lambda {', '.join(names)}: {text.format(*names)}", {})  # as above
    return function


def as_function(rule: Rule, arity: int) -> Pure:
    """The rule as a function of its operands."""
    return _compiled(rule, arity) if isinstance(rule, str) else rule


def apply(rule: Rule, operands: Sequence[Operand], const: ConstOf, elementwise: bool = False) -> Closure:
    """The closure that applies the rule to the operands, or to each element of vectors."""
    places = ", ".join(f"{{{i}}}" for i in range(len(operands)))
    if elementwise:
        return bind(f"tuple(map(f, {places}))", operands, const, as_function(rule, len(operands)))
    if isinstance(rule, str):
        return bind(rule, operands, const)
    return bind(f"f({places})", operands, const, rule)
