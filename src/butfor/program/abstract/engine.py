"""The forward analysis: states along the control-flow graph until nothing new is found, calls looked into."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from butfor.program.abstract.arithmetic import Arithmetic
from butfor.program.abstract.bodies import Body, body_of
from butfor.program.abstract.calls import Calls
from butfor.program.abstract.covering import covers
from butfor.program.abstract.instructions import BIT, FAR, Dead, Frame
from butfor.program.abstract.joining import Joiner
from butfor.program.abstract.linear import ONE, Linear, constant, plus
from butfor.program.abstract.numbers import Numbers
from butfor.program.abstract.objects import Objects
from butfor.program.abstract.order import Component, Element
from butfor.program.abstract.records import Records
from butfor.program.abstract.state import Content, State
from butfor.program.abstract.values import Pointer
from butfor.program.model import Const, Instr
from butfor.program.program import Program
from butfor.program.types import Kind

_DEEPEST = 8  # calls inside of each other
_MOST_STEPS = 50_000  # instructions looked at before calls are not looked into any more
_THRESHOLD_ROUNDS = 3
_MOST_ROUNDS = 40


class GivenUp(Exception):
    """The analysis has to end without an answer; the text says why."""


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

    # --- whole programs -----------------------------------------------------------------------------------------------------

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
        memory = {o: self.objects.initial(g) if is_start else self.objects.unknown(g) for o, g in self.objects.mutable()}
        state = State(Numbers(), memory, {})
        arithmetic = Arithmetic(state.numbers, self.fresh)
        if name == "main" and is_start:
            for k, t in enumerate(body.function.params):
                if k == 0 and t.kind is Kind.INT:
                    state.slots[context, k] = arithmetic.new(0, (1 << (t.bits - 1)) - 1)
                elif t.kind is Kind.PTR:
                    state.slots[context, k] = Pointer((), ONE, True)
        self.run(body, context, state)

    # --- contexts -----------------------------------------------------------------------------------------------------------

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
                {s: self.objects.number(("local", found, s), v.is_private) for s, v in self.body(name).variables.items()},
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
            o for o in state.memory if self.objects.infos[o].key[0] in ("byval", "alloca", "allocas") and self.objects.infos[o].key[1] == context
        ]:
            del state.memory[obj]
        for key in [k for k in state.slots if k[0] == context]:
            del state.slots[key]

    # --- functions ----------------------------------------------------------------------------------------------------------

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


class Run:
    """One look at a function from one state."""

    def __init__(self, engine: Engine, body: Body, context: int) -> None:
        self.engine = engine
        self.body, self.context = body, context
        self.function = body.function
        self.edges: dict[tuple[int, int], State] = {}
        self.returned: dict[int, State] = {}
        self.entry: State | None = None

    def result(self, state: State) -> State | None:
        """The state when the function returns."""
        self.entry = state
        for element in self.body.order:
            self._visit(element)
        found: State | None = None
        for returned in self.returned.values():
            found = self.engine.join(found, returned)
        return found

    def _visit(self, element: Element) -> None:
        if isinstance(element, Component):
            self._component(element)
        elif element in self.body.forked:
            self._forget(frozenset((element,)))
            for (source, target), state in list(self.edges.items()):
                if target == element:
                    self._block(element, state.copy(), source)
        else:
            self._forget(frozenset((element,)))
            found = self._incoming(element, frozenset())
            if found is not None:
                self._block(element, found, -1)

    def _forget(self, blocks: frozenset[int]) -> None:
        """Removes what an earlier look found to come out of these blocks."""
        for edge in [e for e in self.edges if e[0] in blocks]:
            del self.edges[edge]
        for block in [b for b in self.returned if b in blocks]:
            del self.returned[block]

    def _incoming(self, block: int, without: frozenset[int], only: bool = False) -> State | None:
        """The join of what comes into a block from outside of some blocks, or only from inside of them; a copy."""
        found: State | None = self.entry.copy() if block == 0 and self.entry is not None and not only else None
        for (source, target), state in self.edges.items():
            if target == block and (source in without) == only:
                found = state.copy() if found is None else self.engine.join(found, state)
        return found

    def _component(self, loop: Component) -> None:
        """A loop: until what comes round is covered, then once more from what really comes in."""
        engine = self.engine
        entry = self._incoming(loop.head, loop.blocks)
        self._forget(loop.blocks)
        if entry is None:
            return
        outer = engine.records
        head = entry
        for rounds in itertools.count():
            if rounds > _MOST_ROUNDS:
                raise GivenUp(f"a loop of {self.function.name} did not settle")
            back = self._round(loop, head)
            if back is None:
                break
            if covers(head, back, Arithmetic(back.numbers, engine.fresh)):
                if rounds:
                    narrowed = engine.join(entry.copy(), back)
                    assert narrowed is not None
                    self._round(loop, narrowed)
                break
            thresholds = self.body.thresholds if rounds < _THRESHOLD_ROUNDS else self.body.natural
            head = Joiner(head.copy(), back, engine.fresh, thresholds).result()
        outer.add(engine.records)
        engine.records = outer

    def _round(self, loop: Component, head: State) -> State | None:
        """One look at a loop; what comes back to its head."""
        self._forget(loop.blocks)
        self.engine.records = Records()
        self._block(loop.head, head.copy(), -1)
        for element in loop.body:
            self._visit(element)
        return self._incoming(loop.head, loop.blocks, only=True)

    # --- blocks -------------------------------------------------------------------------------------------------------------

    def _block(self, number: int, state: State, source: int) -> None:
        """Looks at a block, coming from one other block or from all (-1; what it merges is in its slots then)."""
        engine = self.engine
        if engine.is_over():
            raise GivenUp("the time was up")
        block = self.function.blocks[number]
        frame = Frame(engine, self.body, self.context, state)
        frame.records.block(self.function.name, number, self._plain(frame))
        engine.steps += block.end - block.start
        try:
            for instr in self.function.instrs[block.start : block.end - 1]:
                if instr.op == "phi":
                    continue
                if instr.op == "call":
                    engine.calls.call(frame, instr)
                else:
                    frame.execute(instr)
            self._leave(frame, self.function.instrs[block.end - 1], number)
        except Dead:
            return

    def _plain(self, frame: Frame) -> dict[int, tuple[int, int]]:
        """The plain variables of which something is known."""
        found = {}
        memory, range_of = frame.state.memory, frame.numbers.range
        for slot, size in self.body.plain:
            content = memory.get(self.engine.local(self.context, slot))
            value = content.cells.get((0, size)) if content is not None else None
            if isinstance(value, Linear):
                found[slot] = range_of(value)
            elif value is not None:
                reach = frame.reach(value)
                if reach is not None:
                    found[slot] = reach
        return found

    def _leave(self, frame: Frame, last: Instr, number: int) -> None:
        """The states on the ways out of a block."""
        if last.op == "br" and len(last.args) == 1:
            condition = frame.integer(last.args[0], BIT)
            frame.records.value(self.function.name, last.index, frame.numbers.range(condition))
            yes, no = last.detail
            if yes == no:
                self._edge(frame, number, yes)
                return
            other = frame.state.copy()
            if frame.numbers.assume_equal(plus(condition, -1)):
                self._edge(frame, number, yes)
            frame.become(other)
            if frame.numbers.assume_equal(condition):
                self._edge(frame, number, no)
        elif last.op == "br":
            self._edge(frame, number, last.detail[0])
        elif last.op == "switch":
            self._switch(frame, last, number)
        elif last.op == "ret":
            value = frame.value(last.args[0], last.detail) if last.args else None
            frame.state.slots[self.context, -1] = value
            frame.records.value(self.function.name, last.index, frame.numbers.range(value) if isinstance(value, Linear) else FAR)
            self.returned[number] = frame.state
        else:
            if last.op == "call":
                self.engine.calls.call(frame, last)
            elif last.op not in ("indirectbr",):
                frame.execute(last)
            for target in dict.fromkeys(self.function.blocks[number].succs):
                base = frame.state.copy()
                self._edge(frame, number, target)
                frame.become(base)

    def _switch(self, frame: Frame, last: Instr, number: int) -> None:
        default, cases, t = last.detail
        value = frame.integer(last.args[0], t)
        base = frame.state
        for case, target in cases:
            frame.become(base.copy())
            if frame.arithmetic.holds("eq", value, _number(case, t.bits), t.bits, True):
                self._edge(frame, number, target)
        frame.become(base)
        if all(frame.arithmetic.holds("eq", value, c, t.bits, False) for c in sorted(_number(case, t.bits) for case, _ in cases)):
            self._edge(frame, number, default)

    def _edge(self, frame: Frame, source: int, target: int) -> None:
        """One way out of a block: what the next block merges, without what is not needed any more."""
        state = frame.state
        values = []
        block = self.function.blocks[target]
        for instr in self.function.instrs[block.start : block.end]:
            if instr.op != "phi":
                break
            arg = next(a for a, s in zip(instr.args, instr.detail, strict=True) if s == source)
            values.append((instr, frame.value(arg, instr.type)))
        for instr, value in values:
            frame.set(instr, frame.memory.typed(value, instr.type) if instr.type.bits != 1 else value)
        merged = {instr.slot for instr, _ in values}
        crossing, context = self.body.crossing, self.context
        for key in [k for k in state.slots if k[0] == context and k[1] not in crossing and k[1] not in merged]:
            del state.slots[key]
        old = self.edges.get((source, target))
        self.edges[source, target] = state if old is None else self._joined(old, state)

    def _joined(self, a: State, b: State) -> State:
        found = self.engine.join(a, b)
        assert found is not None
        return found


def _number(case: object, bits: int) -> Linear:
    value = case.value if isinstance(case, Const) else case
    assert isinstance(value, int)
    half = 1 << (bits - 1)
    return constant((value + half) % (2 * half) - half)
