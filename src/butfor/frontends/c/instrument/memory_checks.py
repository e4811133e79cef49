"""One function's text with memory checks, and with hooks where they are wanted.

Beside every pointer goes the object that it was derived from (pointer_provenance.py), beside every value go its
uninitialised bits (undefined_bit_masks.py), also through memory, calls and returns. An error ends the run: there is no
log.
"""

from __future__ import annotations

import re

from butfor.frontends.c.instrument.call_text import split_commas
from butfor.frontends.c.instrument.error_conditions import operands_of
from butfor.frontends.c.instrument.hooked_function import OPERATORS
from butfor.frontends.c.instrument.memory_checks_at_calls import CheckedCalls
from butfor.frontends.c.instrument.pointer_provenance import MAX_ARGS
from butfor.frontends.c.instrument.recording_function import address_text, condition_text, local
from butfor.frontends.c.instrument.undefined_bit_masks import CLEAR
from butfor.frontends.c.llvm.function_body import parse_header
from butfor.ir.instructions import Instr, Operand
from butfor.ir.machine_types import Kind, alloc_size, mask_width, store_size
from butfor.ir.recording_segments import access_size
from butfor.trace.log.record_layout import ErrorKind

CHECK_DECLARATIONS = """
@__bf_argp = external global [16 x i32]
@__bf_args = external global [16 x ptr]
@__bf_args_set = external global i32
@__bf_retp = external global i32
@__ck_argm = external global [16 x i64]
@__ck_retm = external global [8 x i64]
@__ck_masks_set = external global i32
@__ck_at = external global i32
@__ck_printing = external global i32
declare void @__ck_enter(ptr, i64)
declare void @__ck_leave()
declare i32 @__ck_local(ptr, i64)
declare i32 @__ck_dynamic(ptr, i64, i64)
declare void @__ck_restore(ptr)
declare i32 @__ck_byval(ptr, i64, i32)
declare void @__ck_setjmp(ptr)
declare void @__ck_l(ptr, i64, i32, i64, i32)
declare void @__ck_w(ptr, i64, i32, i64, i32)
declare i32 @__ck_lp(ptr)
declare void @__ck_sp(ptr, i32)
declare void @__ck_sd(ptr, i64)
declare void @__ck_b(i1 zeroext, i32)
declare void @__ck_o(i64, i32)
declare void @__ck_given(ptr, i32)
declare void @__ck_copy(ptr, i32, ptr, i32, i64, i32)
declare void @__ck_fill(ptr, i32, i64, i32)
declare void @__ck_va_start(ptr)
declare void @__ck_e(i1 zeroext, i32, i32)
declare void @__ck_text(ptr, i64, i32)
declare void @__ck_size(i64, i32)
declare void @__ck_overlap(ptr, ptr, i64, i32)
declare void @__ck_scope(i32, i32)
declare i32 @__ck_argv(i32, ptr)
"""


_UNDEFINED_FOR_SOME_SECOND_OPERANDS = frozenset("udiv sdiv urem srem shl lshr ashr".split())


