"""The conditions under which a changed state still leads along the rest of the path to the failure.

Only instances that the change reaches are executed. A branch block that was found irrelevant is summarised over all its
arms: where its condition comes out differently, its assignments do not take place, and the cells that its other arm may
assign get any value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butfor.logic.sorts import default_value
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, implies, variables
from butfor.path.execute.path_execution import Needed, PathExecution, Role, nesting_of
from butfor.path.execute.sparse_execution import RUN, SparseExecution
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.execute.value_domains import Terms, unless_moved
from butfor.path.path_model import Cell


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
        self.nesting = nesting_of(execution.path)
        self.known_states: dict[State, SuffixConditions] = {}  # FALSE where the path is surely left from there
        self._arm_symbols: dict[tuple[int, str], Term] = {}
        self._deciding: dict[int, frozenset[str]] = {}

    def after(self, position: int, changed: Mapping[str, Term], *, until_moved: bool = False) -> SuffixConditions:
        """The conditions for the failure when cells have other values before the instance at a position.

        With `until_moved` those up to an access that may go elsewhere: behind it nothing can be proved irrelevant.
        """
        return _SuffixRun(self, position, changed).suffix(until_moved=until_moved)

    def surely_leaves(self, position: int, changed: Mapping[str, Term]) -> SuffixConditions | None:
        """The conditions up to one that is false, whatever comes later; None when none is certainly violated.

        What becomes of a state is remembered: rounds of a loop lead to the same states again and again.
        """
        run = _SuffixRun(self, position, changed)
        states: list[State] = []
        suffix = run.suffix(until_false=True, states=states)
        leaves = FALSE in suffix.changed
        known = SuffixConditions((FALSE,) if leaves else (), through_blocks=suffix.through_blocks)
        self.known_states.update(dict.fromkeys(states, known))
        return suffix if leaves else None

    def leaves(self, branch: int) -> bool:
        """Whether a branch leaves the path when it is decided otherwise: all do that are in no summarised block."""
        return branch not in self.blocks.inside or self.path.instances[branch].escapes

    def arm_symbol(self, branch: int, number: int, cell: Cell) -> Term:
        """The symbol for what another arm of a branch in a summarised block may leave in a cell."""
        key = (branch, cell.name)
        if key not in self._arm_symbols:
            name = f"f{branch}.{number}"
            self._arm_symbols[key] = self.execution.symbols.new(name, cell, branch, default_value(cell.sort))
        return self._arm_symbols[key]

    def deciding(self, block: int) -> frozenset[str]:
        """The symbols on which the conditions of a block depend."""
        if block not in self._deciding:
            conditions = self.execution.conditions[block : self.blocks.ends[block]]
            self._deciding[block] = frozenset(str(v.data) for v in variables(conditions))
        return self._deciding[block]


class _SuffixTerms(Terms):
    """Terms over the symbols of the execution."""

    def __init__(self, rest: SuffixExecution) -> None:
        super().__init__(rest.path)
        self.rest = rest

    def from_outside(self, k: int, number: int, cell: Cell) -> Term:
        return self.rest.execution.written[k][cell.name]

    def from_other_arm(self, branch: int, number: int, cell: Cell) -> Term:
        return self.rest.arm_symbol(branch, number, cell)


class _SuffixRun(SparseExecution):
    def __init__(self, rest: SuffixExecution, start: int, changed: Mapping[str, Term]) -> None:
        execution = rest.execution
        super().__init__(execution, _SuffixTerms(rest), rest.leaves, execution.value, rest.nesting)
        self.rest = rest
        self.start = start
        self.found: list[Term] = []
        self.replaced: set[int] = set()  # positions whose conditions differ from those of the execution
        self.through_blocks = False
        self.accesses: list[Term] = []  # that they go where they went
        self.assigned_in_block: dict[str, None] | None = None  # while a block is executed
        for name, term in changed.items():
            self.assign(name, term, start)
        symbols = execution.symbols
        for block in rest.blocks.ends:
            if block >= start and any(
                symbols.position[s] >= start or s in symbols.unknown for s in rest.deciding(block)
            ):
                self.later(block, RUN)

    def assign(self, name: str, value: Term, position: int) -> None:
        """Give a cell a value; a block is executed as a whole, and what it leaves is queued at its end."""
        if self.assigned_in_block is None:
            super().assign(name, value, position)
        else:
            self.assigned_in_block[name] = None
            self.now[name] = value

    def enter(self, branch: int, runs: Term) -> None:
        PathExecution.enter(self, branch, runs)  # nothing to queue: the whole block is executed

    def may_be_skipped(self, position: int) -> bool:
        return position in self.rest.blocks.inside

    def reached_at(self, position: int) -> int:
        return self.rest.blocks.inside.get(position, position)

    def suffix(
        self, *, until_false: bool = False, until_moved: bool = False, states: list[State] | None = None
    ) -> SuffixConditions:
        """The conditions, or those until one is false or an access may go elsewhere.

        `states` gets the states that were passed before any of them.
        """
        for k, _, _ in self.events():
            if states is not None and not self.found and not self.accesses and not self.through_blocks:
                state = k, frozenset(self.now.items())
                known = self.rest.known_states.get(state)
                if known is not None:
                    return known
                states.append(state)
            if k in self.rest.blocks.ends:
                self._block(k, self.rest.blocks.ends[k])
            else:
                self._note(k, self.run(k))
            if (until_false and self.found and self.found[-1] is FALSE) or (until_moved and self.accesses):
                break
        return self._connected()

    def _note(self, k: int, needed: Needed[Term] | None) -> None:
        """Note what the failure needs at a position, if it is not what the execution needed there."""
        if needed is not None and needed.role is Role.OUTPUT:
            return  # the failure does not need it: another arm may print the same
        condition = TRUE if needed is None else implies(needed.guard, needed.condition)
        is_other = condition is not self.before.conditions[k]
        if needed is not None and needed.role is Role.ACCESS:
            if is_other:  # it may go elsewhere: that is no way out of the failure, since nothing is known then
                self.replaced.add(k)
                self.accesses.append(condition)
            if condition is FALSE:
                self.stop()
        elif is_other or self.assigned_in_block is not None:
            self.replaced.add(k)
            if needed is not None:
                self.found.append(unless_moved(condition, self.accesses))

    def _block(self, start: int, end: int) -> None:
        """Execute a block over all its arms."""
        self.through_blocks = True
        self.replaced.update(range(start, end))
        self.assigned_in_block = {}
        for k in range(start, end):
            self.close(k)
            self._note(k, self.run(k))
        self.close(end)
        assigned, self.assigned_in_block = self.assigned_in_block, None
        for name in assigned:
            self.assign(name, self.now[name], end)

    # --- open symbols -------------------------------------------------------------------------------------------------

    def _connected(self) -> SuffixConditions:
        """The changed conditions, with the unchanged ones that share open symbols with them."""
        symbols = self.before.symbols
        open_names: set[str] = set()
        more: dict[int, Term] = {}
        work = [str(v.data) for v in variables(self.found)]
        while work:
            name = work.pop()
            if name in open_names or not (name in symbols.unknown or symbols.position.get(name, -1) >= self.start):
                continue
            open_names.add(name)
            for k in self.before.using.get(name, ()):
                if k >= self.start and k not in more and k not in self.replaced:
                    more[k] = self.before.conditions[k]
                    work += (str(v.data) for v in variables((more[k],)))
        return SuffixConditions(
            tuple(dict.fromkeys(self.found)),
            tuple(t for _, t in sorted(more.items())),
            frozenset(open_names),
            self.through_blocks,
            bool(self.accesses),
        )
