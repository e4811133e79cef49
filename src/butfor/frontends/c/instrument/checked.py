"""One function's text with checks of memory put in, and with hooks where they are wanted.

Beside every pointer goes the object that it was derived from (provenance.py), beside every value go its bits that were never given a value
(masks.py), also through memory, calls and returns. An error ends the run: there is no log.
"""

from __future__ import annotations

import re

from butfor.frontends.c.instrument.calltext import argument_texts, type_text, value_text
from butfor.frontends.c.instrument.harmless import HARMLESS
from butfor.frontends.c.instrument.hooks import Hooker
from butfor.frontends.c.instrument.masks import CLEAR, Masks, width
from butfor.frontends.c.instrument.provenance import MAX_ARGS, Provenance
from butfor.frontends.c.instrument.rewrite import address_text, local
from butfor.frontends.c.llvm.body import parse_header
from butfor.frontends.c.llvm.module import Module
from butfor.program.maydefine import PRINTING
from butfor.program.model import Const, Function, Instr, Operand
from butfor.program.segments import SETJMPS, Layout
from butfor.program.sites import Site, SiteKind
from butfor.program.types import Kind, Type, alloc_size, store_size

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
declare i64 @__cf_m(i32, i64, i64, i64, ptr, ptr, i32)
declare i32 @__cf_pv(i32, i32, ptr, ptr)
"""
_SH_MASK, _SH_UNDEF = (1 << 42) - 1, 1 << 44  # checks.h


class Checker(Hooker):
    """Puts checks into one function; `checks` are the instructions that they are for, by number. Without `hooks`, there are no sites."""

    def __init__(
        self,
        module: Module,
        fn: Function,
        layout: Layout,
        sites: list[Site],
        checks: list[tuple[str, int]],
        objects: dict[str, int],
        modelled: frozenset[str],
        *,
        hooks: bool,
    ) -> None:
        super().__init__(module, fn, layout, sites)
        self.checks = checks
        self.modelled = modelled
        self.hooks = hooks
        self.types = module.types
        self.direct = {n for n in layout.direct if not hooks or not self._is_computed(fn.instrs[n])}
        self.prov = Provenance(fn, layout, objects, self.direct)
        self.masks = Masks(self._new)
        self.starts = {next((n for n in range(b.start, b.end) if fn.instrs[n].op != "phi"), -1) for b in fn.blocks[1:]}
        self.site = 0  # the last one made for the instruction under way
        self.known: tuple[str, str] = CLEAR, CLEAR  # mask and object of the value that goes into a hook
        self.hooked: dict[int, tuple[str, str]] = {}  # the same of what comes out, by operand; -1 for the result

    def _is_computed(self, instr: Instr) -> bool:
        """Whether a hook may move the address of an access."""
        address = instr.args[1] if instr.op == "store" else instr.args[0]
        return isinstance(address, int) and address not in self.layout.frame

    # --- masks and objects of operands ------------------------------------------------------------------------------------------

    def _type(self, op: Operand) -> Type:
        if isinstance(op, Const):
            return op.type
        d = self.fn.definer[op]
        return self.fn.instrs[d].type if d >= 0 else self.fn.params[op]

    def _mask(self, op: Operand) -> str:
        """The mask of an operand."""
        if isinstance(op, Const) or not width(self._type(op)):
            return CLEAR
        d = self.fn.definer[op]
        is_place = self.fn.instrs[d].op == "alloca" if d >= 0 else bool(self.fn.byval[op])
        return CLEAR if is_place else f"%bf.m{op}"

    def _word(self, op: Operand) -> str:
        return self.masks.word(self._mask(op), width(self._type(op)))

    def _set(self, instr: Instr, mask: str) -> None:
        """Makes this the mask of an instruction's result."""
        bits = width(instr.type)
        if instr.slot >= 0 and bits and instr.op != "alloca":
            self._emit(f"%bf.m{instr.slot} = or i{bits} {mask}, 0")

    def _check(self, instr: Instr) -> int:
        """The number of a new check."""
        self.checks.append((self.fn.name, instr.index))
        return len(self.checks)

    def _shadow(self, address: str) -> str:
        """Where the masks of the bytes at an address are."""
        low = self._new(f"and i64 {self._new(f'ptrtoint ptr {address} to i64')}, {_SH_MASK}")
        return self._new(f"inttoptr i64 {self._new(f'or i64 {low}, {_SH_UNDEF}')} to ptr")

    # --- what hooks change ----------------------------------------------------------------------------------------------------------

    def _site(self, instr: Instr, kind: SiteKind, t: Type, operand: int = -1, *, is_unsigned: bool = False, operator: int = -1) -> int:
        self.site = super()._site(instr, kind, t, operand, is_unsigned=is_unsigned, operator=operator)
        return self.site

    def _after(self, site: int, mask: str, bits: int, sides: tuple[str, str] = (CLEAR, CLEAR), old: str = "null", size: int = 0) -> str:
        """The mask of a value after its hook."""
        word = self.masks.word(mask, bits)
        left, right = (word, word) if sides == (CLEAR, CLEAR) else sides
        new = self._new(f"call i64 @__cf_m(i32 {site}, i64 {word}, i64 {left}, i64 {right}, ptr %cf.frame, ptr {old}, i32 {size})")
        return self.masks.resized(new, 64, bits)

    def _object(self, site: int, found: str, old: str = "null") -> str:
        """The object of a pointer after its hook."""
        return self._new(f"call i32 @__cf_pv(i32 {site}, i32 {found}, ptr %cf.frame, ptr {old})")

    def _value(self, site: int, t: Type, value: str, name: str = "") -> str:
        made = super()._value(site, t, value, name)
        s = self.sites[site - 1]
        mask, found = self.known
        if s.kind is SiteKind.CONSTANT:
            operand = self.fn.instrs[s.instr].args[s.operand]
            mask, found = CLEAR, self.prov.of(operand) if t.kind is Kind.PTR else CLEAR
        elif s.kind is SiteKind.RESULT:
            mask, found = CLEAR, self._new("load i32, ptr @__bf_retp") if t.kind is Kind.PTR else CLEAR
        self.hooked[s.operand] = self._after(site, mask, width(t)), self._object(site, found) if t.kind is Kind.PTR else CLEAR
        return made

    # --- instructions -----------------------------------------------------------------------------------------------------------------

    def _entry(self) -> list[str]:
        out, self.out = self.out, []
        self._emit(f"call void @__ck_enter(ptr %cf.frame, i64 {self.layout.frame_size})")
        names = [p[1] for p in parse_header(self.header, self.types)[1]]
        for k, t in enumerate(self.fn.params):
            bits = width(t)
            if self.fn.byval[k]:
                self._emit(f"%bf.p{k} = call i32 @__ck_byval(ptr {names[k]}, i64 {self.fn.byval[k]}, i32 {k})")
                continue
            if k in self.prov.needed and t.kind is Kind.PTR and k < MAX_ARGS:
                self._emit(f"%bf.p{k} = load i32, ptr getelementptr ([{MAX_ARGS} x i32], ptr @__bf_argp, i64 0, i64 {k})")
            if bits:
                word = self._new(f"load i64, ptr getelementptr ([{MAX_ARGS} x i64], ptr @__ck_argm, i64 0, i64 {k})") if k < MAX_ARGS else CLEAR
                self._emit(f"%bf.m{k} = or i{bits} {self.masks.resized(word, 64, bits) if bits <= 64 else CLEAR}, 0")
        made, self.out = [line.strip() for line in self.out], out
        return made

    def _instr(self, instr: Instr, text: str) -> None:
        if not self.hooks and instr.index in self.starts:
            self._emit("call void @__cf_tick()")
        self.site, self.hooked, self.known = 0, {}, (CLEAR, CLEAR)
        getattr(self, "_check_" + instr.op, self._check_other)(instr, text)

    def _plain(self, instr: Instr, text: str) -> None:
        """The instruction itself, with its hook."""
        loc = instr.loc
        if not self.hooks:
            instr.loc = -1  # so it has no site
        super()._instr(instr, text)
        instr.loc = loc

    def _before_last(self, instr: Instr, text: str) -> str:
        """Writes the instruction, which ends a block; takes its last line back."""
        self._plain(instr, text)
        return self.out.pop()

    def _check_alloca(self, instr: Instr, text: str) -> None:
        self._plain(instr, text)
        name = text.partition(" = ")[0]
        size = alloc_size(instr.detail[0])
        if instr.slot not in self.layout.frame:
            m = re.search(r", (i\d+) ([^,]+)", text)
            assert m is not None, text
            count = m[2] if m[1] == "i64" else self._new(f"zext {m[1]} {m[2]} to i64")
            self._emit(f"%bf.p{instr.slot} = call i32 @__ck_dynamic(ptr {name}, i64 {count}, i64 {size})")
        elif instr.slot in self.prov.needed:
            self._emit(f"%bf.o{instr.slot} = call i32 @__ck_local(ptr {name}, i64 {size})")

    def _access(self, hook: str, instr: Instr, address: str, op: Operand, size: int) -> None:
        """The check of an access."""
        if instr.index not in self.direct:
            self._emit(f"call void @{hook}(ptr {address}, i64 {size}, i32 {self.prov.of(op)}, i64 {self._word(op)}, i32 {self._check(instr)})")

    def _check_load(self, instr: Instr, text: str) -> None:
        address, size, bits = address_text(text), store_size(instr.type), width(instr.type)
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
        address, size, bits = address_text(text), store_size(t), width(t)
        self._access("__ck_w", instr, address, where, size)
        self._plain(instr, text)
        mask = self._mask(value)
        if self.site:
            mask = self._after(self.site, mask, bits, old=address, size=size)
        self._emit(f"store i{8 * size} {self.masks.resized(mask, bits, 8 * size)}, ptr {self._shadow(address)}, align 1")
        if t.kind is Kind.PTR:
            found = self.prov.of(value)
            self._emit(f"call void @__ck_sp(ptr {address}, i32 {self._object(self.site, found, address) if self.site else found})")
        elif not self._is_number(where):
            self._emit(f"call void @__ck_sd(ptr {address}, i64 {size})")

    def _is_number(self, op: Operand) -> bool:
        """Whether an address is that of a local number, which holds no pointers."""
        return isinstance(op, int) and op in self.layout.frame and self.fn.instrs[self.fn.definer[op]].detail[0].kind in (Kind.INT, Kind.FLOAT)

    def _check_atomicrmw(self, instr: Instr, text: str) -> None:
        t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
        m = re.search(r'ptr (%"[^"]*"|%[-\w.$]+|@"[^"]*"|@[-\w.$]+|getelementptr.*?\)),', text)
        assert m is not None, text
        self._access("__ck_w", instr, m[1], instr.args[0], store_size(t))
        self._plain(instr, text)
        self._emit(f"store i{8 * store_size(t)} 0, ptr {self._shadow(m[1])}, align 1")
        self._emit(f"call void @__ck_sd(ptr {m[1]}, i64 {store_size(t)})")
        self._set(instr, CLEAR)

    _check_cmpxchg = _check_atomicrmw

    def _check_phi(self, instr: Instr, text: str) -> None:
        self._plain(instr, text)
        rows = [(a, f"%{local(self.fn.blocks[b].label)}") for a, b in zip(instr.args, instr.detail, strict=True)]
        bits = width(instr.type)
        if bits:
            self._emit(f"%bf.m{instr.slot} = phi i{bits} {', '.join(f'[ {self._mask(a)}, {label} ]' for a, label in rows)}")
        if instr.slot in self.prov.needed:
            self._emit(f"%bf.p{instr.slot} = phi i32 {', '.join(f'[ {self.prov.of(a)}, {label} ]' for a, label in rows)}")

    def _check_select(self, instr: Instr, text: str) -> None:
        self._check_other(instr, text)
        if instr.slot in self.prov.needed:
            flags = r"^(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
            condition = re.sub(flags, "", text.split("select ", 1)[1]).split(",", 1)[0]
            self._emit(f"%bf.p{instr.slot} = select {condition}, i32 {self.prov.of(instr.args[1])}, i32 {self.prov.of(instr.args[2])}")

    def _check_other(self, instr: Instr, text: str) -> None:
        """Computations."""
        bits = width(instr.type) if instr.slot >= 0 else 0
        if not bits or instr.op == "va_arg":
            self._plain(instr, text)
            self._set(instr, CLEAR)
            return
        masks = [self._mask(a) for a in instr.args]
        mask = self.masks.result(instr, text.partition(" = ")[2], masks, [self._type(a) for a in instr.args])
        self.known = mask, CLEAR
        self._plain(instr, text)
        if -1 in self.hooked:
            mask = self.hooked[-1][0]
        elif self.site:
            mask = self._after(self.site, mask, bits, (self._word(instr.args[0]), self._word(instr.args[-1])))
        self._set(instr, mask)

    # --- ends of blocks ---------------------------------------------------------------------------------------------------------------

    def _check_br(self, instr: Instr, text: str) -> None:
        if not instr.args:
            self._plain(instr, text)
            return
        self.known = self._mask(instr.args[0]), CLEAR
        last = self._before_last(instr, text)
        mask, bits = self.known[0], width(self._type(instr.args[0]))
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
            if 0 < width(t) <= 512:
                self._emit(f"store i{width(t)} {mask}, ptr @__ck_retm, align 8")
            if t.kind is Kind.PTR:
                self._emit(f"store i32 {found}, ptr @__bf_retp")
        self._emit("call void @__ck_leave()")
        self.out.append(last)

    # --- calls ------------------------------------------------------------------------------------------------------------------------

    def _check_call(self, instr: Instr, text: str) -> None:
        kind = self.layout.kinds[instr.index]
        if kind == "memory":
            self._memory(instr, text)
            return
        if kind == "pure":
            given = [(self._mask(a), width(self._type(a))) for a in instr.args[: len(instr.detail.arg_types)]]
            self._plain(instr, text)
            self._set(instr, self.masks.full(self.masks.any(given), width(instr.type)))
            return
        self._plain(instr, text)
        if instr.detail.callee in SETJMPS:
            self._emit("call void @__ck_setjmp(ptr %cf.frame)")
        bits = width(instr.type)
        is_known = kind in ("internal", "indirect") and 0 < bits <= 512
        mask, found = self.hooked.get(-1, (CLEAR, ""))
        self._set(instr, self._new(f"load i{bits}, ptr @__ck_retm, align 8") if is_known else mask)
        if instr.slot in self.prov.needed and instr.type.kind is Kind.PTR and self.prov.tracked_call(instr):
            self._emit(f"%bf.p{instr.slot} = {f'or i32 {found}, 0' if found else 'load i32, ptr @__bf_retp'}")

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
            is_printing = kind == "external" and call.callee in PRINTING
            self._emit(f"store i32 {check}, ptr @__ck_at")
            self._emit(f"store i32 {int(is_printing)}, ptr @__ck_printing")
            for k in range(len(call.arg_types) if is_printing else 0):
                self._emit(f"call void @__ck_o(i64 {self._argument(instr, k)}, i32 {check})")
        if kind == "external":
            if not is_tracked and call.callee not in HARMLESS:
                self._give(instr, right)
        else:
            for k in range(min(len(call.arg_types), MAX_ARGS)):
                self._emit(f"store i64 {self._argument(instr, k)}, ptr getelementptr ([{MAX_ARGS} x i64], ptr @__ck_argm, i64 0, i64 {k})")
            if 0 < width(instr.type) <= 512:  # a call that is left out returns nothing
                self._emit(f"store i{width(instr.type)} 0, ptr @__ck_retm, align 8")
        self._emit(f"store i32 {int(kind != 'external')}, ptr @__ck_masks_set")
        self._emit(f"store i32 {int(is_tracked)}, ptr @__bf_args_set")
        if instr.type.kind is Kind.PTR:
            self._emit(f"store i32 {0 if kind == 'internal' else -1}, ptr @__bf_retp")

    def _argument(self, instr: Instr, k: int) -> str:
        """The mask of an argument, as an i64."""
        if k in self.hooked:
            return self.masks.word(self.hooked[k][0], width(instr.detail.arg_types[k]))
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
                self._emit(f"store ptr {value_text(operands[k])}, ptr getelementptr ([{MAX_ARGS} x ptr], ptr @__bf_args, i64 0, i64 {k})")

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
        p = [self.prov.of(a) if t.kind is Kind.PTR else CLEAR for a, t in zip(instr.args, instr.detail.arg_types, strict=False)]
        if name.startswith("llvm.va_start"):
            self._plain(instr, text)
            self._emit(f"call void @__ck_va_start(ptr {operands[0]})")
            return
        if name.startswith("llvm.stackrestore"):
            self._emit(f"call void @__ck_restore(ptr {operands[0]})")
        elif name.startswith("llvm.va_copy"):
            self._emit(f"call void @__ck_copy(ptr {operands[0]}, i32 {p[0]}, ptr {operands[1]}, i32 {p[1]}, i64 24, i32 {self._check(instr)})")
        else:
            t = instr.detail.arg_types[2]
            size = operands[2] if t.bits == 64 else self._new(f"zext {type_text(t)} {operands[2]} to i64")
            if name.startswith("llvm.memset"):
                self._emit(f"call void @__ck_fill(ptr {operands[0]}, i32 {p[0]}, i64 {size}, i32 {self._check(instr)})")
            else:
                self._emit(
                    f"call void @__ck_copy(ptr {operands[0]}, i32 {p[0]}, ptr {operands[1]}, i32 {p[1]}, i64 {size}, i32 {self._check(instr)})"
                )
        self._plain(instr, text)
