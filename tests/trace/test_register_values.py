"""Images of values in memory against native globals, constants, and what is refused."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import PTR, Kind, Type, alloc_size, float_type, int_type, store_size
from butfor.trace.semantics.instruction_semantics import (
    SemanticsError,
    TrapError,
    compile_instr,
    evaluate_const,
    from_bytes,
    intrinsic,
    to_bytes,
    zero_value,
)
from butfor.trace.semantics.softfloat import float_format
from tests.trace.native import compile_module, text_of

I1, I8, I32, I64 = (int_type(bits) for bits in (1, 8, 32, 64))
SCALARS = [int_type(bits) for bits in (1, 8, 16, 32, 64, 128, 24)] + [float_type(bits) for bits in (32, 64, 80)] + [PTR]


def array(elem: Type, count: int) -> Type:
    """An array type."""
    return Type(Kind.ARRAY, elems=(elem,), count=count)


def struct(*elems: Type, packed: bool = False) -> Type:
    """A struct type."""
    return Type(Kind.STRUCT, elems=elems, packed=packed)


VECTORS = [
    Type(Kind.VECTOR, elems=(elem,), count=count) for elem, count in ((I32, 4), (I32, 3), (I1, 8), (float_type(64), 2))
]
types = st.recursive(
    st.sampled_from(SCALARS + VECTORS),
    lambda inner: (
        st.builds(array, inner, st.integers(0, 3))
        | st.builds(lambda elems, packed: struct(*elems, packed=packed), st.lists(inner, max_size=4), st.booleans())
    ),
    max_leaves=8,
)


@st.composite
def constants(draw: st.DrawFn) -> Const:
    """A constant of any type that has a text in LLVM's syntax."""
    return draw(_constant(draw(types)))


@st.composite
def _constant(draw: st.DrawFn, t: Type) -> Const:
    if draw(st.integers(0, 9)) == 0:
        return Const("zero", t)
    if t.is_aggregate:
        elems = t.elems if t.kind is Kind.STRUCT else (t.elem,) * t.count
        return Const("agg", t, tuple(draw(_constant(e)) for e in elems))
    raw = draw(st.integers(0, (1 << t.bits) - 1))
    if t.kind is Kind.FLOAT and t.bits == 80:
        raw = raw >> 63 << 63 | 1 << 63 if raw >> 64 & 0x7FFF else raw & ~(1 << 63)
    if t.kind is Kind.PTR:
        return Const("expr", t, ("inttoptr", I64, (Const("int", I64, raw),)))
    return Const("float" if t.kind is Kind.FLOAT else "int", t, raw)


def literal(const: Const) -> str:
    """The constant in LLVM's syntax."""
    t = const.type
    if const.kind == "zero":
        return "zeroinitializer"
    if const.kind == "agg":
        parts = ", ".join(f"{text_of(part.type)} {literal(part)}" for part in const.value)
        left, right = {Kind.ARRAY: ("[", "]"), Kind.VECTOR: ("<", ">")}.get(
            t.kind, ("<{", "}>") if t.packed else ("{", "}")
        )
        return f"{left}{parts}{right}"
    if const.kind == "expr":
        return f"inttoptr (i64 {const.value[2][0].value} to ptr)"
    if t.kind is Kind.FLOAT:
        return f"0xK{const.value:020X}" if t.bits == 80 else f"bitcast (i{t.bits} {const.value} to {text_of(t)})"
    return str(const.value)


@settings(max_examples=60, deadline=None)
@given(st.lists(constants(), min_size=1, max_size=5))
def test_images_equal_native_globals(found: list[Const]) -> None:
    """Two copies in an array, so that the distance of elements is compared as well."""
    kinds = [array(const.type, 2) for const in found]
    text = [
        f"@g{i} = global {text_of(t)} [{text_of(const.type)} {literal(const)}, {text_of(const.type)} {literal(const)}]"
        for i, (const, t) in enumerate(zip(found, kinds, strict=True))
    ]
    engine = compile_module("\n".join(text))
    for i, (const, t) in enumerate(zip(found, kinds, strict=True)):
        image = ctypes.string_at(engine.get_global_value_address(f"g{i}"), store_size(t))
        value = evaluate_const(const, lambda name: 0)
        assert to_bytes((value, value), t) == image
        assert from_bytes(image, t) == (value, value)


