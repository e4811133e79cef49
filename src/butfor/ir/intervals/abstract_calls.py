"""The abstract semantics of calls: of program functions, of library functions, and of unknown code."""

from __future__ import annotations

from collections.abc import Callable

from butfor.ir.instructions import Call, Const, Instr
from butfor.ir.intervals.abstract_frame import AbstractFrame
from butfor.ir.intervals.abstract_state import ZEROS, AbstractState
from butfor.ir.intervals.abstract_values import Pointer, Value, to_object, unknown_pointer
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, constant, sub, times
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.shared_analysis import GivenUp, SharedAnalysis, Unreachable
from butfor.ir.intervals.value_boxes import integer_value
from butfor.ir.machine_types import Kind
from butfor.libc.effects import Effect, EffectKind
from butfor.libc.library import lookup, never_returns, reports_failure
from butfor.libc.record import Control, LibcFunction

_WRITING = frozenset(
    (
        EffectKind.WRITES,
        EffectKind.WRITES_TEXT,
        EffectKind.COPIES,
        EffectKind.STORES_POINTER,
        EffectKind.STORES_NEW_BLOCK,
    )
)
_RETURNING = frozenset(
    (EffectKind.RETURNS, EffectKind.RETURNS_INTO, EffectKind.RETURNS_NEW_BLOCK, EffectKind.RETURNS_STATIC)
)
_UNDERSTOOD_EFFECTS = (
    _WRITING
    | _RETURNING
    | {EffectKind.RESULT_HOLDS, EffectKind.WRITES_COUNTS, EffectKind.CALLS_REGISTERED, EffectKind.REGISTERS}
)
ReturnedState = Callable[[PreparedFunction, int, AbstractState], AbstractState | None]


