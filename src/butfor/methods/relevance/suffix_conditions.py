"""From a changed state along the rest of the path: what must hold so that the run still goes on to the failure.

Only instances that a change reaches are looked at. A block that was found irrelevant is not followed but summed up: where its condition comes
out otherwise, its assignments do not take place, and what its other arm may assign is any value.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from butfor.logic.fold import folded
from butfor.logic.sorts import default_value
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, implies, ite, negate, variables
from butfor.path.execute.symbolic_execution import Execution
from butfor.path.path_model import Kind


@dataclass(frozen=True, slots=True)
class Suffix:
    """The conditions that came out other than in the execution; all of them hold iff the failure is still reached.

    `open`: symbols that get their values only behind the change. `through_blocks`: whether blocks were summed up on the way.
    """

    changed: tuple[Term, ...]
    unchanged: tuple[Term, ...] = ()  # further conditions on the open symbols
    open: frozenset[str] = frozenset()
    through_blocks: bool = False

    @property
    def whole(self) -> Term:
        """All conditions."""
        return conjunction((*self.changed, *self.unchanged))


@dataclass(slots=True)
class Blocks:
    """Branch blocks that are summed up, by where they begin, and for each instance inside where its block begins."""

    ends: dict[int, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)

    def add(self, start: int, end: int) -> None:
        """Sums up one more block."""
        self.ends[start] = end
        self.inside.update(dict.fromkeys(range(start, end), start))


class Following:
    """The rest of an execution after changes."""

    def __init__(self, execution: Execution, blocks: Blocks) -> None:
        self.execution = execution
        self.blocks = blocks
        self.path = execution.path
        self._frame_symbols: dict[tuple[int, str], Term] = {}
        self._deciding: dict[int, frozenset[str]] = {}

    def after(self, position: int, changed: Mapping[str, Term]) -> Suffix:
        """What the failure still needs when cells have other values before the instance at a position."""
        return _Walk(self, position, changed).suffix()

    def surely_leaves(self, position: int, changed: Mapping[str, Term]) -> Suffix | None:
        """The way to a condition that cannot hold with these values, whatever comes later; None when no condition is surely violated."""
        walk = _Walk(self, position, changed)
        suffix = walk.suffix(until_false=True)
        return suffix if FALSE in suffix.changed else None

    def frame_symbol(self, branch: int, number: int) -> Term:
        """The value that the other arm of a summed-up branch may assign to a cell."""
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


class _Walk:
    def __init__(self, following: Following, start: int, changed: Mapping[str, Term]) -> None:
        self.f = following
        self.e = following.execution
        self.start = start
        self.overlay: dict[str, Term] = {}
        self.queue: list[int] = []
        self.found: list[Term] = []
        self.replaced: set[int] = set()  # positions whose conditions are not those of the execution any more
        self.through_blocks = False
        for name, term in changed.items():
            self._set(name, term, start)
        symbols = self.e.symbols
        for block in following.blocks.ends:
            if block >= start and any(
                symbols.position[s] >= start or s in symbols.unknown for s in following.deciding(block)
            ):
                heapq.heappush(self.queue, block)

    def _set(self, name: str, term: Term, position: int) -> None:
        """Gives a cell a value from a position on."""
        if term is self.e.value(name, position):
            self.overlay.pop(name, None)
            return
        self.overlay[name] = term
        touches, writers, inside = self.e.touches[name], self.e.writers[name], self.f.blocks.inside
        for k in touches[bisect_left(touches, position) :]:
            heapq.heappush(self.queue, inside.get(k, k))
            if k in writers and k not in inside:
                break

    def suffix(self, *, until_false: bool = False) -> Suffix:
        last = -1
        while self.queue and not (until_false and self.found and self.found[-1] is FALSE):
            k = heapq.heappop(self.queue)
            if k == last:
                continue
            last = k
            if k in self.f.blocks.ends:
                self._block(k, self.f.blocks.ends[k])
            elif k == self.e.size:
                self._require(k, negate(folded(self.f.path.check, self._lookup(k))))
            else:
                self._instance(k)
        return self._connected()

    def _lookup(self, k: int) -> Callable[[str], Term]:
        overlay, value = self.overlay, self.e.value
        return lambda name: overlay.get(name) or value(name, k)

    def _require(self, k: int, condition: Term) -> None:
        if condition is not self.e.conditions[k]:
            self.replaced.add(k)
            if condition is not TRUE:
                self.found.append(condition)

    def _instance(self, k: int) -> None:
        instance = self.f.path.instances[k]
        lookup = self._lookup(k)
        if instance.condition is not TRUE:
            self._require(k, folded(instance.condition, lookup))
        written = self.e.written[k]
        new = {
            cell.name: written[cell.name] if term is None else folded(term, lookup) for cell, term in instance.writes
        }
        for name, term in new.items():
            self._set(name, term, k + 1)

    # --- blocks -------------------------------------------------------------------------------------------------------------

    def _block(self, start: int, end: int) -> None:
        """A block over all its arms."""
        self.through_blocks = True
        self.replaced.update(range(start, end))
        local: dict[str, Term] = {}
        guards: dict[int, Term] = {}
        under_way: list[int] = []
        for k in range(start, end):
            self._close(under_way, k, local, guards)
            instance = self.f.path.instances[k]

            def lookup(name: str, k: int = k) -> Term:
                return local.get(name) or self.overlay.get(name) or self.e.value(name, k)

            guard = guards[under_way[-1]] if under_way else TRUE
            condition = folded(instance.condition, lookup)
            if instance.kind is Kind.BRANCH:
                if instance.escapes:
                    self._under(guard, condition)
                guards[k] = conjunction((guard, condition))
                under_way.append(k)
                continue
            if instance.condition is not TRUE:
                self._under(guard, condition)
            written = self.e.written[k]
            new = {}
            for cell, term in instance.writes:
                value = written[cell.name] if term is None else folded(term, lookup)
                new[cell.name] = value if guard is TRUE else ite(guard, value, lookup(cell.name))
            local.update(new)
        self._close(under_way, end, local, guards)
        for name, term in local.items():
            self._set(name, term, end)

    def _under(self, guard: Term, condition: Term) -> None:
        if condition is not TRUE:
            self.found.append(implies(guard, condition))

    def _close(self, under_way: list[int], position: int, local: dict[str, Term], guards: Mapping[int, Term]) -> None:
        """Ends the arms that end at a position: where an arm was not taken, its branch may have assigned what its frames name."""
        while under_way and self.f.path.instances[under_way[-1]].end <= position:
            branch = under_way.pop()
            taken, around = guards[branch], guards[under_way[-1]] if under_way else TRUE
            for number, cell in enumerate(self.f.path.instances[branch].frames):
                if taken is TRUE:
                    break
                now = local.get(cell.name) or self.overlay.get(cell.name) or self.e.value(cell.name, branch)
                other = self.f.frame_symbol(branch, number)
                local[cell.name] = ite(taken, now, other if around is TRUE else ite(around, other, now))

    # --- what is open -------------------------------------------------------------------------------------------------------

    def _connected(self) -> Suffix:
        """The suffix with the conditions that were not changed but speak of open symbols that changed ones speak of."""
        symbols = self.e.symbols
        open_names: set[str] = set()
        more: dict[int, Term] = {}
        work = [str(v.data) for v in variables(self.found)]
        while work:
            name = work.pop()
            if name in open_names or not (name in symbols.unknown or symbols.position.get(name, -1) >= self.start):
                continue
            open_names.add(name)
            for k in self.e.using.get(name, ()):
                if k >= self.start and k not in more and k not in self.replaced:
                    more[k] = self.e.conditions[k]
                    work += (str(v.data) for v in variables((more[k],)))
        return Suffix(
            tuple(dict.fromkeys(self.found)),
            tuple(t for _, t in sorted(more.items())),
            frozenset(open_names),
            self.through_blocks,
        )
