"""The forward analysis of a whole program: where it starts, contexts of calls, what they share."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_calls import Calls
from butfor.ir.intervals.abstract_objects import Objects
from butfor.ir.intervals.abstract_state import Content, State
from butfor.ir.intervals.abstract_values import Pointer
from butfor.ir.intervals.function_fixpoint import Run
from butfor.ir.intervals.instruction_records import Records
from butfor.ir.intervals.join_and_widen import Joiner
from butfor.ir.intervals.linear_terms import ONE, constant
from butfor.ir.intervals.prepared_functions import Body, body_of
from butfor.ir.intervals.symbol_facts import Numbers
from butfor.ir.machine_types import Kind
from butfor.ir.program import Program

_DEEPEST = 8  # calls inside of each other
_MOST_STEPS = 50_000  # instructions looked at before calls are not looked into any more


@dataclass(frozen=True, slots=True)
class Context:
    """A chain of calls: functions on it and its length."""

    names: frozenset[str]
    depth: int


class Engine:
    """The analysis of one program."""

    def __init__(self, program: Program, is_over: Callable[[], bool]) -> None:
        self.program = program
        self.is_over = is_over
        self.fresh = itertools.count(1)
        self.objects = Objects(program)
        self.records = Records()
        self.calls = Calls(self)
        self.reasons: dict[str, None] = {}
        self.steps = 0
        self._bodies: dict[str, Body] = {}
        self._contexts: list[Context] = []
        self._numbers: dict[tuple[int, int, str], int] = {}
        self._locals: list[dict[int, int]] = []
        self._asked: dict[str, None] = {}

    # --- whole programs -------------------------------------------------------------------------------------

    def analyse(self, taken: tuple[str, ...], has_constructors: bool) -> None:
        """Looks at main, then at every function that something unknown may call; `taken` are those whose address is taken."""
        if "main" in self.objects.names:
            self._root("main", is_start=not has_constructors)
        for name in taken:
            self.ask(name)
        done: set[str] = set()
        while len(done) < len(self._asked):
            for name in [n for n in self._asked if n not in done]:
                done.add(name)
                self._root(name, is_start=False)

    def ask(self, name: str) -> None:
        """The function has to be looked at on its own, for any arguments and any memory."""
        self._asked[name] = None

    def _root(self, name: str, is_start: bool) -> None:
        body = self.body(name)
        context = self._context(-1, -1, name, Context(frozenset((name,)), 0))
        memory = {
            o: self.objects.initial(g) if is_start else self.objects.unknown(g) for o, g in self.objects.mutable()
        }
        state = State(Numbers(), memory, {})
        arithmetic = Arithmetic(state.numbers, self.fresh)
        if name == "main" and is_start:
            for k, t in enumerate(body.function.params):
                if k == 0 and t.kind is Kind.INT:
                    state.slots[context, k] = arithmetic.new(0, (1 << (t.bits - 1)) - 1)
                elif t.kind is Kind.PTR:
                    state.slots[context, k] = Pointer((), ONE, True)
        self.run(body, context, state)

    # --- contexts -------------------------------------------------------------------------------------------

    def body(self, name: str) -> Body:
        """The function with what is computed once."""
        found = self._bodies.get(name)
        if found is None:
            found = self._bodies[name] = body_of(self.program.function(name))
        return found

    def _context(self, outer: int, index: int, name: str, context: Context) -> int:
        key = (outer, index, name)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._contexts)
            self._contexts.append(context)
            self._locals.append(
                {
                    s: self.objects.number(("local", found, s), v.is_private)
                    for s, v in self.body(name).variables.items()
                },
            )
        return found

    def inlined(self, outer: int, index: int, name: str) -> int | None:
        """The context of a call that is looked into, None for one that is not: recursion, too deep, too much already."""
        around = self._contexts[outer]
        if name in around.names:
            self.reasons[f"{name} calls itself"] = None
        elif around.depth >= _DEEPEST or self.steps > _MOST_STEPS:
            self.reasons["calls are nested too deeply, or there is too much code, to look into all calls"] = None
        else:
            return self._context(outer, index, name, Context(around.names | {name}, around.depth + 1))
        return None

    def local(self, context: int, slot: int) -> int:
        """The object of a local variable."""
        return self._locals[context][slot]

    def leave(self, state: State, context: int) -> None:
        """Forgets what belongs to a function that has returned."""
        for obj in self._locals[context].values():
            state.memory.pop(obj, None)
        for obj in [
            o
            for o in state.memory
            if self.objects.infos[o].key[0] in ("byval", "alloca", "allocas")
            and self.objects.infos[o].key[1] == context
        ]:
            del state.memory[obj]
        for key in [k for k in state.slots if k[0] == context]:
            del state.slots[key]

    # --- functions ------------------------------------------------------------------------------------------

    def run(self, body: Body, context: int, state: State) -> State | None:
        """The state when the function returns, its result in slot -1; None if it never does."""
        for slot, variable in body.variables.items():
            state.memory[self.local(context, slot)] = Content({}, None, constant(variable.size))
        return Run(self, body, context).result(state)

    def join(self, a: State | None, b: State | None) -> State | None:
        """The state that covers both."""
        if a is None or b is None:
            return b if a is None else a
        return Joiner(a, b, self.fresh).result()