def test_zero_bytes_and_undef() -> None:
    t = struct(I8, array(int_type(16), 2))
    assert zero_value(t) == (0, (0, 0)) == evaluate_const(Const("undef", t), lambda name: 0)
    assert evaluate_const(Const("bytes", array(int_type(16), 2), b"\x01\x02\x03\x00"), lambda name: 0) == (0x201, 3)
    assert to_bytes((7, (1, 2)), t) == b"\x07\x00\x01\x00\x02\x00"
    with pytest.raises(SemanticsError, match="too few"):
        from_bytes(b"abc", I32)


def integer(value: int, t: Type = I64) -> Const:
    """An int constant."""
    return Const("int", t, value)


def expr(op: str, t: Type, detail: Any, *args: Const) -> Const:
    """A constant expression."""
    return Const("expr", t, (op, detail, args))


def test_constant_expressions() -> None:
    table = {"x": 0x1000, "y": 0x1800}
    x, y = Const("global", PTR, "x"), Const("global", PTR, "y")
    field = expr(
        "gep", PTR, (struct(I8, array(I32, 4)), (I64, I32, I64)), x, integer(1), integer(1, I32), integer((1 << 64) - 1)
    )
    assert evaluate_const(field, table.__getitem__) == 0x1000 + 20 + 4 - 4
    distance = expr("sub", I64, None, expr("ptrtoint", I64, PTR, y), expr("ptrtoint", I64, PTR, x))
    assert evaluate_const(expr("trunc", I32, I64, distance), table.__getitem__) == 0x800
    assert evaluate_const(expr("icmp", I1, ("ult", PTR), x, y), table.__getitem__) == 1
    assert evaluate_const(Const("agg", array(PTR, 2), (x, field)), table.__getitem__) == (0x1000, 0x1014)


def test_addresses_of_labels_need_a_resolver() -> None:
    label = Const("block", PTR, ("f", "a"))
    with pytest.raises(SemanticsError, match="block"):
        evaluate_const(label, lambda name: 0)
    assert (
        evaluate_const(label, lambda name: 0, lambda function, name: 0x40 if (function, name) == ("f", "a") else 0)
        == 0x40
    )


def test_deep_constants_need_no_recursion() -> None:
    const = integer(0)
    for _ in range(50_000):
        const = expr("add", I64, None, const, integer(1))
    assert evaluate_const(const, lambda name: 0) == 50_000


def run(op: str, t: Type, *args: int, detail: Any = None) -> Any:
    """The result of an instruction on registers."""
    instr = Instr(0, 0, op, t, len(args), tuple(range(len(args))), detail, 0)
    return compile_instr(instr, lambda const: 0)(list(args))


def test_divisions_that_trap() -> None:
    for op in ("udiv", "urem", "sdiv", "srem"):
        with pytest.raises(TrapError, match="by zero"):
            run(op, I32, 5, 0)
    for op in ("sdiv", "srem"):
        with pytest.raises(TrapError, match="does not fit"):
            run(op, I64, 1 << 63, (1 << 64) - 1)
    assert run("sdiv", int_type(128), 1 << 127, (1 << 128) - 1) == 1 << 127
    assert run("srem", int_type(128), 1 << 127, (1 << 128) - 1) == 0


def test_only_the_low_bits_of_a_shift_amount_count_as_on_x86() -> None:
    assert run("shl", I32, 1, 33) == 2
    assert run("ashr", I32, 0xFFFF_FFF8, 33) == 0xFFFF_FFFC
    assert run("lshr", I64, 8, 65) == 4


