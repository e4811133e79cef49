"""Integer operations of any width, as rules over unsigned ints.

A shift by the width or more is poison in LLVM: the result here is what x86 gives. A division that stops an x86
processor raises `TrapError`.
"""

from __future__ import annotations

from butfor.trace.semantics.closure_templates import Rule
from butfor.trace.semantics.register_values import Pure, SemanticsError, TrapError

_BINARY = {
    "add": "({x} + {y}) & {mask}",
    "sub": "({x} - {y}) & {mask}",
    "mul": "({x} * {y}) & {mask}",
    "and": "{x} & {y}",
    "or": "{x} | {y}",
    "xor": "{x} ^ {y}",
    "shl": "({x} << ({y} & {amount})) & {mask}",
    "lshr": "{x} >> ({y} & {amount})",
    "ashr": "(({x} ^ {sign}) - {sign} >> ({y} & {amount})) & {mask}",
}

_COMPARE = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def _fill(text: str, bits: int) -> str:
    """The text with the constants of a width filled in."""
    # x86 uses only the low bits of a shift amount: a shift by 33 is one by 1.
    amount = (1 << max(bits - 1, 31).bit_length()) - 1
    return text.format(x="{0}", y="{1}", bits=bits, mask=(1 << bits) - 1, sign=1 << bits - 1, amount=amount)


def signed(x: int, bits: int) -> int:
    """The signed value of an unsigned representation."""
    return x - (1 << bits) if x >> bits - 1 else x


def int_binary(op: str, bits: int) -> Rule:
    """The rule of a binary operation on ints."""
    if op in _BINARY:
        return _fill(_BINARY[op], bits)
    if op in ("udiv", "urem"):
        return _unsigned_division(op == "udiv")
    if op in ("sdiv", "srem"):
        return _signed_division(op == "sdiv", bits)
    raise SemanticsError(f"no integer operation is called {op}")


def _unsigned_division(quotient: bool) -> Pure:
    """Unsigned quotient or remainder."""

    def divide(x: int, y: int) -> int:
        if y == 0:
            raise TrapError("division by zero")
        return x // y if quotient else x % y

    return divide


def _signed_division(quotient: bool, bits: int) -> Pure:
    """Signed quotient or remainder, truncated toward zero; beyond 64 bits a library divides and wraps around."""
    mask = (1 << bits) - 1

    def divide(x: int, y: int) -> int:
        a, b = signed(x, bits), signed(y, bits)
        if b == 0:
            raise TrapError("division by zero")
        whole = abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))
        if whole >> bits - 1 == 1 and bits <= 64:
            raise TrapError("the quotient of the least value and -1 does not fit")
        return (whole if quotient else a - b * whole) & mask

    return divide


def int_compare(predicate: str, bits: int) -> str:
    """The rule of icmp on ints or pointers."""
    comparison = _COMPARE.get(predicate[-2:])
    if comparison is None or predicate[:-2] not in ("", "s", "u"):
        raise SemanticsError(f"no integer comparison is called {predicate}")
    if predicate[0] == "s":  # flipping the sign bit maps signed order to unsigned order
        return _fill(f"1 if {{x}} ^ {{sign}} {comparison} {{y}} ^ {{sign}} else 0", bits)
    return f"1 if {{0}} {comparison} {{1}} else 0"


def int_resize(op: str, source: int, target: int) -> str:
    """The rule of trunc, zext, sext, ptrtoint and inttoptr between two widths."""
    if op == "sext":
        return f"(({{0}} ^ {1 << source - 1}) - {1 << source - 1}) & {(1 << target) - 1}"
    return "{0}" if target >= source else f"{{0}} & {(1 << target) - 1}"


def read_modify_write(operation: str, old: int, value: int, bits: int) -> int | None:
    """What an atomic operation leaves in memory; None for those on floats."""
    table = {
        "xchg": lambda: value,
        "add": lambda: old + value,
        "sub": lambda: old - value,
        "and": lambda: old & value,
        "nand": lambda: ~(old & value),
        "or": lambda: old | value,
        "xor": lambda: old ^ value,
        "max": lambda: max(old, value, key=lambda x: signed(x, bits)),
        "min": lambda: min(old, value, key=lambda x: signed(x, bits)),
        "umax": lambda: max(old, value),
        "umin": lambda: min(old, value),
    }
    rule = table.get(operation)
    return None if rule is None else rule() & ((1 << bits) - 1)
