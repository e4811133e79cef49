"""A failing path from an explored state and a solver's model.

The values of the model are recomputed step by step before anyone sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from butfor.frontends.boogie.exploration_state import ExplorationState
from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import Value, default_value
from butfor.logic.terms import Term, variables
from butfor.path.path_model import Cell, Input, Instance, Kind, Path
from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class ViolatedCheck:
    """A violated check: the shortest path to it, what is violated in words, and some other paths to it."""

    path: Path
    message: str
    others: tuple[Path, ...] = ()


def failing_path(
    state: ExplorationState, model: Mapping[str, Value], pre: Term, check: Term, place: Place
) -> Path | None:
    """The path of a state whose check the model violates; None when the recomputed values say otherwise."""
    cells = _cells(state, pre, check)
    start = {c.name: model.get(f"{c.name}!0", default_value(c.sort)) for c in cells}
    written = {c.name for i in state.instances for c, _ in i.writes}
    declared = [c.name for c in state.frames[0].cells.values()]
    outside = [c for c in cells if c.name not in written or f"{c.name}!0" in state.sources]
    outside.sort(key=lambda c: declared.index(c.name) if c.name in declared else len(declared))
    inputs = {c.name: Input("parameter" if _is_parameter(state, c) else "start", c.shown) for c in outside}
    instances = _recorded(state, start, model, pre, check)
    if instances is None:
        return None
    return Path(cells, instances, check, place, pre, tuple(p for p, _, _ in state.scope), start=start, inputs=inputs)


def _is_parameter(state: ExplorationState, cell: Cell) -> bool:
    entry = state.frames[0]
    return any(entry.cells.get(p.name) == cell for p in entry.flow.procedure.params)


def _cells(state: ExplorationState, pre: Term, check: Term) -> tuple[Cell, ...]:
    known = {**state.unit.meaning.cells, **state.unit.globals, **state.cells}
    known |= {c.name: c for f in state.frames for c in f.cells.values()}
    roots = [pre, check]
    named: dict[str, None] = {}
    for i in state.instances:
        roots += [i.condition, *(t for _, t in i.writes if t is not None)]
        named |= dict.fromkeys(c.name for c in (*(c for c, _ in i.writes), *i.frames))
    named = {**dict.fromkeys(str(v.data) for v in variables(roots)), **named}
    return tuple(known[name] for name in named)


def _recorded(
    state: ExplorationState, start: Mapping[str, Value], model: Mapping[str, Value], pre: Term, check: Term
) -> tuple[Instance, ...] | None:
    """The instances with their ends and the values that they wrote; None when one of them could not run."""
    values = dict(start)
    if not Evaluator(values)(pre):
        return None
    escaping = _escaping(state)
    done = []
    for position, instance in enumerate(state.instances):
        value = Evaluator(values)
        if not value(instance.condition):
            return None
        new: dict[str, Value] = {}
        for cell, term in instance.writes:
            new[cell.name] = (
                value(term) if term is not None else model.get(f"{cell.name}!h{position}", default_value(cell.sort))
            )
        values.update(new)
        end = state.ends.get(position, len(state.instances)) if instance.kind is Kind.BRANCH else 0
        done.append(replace(instance, recorded=new, end=end, escapes=position in escaping))
    return None if Evaluator(values)(check) else tuple(done)


def _escaping(state: ExplorationState) -> set[int]:
    """The branch instances with another arm that never comes back to where the path is now."""
    here = {f.number: f.node for f in state.frames}
    found = set()
    for turn in state.branches_taken:
        reaching = state.unit.nodes_reaching(turn.flow, here.get(turn.frame, turn.flow.exit))
        if not all(node in reaching for node in turn.others):
            found.add(turn.position)
    return found
