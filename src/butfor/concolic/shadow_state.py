"""The symbolic state of the forward pass: terms of values that depend on the input, and decisions.

A term is dropped where it does not have the recorded value or grows too large. That loses precision, not soundness:
every input that the search finds is run.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from butfor.concolic.path_condition import Alternative, InputDecision, InputEdit, PathCondition
from butfor.concolic.program_facts import ProgramFacts
from butfor.concolic.search_inputs import InputField, ProgramInput
from butfor.concolic.shadow_memory import ShadowMemory
from butfor.encode.instance_values import bits_of, flat
from butfor.ir.instructions import Const, Function, Operand
from butfor.libc.library import lookup
from butfor.libc.record import LibcFunction, SearchModel
from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import TRUE, Term, const, variable
from butfor.trace.recording import Recording

UNKNOWN = object()  # a value that the recording does not determine
_MAX_TERM_DEPTH = 3000  # solvers take very long on deeper ones
_MAX_NESTED_OBJECTS = 8  # later objects that may begin between the start of an object and an address in it


class ConsumedInput(NamedTuple):
    """Bytes that a call read from outside: where it stored them, how many, from which stream and offset."""

    address: int
    length: int
    stream: int
    offset: int


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A call of a library function: its arguments, None where the value is not known, and their terms."""

    name: str
    args: tuple[Any, ...]
    terms: tuple[Term | None, ...]
    function: str
    index: int

    @property
    def site(self) -> tuple[str, int]:
        """The function and the instruction of the call."""
        return self.function, self.index

    @property
    def record(self) -> LibcFunction | None:
        """What is known about the library function."""
        return lookup(self.name)

    def is_known_as(self, model: SearchModel) -> bool:
        """Whether this is what the search knows about the library function."""
        return self.record is not None and self.record.search is model


@dataclass(frozen=True, slots=True)
class ArgumentsInMemory:
    """Where the program's arguments lie: their number, the address of argv, (start, size) of each text."""

    count: int
    argv: int
    texts: Sequence[tuple[int, int]]


class ObjectBounds:
    """Start and size of the object at an address."""

    def __init__(self, recording: Recording) -> None:
        self.log = recording.log
        self._count = -1

    def around(self, address: int) -> tuple[int, int] | None:
        """(start, size) of the object, the latest one where several had the place."""
        if self._count != len(self.log.object):
            self._count = len(self.log.object)
            starts = self.log.object["start"].astype(np.int64)
            order = np.argsort(starts, kind="stable")
            self._starts = starts[order].tolist()
            self._sizes = self.log.object["size"][order].tolist()
        k = bisect_right(self._starts, address) - 1
        for j in range(k, max(k - _MAX_NESTED_OBJECTS, -1), -1):
            if self._sizes[j] and address < self._starts[j] + self._sizes[j]:
                return self._starts[j], self._sizes[j]
        return None


class ShadowFrame:
    """One activation of a function. `call` is the library call in it that has not returned yet."""

    __slots__ = ("base", "block", "call", "came_from", "fn", "regs", "terms")

    def __init__(self, fn: Function, base: int) -> None:
        self.fn = fn
        self.base = base
        self.regs: dict[int, Any] = {}
        self.terms: dict[int, Term] = {}
        self.block = 0
        self.came_from = -1
        self.call: LibraryCall | None = None

    def term(self, op: Operand) -> Term | None:
        """The term of an operand, None when it does not depend on the input."""
        return self.terms.get(op) if isinstance(op, int) else None

    def set(self, slot: int, value: Any, term: Term | None) -> None:
        """Give a register its value, and its term if it depends on the input."""
        self.regs[slot] = value
        if term is None:
            self.terms.pop(slot, None)
        else:
            self.terms[slot] = term


class Shadow:
    """The state of one pass; `path()` is the path condition so far."""

    def __init__(self, recording: Recording, given: ProgramInput, facts: ProgramFacts) -> None:
        self.trace = recording.trace
        self.log = self.trace.log
        self.given = given
        self.facts = facts
        self.memory = ShadowMemory(self.trace)
        self.frames: dict[int, ShadowFrame] = {}
        self.returned: tuple[Any, Term | None] = (UNKNOWN, None)
        self.args: tuple[str | None, list[Any], list[Term | None]] | None = None
        self.values: dict[str, int] = {}
        self.value_of = Evaluator(self.values)
        self.depth: dict[Term, int] = {}
        self.fields: dict[str, InputField] = {}
        self.bounds: dict[str, Term] = {}
        self.decisions: list[InputDecision] = []
        self.seen: set[Term] = set()
        self.edits: dict[tuple[object, ...], InputEdit] = {}
        self.reads: set[str] = set()
        self.gaps: set[str] = set()
        self.tables: dict[str, int] = {}  # addresses of the C library's tables of character classes
        self.table_pointers: dict[int, str] = {}
        # (calling segment, address) of struct arguments, copied when the callee began
        self.copied: set[tuple[int, int]] = set()
        self.objects = ObjectBounds(recording)
        count, argv = struct.unpack_from("<QQ", (recording.home / "start").read_bytes())
        self.arguments = ArgumentsInMemory(count, argv, recording.arguments)

    def path(self) -> PathCondition:
        """The path condition of what was followed so far."""
        return PathCondition(
            tuple(self.decisions),
            self.bounds,
            tuple(self.edits.values()),
            self.fields,
            self.values,
            frozenset(self.reads),
            frozenset(self.gaps),
        )

    # --- the input and the decisions on it

    def variable(self, name: str, width: int, value: int) -> Term:
        """The variable of this name, which has `value` in this run."""
        self.values.setdefault(name, value & (1 << width) - 1)
        return variable(name, width)

    def field(self, field: InputField, value: int) -> Term:
        """The variable of a field of the input, which has `value` in this run."""
        name = f"{field.kind[0]}f{field.place}_{field.start}_{field.end}_{field.bits}"
        self.fields[name] = field
        return self.variable(name, field.bits, value)

    def decide(self, held: Term, others: tuple[Alternative, ...] = (), is_pinned: bool = False) -> None:
        """Add a condition that held; one that is false for the values of the run is dropped, as a gap."""
        if held is TRUE:
            return
        if not self.value_of(held):
            self.gaps.add("a value that could not be followed")
            return
        if held in self.seen and (is_pinned or not any(o.is_error for o in others)):
            return
        self.seen.add(held)
        self.decisions.append(InputDecision(held, others, is_pinned))

    def edit(self, edit: InputEdit) -> None:
        """Add an edit that is worth trying."""
        self.edits.setdefault(edit.key, edit)

    # --- values

    def concrete(self, f: ShadowFrame, op: Operand) -> Any:
        """The value of an operand, or UNKNOWN."""
        return self.trace.constant(op) if isinstance(op, Const) else f.regs.get(op, UNKNOWN)

    def operand(self, f: ShadowFrame, op: Operand) -> Term:
        """An operand as a term, whether it depends on the input or not."""
        term = f.term(op)
        if term is not None:
            return term
        t = f.fn.operand_type(op)
        return const(flat(self.concrete(f, op), t), bits_of(t))

    def checked(self, term: Term, value: int) -> Term | None:
        """The term, if it has the recorded value and is not too large; else None."""
        if term.op == "const":
            return None
        depth = 1 + max((self.depth.get(a, 0) for a in term.args), default=0)
        if depth > _MAX_TERM_DEPTH:
            self.gaps.add("a very long computation")
            return None
        self.depth[term] = depth
        if self.value_of(term) != value:
            self.gaps.add("a value that could not be followed")
            return None
        return term