class CheckedFunction(CheckedCalls):
    """One function with memory checks."""

    def _entry(self) -> list[str]:
        out, self.out = self.out, []
        self._emit(f"call void @__ck_enter(ptr %cf.frame, i64 {self.layout.frame_size})")
        names = [p[1] for p in parse_header(self.header, self.types)[1]]
        for k, t in enumerate(self.fn.params):
            bits = mask_width(t)
            if self.fn.byval[k]:
                self._emit(f"%bf.p{k} = call i32 @__ck_byval(ptr {names[k]}, i64 {self.fn.byval[k]}, i32 {k})")
                continue
            if k == 1 and self.fn.name == "main" and k in self.prov.needed and t.kind is Kind.PTR:
                self._emit(f"%bf.p1 = call i32 @__ck_argv(i32 {names[0]}, ptr {names[1]})")
            elif k in self.prov.needed and t.kind is Kind.PTR and k < MAX_ARGS:
                self._emit(
                    f"%bf.p{k} = load i32, ptr getelementptr ([{MAX_ARGS} x i32], ptr @__bf_argp, i64 0, i64 {k})"
                )
            if bits:
                word = (
                    self._new(f"load i64, ptr getelementptr ([{MAX_ARGS} x i64], ptr @__ck_argm, i64 0, i64 {k})")
                    if k < MAX_ARGS
                    else CLEAR
                )
                self._emit(f"%bf.m{k} = or i{bits} {self.masks.resized(word, 64, bits) if bits <= 64 else CLEAR}, 0")
        made, self.out = [line.strip() for line in self.out], out
        return made

    def _instr(self, instr: Instr, text: str) -> None:
        if not self.hooks and instr.index in self.starts:
            self._emit("call void @__cf_tick()")
        for change in self.scopes.get(instr.index, ()):
            self._emit(f"call void @__ck_scope(i32 %bf.o{change.slot}, i32 {int(change.is_inside)})")
        self.site, self.hooked, self.known = 0, {}, (CLEAR, CLEAR)
        if instr.op == "gep":
            self.errors.address(instr, text)
        getattr(self, "_check_" + instr.op, self._check_other)(instr, text)

    def _before_last(self, instr: Instr, text: str) -> str:
        """The last line of an instruction that ends a block, after writing the lines before it."""
        self._plain(instr, text)
        return self.out.pop()

    def _check_alloca(self, instr: Instr, text: str) -> None:
        name = text.partition(" = ")[0]
        size = alloc_size(instr.detail[0])
        if instr.slot not in self.layout.frame:
            m = re.search(r", (i\d+) ([^,]+)", text)
            assert m is not None, text
            count = m[2] if m[1] == "i64" else self._new(f"zext {m[1]} {m[2]} to i64")
            self._emit(f"call void @__ck_size(i64 {count}, i32 {self._check(instr)})")
            self._plain(instr, text)
            self._emit(f"%bf.p{instr.slot} = call i32 @__ck_dynamic(ptr {name}, i64 {count}, i64 {size})")
            return
        self._plain(instr, text)
        if instr.slot in self.prov.needed:
            self._emit(f"%bf.o{instr.slot} = call i32 @__ck_local(ptr {name}, i64 {size})")

    def _access(self, hook: str, instr: Instr, address: str, op: Operand, size: int) -> None:
        """The check of an access."""
        if instr.index not in self.direct:
            companions = f"i32 {self.prov.of(op)}, i64 {self._word(op)}"
            self._emit(f"call void @{hook}(ptr {address}, i64 {size}, {companions}, i32 {self._check(instr)})")
        outside = self.errors.outside(op)
        if outside is not None:
            self._error(instr, ErrorKind.MEMBER, outside)

    def _check_load(self, instr: Instr, text: str) -> None:
        address, size, bits = address_text(text), store_size(instr.type), mask_width(instr.type)
        self._access("__ck_l", instr, address, instr.args[0], size)
        mask = self._new(f"load i{8 * size}, ptr {self._shadow(address)}, align 1")
        is_pointer = instr.type.kind is Kind.PTR
        found = self._new(f"call i32 @__ck_lp(ptr {address})") if is_pointer else CLEAR
        self.known = self.masks.resized(mask, 8 * size, bits), found
        self._plain(instr, text)
        mask, found = self.hooked.get(-1, self.known)
        self._set(instr, mask)
        if is_pointer:
            self._emit(f"%bf.p{instr.slot} = or i32 {found}, 0")

    def _check_store(self, instr: Instr, text: str) -> None:
        value, where = instr.args
        t = instr.detail
        address, size, bits = address_text(text), store_size(t), mask_width(t)
        self._access("__ck_w", instr, address, where, size)
        self._plain(instr, text)
        mask = self._mask(value)
        if self.site:
            mask = self._after(self.site, mask, bits, old=address, size=size)
        self._emit(
            f"store i{8 * size} {self.masks.resized(mask, bits, 8 * size)}, ptr {self._shadow(address)}, align 1"
        )
        if t.kind is Kind.PTR:
            found = self.prov.of(value)
            if self.site:
                found = self._object(self.site, found, address)
            self._emit(f"call void @__ck_sp(ptr {address}, i32 {found})")
        elif not self._is_number(where):
            self._emit(f"call void @__ck_sd(ptr {address}, i64 {size})")

    def _is_number(self, op: Operand) -> bool:
        """Whether an address is that of a local number, which holds no pointers."""
        return (
            isinstance(op, int)
            and op in self.layout.frame
            and self.fn.instrs[self.fn.definer[op]].detail[0].kind in (Kind.INT, Kind.FLOAT)
        )

    def _check_atomicrmw(self, instr: Instr, text: str) -> None:
        address, size = split_commas(text)[0].partition("ptr ")[2], access_size(instr)
        self._access("__ck_w", instr, address, instr.args[0], size)
        self._plain(instr, text)
        self._emit(f"store i{8 * size} 0, ptr {self._shadow(address)}, align 1")
        self._emit(f"call void @__ck_sd(ptr {address}, i64 {size})")
        self._set(instr, CLEAR)

    _check_cmpxchg = _check_atomicrmw

    def _check_phi(self, instr: Instr, text: str) -> None:
        self._plain(instr, text)
        rows = [(a, f"%{local(self.fn.blocks[b].label)}") for a, b in zip(instr.args, instr.detail, strict=True)]
        bits = mask_width(instr.type)
        if bits:
            self._emit(
                f"%bf.m{instr.slot} = phi i{bits} {', '.join(f'[ {self._mask(a)}, {label} ]' for a, label in rows)}"
            )
        if instr.slot in self.prov.needed:
            self._emit(
                f"%bf.p{instr.slot} = phi i32 {', '.join(f'[ {self.prov.of(a)}, {label} ]' for a, label in rows)}"
            )

    def _check_select(self, instr: Instr, text: str) -> None:
        self._check_other(instr, text)
        if instr.slot in self.prov.needed:
            yes, no = self.prov.of(instr.args[1]), self.prov.of(instr.args[2])
            self._emit(f"%bf.p{instr.slot} = select {condition_text(text)}, i32 {yes}, i32 {no}")

    def _check_other(self, instr: Instr, text: str) -> None:
        """Computations."""
        bits = mask_width(instr.type) if instr.slot >= 0 else 0
        if not bits or instr.op == "va_arg":
            self._plain(instr, text)
            self._set(instr, CLEAR)
            return
        masks = [self._mask(a) for a in instr.args]
        if instr.op in _UNDEFINED_FOR_SOME_SECOND_OPERANDS and masks[1] != CLEAR:
            flag = self.masks.any([(masks[1], mask_width(self.fn.operand_type(instr.args[1])))])
            self._emit(f"call void @__ck_b(i1 zeroext {flag}, i32 {self._check(instr)})")
        mask = self.masks.result(instr, text.partition(" = ")[2], masks, [self.fn.operand_type(a) for a in instr.args])
        self.known = mask, CLEAR
        self._plain(instr, text)
        if -1 in self.hooked:
            mask = self.hooked[-1][0]
        elif self.site:
            mask = self._after(self.site, mask, bits, (self._word(instr.args[0]), self._word(instr.args[-1])))
        self._set(instr, mask)
        wrong = self.errors.arithmetic(instr, text) if self.arithmetic else None
        if wrong is not None:
            self._error(instr, wrong[0], self._as_changed(instr, text, wrong[1]))

    def _as_changed(self, instr: Instr, text: str, wrong: str) -> str:
        """The condition that an operation goes wrong, of what a rule makes of it if there is one."""
        if not self.site or instr.op not in OPERATORS:
            return wrong
        a, b = (self._wide(instr.type, x) for x in operands_of(text.partition(" = ")[2]))
        code, is_signed = OPERATORS.index(instr.op) << 8 | instr.type.bits, int(instr.detail == "nsw")
        as_it_is = f"i32 {self.site}, i32 {self._new(f'zext i1 {wrong} to i32')}, i64 {a}, i64 {b}"
        found = self._new(f"call i32 @__cf_e({as_it_is}, i32 {code}, i32 {is_signed}, ptr %cf.frame)")
        return self._new(f"trunc i32 {found} to i1")

    # --- ends of blocks ---------------------------------------------------------------------------------------------

    def _check_br(self, instr: Instr, text: str) -> None:
        if not instr.args:
            self._plain(instr, text)
            return
        self.known = self._mask(instr.args[0]), CLEAR
        last = self._before_last(instr, text)
        mask, bits = self.known[0], mask_width(self.fn.operand_type(instr.args[0]))
        if -1 in self.hooked:
            mask = self.hooked[-1][0]
        elif self.site:
            mask = self._after(self.site, mask, bits)
        flag = self.masks.any([(mask, bits)])
        if flag != CLEAR:
            self._emit(f"call void @__ck_b(i1 zeroext {flag}, i32 {self._check(instr)})")
        self.out.append(last)

    _check_switch = _check_indirectbr = _check_br

    def _check_ret(self, instr: Instr, text: str) -> None:
        last = self._before_last(instr, text)
        if instr.args:
            t, value = instr.detail, instr.args[0]
            mask, found = self.hooked.get(0, (self._mask(value), self.prov.of(value) if t.kind is Kind.PTR else CLEAR))
            if 0 < mask_width(t) <= 512:
                self._emit(f"store i{mask_width(t)} {mask}, ptr @__ck_retm, align 8")
            if t.kind is Kind.PTR:
                self._emit(f"store i32 {found}, ptr @__bf_retp")
        self._emit("call void @__ck_leave()")
        self.out.append(last)