class CallEffects:
    """The effects of calls on a state; `returned_state` analyses a callee in a context."""

    def __init__(self, shared: SharedAnalysis, returned_state: ReturnedState) -> None:
        self.shared, self.returned_state = shared, returned_state

    def call(self, frame: AbstractFrame, instr: Instr) -> None:
        """Apply the effect of a call to the state; raise Unreachable if it never returns."""
        call: Call = instr.detail
        name = call.callee
        if call.asm is not None:
            self.unknown_call(frame, instr)
        elif name is None:
            self.indirect_call(frame, instr)
        elif name in self.shared.objects.names:
            self.program_function(frame, instr, name)
        else:
            self.library_function(frame, instr, name)

    # --- functions of the program ---------------------------------------------------------------------------

    def program_function(self, frame: AbstractFrame, instr: Instr, name: str) -> None:
        """Analyse the callee in this context, or treat it as unknown code and analyse it for any caller."""
        if reports_failure(name):
            frame.records.note_check(frame.name, instr.index, "assertion", False)
        context = self.shared.call_context(frame.context, instr.index, name)
        if context is None:
            self.shared.roots[name] = None
            self.unknown_call(frame, instr)
            return
        call: Call = instr.detail
        body = self.shared.prepared(name)
        values = [frame.value(arg, t) for arg, t in zip(instr.args, call.arg_types, strict=False)]
        state = frame.state
        frame.drop_dead_slots(instr.index)
        for k, t in enumerate(body.function.params):
            if k < len(body.function.byval) and body.function.byval[k]:
                state.slots[context, k] = self._byval_copy(
                    frame, context, k, body.function.byval[k], values[k] if k < len(values) else None
                )
            else:
                state.slots[context, k] = frame.memory.typed(
                    values[k] if k < len(values) and call.arg_types[k] == t else None, t
                )
        after = self.returned_state(body, context, state)
        if after is None:
            raise Unreachable
        result = after.slots.pop((context, -1), None)
        self.shared.forget_locals(after, context)
        frame.continue_with(after)
        if instr.slot >= 0:
            frame.assign(instr, frame.memory.typed(result if body.function.result == instr.type else None, instr.type))

    def _byval_copy(self, frame: AbstractFrame, context: int, k: int, size: int, value: Value) -> Pointer:
        """A pointer to the copy of a struct that is passed by value."""
        obj = self.shared.objects.number(("byval", context, k))
        frame.state.memory.pop(obj, None)
        frame.memory.allocate(obj, obj, None, constant(size))
        if isinstance(value, Pointer) and not value.unknown and len(value.targets) == 1:
            source, offset = value.targets[0]
            if offset.is_const:
                frame.memory.copy(obj, 0, source, offset.const, size)
        return to_object(obj)

    def indirect_call(self, frame: AbstractFrame, instr: Instr) -> None:
        """A call through a pointer: of the only function it can point to, else of unknown code."""
        p = frame.pointer(instr.args[-1])
        objects = self.shared.objects.by_number
        frame.records.note_check(frame.name, instr.index, "null", frame.numbers.lower(p.nonnull) > 0)
        if not frame.numbers.assume_zero(sub(p.nonnull, ONE)):
            raise Unreachable
        names = [objects[o].function for o, _ in p.targets]
        if p.unknown or len(names) != 1 or names[0] is None or p.targets[0][1] != ZERO:
            self.unknown_call(frame, instr)
        elif names[0] in self.shared.objects.names:
            self.program_function(frame, instr, names[0])
        else:
            self.library_function(frame, instr, names[0])

    # --- everything else ------------------------------------------------------------------------------------

    def unknown_call(self, frame: AbstractFrame, instr: Instr) -> None:
        """A call that may change all memory it can reach, and return anything."""
        frame.havoc_shared_memory()
        self._assign_result(frame, instr, None)

    def library_function(self, frame: AbstractFrame, instr: Instr, name: str) -> None:
        """A function outside the program: what the tables of the library say, else unknown code."""
        if name.startswith("llvm."):
            self._intrinsic(frame, instr, name)
            return
        if reports_failure(name):
            frame.records.note_check(frame.name, instr.index, "assertion", False)
        if never_returns(name):
            raise Unreachable
        record = lookup(name)
        if record is None:
            self.unknown_call(frame, instr)
            return
        if record.control is Control.ASSUMPTION and len(instr.args) == 1:
            if not frame.numbers.assume_nonzero(frame.integer(instr.args[0], instr.detail.arg_types[0])):
                raise Unreachable
            return
        if (
            record.keeps_buffer
            and len(instr.args) > 1
            and frame.numbers.range(frame.pointer(instr.args[1]).nonnull) != (0, 0)
        ):
            raise GivenUp(f"the program gives a buffer to {record.name}")
        self._check_accesses(frame, instr, record)
        if record.frees and len(instr.args) == 1:
            p = frame.pointer(instr.args[0])
            found = frame.memory.content(p.targets[0][0]) if len(p.targets) == 1 and not p.unknown else None
            if found is not None and not found.is_summary:
                frame.state.memory.pop(p.targets[0][0], None)
        if record.allocation_sizes:
            self._allocate(frame, instr, record)
            return
        moved = record.block_copy or record.block_fill
        if moved is not None and record.returned_argument == moved.argument and len(instr.args) >= 3:
            self._copy_or_set(frame, instr, moved)
            return
        if any(e.kind not in _UNDERSTOOD_EFFECTS for e in record.effects):
            self.unknown_call(frame, instr)
            return
        for effect in record.effects:
            self._effect(frame, instr, effect)
        self._assign_result(frame, instr, self._returned(frame, instr, record))

    def _check_accesses(self, frame: AbstractFrame, instr: Instr, record: LibcFunction) -> None:
        """Check the accesses that the function makes."""
        types = instr.detail.arg_types
        for number, access in enumerate(record.accesses):
            if access.pointer >= len(instr.args) or types[access.pointer].kind is not Kind.PTR:
                continue
            p = frame.pointer(instr.args[access.pointer])
            size: Linear | None = constant(1)
            for k in access.sizes or ():
                if k >= len(types) or types[k].kind is not Kind.INT:
                    size = None
                    break
                factor = frame.arithmetic.unsigned(frame.integer(instr.args[k], types[k]), types[k].bits)
                size = frame.arithmetic.binary("mul", size or ONE, factor, 64, nsw=False) if size != ONE else factor
            self._check_access(frame, instr, p, None if access.sizes is None else size, number)

    def _check_access(self, frame: AbstractFrame, instr: Instr, p: Pointer, size: Linear | None, number: int) -> None:
        """Check one access; without a size, its end is not known."""
        suffix = f"-{number}"
        if size is not None:
            frame.check_access(instr, p, size, suffix)
            return
        note = frame.records.note_check
        note(frame.name, instr.index, "null" + suffix, frame.numbers.lower(p.nonnull) > 0)
        note(
            frame.name,
            instr.index,
            "bounds-low" + suffix,
            not p.unknown and all(frame.numbers.lower(e) >= 0 for _, e in p.targets),
        )
        note(frame.name, instr.index, "bounds-high" + suffix, False)

    def _intrinsic(self, frame: AbstractFrame, instr: Instr, name: str) -> None:
        types = instr.detail.arg_types
        record = lookup(name)
        moved = None if record is None else record.block_copy or record.block_fill
        if record is not None and moved is not None:
            self._check_accesses(frame, instr, record)
            self._copy_or_set(frame, instr, moved)
        elif name.startswith(
            ("llvm.lifetime", "llvm.dbg", "llvm.assume", "llvm.stack", "llvm.va_end", "llvm.donothing", "llvm.prefetch")
        ):
            self._assign_result(frame, instr, None)
        elif name in ("llvm.trap", "llvm.ubsantrap"):
            raise Unreachable
        elif self.shared.program.source.is_pure(name, types, instr.type):
            self._assign_result(frame, instr, None)
        else:
            self.unknown_call(frame, instr)

    def _copy_or_set(self, frame: AbstractFrame, instr: Instr, effect: Effect) -> None:
        """Apply a copy or fill of so many bytes, as of memcpy, memmove and memset."""
        to = frame.pointer(instr.args[effect.argument])
        count, t = instr.args[effect.count], instr.detail.arg_types[effect.count]
        size = frame.numbers.range(frame.arithmetic.unsigned(frame.integer(count, t), t.bits))
        place = self._single_place(frame, to)
        if place is None or size[0] != size[1]:
            self._overwrite(frame, to)
        elif effect.kind is EffectKind.WRITES:
            value = instr.args[effect.source]
            whole = frame.memory.content(place[0])
            if not isinstance(value, Const) or integer_value(value) != 0:
                self._overwrite(frame, to)
            elif place[1] == 0 and whole is not None and whole.size == constant(size[0]):
                frame.memory.clear(place[0])
            else:
                frame.memory.clear_range(place[0], place[1], place[1] + size[0])
        else:
            source = self._single_place(frame, frame.pointer(instr.args[effect.source]))
            if source is None:
                self._overwrite(frame, to)
            else:
                frame.memory.copy(place[0], place[1], source[0], source[1], size[0])
        self._assign_result(frame, instr, to)

    def _single_place(self, frame: AbstractFrame, p: Pointer) -> tuple[int, int] | None:
        """The only object and offset that a pointer can have, else None."""
        if p.unknown or len(p.targets) != 1 or not p.targets[0][1].is_const:
            return None
        obj, offset = p.targets[0]
        found = frame.memory.content(obj)
        return None if found is None or found.is_summary else (obj, offset.const)

    def _overwrite(self, frame: AbstractFrame, p: Pointer) -> None:
        """Forget everything from where a pointer may point to up to the end of the object."""
        if p.unknown:
            frame.havoc_shared_memory()
        for obj, offset in p.targets:
            low, _ = frame.numbers.range(offset)
            frame.memory.forget(obj, low, 1 << 64)

    def _allocate(self, frame: AbstractFrame, instr: Instr, record: LibcFunction) -> None:
        types = instr.detail.arg_types
        sizes = [
            frame.arithmetic.unsigned(frame.integer(instr.args[k], types[k]), types[k].bits)
            for k in record.allocation_sizes
            if k < len(types) and types[k].kind is Kind.INT
        ]
        size: Linear | None = sizes[-1] if sizes else None
        if len(sizes) == 2:
            size = (
                times(sizes[0], sizes[1].const)
                if sizes[1].is_const
                else times(sizes[1], sizes[0].const)
                if sizes[0].is_const
                else None
            )
        if size is not None and frame.numbers.upper(size) >= 1 << 64:
            size = None
        objects = self.shared.objects
        obj = objects.number(("heap", frame.context, instr.index))
        older = objects.number(("heaps", frame.context, instr.index))
        p = frame.memory.allocate(obj, older, ZEROS if record.allocates_zeros else None, size)
        self._assign_result(frame, instr, Pointer(p.targets, frame.arithmetic.fresh_in(0, 1), False))

    def _effect(self, frame: AbstractFrame, instr: Instr, effect: Effect) -> None:
        if effect.kind is EffectKind.WRITES_COUNTS:
            if not self._is_plain_format(instr.args[effect.argument] if effect.argument < len(instr.args) else None):
                frame.havoc_shared_memory()
        elif effect.kind in _WRITING:
            last = len(instr.args) if effect.is_variadic else effect.argument + 1
            for k in range(effect.argument, min(last, len(instr.args))):
                if instr.detail.arg_types[k].kind is Kind.PTR:
                    self._overwrite(frame, frame.pointer(instr.args[k]))

    def _is_plain_format(self, op: object) -> bool:
        """Whether a format string is a constant without %n."""
        if not isinstance(op, Const) or op.kind != "global":
            return False
        g = self.shared.objects.globals.get(op.value)
        if g is None or not g.constant or g.init is None:
            return False
        return g.init.kind == "zero" or (g.init.kind == "bytes" and b"n" not in _conversions(g.init.value))

    def _returned(self, frame: AbstractFrame, instr: Instr, record: LibcFunction) -> Value:
        arithmetic = frame.arithmetic
        if record.result_range is not None:
            return arithmetic.fresh_in(*record.result_range)
        if record.returns_text_length:
            return self._string_length(frame, instr)
        if instr.type.kind is not Kind.PTR:
            return None
        same = record.returned_argument
        if record.never_null:
            return Pointer((), ONE, True) if same is None else frame.pointer(instr.args[same])
        returning = [e for e in record.effects if e.kind in _RETURNING]
        if len(returning) == 1 and returning[0].argument >= 0:
            p = frame.pointer(instr.args[returning[0].argument])
            if not p.unknown:
                targets = (
                    tuple((o, arithmetic.fresh_in(0, (1 << 63) - 1)) for o, _ in p.targets)
                    if same is None
                    else p.targets
                )
                return Pointer(targets, arithmetic.fresh_in(0, 1), False)
        return unknown_pointer(arithmetic)

    def _string_length(self, frame: AbstractFrame, instr: Instr) -> Linear:
        """The length of a string, below the size of the object if that is a string constant."""
        p = frame.pointer(instr.args[0])
        longest = (1 << 63) - 1
        if not p.unknown and p.targets and all(o in self.shared.objects.constants for o, _ in p.targets):
            limits = [frame.known_size(o) for o, e in p.targets if frame.numbers.lower(e) >= 0]
            if len(limits) == len(p.targets) and all(self._is_string_constant(o) for o, _ in p.targets):
                longest = max((limit.const - 1 for limit in limits if limit is not None), default=longest)
        return frame.arithmetic.fresh_in(0, longest)

    def _is_string_constant(self, obj: int) -> bool:
        """Whether a constant is a string that ends with a null byte."""
        g = self.shared.objects.globals.get(str(self.shared.objects.by_number[obj].key[1]))
        return g is not None and g.init is not None and g.init.kind == "bytes" and g.init.value.endswith(b"\0")

    def _assign_result(self, frame: AbstractFrame, instr: Instr, value: Value) -> None:
        if instr.slot >= 0:
            frame.assign(instr, frame.memory.typed(value, instr.type))


def _conversions(text: bytes) -> bytes:
    """The conversion letters of a format string."""
    found = bytearray()
    at = 0
    while (at := text.find(b"%", at)) >= 0:
        at += 1
        while at < len(text) and text[at : at + 1] in b"0123456789.*$-+ #'hlLqjzt":
            at += 1
        found += text[at : at + 1]
        at += 1
    return bytes(found)
