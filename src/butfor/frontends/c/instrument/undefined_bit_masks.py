"""Masks of the uninitialised bits of registers, computed beside the registers as LLVM assembly.

The rules are those of failures/undefined_bits.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from butfor.frontends.c.instrument.call_text import split_commas
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import Kind, Type, element_at, mask_width

CLEAR = "0"  # the mask of what has a value
_CASTS = frozenset(("trunc", "zext", "bitcast", "ptrtoint", "inttoptr"))
_BITWISE = frozenset(("and", "or", "xor", "freeze", "shl", "lshr", "ashr", "add", "sub", "mul"))


class MaskBuilder:
    """Instructions that compute masks. `new` inserts one and returns its register."""

    def __init__(self, new: Callable[[str], str]) -> None:
        self._new = new

    def resized(self, mask: str, bits: int, to: int) -> str:
        """A mask with zeros added, or cut off."""
        if mask == CLEAR or bits == to:
            return mask
        return self._new(f"{'trunc' if to < bits else 'zext'} i{bits} {mask} to i{to}")

    def any(self, masks: Sequence[tuple[str, int]]) -> str:
        """An i1 that says whether any bit of these masks is set; CLEAR when that is known to be not so."""
        found = CLEAR
        for mask, bits in masks:
            if mask != CLEAR:
                one = mask if bits == 1 else self._new(f"icmp ne i{bits} {mask}, 0")
                found = one if found == CLEAR else self._new(f"or i1 {found}, {one}")
        return found

    def full(self, flag: str, bits: int) -> str:
        """All bits, if the flag is set."""
        return flag if flag == CLEAR or bits == 1 else self._new(f"sext i1 {flag} to i{bits}")

    def word(self, mask: str, bits: int) -> str:
        """A mask as an i64."""
        return self.resized(mask, bits, 64) if bits <= 64 else self.full(self.any([(mask, bits)]), 64)

    def _or(self, a: str, b: str, bits: int) -> str:
        return b if a == CLEAR else a if b == CLEAR else self._new(f"or i{bits} {a}, {b}")

    def result(self, instr: Instr, right: str, masks: list[str], types: Sequence[Type]) -> str:
        """The mask of an instruction's result. `right` is its text after the name."""
        if all(m == CLEAR for m in masks):
            return CLEAR
        bits = mask_width(instr.type)
        pairs = [(m, mask_width(t)) for m, t in zip(masks, types, strict=True)]
        is_int = all(t.kind in (Kind.INT, Kind.PTR) for t in (instr.type, *types))
        if instr.op in _CASTS and (is_int or pairs[0][1] == bits):
            return self.resized(*pairs[0], bits)
        if instr.op == "sext" and is_int:
            return self._new(f"sext i{pairs[0][1]} {masks[0]} to i{bits}")
        if instr.op in _BITWISE and is_int:
            return self._bitwise(instr, right, masks, bits)
        if instr.op == "icmp" and is_int and instr.detail[0] in ("eq", "ne"):
            return self._equal(right, pairs)
        if instr.op == "select" and types[0].kind is Kind.INT:
            return self._select(right, masks, bits)
        if instr.op == "extractvalue":
            moved = self._new(f"lshr i{pairs[0][1]} {masks[0]}, {8 * element_at(types[0], instr.detail)[0]}")
            return self.resized(moved, pairs[0][1], bits)
        if instr.op == "insertvalue":
            return self._insert(instr, pairs, bits)
        if instr.op in ("insertelement", "extractelement"):
            return self._element(instr, right, pairs, types[-1], bits)
        if instr.op in ("and", "or", "xor") and bits == pairs[0][1]:  # vectors
            return self._or(masks[0], masks[1], bits)
        return self.full(self.any(pairs), bits)

    def _bitwise(self, instr: Instr, right: str, masks: list[str], bits: int) -> str:
        if instr.op in ("xor", "freeze"):
            return self._or(masks[0], masks[-1], bits)
        a, b = _sides(right)
        if instr.op in ("and", "or"):
            found = CLEAR if CLEAR in masks else self._new(f"and i{bits} {masks[0]}, {masks[1]}")
            for mask, other in ((masks[0], b), (masks[1], a)):
                if mask != CLEAR:
                    decides = other if instr.op == "and" else self._new(f"xor i{bits} {other}, -1")
                    found = self._or(found, self._new(f"and i{bits} {mask}, {decides}"), bits)
            return found
        if instr.op in ("add", "sub", "mul"):  # carries only go up
            either = self._or(masks[0], masks[1], bits)
            return self._new(f"or i{bits} {either}, {self._new(f'sub i{bits} 0, {either}')}")
        moved = CLEAR
        if masks[0] != CLEAR:
            amount = self._new(f"urem i{bits} {b}, {bits}")  # more is undefined behaviour of the program itself
            moved = self._new(f"{instr.op} i{bits} {masks[0]}, {amount}")
        return self._or(moved, self.full(self.any([(masks[1], bits)]), bits), bits)

    def _equal(self, right: str, pairs: list[tuple[str, int]]) -> str:
        """Values that differ in a bit which both were given are not equal, whatever the others are."""
        bits = pairs[0][1]
        either = self._or(pairs[0][0], pairs[1][0], bits)
        sides = _sides(right)
        if right.split()[2] == "ptr":
            sides = [self._new(f"ptrtoint ptr {s} to i64") for s in sides]
        given = self._new(f"xor i{bits} {either}, -1")
        differs = self._new(f"and i{bits} {self._new(f'xor i{bits} {sides[0]}, {sides[1]}')}, {given}")
        same = self._new(f"icmp eq i{bits} {differs}, 0")
        return self._new(f"and i1 {self.any([(either, bits)])}, {same}")

    def _select(self, right: str, masks: list[str], bits: int) -> str:
        condition = split_commas(right.removeprefix("select "))[0].rpartition(" ")[2]
        chosen = (
            masks[1]
            if masks[1] == masks[2]
            else self._new(f"select i1 {condition}, i{bits} {masks[1]}, i{bits} {masks[2]}")
        )
        return self._or(self.full(masks[0], bits), chosen, bits)

    def _element(self, instr: Instr, right: str, pairs: list[tuple[str, int]], index: Type, bits: int) -> str:
        """One element of a vector put in or taken out."""
        whole, each = pairs[0][1], instr.detail.elem.bits
        number = split_commas(right)[-1].rpartition(" ")[2]
        at = self._new(f"urem i{index.bits} {number}, {instr.detail.count}")
        wide = (
            self._new(f"{'zext' if index.bits < whole else 'trunc'} i{index.bits} {at} to i{whole}")
            if index.bits != whole
            else at
        )
        shift = self._new(f"mul i{whole} {wide}, {each}")
        anywhere = self.full(self.any(pairs[-1:]), bits)
        if instr.op == "extractelement":
            moved = CLEAR if pairs[0][0] == CLEAR else self._new(f"lshr i{whole} {pairs[0][0]}, {shift}")
            return self._or(self.resized(moved, whole, bits), anywhere, bits)
        hole = self._new(f"xor i{bits} {self._new(f'shl i{bits} {(1 << each) - 1}, {shift}')}, -1")
        kept = CLEAR if pairs[0][0] == CLEAR else self._new(f"and i{bits} {pairs[0][0]}, {hole}")
        part = self.resized(*pairs[1], bits)
        put = CLEAR if part == CLEAR else self._new(f"shl i{bits} {part}, {shift}")
        return self._or(self._or(kept, put, bits), anywhere, bits)

    def _insert(self, instr: Instr, pairs: list[tuple[str, int]], bits: int) -> str:
        at = 8 * element_at(instr.type, instr.detail)[0]
        hole = (1 << bits) - 1 ^ ((1 << pairs[1][1]) - 1) << at
        kept = CLEAR if pairs[0][0] == CLEAR else self._new(f"and i{bits} {pairs[0][0]}, {hole}")
        part = self.resized(*pairs[1], bits)
        return self._or(kept, CLEAR if part == CLEAR else self._new(f"shl i{bits} {part}, {at}"), bits)


def _sides(right: str) -> list[str]:
    """Both operands of an operation or a comparison, without the type."""
    first, second = split_commas(right)
    return [first.rpartition(" ")[2] if not first.endswith(")") else _expression(first), second]


def _expression(text: str) -> str:
    """The constant expression at the end of a text."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0 and text[i] == "(":
            words = text[:i].rstrip().split(" ")
            while words and words[-1] in ("inbounds", "nuw", "nusw", "exact"):
                i = text.rindex(words.pop(), 0, i)
            return text[text.rindex(words[-1], 0, i) :]
    return text
