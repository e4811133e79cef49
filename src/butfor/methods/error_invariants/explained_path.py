"""Error invariants of a failing path: what was true, and which statements changed that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.errors import OutOfTime, UnsupportedError
from butfor.explanation import Evidence
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.methods.budget import Budget
from butfor.methods.case import FailingPath, FailingRun
from butfor.methods.error_invariants.abstract_trace import AbstractTraceWriter, TraceEntry
from butfor.methods.error_invariants.core_trace import CoreTrace, core_trace_of
from butfor.methods.error_invariants.inductive_sequence import InterpolationQueries, InvariantSequence
from butfor.methods.error_invariants.interpolation_engines import best_sequence
from butfor.methods.error_invariants.invariant_intervals import InvariantInterval, covering_intervals
from butfor.methods.error_invariants.recorded_invariants import dependence_closure, recorded_values
from butfor.methods.error_invariants.recursive_story import recursive_story
from butfor.methods.error_invariants.story_check import intervals_agreed
from butfor.methods.error_invariants.story_settings import RECURSIVE, StorySettings
from butfor.path.lift.cell_memory import NOT_FOLLOWED
from butfor.path.lift.movable_stores import MOVABLE
from butfor.path.path_formula import address_guards
from butfor.path.path_model import Path, pinned
from butfor.path.preconditions import with_precondition
from butfor.path.source_expressions import SourceExpressions
from butfor.ranking.finding import Diagnosis, Finding

BUDGET_SHARE = 0.33  # other methods need time too
SEARCH_SHARE = 0.8  # of that, to find the story; its check by a solver needs the rest
CORE_SHARE = 0.5  # of what is left, for the core trace; the interpolants need the rest
_PINNED = "other inputs may lead away from this path: the error invariants hold for the values found"
_NONE = "error invariants: no invariants were found in time that pass the checks"
_LEFT_OUT = "error invariants: the recursive algorithm says nothing about states that take another way than this run"


@dataclass(frozen=True, slots=True)
class Localized:
    """The abstract error trace of a path."""

    chain: CoreTrace
    invariants: InvariantSequence
    intervals: tuple[InvariantInterval, ...]
    entries: tuple[TraceEntry, ...]
    pinned: bool
    agreed: bool  # a solver agrees with all invariants


def story_of_run(case: FailingRun, settings: StorySettings) -> Diagnosis:
    """The story of a recorded failing run."""
    inputs, pre = settings.inputs, settings.pre
    is_free = inputs == "free" or (pre is not None and inputs is None)
    try:
        path = case.free_path if is_free else case.path
    except (UnsupportedError, OutOfTime) as e:  # not every failure is a property of a path; other methods may say more
        return Diagnosis(
            (),
            {"flow_sensitive": not settings.flow_insensitive, "abstract_trace": [], "pinned": not is_free},
            not isinstance(e, OutOfTime),
            (f"error invariants: {e.message}",),
        )
    if pre is not None:
        path = with_precondition(path, pre, "main")
    return _diagnosis(path, case.budget, not is_free, settings, boogie=False, address=case.pointer_text)


def story_of_path(case: FailingPath, settings: StorySettings) -> Diagnosis:
    """The story of a failing path that a search found."""
    inputs, pre = settings.inputs, settings.pre
    is_pinned = inputs == "pinned"
    path = pinned(case.path) if is_pinned else case.path
    if pre is not None:
        path = with_precondition(path, pre, case.options.entry or "main")
    return _diagnosis(path, case.budget, is_pinned, settings, boogie=True)


def _diagnosis(
    path: Path,
    budget: Budget,
    is_pinned: bool,
    settings: StorySettings,
    *,
    boogie: bool,
    address: Callable[[int], str] = hex,
) -> Diagnosis:
    limit = Limit.after(BUDGET_SHARE * budget.seconds, budget.is_over)
    if settings.engine == RECURSIVE:
        return _recursive(path, limit, is_pinned, boogie=boogie, address=address)
    is_flow = not settings.flow_insensitive
    found = localized(path, limit, flow=is_flow, boogie=boogie, address=address)
    if isinstance(found, str):
        return _nothing(found, is_pinned, is_flow)
    data = _plain(found, is_pinned or found.pinned)
    is_complete = found.chain.minimal and not found.invariants.coarse
    is_sure = found.chain.minimal and _is_exact(path)
    data = {**data, "proved": is_sure and found.agreed}
    return Diagnosis(_findings(found.entries, is_sure), data, is_complete, _notes(path, found.pinned))


def _is_exact(path: Path) -> bool:
    """Whether the path has all that could have changed the cells of its invariants."""
    left_out = {NOT_FOLLOWED, MOVABLE}.intersection(path.approximate)
    return not left_out and address_guards(path).complete


def _recursive(path: Path, limit: Limit, is_pinned: bool, *, boogie: bool, address: Callable[[int], str]) -> Diagnosis:
    """The story that the recursive algorithm tells."""
    found = recursive_story(path, limit, boogie=boogie, address=address)
    if found is None:
        return _nothing(_NONE, is_pinned, True)
    told = sum(e.kind == "statement" for e in found.entries)
    is_proved = found.minimal and found.is_whole and _is_exact(path)
    data = {
        **_trace(path, found.entries),
        "flow_sensitive": True,
        "pinned": is_pinned or found.pinned,
        "irrelevant": len(path.instances) - told,
        "engine": RECURSIVE,
        "coarse": False,
        "minimal": found.minimal,
        "proved": is_proved,
    }
    notes = _notes(path, found.pinned) + (() if found.is_whole else (_LEFT_OUT,))
    return Diagnosis(_findings(found.entries, is_proved), data, found.minimal, notes)


def _nothing(why: str, is_pinned: bool, is_flow: bool) -> Diagnosis:
    return Diagnosis((), {"flow_sensitive": is_flow, "abstract_trace": [], "pinned": is_pinned}, False, (why,))


def _notes(path: Path, was_pinned: bool) -> tuple[str, ...]:
    return ((_PINNED,) if was_pinned else ()) + tuple(f"error invariants: {text}" for text in path.approximate)


def localized(
    path: Path,
    limit: Limit,
    *,
    flow: bool = True,
    boogie: bool = False,
    address: Callable[[int], str] = hex,
    solver: Any = None,
) -> Localized | str:
    """The abstract error trace of a path; a sentence when there is none."""
    asked = solver or default_solver()
    search = Limit.after(SEARCH_SHARE * limit.left, limit.is_cancelled)
    chain = core_trace_of(path, flow, asked, Limit.after(CORE_SHARE * search.left, limit.is_cancelled))
    was_pinned = False
    if chain is not Verdict.UNKNOWN and not isinstance(chain, CoreTrace):
        was_pinned = True
        chain = core_trace_of(pinned(path), flow, asked, Limit.after(CORE_SHARE * search.left, limit.is_cancelled))
    questions = InterpolationQueries(search)
    invariants = None
    if isinstance(chain, CoreTrace):
        invariants = best_sequence(chain, questions, SourceExpressions({c.name: c for c in path.cells}, boogie=boogie))
    if not isinstance(chain, CoreTrace) or invariants is None:
        chain = dependence_closure(pinned(path), flow)
        was_pinned = was_pinned or chain.path != path
        invariants = recorded_values(chain)
    if invariants is None:
        return _NONE
    intervals = covering_intervals(chain, invariants.atoms, questions)
    agreed = (False,) * len(intervals)  # what is not minimal is not called proved anyway
    if chain.minimal:
        agreed = intervals_agreed(chain, invariants.atoms, intervals, questions, limit)
    teller = AbstractTraceWriter(chain, boogie=boogie, address=address)
    entries = teller.entries(intervals, agreed)
    return Localized(chain, invariants, intervals, entries, was_pinned, all(agreed))


def _plain(found: Localized, is_pinned: bool) -> dict[str, Any]:
    path = found.chain.path
    told = {e.position for e in found.entries if e.kind == "statement"}
    return {
        **_trace(path, found.entries),
        "flow_sensitive": found.chain.flow,
        "pinned": is_pinned,
        "irrelevant": len(path.instances) - len(told),
        "engine": found.invariants.engine,
        "coarse": found.invariants.coarse,
        "minimal": found.chain.minimal,
    }


def _trace(path: Path, entries: Sequence[TraceEntry]) -> dict[str, Any]:
    place = path.place
    return {
        "abstract_trace": [_entry(e) for e in entries],
        "check": {"file": place.file, "line": place.line, "text": place.text},
    }


def _entry(e: TraceEntry) -> dict[str, Any]:
    if e.place is None:
        row: dict[str, Any] = {"kind": e.kind, "formula": e.formula or "true", "facts": list(e.facts)}
        return row if e.agreed else {**row, "proved": False}
    row = {
        "kind": e.kind,
        "file": e.place.file,
        "line": e.place.line,
        "text": e.place.text,
        "frame": e.frame,
        "role": e.role,
    }
    if e.frame:
        row["kept"] = list(e.kept)
    if e.held:
        row["held"] = e.held
    if e.rounds:
        row["rounds"] = list(e.rounds)
    if e.occurrence:
        row["occurrence"] = e.occurrence
    return row


def _findings(entries: Sequence[TraceEntry], is_sure: bool) -> tuple[Finding, ...]:
    """One finding per statement of the story, the last of them first."""
    statements = [e for e in entries if e.place is not None]
    rows: dict[Any, Finding] = {}
    for k, e in enumerate(reversed(statements)):
        assert e.place is not None
        if e.place in rows:
            continue
        score = round(1.0 - 0.5 * k / len(statements), 4)
        evidence = Evidence.PROVED if is_sure and e.agreed else Evidence.HEURISTIC
        rows[e.place] = Finding(e.place, score, _reason(e), evidence)
    return tuple(rows.values())


def _reason(e: TraceEntry) -> str:
    if e.frame:
        return f"it left {', '.join(e.kept) or 'values'} as it was, which the failure needs"
    if e.role == "condition":
        return f"{e.held} held, so what failed was reached"
    return "without it, what was true before it does not lead to the failure"
