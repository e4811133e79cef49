"""Companions of every value in a checked function: its uninitialised bits, and the object a pointer derives from.

Both are values of the rewritten function (undefined_bit_masks.py, pointer_provenance.py); a hook that changes a value
changes them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.error_conditions import ErrorConditions
from butfor.frontends.c.instrument.hooked_function import HookedFunction
from butfor.frontends.c.instrument.pointer_provenance import PointerProvenance
from butfor.frontends.c.instrument.undefined_bit_masks import CLEAR, MaskBuilder
from butfor.frontends.c.instrument.variable_scopes import scope_changes
from butfor.ir.change_sites import Site, SiteKind
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, mask_width
from butfor.ir.recording_segments import Layout
from butfor.trace.log.record_layout import ErrorKind

_SH_MASK, _SH_UNDEF = (1 << 42) - 1, 1 << 44  # checks.h


class CompanionValues(HookedFunction):
    """One function with hooks where they are wanted, and masks and objects beside its values.

    `checks` are the instructions that checks are for, by number. Without `hooks`, there are no sites. Errors of
    `arithmetic` are looked for only where they are wanted.
    """

    def __init__(
        self,
        module: CModule,
        fn: Function,
        layout: Layout,
        sites: list[Site],
        checks: list[tuple[str, int]],
        objects: Mapping[str, int | str],
        modelled: frozenset[str],
        *,
        hooks: bool,
        arithmetic: bool,
        check_number: Callable[[int], str] = str,
    ) -> None:
        super().__init__(module, fn, layout, sites)
        self.checks = checks
        self.check_number = check_number
        self.modelled = modelled
        self.hooks = hooks
        self.arithmetic = arithmetic
        self.types = module.types
        self.direct = {n for n in layout.direct if not hooks or not self._is_computed(fn.instrs[n])}
        self.prov = PointerProvenance(fn, layout, objects, self.direct)
        self.masks = MaskBuilder(self._new)
        self.errors = ErrorConditions(fn, self._new, module.global_type)
        self.scopes = scope_changes(fn, layout, *module.scopes(fn), self.prov.needed)
        self.starts = {next((n for n in range(b.start, b.end) if fn.instrs[n].op != "phi"), -1) for b in fn.blocks[1:]}
        self.site = 0  # the last one made for the instruction under way
        self.known: tuple[str, str] = CLEAR, CLEAR  # mask and object of the value that goes into a hook
        self.hooked: dict[int, tuple[str, str]] = {}  # the same of what comes out, by operand; -1 for the result

    def _is_computed(self, instr: Instr) -> bool:
        """Whether a hook may move the address of an access."""
        address = instr.address
        return isinstance(address, int) and address not in self.layout.frame

    # --- masks and objects of operands ------------------------------------------------------------------------------

    def _mask(self, op: Operand) -> str:
        """The mask of an operand."""
        if isinstance(op, Const) or not mask_width(self.fn.operand_type(op)):
            return CLEAR
        d = self.fn.definer[op]
        is_place = self.fn.instrs[d].op == "alloca" if d >= 0 else bool(self.fn.byval[op])
        return CLEAR if is_place else f"%bf.m{op}"

    def _word(self, op: Operand) -> str:
        return self.masks.word(self._mask(op), mask_width(self.fn.operand_type(op)))

    def _set(self, instr: Instr, mask: str) -> None:
        """Make this the mask of an instruction's result."""
        bits = mask_width(instr.type)
        if instr.slot >= 0 and bits and instr.op != "alloca":
            self._emit(f"%bf.m{instr.slot} = or i{bits} {mask}, 0")

    def _check(self, instr: Instr) -> str:
        """The number of a new check, as a constant."""
        self.checks.append((self.fn.name, instr.index))
        return self.check_number(len(self.checks))

    def _error(self, instr: Instr, kind: ErrorKind, condition: str) -> None:
        """End the run where the condition holds."""
        self._emit(f"call void @__ck_e(i1 zeroext {condition}, i32 {int(kind)}, i32 {self._check(instr)})")

    def _shadow(self, address: str) -> str:
        """Where the masks of the bytes at an address are."""
        low = self._new(f"and i64 {self._new(f'ptrtoint ptr {address} to i64')}, {_SH_MASK}")
        return self._new(f"inttoptr i64 {self._new(f'or i64 {low}, {_SH_UNDEF}')} to ptr")

    # --- what hooks change ------------------------------------------------------------------------------------------

    def _site(
        self, instr: Instr, kind: SiteKind, t: Type, operand: int = -1, *, is_unsigned: bool = False, operator: int = -1
    ) -> int:
        self.site = super()._site(instr, kind, t, operand, is_unsigned=is_unsigned, operator=operator)
        return self.site

    def _after(
        self, site: int, mask: str, bits: int, sides: tuple[str, str] = (CLEAR, CLEAR), old: str = "null", size: int = 0
    ) -> str:
        """The mask of a value after its hook."""
        word = self.masks.word(mask, bits)
        left, right = (word, word) if sides == (CLEAR, CLEAR) else sides
        new = self._new(
            f"call i64 @__cf_m(i32 {site}, i64 {word}, i64 {left}, i64 {right}, ptr %cf.frame, ptr {old}, i32 {size})"
        )
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
        self.hooked[s.operand] = (
            self._after(site, mask, mask_width(t)),
            self._object(site, found) if t.kind is Kind.PTR else CLEAR,
        )
        return made

    def _plain(self, instr: Instr, text: str) -> None:
        """The instruction itself, with its hook."""
        loc = instr.loc
        if not self.hooks:
            instr.loc = -1  # so it has no site
        super()._instr(instr, text)
        instr.loc = loc
