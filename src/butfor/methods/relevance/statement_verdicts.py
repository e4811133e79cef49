"""Verdicts on source statements from those on their instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from butfor.logic.sorts import Value
from butfor.methods.relevance.instance_verdicts import InstanceVerdict, Judgement, Relevance, judge
from butfor.path.changed_runs import PathEdit, RunVerdict
from butfor.path.execute.any_value import other_text
from butfor.path.lift.movable_stores import MOVABLE
from butfor.path.path_model import Path
from butfor.path.path_words import value_text
from butfor.trace.view.source_places import Place

_ORDER = (Relevance.ENFORCING, Relevance.ADMITTING, Relevance.UNKNOWN, Relevance.IRRELEVANT)


@dataclass(frozen=True, slots=True)
class StatementVerdict:
    """The verdict on one statement: the strongest of those on its instances."""

    place: Place
    verdict: Relevance
    on_trace: Relevance  # the verdict along the path alone, without summaries of blocks
    counterfactual: str | None = None
    instances: int = 1
    relevant: int = 0  # how many of the instances are
    control: bool = False  # it is a condition that decides whether the failed check is reached
    last: int = 0  # the position of its last relevant instance
    positions: tuple[
        int, ...
    ] = ()  # of the instances that are relevant; if none is, of those of which nothing is known
    edits: tuple[PathEdit, ...] = ()  # the change of the run that the counterfactual stands for
    run: RunVerdict | None = None  # what became of the failure when the program was run with it
    by_trace: Mapping[str, Relevance] = field(default_factory=dict)  # the verdicts in each of several failing runs

    def plain(self) -> dict[str, Any]:
        """The row of the report."""
        row: dict[str, Any] = {
            "file": self.place.file,
            "line": self.place.line,
            "text": self.place.text,
            "verdict": self.verdict.value,
            "counterfactual": self.counterfactual,
            "trace_verdict": self.on_trace.value,
            "control": self.control,
            "instances": self.instances,
            "relevant_instances": self.relevant,
            "run": None if self.run is None else self.run.value,
        }
        return {**row, "traces": {name: v.value for name, v in self.by_trace.items()}} if self.by_trace else row


@dataclass(frozen=True, slots=True)
class PathVerdicts:
    """The statements of a path in the order of their first instances, and the judgement they come from."""

    statements: tuple[StatementVerdict, ...]
    judgement: Judgement

    @property
    def angelic(self) -> float | None:
        """The share of the relevant assignments that enforce the failure; None when none is relevant."""
        relevant = [s for s in self.statements if s.verdict.is_relevant and not s.control]
        return sum(s.verdict is Relevance.ENFORCING for s in relevant) / len(relevant) if relevant else None


def verdicts_on(
    path: Path, is_over: Callable[[], bool], *, pinned: bool, address: Callable[[int], str] = hex
) -> PathVerdicts:
    """The verdicts on the statements of a path; `address` writes pointers."""
    found = judge(path, is_over, pinned=pinned)
    differing = {k for k, j in found.by_position.items() if j.in_block or j.through_blocks}
    alone = judge(path, is_over, pinned=pinned, flow=False, only=differing).by_position if differing else {}
    by_place: dict[Place, list[int]] = {}
    for k in found.by_position:
        by_place.setdefault(path.instances[k].place, []).append(k)
    rows = [
        _statement(path, place, positions, found.by_position, {**found.by_position, **alone}, address)
        for place, positions in by_place.items()
    ]
    for k in found.control:
        place = path.instances[k].place
        old = next((r for r in rows if r.place == place), None)
        if old is None:
            rows.append(
                StatementVerdict(
                    place,
                    Relevance.ENFORCING,
                    Relevance.IRRELEVANT,
                    control=True,
                    relevant=1,
                    last=k,
                    positions=(k,),
                    edits=(PathEdit.other_arm(k),),
                )
            )
        elif old.control:
            rows[rows.index(old)] = replace(
                old,
                instances=old.instances + 1,
                relevant=old.relevant + 1,
                last=k,
                positions=(*old.positions, k),
                edits=(PathEdit.other_arm(k),),
            )
    return PathVerdicts(tuple(rows), found)


def _statement(
    path: Path,
    place: Place,
    positions: Sequence[int],
    judged: Mapping[int, InstanceVerdict],
    alone: Mapping[int, InstanceVerdict],
    address: Callable[[int], str],
) -> StatementVerdict:
    verdict = _strongest(judged[k].verdict for k in positions)
    relevant = [k for k in positions if judged[k].verdict.is_relevant]
    unknown = [k for k in positions if judged[k].verdict is Relevance.UNKNOWN]
    chosen = max(relevant, default=None)
    on_trace = _strongest(alone[k].verdict for k in positions)
    return StatementVerdict(
        place,
        verdict,
        on_trace,
        None if chosen is None else _counterfactual(judged[chosen], address),
        len(positions),
        len(relevant),
        last=max(relevant, default=0),
        positions=tuple(relevant or unknown),
        edits=() if chosen is None else _edits(path, judged[chosen]),
    )


def _edits(path: Path, judged: InstanceVerdict) -> tuple[PathEdit, ...]:
    """The change of the run that a counterfactual stands for."""
    recorded = path.instances[judged.position].recorded
    cells: dict[str, Value] = {}
    for other in judged.counterfactual:
        name = other.cell.name
        cells[name] = _with_element(cells.get(name, recorded.get(name)), other.indexes, other.value)
    inputs = (PathEdit(position, cell.name, value) for cell, value, position in judged.inputs)
    return *inputs, *(PathEdit(judged.position, name, value) for name, value in cells.items())


def _with_element(whole: Value, indexes: Sequence[Value], value: Value) -> Value:
    """The value, or a map with it as the element at some indexes."""
    if not indexes:
        return value
    first, rest = indexes[0], indexes[1:]
    return whole.having(first, _with_element(whole[first], rest, value))


def _strongest(verdicts: Iterable[Relevance]) -> Relevance:
    return min(verdicts, key=_ORDER.index)


def _counterfactual(judged: InstanceVerdict, address: Callable[[int], str]) -> str:
    text = ", ".join(other_text(other, address) for other in judged.counterfactual)
    inputs = ", ".join(f"{cell.shown} = {value_text(cell, value, address=address)}" for cell, value, _ in judged.inputs)
    return f"{text}, where {inputs}" if inputs else text


def verdicts_across_runs(
    first: Sequence[StatementVerdict],
    others: Mapping[str, Sequence[StatementVerdict]],
    name: str,
    *,
    missing: Relevance,
) -> tuple[StatementVerdict, ...]:
    """The verdicts over several failing runs: a statement is relevant if it is relevant in each of them.

    `missing`: the verdict on a statement that is not on the path of a run. It is irrelevant where the path has all that
    was executed; where the path has only what the failure depends on, with another value it might depend on more.
    """
    found = []
    for row in first:
        by_trace = {name: row.verdict}
        for other, rows in others.items():
            by_trace[other] = next((r.verdict for r in rows if r.place == row.place), missing)
        verdict = row.verdict
        if verdict.is_relevant and not all(v.is_relevant for v in by_trace.values()):
            verdict = Relevance.IRRELEVANT if Relevance.IRRELEVANT in by_trace.values() else Relevance.UNKNOWN
        found.append(replace(row, verdict=verdict, by_trace=by_trace))
    return tuple(found)


def known_verdicts(path: Path, rows: Sequence[StatementVerdict]) -> tuple[StatementVerdict, ...]:
    """The verdicts as far as the path allows them: nothing is irrelevant because of what the path leaves out."""
    if set(path.approximate) <= {MOVABLE}:
        return tuple(rows)
    return tuple(replace(r, verdict=Relevance.UNKNOWN) if r.verdict is Relevance.IRRELEVANT else r for r in rows)
