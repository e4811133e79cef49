"""Calls on a path: preconditions, parameters, the effect of a procedure without a body, postconditions, results."""

from __future__ import annotations

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph
from butfor.frontends.boogie.exploration_state import ExplorationState, ProcedureFrame
from butfor.frontends.boogie.path_queries import PathQueries
from butfor.logic.terms import Term
from butfor.path.path_model import Cell, Input, Kind
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place


def local_cells(unit: TranslationUnit, procedure: s.Procedure, number: int) -> dict[str, Cell]:
    """The cells of a call's parameters, results and local variables."""
    names = (*procedure.params, *procedure.returns, *(procedure.body.variables if procedure.body is not None else ()))
    taken = unit.globals.keys() | unit.program.constants.keys()
    return {
        n.name: unit.cell(n, f"{n.name}@{number}" if number or n.name in taken else n.name, procedure.name)
        for n in names
    }


def old_cells(unit: TranslationUnit, procedure: s.Procedure, number: int) -> dict[str, Cell]:
    """The cells that keep global variables as they were when a procedure was called, by the names of the variables."""
    suffix = f"@{number}" if number else ""
    found = {}
    for name in unit.old_globals(procedure):
        cell = unit.globals[name]
        found[name] = Cell(f"old({name}){suffix}", cell.sort, f"old({name})", cell.type, function=procedure.name)
    return found


def check_preconditions(walk: PathQueries, state: ExplorationState, call: s.Call, procedure: s.Procedure) -> bool:
    """Whether the path continues past the preconditions of a call."""
    text = state.unit.text
    place = _place(state, call)
    bound = {p.name: state.term(a, state.top) for p, a in zip(procedure.params, call.args, strict=True)}
    outside = ProcedureFrame(state.top.flow, -1, {})
    for spec in procedure.specs:
        if spec.keyword != "requires":
            continue
        condition = state.term(spec.expr, outside, bound)
        if spec.is_free:
            state.add(Kind.ASSUME, place, condition=condition)
            if not walk.assume(state, condition):
                return False
        else:
            message = f"precondition of {procedure.name} violated: {text.written(spec.expr.span)}"
            if not walk.check(state, condition, place, message, (call.span, spec.span)):
                return False
    return True


def enter_procedure(state: ExplorationState, call: s.Call, flow: FlowGraph) -> None:
    """Move the path to the start of the called procedure, with its parameters bound."""
    procedure = flow.procedure
    frame = _bind(state, call, procedure)
    frame.flow = flow
    state.frames.append(frame)


def _bind(state: ExplorationState, call: s.Call, procedure: s.Procedure) -> ProcedureFrame:
    """The frame of a call, whose parameters and old values are assigned."""
    unit = state.unit
    state.calls += 1
    cells = local_cells(unit, procedure, state.calls)
    old = old_cells(unit, procedure, state.calls)
    writes: list[tuple[Cell, Term | None]] = []
    for p, a in zip(procedure.params, call.args, strict=True):
        writes.append((cells[p.name], state.term(a, state.top)))
    writes += [(cell, unit.globals[name].term) for name, cell in old.items()]
    if writes:
        state.add(Kind.ASSIGN, _place(state, call), writes)
    cells.update({f"old({name})": cell for name, cell in old.items()})
    return ProcedureFrame(state.top.flow, state.calls, cells, call, forks=state.forks)


def havoc_effects(walk: PathQueries, state: ExplorationState, call: s.Call, procedure: s.Procedure) -> bool:
    """Whether the path continues after a call of a procedure without a body.

    What it may modify gets arbitrary values that its postconditions allow.
    """
    place = _place(state, call)
    ensures = [spec for spec in procedure.specs if spec.keyword == "ensures"]
    frame = _bind(state, call, procedure) if ensures else None
    outs = [state.cell_of(name, state.top) for name in call.outs]
    cells = list(dict.fromkeys((*outs, *(state.unit.globals[name] for name, _ in procedure.modifies))))
    if cells:
        inputs = {c.name: Input("havoc", f"{procedure.name}()") for c in cells}
        state.add(Kind.HAVOC, place, [(c, None) for c in cells], inputs=inputs)
    if frame is None:
        return True
    results = {r.name: cell.term for r, cell in zip(procedure.returns, outs, strict=True)}
    for spec in ensures:
        condition = state.term(spec.expr, frame, results)
        state.add(Kind.ASSUME, place, condition=condition)
        if not walk.assume(state, condition):
            return False
    return True


def return_from_procedure(walk: PathQueries, state: ExplorationState) -> bool:
    """Whether the path continues past the postconditions of the procedure that ends.

    If so, the results are assigned at the call.
    """
    frame, text = state.top, state.unit.text
    procedure = frame.flow.procedure
    for spec in procedure.specs:
        if spec.keyword != "ensures" or (spec.is_free and frame.call is None):
            continue
        condition = state.term(spec.expr, frame)
        place = text.place(spec.span, procedure.name, Role.OTHER)
        if spec.is_free:
            state.add(Kind.ASSUME, place, condition=condition)
            if not walk.assume(state, condition):
                return False
        elif not walk.check(
            state,
            condition,
            place,
            f"postcondition of {procedure.name} violated: {text.written(spec.expr.span)}",
            (spec.span,),
        ):
            return False
    state.leave()
    if frame.call is not None and frame.call.outs:
        results = [frame.cells[r.name] for r in procedure.returns]
        writes: list[tuple[Cell, Term | None]] = [
            (state.cell_of(name, state.top), cell.term) for name, cell in zip(frame.call.outs, results, strict=True)
        ]
        state.cells.update({c.name: c for c in results})
        state.add(Kind.ASSIGN, _place(state, frame.call), writes)
    return True


def _place(state: ExplorationState, call: s.Call) -> Place:
    target = call.outs[0] if len(call.outs) == 1 else None
    return state.unit.text.place(call.span, state.top.flow.procedure.name, Role.EXPRESSION, target)
