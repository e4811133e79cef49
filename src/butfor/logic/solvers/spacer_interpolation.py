"""Interpolants by z3's Spacer: the unknown relations between layers of a formula, as terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from butfor.logic.solvers.smtlib import assertions
from butfor.logic.solvers.solver import Limit
from butfor.logic.solvers.z3_solver import constants_of, import_z3, timeout_milliseconds
from butfor.logic.sorts import INT, Sort
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    arithmetic,
    binary,
    compare,
    concat,
    conjunction,
    const,
    disjunction,
    equal,
    extract,
    ite,
    negate,
    number,
    order,
    resize,
)

_OPTIONS = {"engine": "spacer", "xform.inline_eager": False, "xform.inline_linear": False, "xform.slice": False}
_BITS = {
    "bvadd": "add",
    "bvsub": "sub",
    "bvmul": "mul",
    "bvand": "and",
    "bvor": "or",
    "bvxor": "xor",
    "bvshl": "shl",
    "bvlshr": "lshr",
    "bvashr": "ashr",
    "bvudiv_i": "udiv",
    "bvsdiv_i": "sdiv",
    "bvurem_i": "urem",
    "bvsrem_i": "srem",
    "bvudiv": "udiv",
    "bvurem": "urem",
}
_ORDERS = {  # with whether the operands are swapped
    "bvult": ("ult", False),
    "bvule": ("ule", False),
    "bvugt": ("ult", True),
    "bvuge": ("ule", True),
    "bvslt": ("slt", False),
    "bvsle": ("sle", False),
    "bvsgt": ("slt", True),
    "bvsge": ("sle", True),
}
_NUMBER_ORDERS = {"<": ("lt", False), "<=": ("le", False), ">": ("lt", True), ">=": ("le", True)}
_NUMBER_OPERATIONS = {"+": "plus", "-": "minus", "*": "times", "div": "div", "mod": "mod"}


class _NotATerm(Exception):
    """The answer uses something that terms do not have."""


def interpolants(layers: Sequence[Sequence[Term]], shared: Sequence[Sequence[Term]], limit: Limit) -> list[Term] | None:
    """A term for each border between two layers, over the variables shared there; None if Spacer finds none in time.

    The layers together cannot hold. Each interpolant follows from the one before it and the layer between them.
    """
    if limit.left <= 0.0:
        return None
    z3 = import_z3()
    context = z3.Context()
    fixed = z3.Fixedpoint(ctx=context)
    fixed.set(timeout=timeout_milliseconds(limit), **_OPTIONS)
    relations = [_relation(z3, context, k, row) for k, row in enumerate(shared)]
    broken = z3.Function("contradiction", z3.BoolSort(ctx=context))
    for relation in (*relations, broken):
        fixed.register_relation(relation)
    for k, layer in enumerate(layers):
        body = list(z3.parse_smt2_string(assertions(layer), ctx=context))
        bound = {str(v): v for e in body for v in constants_of(z3, e)}
        for v in (*(shared[k - 1] if k else ()), *(shared[k] if k < len(shared) else ())):
            bound.setdefault(str(v.data), _variable(z3, context, v))
        before = [relations[k - 1](*(bound[str(v.data)] for v in shared[k - 1]))] if k else []
        head = relations[k](*(bound[str(v.data)] for v in shared[k])) if k < len(shared) else broken()
        rule = z3.Implies(z3.And(*before, *body, z3.BoolVal(True, ctx=context)), head)
        names = list(bound.values())
        fixed.add_rule(z3.ForAll(names, rule) if names else rule)
    try:
        answer = fixed.query(broken())
    except z3.Z3Exception:
        return None
    if answer != z3.unsat:
        return None
    return _answers(z3, fixed, relations, shared)


def _relation(z3: Any, context: Any, number_: int, row: Sequence[Term]) -> Any:
    return z3.Function(f"border{number_}", *(_sort(z3, context, v.width) for v in row), z3.BoolSort(ctx=context))


def _sort(z3: Any, context: Any, sort: Sort) -> Any:
    if sort > 0:
        return z3.BitVecSort(sort, ctx=context)
    return z3.BoolSort(ctx=context) if sort == 0 else z3.IntSort(ctx=context)


def _variable(z3: Any, context: Any, v: Term) -> Any:
    return z3.Const(str(v.data), _sort(z3, context, v.width))


def _answers(z3: Any, fixed: Any, relations: Sequence[Any], shared: Sequence[Sequence[Term]]) -> list[Term] | None:
    found = []
    try:
        for relation, row in zip(relations, shared, strict=True):
            cover = fixed.get_cover_delta(-1, relation)
            found.append(_Reader(z3, row).term(cover))
    except (_NotATerm, z3.Z3Exception):
        return None
    return found


class _Reader:
    """Expressions of z3 as terms; its bound variables are those of a border."""

    def __init__(self, z3: Any, row: Sequence[Term]) -> None:
        self.z3 = z3
        self.row = row

    def term(self, root: Any) -> Term:
        """The expression as a term."""
        known: dict[int, Term] = {}
        stack = [root]
        while stack:
            e = stack[-1]
            missing = [c for c in e.children() if c.get_id() not in known]
            if missing:
                stack += missing
                continue
            known[e.get_id()] = self._one(e, [known[c.get_id()] for c in e.children()])
            stack.pop()
        return known[root.get_id()]

    def _one(self, e: Any, a: list[Term]) -> Term:
        z3 = self.z3
        if z3.is_var(e):
            index: int = z3.get_var_index(e)
            return self.row[index]
        if z3.is_quantifier(e):
            raise _NotATerm
        if z3.is_bv_value(e):
            return const(e.as_long(), e.size())
        if z3.is_int_value(e):
            return number(e.as_long(), INT)
        name = e.decl().name()
        if name in ("true", "false"):
            return TRUE if name == "true" else FALSE
        return self._operation(e, name, a)

    def _operation(self, e: Any, name: str, a: list[Term]) -> Term:
        match name:
            case "and":
                return conjunction(a)
            case "or":
                return disjunction(a)
            case "not":
                return negate(a[0])
            case "=>":
                return disjunction((negate(a[0]), a[1]))
            case "=":
                return equal(a[0], a[1])
            case "distinct" if len(a) == 2:
                return negate(equal(a[0], a[1]))
            case "if":
                if a[1].width == 0:
                    return conjunction((disjunction((negate(a[0]), a[1])), disjunction((a[0], a[2]))))
                return ite(a[0], a[1], a[2])
            case "extract":
                high, low = e.params()
                return extract(a[0], low, high - low + 1)
            case "bit2bool":
                return equal(extract(a[0], e.params()[0], 1), const(1, 1))
            case "zero_extend" | "sign_extend":
                return resize(a[0], e.size(), name[0] == "s")
            case "concat":
                return concat(reversed(a))
            case "bvneg":
                return binary("sub", const(0, a[0].width), a[0])
            case "bvnot":
                return binary("xor", a[0], const(-1, a[0].width))
        return self._arithmetic(name, a)

    def _arithmetic(self, name: str, a: list[Term]) -> Term:
        if name in _BITS:
            return reduce(lambda x, y: binary(_BITS[name], x, y), a)
        if name in _ORDERS:
            op, swapped = _ORDERS[name]
            return compare(op, *(a[::-1] if swapped else a))
        if name in _NUMBER_ORDERS:
            op, swapped = _NUMBER_ORDERS[name]
            return order(op, *(a[::-1] if swapped else a))
        if name == "-" and len(a) == 1:
            return arithmetic("minus", number(0, INT), a[0])
        if name in _NUMBER_OPERATIONS and all(x.width == INT for x in a):
            return reduce(lambda x, y: arithmetic(_NUMBER_OPERATIONS[name], x, y), a)
        raise _NotATerm
