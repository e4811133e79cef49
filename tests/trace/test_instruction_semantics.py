"""Every operation against the machine: the same IR compiled to native code and run on boundary and random operands."""

from __future__ import annotations

import ctypes
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.ir.instructions import Const
from butfor.ir.machine_types import PTR, Kind, Type, float_type, int_type
from butfor.trace.semantics import softfloat as soft
from butfor.trace.semantics.floating_point import float_binary
from butfor.trace.semantics.instruction_semantics import Value
from butfor.trace.semantics.softfloat import float_format
from tests.trace.native import Native, Operation, text_of

INTS = [int_type(bits) for bits in (1, 8, 16, 32, 64, 128, 7, 33)]
HALF = all(
    hasattr(ctypes.CDLL("libgcc_s.so.1"), name)
    for name in ("__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__truncxfhf2")
)
FLOATS = [float_type(bits) for bits in (32, 64, 80)]
ALL_FLOATS = [*FLOATS, float_type(128), *([float_type(16)] if HALF else [])]
INT_VECTORS = [Type(Kind.VECTOR, elems=(int_type(bits),), count=count) for bits, count in ((8, 16), (32, 4), (64, 2))]
FLOAT_VECTORS = [Type(Kind.VECTOR, elems=(float_type(bits),), count=count) for bits, count in ((32, 4), (64, 2))]
INT_OPS = "add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split()
PREDICATES = "eq ne ugt uge ult ule sgt sge slt sle".split()
FLOAT_PREDICATES = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()


def binary_operations() -> Iterator[Operation]:
    """Arithmetic and comparisons."""
    for t in [*INTS, *INT_VECTORS]:
        for op in INT_OPS:
            yield Operation(f"{op} {text_of(t)}", f"%r = {op} {text_of(t)} %a0, %a1", (t, t), t, op)
    for t in [*INTS, *INT_VECTORS, PTR]:
        flag = Type(Kind.VECTOR, elems=(int_type(1),), count=t.count) if t.kind is Kind.VECTOR else int_type(1)
        for p in PREDICATES:
            yield Operation(
                f"icmp {p} {text_of(t)}", f"%r = icmp {p} {text_of(t)} %a0, %a1", (t, t), flag, "icmp", (p, t)
            )
    for t in [*ALL_FLOATS, *FLOAT_VECTORS]:
        flag = Type(Kind.VECTOR, elems=(int_type(1),), count=t.count) if t.kind is Kind.VECTOR else int_type(1)
        for op in ("fadd", "fsub", "fmul", "fdiv", "frem"):
            if (op, t.bits) != ("frem", 128):  # fmodl is the x87 function on this platform
                yield Operation(f"{op} {text_of(t)}", f"%r = {op} {text_of(t)} %a0, %a1", (t, t), t, op)
        for p in FLOAT_PREDICATES:
            yield Operation(
                f"fcmp {p} {text_of(t)}", f"%r = fcmp {p} {text_of(t)} %a0, %a1", (t, t), flag, "fcmp", (p, t)
            )
        yield Operation(f"fneg {text_of(t)}", f"%r = fneg {text_of(t)} %a0", (t,), t, "fneg")


def _cast(op: str, source: Type, target: Type) -> Operation:
    """One cast."""
    ir = f"%r = {op} {text_of(source)} %a0 to {text_of(target)}"
    return Operation(f"{op} {text_of(source)} {text_of(target)}", ir, (source,), target, op, source)


