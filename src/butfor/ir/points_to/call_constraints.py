"""Points-to constraints of calls: arguments, results, new blocks, library functions, callbacks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from butfor.ir.instructions import Const, Instr, Operand, Signature
from butfor.ir.machine_types import Kind, Type
from butfor.ir.points_to.allocation_wrappers import Allocators
from butfor.ir.points_to.constant_nodes import ConstantNodes
from butfor.ir.points_to.function_facts import CallNodes, FunctionFacts, Write
from butfor.ir.points_to.inclusion_solver import NO_NODE
from butfor.ir.points_to.memory_places import AbstractObject, ObjectKey
from butfor.ir.points_to.near_functions import NearFunctions
from butfor.ir.points_to.object_shapes import BY_BYTES, TO_ANYWHERE, UNBOUNDED, ObjectShape, OffsetPath
from butfor.libc.effects import UNKNOWN_EFFECTS, Effect, EffectKind
from butfor.libc.library import effects_of

_VA_LIST_BYTES = 24
_COUNT_CONVERSION = re.compile(rb"%[-+ #0-9.*hljztq]*n")
_WITHOUT_EFFECT = (
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.va_end",
    "llvm.assume",
    "llvm.prefetch",
    "llvm.stackrestore",
    "llvm.stacksave",
    "llvm.objectsize",
)


class FunctionNodes(ConstantNodes, ABC):
    """The nodes of reachable functions, as far as the constraints of calls need them."""

    allocators: Allocators
    near: NearFunctions

    def is_followed(self, name: str | None) -> bool:
        """Whether a function is looked into; others are taken for unknown code."""
        return name in self.defined and self.near.holds(name)

    @abstractmethod
    def function(self, name: str) -> FunctionFacts:
        """The facts about a function, which is now known to be reachable."""

    @abstractmethod
    def write(self, facts: FunctionFacts, instr: Instr, address: Operand, size: int, item: bool = False) -> int:
        """Record a write; the node of its address."""


class CallConstraints:
    """Connects calls with what they call."""

    def __init__(self, nodes: FunctionNodes) -> None:
        self._c = nodes
        self._s = nodes.solution
        self._s.escapes = self._escaped
        self._tokens = self._s.node()  # what strtok works on
        self._signatures: dict[str, Signature] = {}
        self._unfit: dict[tuple[Type, ...], int] = {}  # functions that calls with such types are not meant for
        self._beyond = 0  # functions that are not near, and never will be
        self._kept = self._s.node()  # functions to be called at the end or when a signal comes

    def by_name(self, site: CallNodes, name: str | None) -> None:
        """Add the constraints of a call of a function by its name; None is inline assembly."""
        if name is None:
            self._apply(site, UNKNOWN_EFFECTS, "")
        elif self._c.is_followed(name):
            self._bind(site, name, site.args)
            self._c.function(name).sites.append(site)
        elif name in self._c.defined:
            self._apply(site, UNKNOWN_EFFECTS, name)
        elif name.startswith("llvm."):
            self._intrinsic(site, name)
        else:
            self._apply(site, effects_of(name), name)

    def through_pointer(self, site: CallNodes, pointer: int) -> None:
        """Add the constraints of a call of the program through a pointer, whatever it comes to point to.

        A table of thousands of functions is met at every such call: those that say nothing new are left out as a set.
        """
        types = (site.instr.type, *site.instr.detail.arg_types)

        def act(places: int, detail: object, other: int) -> None:
            rest = places & ~self._unfit.get(types, 0)
            while rest:
                low = rest & -rest
                self.through(site, low.bit_length() - 1, site.args)
                rest ^= low
                if (site.instr.index, None) in site.facts.calls:
                    rest &= ~self._beyond

        self._s.rule(pointer, act, None, NO_NODE)

    def through(self, site: CallNodes, place: int, args: list[int]) -> None:
        """Add the constraints of a call of one place that a function pointer may point to.

        The call is by the program or by the library, which passes arguments of its own.
        """
        key = self._s.objects[self._s.place_object[place]].key
        if key[0] != "function":
            return
        name, is_own, allocators = key[1], args is site.args, self._c.allocators
        is_defined = name in self._c.defined
        if is_defined and is_own and not _fits(site.instr, self._signature(name)):
            types = (site.instr.type, *site.instr.detail.arg_types)
            self._unfit[types] = self._unfit.get(types, 0) | 1 << place
            return
        is_followed = self._c.is_followed(name)
        if is_defined and not is_followed:
            if self._c.near.is_full:
                self._beyond |= 1 << place
            if (site.instr.index, None) not in site.facts.calls:  # else it may call anything already
                self._apply(site, UNKNOWN_EFFECTS, name)
        elif is_own and allocators.note_indirect_target(site.facts.fn.name, site.instr, name):
            self._s.stopped = True  # what was taken for true so far is not
        elif is_followed:
            site.facts.calls[site.instr.index, name] = site.instr
            self._bind(site, name, args, is_own and bool(allocators.called_by(site.facts.fn.name, site.instr).calls))
        elif is_own:
            self.by_name(site, name)

    def _signature(self, name: str) -> Signature:
        """The types of a function of the program, read once: every call through a pointer asks for those of many."""
        found = self._signatures.get(name)
        if found is None:
            found = self._signatures[name] = self._c.program.source.signature(name)
        return found

    def _bind(self, site: CallNodes, name: str, args: list[int], is_known: bool = True) -> None:
        """Connect a call with a function of the program.

        `is_known`: the call represents the blocks that the function allocates and returns.
        """
        callee, byval = self._c.function(name), site.instr.detail.byval
        for k, arg in enumerate(args):
            if arg == NO_NODE:
                continue
            if k < len(callee.params):
                if callee.fn.byval[k]:
                    self._s.copy_memory(callee.params[k], arg, callee.fn.byval[k])
                else:
                    self._c.flow(arg, callee.params[k])
            elif callee.fn.variadic:
                self._pass_variadic(name, arg, byval[k] if k < len(byval) else 0)
        allocator = self._c.allocators.of(name)
        if allocator.calls:
            self._allocated(site, callee.fresh, None if is_known else ("heap", name, -1))
            for k in allocator.resized:
                if k < len(args) and args[k] != NO_NODE:
                    self._move(site, k, args[k])
        else:
            self._c.flow(callee.result, site.result)

    def _allocated(self, site: CallNodes, inner: int, key: ObjectKey | None = None) -> None:
        """Let a call return a new block; when its function returns that too, the block belongs to the callers."""
        if key is None and self._is_passed_on(site):
            self._c.flow(site.facts.fresh, site.result)
            self._c.flow(site.facts.fresh, inner)
            return
        number = self._s.object(key or ("heap", site.facts.fn.name, site.instr.index))
        self._c.point_at(site.result, number)
        self._c.point_at(inner, number)

    def _is_passed_on(self, site: CallNodes) -> bool:
        return site.instr.index in self._c.allocators.of(site.facts.fn.name).calls

    def _move(self, site: CallNodes, k: int, arg: int) -> None:
        """Copy what argument k points to into the new block; callers do it when both are theirs."""
        fn = site.facts.fn
        if site.result != NO_NODE and not (
            self._is_passed_on(site) and self._c.allocators.uses(fn).parameter(fn, site.instr.args[k]) >= 0
        ):
            self._s.copy_memory(site.result, arg, UNBOUNDED)

    def _intrinsic(self, site: CallNodes, name: str) -> None:
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            self._copy(site, Effect(EffectKind.COPIES, 0, 1, 2))
        elif name.startswith("llvm.memset"):
            self._write(site, Effect(EffectKind.WRITES, 0, count=2), False)
        elif name.startswith("llvm.va_start"):
            place = self._s.place(self._variadic(site.facts.fn.name), 0)
            node = self._s.node()
            self._s.add(node, 1 << place)
            self._s.store(site.args[0], node, _VA_LIST_BYTES)
            self._c.write(site.facts, site.instr, site.instr.args[0], _VA_LIST_BYTES)
        elif name.startswith("llvm.va_copy"):
            self._s.copy_memory(site.args[0], site.args[1], _VA_LIST_BYTES)
            self._c.write(site.facts, site.instr, site.instr.args[0], _VA_LIST_BYTES)
        elif not name.startswith(_WITHOUT_EFFECT):
            for arg in site.args:
                self._c.flow(arg, site.result)

    def _variadic(self, name: str) -> int:
        """The object that holds the variable arguments of a function."""
        return self._s.object(("variadic", name), ObjectShape(flat=True))

    def _pass_variadic(self, name: str, arg: int, size: int) -> None:
        """Pass one of the variable arguments; `size` is that of a struct passed by value."""
        number = self._variadic(name)
        if size:
            node = self._s.node()
            self._s.add(node, 1 << self._s.place(number, 0))
            self._s.copy_memory(node, arg, size)
        else:
            self._s.copy(arg, self._s.word(number, 0))

    # --- effects of library functions -----------------------------------------------------------------------

    def _apply(self, site: CallNodes, effects: tuple[Effect, ...], name: str) -> None:
        for e in effects:
            arg = site.args[e.argument] if 0 <= e.argument < len(site.args) else NO_NODE
            match e.kind:
                case EffectKind.RETURNS_NEW_BLOCK:
                    self._allocated(site, NO_NODE)
                case EffectKind.RETURNS_STATIC:
                    if site.result != NO_NODE:
                        self._c.point_at(site.result, self._s.object(("library", name), ObjectShape(flat=True)))
                case EffectKind.ANYTHING:
                    self._unknown(site)
                case EffectKind.CALLS_REGISTERED:
                    self._s.each(self._kept, lambda place: self.through(site, place, []))
                case EffectKind.TOKENISES:
                    self._tokenise(site, arg)
                case _ if arg == NO_NODE:
                    pass
                case EffectKind.WRITES | EffectKind.WRITES_TEXT:
                    self._write(site, e, e.kind is EffectKind.WRITES_TEXT)
                case EffectKind.WRITES_TEXT_BEHIND:
                    site.facts.writes.append(Write(site.instr, None, self._s.load(arg, 8), UNBOUNDED, True))
                case EffectKind.WRITES_LISTED:
                    site.facts.writes.append(
                        Write(site.instr, None, self._s.load(self._s.load(arg, _VA_LIST_BYTES), 8), UNBOUNDED, True)
                    )
                case EffectKind.COPIES:
                    self._copy(site, e)
                case EffectKind.RESULT_HOLDS:
                    self._move(site, e.argument, arg)
                case EffectKind.STORES_POINTER | EffectKind.STORES_NEW_BLOCK:
                    self._store_pointer(site, e, arg)
                case EffectKind.RETURNS:
                    self._c.flow(arg, site.result)
                case EffectKind.RETURNS_INTO:
                    self._c.flow(self._s.shifted(arg, BY_BYTES), site.result)
                case EffectKind.RETURNS_INTO_POINTEE:
                    self._c.flow(self._s.shifted(self._s.load(arg, 8), BY_BYTES), site.result)
                case EffectKind.CALLS:
                    self._call_back(site, e, arg)
                case EffectKind.REGISTERS:
                    self._s.copy(arg, self._kept)
                case EffectKind.REGISTERS_POINTEE:
                    self._s.copy(self._s.load(arg, 8), self._kept)
                case EffectKind.WRITES_COUNTS:
                    self._counts(site, e)

    def _tokenise(self, site: CallNodes, text: int) -> None:
        if text != NO_NODE:
            self._s.copy(self._s.shifted(text, BY_BYTES), self._tokens)
        self._c.flow(self._tokens, site.result)
        site.facts.writes.append(Write(site.instr, None, self._tokens, UNBOUNDED, True))

    def _counts(self, site: CallNodes, e: Effect) -> None:
        text = self._c.literal(site.instr.args[e.argument])
        if _COUNT_CONVERSION.search(text):
            self._write(site, Effect(EffectKind.WRITES_TEXT, e.argument + 1, is_variadic=True), True)

    def _size(self, site: CallNodes, e: Effect) -> int:
        op = site.instr.args[e.count] if 0 <= e.count < len(site.instr.args) else None
        return op.value if isinstance(op, Const) and op.kind == "int" else UNBOUNDED

    def _write(self, site: CallNodes, e: Effect, item: bool) -> None:
        for k in range(e.argument, len(site.args) if e.is_variadic else e.argument + 1):
            if site.args[k] != NO_NODE:
                self._c.write(site.facts, site.instr, site.instr.args[k], self._size(site, e), item)

    def _copy(self, site: CallNodes, e: Effect) -> None:
        to, source = site.args[e.argument], site.args[e.source]
        self._c.write(site.facts, site.instr, site.instr.args[e.argument], self._size(site, e))
        if to != NO_NODE and source != NO_NODE:
            self._s.copy_memory(to, source, self._size(site, e))

    def _store_pointer(self, site: CallNodes, e: Effect, arg: int) -> None:
        if e.kind is EffectKind.STORES_NEW_BLOCK:
            stored = self._s.node()
            self._c.point_at(stored, self._s.object(("heap", site.facts.fn.name, site.instr.index)))
        else:
            stored = site.args[e.source]
            stored = stored if stored == NO_NODE else self._s.shifted(stored, BY_BYTES)
        self._c.write(site.facts, site.instr, site.instr.args[e.argument], 8)
        if stored != NO_NODE:
            self._s.store(arg, stored, 8)

    def _call_back(self, site: CallNodes, e: Effect, target: int) -> None:
        args = [site.args[k] if 0 <= k < len(site.args) else NO_NODE for k, _ in e.passed]
        for at, (_, is_element) in enumerate(e.passed):
            if is_element and args[at] != NO_NODE:
                args[at] = self._s.shifted(args[at], self._element(site))
        self._s.each(target, lambda place: self.through(site, place, args))

    def _element(self, site: CallNodes) -> OffsetPath:
        """The path to the elements of an array whose element size is an argument before the callback."""
        sizes = [a.value for a in site.instr.args if isinstance(a, Const) and a.kind == "int" and a.value]
        return (sizes[-1], 0, (), 0) if sizes else TO_ANYWHERE

    def _unknown(self, site: CallNodes) -> None:
        for arg in site.args:
            self._c.flow(arg, self._s.unknown)
        self._c.flow(self._s.unknown, site.result)
        site.facts.writes.append(Write(site.instr, None, self._s.unknown, UNBOUNDED))
        site.facts.calls[site.instr.index, None] = site.instr

    def _escaped(self, o: AbstractObject) -> None:
        """Let code outside of the program call a function whose address it has."""
        if o.key[0] == "function" and self._c.is_followed(o.key[1]):
            facts = self._c.function(o.key[1])
            for node in facts.params:
                self._c.flow(self._s.unknown, node)
            self._c.flow(facts.result, self._s.unknown)
            if facts.fresh != NO_NODE:
                self._c.point_at(facts.fresh, self._s.object(("heap", o.key[1], -1)))
                self._c.point_at(self._s.unknown, self._s.object(("heap", o.key[1], -1)))


def _fits(call: Instr, fn: Signature) -> bool:
    """Whether a call through a pointer can be meant for a function, by the kinds of result and arguments.

    A function may leave some of the arguments unused.
    """
    given, wanted = call.detail.arg_types, fn.params
    if call.type.kind is not Kind.VOID and not _compatible(call.type, fn.result):
        return False
    if len(given) == len(wanted):
        return all(_compatible(a, b) for a, b in zip(given, wanted, strict=True))
    return len(wanted) < len(given) and all(a.kind is b.kind for a, b in zip(given, wanted, strict=False))


def _compatible(a: Type, b: Type) -> bool:
    return a.kind is b.kind or (a.bits == b.bits == 64 and Kind.PTR in (a.kind, b.kind))
