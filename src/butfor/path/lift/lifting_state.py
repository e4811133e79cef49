"""The path while it is lifted: what cells hold, values still to be used, the instances so far.

Terms of values that were read speak of cells as they are now. When a cell is assigned before such a value is used, the
value is kept in a cell of its own, which the instance that overwrote the cell assigns too, or one just before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import NORMAL_FORM, Simplifier
from butfor.logic.terms import TRUE, Term, conjunction, const, has_value, ite, variables
from butfor.path.lift.cell_names import CellNames
from butfor.path.path_model import Act, Cell, Input, Kind
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

Byte = tuple[object, int]  # a life of an object, an address


@dataclass(slots=True, eq=False)
class Draft:
    """An instance that is not finished: its position is not known yet."""

    kind: Kind
    place: Place
    node: Node
    frame: int
    writes: dict[str, tuple[Cell, Term | None]] = field(default_factory=dict)
    condition: Term = TRUE
    recorded: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Input] = field(default_factory=dict)
    before: list[Draft] = field(default_factory=list)
    parts: tuple[Node, ...] = ()  # of a branch: the instances that evaluated its condition
    is_address: bool = False  # of an assumption: that pointers and indices were as recorded
    acts: dict[str, Act] = field(default_factory=dict)  # what assigned each cell


@dataclass(slots=True, eq=False)
class KeptValue:
    """A value that was read: its term, the recorded value, and the instance that made the term stale."""

    term: Term
    value: int
    shown: str
    place: Place
    node: Node
    frame: int
    stale: Draft | None = None


class LiftingState:
    """Cells, values and instances at one moment of the run."""

    def __init__(self, names: CellNames) -> None:
        self.names = names
        self.simplify = Simplifier(NORMAL_FORM)
        self.cells: dict[str, Cell] = {}
        self.now: dict[str, int] = {}
        self.initial: dict[str, int] = {}
        self.writers: dict[Byte, Node | None] = {}
        self.drafts: list[Draft] = []
        self.group: Draft | None = None
        self.approximate: dict[str, None] = {}
        self.exact: set[Term] = set()  # sums and products of signed numbers, which C does not let overflow
        self.wrapping: set[Term] = set()  # those that may
        self._entries: dict[object, KeptValue] = {}
        self._using: dict[str, set[object]] = {}
        self._stored: dict[Node, Cell] = {}

    # --- values -------------------------------------------------------------------------------------------------------

    def evaluate(self, term: Term) -> int:
        """The value of a term over the cells as they are now."""
        return int(Evaluator(self.now)(term))

    def remember(self, key: object, entry: KeptValue) -> None:
        """Keep a value for later use."""
        self._entries[key] = entry
        for v in variables((entry.term,)):
            self._using.setdefault(str(v.data), set()).add(key)

    def recall(self, key: object) -> Term | None:
        """The term of a value that was kept; None when there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.stale is not None:
            cell = self._kept(entry)
            self.remember(key, KeptValue(cell.term, entry.value, entry.shown, entry.place, entry.node, entry.frame))
            return cell.term
        return entry.term

    def _kept(self, entry: KeptValue) -> Cell:
        """A cell that holds the value from the moment on at which it would have been lost."""
        cell = self.names.earlier(entry.shown, entry.term.width, "")
        self.cells[cell.name] = cell
        self.now[cell.name] = entry.value
        there = entry.stale
        assert there is not None
        if there.kind is Kind.ASSIGN and there.place == entry.place and there.frame == entry.frame:
            keeper = there
        else:
            keeper = Draft(Kind.ASSIGN, entry.place, entry.node, entry.frame)
            there.before.append(keeper)
        keeper.writes[cell.name] = (cell, entry.term)
        keeper.recorded[cell.name] = entry.value
        return cell

    # --- instances ----------------------------------------------------------------------------------------------------

    def statement(self, place: Place, node: Node, frame: int) -> Draft:
        """The unfinished assignment of a statement instance; that of another statement is finished first."""
        group = self.group
        if group is not None and (
            group.place != place or group.frame != frame or (group.node[1] >= node[1] and group.node != node)
        ):
            self.flush()
        if self.group is None:
            self.group = Draft(Kind.ASSIGN, place, node, frame)
        self.group.node = node
        return self.group

    def settle(self, place: Place | None, frame: int) -> None:
        """Finish the assignment under way unless it is of this statement."""
        if self.group is not None and (self.group.place != place or self.group.frame != frame):
            self.flush()

    def flush(self) -> None:
        """Finish the assignment under way."""
        group, self.group = self.group, None
        if group is None:
            return
        self.assume(group.condition, group.place, group.node, group.frame, is_address=True)
        group.condition = TRUE
        if group.writes:
            self.emit(self._merged_with_call(group) or group)
        stored, self._stored = self._stored, {}
        for node, cell in stored.items():
            self.remember(node, KeptValue(cell.term, self.now[cell.name], cell.shown, group.place, node, group.frame))

    def _merged_with_call(self, group: Draft) -> Draft | None:
        """The library call whose result the statement assigns unchanged, made to assign the variable itself.

        None where the statement does anything else.
        """
        last = self.drafts[-1] if self.drafts else None
        if (
            last is None
            or len(group.writes) != 1
            or len(last.writes) != 1
            or (last.place, last.frame) != (group.place, group.frame)
        ):
            return None
        ((cell, term),) = group.writes.values()
        ((result, given),) = last.writes.values()
        users = self._using.get(result.name, set())
        if (
            term is not result.term
            or not result.shown.endswith("()")
            or last.before
            or len(users) != 1
            or last.kind is Kind.BRANCH
        ):
            return None
        (key,) = users
        entry = self._entries[key]
        if entry.term is not result.term or entry.node != last.node:
            return None
        self.drafts.pop()
        del self.cells[result.name], self.now[result.name]
        self._stored[entry.node] = cell
        last.inputs = dict.fromkeys((cell.name,), last.inputs[result.name]) if last.inputs else {}
        last.writes, last.recorded = {cell.name: (cell, given)}, group.recorded
        last.acts = {cell.name: Act(last.node, is_result=True)}
        return last

    def stored(self, value: Node, cell: Cell) -> None:
        """Note that the assignment under way puts a computed value into a cell unchanged."""
        self._stored[value] = cell

    def assume(self, condition: Term, place: Place, node: Node, frame: int, *, is_address: bool = False) -> None:
        """Add an assumption, unless it is trivial."""
        if condition is not TRUE:
            self.emit(Draft(Kind.ASSUME, place, node, frame, condition=condition, is_address=is_address))

    def emit(self, draft: Draft) -> None:
        """Add an instance: from now on its cells have their new values."""
        self.drafts.append(draft)
        for name, (cell, _) in draft.writes.items():
            self.cells[name] = cell
            self.now[name] = draft.recorded[name]
        for name in draft.writes:
            for key in self._using.pop(name, ()):
                entry = self._entries[key]
                if entry.stale is None and any(str(v.data) == name for v in variables((entry.term,))):
                    entry.stale = draft

    # --- cells --------------------------------------------------------------------------------------------------------

    def start(self, cell: Cell, value: int | None) -> None:
        """Introduce a cell with its first value, which is any value when it is not known."""
        self.cells[cell.name] = cell
        self.now[cell.name] = value or 0
        if value is not None:
            self.initial[cell.name] = value

    def current(self, cell: Cell) -> Term:
        """The value of a cell as the assignment under way leaves it, over the cells before that."""
        if self.group is not None and cell.name in self.group.writes:
            term = self.group.writes[cell.name][1]
            assert term is not None
            return term
        return cell.term

    def unknown(self, shown: str, width: int) -> Term:
        """A value that nothing determines."""
        cell = self.names.unknown(shown, width)
        self.start(cell, None)
        return cell.term

    def all_as_recorded(self, arguments: list[tuple[Term, int]]) -> Term:
        """The condition that values are as recorded."""
        return self.simplify(conjunction([self.simplify(has_value(term, recorded)) for term, recorded in arguments]))

    def as_recorded(self, arguments: list[tuple[Term, int]], value: int, width: int, what: str) -> Term:
        """Recorded-value semantics: the recorded value if all arguments are as recorded, else anything."""
        condition = self.all_as_recorded(arguments)
        result = const(value, width) if width else TRUE
        if condition is TRUE:
            return result
        self.approximate.setdefault(f"{what}: if its operands had other values, its result would be unknown")
        return ite(condition, result, self.unknown(what, width))