def casts() -> Iterator[Operation]:
    """Conversions between all widths."""
    for a, b in itertools.permutations(INTS, 2):
        yield from [_cast("trunc", a, b)] if a.bits > b.bits else [_cast("zext", a, b), _cast("sext", a, b)]
    for a, b in itertools.permutations(ALL_FLOATS, 2):
        yield _cast("fptrunc" if a.bits > b.bits else "fpext", a, b)
    for i, f in itertools.product(INTS[1:6], FLOATS):
        yield from (_cast(op, i, f) for op in ("sitofp", "uitofp"))
        yield from (_cast(op, f, i) for op in ("fptosi", "fptoui"))
    for bits in (8, 32, 64, 128):
        yield from (_cast("ptrtoint", PTR, int_type(bits)), _cast("inttoptr", int_type(bits), PTR))
    wide, narrow = INT_VECTORS[2], INT_VECTORS[1]
    singles, doubles = FLOAT_VECTORS
    same_size = [int_type(128), float_type(128), *INT_VECTORS, *FLOAT_VECTORS]
    pairs = [*itertools.permutations(same_size, 2), (int_type(32), float_type(32)), (float_type(64), int_type(64))]
    yield from (_cast("bitcast", a, b) for a, b in pairs)
    yield from (
        _cast("bitcast", a, b)
        for a, b in itertools.permutations((int_type(8), Type(Kind.VECTOR, elems=(int_type(1),), count=8)), 2)
    )
    yield _cast("sitofp", narrow, singles)
    yield _cast("uitofp", wide, doubles)
    yield _cast("trunc", wide, Type(Kind.VECTOR, elems=(int_type(32),), count=2))


def others() -> Iterator[Operation]:
    """Selection, and elements of aggregates."""
    v, f, flags = INT_VECTORS[1], FLOAT_VECTORS[0], Type(Kind.VECTOR, elems=(int_type(1),), count=4)
    bit, word, index = int_type(1), int_type(32), int_type(64)
    pair = Type(
        Kind.STRUCT,
        elems=(int_type(8), Type(Kind.ARRAY, elems=(Type(Kind.STRUCT, elems=(word, float_type(64))),), count=2)),
    )
    for t in (word, float_type(80), v):
        yield Operation(
            f"select {text_of(t)}", f"%r = select i1 %a0, {text_of(t)} %a1, {text_of(t)} %a2", (bit, t, t), t, "select"
        )
        yield Operation(f"freeze {text_of(t)}", f"%r = freeze {text_of(t)} %a0", (t,), t, "freeze")
    yield Operation(
        "select by vector", f"%r = select <4 x i1> %a0, {text_of(v)} %a1, {text_of(v)} %a2", (flags, v, v), v, "select"
    )
    yield Operation(
        "extractelement",
        f"%r = extractelement {text_of(f)} %a0, i64 %a1",
        (f, index),
        float_type(32),
        "extractelement",
        f,
    )
    yield Operation(
        "insertelement",
        f"%r = insertelement {text_of(v)} %a0, i32 %a1, i64 %a2",
        (v, word, index),
        v,
        "insertelement",
        v,
    )
    mask = "<3 x i32> <i32 7, i32 0, i32 5>"
    three = Type(Kind.VECTOR, elems=(word,), count=3)
    shuffle = f"%r = shufflevector {text_of(v)} %a0, {text_of(v)} %a1, {mask}"
    yield Operation("shufflevector", shuffle, (v, v), three, "shufflevector", (v, (7, 0, 5)))
    yield Operation(
        "extractvalue", f"%r = extractvalue {text_of(pair)} %a0, 1, 1, 0", (pair,), word, "extractvalue", (1, 1, 0)
    )
    insert = f"%r = insertvalue {text_of(pair)} %a0, i32 %a1, 1, 0, 0"
    yield Operation("insertvalue", insert, (pair, word), pair, "insertvalue", (1, 0, 0))


def addresses() -> Iterator[Operation]:
    """getelementptr with constant, narrow, negative and struct indices."""
    byte, word, long = int_type(8), int_type(32), int_type(64)
    inner = Type(Kind.STRUCT, elems=(byte, float_type(80), Type(Kind.ARRAY, elems=(int_type(16),), count=3)))
    outer = Type(Kind.STRUCT, elems=(word, Type(Kind.ARRAY, elems=(inner,), count=5), int_type(128)))
    packed = Type(Kind.STRUCT, elems=(byte, long, Type(Kind.VECTOR, elems=(word,), count=3), byte), packed=True)
    for source, dynamic, fixed in (
        (word, (long,), ()),
        (byte, (byte,), ()),
        (outer, (word,), ((word, 2),)),
        (packed, (int_type(128),), ((word, 3),)),
        (
            Type(Kind.ARRAY, elems=(outer,), count=2),
            (long, int_type(16)),
            ((word, 1), (long, -3), (word, 2), (byte, -1)),
        ),
    ):
        types = dynamic + tuple(t for t, _ in fixed)
        texts = [f"{text_of(t)} %a{i + 1}" for i, t in enumerate(dynamic)] + [f"{text_of(t)} {n}" for t, n in fixed]
        consts = tuple(Const("int", t, n % (1 << t.bits)) for t, n in fixed)
        name = f"gep {text_of(source)} {' '.join(texts)}"
        ir = f"%r = getelementptr {text_of(source)}, ptr %a0, {', '.join(texts)}"
        yield Operation(name, ir, (PTR, *dynamic), PTR, "gep", (source, types), consts)


