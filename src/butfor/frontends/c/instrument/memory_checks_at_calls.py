"""Checks at calls: masks and objects go in with the arguments and come back with the result."""

from __future__ import annotations

from butfor.frontends.c.instrument.call_text import argument_texts, type_text, value_text
from butfor.frontends.c.instrument.companion_values import CompanionValues
from butfor.frontends.c.instrument.pointer_provenance import MAX_ARGS, VA_LIST_BYTES
from butfor.frontends.c.instrument.undefined_bit_masks import CLEAR
from butfor.ir.array_indices import text_room
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import Kind, mask_width
from butfor.libc.library import is_setjmp, leaves_memory_alone, prints, text_written


class CheckedCalls(CompanionValues):
    """One function with checks at its calls."""

    def _check_call(self, instr: Instr, text: str) -> None:
        kind = self.layout.kinds[instr.index]
        if kind == "memory":
            self._memory(instr, text)
            return
        if kind == "pure":
            given = [
                (self._mask(a), mask_width(self.fn.operand_type(a))) for a in instr.args[: len(instr.detail.arg_types)]
            ]
            self._plain(instr, text)
            self._set(instr, self.masks.full(self.masks.any(given), mask_width(instr.type)))
            wrong = self.errors.arithmetic(instr, text) if self.arithmetic else None
            if wrong is not None:
                self._error(instr, *wrong)
            return
        self._plain(instr, text)
        self._check_text(instr, text, kind)
        if is_setjmp(instr.detail.callee):
            self._emit("call void @__ck_setjmp(ptr %cf.frame)")
        bits = mask_width(instr.type)
        is_known = kind in ("internal", "indirect") and 0 < bits <= 512
        mask, found = self.hooked.get(-1, (CLEAR, ""))
        self._set(instr, self._new(f"load i{bits}, ptr @__ck_retm, align 8") if is_known else mask)
        if instr.slot in self.prov.needed and instr.type.kind is Kind.PTR and self.prov.tracked_call(instr):
            self._emit(f"%bf.p{instr.slot} = {f'or i32 {found}, 0' if found else 'load i32, ptr @__bf_retp'}")

    def _check_text(self, instr: Instr, text: str, kind: str) -> None:
        """Whether the text that a call left in a member ends there."""
        written = text_written(instr.callee) if kind == "external" else None
        room = text_room(self.fn, instr.args[written], self.errors.variables) if written is not None else None
        if written is not None and room is not None:
            where = value_text(argument_texts(text)[written])
            self._emit(f"call void @__ck_text(ptr {where}, i64 {room}, i32 {self._check(instr)})")

    def _calling(self, instr: Instr, right: str) -> None:
        kind = self.layout.kinds[instr.index]
        if kind not in ("internal", "external", "indirect"):
            return
        call = instr.detail
        is_tracked = kind != "external" or call.callee in self.modelled
        if is_tracked:
            self._pass_objects(instr, right)
        if kind != "internal":
            check = self._check(instr)
            is_printing = kind == "external" and prints(call.callee)
            self._emit(f"store i32 {check}, ptr @__ck_at")
            self._emit(f"store i32 {int(is_printing)}, ptr @__ck_printing")
            for k in range(len(call.arg_types) if is_printing else 0):
                self._emit(f"call void @__ck_o(i64 {self._argument(instr, k)}, i32 {check})")
        if kind == "external":
            if not is_tracked and not leaves_memory_alone(call.callee):
                self._give(instr, right)
        else:
            for k in range(min(len(call.arg_types), MAX_ARGS)):
                where = f"getelementptr ([{MAX_ARGS} x i64], ptr @__ck_argm, i64 0, i64 {k})"
                self._emit(f"store i64 {self._argument(instr, k)}, ptr {where}")
            if 0 < mask_width(instr.type) <= 512:  # a call that is left out returns nothing
                self._emit(f"store i{mask_width(instr.type)} 0, ptr @__ck_retm, align 8")
        self._emit(f"store i32 {int(kind != 'external')}, ptr @__ck_masks_set")
        self._emit(f"store i32 {int(is_tracked)}, ptr @__bf_args_set")
        if instr.type.kind is Kind.PTR:
            self._emit(f"store i32 {0 if kind == 'internal' else -1}, ptr @__bf_retp")

    def _argument(self, instr: Instr, k: int) -> str:
        """The mask of an argument, as an i64."""
        if k in self.hooked:
            return self.masks.word(self.hooked[k][0], mask_width(instr.detail.arg_types[k]))
        return CLEAR if instr.detail.byval[k] else self._word(instr.args[k])

    def _pass_objects(self, instr: Instr, right: str) -> None:
        call = instr.detail
        operands: list[str] | None = None
        for k, t in enumerate(call.arg_types[:MAX_ARGS]):
            if t.kind is not Kind.PTR:
                continue
            found = self.hooked[k][1] if k in self.hooked else self.prov.of(instr.args[k])
            self._emit(f"store i32 {found}, ptr getelementptr ([{MAX_ARGS} x i32], ptr @__bf_argp, i64 0, i64 {k})")
            if call.byval[k]:
                operands = argument_texts(right) if operands is None else operands
                where = f"getelementptr ([{MAX_ARGS} x ptr], ptr @__bf_args, i64 0, i64 {k})"
                self._emit(f"store ptr {value_text(operands[k])}, ptr {where}")

    def _give(self, instr: Instr, right: str) -> None:
        """A library function without a model may write what it is given pointers to."""
        operands = argument_texts(right)
        for k, t in enumerate(instr.detail.arg_types):
            if t.kind is Kind.PTR and not instr.detail.byval[k]:
                found = self.hooked[k][1] if k in self.hooked else self.prov.of(instr.args[k])
                self._emit(f"call void @__ck_given(ptr {value_text(operands[k])}, i32 {found})")

    def _memory(self, instr: Instr, text: str) -> None:
        name = instr.detail.callee or ""
        operands = [value_text(o) for o in argument_texts(text)]
        p = [
            self.prov.of(a) if t.kind is Kind.PTR else CLEAR
            for a, t in zip(instr.args, instr.detail.arg_types, strict=False)
        ]
        if name.startswith("llvm.va_start"):
            self._plain(instr, text)
            self._emit(f"call void @__ck_va_start(ptr {operands[0]})")
            return
        if name.startswith("llvm.stackrestore"):
            self._emit(f"call void @__ck_restore(ptr {operands[0]})")
        elif name.startswith("llvm.va_copy"):
            self._copy(instr, operands, p, f"{VA_LIST_BYTES}")
        else:
            t = instr.detail.arg_types[2]
            size = operands[2] if t.bits == 64 else self._new(f"zext {type_text(t)} {operands[2]} to i64")
            if name.startswith("llvm.memset"):
                self._emit(f"call void @__ck_fill(ptr {operands[0]}, i32 {p[0]}, i64 {size}, i32 {self._check(instr)})")
            else:
                self._copy(instr, operands, p, size)
        self._plain(instr, text)

    def _copy(self, instr: Instr, operands: list[str], objects: list[str], size: str) -> None:
        sides = f"ptr {operands[0]}, i32 {objects[0]}, ptr {operands[1]}, i32 {objects[1]}"
        self._emit(f"call void @__ck_copy({sides}, i64 {size}, i32 {self._check(instr)})")
        if (instr.callee or "").startswith("llvm.memcpy"):
            two = f"ptr {operands[0]}, ptr {operands[1]}"
            self._emit(f"call void @__ck_overlap({two}, i64 {size}, i32 {self._check(instr)})")
