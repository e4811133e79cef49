"""Change candidates: the rules worth trying at each site that ran, in stages by how often they help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_rules import Op, Rule, real_bits, real_of
from butfor.counterfactual.comparison_relations import EQ, GE, LT, NE, WAS_FALSE, WAS_TRUE, comparison_changes
from butfor.counterfactual.fork_server import observed_values
from butfor.counterfactual.value_uses import ValueUses
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.ir.change_sites import NOWHERE, Site, SiteKind
from butfor.ir.instructions import Const, Function, Instr
from butfor.ir.machine_types import Kind, alloc_size, struct_layout
from butfor.ir.program import Program
from butfor.libc.library import allocation_sizes
from butfor.trace.semantics.integers import signed

_MAX_VALUES_PER_SITE = 10  # of one family; each costs a run
_BITS_OF_INT = 32
_MAX_SHIFT_OF_ZERO = 2  # a comparison with zero is hardly meant to be one with a number farther away
_MAX_COMMON_NUMBERS = 12  # of the whole program, per width
_MAX_FUNCTIONS_READ = 300  # for common numbers; in larger programs they say little about one function
_MAX_TERMS_PER_VALUE = 5  # variables that are added to one value
_MAX_OTHER_CALLEES = 6  # functions of the same type that are called instead
_LAST_OCCURRENCES = 4  # of a site that are changed alone, besides the first
_MAX_SCALED_SIZE = 1 << 20  # bytes; a larger allocation is not a count of elements that was taken for a size
_INITIAL_STEPS = (1, -1, 2, -2, 3, -3, 5, -5, 10, -10)
_ADD, _SUB, _MUL, _SDIV, _UDIV, _SREM, _UREM, _AND, _OR, _XOR, _SHL, _ASHR, _LSHR = range(13)
_SIGNED, _UNSIGNED = (_ADD, _SUB, _MUL, _SDIV, _SREM), (_ADD, _SUB, _MUL, _UDIV, _UREM)
_OTHER_OPERATORS = {
    **{op: tuple(o for o in _SIGNED if o != op) for op in _SIGNED},
    **{op: tuple(o for o in _UNSIGNED if o != op) for op in (_UDIV, _UREM)},
    _AND: (_OR, _XOR),
    _OR: (_AND, _XOR),
    _XOR: (_OR, _AND),
    _SHL: (_ASHR, _LSHR, _MUL),
    _ASHR: (_SHL, _LSHR),
    _LSHR: (_SHL, _ASHR),
}
_STEPS, _HALF_STEPS = tuple(map(real_bits, (1.0, -1.0))), tuple(map(real_bits, (0.5, -0.5, 0.1, -0.1)))
_STAGES = {
    "boundary": 0.0,
    "reversed": 0.0,
    "outcome": 0.0,
    "truth": 0.0,
    "compound": 2.0,
    "relation": 0.5,
    "flip": 0.0,
    "force": 0.5,
    "keep": 1.0,
    "skip": 1.0,
    "operator": 1.0,
    "variable": 1.0,
    "shift": 1.5,
    "case": 1.5,
    "literal": 1.0,
    "named": 1.0,
    "near": 2.0,
    "operand": 2.0,
    "member": 2.0,
    "index": 2.0,
    "term": 2.5,
    "initial": 1.5,
    "call": 2.0,
    "value": 3.0,
    "size": 1.0,
    "solved": 4.0,
    "once": 4.0,
}
_ELEMENT_SIZES = (4, 8, 2)  # bytes, where a count of elements was taken for a size


@dataclass(frozen=True, slots=True)
class ChangeCandidate:
    """A rule that may avoid the failure."""

    rule: Rule
    site: Site
    family: str  # of the edit that it stands for
    operator: int | None = None  # of a comparison: the operator that would do the same
    is_total: bool = False  # of a comparison: every outcome that occurred changes

    @property
    def stage(self) -> float:
        """When to try it: families that found most per run in experiments have the lowest stage."""
        return _STAGES[self.family]


# From a site, its function, its instruction and what it saw to rules with their families.
_Proposal = Callable[[Site, Function, Instr, np.void], Iterator[tuple[str, Rule]]]


class ChangeCandidates:
    """Candidates for the sites of one program, from what the sites saw in the failing run."""

    def __init__(
        self,
        variables: VariablesInScope,
        observations: NDArray[np.void],
        other_values: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self.program = variables.program
        self.observations = observations
        self.other_values = other_values or {}  # by site: values that it saw in other runs
        self.variables = variables
        self._uses_by_function: dict[str, ValueUses] = {}
        self._proposals: dict[SiteKind, _Proposal] = {
            SiteKind.LOAD: self._load,
            SiteKind.STORE: self._store,
            SiteKind.COMPARE: self._compare,
            SiteKind.BRANCH: self._branch,
            SiteKind.OPERATION: self._operation,
            SiteKind.CALL: self._call,
            SiteKind.CONSTANT: self._constant,
            SiteKind.RESULT: self._result,
            SiteKind.SWITCH: self._switch,
            SiteKind.ADDRESS: self._address,
        }

    def _uses(self, fn: Function) -> ValueUses:
        return self._uses_by_function.setdefault(fn.name, ValueUses(fn))

    def at(self, site: Site) -> Iterator[ChangeCandidate]:
        """The candidates of one site; none if it did not run."""
        row = self.observations[site.number]
        if not row["count"]:
            return
        fn = self.program.function(site.function)
        instr = fn.instrs[site.instr]
        if site.kind is SiteKind.COMPARE:
            zero = instr.args[1]
            is_truth = site.operator in (EQ, NE) and isinstance(zero, Const) and not zero.value
            for change in comparison_changes(site, int(row["relations"]), is_truth=is_truth):
                yield ChangeCandidate(change.rule, site, change.family, change.operator, change.is_total)
        for rule in self._size(site, fn, instr, row):
            yield ChangeCandidate(rule, site, "size")
        for family, rule in self._proposals[site.kind](site, fn, instr, row):
            yield ChangeCandidate(rule, site, family)

    def at_single_occurrences(self, site: Site) -> Iterator[ChangeCandidate]:
        """Flipped branches and skipped assignments at a single occurrence: one of the last ones, or the first."""
        count = int(self.observations[site.number]["count"])
        if count > 1 and site.kind in (SiteKind.COMPARE, SiteKind.BRANCH, SiteKind.STORE):
            op = Op.KEEP if site.kind is SiteKind.STORE else Op.FLIP
            for k in sorted({1, *range(max(1, count - _LAST_OCCURRENCES + 1), count + 1)}, reverse=True):
                yield ChangeCandidate(Rule(site.number, op, only=k), site, "once")

    def _size(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[Rule]:
        """Rules that allocate more memory, where a value is its size: one byte more, or elements instead of bytes."""
        is_size = (
            site.kind is SiteKind.CONSTANT and instr.op == "call" and site.operand in allocation_sizes(instr.callee)
        )
        is_value = (
            site.kind in (SiteKind.LOAD, SiteKind.OPERATION, SiteKind.RESULT) and instr.slot in self._uses(fn).sizes
        )
        if not is_size and not is_value:
            return
        yield Rule(site.number, Op.ADD, 1)
        met = observed_values(row)
        if site.kind is not SiteKind.OPERATION and len(met) == 1 and 0 < met[0] < _MAX_SCALED_SIZE:
            for times in _ELEMENT_SIZES:
                yield Rule(site.number, Op.SET, met[0] * times)

    # --- conditions -----------------------------------------------------------------------------------------

    def _compare(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        right = instr.args[1]
        if not site.is_real and not site.is_pointer:
            is_zero = isinstance(right, Const) and not right.value and site.operator in (EQ, NE)
            family = "literal" if isinstance(right, Const) else "shift"
            if is_zero and site.operator == NE:
                family = "near"  # `if (x)` has no literal to mistype: with 1 instead of 0 it is as if x had been 1 less
            for shift in self._shifts(site, row):
                yield (
                    "value" if is_zero and abs(shift) > _MAX_SHIFT_OF_ZERO else family,
                    Rule(site.number, Op.SHIFT, shift),
                )
        if site.is_real and isinstance(right, Const) and right.kind == "float" and site.bits == 64:
            was = real_of(signed(right.value, 64))
            for value in dict.fromkeys((0.0, 1.0, -was, was / 10, was * 10, was + 1, was - 1, was / 2, was * 2)):
                if value != was:
                    yield "literal", Rule(site.number, Op.SHIFT, real_bits(value - was))
        if isinstance(right, Const) and not (right.value is None or (site.is_pointer or right.value == 0)):
            for rule in self.variables.replacements(site, fn, instr, None, right=True):
                yield "variable", rule

    def _forced(self, site: Site, relations: int) -> Iterator[tuple[str, Rule]]:
        yield "flip", Rule(site.number, Op.FLIP)
        if relations & WAS_FALSE and relations & WAS_TRUE:
            yield "force", Rule(site.number, Op.TRUE)
            yield "force", Rule(site.number, Op.FALSE)

    def _shifts(self, site: Site, row: np.void) -> list[int]:
        """Numbers to add to the right side so that the boundary lies between two other differences that occurred."""
        met = sorted(set(observed_values(row)))
        if site.operator in (EQ, NE):
            return [d for d in met if d != 0][:_MAX_VALUES_PER_SITE]
        strict = site.operator in (LT, GE)  # a < b + d, a >= b + d: between d - 1 and d
        lines = {d if strict else d - 1 for d in met} | {d + 1 if strict else d for d in met}
        unchanged = (0, 1 if strict else -1)  # the same comparison, and the one with another operator
        return sorted((d for d in lines if d not in unchanged), key=abs)[:_MAX_VALUES_PER_SITE]

    def _branch(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        yield from self._forced(site, int(row["relations"]))

    def _switch(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        cases = [value for value, _ in instr.detail[1]]
        other = next(v for v in range(len(cases) + 1) if v not in cases)
        for value in (*cases[:_MAX_VALUES_PER_SITE], other):
            yield "case", Rule(site.number, Op.SET, signed(value, site.bits))

    # --- values ---------------------------------------------------------------------------------------------

    def _load(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        for rule in self.variables.replacements(site, fn, instr, instr.args[0]):
            yield "variable", rule
        yield from self._neighbours(site)
        if instr.slot in self._uses(fn).indices:
            for rule in self.variables.additions(site, fn, instr):
                yield "index", rule
        if not site.is_pointer and not site.is_real:
            yield from self._plausible_values(site, fn, row, ())

    def _store(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        yield "keep", Rule(site.number, Op.KEEP)
        if not site.is_pointer:
            for operator in (_ADD, _SUB, _MUL):
                yield "compound", Rule(site.number, Op.COMPOUND, operator)
        value = instr.args[0]
        if isinstance(value, Const):
            yield from self._constant(site, fn, instr, row)
            return
        if not site.is_real and not site.is_pointer:
            yield from self._plausible_values(site, fn, row, ())
        elif site.is_real:
            yield from self._simple_reals(site)
        if not site.is_pointer and value not in self._uses(fn).computed:
            yield from self._terms(site, fn, instr)

    def _constant(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        if instr.op == "call" and site.is_pointer:
            for rule in self.variables.other_addresses(site, fn, instr):
                yield "variable", rule
        target = instr.args[1] if instr.op == "store" else None
        for rule in self.variables.replacements(site, fn, instr, target):
            yield "variable", rule
        is_small = site.is_real or all(abs(v) <= 1 for v in observed_values(row))
        yield from self._neighbours(site, "literal", negated="literal" if is_small else "near")  # -1 for 1, not -600
        if site.is_real:
            yield from self._simple_reals(site)
        elif not site.is_pointer:
            doubled = (v * 2 for v in observed_values(row))
            yield from self._plausible_values(
                site, fn, row, (*doubled, 2, 3, -2, *_fitting(self._common_numbers, site.bits))
            )

    def _result(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        yield from self._neighbours(site)
        if not site.is_real:
            for value in (0,) if site.is_pointer else (0, 1, -1):
                yield "value", Rule(site.number, Op.SET, value)

    def _neighbours(self, site: Site, family: str = "near", negated: str = "near") -> Iterator[tuple[str, Rule]]:
        if site.is_pointer:
            return
        for amount in _STEPS if site.is_real else (1, -1):
            yield family, Rule(site.number, Op.ADD, amount)
        yield negated, Rule(site.number, Op.NEGATE)

    def _simple_reals(self, site: Site) -> Iterator[tuple[str, Rule]]:
        for value in (0.0, 1.0, -1.0):
            yield "value", Rule(site.number, Op.SET, real_bits(value))

    def _plausible_values(
        self, site: Site, fn: Function, row: np.void, more: tuple[int, ...]
    ) -> Iterator[tuple[str, Rule]]:
        """Rules that set a value seen in other runs, a small one, or a constant of the function."""
        met = set(observed_values(row))
        pool = dict.fromkeys((0, 1, -1, *sorted(_fitting(self._uses(fn).constants, site.bits), key=abs), *more))
        pool = dict.fromkeys((*self.other_values.get(site.number, ()), *pool))
        chosen = [v for v in pool if met != {v}]
        for value in chosen[: (4 if more else 2) * _MAX_VALUES_PER_SITE]:
            yield "value", Rule(site.number, Op.SET, value)

    @cached_property
    def _common_numbers(self) -> dict[int, list[int]]:
        """The integers that the program compares with, by width, the most frequent first."""
        found: dict[int, Counter[int]] = {}
        for name in self.program.names if len(self.program.names) <= _MAX_FUNCTIONS_READ else ():
            for instr in self.program.function(name).instrs:
                if instr.op == "icmp" and isinstance(instr.args[1], Const) and instr.args[1].kind == "int":
                    bits = instr.args[1].type.bits
                    found.setdefault(bits, Counter())[signed(instr.args[1].value, bits)] += 1
                elif instr.op == "switch":
                    bits = instr.detail[2].bits
                    found.setdefault(bits, Counter()).update(signed(value, bits) for value, _ in instr.detail[1])
        return {bits: [value for value, _ in counts.most_common(_MAX_COMMON_NUMBERS)] for bits, counts in found.items()}

    # --- operators, calls, members --------------------------------------------------------------------------

    def _operation(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        left, right = instr.args
        if site.is_real:
            for other in range(4):
                if other != site.operator:
                    yield "operator", Rule(site.number, Op.OPERATOR, other)
            if isinstance(right, Const):
                for amount in (*_STEPS, *_HALF_STEPS):
                    yield "literal", Rule(site.number, Op.RIGHT, amount)
        else:
            for other in _OTHER_OPERATORS[site.operator]:
                yield "operator", Rule(site.number, Op.OPERATOR, other)
            if isinstance(right, Const):
                for amount in (1, -1, 2, -2):
                    yield "literal", Rule(site.number, Op.RIGHT, amount)
        yield "operand", Rule(site.number, Op.ONLY_LEFT)
        if not isinstance(right, Const):
            yield "operand", Rule(site.number, Op.ONLY_RIGHT)
            if site.operator in (_SUB, _SDIV, _UDIV, _SREM, _UREM) if not site.is_real else site.operator in (1, 3):
                yield "operator", Rule(site.number, Op.SWAP)
        elif isinstance(left, int) and not site.is_real:
            for rule in self.variables.replacements(site, fn, instr, None, right=True):
                yield "variable", rule
        for value in _STEPS if site.is_real else (1, -1):
            yield "near", Rule(site.number, Op.ADD, value)
        yield from self._terms(site, fn, instr)

    def _terms(self, site: Site, fn: Function, instr: Instr) -> Iterator[tuple[str, Rule]]:
        """Rules that add or subtract another variable: perhaps a term is missing."""
        for times in (1, -1):
            for rule in self.variables.additions(site, fn, instr, times, _MAX_TERMS_PER_VALUE):
                yield "term", rule

    def _call(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        yield "skip", Rule(site.number, Op.SKIP)
        if instr.callee is None or not self.program.defines(instr.callee):
            return
        signature = replace(self.program.source.signature(instr.callee), variadic=False)
        names = self.program.function_table
        others = (k for k in self.program.alike_functions.get(signature, ()) if names[k] not in (instr.callee, fn.name))
        for number in islice(others, _MAX_OTHER_CALLEES):
            yield "call", Rule(site.number, Op.CALL, number, name=names[number])

    def _address(self, site: Site, fn: Function, instr: Instr, row: np.void) -> Iterator[tuple[str, Rule]]:
        source, indices = instr.detail[0], instr.args[1:]
        if source.kind is Kind.STRUCT and len(indices) == 2 and isinstance(indices[1], Const):
            offsets = struct_layout(source)[0]
            here = indices[1].value or 0
            for k, t in enumerate(source.elems):
                if k != here and t == source.elems[here]:
                    yield "member", Rule(site.number, Op.ADD, offsets[k] - offsets[here], name=str(k))
        elif len(indices) == 1 or (source.kind is Kind.ARRAY and len(indices) == 2):
            size = alloc_size(source.elem if source.kind is Kind.ARRAY and len(indices) == 2 else source)
            # The array as such: there is no index to mistype.
            is_whole = len(indices) == 2 and isinstance(indices[1], Const) and not indices[1].value
            yield "value" if is_whole else "literal", Rule(site.number, Op.ADD, size)
            yield "value" if is_whole else "literal", Rule(site.number, Op.ADD, -size)
            for rule in self.variables.additions(site, fn, instr, size):
                yield "index", rule


def _fitting(by_width: Mapping[int, Iterable[int]], bits: int) -> Iterator[int]:
    """The numbers that a value of a width can have; C computes with `int` what is stored in another width."""
    yield from by_width.get(bits, ())
    if bits in (8, 16, 64):
        yield from (n for n in by_width.get(_BITS_OF_INT, ()) if -(1 << bits - 1) <= n < 1 << bits)


def initial_value_candidates(program: Program, name: str, offset: int, size: int) -> Iterator[ChangeCandidate]:
    """The candidates that change one element of a global's initial value."""
    number = next((k for k, (n, _) in enumerate(program.global_table) if n == name), -1)
    site = Site(NOWHERE, "", -1, SiteKind.INITIAL, bits=8 * size)
    for amount in _INITIAL_STEPS if number >= 0 else ():
        yield ChangeCandidate(Rule(NOWHERE, Op.INITIAL, amount, offset, number, size, name), site, "initial")