def _intrinsic(name: str, t: Type, arity: int, result: Type | None = None, flag: int | None = None) -> Operation:
    """A call of an intrinsic whose operands have one type; the flag is a constant last argument."""
    suffix = (
        f"v{t.count}{'f' if t.elem.kind is Kind.FLOAT else 'i'}{t.elem.bits}" if t.kind is Kind.VECTOR else _suffix(t)
    )
    out = result or t
    args = [f"{text_of(t)} %a{i}" for i in range(arity)]
    args += [] if flag is None else [f"{'i32' if 'fpclass' in name else 'i1'} {flag if 'fpclass' in name else 'false'}"]
    callee = f"llvm.{name}.{suffix}"
    consts = () if flag is None else (flag,)
    title = f"{callee} {flag}"
    return Operation(
        title, f"%r = call {text_of(out)} @{callee}({', '.join(args)})", (t,) * arity, out, "call", None, consts, callee
    )


def _suffix(t: Type) -> str:
    """The part of an intrinsic's name that stands for a scalar type."""
    return f"i{t.bits}" if t.kind is Kind.INT else f"f{t.bits}"


def intrinsics() -> Iterator[Operation]:
    """The pure intrinsics."""
    for t in [*INTS[1:7], INT_VECTORS[1]]:
        for name in "smax smin umax umin sadd.sat uadd.sat ssub.sat usub.sat".split():
            yield _intrinsic(name, t, 2)
        yield from (
            _intrinsic("ctpop", t, 1),
            _intrinsic("bitreverse", t, 1),
            _intrinsic("fshl", t, 3),
            _intrinsic("fshr", t, 3),
        )
        yield from (_intrinsic(name, t, 1, flag=0) for name in ("abs", "ctlz", "cttz"))
        if t.kind is Kind.INT:
            pair = Type(Kind.STRUCT, elems=(t, int_type(1)))
            yield from (_intrinsic(f"{s}{op}.with.overflow", t, 2, pair) for s in "su" for op in ("add", "sub", "mul"))
            yield from [_intrinsic("bswap", t, 1)] if t.bits % 16 == 0 else []
            yield _intrinsic("expect", t, 2)
    for t in [*FLOATS, FLOAT_VECTORS[1]]:
        for name in "fabs sqrt floor ceil trunc rint nearbyint round roundeven".split():
            yield _intrinsic(name, t, 1)
        yield from (_intrinsic(name, t, 2) for name in ("copysign", "minnum", "maxnum")[: 1 if t.bits == 80 else 3])
        yield from (_intrinsic(name, t, 3) for name in ("fmuladd", "fma"))
        if t.kind is Kind.FLOAT:
            yield from (_intrinsic("is.fpclass", t, 1, int_type(1), 1 << i) for i in range(10))


OPERATIONS = [*binary_operations(), *casts(), *others(), *addresses(), *intrinsics()]


@cache
def native() -> Native:
    """The compiled operations."""
    return Native(OPERATIONS)


@cache
def int_boundaries(bits: int) -> list[int]:
    """Ints at which something changes."""
    near = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits - 1) + 1]
    powers = [(1 << k) + d for k in (24, 25, 53, 54, 64, 65) if k < bits for d in (-1, 0, 1)]
    return sorted({n % (1 << bits) for n in near + powers} | {-n % (1 << bits) for n in near})


