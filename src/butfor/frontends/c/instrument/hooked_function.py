"""One function's text with hooks put in, so that a run can be changed at any of its sites."""

from __future__ import annotations

import re

from butfor.frontends.c.instrument.call_text import (
    FAST_MATH_FLAGS,
    argument_texts,
    arguments_start,
    split_commas,
    type_text,
    value_text,
)
from butfor.frontends.c.llvm.function_body import instruction_lines, split_metadata
from butfor.frontends.c.llvm.module_text import Module
from butfor.ir.change_sites import Site, SiteKind
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, store_size
from butfor.ir.recording_segments import Layout
from butfor.libc.library import control_of
from butfor.libc.record import Control

PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
OPERATORS = ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "shl", "ashr", "lshr")
REAL_OPERATORS = ("fadd", "fsub", "fmul", "fdiv")
UNSIGNED = 8

_HEAD_DBG = re.compile(r" !dbg !\d+")
_COMPARE = re.compile(rf"[if]cmp (?:(?:samesign|{FAST_MATH_FLAGS}) )*(?P<predicate>\w+) (?P<type>\S+) (?P<rest>.+)$")
_BINARY = re.compile(rf"\w+ (?:(?:nuw|nsw|exact|disjoint|{FAST_MATH_FLAGS}) )*(?P<type>\S+) (?P<rest>.+)$")
_STORE = re.compile(r"(?P<head>store (?:atomic )?(?:volatile )?)(?P<type>\S+) (?P<rest>.+)$")
_UNTOUCHED = frozenset((Control.EXIT, Control.FAILURE, Control.SETJMP, Control.LONGJMP))


def _is_real(t: Type) -> bool:
    return t.kind is Kind.FLOAT and t.bits in (32, 64)


def _is_whole(t: Type) -> bool:
    return (t.kind is Kind.INT and t.bits <= 64) or t.kind is Kind.PTR


