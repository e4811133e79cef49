"""Fresh symbols for what a statement writes, and values that are worth a try for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import INT, REAL, Value, default_value, is_map
from butfor.logic.substitute import substitute
from butfor.logic.terms import Term, select, store, variable
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.path_model import Cell, Path
from butfor.path.path_words import boogie_text, value_text

_VARIABLES = ("local", "global", "byval")  # kinds of objects that have a name
MAX_VARIABLES_POINTED_TO = 6  # that a pointer gets the address of: each is one more value to try
MAX_SYMBOLS_CHANGED_ALONE = 8  # each takes nine evaluations; a statement rarely writes more cells


@dataclass(frozen=True, slots=True)
class OtherValue:
    """Another value of a cell, or of the element of a map at these indexes."""

    cell: Cell
    value: Value
    sort: int
    indexes: tuple[Value, ...] = ()


@dataclass(slots=True)
class AnyValues:
    """New values of cells with fresh symbols in them.

    `terms` are the values by cell, `recorded` and `meaning` say for each symbol what it was and what it stands for.
    """

    terms: dict[str, Term] = field(default_factory=dict)
    recorded: dict[str, Value] = field(default_factory=dict)
    meaning: dict[str, tuple[Cell, int, tuple[Value, ...]]] = field(default_factory=dict)

    def others(self, values: Mapping[str, Value]) -> tuple[OtherValue, ...]:
        """The values in words of cells, without those that are as they were, unless all are."""
        found = {name: OtherValue(cell, values[name], sort, at) for name, (cell, sort, at) in self.meaning.items()}
        return tuple(o for name, o in found.items() if values[name] != self.recorded[name]) or tuple(found.values())

    def candidates(self) -> Iterator[Mapping[str, Value]]:
        """Values to try: one symbol at a time, then all of them together."""
        if len(self.recorded) > 1:
            for name in list(self.recorded)[:MAX_SYMBOLS_CHANGED_ALONE]:
                for value in plain_values(self.recorded[name], self.meaning[name][1]):
                    yield {**self.recorded, name: value}
        columns = [list(plain_values(self.recorded[name], self.meaning[name][1])) for name in self.recorded]
        for row in range(min((len(c) for c in columns), default=0)):
            yield {name: column[row] for name, column in zip(self.recorded, columns, strict=True)}


class _FreshValues:
    def __init__(self, execution: SymbolicExecution, position: int) -> None:
        self.execution = execution
        self.position = position
        self.made = AnyValues()
        self.now = Evaluator(execution.symbols.recorded)

    def add(self, cell: Cell, term: Term | None, recorded: Value) -> None:
        if term is not None and term.op == "store" and root_of(term) is cell.term:
            self.made.terms[cell.name] = self._elements(cell, term, cell.term, ())
        else:
            self.made.terms[cell.name] = self._fresh(cell, cell.sort, recorded, ())

    def _elements(self, cell: Cell, term: Term, old: Term, indexes: tuple[Value, ...]) -> Term:
        """A map with any values where the term writes into it."""
        if term is old:
            return self._before(old)
        below = self._elements(cell, term.args[0], old, indexes)
        at = self._before(term.args[1])
        inner, value = select(old, term.args[1]), term.args[2]
        where = (*indexes, self.now(at))
        if value.op == "store" and root_of(value) is inner:
            return store(below, at, self._elements(cell, value, inner, where))
        return store(below, at, self._fresh(cell, value.width, self.now(self._before(value)), where))

    def _before(self, term: Term) -> Term:
        return substitute(term, lambda name: self.execution.value(name, self.position), ALGEBRA)

    def _fresh(self, cell: Cell, sort: int, recorded: Value, indexes: tuple[Value, ...]) -> Term:
        name = f"v{len(self.made.recorded)}"
        self.made.recorded[name] = recorded
        self.made.meaning[name] = cell, sort, indexes
        return variable(name, sort)


def root_of(term: Term) -> Term:
    """The map into which a term writes elements."""
    while term.op == "store":
        term = term.args[0]
    return term


def variable_like(name: str, was: Term) -> Term:
    """A variable of that name in the place of a value."""
    return variable(name, was.width)


def any_value(
    name: str,
    old: Term,
    term: Term | None,
    value: Term,
    lookup: Callable[[str], Term | None],
    fresh: Callable[[str, Term], Term] = variable_like,
) -> Term:
    """Any value in the place of a term's; of a map that the term writes into, only for the elements that it writes.

    `old` is what is written to, `value` is the term under `lookup`, `fresh` makes a symbol that replaces a value.
    """
    if term is None or term.op != "store" or root_of(term) is not old:
        return fresh(name, value)
    below = (
        substitute(old, lookup, ALGEBRA)
        if term.args[0] is old
        else any_value(f"{name}.m", old, term.args[0], value, lookup, fresh)
    )
    at, element = substitute(term.args[1], lookup, ALGEBRA), substitute(term.args[2], lookup, ALGEBRA)
    return store(below, at, any_value(f"{name}.e", select(old, term.args[1]), term.args[2], element, lookup, fresh))


def any_written(execution: SymbolicExecution, position: int, names: Collection[str]) -> AnyValues:
    """Any values for these of the cells that an instance writes; of a map only for the elements that it writes."""
    making = _FreshValues(execution, position)
    instance = execution.path.instances[position]
    for cell, term in instance.writes:
        if cell.name in names:
            making.add(cell, term, instance.recorded.get(cell.name, default_value(cell.sort)))
    return making.made


def any_cells(execution: SymbolicExecution, position: int, cells: Iterable[Cell]) -> AnyValues:
    """Any values for cells before the instance at a position."""
    making = _FreshValues(execution, position)
    for cell in cells:
        making.add(cell, None, making.now(execution.value(cell.name, position)))
    return making.made


def nearest(
    recorded: Mapping[str, Value],
    found: Mapping[str, Value],
    sorts: Mapping[str, int],
    avoids: Callable[[Mapping[str, Value]], bool],
) -> Mapping[str, Value]:
    """Values as near as possible to the recorded ones that still avoid the failure, by bisection symbol by symbol."""
    best = dict(found)
    for name, far in found.items():
        sort = sorts.get(name, 0)
        if sort == 0 or is_map(sort) or sort == REAL or far == recorded[name]:
            continue
        top = 1 << max(sort, 0)
        near, there = (_signed(x, sort) for x in (recorded[name], far))
        while abs(there - near) > 1:
            middle = (near + there) // 2
            tried = {**best, name: middle % top if sort > 0 else middle}
            if avoids(tried):
                best, there = tried, middle
            else:
                near = middle
    return best


def _signed(value: int, sort: int) -> int:
    return value - (1 << sort) if sort > 0 and value >> sort - 1 else value


def plain_values(value: Value, sort: int) -> Iterator[Value]:
    """Other values of a sort, plain ones first."""
    if is_map(sort):
        return
    if sort == 0:
        yield 1 - value
        return
    tried: tuple[Value, ...]
    if sort in (INT, REAL):
        tried = (value + 1, value - 1, 0, 1, -1, 10**6, -(10**6), 10**20, -(10**20))
    else:
        top = 1 << sort
        tried = ((value + 1) % top, (value - 1) % top, 0, 1, top - 1, top >> 1, (top >> 1) - 1)
    yield from (t for t in dict.fromkeys(tried) if t != value)


def pointer_values(path: Path, cell: Cell) -> list[Value]:
    """What a pointer may point to instead: variables of the right type, those on the path first, or NULL."""
    target = cell.type.removesuffix("*").rstrip()
    on_path = sorted(r.start for r in path.ranges.values() if r.cell.type == target and r.home.key[0] in _VARIABLES)
    others = sorted(v.start for v in path.variables if v.type == target and v.function in ("", cell.function))
    return [*islice(dict.fromkeys((*on_path, *others)), MAX_VARIABLES_POINTED_TO), 0]


def other_text(other: OtherValue, address: Callable[[int], str] = hex) -> str:
    """Another value, with what gets it: `a[3] = 8`; `address` writes pointers."""
    name, sort = other.cell.shown, other.cell.sort
    for index in other.indexes:
        assert is_map(sort)
        name += f"[{boogie_text(index, sort.index)}]"
        sort = sort.value
    return f"{name} = {value_text(other.cell, other.value, other.sort, address)}"
