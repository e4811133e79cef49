"""The last step of lifting: drafts get positions, scopes, frames and rounds, and become a `Path`."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from butfor.logic.terms import Term, variables
from butfor.path.lift.branch_conditions import ConditionEvaluation
from butfor.path.lift.branch_scopes import BranchScopes, arm_ends
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.lifting_state import Draft, LiftingState
from butfor.path.lift.memory_cells import MemoryCells
from butfor.path.lift.other_arms import Escapes, FramedCells
from butfor.path.path_model import Cell, Input, Instance, Kind, Path
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class LiftedParts:
    """What lifting has made.

    `whole` and `alone` are the branches by their instances, of whole conditions and of parts of them; `decided` are the
    evaluations of conditions by the identity of their drafts.
    """

    state: LiftingState
    whole: dict[Node, Draft]
    alone: dict[Node, Draft]
    decided: dict[int, ConditionEvaluation]
    check: Place
    start: Place
    silent: frozenset[Node] = frozenset()
    endless: bool = False  # then rounds of loops are not counted: they may be millions


def assembled_path(
    parts: LiftedParts,
    node: Node,
    phi: Term,
    run: LiftableRun,
    storage: MemoryCells,
    prologue: list[tuple[Cell, int, Input]],
) -> Path:
    """The path whose check at `node` is phi."""
    state, dependence = parts.state, run.dependence
    drafts = [*_prologue(parts.start, prologue), *(d for draft in state.drafts for d in _flat(draft))]
    scopes = BranchScopes(run, drafts, parts.whole, parts.alone)
    around: list[tuple[int, ...]] = []
    for k, d in enumerate(drafts):
        first = d.parts[0] if d.parts else d.node  # a condition stands where its evaluation begins
        around.append(() if first[0] < 0 else scopes.of(first[0], k))
    _inherit(state.drafts, drafts, around)
    branches = [k for k, d in enumerate(drafts) if d.kind is Kind.BRANCH]
    end = arm_ends(around, branches)
    last = scopes.of(node[0], len(drafts))
    used = {
        str(v.data)
        for v in variables(
            [phi, *(t for d in drafts for t in (d.condition, *(w for _, w in d.writes.values() if w is not None)))]
        )
    }
    used |= {name for d in drafts for name in d.writes}
    ranges = [r for r in storage.ranges() if r.cell.name in used]
    frames = FramedCells(dependence.trace, dependence.potential_dependence, ranges)
    escapes = Escapes(dependence.trace, node)
    writes = _Writes(drafts)
    instances = []
    for k, d in enumerate(drafts):
        run.require_time()
        decided = parts.decided.get(id(d))
        kept = frames.of(decided) if decided is not None else {}
        written = [name for name in kept if writes.is_between(name, k + 1, end[k])] if decided is not None else []
        rewritten = tuple(kept.pop(name) for name in sorted(written))
        instances.append(
            Instance(
                d.kind,
                d.place,
                tuple(d.writes.values()),
                d.condition,
                around[k],
                end.get(k, 0),
                tuple(kept.values()),
                decided is not None and escapes.is_escape(decided),
                d.recorded,
                d.inputs,
                d.frame,
                () if d.node[0] < 0 or parts.endless else scopes.rounds(d.node[0]),
                rewritten=rewritten,
                is_address=d.is_address,
                exits_loop=d.kind is Kind.BRANCH and any(scopes.exits_loop(i) for i, _ in d.parts),
            )
        )
    cells = tuple(c for name, c in state.cells.items() if name in used)
    if any(c.type == UNKNOWN for c in cells) and not state.approximate:
        state.approximate["what a part of a condition that did not run would have given is unknown"] = None
    return Path(
        cells=cells,
        instances=tuple(instances),
        check=phi,
        place=parts.check,
        scope=last,
        initial={name: value for name, value in state.initial.items() if name in used},
        approximate=tuple(state.approximate),
        exact=frozenset(state.exact - state.wrapping),
        silent=frozenset(
            k for k, d in enumerate(drafts) if d.kind is Kind.BRANCH and parts.silent.intersection(d.parts)
        ),
        nodes=tuple(d.parts[0] if d.parts else d.node for d in drafts),
        ranges={r.cell.name: r for r in ranges},
        acts={(k, name): act for k, d in enumerate(drafts) for name, act in d.acts.items()},
    )


class _Writes:
    """The positions at which each cell is written."""

    def __init__(self, drafts: list[Draft]) -> None:
        self._positions: dict[str, list[int]] = {}
        for k, draft in enumerate(drafts):
            for name in draft.writes:
                self._positions.setdefault(name, []).append(k)

    def is_between(self, name: str, start: int, end: int) -> bool:
        """Whether a cell is written from a position on and before another."""
        positions = self._positions.get(name, [])
        k = bisect_left(positions, start)
        return k < len(positions) and positions[k] < end


def _flat(draft: Draft) -> list[Draft]:
    return [*(d for before in draft.before for d in _flat(before)), draft]


def _inherit(emitted: list[Draft], drafts: list[Draft], around: list[tuple[int, ...]]) -> None:
    """What keeps a value for later stands where the instance stands that would have destroyed it."""
    position = {id(d): k for k, d in enumerate(drafts)}
    for draft in emitted:
        for before in _flat(draft)[:-1]:
            around[position[id(before)]] = around[position[id(draft)]]


def _prologue(place: Place, cells: list[tuple[Cell, int, Input]]) -> list[Draft]:
    """What the program reads of its arguments, as inputs at its start."""
    return [
        Draft(
            Kind.HAVOC,
            place,
            (-1, 0),
            0,
            {cell.name: (cell, None)},
            recorded={cell.name: value},
            inputs={cell.name: source},
        )
        for cell, value, source in cells
    ]
