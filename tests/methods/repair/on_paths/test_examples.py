"""The examples of the repair methods, in C and in Boogie, and what each improvement of the paper changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as File

import pytest

from butfor.frontends.boogie.boogie_frontend import BoogieProgram
from butfor.methods.case import FailingRun
from butfor.methods.proofs.mined_facts import MinedFacts, mined_facts
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths import c_alternatives, term_alternatives
from butfor.methods.repair.on_paths.judged_solutions import RunJudge, SolutionJudge
from butfor.methods.repair.on_paths.solution_model import (
    ANY_VALUE,
    Alternative,
    Solution,
    SolutionOptions,
    Solutions,
)
from butfor.methods.repair.on_paths.solution_patches import changed_text
from butfor.methods.repair.on_paths.solution_search import solutions
from butfor.methods.repair.propose_edits import Proposer
from butfor.options import make_options
from butfor.path.execute.smallest_change_sets import smallest_change_sets
from butfor.path.path_model import Kind, Path
from butfor.trace.view.source_places import Place
from tests.frontends.boogie.helpers import explored, unit_of
from tests.path.made import failing_case

EXAMPLES = File(__file__).parent / "examples"
NAMES = ("sum", "arms")
BASIC = SolutionOptions(
    alternatives=False,
    templates=False,
    correlated=False,
    use_def=False,
    minimal=False,
    changes=0,
    earlier=False,
    alike=0,
    most=60,
)

Given = tuple[list[Path], Mapping[Place, Sequence[Alternative]]]


def c_case(name: str, *args: str) -> FailingRun:
    case = failing_case(make_options(EXAMPLES / f"{name}.c", args=args))
    assert case is not None
    return case


def in_c(name: str) -> Given:
    """The failing paths of an example in C, with their alternatives."""
    cases = [c_case(name)] if name == "sum" else [c_case(name), c_case(name, "one")]
    paths = [c.path for c in cases]
    return paths, c_alternatives.alternatives(Proposer(cases[0].places, slip_library.builtin_library()), paths)


def in_boogie(name: str) -> Given:
    """The same in Boogie."""
    text = (EXAMPLES / f"{name}.bpl").read_text()
    (failure,) = explored(text, bound=12).failures
    paths = [failure.path, *failure.others]
    return paths, term_alternatives.alternatives(paths, slip_library.builtin_library())


GIVEN = {"c": in_c, "boogie": in_boogie}


def solved(given: Given, options: SolutionOptions | None = None, mined: MinedFacts | None = None) -> Solutions:
    return solutions(*given, lambda: False, options, mined)


def judged(language: str, name: str, given: Given, options: SolutionOptions) -> Solutions:
    """The solutions that the program accepts."""
    paths, known = given
    if language == "c":
        return solutions(paths, known, lambda: False, options, accepts=RunJudge(None, paths).accepts)
    unit = unit_of((EXAMPLES / f"{name}.bpl").read_text())
    judge = SolutionJudge(BoogieProgram(unit, unit.entry(None), 8), paths)
    return solutions(paths, known, lambda: False, options, accepts=judge.accepts)


def texts(s: Solution) -> list[str]:
    """The statements that a solution changes."""
    return [c.place.text.rstrip(";") for c in s.changes]


def changed(found: Solutions) -> set[str]:
    return {text for s in found.found for text in texts(s)}


def start_of(paths: Sequence[Path]) -> Place:
    """The statement `i = 0`."""
    (found,) = {i.place for i in paths[0].instances if i.place.text.rstrip(";").replace(":=", "=") == "i = 0"}
    return found


def test_every_example_is_there_in_both_languages() -> None:
    assert {f.name for f in EXAMPLES.iterdir()} == {f"{name}.{suffix}" for name in NAMES for suffix in ("c", "bpl")}


@pytest.mark.parametrize("language", GIVEN)
def test_the_first_repair_of_the_sum_is_a_smaller_bound(language: str) -> None:
    best = solved(GIVEN[language]("sum")).found[0]
    assert texts(best) == ["i <= n"]
    assert changed_text(best.changes[0]) == "i < n"
    assert (best.weight, best.skipped) == (30.0, 0)


@pytest.mark.parametrize("language", GIVEN)
def test_mined_facts_keep_the_start_as_it_is(language: str) -> None:
    given = GIVEN[language]("sum")
    start = start_of(given[0])
    text, proved, bounds = start.text.rstrip(";"), MinedFacts(trusted=frozenset((start,))), MinedFacts({start: (0, 10)})
    one = SolutionOptions(changes=1, alternatives=False)
    assert text in changed(solved(given, one))
    assert text not in changed(solved(given, one, proved))
    assert text in changed(solved(given, replace(one, trusted=False), proved))
    assert text not in changed(solved(given, one, bounds))
    assert text in changed(solved(given, replace(one, allowed=False), bounds))


def test_the_static_analysis_says_so_too() -> None:
    case = c_case("sum")
    facts = mined_facts(case, lambda: False)
    start = start_of([case.path])
    assert start in facts.trusted
    assert facts.allowed[start][0] == 0
    found = solved(in_c("sum"), None, facts)
    assert "i = 0" not in changed(found)
    assert changed_text(found.found[0].changes[0]) == "i < n"


def test_a_condition_that_a_proof_needs_changes_only_in_likely_ways() -> None:
    given = in_c("sum")
    (bound,) = {i.place for i in given[0][0].instances if i.place.text == "i <= n"}
    proved = MinedFacts(trusted=frozenset((bound,)))
    assert {c.alternative.kind for s in solved(given, None, proved).found for c in s.changes if c.place == bound} >= {
        "operator",
        "off-by-one",
    }
    free = SolutionOptions(alternatives=False, templates=False)
    assert "i <= n" in changed(solved(given, free))
    assert "i <= n" not in changed(solved(given, free, proved))
    assert "i <= n" not in changed(solved(given, SolutionOptions(strict=True), proved))


@pytest.mark.parametrize("language", GIVEN)
def test_rounds_before_the_failure_are_checked_too(language: str) -> None:
    given = GIVEN[language]("sum")
    start = start_of(given[0])

    def starts(options: SolutionOptions) -> set[int]:
        found = [
            c
            for s in solved(given, replace(options, alternatives=False, templates=False, most=60)).found
            for c in s.changes
        ]
        return {int(v) for c in found if c.place == start for v in c.values.values()}

    if language == "c":  # in Boogie the checks that held are steps of the path
        assert starts(SolutionOptions(earlier=False)) & {
            1,
            -1,
            2**32 - 1,
        }  # with 1 the path is left one round early, behind a[10]
    assert all(11 <= v < 2**31 for v in starts(SolutionOptions()))


@pytest.mark.parametrize("language", GIVEN)
def test_what_both_arms_have_in_common_is_left(language: str) -> None:
    paths, known = GIVEN[language]("arms")
    before = next(i.place.text.rstrip(";") for i in paths[0].instances if "0" in i.place.text)
    assert len(paths) == 2
    for path in paths:
        along = changed(solved(([path], known), SolutionOptions(alternatives=False, templates=False)))
        assert len(along) == 3  # the condition too: what the other arm does is not on the path
    edits = language != "c"  # those of C are run for real
    both = judged(language, "arms", (paths, known), SolutionOptions(changes=1, alternatives=edits))
    assert both.complete
    assert changed(both) == {before}
    (made,) = {
        changed_text(c) for s in both.found for c in s.changes if c.alternative.text.rstrip(";").endswith("= {}")
    }
    assert int(made.rstrip(";").split("=")[1]) <= -2  # one constant for both runs


@pytest.mark.parametrize("language", GIVEN)
def test_what_the_other_arm_assigns_too_is_not_known(language: str) -> None:
    """Also for diagnoses: that the other arm would have been taken proves nothing, as it assigns the same variable."""
    paths, _ = GIVEN[language]("arms")
    branch = next(i.place for i in paths[0].instances if i.kind is Kind.BRANCH)
    sets = {s.places: s.proved for s in smallest_change_sets(paths[:1], lambda: False).sets}
    assert len(sets) == 3
    assert sets == {places: places != (branch,) for places in sets}


@pytest.mark.parametrize("language", GIVEN)
def test_improvements_leave_less_to_look_at(language: str) -> None:
    given = GIVEN[language]("sum")
    basic = solved(given, BASIC)
    correlated = solved(given, replace(BASIC, correlated=True))
    limited = solved(given, replace(BASIC, correlated=True, changes=1, minimal=True))
    assert len(basic.found) == BASIC.most
    assert len(correlated.found) < len(basic.found)
    assert len(limited.found) < len(correlated.found)
    assert all(len(s.changes) == 1 for s in limited.found)
    assert "i <= n" in changed(limited)
    assert all(c.alternative.kind == ANY_VALUE for s in basic.found for c in s.changes)


def test_a_changed_definition_excludes_its_only_use() -> None:
    text = "procedure main() { var x, y: int; x := 0;\n y := x + 1;\n assert x + y == 7 && y == 9; }"
    paths = [explored(text).failures[0].path]
    free = SolutionOptions(alternatives=False, templates=False)
    both = [texts(s) for s in solved((paths, {}), free).found]
    assert both == [["x := 0", "y := x + 1"]]  # the check uses x too
    text = "procedure main() { var x, y: int; x := 0;\n y := x * 0;\n assert y == 9; }"
    paths = [explored(text).failures[0].path]
    everything = replace(free, minimal=False, changes=0)
    assert ["x := 0", "y := x * 0"] in [texts(s) for s in solved((paths, {}), replace(everything, use_def=False)).found]
    assert [texts(s) for s in solved((paths, {}), everything).found] == [["y := x * 0"]]