@cache
def float_boundaries(bits: int) -> list[int]:
    """Zeros, subnormals, halves, bounds of int types, extremes, infinities, NaNs."""
    fmt = float_format(bits)
    one = fmt.infinity // 2 >> fmt.stored << fmt.stored | fmt.explicit << fmt.fraction
    halves = [soft.pack(fmt, 0, n, -1) for n in (1, 2, 3, 4, 5, 6, 7, 255, 513)]
    bounds = [soft.pack(fmt, 0, (1 << k) + d, 0) for k in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, 0, 1)]
    edges = [0, 1, 2, (1 << fmt.fraction) - 1, one, one + 1, one - 1 if not fmt.explicit else one]
    extremes = [fmt.infinity, fmt.infinity | fmt.quiet, fmt.infinity | 5, fmt.infinity | fmt.quiet | 9]
    largest = [soft.pack(fmt, 0, (1 << fmt.fraction + 1) - 1, fmt.top - 2 + fmt.least)]
    smallest = [soft.pack(fmt, 0, 1 << fmt.fraction, fmt.least)]
    return sorted({n | s for n in halves + bounds + edges + extremes + largest + smallest for s in (0, fmt.sign)})


def random_scalar(rng: random.Random, t: Type) -> int:
    """An int of any magnitude, or a float of any class that is a valid encoding."""
    if t.kind is not Kind.FLOAT:
        return rng.getrandbits(rng.randint(1, t.bits)) if rng.random() < 0.5 else rng.getrandbits(t.bits)
    fmt = float_format(t.bits)
    if rng.random() < 0.3:
        return rng.choice(float_boundaries(t.bits))
    middle = fmt.top >> 1
    field = rng.choice(
        [
            0,
            1,
            fmt.top - 1,
            rng.randrange(fmt.top),
            *(rng.randint(max(0, middle - 70), min(fmt.top - 1, middle + 70)) for _ in range(4)),
        ]
    )
    leading = fmt.explicit << fmt.fraction if field else 0
    fraction = rng.getrandbits(fmt.fraction) & -1 << rng.choice([0, rng.randrange(fmt.fraction)])
    return rng.getrandbits(1) * fmt.sign | field << fmt.stored | leading | fraction


def random_value(rng: random.Random, t: Type) -> Value:
    """A value of any type."""
    if t.kind is Kind.STRUCT:
        return tuple(random_value(rng, e) for e in t.elems)
    if t.is_aggregate:
        return tuple(random_value(rng, t.elem) for _ in range(t.count))
    return random_scalar(rng, t)


def boundaries(t: Type) -> list[int]:
    """The interesting values of a scalar type."""
    return float_boundaries(t.bits) if t.kind is Kind.FLOAT else int_boundaries(t.bits)


def rows_for(operation: Operation, count: int = 150) -> list[tuple[Value, ...]]:
    """Boundary values in all pairs (or shuffled, for three operands), then random ones."""
    rng = random.Random(operation.name)
    rows: list[tuple[Value, ...]] = []
    if not any(t.is_aggregate for t in operation.args):
        columns = [boundaries(t) for t in operation.args]
        rows = (
            list(itertools.product(*columns))
            if len(columns) < 3
            else [tuple(map(rng.choice, columns)) for _ in range(300)]
        )
        rows = rng.sample(rows, min(len(rows), 700))
    rows += [tuple(random_value(rng, t) for t in operation.args) for _ in range(count)]
    rows += [(row[0],) * 2 for row in rows[:20] if len(row) == 2 and operation.args[0] == operation.args[1]]
    return [row for row in rows if defined(operation, row)]


