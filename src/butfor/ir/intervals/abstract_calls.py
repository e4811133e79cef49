"""Calls: of functions of the program, of the library, and of what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from butfor.ir.instructions import Call, Const, Instr
from butfor.ir.intervals import library_facts
from butfor.ir.intervals.abstract_frame import Dead, Frame
from butfor.ir.intervals.abstract_state import ZEROS
from butfor.ir.intervals.abstract_values import Pointer, Value, to_object, unknown_pointer
from butfor.ir.intervals.function_fixpoint import GivenUp
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, constant, sub, times
from butfor.ir.intervals.value_boxes import number_of
from butfor.ir.machine_types import Kind, Type
from butfor.ir.points_to.libc_effects import Effect, effects_of

if TYPE_CHECKING:
    from butfor.ir.intervals.forward_analysis import Engine

_KNOWN = frozenset(("w", "t", "r", "i", "new", "lib", "m", "f", "c", "p", "e", "a"))
_LONG = Type(Kind.INT, 64)


class Calls:
    """What calls do to a state."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, frame: Frame, instr: Instr) -> None:
        """Changes the state as the call does; Dead when it does not come back."""
        call: Call = instr.detail
        name = call.callee
        if call.asm is not None:
            self.unknown(frame, instr)
        elif name is None:
            self.indirect(frame, instr)
        elif name in self.engine.objects.names:
            self.own(frame, instr, name)
        else:
            self.foreign(frame, instr, name)

    # --- functions of the program ---------------------------------------------------------------------------

    def own(self, frame: Frame, instr: Instr, name: str) -> None:
        """A function of the program, looked into if it is not too deep."""
        if name in library_facts.REPORTS:
            frame.records.check(frame.name, instr.index, "assertion", False)
        context = self.engine.inlined(frame.context, instr.index, name)
        if context is None:
            self.engine.ask(name)
            self.unknown(frame, instr)
            return
        call: Call = instr.detail
        body = self.engine.body(name)
        values = [frame.value(arg, t) for arg, t in zip(instr.args, call.arg_types, strict=False)]
        state = frame.state
        frame.drop_before(instr.index)
        for k, t in enumerate(body.function.params):
            if k < len(body.function.byval) and body.function.byval[k]:
                state.slots[context, k] = self._copied(
                    frame, context, k, body.function.byval[k], values[k] if k < len(values) else None
                )
            else:
                state.slots[context, k] = frame.memory.typed(
                    values[k] if k < len(values) and call.arg_types[k] == t else None, t
                )
        after = self.engine.run(body, context, state)
        if after is None:
            raise Dead
        result = after.slots.pop((context, -1), None)
        self.engine.leave(after, context)
        frame.become(after)
        if instr.slot >= 0:
            frame.set(instr, frame.memory.typed(result if body.function.result == instr.type else None, instr.type))

    def _copied(self, frame: Frame, context: int, k: int, size: int, value: Value) -> Pointer:
        """A struct passed by value."""
        obj = self.engine.objects.number(("byval", context, k))
        frame.state.memory.pop(obj, None)
        frame.memory.allocate(obj, obj, None, constant(size))
        if isinstance(value, Pointer) and not value.unknown and len(value.targets) == 1:
            source, offset = value.targets[0]
            if offset.is_const:
                frame.memory.copy(obj, 0, source, offset.const, size)
        return to_object(obj)

    def indirect(self, frame: Frame, instr: Instr) -> None:
        """A call through a pointer: of the only function it can be, else of anything whose address is known somewhere."""
        p = frame.pointer(instr.args[-1])
        infos = self.engine.objects.infos
        frame.records.check(frame.name, instr.index, "null", frame.numbers.lower(p.exists) > 0)
        if not frame.numbers.assume_equal(sub(p.exists, ONE)):
            raise Dead
        names = [infos[o].function for o, _ in p.targets]
        if p.unknown or len(names) != 1 or names[0] is None or p.targets[0][1] != ZERO:
            self.unknown(frame, instr)
        elif names[0] in self.engine.objects.names:
            self.own(frame, instr, names[0])
        else:
            self.foreign(frame, instr, names[0])

    # --- everything else ------------------------------------------------------------------------------------

    def unknown(self, frame: Frame, instr: Instr) -> None:
        """A call that may do anything to memory it can get at."""
        self.anything(frame)
        self._result(frame, instr, None)

    def anything(self, frame: Frame) -> None:
        """Nothing is known any more of memory that others can get at."""
        infos = self.engine.objects.infos
        for obj in list(frame.state.memory):
            if not infos[obj].is_private:
                frame.memory.forget(obj)

    def foreign(self, frame: Frame, instr: Instr, name: str) -> None:
        """A function that is not part of the program."""
        if name.startswith("llvm."):
            self._intrinsic(frame, instr, name)
            return
        if name in library_facts.REPORTS:
            frame.records.check(frame.name, instr.index, "assertion", False)
        if name in library_facts.ENDS:
            raise Dead
        plain = library_facts.plain_name(name)
        if plain == "__VERIFIER_assume" and len(instr.args) == 1:
            if not frame.numbers.assume_other(frame.integer(instr.args[0], instr.detail.arg_types[0])):
                raise Dead
            return
        if (
            plain in library_facts.KEEPING
            and len(instr.args) > 1
            and frame.numbers.range(frame.pointer(instr.args[1]).exists) != (0, 0)
        ):
            raise GivenUp(f"the program gives a buffer to {plain}")
        self._checked(frame, instr, plain)
        if plain == "free" and len(instr.args) == 1:
            p = frame.pointer(instr.args[0])
            found = frame.memory.content(p.targets[0][0]) if len(p.targets) == 1 and not p.unknown else None
            if found is not None and not found.many:
                frame.state.memory.pop(p.targets[0][0], None)
        if plain in library_facts.ALLOCATORS:
            self._allocated(frame, instr, plain)
            return
        if plain in ("memcpy", "memmove", "memset") and len(instr.args) >= 3:
            self._memory(frame, instr, plain)
            return
        effects = effects_of(name)
        if any(e.kind not in _KNOWN for e in effects):
            self.unknown(frame, instr)
            return
        for effect in effects:
            self._effect(frame, instr, effect)
        self._result(frame, instr, self._returned(frame, instr, plain, effects))

    def _checked(self, frame: Frame, instr: Instr, plain: str) -> None:
        """The checks of what the function reads and writes."""
        types = instr.detail.arg_types
        for number, (argument, count) in enumerate(library_facts.ACCESSES.get(plain, ())):
            if argument >= len(instr.args) or types[argument].kind is not Kind.PTR:
                continue
            p = frame.pointer(instr.args[argument])
            size: Linear | None = constant(1)
            for k in (count,) if isinstance(count, int) else count or ():
                if k >= len(types) or types[k].kind is not Kind.INT:
                    size = None
                    break
                factor = frame.arithmetic.unsigned(frame.integer(instr.args[k], types[k]), types[k].bits)
                size = frame.arithmetic.binary("mul", size or ONE, factor, 64, nsw=False) if size != ONE else factor
            self._access(frame, instr, p, None if count is None else size, number)

    def _access(self, frame: Frame, instr: Instr, p: Pointer, size: Linear | None, number: int) -> None:
        """The checks of one pointer that a function follows."""
        suffix = f"-{number}"
        if size is not None:
            frame.access(instr, p, size, suffix)
            return
        note = frame.records.check
        note(frame.name, instr.index, "null" + suffix, frame.numbers.lower(p.exists) > 0)
        note(
            frame.name,
            instr.index,
            "bounds-low" + suffix,
            not p.unknown and all(frame.numbers.lower(e) >= 0 for _, e in p.targets),
        )
        note(frame.name, instr.index, "bounds-high" + suffix, False)

    def _intrinsic(self, frame: Frame, instr: Instr, name: str) -> None:
        plain = library_facts.plain_name(name)
        types = instr.detail.arg_types
        if plain in ("memcpy", "memmove", "memset"):
            self._checked(frame, instr, plain)
            self._memory(frame, instr, plain)
        elif name.startswith(
            ("llvm.lifetime", "llvm.dbg", "llvm.assume", "llvm.stack", "llvm.va_end", "llvm.donothing", "llvm.prefetch")
        ):
            self._result(frame, instr, None)
        elif name in ("llvm.trap", "llvm.ubsantrap"):
            raise Dead
        elif self.engine.program.source.is_pure(name, types, instr.type):
            self._result(frame, instr, None)
        else:
            self.unknown(frame, instr)

    def _memory(self, frame: Frame, instr: Instr, plain: str) -> None:
        to = frame.pointer(instr.args[0])
        types = instr.detail.arg_types
        size = frame.numbers.range(frame.arithmetic.unsigned(frame.integer(instr.args[2], types[2]), types[2].bits))
        place = self._place(frame, to)
        if place is None or size[0] != size[1]:
            self._overwritten(frame, to)
        elif plain == "memset":
            value = instr.args[1]
            whole = frame.memory.content(place[0])
            if not isinstance(value, Const) or number_of(value) != 0:
                self._overwritten(frame, to)
            elif place[1] == 0 and whole is not None and whole.size == constant(size[0]):
                frame.memory.clear(place[0])
            else:
                frame.memory.clear_range(place[0], place[1], place[1] + size[0])
        else:
            source = self._place(frame, frame.pointer(instr.args[1]))
            if source is None:
                self._overwritten(frame, to)
            else:
                frame.memory.copy(place[0], place[1], source[0], source[1], size[0])
        self._result(frame, instr, to)

    def _place(self, frame: Frame, p: Pointer) -> tuple[int, int] | None:
        """The only object and offset that a pointer can have."""
        if p.unknown or len(p.targets) != 1 or not p.targets[0][1].is_const:
            return None
        obj, offset = p.targets[0]
        found = frame.memory.content(obj)
        return None if found is None or found.many else (obj, offset.const)

    def _overwritten(self, frame: Frame, p: Pointer) -> None:
        """Something is written behind a pointer, up to the end of its object."""
        if p.unknown:
            self.anything(frame)
        for obj, offset in p.targets:
            low, _ = frame.numbers.range(offset)
            frame.memory.forget(obj, low, 1 << 64)

    def _allocated(self, frame: Frame, instr: Instr, plain: str) -> None:
        sizes = [
            frame.arithmetic.unsigned(frame.integer(arg, t), t.bits)
            for arg, t in zip(instr.args, instr.detail.arg_types, strict=False)
            if t.kind is Kind.INT
        ]
        size: Linear | None = sizes[-1] if sizes else None
        if plain in ("calloc", "reallocarray") and len(sizes) == 2:
            size = (
                times(sizes[0], sizes[1].const)
                if sizes[1].is_const
                else times(sizes[1], sizes[0].const)
                if sizes[0].is_const
                else None
            )
        if size is not None and frame.numbers.upper(size) >= 1 << 64:
            size = None
        objects = self.engine.objects
        obj = objects.number(("heap", frame.context, instr.index))
        older = objects.number(("heaps", frame.context, instr.index))
        p = frame.memory.allocate(obj, older, ZEROS if plain == "calloc" else None, size)
        self._result(frame, instr, Pointer(p.targets, frame.arithmetic.new(0, 1), False))

    def _effect(self, frame: Frame, instr: Instr, effect: Effect) -> None:
        if effect.kind == "f":
            if not self._is_plain_format(instr.args[effect.argument] if effect.argument < len(instr.args) else None):
                self.anything(frame)
        elif effect.kind in ("w", "t", "c", "p"):
            last = len(instr.args) if effect.later else effect.argument + 1
            for k in range(effect.argument, min(last, len(instr.args))):
                if instr.detail.arg_types[k].kind is Kind.PTR:
                    self._overwritten(frame, frame.pointer(instr.args[k]))

    def _is_plain_format(self, op: object) -> bool:
        """Whether a format is a constant without %n."""
        if not isinstance(op, Const) or op.kind != "global":
            return False
        g = self.engine.objects.globals.get(op.value)
        if g is None or not g.constant or g.init is None:
            return False
        return g.init.kind == "zero" or (g.init.kind == "bytes" and b"n" not in _conversions(g.init.value))

    def _returned(self, frame: Frame, instr: Instr, plain: str, effects: tuple[Effect, ...]) -> Value:
        arithmetic = frame.arithmetic
        if plain in library_facts.RESULTS:
            return arithmetic.new(*library_facts.RESULTS[plain])
        if plain in ("strlen", "strnlen"):
            return self._length(frame, instr)
        if instr.type.kind is not Kind.PTR:
            return None
        if plain in library_facts.NEVER_NULL:
            return Pointer((), ONE, True)
        kinds = {e.kind: e.argument for e in effects}
        if "r" in kinds and plain in library_facts.RETURNS_FIRST:
            return frame.pointer(instr.args[kinds["r"]])
        if len(kinds.keys() & {"r", "i", "new", "lib"}) == 1 and ("r" in kinds or "i" in kinds):
            p = frame.pointer(instr.args[kinds.get("r", kinds.get("i", 0))])
            if not p.unknown:
                targets = (
                    p.targets if "r" in kinds else tuple((o, arithmetic.new(0, (1 << 63) - 1)) for o, _ in p.targets)
                )
                return Pointer(targets, arithmetic.new(0, 1), False)
        return unknown_pointer(arithmetic)

    def _length(self, frame: Frame, instr: Instr) -> Linear:
        """The length of a text: that of a constant ends inside of it."""
        p = frame.pointer(instr.args[0])
        most = (1 << 63) - 1
        if not p.unknown and p.targets and all(o in self.engine.objects.constants for o, _ in p.targets):
            limits = [frame.limit(o) for o, e in p.targets if frame.numbers.lower(e) >= 0]
            if len(limits) == len(p.targets) and all(self._is_text(o) for o, _ in p.targets):
                most = max((limit.const - 1 for limit in limits if limit is not None), default=most)
        return frame.arithmetic.new(0, most)

    def _is_text(self, obj: int) -> bool:
        """Whether a constant is a text with an end."""
        g = self.engine.objects.globals.get(str(self.engine.objects.infos[obj].key[1]))
        return g is not None and g.init is not None and g.init.kind == "bytes" and g.init.value.endswith(b"\0")

    def _result(self, frame: Frame, instr: Instr, value: Value) -> None:
        if instr.slot >= 0:
            frame.set(instr, frame.memory.typed(value, instr.type))


def _conversions(text: bytes) -> bytes:
    """The letters that end the conversions of a format."""
    found = bytearray()
    at = 0
    while (at := text.find(b"%", at)) >= 0:
        at += 1
        while at < len(text) and text[at : at + 1] in b"0123456789.*$-+ #'hlLqjzt":
            at += 1
        found += text[at : at + 1]
        at += 1
    return bytes(found)
