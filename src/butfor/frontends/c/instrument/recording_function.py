"""One function's text with calls of the recording runtime put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.call_text import (
    FAST_MATH_FLAGS,
    argument_texts,
    arguments_start,
    split_commas,
    type_text,
    value_text,
)
from butfor.frontends.c.instrument.error_conditions import ErrorConditions
from butfor.frontends.c.instrument.pointer_provenance import MAX_ARGS, VA_LIST_BYTES, PointerProvenance
from butfor.frontends.c.instrument.variable_scopes import scope_changes
from butfor.frontends.c.llvm.function_body import instruction_lines, parse_header, split_metadata
from butfor.ir.array_indices import text_room
from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size
from butfor.ir.recording_segments import Layout, access_size, ends_segment, word_count
from butfor.libc.library import control_of, is_setjmp, leaves_memory_alone, text_written
from butfor.libc.record import Control

_FAST_MATH = re.compile(rf"^(?:(?:{FAST_MATH_FLAGS}) )*")
_HEAD_DBG = re.compile(r" !dbg !\d+")
_ADDRESS = re.compile(
    r"ptr (?:addrspace\(\d+\) )?(.*?)"
    r"(?: syncscope\(.*\))?(?: (?:unordered|monotonic|acquire|release|acq_rel|seq_cst))?"
)


def local(label: str) -> str:
    """A block label or value name as it is written after `%`."""
    return label if re.fullmatch(r"[-\w.$]+", label) else f'"{label}"'


def address_text(text: str) -> str:
    """The address of a load or a store."""
    found = (_ADDRESS.fullmatch(part) for part in split_commas(text)[1:])
    return next(m[1] for m in found if m is not None)


def condition_text(text: str) -> str:
    """The condition of a select, with its type."""
    return _FAST_MATH.sub("", text.split("select ", 1)[1]).split(",", 1)[0]


class RecordingFunction:
    """One function that records itself; `wrapped` are the functions with models.

    `segment_number` writes the number of one of its segments, as a constant.
    """

    def __init__(
        self,
        module: CModule,
        fn: Function,
        layout: Layout,
        objects: Mapping[str, int | str],
        wrapped: frozenset[str],
        segment_number: Callable[[int], str],
    ) -> None:
        self.fn = fn
        self.layout = layout
        self.prov = PointerProvenance(fn, layout, objects)
        self.wrapped = wrapped
        self.segment_number = segment_number
        self.types = module.types
        span = module.functions[fn.name]
        self.header = _HEAD_DBG.sub("", module.lines[span.start])
        self.items = instruction_lines(module.lines, span.start, span.end)
        self.out: list[str] = []
        self.temps: list[str] = []
        self.count = 0
        self.errors = ErrorConditions(fn, self._new, module.global_type)
        self.scopes = scope_changes(fn, layout, *module.scopes(fn), self.prov.needed)

    def emit(self, line: str) -> None:
        """Append one line to the body."""
        self.out.append("  " + line)

    def name(self) -> str:
        """A fresh register name."""
        self.count += 1
        return f"%bf.t{self.count}"

    def _new(self, text: str) -> str:
        """A fresh register with this value."""
        name = self.name()
        self.emit(f"{name} = {text}")
        return name

    def text(self) -> list[str]:
        """The lines of the rewritten function."""
        segment = 0
        segments = self.layout.segments
        at = 0
        pending = True  # a segment hook waits for the end of the phis
        names = [
            item[2][2 : item[2].index(" = ")] if item[2][:3] == "  %" else ""
            for item in self.items
            if item[2][0] == " "
        ]
        self.names = names
        self.entry_at = -1
        for _, _, raw in self.items:
            if raw[0] != " ":
                self.out.append(raw.split(";")[0].rstrip())
                continue
            instr = self.fn.instrs[at]
            text = split_metadata(raw)[0].strip()
            while segment + 1 < len(segments) and at >= segments[segment + 1].start:
                segment += 1
                pending = True
            if pending and instr.op != "phi":
                pending = False
                if at == 0:
                    self.entry_at = len(self.out)
                else:
                    self.emit(f"call void @__bf_s(i32 {self.segment_number(segment)})")
                    self._after_call(self.fn.instrs[at - 1], segments[segment].flags)
            self._instr(instr, text)
            at += 1
        self._enter()
        return [self.header, *self.out, "}"]

    # --- function entry ---------------------------------------------------------------------------------------------

    def _enter(self) -> None:
        layout, fn = self.layout, self.fn
        head = [f"%bf.frame = alloca [{max(layout.frame_size, 16)} x i8], align {layout.frame_align}", *self.temps]
        head.append(f"call void @__bf_enter(i32 {self.segment_number(0)}, ptr %bf.frame, i64 {layout.frame_size})")
        if fn.variadic:
            head.append(f"call void @__bf_variadic(i64 {layout.frame_size})")
        if control_of(fn.name) is Control.ERROR_LOCATION:
            head.append("call void @__bf_reach_error()")
        names = self.param_names()
        for k, t in enumerate(fn.params):
            if fn.byval[k]:
                head.append(f"%bf.p{k} = call i32 @__bf_byval(ptr {names[k]}, i64 {fn.byval[k]}, i32 {k})")
            elif k in self.prov.needed and t.kind is Kind.PTR and k < MAX_ARGS:
                head.append(
                    f"%bf.p{k} = load i32, ptr getelementptr ([{MAX_ARGS} x i32], ptr @__bf_argp, i64 0, i64 {k})"
                )
        self.out[self.entry_at : self.entry_at] = ["  " + h for h in head]

    def param_names(self) -> list[str]:
        """The names of the parameters."""
        return [p[1] for p in parse_header(self.header, self.types)[1]]

    # --- instructions -----------------------------------------------------------------------------------------------

    def _instr(self, instr: Instr, text: str) -> None:
        for change in self.scopes.get(instr.index, ()):
            self.emit(f"call void @__bf_scope(i32 %bf.o{change.slot}, i32 {int(change.is_inside)})")
        self._check(instr, text)
        handler = getattr(self, "_on_" + instr.op, None)
        if handler is None:
            self.emit(text)
        else:
            handler(instr, text)

    def _check(self, instr: Instr, text: str) -> None:
        """Note the errors that the instruction is about to be, besides accesses outside of the object."""
        if instr.op == "gep":
            self.errors.address(instr, text)
        elif instr.accesses_memory:
            outside = self.errors.outside(instr.address)
            if outside is not None:
                address, is_write = self.names_by_slot(instr.address), int(instr.op != "load")
                size = access_size(instr)
                self.emit(
                    f"call void @__bf_member(i1 zeroext {outside}, ptr {address}, i64 {size}, i32 {is_write}, "
                    f"i32 {instr.index})"
                )
        else:
            found = self.errors.arithmetic(instr, text)
            if found is not None:
                self.emit(f"call void @__bf_e(i1 zeroext {found[1]}, i32 {int(found[0])}, i32 {instr.index})")

    def names_by_slot(self, op: Operand) -> str:
        """The register of an instruction's result."""
        assert isinstance(op, int)
        return self.names[self.fn.definer[op]]

    def _result(self, instr: Instr) -> str:
        return self.names[instr.index]

    def _on_alloca(self, instr: Instr, text: str) -> None:
        name = self._result(instr)
        if instr.slot in self.layout.frame:
            self.emit(f"{name} = getelementptr inbounds i8, ptr %bf.frame, i64 {self.layout.frame[instr.slot]}")
            if instr.slot in self.prov.needed:
                size = alloc_size(instr.detail[0])
                self.emit(f"%bf.o{instr.slot} = call i32 @__bf_local(ptr {name}, i64 {size}, i32 {instr.slot})")
            return
        m = re.search(r", (i\d+) ([^,]+)", text)
        assert m is not None, text
        count = m[2] if m[1] == "i64" else self._new(f"zext {m[1]} {m[2]} to i64")
        self.emit(f"call void @__bf_size(i64 {count}, i32 {instr.index})")
        self.emit(text)
        size = alloc_size(instr.detail[0])
        call = f"@__bf_dynamic(ptr {name}, i64 {count}, i64 {size}, i32 {instr.slot})"
        self.emit(f"%bf.p{instr.slot} = call i32 {call}")

    def _on_load(self, instr: Instr, text: str) -> None:
        self.emit(text)
        address = address_text(text)
        size = store_size(instr.type)
        fixed = instr.index in self.layout.direct
        prov = "" if fixed else f", i32 {self.prov.of(instr.args[0])}"
        c = "" if fixed else "c"
        if instr.type.kind is Kind.PTR and instr.slot in self.prov.needed:
            self.emit(f"%bf.p{instr.slot} = call i32 @__bf_lp{c}(ptr {address}{prov})")
        elif size in (1, 2, 4, 8):
            self.emit(f"call void @__bf_l{size}{c}(ptr {address}{prov})")
        else:
            self.emit(
                f"call void @__bf_ln(ptr {address}, i32 {size}, i32 {'0' if fixed else self.prov.of(instr.args[0])})"
            )

    def _on_store(self, instr: Instr, text: str) -> None:
        self.emit(text)
        self._stored(address_text(text), store_size(instr.detail), instr, instr.detail.kind is Kind.PTR)

    def _stored(self, address: str, size: int, instr: Instr, pointer: bool) -> None:
        computed = self.layout.effects[instr.index].address
        where = instr.address
        prov = f", i32 {self.prov.of(where)}" if computed else ""
        c = "c" if computed else ""
        if pointer:
            self.emit(f"call void @__bf_sp{c}(ptr {address}, i32 {self.prov.of(instr.args[0])}{prov})")
        elif size in (1, 2, 4, 8):
            self.emit(f"call void @__bf_s{size}{c}(ptr {address}{prov})")
        else:
            self.emit(f"call void @__bf_sn{c}(ptr {address}, i32 {size}{prov})")

    def _on_atomicrmw(self, instr: Instr, text: str) -> None:
        m = re.search(r'ptr (%"[^"]*"|%[-\w.$]+|@"[^"]*"|@[-\w.$]+|getelementptr.*?\)),', text)
        assert m is not None, text
        size, found = access_size(instr), self.prov.of(instr.args[0])
        self.emit(f"call void @__bf_ln(ptr {m[1]}, i32 {size}, i32 {found})")
        self.emit(text)
        self.emit(f"call void @__bf_snc(ptr {m[1]}, i32 {size}, i32 {found})")

    _on_cmpxchg = _on_atomicrmw

    def _on_phi(self, instr: Instr, text: str) -> None:
        self.emit(text)
        if instr.slot in self.prov.needed:
            pairs = ", ".join(
                f"[ {self.prov.of(a)}, %{local(self.fn.blocks[b].label)} ]"
                for a, b in zip(instr.args, instr.detail, strict=True)
            )
            self.emit(f"%bf.p{instr.slot} = phi i32 {pairs}")

    def _on_select(self, instr: Instr, text: str) -> None:
        self.emit(text)
        if instr.slot in self.prov.needed:
            yes, no = self.prov.of(instr.args[1]), self.prov.of(instr.args[2])
            self.emit(f"%bf.p{instr.slot} = select {condition_text(text)}, i32 {yes}, i32 {no}")

    def _on_unreachable(self, instr: Instr, text: str) -> None:
        self.emit("call void @__bf_unreachable()")
        self.emit(text)

    def _on_ret(self, instr: Instr, text: str) -> None:
        if instr.args and instr.detail.kind is Kind.PTR:
            self.emit(f"store i32 {self.prov.of(instr.args[0])}, ptr @__bf_retp")
        self.emit("call void @__bf_leave()")
        self.emit(text)

    # --- calls ------------------------------------------------------------------------------------------------------

    def _on_call(self, instr: Instr, text: str) -> None:
        kind = self.layout.kinds[instr.index]
        if kind == "ignored":
            return
        if kind == "memory":
            self._memory(instr, text)
            return
        if kind == "asm" and instr.detail.asm:
            self.emit(f"call void @__bf_unsupported(i32 1, i32 {instr.index})")
        if ends_segment(kind):
            self._before_call(instr, text, kind)
        self.emit(text)
        written = text_written(instr.callee) if kind == "external" else None
        room = text_room(self.fn, instr.args[written], self.errors.variables) if written is not None else None
        if written is not None and room is not None:
            self.emit(
                f"call void @__bf_text(ptr {value_text(argument_texts(text)[written])}, i64 {room}, i32 {instr.index})"
            )
        if kind in ("opaque", "asm"):
            self._log_words(self._result(instr), instr.type)

    def _before_call(self, instr: Instr, text: str, kind: str) -> None:
        call = instr.detail
        tracked = kind != "external" or call.callee in self.wrapped
        if tracked:
            operands: list[str] | None = None
            for k, t in enumerate(call.arg_types[:MAX_ARGS]):
                if t.kind is not Kind.PTR:
                    continue
                where = f"getelementptr ([{MAX_ARGS} x i32], ptr @__bf_argp, i64 0, i64 {k})"
                self.emit(f"store i32 {self.prov.of(instr.args[k])}, ptr {where}")
                if call.byval[k]:
                    operands = argument_texts(text) if operands is None else operands
                    source = value_text(operands[k])
                    self.emit(
                        f"store ptr {source}, ptr getelementptr ([{MAX_ARGS} x ptr], ptr @__bf_args, i64 0, i64 {k})"
                    )
                    if call.variadic:  # read through a va_list later, which shows no writers
                        self.emit(f"call void @bf_read(ptr {source}, i64 {call.byval[k]})")
        self.emit(f"store i32 {int(tracked)}, ptr @__bf_args_set")
        if kind != "internal" and instr.type.kind is Kind.PTR:
            self.emit("store i32 -1, ptr @__bf_retp")
        if kind == "indirect":
            callee = re.search(
                r'(%"[^"]*"|%[-\w.$]+|null|undef|poison|inttoptr \(.*?\))\($', text[: arguments_start(text) + 1]
            )
            assert callee is not None, text
            self.emit(f"call void @__bf_indirect(ptr {callee[1]})")
        elif not tracked and not leaves_memory_alone(call.callee):
            self.emit("call void @__bf_unknown()")

    def _after_call(self, call: Instr, flags: int) -> None:
        if call.op != "call" or not ends_segment(self.layout.kinds[call.index]):
            return
        kind = self.layout.kinds[call.index]
        if is_setjmp(call.detail.callee):
            self.emit("call void @__bf_setjmp(ptr %bf.frame)")
        if kind in ("external", "indirect") and call.type.kind is not Kind.VOID:
            self._log_words(self._result(call), call.type)
        if call.slot in self.prov.needed and call.type.kind is Kind.PTR:
            self.emit(f"%bf.p{call.slot} = load i32, ptr @__bf_retp")

    def _log_words(self, value: str, t: Type) -> None:
        """Log a register in whole words."""
        if word_count(t) == 0:
            return
        ty = type_text(t)
        if t.kind is Kind.PTR or (t.kind is Kind.INT and t.bits <= 64) or (t.kind is Kind.FLOAT and t.bits in (32, 64)):
            wide = value
            if t.kind is Kind.PTR:
                wide = self.name()
                self.emit(f"{wide} = ptrtoint ptr {value} to i64")
            else:
                if t.kind is Kind.FLOAT:
                    raw = self.name()
                    self.emit(f"{raw} = bitcast {ty} {value} to i{t.bits}")
                    wide = raw
                if t.bits < 64:
                    ext = self.name()
                    self.emit(f"{ext} = zext i{t.bits} {wide} to i64")
                    wide = ext
            self.emit(f"call void @__bf_word(i64 {wide})")
            return
        slot = self.name()
        self.temps.append(f"{slot} = alloca {ty}, align 16")
        self.emit(f"store {ty} {value}, ptr {slot}")
        self.emit(f"call void @__bf_words(ptr {slot}, i32 {store_size(t)})")

    def _memory(self, instr: Instr, text: str) -> None:
        name = instr.detail.callee or ""
        operands = [value_text(o) for o in argument_texts(text)]
        p = [
            self.prov.of(a) if t.kind is Kind.PTR else "0"
            for a, t in zip(instr.args, instr.detail.arg_types, strict=False)
        ]
        if name.startswith("llvm.va_start"):
            self.emit(text)
            self.emit(f"call void @__bf_va_start(ptr {operands[0]}, i32 {instr.index})")
        elif name.startswith("llvm.va_copy"):
            self._copy(instr, text, operands, p, f"{VA_LIST_BYTES}")
        elif name.startswith("llvm.stackrestore"):
            self.emit(f"call void @__bf_restore(ptr {operands[0]})")
            self.emit(text)
        else:
            size = operands[2]
            if instr.detail.arg_types[2].bits != 64:
                size = self.name()
                self.emit(f"{size} = zext i{instr.detail.arg_types[2].bits} {operands[2]} to i64")
            if name.startswith("llvm.memset"):
                self.emit(text)
                self.emit(f"call void @__bf_fill(ptr {operands[0]}, i32 {p[0]}, i64 {size}, i32 {instr.index})")
            else:
                self._copy(instr, text, operands, p, size)

    def _copy(self, instr: Instr, text: str, operands: list[str], objects: list[str], size: str) -> None:
        sides = f"ptr {operands[0]}, i32 {objects[0]}, ptr {operands[1]}, i32 {objects[1]}"
        self.emit(f"call void @__bf_copy({sides}, i64 {size}, i32 {instr.index})")
        if (instr.callee or "").startswith("llvm.memcpy"):
            self.emit(f"call void @__bf_overlap(ptr {operands[0]}, ptr {operands[1]}, i64 {size}, i32 {instr.index})")
        self.emit(text)
        self.emit(f"call void @__bf_copied(ptr {operands[0]}, i64 {size})")
