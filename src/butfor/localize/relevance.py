"""Relevance of the statements of a failing run, and the security verdict, as a method. In the default set only the latter is asked for."""

from __future__ import annotations

from butfor.errors import ButforError
from butfor.localize.base import Case, Diagnosis
from butfor.localize.relevant import NAME, NONE_ALONE, diagnosis, none_relevant
from butfor.localize.security import security_of
from butfor.relevance.statements import verdicts_on

_SHARE, _MOST = 0.04, 1.0  # of the budget, and seconds, for the security verdict in the default set
_SECURITY = 0.3  # of the budget, when relevance is asked for


def localize(case: Case) -> Diagnosis:
    """The verdicts on the statements, and whether inputs control the failure."""
    if not case.options.methods:
        security = security_of(case, min(_MOST, _SHARE * case.options.budget), whole=False)
        return Diagnosis(NAME, (), {"statements": [], "security": security.plain()}, notes=(security.sentence,) if security.sentence else ())
    pinned = case.options.inputs == "pinned"
    seconds = _SECURITY * case.options.budget
    try:
        path = case.path if pinned else case.free_path
    except ButforError as e:
        security = security_of(case, seconds)
        notes = (f"the relevance of statements is not known: {e.message}", security.sentence)
        return Diagnosis(NAME, (), {"statements": [], "security": security.plain()}, complete=False, notes=notes)
    verdicts = verdicts_on(path, case.budget.is_over, pinned=pinned)
    security = security_of(case, seconds, None if pinned else verdicts.judgement)
    notes_list = [NONE_ALONE] if none_relevant(verdicts.statements) else []
    notes_list += [security.sentence] if security.sentence else []
    notes_list += [f"relevance follows a path that is not exact: {path.approximate[0]}"] if path.approximate else []
    return diagnosis(path, verdicts, verdicts.statements, security.plain(), notes_list)