def test_masks_may_be_constants() -> None:
    vector = VECTORS[0]
    mask_type = Type(Kind.VECTOR, elems=(I32,), count=2)
    for mask, expected in (
        (Const("agg", mask_type, (integer(5, I32), Const("undef", I32))), (6, 0)),
        (Const("zero", mask_type), (1, 1)),
        (Const("undef", mask_type), (0, 0)),
    ):
        instr = Instr(0, 0, "shufflevector", mask_type, 2, (0, 1), (vector, mask), 0)
        assert compile_instr(instr, lambda const: 0)([(1, 2, 3, 4), (5, 6, 7, 8)]) == expected


def test_conversion_to_128_bits_saturates() -> None:
    """What zig's compiler-rt gives (measured), NaN included."""
    wide, fmt = int_type(128), float_format(64)
    assert run("fptosi", wide, fmt.default_nan, detail=float_type(64)) == 1 << 127
    assert run("fptosi", wide, fmt.infinity, detail=float_type(64)) == (1 << 127) - 1
    assert run("fptoui", wide, fmt.sign | fmt.infinity, detail=float_type(64)) == 0
    assert run("fptoui", wide, fmt.infinity, detail=float_type(64)) == (1 << 128) - 1


def test_constant_operands_are_evaluated_once() -> None:
    seen: list[Const] = []
    three = integer(3, I32)
    closure = compile_instr(Instr(0, 0, "sub", I32, 1, (three, 0), None, 0), lambda const: seen.append(const) or 3)  # type: ignore[func-returns-value]
    assert [closure([1]), closure([4])] == [2, 0xFFFF_FFFF]
    assert seen == [three]


@pytest.mark.parametrize(
    ("op", "t", "detail"),
    [
        ("load", I32, None),
        ("phi", I32, (0, 1)),
        ("call", I32, None),
        ("icmp", I1, ("abc", I32)),
        ("fcmp", I1, ("slt", float_type(32))),
        ("fadd", float_type(48), None),
        ("gep", PTR, (struct(I8), (I64, I32))),
        ("gep", Type(Kind.VECTOR, elems=(PTR,), count=2), (I8, (I64, I64))),
    ],
)
def test_the_unsupported_is_refused(op: str, t: Type, detail: Any) -> None:
    with pytest.raises(SemanticsError):
        run(op, t, 0, 0, 0, detail=detail)


def test_intrinsics_that_are_not_computed() -> None:
    for name, t in (
        ("objectsize.i64.p0", PTR),
        ("sin.f64", float_type(64)),
        ("minnum.f80", float_type(80)),
        ("fabs.bf16", float_type(16)),
    ):
        assert intrinsic(f"llvm.{name}", (t, t), t) is None
    assert intrinsic("llvm.smul.fix.sat.i32", (I32, I32, I32), I32) is None
    assert intrinsic("strlen", (PTR,), I64) is None


def test_intrinsics_without_a_native_counterpart() -> None:
    assert _call("llvm.is.constant.i32", I32, 7) == 0
    assert _call("llvm.expect.with.probability.i64", I64, 3, 4, 0) == 3
    assert _call("llvm.ptrmask.p0.i64", PTR, 0x1237, (1 << 64) - 8) == 0x1230
    assert _call("llvm.ushl.sat.i8", I8, 0x41, 2) == 0xFF
    assert _call("llvm.sshl.sat.i8", I8, 0x81, 1) == 0x80


def _call(name: str, t: Type, *args: int) -> Any:
    """The result of an intrinsic."""
    function = intrinsic(name, (t,) * len(args), t)
    assert function is not None
    return function(*args)


def test_distance_of_elements() -> None:
    assert [alloc_size(t) for t in (float_type(80), int_type(24), VECTORS[1])] == [16, 4, 16]