def defined(operation: Operation, row: Sequence[Value]) -> bool:
    """Whether the machine's result is defined and does not trap."""
    t = operation.result
    if operation.op in ("udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr"):
        bits = t.elem.bits if t.kind is Kind.VECTOR else t.bits
        pairs = list(zip(*row, strict=True)) if t.kind is Kind.VECTOR else [row]
        return all(_defined_int(operation.op, bits, x, y) for x, y in pairs)
    if operation.op in ("extractelement", "insertelement"):
        return number_of(row[-1]) < 4
    if (
        operation.op in ("fptosi", "fptoui") and t.bits == 128
    ):  # libgcc differs from compiler-rt where the int overflows
        source = operation.args[0].bits
        number = soft.convert(float_format(source), float_format(128), number_of(row[0]))
        sign, significand, power = soft.unpack(float_format(128), number)
        return power + significand.bit_length() < 127 and not (sign and operation.op == "fptoui")
    return True


def number_of(value: Value) -> int:
    """The value of a scalar."""
    assert isinstance(value, int)
    return value


def _defined_int(op: str, bits: int, x: object, y: object) -> bool:
    """Whether one division or shift is defined."""
    if op in ("shl", "lshr", "ashr"):
        return isinstance(y, int) and y < bits
    return y != 0 and not (op in ("sdiv", "srem") and x == 1 << bits - 1 and y == (1 << bits) - 1)


def normal(t: Type, value: Value) -> Value:
    """The value with every NaN the same, for library functions that treat payloads in their own way."""
    if isinstance(value, tuple):
        return tuple(
            normal(t.elem if t.kind is Kind.VECTOR else e, v) for e, v in zip(t.elems * len(value), value, strict=False)
        )
    if t.kind is Kind.FLOAT and soft.is_nan(float_format(t.bits), value):
        return float_format(t.bits).default_nan
    return value


def keep(t: Type, value: Value) -> Value:
    """The value itself."""
    return value


def comparable(operation: Operation) -> Callable[[Type, Value], Value]:
    """What to do with results before they are compared: payloads of NaNs count where one instruction computes them."""
    scalar = operation.result.elem if operation.result.kind is Kind.VECTOR else operation.result
    own = scalar.bits in (16, 128) or operation.op == "frem" or (operation.op == "call" and scalar.kind is Kind.FLOAT)
    return normal if own or (operation.op in ("fpext", "fptrunc") and operation.args[0].bits in (16, 128)) else keep


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_agrees_with_the_machine(operation: Operation) -> None:
    rows = rows_for(operation)
    adapt = comparable(operation)
    expected = [adapt(operation.result, value) for value in native().run(operation, rows)]
    actual = [adapt(operation.result, operation.run(row)) for row in rows]
    wrong = [(row, a, e) for row, a, e in zip(rows, actual, expected, strict=True) if a != e]
    assert not wrong, f"{len(wrong)} of {len(rows)}: {[tuple(map(_hex, case)) for case in wrong[:5]]}"


def _hex(value: Value) -> str:
    """The value in hexadecimal."""
    return hex(value) if isinstance(value, int) else "(" + ", ".join(map(_hex, value)) + ")"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_agrees_with_the_machine_on_arbitrary_bits(data: st.DataObject) -> None:
    operation = data.draw(
        st.sampled_from([op for op in OPERATIONS if not any(t.is_aggregate or t.bits == 80 for t in op.args)])
    )
    row = data.draw(
        st.tuples(*(st.integers(0, (1 << t.bits) - 1) for t in operation.args)).filter(lambda r: defined(operation, r))
    )
    adapt = comparable(operation)
    assert adapt(operation.result, operation.run(row)) == adapt(operation.result, native().run(operation, [row])[0])


@settings(max_examples=1000)
@given(st.sampled_from([16, 32]), st.sampled_from(["fadd", "fsub", "fmul", "fdiv", "frem"]), st.data())
def test_rounding_twice_changes_nothing(bits: int, op: str, data: st.DataObject) -> None:
    """Half and float computed as doubles equal the exact result rounded once."""
    exact = {
        "fadd": soft.add,
        "fsub": soft.subtract,
        "fmul": soft.multiply,
        "fdiv": soft.divide,
        "frem": soft.remainder,
    }[op]
    x, y = data.draw(st.tuples(*[st.integers(0, (1 << bits) - 1) | st.sampled_from(float_boundaries(bits))] * 2))
    assert float_binary(op, bits)(x, y) == exact(float_format(bits), x, y)
