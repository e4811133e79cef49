"""Counterfactual re-execution: the program runs again with one thing changed, and the failure is gone.

Every site of the failing run is tried with the changes that people make when they fix programs. A change that avoids
the failure is evidence from the program itself; it does not say that the statement is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from butfor.counterfactual.change_candidates import ChangeCandidate, ChangeCandidates
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.comparison_relations import operator_rule
from butfor.counterfactual.evidence_strength import FAMILY_WEIGHTS, input_weights, statement_strength, strength
from butfor.counterfactual.experiment import ConfirmedChange, SearchResult
from butfor.counterfactual.rerun import fails_again, start_experiment, trials_of
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.errors import ButforError
from butfor.ir.change_sites import Site, SiteKind
from butfor.methods.budget import Budget
from butfor.methods.but_for.bystanders import Bystanders
from butfor.methods.but_for.candidate_order import CandidatesInOrder, place_of
from butfor.methods.but_for.change_findings import MAX_CHANGES_PER_STATEMENT, ChangedStatement, ChangeReporter
from butfor.methods.but_for.solver_values import solved_values
from butfor.methods.case import FailingRun
from butfor.methods.method import Earlier
from butfor.ranking.finding import Diagnosis
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place

SEARCH_SHARE = 0.4  # of the budget: trying the tests and similar inputs takes the rest
MAX_SEARCH_SHARE = 0.7  # of the time that is left, where that is less: what was found is checked in the rest
MAX_SOLVED_INSTANCES = 1_500  # of the slice: for longer paths the solver rarely answers in time
MAX_SOLVING_SECONDS = 2.0  # for proposals of the solver: a run costs milliseconds
MIN_TELLING_SCORE = 0.4  # of a print statement that is likely to be wrong itself
MIN_STATEMENTS_FOUND = 5  # with fewer, changes of single occurrences are tried too
MAX_NAMED_LINES = 5  # in a note
# changes that avoid the fault more often than they fix it
_DETOURS = frozenset(
    ("force", "truth", "flip", "reversed", "outcome", "keep", "skip", "value", "solved", "case", "once")
)
# changes that put a value in the place of a computed one
_OVERRIDES = frozenset(("literal", "named", "near", "value", "solved", "variable", "keep", "compound", "case"))
# where the same families stand for edits of an expression
_EDITED = frozenset((SiteKind.OPERATION, SiteKind.COMPARE))


def changes_that_help(case: FailingRun, earlier: Earlier) -> Diagnosis:
    """The statements at which a change avoids the failure; a program that cannot run again is a note, not an error."""
    try:
        return _experiment(case, earlier)
    except ButforError as e:
        return _skipped(f"the program could not be run again with changes: {e.message}")


def _skipped(why: str) -> Diagnosis:
    return Diagnosis((), {"skipped": why}, notes=(why,))


def _experiment(case: FailingRun, earlier: Earlier) -> Diagnosis:
    variables = VariablesInScope(case.recording.program)
    options = case.options
    is_checked, arithmetic = options.memory_errors or options.arithmetic_errors, options.arithmetic_errors
    started = start_experiment(
        case.recording,
        case.point,
        options.cc,
        checked=is_checked,
        arithmetic=arithmetic,
        seconds_left=lambda: case.budget.end - time.monotonic(),
    )
    with started as (build, running):
        result = running.observe()
        if not fails_again(case.recording, case.point, running.goal, result):
            if result.baseline.is_cut and not running.goal.is_endless:
                why = "to repeat the run takes longer than there was time for, so no change of it was tried"
                return replace(_skipped(f"{why} (--budget gives more)"), complete=False)
            return _skipped(
                "the run is not repeatable: run again without any change, it behaves differently, "
                "so no change of it was tried"
            )
        left = case.budget.end - time.monotonic()  # building a large program takes a while
        search = Budget(min(SEARCH_SHARE * case.options.budget, MAX_SEARCH_SHARE * left))

        def is_over() -> bool:
            return search.is_over() or case.budget.is_over()

        tests = trials_of(case.others, case.recording.log.counts > 0)
        candidates = ChangeCandidates(
            variables, result.observations, running.values_in_tests(tests, case.budget.is_over)
        )
        ran = [build.sites[number - 1] for number in result.observations["count"].nonzero()[0].tolist() if number]
        ordered = CandidatesInOrder(case, ran, candidates.at)
        running.search(result, ordered.in_turn(initial=True), is_over)
        places = dict(ordered.places)
        proposed = len(ordered)
        if result.complete and len({places[id(c.candidate)] for c in result.confirmed}) < MIN_STATEMENTS_FOUND:
            single = CandidatesInOrder(case, ran, candidates.at_single_occurrences)
            running.search(result, single.in_turn(initial=False), is_over)
            solved = _solver_candidates(case, ran)
            running.search(result, (c for c, _ in solved), is_over)
            places |= single.places | {id(c): place for c, place in solved}
            proposed += len(single) + len(solved)
        if len({places[id(c.candidate)] for c in result.confirmed}) < MIN_STATEMENTS_FOUND:
            running.confirm_past(result, result.past)
        elif len({places[id(c.candidate)] for c in result.confirmed if c.passes}) < MIN_STATEMENTS_FOUND:
            running.confirm_past(result, [c for c in result.past if c.passes])
        if tests:
            edits = _in_all_runs(result.confirmed, places)
            running.search(result, (c for c, _ in edits), case.budget.is_over)
            places |= {id(c): place for c, place in edits}
        running.try_tests(result, tests, case.budget.is_over)
        inputs = running.measure_side_effects(result, _best(places, result), case.budget.is_over)
    _mark_direct(case, result.confirmed)
    weights = input_weights([c.other_effects for c in result.confirmed if c.other_effects])
    statements = _by_statement(places, result.confirmed)
    for s in statements:
        s.found.sort(key=lambda c: -strength(c, weights, result.failing, result.passing))
    reporter = ChangeReporter(case, variables, build.sites, result)
    findings = [
        reporter.finding(
            s,
            strength(s.found[0], weights, result.failing, result.passing)
            + statement_strength(len(statements), len(s.found)),
        )
        for s in statements
    ]
    findings.sort(key=lambda f: -f.score)
    data = {
        "runs": result.runs,
        "candidates": proposed,
        "sites": ordered.sites,
        "sites_tried": ordered.sites_tried,
        "tried": result.tried,
        "inputs": inputs,
        "failing": result.failing,
        "passing": result.passing,
        "confirmed": [reporter.plain(s) for s in statements],
    }
    notes = () if _is_print_at_fault(earlier) else _missing_statement(statements, result)
    if not result.complete:
        notes += (
            f"{result.tried:,} changes were tried in the time for them, at {ordered.sites_tried:,} of "
            f"{ordered.sites:,} places in the code that ran, the most promising ones first (--budget gives more)",
        )
    if not all(c.is_checked for c in result.confirmed):
        notes += (
            "to check for memory errors takes longer than was left, so changes may avoid the failure by causing one "
            "(--budget gives more)",
        )
    return Diagnosis(tuple(findings), data, result.complete, notes)


def _in_all_runs(confirmed: list[ConfirmedChange], places: Mapping[int, Place]) -> list[tuple[ChangeCandidate, Place]]:
    """The operators that do in all runs what a changed relation did in this one: other tests meet other relations."""
    found = []
    for c in (known.candidate for known in confirmed):
        rule = operator_rule(c.site, c.rule, c.operator)
        if rule is not None:
            found.append((replace(c, rule=rule), places[id(c)]))
    return found


def _mark_direct(case: FailingRun, confirmed: list[ConfirmedChange]) -> None:
    """Mark changes that override the wrong value itself where it is only passed on, and those of bystanders."""
    handed_on = case.forwarding.forwarding_instructions(case.point.roots)
    bystanders = Bystanders(case.recording.program)
    for c in confirmed:
        site = c.candidate.site
        c.is_direct = (
            c.candidate.family in _OVERRIDES and site.kind not in _EDITED and (site.function, site.instr) in handed_on
        )
        c.hands_on = c.is_direct and bystanders.is_parameter(site)
        c.is_in_stand_in = bystanders.is_in_stand_in(site)


def _is_print_at_fault(earlier: Earlier) -> bool:
    """Whether another text of a print statement would help: then no statement need be missing."""
    return "output" in earlier and any(f.score >= MIN_TELLING_SCORE for f in earlier["output"].findings)


def _missing_statement(statements: list[ChangedStatement], result: SearchResult) -> tuple[str, ...]:
    """The note for when no edit of a statement avoids the failure: something is missing in the program."""
    if not result.complete or any(c.candidate.family not in _DETOURS for s in statements for c in s.found):
        return ()
    if not statements:
        return (
            f"none of {result.runs:,} changes of one statement avoids the failure: "
            "a statement may be missing, or several are wrong",
        )
    lines = sorted({s.place.line for s in statements if s.place.role == Role.CONDITION})
    if not lines:
        return ()
    branches = (
        f"the branch at line {lines[0]}"
        if len(lines) == 1
        else f"the branch at one of the lines {', '.join(map(str, lines[:MAX_NAMED_LINES]))}"
    )
    return (f"no statement to change: something may be missing; {branches} would have to go the other way",)


def _solver_candidates(case: FailingRun, sites: Sequence[Site]) -> list[tuple[ChangeCandidate, Place]]:
    """Values that the solver proposes for statements of the failing path, where that is short enough."""
    if case.slices["relevant"].size > MAX_SOLVED_INSTANCES:
        return []
    over = Budget(min(MAX_SOLVING_SECONDS, case.budget.end - time.monotonic()))
    try:
        proposed = dict(solved_values(case.path, over.is_over))
    except ButforError:
        return []  # there is no path for this failure
    found = []
    for site in sites:
        place = place_of(case, site) if site.kind is SiteKind.STORE and not (site.is_pointer or site.is_real) else None
        if place is not None and place in proposed and case.may_be_changed(place):
            found.append((ChangeCandidate(Rule(site.number, Op.SET, proposed[place]), site, "solved"), place))
    return found


def _by_statement(places: Mapping[int, Place], confirmed: list[ConfirmedChange]) -> list[ChangedStatement]:
    found: dict[Place, ChangedStatement] = {}
    for c in confirmed:
        place = places[id(c.candidate)]
        found.setdefault(place, ChangedStatement(place)).found.append(c)
    return list(found.values())


def _best(places: Mapping[int, Place], result: SearchResult) -> list[ConfirmedChange]:
    """The most natural changes of each statement."""
    return [
        c
        for s in _by_statement(places, result.confirmed)
        for c in sorted(s.found, key=_naturalness, reverse=True)[:MAX_CHANGES_PER_STATEMENT]
    ]


def _naturalness(c: ConfirmedChange) -> float:
    return FAMILY_WEIGHTS[c.candidate.family] + c.passes