class HookedFunction:
    """One function with hooks. New sites are appended to `sites`."""

    def __init__(self, module: Module, fn: Function, layout: Layout, sites: list[Site]) -> None:
        self.fn = fn
        self.layout = layout
        self.sites = sites
        self.variables = frozenset(n for n, g in module.globals.items() if not n.startswith(".str"))
        span = module.functions[fn.name]
        self.header = _HEAD_DBG.sub("", module.lines[span.start])
        self.items = instruction_lines(module.lines, span.start, span.end)
        self.out: list[str] = []
        self.count = 0

    def text(self) -> list[str]:
        """The lines of the function with hooks."""
        frame = f"%cf.frame = alloca [{max(self.layout.frame_size, 16)} x i8], align {self.layout.frame_align}"
        head = [
            frame,
            "call void @__cf_tick()",
            *(["call void @__cf_failed()"] if control_of(self.fn.name) is Control.ERROR_LOCATION else []),
            *self._entry(),
        ]
        at = 0
        for _, _, raw in self.items:
            if raw[0] != " ":
                self.out.append(raw.split(";")[0].rstrip())
                continue
            if at == 0:
                self.out += ["  " + line for line in head]
            self._instr(self.fn.instrs[at], split_metadata(raw)[0].strip())
            at += 1
        return [self.header, *self.out, "}"]

    def _entry(self) -> list[str]:
        """What else is done at the entry of the function."""
        return []

    def _calling(self, instr: Instr, right: str) -> None:
        """What else is done just before a call is made."""

    def _instr(self, instr: Instr, text: str) -> None:
        if instr.op == "alloca" and instr.slot in self.layout.frame:
            name = text.partition(" = ")[0]
            self._emit(f"{name} = getelementptr inbounds i8, ptr %cf.frame, i64 {self.layout.frame[instr.slot]}")
            return
        if instr.op == "call" and self.layout.kinds[instr.index] == "ignored":
            return
        if instr.op == "unreachable":  # what follows in memory must not run
            self._emit("call void @__cf_unreachable()")
        name, is_assigned, right = text.partition(" = ")
        handled = False
        if instr.loc >= 0:
            if not is_assigned:
                name, right = "", text
            op = (
                "operation"
                if instr.op in OPERATORS or instr.op in REAL_OPERATORS
                else "compare"
                if instr.op in ("icmp", "fcmp")
                else instr.op
            )
            handler = getattr(self, "_on_" + op, None)
            handled = handler is not None and handler(instr, name, right)
        if not handled:
            if instr.op == "call":
                self._calling(instr, text)
            self._emit(text)

    # --- pieces -----------------------------------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self.out.append("  " + line)

    def _new(self, text: str) -> str:
        """A fresh register with this value."""
        self.count += 1
        name = f"%cf.t{self.count}"
        self._emit(f"{name} = {text}")
        return name

    def _raw(self, right: str) -> str:
        """A fresh register for the value that the program itself computes."""
        return self._new(right)

    def _site(
        self, instr: Instr, kind: SiteKind, t: Type, operand: int = -1, *, is_unsigned: bool = False, operator: int = -1
    ) -> int:
        number = len(self.sites) + 1
        bits = 64 if t.kind is Kind.PTR else t.bits
        is_real, is_pointer = t.kind is Kind.FLOAT, t.kind is Kind.PTR
        self.sites.append(
            Site(number, self.fn.name, instr.index, kind, operand, bits, is_real, is_pointer, is_unsigned, operator)
        )
        return number

    def _wide(self, t: Type, value: str, extend: str = "sext") -> str:
        """The value as an i64 or a double."""
        if t.kind is Kind.PTR:
            return self._new(f"ptrtoint ptr {value} to i64")
        if t.kind is Kind.FLOAT:
            return value if t.bits == 64 else self._new(f"fpext float {value} to double")
        return value if t.bits == 64 else self._new(f"{extend} i{t.bits} {value} to i64")

    def _narrow(self, t: Type, value: str, name: str = "") -> str:
        """The value back in its own type, in the register `name` or a new one."""
        if t.kind is Kind.PTR:
            text = f"inttoptr i64 {value} to ptr"
        elif t.kind is Kind.FLOAT:
            text = f"fptrunc double {value} to float" if t.bits == 32 else f"bitcast double {value} to double"
        else:
            text = f"trunc i64 {value} to i{t.bits}" if t.bits < 64 else f"bitcast i64 {value} to i64"
        if name:
            self._emit(f"{name} = {text}")
            return name
        return self._new(text)

    def _value(self, site: int, t: Type, value: str, name: str = "") -> str:
        """The value after a plain hook."""
        hook, ty = ("__cf_d", "double") if t.kind is Kind.FLOAT else ("__cf_i", "i64")
        wide = self._wide(t, value)
        return self._narrow(t, self._new(f"call {ty} @{hook}(i32 {site}, {ty} {wide}, ptr %cf.frame)"), name)

    # --- instructions: each says whether it wrote the instruction ---------------------------------------------------

    def _on_load(self, instr: Instr, name: str, right: str) -> bool:
        if not (_is_whole(instr.type) or _is_real(instr.type)) or "atomic" in right[:12]:
            return False
        self._value(self._site(instr, SiteKind.LOAD, instr.type), instr.type, self._raw(right), name)
        return True

    def _on_store(self, instr: Instr, name: str, right: str) -> bool:
        t = instr.detail
        m = _STORE.match(right)
        if m is None or "atomic" in m["head"] or not (_is_whole(t) or _is_real(t)):
            return False
        value, address, *rest = split_commas(m["rest"])
        if value in ("undef", "poison"):
            return False
        site = self._site(instr, SiteKind.STORE, t)
        hook, ty = ("__cf_sd", "double") if t.kind is Kind.FLOAT else ("__cf_si", "i64")
        wide = self._wide(t, value)
        where = address.removeprefix("ptr ")
        new = self._new(f"call {ty} @{hook}(i32 {site}, {ty} {wide}, ptr %cf.frame, ptr {where}, i32 {store_size(t)})")
        self._emit(", ".join((f"{m['head']}{m['type']} {self._narrow(t, new)}", address, *rest)))
        return True

    def _on_compare(self, instr: Instr, name: str, right: str) -> bool:
        predicate, t = instr.detail
        m = _COMPARE.match(right)
        code = PREDICATES.get(predicate[-2:])  # none for `ord` and `uno`, which ask for a NaN
        if m is None or code is None or instr.type.kind is not Kind.INT or not (_is_whole(t) or _is_real(t)):
            return False
        a, b = split_commas(m["rest"])
        result = self._new(f"zext i1 {self._raw(right)} to i32")
        is_unsigned = predicate[0] == "u" or t.kind is Kind.PTR
        if t.kind is Kind.FLOAT:
            site = self._site(instr, SiteKind.COMPARE, t, operator=code)
            sides = f"double {self._wide(t, a)}, double {self._wide(t, b)}"
            call = f"@__cf_cd(i32 {site}, i32 {result}, {sides}, i32 {code}, ptr %cf.frame)"
        else:
            site = self._site(instr, SiteKind.COMPARE, t, is_unsigned=is_unsigned, operator=code)
            extend = "zext" if predicate[0] == "u" else "sext"
            sides = f"i64 {self._wide(t, a, extend)}, i64 {self._wide(t, b, extend)}"
            flags = code | (UNSIGNED if is_unsigned else 0)
            call = f"@__cf_c(i32 {site}, i32 {result}, {sides}, i32 {flags}, ptr %cf.frame)"
        self._emit(f"{name} = trunc i32 {self._new(f'call i32 {call}')} to i1")
        return True

    def _on_br(self, instr: Instr, name: str, right: str) -> bool:
        if not instr.args:
            return False
        condition = instr.args[0]
        if isinstance(condition, Const) or self.fn.instrs[self.fn.definer[condition]].op in ("icmp", "fcmp"):
            return False  # the comparison itself is a site
        value, true, false = split_commas(right.removeprefix("br "))
        site = self._site(instr, SiteKind.BRANCH, instr.type)
        wide = self._new(f"zext {value} to i32")
        new = self._new(f"trunc i32 {self._new(f'call i32 @__cf_b(i32 {site}, i32 {wide})')} to i1")
        self._emit(f"br i1 {new}, {true}, {false}")
        return True

    def _on_operation(self, instr: Instr, name: str, right: str) -> bool:
        t = instr.type
        m = _BINARY.match(right)
        if m is None or not (_is_real(t) or (t.kind is Kind.INT and t.bits <= 64)):
            return False
        a, b = split_commas(m["rest"])
        sides = [self._wide(t, a), self._wide(t, b)]
        if t.kind is Kind.FLOAT:
            code = REAL_OPERATORS.index(instr.op)
            site = self._site(instr, SiteKind.OPERATION, t, operator=code)
            value = self._wide(t, self._raw(right))
            new = self._new(
                f"call double @__cf_od(i32 {site}, double {value}, double {sides[0]}, double {sides[1]}, "
                f"i32 {code}, ptr %cf.frame)"
            )
        else:
            code = OPERATORS.index(instr.op)
            site = self._site(instr, SiteKind.OPERATION, t, operator=code)
            if instr.op in ("sdiv", "udiv", "srem", "urem"):  # it must not end the run before its rule is looked at
                divisor = self._new(
                    f"call i64 @__cf_z(i32 {site}, i64 {sides[0]}, i64 {sides[1]}, i32 {code << 8 | t.bits})"
                )
                right = f"{instr.op} {m['type']} {a}, {self._narrow(t, divisor)}"
            value = self._wide(t, self._raw(right))
            new = self._new(
                f"call i64 @__cf_o(i32 {site}, i64 {value}, i64 {sides[0]}, i64 {sides[1]}, "
                f"i32 {code << 8 | t.bits}, ptr %cf.frame)"
            )
        self._narrow(t, new, name)
        return True

    def _on_gep(self, instr: Instr, name: str, right: str) -> bool:
        if instr.type.kind is not Kind.PTR or not all(isinstance(a, Const) for a in instr.args[1:]):
            return False
        self._value(self._site(instr, SiteKind.ADDRESS, instr.type), instr.type, self._raw(right), name)
        return True

    def _on_switch(self, instr: Instr, name: str, right: str) -> bool:
        t = instr.detail[2]
        if not _is_whole(t):
            return False
        head, _, rest = right.removeprefix("switch ").partition(", ")
        value = self._value(self._site(instr, SiteKind.SWITCH, t), t, head.partition(" ")[2])
        self._emit(f"switch {type_text(t)} {value}, {rest}")
        return True

    def _on_ret(self, instr: Instr, name: str, right: str) -> bool:
        if (
            not instr.args
            or not isinstance(instr.args[0], Const)
            or not (_is_whole(instr.detail) or _is_real(instr.detail))
        ):
            return False
        ty, _, value = right.removeprefix("ret ").partition(" ")
        if value in ("undef", "poison"):
            return False
        self._emit(
            f"ret {ty} {self._value(self._site(instr, SiteKind.CONSTANT, instr.detail, 0), instr.detail, value)}"
        )
        return True

    def _on_call(self, instr: Instr, name: str, right: str) -> bool:
        call = instr.detail
        if (
            call.asm is not None
            or (call.callee or "").startswith("llvm.")
            or control_of(call.callee) in _UNTOUCHED
            or "musttail" in right[:10]
        ):
            return False
        following = self.fn.instrs[instr.index + 1] if instr.index + 1 < len(self.fn.instrs) else None
        if following is not None and following.op == "unreachable":
            return False
        right = self._with_arguments(instr, right)
        at = arguments_start(right)
        if call.callee is not None:
            callee = re.search(r'(@"[^"]*"|@[-\w.$]+)$', right[:at])
            if callee is not None:
                site = self._site(instr, SiteKind.CALL, instr.type)
                target = self._new(f"call ptr @__cf_f(i32 {site}, ptr {callee[1]})")
                right = right[: callee.start()] + target + right[at:]
        external = self.layout.kinds[instr.index] == "external"
        self._calling(instr, right)
        if name and external and (_is_whole(instr.type) or _is_real(instr.type)):
            self._value(self._site(instr, SiteKind.RESULT, instr.type), instr.type, self._raw(right), name)
        else:
            self._emit(f"{name} = {right}" if name else right)
        return True

    def _is_fixed(self, operand: Operand, t: Type, byval: int) -> bool:
        """Whether an argument is a constant or the address of a variable."""
        if isinstance(operand, int):
            return not byval and operand in self.layout.frame
        if operand.kind == "global":
            return not byval and operand.value in self.variables
        return operand.kind in ("int", "float", "null") and (_is_whole(t) or _is_real(t))

    def _with_arguments(self, instr: Instr, right: str) -> str:
        """The call with its numeric constants replaced by hooked ones."""
        call = instr.detail
        chosen = [
            k
            for k, t in enumerate(call.arg_types)
            if k < len(instr.args) and self._is_fixed(instr.args[k], t, call.byval[k])
        ]
        if not chosen:
            return right
        texts = argument_texts(right)
        for k in chosen:
            operand = instr.args[k]
            is_number = isinstance(operand, Const) and operand.kind != "global"
            value = texts[k].rpartition(" ")[2] if is_number else value_text(texts[k])
            head = texts[k][: -len(value) - 1]
            t = call.arg_types[k]
            texts[k] = f"{head} {self._value(self._site(instr, SiteKind.CONSTANT, t, k), t, value)}"
        at = arguments_start(right)
        return f"{right[: at + 1]}{', '.join(texts)}{right[right.rindex(')') :]}"
