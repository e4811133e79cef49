"""The conditions under which a changed state still leads along the rest of the path to the failure.

Only instances that the change reaches are executed. A branch block that was found irrelevant is summarised over all its
arms: where its condition comes out differently, its assignments do not take place, and the cells that its other arm may
assign get any value.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, disjunction, implies, ite, negate, variables
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.path_model import Kind


@dataclass(frozen=True, slots=True)
class SuffixConditions:
    """The conditions that differ from those of the execution; all of them hold iff the failure is still reached.

    `open`: symbols that get their values only after the change. `through_blocks`: whether blocks were summarised.
    """

    changed: tuple[Term, ...]
    unchanged: tuple[Term, ...] = ()  # further conditions on the open symbols
    open: frozenset[str] = frozenset()
    through_blocks: bool = False
    moves_access: bool = False  # an access may go elsewhere, and what happens then is not known

    @property
    def whole(self) -> Term:
        """The conjunction of all conditions."""
        return conjunction((*self.changed, *self.unchanged))


@dataclass(slots=True)
class SummarisedBlocks:
    """Branch blocks that are summarised: their ends by their starts, and the block's start of each instance inside."""

    ends: dict[int, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)

    def add(self, start: int, end: int) -> None:
        """Summarise one more block."""
        self.ends[start] = end
        self.inside.update(dict.fromkeys(range(start, end), start))


State = tuple[int, frozenset[tuple[str, Term]]]
"""A position, and the cells that hold other values there than in the execution."""


class SuffixExecution:
    """The rest of an execution, executed again after changes."""

    def __init__(self, execution: SymbolicExecution, blocks: SummarisedBlocks) -> None:
        self.execution = execution
        self.blocks = blocks
        self.path = execution.path
        self.known_states: dict[State, SuffixConditions] = {}  # FALSE where the path is surely left from there
        self._frame_symbols: dict[tuple[int, str], Term] = {}
        self._deciding: dict[int, frozenset[str]] = {}

    def after(self, position: int, changed: Mapping[str, Term], *, until_moved: bool = False) -> SuffixConditions:
        """The conditions for the failure when cells have other values before the instance at a position.

        With `until_moved` those up to an access that may go elsewhere: behind it nothing can be proved irrelevant.
        """
        return _SuffixWalk(self, position, changed).suffix(until_moved=until_moved)

    def surely_leaves(self, position: int, changed: Mapping[str, Term]) -> SuffixConditions | None:
        """The conditions up to one that is false, whatever comes later; None when none is certainly violated.

        What becomes of a state is remembered: rounds of a loop lead to the same states again and again.
        """
        walk = _SuffixWalk(self, position, changed)
        states: list[State] = []
        suffix = walk.suffix(until_false=True, states=states)
        leaves = FALSE in suffix.changed
        known = SuffixConditions((FALSE,) if leaves else (), through_blocks=suffix.through_blocks)
        self.known_states.update(dict.fromkeys(states, known))
        return suffix if leaves else None

    def frame_symbol(self, branch: int, number: int) -> Term:
        """The symbol for what the other arm of a summarised branch may assign to a cell."""
        cell = self.path.instances[branch].frames[number]
        key = (branch, cell.name)
        if key not in self._frame_symbols:
            name = f"f{branch}.{number}"
            self._frame_symbols[key] = self.execution.symbols.new(name, cell, branch, default_value(cell.sort))
        return self._frame_symbols[key]

    def deciding(self, block: int) -> frozenset[str]:
        """The symbols on which the conditions of a block depend."""
        if block not in self._deciding:
            conditions = self.execution.conditions[block : self.blocks.ends[block]]
            self._deciding[block] = frozenset(str(v.data) for v in variables(conditions))
        return self._deciding[block]


