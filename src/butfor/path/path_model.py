"""A failing path: the statement instances of one failing execution, as a branch-free program over cells.

Error invariants, relevance, diagnoses and repairs work on this and nothing else, so they are the same for C and for
Boogie: the run of a C program is lifted to it, the search through a Boogie program gives it directly.

Terms of an instance speak of cells *before* the instance, by `Cell.term`; there are no versions here (`ssa_form.py`
adds them). An error is (pre, instances, check): `pre` and the instances can hold together, but not with `check` at the
end.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from butfor.logic.sorts import Sort, Value
from butfor.logic.terms import TRUE, Term, constant, variable, variables
from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of state: a variable, a member, an element, a result on its way to the caller.

    `name` is unique in its path; `shown` is how the source writes it; `type` is its type there ("int", "[int]bool").
    """

    name: str
    sort: Sort  # as `Term.width`: bits, 0 for a boolean, negative for unbounded numbers and maps
    shown: str
    type: str = ""
    signed: bool = True
    function: str = ""  # "" for what belongs to no function

    @property
    def is_pointer(self) -> bool:
        """Whether it holds addresses."""
        return self.type.endswith("*")

    @property
    def term(self) -> Term:
        """Its current value, in the terms of an instance."""
        return variable(self.name, self.sort)


class Kind(enum.Enum):
    """What an instance does."""

    ASSIGN = "assign"
    HAVOC = "havoc"  # values from outside: input, a call whose result nothing determines
    BRANCH = "branch"  # a condition that held; its arm ends at `end`
    ASSUME = "assume"  # a condition that held outside of arms: an assumption, `*p` being the cell that it was


@dataclass(frozen=True, slots=True)
class Input:
    """Where a value from outside came from: the bytes [start, end) of `name`.

    `source` is argv, stdin, file, env, nondet or havoc.
    """

    source: str
    name: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """One statement instance at its position in the path.

    `writes`: the cells it assigns, all at once, with their new values over the cells before it; None is any value.
    `condition` held when it ran (TRUE for plain assignments). `scope`: positions of the branches in whose arms it
    stands, outermost first. `recorded`: what the run wrote, by cell name. `inputs`: of a havoc, where each cell came
    from. `frame` numbers the call, `rounds` the iterations of the loops around it, innermost last.

    Of a branch: `end` is the position of the first instance behind its arm, `frames` the cells that an arm not taken
    might assign (`rewritten` are those among them that its own arm assigns too, where they are not in `frames`),
    `escapes` tells that another arm never comes back to the check, `exits_loop` that an arm leaves the loop around it.
    """

    kind: Kind
    place: Place
    writes: tuple[tuple[Cell, Term | None], ...] = ()
    condition: Term = TRUE
    scope: tuple[int, ...] = ()
    end: int = 0
    frames: tuple[Cell, ...] = ()
    escapes: bool = False
    recorded: Mapping[str, Value] = field(default_factory=dict)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    frame: int = 0
    rounds: tuple[int, ...] = ()
    trusted: bool = False  # the user or a proof says that it is right
    is_address: bool = False  # of an assumption: that pointers and indices were as recorded; see `address_guards`
    held: bool = True  # of a branch: whether the condition as the source writes it held
    rewritten: tuple[Cell, ...] = ()
    exits_loop: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """The instance of a recorded run that gave a cell its value, or that decided a branch.

    `is_result`: the value is the result of a library call, not what the call left in memory.
    """

    node: tuple[int, int]
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class NamedVariable:
    """A variable of a function, or of none: the type of what stands at its address."""

    function: str
    type: str
    start: int


BRANCH = ""  # in the place of a cell: the branch itself


@dataclass(frozen=True, slots=True)
class Path:
    """The failing path. `check` is the property that was violated at its end; `scope` the branches around the check.

    `initial` are values of cells before the first instance where they are known (recorded starts); a cell without one
    starts with any value. `start` are values of all cells there from which the instances give what they recorded; where
    they are not in `initial` too, they are one choice among many. `inputs` says of which cells the start comes from
    outside.
    `silent` are branches with another arm that may print something before a wrong output.
    `nodes` and `ranges` say where a recorded run has the instances and the cells; `acts` by position and name which
    instance of the run assigned a cell there, or decided the BRANCH. A path that was not run has none of them.
    `overwritten` are the positions from which on a cell, by name, may hold what something outside of the path wrote.
    `exact` are sums and products in the terms of instances that C does not let overflow.
    `approximate` says in words what the path leaves out or pins to recorded values; empty when it is exact.
    `variables` are those to which its pointers could point instead.
    `unsure` are the statements whose other values may do something to the path's cells that it leaves out: that such a
    value does not avoid the failure is not known.
    """

    cells: tuple[Cell, ...]
    instances: tuple[Instance, ...]
    check: Term
    place: Place
    pre: Term = TRUE
    scope: tuple[int, ...] = ()
    initial: Mapping[str, Value] = field(default_factory=dict)
    approximate: tuple[str, ...] = ()
    start: Mapping[str, Value] = field(default_factory=dict)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    exact: frozenset[Term] = frozenset()
    silent: frozenset[int] = frozenset()
    nodes: tuple[tuple[int, int], ...] = ()
    ranges: Mapping[str, CellBytes] = field(default_factory=dict)
    acts: Mapping[tuple[int, str], Act] = field(default_factory=dict)
    overwritten: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    variables: tuple[NamedVariable, ...] = ()
    unsure: frozenset[Place] = frozenset()
    inputs_move_stores: bool = False  # other inputs may send what the path leaves out to its cells

    @property
    def followed(self) -> frozenset[tuple[int, int]]:
        """The instances of the recorded run that the path has."""
        return frozenset((*self.nodes, *(act.node for act in self.acts.values())))


@dataclass(frozen=True, slots=True)
class ObjectLife:
    """One life of an object: equal for all accesses to it while it was there."""

    key: tuple[object, ...]
    start: int
    birth: int
    end: int = 0
    frame: int | None = None

    @property
    def life(self) -> tuple[object, ...]:
        """What tells it from other objects, and from other lives of the same variable."""
        return (self.key, self.start, self.birth)


@dataclass(frozen=True, slots=True)
class CellBytes:
    """The bytes of one cell."""

    cell: Cell
    home: ObjectLife
    start: int  # address
    size: int

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.start + self.size


def pinned(path: Path) -> Path:
    """The path for the values found only: inputs have them at the start and bring them later.

    The start of a cell that is assigned before it is read is no input: it stays open, so that the assignment counts.
    """
    read_first = read_before_assigned(path)
    start = {name: value for name, value in path.start.items() if name in read_first}
    return replace(path, initial={**start, **path.initial}, instances=tuple(map(_pinned, path.instances)))


def read_before_assigned(path: Path) -> set[str]:
    """The cells of which the path uses the start."""
    found = {str(v.data) for v in variables((path.pre,))}
    assigned: set[str] = set()
    for i in path.instances:
        terms = (i.condition, *(term for _, term in i.writes if term is not None))
        found |= {*(str(v.data) for v in variables(terms)), *(c.name for c in i.frames)} - assigned
        assigned |= {cell.name for cell, _ in i.writes}
    return found | ({str(v.data) for v in variables((path.check,))} - assigned)


def _pinned(instance: Instance) -> Instance:
    if all(term is not None for _, term in instance.writes):
        return instance
    writes = tuple((c, constant(instance.recorded[c.name], c.sort) if t is None else t) for c, t in instance.writes)
    return replace(instance, kind=Kind.ASSIGN if instance.kind is Kind.HAVOC else instance.kind, writes=writes)
