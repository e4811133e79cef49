"""The forward pass over a recorded run that follows what depends on the input.

It replays the run as `trace/check.py` does, with the recorded values at hand, and keeps a term for every value that depends on the input.
Every branch on such a value is a decision. A term is dropped where it does not have the recorded value, or grows too large: what is then
not followed is made up for by running every input for real.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from butfor.encode.operations import term_of
from butfor.encode.terms import TRUE, Evaluator, Term, TermError, binary, conjunction, const, disjunction, negate, resize, variable
from butfor.encode.values import Gap, bits_of, flat
from butfor.program.model import Const, Function, Instr, Operand
from butfor.program.segments import AFTER, ENTRY, RET, SETJMP
from butfor.program.types import Kind, Type, store_size
from butfor.search import addresses, library
from butfor.search.facts import Facts
from butfor.search.inputs import STDIN, Field, Input
from butfor.search.path import Decision, Edit, Other, PathCondition
from butfor.search.shadow_memory import ShadowMemory
from butfor.search.simplify import part, same, simpler, truth
from butfor.trace.log import NO_FRAME
from butfor.trace.memory import BIRTH, COPY, FILL, INPUT, WRITE
from butfor.trace.recording import Recording
from butfor.trace.semantics import SemanticsError, compile_instr, from_bytes, intrinsic
from butfor.trace.static import StaticSegment
from butfor.trace.trace import Unknown

_NO_SITE = 0xFFFFFFFF
_UNKNOWN = object()  # a register whose value the recording cannot give
_MOST_DECISIONS = 4000
_DEEPEST = 3000
_LARGEST_FILL = 1 << 20
_INTEGER = frozenset("mul udiv sdiv urem srem".split())


class Frame:
    """One call of a function."""

    __slots__ = ("base", "block", "call", "came_from", "fn", "low", "regs", "terms")

    def __init__(self, fn: Function, base: int) -> None:
        self.fn = fn
        self.base = base
        self.low = base
        self.regs: dict[int, Any] = {}
        self.terms: dict[int, Term] = {}
        self.block = 0
        self.came_from = -1
        self.call: library.Call | None = None  # of a library function that has not returned yet


@dataclass(frozen=True, slots=True)
class Scope:
    """How much of a run is followed."""

    segments: int = 100_000


class Shadow:
    """One pass. `path()` is its result."""

    def __init__(self, recording: Recording, given: Input, facts: Facts, scope: Scope | None = None) -> None:
        self.trace = recording.trace
        self.log = self.trace.log
        self.given = given
        self.facts = facts
        self.scope = scope or Scope()
        self.memory = ShadowMemory(self.trace)
        self.frames: dict[int, Frame] = {}
        self.returned: tuple[Any, Term | None] = (_UNKNOWN, None)
        self.args: tuple[str | None, list[Any], list[Term | None]] | None = None
        self.values: dict[str, int] = {}
        self.value_of = Evaluator(self.values)
        self.depth: dict[Term, int] = {}
        self.fields: dict[str, Field] = {}
        self.bounds: dict[str, Term] = {}
        self.decisions: list[Decision] = []
        self.seen: set[Term] = set()
        self.edits: dict[tuple[object, ...], Edit] = {}
        self.reads: set[str] = set()
        self.gaps: set[str] = set()
        self.tables: dict[str, int] = {}  # addresses of the C library's tables of character classes
        self.table_pointers: dict[int, str] = {}
        self.copied: set[tuple[int, int]] = set()  # (calling segment, address) of struct arguments, copied when the callee began
        self.objects = addresses.Bounds(recording)
        self.argv = addresses.Arguments(recording, given)
        self.argv.put_into(self)

    def path(self) -> PathCondition:
        """What the run says about others."""
        log = self.log
        count = min(len(log), self.scope.segments)
        if count < len(log):
            self.gaps.add("the end of a long run")
        for i in range(count):
            s = self.trace.at(i)
            try:
                self._segment(i, s, self._enter(i, s), i == len(log) - 1)
            except (Unknown, SemanticsError, TermError, Gap):
                self.gaps.add("the end of a run that stopped in the middle of something")
                break
            if len(self.decisions) >= _MOST_DECISIONS:
                self.gaps.add("a path with very many decisions")
                break
        return PathCondition(
            tuple(self.decisions),
            self.bounds,
            tuple(self.edits.values()),
            self.fields,
            self.values,
            frozenset(self.reads),
            frozenset(self.gaps),
        )

    # --- what the models of library functions use ---------------------------------------------------------------------------

    def variable(self, name: str, width: int, value: int) -> Term:
        """The variable of that name, with its value in this run."""
        self.values.setdefault(name, value & (1 << width) - 1)
        return variable(name, width)

    def field(self, field: Field, value: int) -> Term:
        """The variable of a number in the input."""
        name = f"{field.kind[0]}f{field.place}_{field.start}_{field.end}_{field.bits}"
        self.fields[name] = field
        return self.variable(name, field.bits, value)

    def decide(self, held: Term, others: tuple[Other, ...] = (), is_pinned: bool = False) -> None:
        """Notes a condition that held; one that does not hold by the values of the run is a mistake in following, and left out."""
        if held is TRUE:
            return
        if not self.value_of(held):
            self.gaps.add("a value that could not be followed")
            return
        if held in self.seen and (is_pinned or not any(o.is_error for o in others)):
            return
        self.seen.add(held)
        self.decisions.append(Decision(held, others, is_pinned))

    def edit(self, edit: Edit) -> None:
        """Notes an edit that is worth a try."""
        self.edits.setdefault(edit.key, edit)

    def checked(self, term: Term, value: int) -> Term | None:
        """The term, if it has the recorded value and is not too large."""
        if term.op == "const":
            return None
        depth = 1 + max((self.depth.get(a, 0) for a in term.args), default=0)
        if depth > _DEEPEST:
            self.gaps.add("a very long computation")
            return None
        self.depth[term] = depth
        if self.value_of(term) != value:
            self.gaps.add("a value that could not be followed")
            return None
        return term

    # --- frames ----------------------------------------------------------------------------------------------------------------

    def _enter(self, i: int, s: StaticSegment) -> Frame:
        number = self.log.frame_of(i)
        f = self.frames.get(number)
        if s.seg.flags & ENTRY or f is None:
            base = int(self.log.frame["base"][number])
            f = Frame(s.fn, base)
            self.frames[number] = f
            self.memory.forget(base, s.layout.frame_size)
            self._bind(i, f, number)
        if s.seg.start == s.fn.blocks[s.seg.block].start:
            f.came_from, f.block = f.block, s.seg.block
        return f

    def _bind(self, i: int, f: Frame, number: int) -> None:
        args, self.args = self.args, None
        for k in range(len(f.fn.params)):
            f.regs[k] = _UNKNOWN
        if int(self.log.frame["parent"][number]) == NO_FRAME:
            if f.fn.name == "main":
                self.argv.bind(self, f)
        elif args is not None and args[0] == f.fn.name:
            for k in range(min(len(f.fn.params), len(args[1]))):
                f.regs[k] = args[1][k]
                term = args[2][k]
                if term is not None:
                    f.terms[k] = term
        for k, size in enumerate(f.fn.byval):
            if size:
                source, copy = f.regs[k], self.trace.byval_address(i, k)
                f.regs[k] = copy
                f.terms.pop(k, None)
                self.copied.add((int(self.log.frame["caller"][number]), copy))
                if source is not _UNKNOWN:
                    self.memory.copy(copy, source, size)

    # --- values ------------------------------------------------------------------------------------------------------------------

    def concrete(self, f: Frame, op: Operand) -> Any:
        """The value of an operand, or the mark for an unknown one."""
        return self.trace.constant(op) if isinstance(op, Const) else f.regs.get(op, _UNKNOWN)

    def term(self, f: Frame, op: Operand) -> Term | None:
        """The term of an operand that depends on the input."""
        return f.terms.get(op) if isinstance(op, int) else None

    def _segment(self, i: int, s: StaticSegment, f: Frame, is_last: bool) -> None:
        seg, log = s.seg, self.log
        loads, stores, size, at_address, words = log.before(i)
        if seg.flags & AFTER:
            self._after_call(i, s, f, words)
        at = _Cursor(loads, stores, size, at_address)
        instrs = s.fn.instrs
        if seg.start == s.fn.blocks[seg.block].start:
            self._phis(s, f)
        for n in range(seg.start, seg.end):
            if is_last and self._beyond(s, n, at):
                return
            self._instr(i, s, f, instrs[n], at)
        if seg.flags & RET:
            last = s.last
            self.returned = (self.concrete(f, last.args[0]), self.term(f, last.args[0])) if last.args else (_UNKNOWN, None)
            self.frames.pop(log.frame_of(i), None)

    def _beyond(self, s: StaticSegment, n: int, at: _Cursor) -> bool:
        """Whether the run ended before this instruction of the last segment."""
        e = s.layout.effects.get(n)
        if e is None:
            return False
        return bool((e.loads and at.load + len(e.loads) > self.log.end.loads) or (e.stores and at.store + len(e.stores) > self.log.end.stores))

    def _set(self, f: Frame, slot: int, value: Any, term: Term | None) -> None:
        f.regs[slot] = value
        if term is None:
            f.terms.pop(slot, None)
        else:
            f.terms[slot] = term

    def _phis(self, s: StaticSegment, f: Frame) -> None:
        new = []
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op != "phi":
                break
            if f.came_from in instr.detail:
                chosen = instr.args[instr.detail.index(f.came_from)]
                new.append((instr.slot, self.concrete(f, chosen), self.term(f, chosen)))
        for slot, value, term in new:
            self._set(f, slot, value, term)

    def _instr(self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: _Cursor) -> None:
        match instr.op:
            case "phi" | "unreachable" | "fence" | "indirectbr" | "ret":
                return
            case "alloca":
                if instr.slot in s.layout.frame:
                    f.regs[instr.slot] = f.base + s.layout.frame[instr.slot]
                else:
                    f.regs[instr.slot] = int(self.log.word[self.log.before(i)[4] + s.offsets[instr.index][4]])
            case "load":
                self._load(s, f, instr, at)
            case "store":
                self._store(s, f, instr, at)
            case "atomicrmw" | "cmpxchg":
                self._atomic(s, f, instr, at)
            case "br" | "switch":
                if instr.args:
                    self._branch(s, f, instr)
            case "call":
                self._call(i, s, f, instr)
            case _:
                self._plain(f, instr)

    def _plain(self, f: Frame, instr: Instr) -> None:
        regs, is_open = f.regs, False
        for a in instr.args:
            if isinstance(a, int):
                if regs.get(a, _UNKNOWN) is _UNKNOWN:
                    self._set(f, instr.slot, _UNKNOWN, None)
                    return
                is_open = is_open or a in f.terms
        closure = self.facts.closures.get(id(instr))
        if closure is None:
            closure = self.facts.closures[id(instr)] = compile_instr(instr, self.trace.constant)
        if is_open and instr.op in ("sdiv", "udiv", "srem", "urem"):
            self._division(f, instr)
        try:
            value = closure(regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list
        except SemanticsError:
            self._set(f, instr.slot, _UNKNOWN, None)
            return
        self._set(f, instr.slot, value, self._computed(f, instr, value) if is_open else None)

    def _type(self, f: Frame, op: Operand) -> Type:
        if isinstance(op, Const):
            return op.type
        d = f.fn.definer[op]
        return f.fn.params[op] if d < 0 else f.fn.instrs[d].type

    def _operand(self, f: Frame, op: Operand) -> Term:
        term = self.term(f, op)
        if term is not None:
            return term
        t = self._type(f, op)
        return const(flat(self.concrete(f, op), t), bits_of(t))

    def _computed(self, f: Frame, instr: Instr, value: Any) -> Term | None:
        try:
            args = [self._operand(f, a) for a in instr.args]
            term = term_of(instr, args, self._type(f, instr.args[0]))
            if term is None and instr.op in _INTEGER and instr.type.kind is Kind.INT and instr.type.bits <= 64:
                term = binary(instr.op, args[0], args[1])
            if term is None:
                self.gaps.add("floating point" if "f" in instr.op else f"the operation {instr.op}")
                return None
            return self.checked(simpler(term), flat(value, instr.type))
        except (TermError, Gap):
            return None

    def _division(self, f: Frame, instr: Instr) -> None:
        """A divisor that depends on the input may be zero, or -1 for the least value."""
        divisor = self._operand(f, instr.args[1])
        dividend = self._operand(f, instr.args[0])
        zero = const(0, divisor.width)
        bad = same(divisor, zero)
        if instr.op[0] == "s":
            least = same(dividend, const(1 << divisor.width - 1, divisor.width))
            bad = disjunction((bad, conjunction((least, same(divisor, const(-1, divisor.width))))))
        if bad.args or bad.op == "var":
            self.decide(negate(bad), (Other(bad, (f.fn.name, instr.index, 1), is_error=True),))

    # --- memory ------------------------------------------------------------------------------------------------------------------

    def _loaded(self, s: StaticSegment, instr: Instr, at: _Cursor) -> bytes:
        parts = []
        for size in s.layout.effects[instr.index].loads:
            parts.append(self.trace.written(self.log.writer(at.load, at.store), size))
            at.load += 1
        return b"".join(parts)

    def _load(self, s: StaticSegment, f: Frame, instr: Instr, at: _Cursor) -> None:
        data = self._loaded(s, instr, at)
        address = self.concrete(f, instr.args[0])
        value = from_bytes(data, instr.type)
        term = None
        if address is not _UNKNOWN:
            pointer = self.term(f, instr.args[0])
            if pointer is not None:
                term = addresses.symbolic_load(self, f, instr, pointer, address, data)
            if term is None:
                term = self.argv.loaded(self, address, value) or self.memory.loaded(address, data)
            if term is not None:
                try:
                    term = self.checked(simpler(_cut(term, bits_of(instr.type))), flat(value, instr.type))
                except (TermError, Gap):
                    term = None
            else:
                if self.memory.known.read(address, len(data)) != data:
                    self.memory.known.write(address, data)
                if address in self.table_pointers:
                    self.tables[self.table_pointers[address]] = int.from_bytes(data, "little")
        self._set(f, instr.slot, value, term)

    def _store(self, s: StaticSegment, f: Frame, instr: Instr, at: _Cursor) -> None:
        effects = s.layout.effects[instr.index]
        total = sum(effects.stores)
        data = self.log.value[at.byte : at.byte + total].tobytes()
        address = self.concrete(f, instr.args[1])
        if effects.address:
            address = int(self.log.address[at.address])
            at.address += 1
        at.store += len(effects.stores)
        at.byte += total
        if address is _UNKNOWN:
            return
        term = self.term(f, instr.args[0])
        if term is not None and term.width != 8 * total:
            term = _widened(term, 8 * total)
        pointer = self.term(f, instr.args[1])
        if pointer is not None:
            addresses.symbolic_store(self, f, instr, pointer, address, data, term)
        else:
            self.memory.write(address, data, term)

    def _atomic(self, s: StaticSegment, f: Frame, instr: Instr, at: _Cursor) -> None:
        t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
        data = self._loaded(s, instr, at)
        old = from_bytes(data, t)
        if instr.op == "atomicrmw":
            self._set(f, instr.slot, old, None)
        else:
            self._set(f, instr.slot, (old, int(old == self.concrete(f, instr.args[1]))), None)
        effects = s.layout.effects[instr.index]
        total = sum(effects.stores)
        self.memory.write(int(self.log.address[at.address]), self.log.value[at.byte : at.byte + total].tobytes())
        at.address += 1
        at.store += len(effects.stores)
        at.byte += total

    # --- control -----------------------------------------------------------------------------------------------------------------

    def _branch(self, s: StaticSegment, f: Frame, instr: Instr) -> None:
        term, value = self.term(f, instr.args[0]), self.concrete(f, instr.args[0])
        if term is None or value is _UNKNOWN:
            return
        if instr.op == "br":
            condition = truth(term)
            held, other = (condition, negate(condition)) if value else (negate(condition), condition)
            self.decide(held, (self._other(other, f, instr, instr.detail[1 if value else 0], 1 if value else 0),))
            return
        default, cases, _ = instr.detail
        by_target: dict[int, list[Term]] = {}
        for case, target in cases:
            by_target.setdefault(target, []).append(same(term, const(int(case or 0), term.width)))
        none = conjunction(negate(t) for terms in by_target.values() for t in terms)
        ways = {target: disjunction(terms) for target, terms in by_target.items() if target != default}
        ways[default] = disjunction((none, *by_target.get(default, ())))
        went = dict(cases).get(value, default)
        others = tuple(self._other(t, f, instr, target, target) for target, t in ways.items() if target != went)
        self.decide(ways[went], others)

    def _other(self, term: Term, f: Frame, instr: Instr, target: int, way: int) -> Other:
        return Other(term, (f.fn.name, instr.index, way), self.facts.segment_of(f.fn, target), self.facts.is_error(f.fn, target))

    # --- calls -------------------------------------------------------------------------------------------------------------------

    def _call(self, i: int, s: StaticSegment, f: Frame, instr: Instr) -> None:
        kind = s.layout.kinds[instr.index]
        call = instr.detail
        given = instr.args[: len(call.arg_types)]
        if kind in ("internal", "indirect", "external"):
            name = call.callee
            values = [self.concrete(f, a) for a in given]
            terms = [self.term(f, a) for a in given]
            if kind == "indirect":
                target = self.trace.indirect_target((i, instr.index))
                self._chosen_function(f, instr, target)
                name = self.trace.function_at(target)
            self.args = (name, values, terms)
            if kind == "external" and name is not None:
                f.call = library.Call(name, tuple(None if v is _UNKNOWN else v for v in values), tuple(terms), f.fn.name, instr.index)
                library.before(self, f.call)
        elif kind == "memory":
            if given and len(given) > 2 and self.term(f, given[2]) is not None:
                sizes = tuple(self.concrete(f, a) for a in given[:3])
                addresses.long_copy(self, f.fn.name, instr.index, sizes, self._operand(f, given[2]), "memset" not in call.callee)
            self._events(
                i, instr.index, self.concrete(f, given[1]) if "memset" in call.callee and self.concrete(f, given[1]) is not _UNKNOWN else None
            )
        elif kind == "pure":
            self._pure(f, instr)
        elif kind in ("opaque", "asm") and instr.slot >= 0:
            self._set(f, instr.slot, from_bytes(self.trace.words(i, s.offsets[instr.index][4], instr.type), instr.type), None)

    def _chosen_function(self, f: Frame, instr: Instr, target: int) -> None:
        """A function pointer that depends on the input."""
        term = self.term(f, instr.args[-1])
        if term is not None:
            held = same(term, const(target, 64))
            self.decide(held, (Other(negate(held), (f.fn.name, instr.index, 20)),))

    def _pure(self, f: Frame, instr: Instr) -> None:
        call = instr.detail
        fn = intrinsic(call.callee, call.arg_types, instr.type)
        values = [self.concrete(f, a) for a in instr.args[: len(call.arg_types)]]
        if fn is None or any(v is _UNKNOWN for v in values):
            self._set(f, instr.slot, _UNKNOWN, None)
            return
        value = fn(*values)
        term = None
        if any(self.term(f, a) is not None for a in instr.args[: len(call.arg_types)]):
            try:
                term = library.intrinsic_term(call.callee, [self._operand(f, a) for a in instr.args[: len(call.arg_types)]])
                term = None if term is None else self.checked(term, flat(value, instr.type))
            except (TermError, Gap):
                term = None
            if term is None:
                self.gaps.add(f"the operation {call.callee}")
        self._set(f, instr.slot, value, term)

    def _after_call(self, i: int, s: StaticSegment, f: Frame, words: int) -> None:
        call = s.fn.instrs[s.seg.start - 1]
        kind = s.layout.kinds[call.index]
        (returned, term), self.returned = self.returned, (_UNKNOWN, None)
        self.args = None
        self._events(self.log.previous_in_frame(i), _NO_SITE, library.filled_with(f.call))
        value: Any = None
        if call.slot >= 0:
            if kind == "internal":
                self._set(f, call.slot, returned, term)
                return
            at = words + (1 if s.seg.flags & SETJMP else 0)
            count = (store_size(call.type) + 7) // 8
            if at + count > len(self.log.word):
                self._set(f, call.slot, _UNKNOWN, None)
                return
            value = from_bytes(self.log.word[at : at + count].tobytes()[: store_size(call.type)], call.type)
            self._set(f, call.slot, value, term if kind == "indirect" and returned == value else None)
        if kind == "external" and f.call is not None and f.call.index == call.index:
            done, f.call = f.call, None
            result = library.after(self, done, value, call.type, self._inputs_of(self.log.previous_in_frame(i)))
            if call.slot >= 0 and result is not None:
                try:
                    result = self.checked(simpler(result), flat(value, call.type))
                except (TermError, Gap):
                    result = None
                self._set(f, call.slot, value, result)

    def _inputs_of(self, i: int) -> list[tuple[int, int, int, int]]:
        """(address, length, stream, offset) of what the call at the end of a segment took from outside."""
        rows = (self.log.event[k] for k in self.log.events_of(i))
        return [(int(e["addr"]), int(e["len"]), int(e["stream"]), int(e["addr2"])) for e in rows if int(e["kind"]) == INPUT]

    def _events(self, i: int, site: int, fill: int | None = None) -> None:
        """Applies what a segment did to memory at a site; library calls log without one. `fill` is what a call like memset filled with."""
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["site"]) != site:
                continue
            kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
            if (i, address) in self.copied:
                continue
            if kind == COPY:
                self.memory.copy(address, int(e["addr2"]), length)
            elif kind == INPUT and address:
                self._input(address, length, int(e["stream"]), int(e["addr2"]))
            elif kind == WRITE and length == 1:
                self.memory.write(address, b"\0")  # the terminators of fgets, strtok and the like
            elif kind == FILL and fill is not None and length < _LARGEST_FILL:
                self.memory.write(address, bytes([fill & 255]) * length)
            elif kind in (WRITE, FILL, INPUT):
                self.memory.forget(address, length)
            elif kind == BIRTH:
                self.memory.write(address, bytes(length))

    def _input(self, address: int, length: int, stream: int, offset: int) -> None:
        """Bytes that came from a stream: those of standard input depend on the input."""
        self.memory.forget(address, length)
        data = self.given.stdin[offset : offset + length]
        if stream != STDIN or offset < 0 or len(data) != length:
            return
        self.reads.add("stdin")
        for k, value in enumerate(data):
            self.memory.write(address + k, bytes([value]), self.variable(f"s{offset + k}", 8, value))


def _cut(term: Term, width: int) -> Term:
    return part(term, 0, width) if term.width > width else term


def _widened(term: Term, width: int) -> Term | None:
    return resize(term, width) if term.width < width else None


@dataclass(slots=True)
class _Cursor:
    load: int
    store: int
    byte: int
    address: int
