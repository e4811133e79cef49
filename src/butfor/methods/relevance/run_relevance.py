"""The relevance of the statements of a failing run, and the security verdict."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.errors import ButforError
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.other_failing_tests import other_paths
from butfor.methods.relevance.confirmed_verdicts import confirmed, relevant_elsewhere
from butfor.methods.relevance.instance_verdicts import Relevance
from butfor.methods.relevance.relevance_findings import diagnosis, none_alone, none_relevant
from butfor.methods.relevance.security_verdict import security_verdict
from butfor.methods.relevance.statement_verdicts import known_verdicts, verdicts_across_runs, verdicts_on
from butfor.path.path_model import Path
from butfor.ranking.finding import Diagnosis

DEFAULT_SECURITY_SHARE = 0.07  # of the budget: it is one line of the default answer
MAX_DEFAULT_SECURITY_SECONDS = 2.0  # the same for large budgets
CONFIRMING_SHARE = 0.15  # of the budget, for runs with other values: each takes milliseconds
SECURITY_SHARE = 0.3  # of the budget, when relevance is asked for


def security_in_run(case: FailingRun) -> Diagnosis:
    """The security verdict alone, within a small share of the time; nothing where it is unknown."""
    security = security_verdict(
        case, min(MAX_DEFAULT_SECURITY_SECONDS, DEFAULT_SECURITY_SHARE * case.options.budget), whole=False
    )
    notes = (security.sentence,) if security.verdict != "unknown" else ()
    return Diagnosis((), {"statements": [], "security": security.plain()}, notes=notes)


def relevance_in_run(case: FailingRun, *, is_pinned: bool) -> Diagnosis:
    """The verdicts on the statements, and whether inputs control the failure."""
    seconds = SECURITY_SHARE * case.options.budget
    try:
        path = case.path if is_pinned else case.free_path
    except ButforError as e:
        security = security_verdict(case, seconds)
        said = (f"the relevance of statements is not known: {e.message}", security.sentence)
        return Diagnosis((), {"statements": [], "security": security.plain()}, complete=False, notes=said)
    verdicts = verdicts_on(path, case.budget.is_over, pinned=is_pinned, address=case.pointer_text)
    others = {
        name: known_verdicts(p, verdicts_on(p, case.budget.is_over, pinned=is_pinned).statements)
        for name, p in _same_failure(case, path, free=not is_pinned)
    }
    rows = verdicts.statements
    if others:
        rows = verdicts_across_runs(rows, others, "this run", missing=Relevance.UNKNOWN)
    with case.changed_runs() as runs:
        share = Budget(CONFIRMING_SHARE * case.options.budget)  # of runs: to build the program may take longer
        rows = confirmed(path, rows, runs, lambda: share.is_over() or case.budget.is_over(), case.pointer_text)
        if runs is not None and not others:
            wider = case.with_misdirected_stores(free_inputs=not is_pinned)
            rows = (*rows, *relevant_elsewhere(path, wider, rows, runs, share.is_over, case.pointer_text))
        notes_list = none_alone(case.path, case.budget, runs) if none_relevant(rows) else []
    security = security_verdict(case, seconds, None if is_pinned else verdicts.judgement)
    notes_list += [security.sentence] if security.sentence else []
    notes_list += [f"relevance follows a path that is not exact: {path.approximate[0]}"] if path.approximate else []
    return diagnosis(path, verdicts, rows, security.plain(), notes_list)


def _same_failure(case: FailingRun, path: Path, *, free: bool) -> Iterator[tuple[str, Path]]:
    """The paths of other tests that fail at the same place."""
    yield from ((name, p) for name, p in other_paths(case, free=free) if p.place == path.place)
