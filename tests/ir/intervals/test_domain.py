"""The abstract domains against concrete numbers: whatever is concretely so is never excluded."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.ir.flow_graphs import Component, OrderElement, weak_topological_order
from butfor.ir.intervals.abstract_arithmetic import Arithmetic, signed_range
from butfor.ir.intervals.abstract_state import AbstractState, Content
from butfor.ir.intervals.abstract_values import hull, joined, widened
from butfor.ir.intervals.join_and_widen import Joiner
from butfor.ir.intervals.linear_terms import Linear, add, constant, plus, sub, substitute, symbol, times
from butfor.ir.intervals.range_access import RangeAccess
from butfor.ir.intervals.state_covering import covers
from butfor.ir.intervals.symbol_facts import SymbolFacts

SMALL = st.integers(-20, 20)
TERMS = st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 3)), max_size=3)
VALUES = st.fixed_dictionaries(dict.fromkeys(range(1, 5), SMALL))
OPERATORS = st.sampled_from("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
PREDICATES = st.sampled_from("eq ne slt sle sgt sge ult ule ugt uge".split())


def linear(terms: list[tuple[int, int]], const: int) -> Linear:
    """A term from loose parts."""
    found = constant(const)
    for s, k in terms:
        found = add(found, times(symbol(s), k))
    return found


def value(e: Linear, values: dict[int, int]) -> int:
    """What a term is for some values of its symbols."""
    return e.const + sum(k * values[s] for s, k in e.terms)


def known(values: dict[int, int], facts: list[Linear]) -> SymbolFacts:
    """Numbers that allow the values, with assumptions that hold for them."""
    numbers = SymbolFacts()
    numbers.ranges = dict.fromkeys(values, (-20, 20))
    for e in facts:
        v = value(e, values)
        assert numbers.assume_nonpositive(plus(e, -v - abs(v) % 3))  # e <= v, or a little more
        if v:
            assert numbers.assume_nonzero(e)
    return numbers


FACTS = st.lists(st.builds(linear, TERMS, SMALL), max_size=6)


@given(VALUES, FACTS, st.builds(linear, TERMS, SMALL))
def test_bounds_hold(values: dict[int, int], facts: list[Linear], e: Linear) -> None:
    numbers = known(values, facts)
    low, high = numbers.range(e)
    assert low <= value(e, values) <= high
    assert all(a <= values[s] <= b for s, (a, b) in numbers.ranges.items())
    assert all(values[s] - values[t] <= c for (s, t), c in numbers.differences.items())
    if value(e, values) == 0 and e.terms:
        assert not numbers.is_nonzero(e)


def test_differences_are_closed() -> None:
    numbers = SymbolFacts()
    numbers.ranges = dict.fromkeys((1, 2, 3), (-(2**31), 2**31 - 1))
    assert numbers.assume_nonpositive(plus(sub(symbol(1), symbol(2)), 1))
    assert numbers.assume_nonpositive(plus(sub(symbol(2), symbol(3)), 1))
    assert numbers.upper(sub(symbol(1), symbol(3))) == -2
    assert not numbers.copy().assume_nonpositive(sub(symbol(3), symbol(1)))


def read(bits: int, unsigned: int, signed: bool) -> int:
    """The number of some bits."""
    half = 1 << (bits - 1)
    return unsigned - 2 * half if signed and unsigned >= half else unsigned


def concrete(op: str, bits: int, a: int, b: int) -> int | None:
    """The bits of a result, None where there is none."""
    whole = 1 << bits
    x, y = (read(bits, v, op in ("sdiv", "srem", "ashr")) for v in (a, b))
    if op in ("shl", "lshr", "ashr") and b >= bits:
        return None
    if op in ("udiv", "sdiv", "urem", "srem"):
        if y == 0:
            return None
        q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return (q if op.endswith("div") else x - q * y) % whole
    table = {"add": x + y, "sub": x - y, "mul": x * y, "and": x & y, "or": x | y, "xor": x ^ y}
    if op in table:
        return table[op] % whole
    return ((x << b) if op == "shl" else (x >> b)) % whole


@st.composite
def operand(draw: st.DrawFn, bits: int) -> tuple[int, int, int]:
    """A number of some bits as a term may hold it, with a range around it."""
    low, high = signed_range(bits)
    v = draw(st.integers(low, 2 * high + 1))
    around = draw(st.sampled_from([0, 1, 3, 1 << (bits - 1)]))
    return v, max(low, v - around), min(2 * high + 1, v + around)


@settings(max_examples=400)
@given(OPERATORS, st.sampled_from([1, 4, 8]), st.data())
def test_operators_hold(op: str, bits: int, data: st.DataObject) -> None:
    arithmetic = Arithmetic(SymbolFacts(), itertools.count(1))
    a, b = data.draw(operand(bits)), data.draw(operand(bits))
    x, y = (
        arithmetic.fresh_in(a[1], a[2]),
        arithmetic.fresh_in(b[1], b[2]) if data.draw(st.booleans()) else constant(b[0]),
    )
    result = arithmetic.binary(op, x, y, bits, nsw=data.draw(st.booleans()))
    expected = concrete(op, bits, a[0] % (1 << bits), b[0] % (1 << bits))
    low, high = arithmetic.numbers.range(result)
    assert signed_range(bits)[0] <= low
    assert high < 1 << bits
    if expected is not None:
        assert any(low <= v <= high for v in (expected, expected - (1 << bits)))


@settings(max_examples=300)
@given(PREDICATES, st.sampled_from([4, 8]), st.data())
def test_comparisons_hold(predicate: str, bits: int, data: st.DataObject) -> None:
    arithmetic = Arithmetic(SymbolFacts(), itertools.count(1))
    a, b = data.draw(operand(bits)), data.draw(operand(bits))
    x, y = arithmetic.fresh_in(a[1], a[2]), arithmetic.fresh_in(b[1], b[2])
    u, v = (read(bits, o[0] % (1 << bits), predicate[0] == "s") for o in (a, b))
    outcome = {"eq": u == v, "ne": u != v}.get(predicate)
    if outcome is None:
        outcome = {"lt": u < v, "le": u <= v, "gt": u > v, "ge": u >= v}[predicate[1:]]
    low, high = arithmetic.numbers.range(arithmetic.compare(predicate, x, y, bits))
    assert low <= outcome <= high
    assert arithmetic.assume_compare(predicate, x, y, bits, outcome)
    for e, o in ((x, a), (y, b)):
        low, high = arithmetic.numbers.range(e)
        assert low <= o[0] <= high


# --- states -------------------------------------------------------------------------------------------------


def state_of(numbers: SymbolFacts, cells: list[Linear]) -> AbstractState:
    """A state with one object that has these cells, and a slot."""
    memory = {7: Content({(4 * k, 4): e for k, e in enumerate(cells)}, None, constant(64))}
    return AbstractState(numbers, memory, {(0, 0): cells[0]})


def allows(state: AbstractState, cells: list[int]) -> bool:
    """Whether a state allows these values, by search: a second way to the answer that joins give."""
    found = state.memory[7].cells
    terms = [(found[4 * k, 4], v) for k, v in enumerate(cells) if (4 * k, 4) in found]
    numbers = state.numbers.copy()
    return all(not isinstance(e, Linear) or numbers.assume_zero(plus(e, -v)) for e, v in terms)


CELLS = st.lists(st.builds(linear, TERMS, SMALL), min_size=3, max_size=3)


@settings(max_examples=200)
@given(VALUES, FACTS, CELLS, VALUES, FACTS, CELLS, st.booleans())
def test_joins_cover_both(
    va: dict[int, int],
    fa: list[Linear],
    ca: list[Linear],
    vb: dict[int, int],
    fb: list[Linear],
    cb: list[Linear],
    widen: bool,
) -> None:
    fresh = itertools.count(100)
    a, b = state_of(known(va, fa), ca), state_of(known(vb, fb), cb)
    found = Joiner(a.copy(), b.copy(), fresh, (0, 50) if widen else None).result()
    for old, values, cells in ((a, va, ca), (b, vb, cb)):
        assert allows(found, [value(e, values) for e in cells])
        assert covers(found, old, Arithmetic(old.numbers, fresh))


@settings(max_examples=100)
@given(VALUES, FACTS, CELLS, VALUES)
def test_what_is_covered_is_allowed(va: dict[int, int], fa: list[Linear], ca: list[Linear], vb: dict[int, int]) -> None:
    fresh = itertools.count(100)
    large = state_of(known(va, fa), ca)
    exact = [value(e, vb) for e in ca]
    small = state_of(SymbolFacts(), [constant(v) for v in exact])
    if covers(large, small, Arithmetic(small.numbers, fresh)):
        assert allows(large, exact)


def test_a_smaller_state_does_not_cover_a_larger() -> None:
    numbers = SymbolFacts()
    numbers.ranges = {1: (0, 10)}
    large, small = state_of(numbers, [symbol(1)]), state_of(SymbolFacts(), [constant(3)])
    assert covers(large, small, Arithmetic(small.numbers, itertools.count(9)))
    assert not covers(small, large, Arithmetic(large.numbers, itertools.count(9)))
    numbers = SymbolFacts()
    numbers.ranges = {1: (0, 10)}
    equal, apart = state_of(numbers, [symbol(1), symbol(1)]), state_of(SymbolFacts(), [constant(3), constant(4)])
    assert not covers(equal, apart, Arithmetic(apart.numbers, itertools.count(9)))


RANGES = st.tuples(SMALL, SMALL).map(lambda r: (min(r), max(r)))


@given(RANGES, RANGES)
def test_ranges_join_and_widen(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert joined(a, b) == hull(a, b)
    wide = widened(a, b, 1)
    assert isinstance(wide, tuple)
    assert joined(wide, hull(a, b)) == wide
    assert widened(wide, wide, 1) == wide


@given(
    st.integers(0, 3),
    st.integers(0, 12),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(0, 24),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(0, 6),
)
def test_an_access_touches_what_it_can(stride: int, start: int, size: int, o: int, k: int, count: int) -> None:
    offset = Linear(((1, stride),), start) if stride else constant(start)
    at = (start, start + stride * count)
    access = RangeAccess(offset, size, at)
    places = range(start, at[1] + 1, stride) if stride else (start,)
    overlapping = [p for p in places if p < o + k and o < p + size]
    if overlapping:
        assert access.may_touch((o, k))
        if access.is_exactly((o, k)):
            assert overlapping == [o]
            assert size == k


def test_substitution() -> None:
    e = linear([(1, 2), (2, -1)], 3)
    assert substitute(e, {1: plus(symbol(2), 1)}) == plus(symbol(2), 5)


# --- orders -------------------------------------------------------------------------------------------------


def flat(order: tuple[OrderElement, ...]) -> list[int]:
    """The blocks of an order."""
    found: list[int] = []
    for element in order:
        found += [element.head, *flat(element.body)] if isinstance(element, Component) else [element]
    return found


def around(order: tuple[OrderElement, ...], outer: frozenset[int], found: dict[int, frozenset[int]]) -> None:
    """For each block the heads of the components that it is in."""
    for element in order:
        if isinstance(element, Component):
            found[element.head] = outer | {element.head}
            around(element.body, outer | {element.head}, found)
        else:
            found[element] = outer


@given(st.lists(st.lists(st.integers(0, 8), max_size=3), min_size=9, max_size=9))
def test_edges_lead_forward_or_to_a_head(succs: list[list[int]]) -> None:
    order = weak_topological_order(succs)
    blocks = flat(order)
    assert len(set(blocks)) == len(blocks)
    heads: dict[int, frozenset[int]] = {}
    around(order, frozenset(), heads)
    place = {b: i for i, b in enumerate(blocks)}
    for block in blocks:
        for target in succs[block]:
            assert place[target] > place[block] or target in heads[block]