class _SuffixWalk:
    def __init__(self, rest: SuffixExecution, start: int, changed: Mapping[str, Term]) -> None:
        self.rest = rest
        self.execution = rest.execution
        self.start = start
        self.changed: dict[str, Term] = {}
        # positions to execute, each with a cell that is read or written there, its touch, and the change it is from
        self.queue: list[tuple[int, str, int, int]] = []
        self.changes: Counter[str] = Counter()  # of each cell so far: an entry for an earlier one is out of date
        self.found: list[Term] = []
        self.replaced: set[int] = set()  # positions whose conditions differ from those of the execution
        self.through_blocks = False
        self.addresses: list[Term] = []  # that accesses go where they went
        for name, term in changed.items():
            self._set(name, term, start)
        symbols = self.execution.symbols
        for block in rest.blocks.ends:
            if block >= start and any(
                symbols.position[s] >= start or s in symbols.unknown for s in rest.deciding(block)
            ):
                heapq.heappush(self.queue, (block, "", 0, 0))

    def _set(self, name: str, term: Term, position: int) -> None:
        """Give a cell a value from a position on, and queue the instances that it reaches."""
        self.changes[name] += 1
        if term is self.execution.value(name, position):
            self.changed.pop(name, None)
            return
        self.changed[name] = term
        self._queue_touch(name, bisect_left(self.execution.touches[name], position))

    def _queue_touch(self, name: str, number: int) -> None:
        """Queue an instance that reads or writes a cell, as the next one that its change reaches."""
        touches = self.execution.touches[name]
        if number < len(touches):
            k = touches[number]
            heapq.heappush(self.queue, (self.rest.blocks.inside.get(k, k), name, number, self.changes[name]))

    def _next(self) -> int:
        """The next position in the queue; -1 for an entry that is out of date."""
        position, name, number, change = heapq.heappop(self.queue)
        if not name:
            return position
        if change != self.changes[name]:
            return -1
        k = self.execution.touches[name][number]
        if k in self.rest.blocks.inside or k not in self.execution.writers[name]:
            self._queue_touch(name, number + 1)
        return position

    def suffix(
        self, *, until_false: bool = False, until_moved: bool = False, states: list[State] | None = None
    ) -> SuffixConditions:
        """The conditions, or those until one is false or an access may go elsewhere.

        `states` gets the states that were passed before any of them.
        """
        last = -1
        while self.queue and not (until_false and self.found and self.found[-1] is FALSE):
            if until_moved and self.addresses:
                break
            k = self._next()
            if k < 0 or k == last:
                continue
            last = k
            if states is not None and not self.found and not self.addresses and not self.through_blocks:
                state = k, frozenset(self.changed.items())
                known = self.rest.known_states.get(state)
                if known is not None:
                    return known
                states.append(state)
            if k in self.rest.blocks.ends:
                self._block(k, self.rest.blocks.ends[k])
            elif k == self.execution.size:
                self._require(k, negate(substitute(self.rest.path.check, self._lookup(k), ALGEBRA)))
            else:
                self._instance(k)
        return self._connected()

    def _lookup(self, k: int) -> Callable[[str], Term]:
        changed, value = self.changed, self.execution.value
        return lambda name: changed.get(name) or value(name, k)

    def _require(self, k: int, condition: Term) -> None:
        if condition is not self.execution.conditions[k]:
            self.replaced.add(k)
            if condition is not TRUE:
                self.found.append(condition)

    def _keep_address(self, k: int, condition: Term) -> None:
        """Note that an access may go elsewhere: that is no way out of the failure, since nothing is known of it."""
        if condition is not self.execution.conditions[k] and condition is not TRUE:
            self.replaced.add(k)
            self.addresses.append(condition)
            if condition is FALSE:  # it surely goes elsewhere
                self.queue.clear()

    def _instance(self, k: int) -> None:
        instance = self.rest.path.instances[k]
        lookup = self._lookup(k)
        if instance.is_address:
            self._keep_address(k, substitute(instance.condition, lookup, ALGEBRA))
        elif instance.condition is not TRUE:
            self._require(k, substitute(instance.condition, lookup, ALGEBRA))
        written = self.execution.written[k]
        new = {
            cell.name: written[cell.name] if term is None else substitute(term, lookup, ALGEBRA)
            for cell, term in instance.writes
        }
        for name, term in new.items():
            self._set(name, term, k + 1)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _block(self, start: int, end: int) -> None:
        """Execute a block over all its arms."""
        self.through_blocks = True
        self.replaced.update(range(start, end))
        local: dict[str, Term] = {}
        guards: dict[int, Term] = {}
        open_arms: list[int] = []
        for k in range(start, end):
            self._end_arms(open_arms, k, local, guards)
            instance = self.rest.path.instances[k]

            def lookup(name: str, k: int = k) -> Term:
                return local.get(name) or self.changed.get(name) or self.execution.value(name, k)

            guard = guards[open_arms[-1]] if open_arms else TRUE
            condition = substitute(instance.condition, lookup, ALGEBRA)
            if instance.kind is Kind.BRANCH:
                if instance.escapes:
                    self._under(guard, condition)
                guards[k] = conjunction((guard, condition))
                open_arms.append(k)
                continue
            if instance.is_address:
                self._keep_address(k, implies(guard, condition))
            elif instance.condition is not TRUE:
                self._under(guard, condition)
            written = self.execution.written[k]
            new = {}
            for cell, term in instance.writes:
                value = written[cell.name] if term is None else substitute(term, lookup, ALGEBRA)
                new[cell.name] = value if guard is TRUE else ite(guard, value, lookup(cell.name))
            local.update(new)
        self._end_arms(open_arms, end, local, guards)
        for name, term in local.items():
            self._set(name, term, end)

    def _under(self, guard: Term, condition: Term) -> None:
        if condition is not TRUE:
            self.found.append(implies(guard, condition))

    def _end_arms(
        self, open_arms: list[int], position: int, local: dict[str, Term], guards: Mapping[int, Term]
    ) -> None:
        """End the arms that end at a position; where one was not taken, the other may have assigned its frames."""
        while open_arms and self.rest.path.instances[open_arms[-1]].end <= position:
            branch = open_arms.pop()
            taken, around = guards[branch], guards[open_arms[-1]] if open_arms else TRUE
            for number, cell in enumerate(self.rest.path.instances[branch].frames):
                if taken is TRUE:
                    break
                now = local.get(cell.name) or self.changed.get(cell.name) or self.execution.value(cell.name, branch)
                other = self.rest.frame_symbol(branch, number)
                local[cell.name] = ite(taken, now, other if around is TRUE else ite(around, other, now))

    # --- open symbols -------------------------------------------------------------------------------------------------

    def _connected(self) -> SuffixConditions:
        """The changed conditions, with the unchanged ones that share open symbols with them."""
        if self.addresses:
            moved = negate(conjunction(self.addresses))
            self.found = [disjunction((moved, condition)) for condition in self.found]
        symbols = self.execution.symbols
        open_names: set[str] = set()
        more: dict[int, Term] = {}
        work = [str(v.data) for v in variables(self.found)]
        while work:
            name = work.pop()
            if name in open_names or not (name in symbols.unknown or symbols.position.get(name, -1) >= self.start):
                continue
            open_names.add(name)
            for k in self.execution.using.get(name, ()):
                if k >= self.start and k not in more and k not in self.replaced:
                    more[k] = self.execution.conditions[k]
                    work += (str(v.data) for v in variables((more[k],)))
        return SuffixConditions(
            tuple(dict.fromkeys(self.found)),
            tuple(t for _, t in sorted(more.items())),
            frozenset(open_names),
            self.through_blocks,
            bool(self.addresses),
        )
