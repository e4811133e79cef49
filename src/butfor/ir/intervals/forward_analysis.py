"""The forward analysis of a program, from main and from all functions that unknown code may call."""

from __future__ import annotations

from collections.abc import Callable

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_calls import CallEffects
from butfor.ir.intervals.abstract_state import AbstractState, Content
from butfor.ir.intervals.abstract_values import Pointer
from butfor.ir.intervals.function_fixpoint import FunctionFixpoint
from butfor.ir.intervals.linear_terms import ONE, constant
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.shared_analysis import SharedAnalysis
from butfor.ir.intervals.symbol_facts import SymbolFacts
from butfor.ir.machine_types import Kind
from butfor.ir.program import Program


class ForwardAnalysis:
    """The forward analysis of one program; its results are in `shared`."""

    def __init__(self, program: Program, is_over: Callable[[], bool]) -> None:
        self.shared = SharedAnalysis(program, is_over)
        self._calls = CallEffects(self.shared, self._returned_state)

    def run(self, address_taken: tuple[str, ...], has_constructors: bool) -> None:
        """Analyse main, then every function that unknown code may call."""
        roots = self.shared.roots
        if "main" in self.shared.objects.names:
            self._analyse_root("main", is_start=not has_constructors)
        roots.update(dict.fromkeys(address_taken))
        done: set[str] = set()
        while len(done) < len(roots):
            for name in [n for n in roots if n not in done]:
                done.add(name)
                self._analyse_root(name, is_start=False)

    def _analyse_root(self, name: str, is_start: bool) -> None:
        """Analyse a function for any arguments; at the start of the program, globals have their initial values."""
        objects = self.shared.objects
        prepared = self.shared.prepared(name)
        context = self.shared.root_context(name)
        memory = {
            o: objects.initial_content(g) if is_start else objects.unknown_content(g)
            for o, g in objects.mutable_globals()
        }
        state = AbstractState(SymbolFacts(), memory, {})
        arithmetic = Arithmetic(state.numbers, self.shared.fresh_symbols)
        if name == "main" and is_start:
            for k, t in enumerate(prepared.function.params):
                if k == 0 and t.kind is Kind.INT:
                    state.slots[context, k] = arithmetic.fresh_in(0, (1 << (t.bits - 1)) - 1)
                elif t.kind is Kind.PTR:
                    state.slots[context, k] = Pointer((), ONE, True)
        self._returned_state(prepared, context, state)

    def _returned_state(self, prepared: PreparedFunction, context: int, state: AbstractState) -> AbstractState | None:
        """The state when the function returns, with its result in slot -1; None if it never does."""
        for slot, variable in prepared.variables.items():
            state.memory[self.shared.local_object(context, slot)] = Content({}, None, constant(variable.size))
        return FunctionFixpoint(self.shared, self._calls, prepared, context).returned_state(state)
