"""What all functions of one forward analysis share: objects, symbols, call contexts and records."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from butfor.ir.intervals.abstract_objects import ObjectTable
from butfor.ir.intervals.abstract_state import AbstractState
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.join_and_widen import Joiner
from butfor.ir.intervals.prepared_functions import PreparedFunction, prepare_function
from butfor.ir.program import Program

MAX_CALL_DEPTH = 8  # of calls analysed in the context of their caller: contexts multiply with every level
MAX_INLINED_INSTRUCTIONS = 50_000  # visited so far; then a call is no longer analysed in the context of its caller


class GivenUp(Exception):
    """The analysis has to end without an answer; the text says why."""


class Unreachable(Exception):
    """No run gets past this instruction."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """A chain of calls: the functions on it, and its length."""

    names: frozenset[str]
    depth: int


class SharedAnalysis:
    """Objects, fresh symbols, call contexts and records of the analysis of one program.

    `roots`: functions to be analysed for any arguments and any memory. `reasons`: what was given up, and why.
    `steps`: instructions visited.
    """

    def __init__(self, program: Program, is_over: Callable[[], bool]) -> None:
        self.program = program
        self.is_over = is_over
        self.fresh_symbols = itertools.count(1)
        self.objects = ObjectTable(program)
        self.records = AnalysisRecords()
        self.roots: dict[str, None] = {}
        self.reasons: dict[str, None] = {}
        self.steps = 0
        self._prepared: dict[str, PreparedFunction] = {}
        self._contexts: list[CallContext] = []
        self._context_numbers: dict[tuple[int, int, str], int] = {}
        self._locals: list[dict[int, int]] = []

    def prepared(self, name: str) -> PreparedFunction:
        """The prepared function of that name."""
        found = self._prepared.get(name)
        if found is None:
            found = self._prepared[name] = prepare_function(self.program.function(name))
        return found

    def root_context(self, name: str) -> int:
        """The context of a function that is analysed for any caller."""
        return self._context(-1, -1, name, CallContext(frozenset((name,)), 0))

    def call_context(self, outer: int, index: int, name: str) -> int | None:
        """The context of a call that is analysed in that of its caller; None for recursion and beyond the limits."""
        caller = self._contexts[outer]
        if name in caller.names:
            self.reasons[f"{name} calls itself"] = None
        elif caller.depth >= MAX_CALL_DEPTH or self.steps > MAX_INLINED_INSTRUCTIONS:
            self.reasons["calls are nested too deeply, or there is too much code, to look into all calls"] = None
        else:
            return self._context(outer, index, name, CallContext(caller.names | {name}, caller.depth + 1))
        return None

    def _context(self, outer: int, index: int, name: str, context: CallContext) -> int:
        key = (outer, index, name)
        found = self._context_numbers.get(key)
        if found is None:
            found = self._context_numbers[key] = len(self._contexts)
            self._contexts.append(context)
            variables = self.prepared(name).variables
            self._locals.append(
                {s: self.objects.number(("local", found, s), v.is_private) for s, v in variables.items()}
            )
        return found

    def local_object(self, context: int, slot: int) -> int:
        """The object of a local variable."""
        return self._locals[context][slot]

    def forget_locals(self, state: AbstractState, context: int) -> None:
        """Remove the objects and slots of a function that has returned."""
        for obj in self._locals[context].values():
            state.memory.pop(obj, None)
        for obj in [
            o
            for o in state.memory
            if self.objects.by_number[o].key[0] in ("byval", "alloca", "allocas")
            and self.objects.by_number[o].key[1] == context
        ]:
            del state.memory[obj]
        for key in [k for k in state.slots if k[0] == context]:
            del state.slots[key]

    def join(self, a: AbstractState | None, b: AbstractState | None) -> AbstractState | None:
        """The join of two states; None is the state of code that is not reached."""
        if a is None or b is None:
            return b if a is None else a
        return Joiner(a, b, self.fresh_symbols).result()
