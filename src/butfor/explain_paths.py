"""From a program that is searched to an explanation: find failing paths, run the methods on the shortest one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from butfor.ask_methods import arranged, ask_methods, chosen_methods, ranked
from butfor.explanation import Explanation, Failure, FailureKind, Interrupted, RunInfo, Status
from butfor.frontends.boogie.explore_paths import DEFAULT_BOUND, Exploration
from butfor.frontends.boogie.failing_path import ViolatedCheck
from butfor.frontends.program_kinds import PathFrontend
from butfor.marks import settle
from butfor.methods.budget import Budget
from butfor.methods.case import FailingPath
from butfor.methods.method import Subject
from butfor.options import Options
from butfor.path.path_model import Kind, Path
from butfor.path.path_words import PathWords, cell_text
from butfor.ranking.finding import Diagnosis, WeighedDiagnosis
from butfor.trace.view.source_places import Place

Progress = Callable[[str], None]

_MIN_CONCLUSIVE_BOUND = 2  # reached before time ran out, it still says something: every loop was entered twice
_SEARCH_SHARE = 0.7  # of the budget: the methods need the rest
_MIN_SUGGESTED_BOUND = 2000  # for loops that nothing ends early: a smaller bound would be used up at once


def explain_found_path(options: Options, frontend: PathFrontend, say: Progress) -> Explanation:
    """The failing path that was found, explained; or that there is none up to the bound."""
    start = time.perf_counter()
    methods = chosen_methods(options, Subject.PATH)
    budget = Budget(options.budget)
    found = frontend.search_program(options, options.bound, _SEARCH_SHARE * options.budget, say)
    seconds = time.perf_counter() - start
    search = _search_summary(found, options)
    notes = [*found.unknown, *(_overlong_note(line, found.bound) for line in found.overlong)]
    notes += _unknown_trusted(options, found)
    if not found.failures:
        far_enough = found.in_time or (options.bound is None and found.bound >= _MIN_CONCLUSIVE_BOUND)
        status = Status.NO_FAILURE if far_enough and not found.unknown else Status.PARTIAL
        info = RunInfo(analyse_seconds=round(seconds, 4))
        return Explanation(
            status, info, notes=tuple(notes), extra={"search": search, "failures": []}, sources=found.sources
        )
    first = found.failures[0]
    marks = settle(options, options.marks)
    notes += (
        f"there is no line {where} in the sources, so the mark there says nothing"
        for where in marks.unmatched(found.sources)
    )
    case = FailingPath(first.path, options, budget, marks, found.program, first.others)
    answers = ask_methods(case, methods, lambda name: say(f"method {name}"))
    notes += answers.notes
    if len(found.failures) > 1:
        notes.insert(0, _other_failures(found))
    if not found.in_time:
        notes.append("the search was ended early: other checks may fail too (--budget gives more time)")
    ranking = ranked(case, _without_trusted(answers.diagnoses, options))
    status = Status.PARTIAL if answers.interrupted or answers.gave_up else Status.EXPLAINED
    if not answers.interrupted and not answers.complete:
        status = Status.PARTIAL if answers.late else status
        over = (
            f"the budget of {options.budget:g} s was used up"
            if answers.late
            else "not everything was decided, or there is more than is listed"
        )
        notes.append(f"{over}: this is what was known by then")
    info = RunInfo(
        steps=len(first.path.instances),
        record_seconds=round(seconds, 4),
        analyse_seconds=round(time.perf_counter() - start - seconds, 4),
    )
    listed = [
        {**_failure(f).to_dict(), "steps": len(f.path.instances), "paths": 1 + len(f.others)} for f in found.failures
    ]
    extra = {"search": search, "failures": listed}
    answer = Explanation(
        status,
        info,
        _failure(first),
        ranking,
        {"path": steps(first.path), **arranged(methods, answers.data, ranking)},
        tuple(dict.fromkeys(notes)),
        extra=extra,
        sources=found.sources,
    )
    if answers.interrupted:
        raise Interrupted(answer)
    return answer


def _unknown_trusted(options: Options, found: Exploration) -> list[str]:
    """Notes on procedures that are to be trusted and do not exist."""
    known = found.program.procedures if found.program is not None else ()
    return [f"there is no procedure {name}, so trusting it says nothing" for name in options.trust if name not in known]


def _without_trusted(diagnoses: tuple[WeighedDiagnosis, ...], options: Options) -> tuple[WeighedDiagnosis, ...]:
    """The diagnoses without findings on statements of procedures that are taken to be right."""

    def trimmed(diagnosis: Diagnosis) -> Diagnosis:
        kept = tuple(f for f in diagnosis.findings if f.place.function not in options.trust)
        return replace(diagnosis, findings=kept)

    return tuple(replace(d, diagnosis=trimmed(d.diagnosis)) for d in diagnoses)


def _search_summary(found: Exploration, options: Options) -> dict[str, Any]:
    return {
        "verdict": _verdict(found, options.bound or DEFAULT_BOUND),
        "bound": found.bound,
        "complete": found.complete,
        "in_time": found.in_time,
        "paths": found.paths,
        "unknown": list(found.unknown),
    }


def _verdict(found: Exploration, wanted: int) -> str:
    """The result of the search, in words."""
    rounds = (
        f"at most {found.bound} round{'s' if found.bound != 1 else ''} of each loop "
        "and as many nested calls of a procedure"
    )
    if found.failures:
        count = len(found.failures)
        return f"{count} check{'s' if count != 1 else ''} can fail"
    if found.vacuous:
        return "nothing can run, because the preconditions and axioms contradict each other"
    if found.complete:
        return "every check holds in all executions"
    if not found.in_time:
        done = f"every check holds in executions with {rounds}, and" if found.bound else ""
        return f"{done} the time was over before the bound {wanted} was reached".strip()
    if found.unknown:
        return "the solver could not decide everything"
    if found.overlong:
        return (
            f"every check holds in executions with {rounds}; "
            f"those that go on at line {found.overlong[0]} were not followed to their end"
        )
    return f"every check holds in executions with {rounds} (--bound {2 * found.bound} looks further)"


def _overlong_note(line: int, bound: int) -> str:
    """The note on a loop or a recursion that was not followed to its end."""
    more = max(_MIN_SUGGESTED_BOUND, 2 * bound)
    return (
        f"line {line}: nothing ends these rounds early, "
        f"so they were followed for a fixed number only (--bound {more} goes on)"
    )


def _other_failures(found: Exploration) -> str:
    rest = [f"line {f.path.place.line}: {f.message}" for f in found.failures[1:]]
    return (
        f"{len(found.failures)} checks can fail; the one with the shortest path is explained, "
        f"the others are: {'; '.join(rest)}"
    )


def _failure(found: ViolatedCheck) -> Failure:
    place = found.path.place
    details = {"text": place.text, "values": values_at_end(found.path)}
    return Failure(FailureKind.ASSERTION, place.file, place.line, place.column, place.function, found.message, details)


def values_at_end(path: Path) -> dict[str, str]:
    """The inputs that lead to the failure, and what the failed check saw."""
    words = PathWords(path)
    return {**_start_values(words, ("parameter",)), **words.read_values(len(path.instances))}


def _start_values(words: PathWords, sources: tuple[str, ...]) -> dict[str, str]:
    cells = [words.cells[name] for name, source in words.path.inputs.items() if source.source in sources]
    return {c.shown: cell_text(c, words.path.start[c.name]) for c in cells}


def steps(path: Path) -> list[dict[str, Any]]:
    """The path for the report: what each instance wrote, or which values it read when it branched."""
    words = PathWords(path)
    rows: list[dict[str, Any]] = []
    if path.inputs:
        rows.append(
            {
                "kind": "start",
                "file": path.place.file,
                "line": 0,
                "text": "",
                "values": _start_values(words, ("parameter", "start")),
            }
        )
    for k, i in enumerate(path.instances):
        row = _step(i.kind.value, i.place, words.written_values(k) if i.writes else words.read_values(k))
        rows.append({**row, "held": i.held} if i.kind is Kind.BRANCH else row)
    return [*rows, _step("check", path.place, words.read_values(len(path.instances)))]


def _step(kind: str, place: Place, values: dict[str, str]) -> dict[str, Any]:
    return {"kind": kind, "file": place.file, "line": place.line, "text": place.text, "values": values}
