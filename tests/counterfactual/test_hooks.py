"""Every kind of site: a change there has the effect that it would have in the source."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.change_syntax import ChangeSyntax
from butfor.counterfactual.fork_server import ForkServer, RunOutcome
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import SiteKind
from tests.counterfactual.builds import build_of

SOURCE = Path(__file__).parent / "sites.c"
LINES = SOURCE.read_text().splitlines()
LOAD, STORE, COMPARE, BRANCH, OPERATION = (
    SiteKind.LOAD,
    SiteKind.STORE,
    SiteKind.COMPARE,
    SiteKind.BRANCH,
    SiteKind.OPERATION,
)
CALL, CONSTANT, RESULT, SWITCH, ADDRESS = (
    SiteKind.CALL,
    SiteKind.CONSTANT,
    SiteKind.RESULT,
    SiteKind.SWITCH,
    SiteKind.ADDRESS,
)

# function, kind of site, its result without a change, and with each of some changes
TABLE: list[tuple[str, SiteKind, float, dict[str, float]]] = [
    ("load_char", LOAD, 5, {"set -3": -3, "add 1": 6, "negate": -5, "not": 0, "set 130": -126}),
    ("load_uchar", LOAD, 200, {"set 3": 3, "add 1": 201, "set -1": 255}),
    ("load_short", LOAD, -300, {"set 3": 3, "negate": 300, "set 32768": -32768}),
    ("load_ushort", LOAD, 60000, {"set 1": 1, "add 5536": 0}),
    ("load_int", LOAD, 7, {"set -3": -3, "add -1": 6, "negate": -7, "not": 0, "read other": 21, "read global_int": 70}),
    ("load_uint", LOAD, 4000000000, {"set 1": 1, "add 1": 4000000001, "negate": 294967296}),
    ("load_long", LOAD, 2.0**40, {"set -3": -3, "set 0x7fffffffffffffff": 2.0**63, "negate": -(2.0**40)}),
    (
        "load_float",
        LOAD,
        1.5,
        {"set 0.25": 0.25, "add 1": 2.5, "negate": -1.5, "not": 0, "read other": 2.25, "set inf": float("inf")},
    ),
    (
        "load_double",
        LOAD,
        1.5,
        {"set 0.1": 0.1, "add -0.1": 1.4, "negate": -1.5, "read global_real": 0.5, "set 1e308": 1e308},
    ),
    ("load_bool", LOAD, 1, {"set 0": 0, "not": 0}),
    ("load_pointer", LOAD, 4, {"set NULL": -1, "read other": 5, "add 1": 3}),
    ("store_char", STORE, 0, {"set 5": 5, "keep": 1, "add -1": -1}),
    (
        "store_int",
        STORE,
        5,
        {
            "set 9": 9,
            "keep": 1,
            "add 1": 6,
            "negate": -5,
            "read global_int": 70,
            "assign with +=": 6,
            "assign with -=": -4,
        },
    ),
    (
        "store_double",
        STORE,
        5,
        {"set 0.5": 0.5, "keep": 1, "add 0.5": 5.5, "negate": -5, "read global_real": 0.5, "assign with /=": 0.2},
    ),
    ("store_pointer", STORE, 2, {"keep": 1}),
    (
        "compare_int",
        COMPARE,
        -3,
        {"flip": 9, "always false": 9, "flip when less": 9, "compare with >": 9, "right side -7": 9, "right side c": 9},
    ),
    (
        "compare_equal",
        COMPARE,
        2,
        {"flip when equal": 1, "always true": 1, "compare with <=": 1, "compare with >=": 1, "right side +1": 1},
    ),
    ("compare_unsigned", COMPARE, 1, {"flip": 2, "right side c": 2, "compare with >=": 2, "right side -3999999999": 2}),
    ("compare_long", COMPARE, 2, {"flip when less": 1, "compare with !=": 1, "right side -1099511627777": 1}),
    ("compare_char", COMPARE, 2, {"flip": 1, "right side -1": 1, "compare with <=": 1}),
    ("compare_float", COMPARE, 1, {"flip when less": 2, "compare with ==": 2, "right side c": 2, "right side -1": 2}),
    ("compare_double", COMPARE, 2, {"flip": 1, "compare with <": 1, "always true": 1, "right side -1.0": 1}),
    ("compare_nan", COMPARE, 2, {"flip when greater": 1, "compare with !=": 1}),
    ("compare_pointer", COMPARE, 1, {"flip when less": 2, "compare with >": 2, "always false": 2}),
    ("branch", BRANCH, 1, {"flip": 2, "always false": 2}),
    ("branch_and", BRANCH, 2, {"flip": 1, "always true": 1}),
    (
        "add_int",
        OPERATION,
        17,
        {
            "operator -": 7,
            "operator *": 60,
            "only left": 12,
            "right side c": 112,
            "right side +1": 18,
            "set 3": 3,
            "negate": -17,
        },
    ),
    (
        "subtract_int",
        OPERATION,
        7,
        {"swap": -7, "only right": 5, "operator %": 2, "operator /": 2, "operator <<": 384, "operator ^": 9},
    ),
    ("by_zero", OPERATION, 12, {"operator *": 0}),
    (
        "shift_int",
        OPERATION,
        -4,
        {"operator u>>": 1073741820, "operator <<": -64, "right side -1": -8, "only left": -16},
    ),
    ("and_char", OPERATION, 2, {"operator |": 7, "operator ^": 5}),
    ("not_bit", OPERATION, 0, {"operator &": 1, "only left": 1}),
    (
        "divide_unsigned",
        OPERATION,
        1333333333,
        {"operator u%": 1, "only left": 4000000000, "right side +1": 1000000000, "operator -": 3999999997},
    ),
    ("multiply_long", OPERATION, 3 * 2.0**33, {"operator +": 2.0**33 + 3, "right side -1": 2 * 2.0**33}),
    (
        "multiply_double",
        OPERATION,
        9,
        {
            "operator /": 4,
            "operator +": 7.5,
            "right side +0.5": 12,
            "right side c": 60,
            "only right": 1.5,
            "set 0.5": 0.5,
        },
    ),
    ("divide_float", OPERATION, 4, {"swap": 0.25, "operator -": 4.5, "add 0.5": 4.5, "right side global_real": 12}),
    ("call_int", CALL, 6, {"skip": 0, "call ten": 15}),
    ("call_void", CALL, 1, {"skip": 0}),
    ("call_double", CALL, 5, {"skip": 1}),
    ("call_pointer", CALL, 1, {"skip": 2}),
    ("constants", CONSTANT, 7.5, {"set 10": 16.5, "negate": 5.5}),
    ("returned", CONSTANT, 4, {"set 9": 9, "add 1": 5, "read global_int": 70}),
    ("result_int", RESULT, 5, {"set -1": -1, "add 1": 6}),
    ("result_long", RESULT, 4, {"set 0": 0, "add -1": 3}),
    ("result_double", RESULT, 3, {"set 0.5": 0.5, "negate": -3}),
    ("result_pointer", RESULT, 1, {"set NULL": 2}),
    ("switch_int", SWITCH, 20, {"set 1": 10, "set -3": 30, "set 7": 40}),
    ("switch_long", SWITCH, 20, {"set 1": 10, "add 1": 40}),
    ("element", ADDRESS, 2, {"element +1": 3, "element -1": 1, "add 4": 3, "element +k": 3}),
    ("indexed", LOAD, 2, {"add k": 3, "add -1": 1}),
    ("address", CONSTANT, 1, {"read &b": 2, "read &global_int": 70}),
    ("member", ADDRESS, 4, {"member 2": 5, "member 1": 4}),
]
MARKS = {"returned": "constant_result"}  # where the mark has another name than the function


@pytest.fixture(scope="module")
def built() -> tuple[HookedBuild, ChangeSyntax]:
    """The program with hooks, and the words for its changes."""
    build, program = build_of(SOURCE)
    return build, ChangeSyntax(VariablesInScope(program), build.sites, lambda path: path)


def line_of(name: str) -> int:
    """The line with this mark."""
    (found,) = [n for n, line in enumerate(LINES, 1) if line.endswith(f"// @{name}")]
    return found


def rule_for(built: tuple[HookedBuild, ChangeSyntax], mark: str, kind: SiteKind, what: str) -> Rule:
    """The rule of the first site of that kind on the marked line."""
    build, syntax = built
    text = f"sites.c:{line_of(mark)} {what}"
    rules = [syntax.parse(text), *syntax.alternatives(text)]
    return next(rule for rule in rules if build.sites[rule.site - 1].kind is kind)


def result(server: ForkServer, rules: list[Rule]) -> tuple[float, RunOutcome]:
    """What the program printed."""
    outcome = server.run(rules)
    assert outcome.exit_status == 0
    return float(server.output()), outcome


@pytest.mark.parametrize(("name", "kind", "usual", "changes"), TABLE, ids=[row[0] for row in TABLE])
def test_a_change_has_its_effect(
    name: str, kind: SiteKind, usual: float, changes: dict[str, float], built: tuple[HookedBuild, ChangeSyntax]
) -> None:
    with ForkServer(built[0], "./sites", RunSpec((name,)), b"") as server:
        assert result(server, [])[0] == usual
        for what, expected in changes.items():
            got, outcome = result(server, [rule_for(built, MARKS.get(name, name), kind, what)])
            assert got == expected, what
            assert (outcome.changed > 0) == (expected != usual), what


def test_all_kinds_are_in_the_table() -> None:
    assert {row[1] for row in TABLE} == set(SiteKind) - {SiteKind.INITIAL}


def test_only_one_occurrence(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("rounds",)), b"") as server:
        found = set()
        for k in range(1, 6):
            rules = [built[1].parse(f"sites.c:{line_of('rounds')}#2 add 1 at {k}")]
            got, outcome = result(server, rules)
            found.add((k, got, outcome.changed))
        assert found == {(1, 2111, 1), (2, 1211, 1), (3, 1121, 1), (4, 1112, 1), (5, 1111, 0)}


def test_several_rules_at_once(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("add_int",)), b"") as server:
        rules = [rule_for(built, "add_int", LOAD, "set 40"), rule_for(built, "add_int", OPERATION, "operator -")]
        assert result(server, rules)[0] == 35


def test_a_probe_counts_and_changes_nothing(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("rounds",)), b"") as server:
        got, outcome = result(server, [Rule(rule_for(built, "rounds", OPERATION, "swap").site, Op.PROBE)])
        assert (got, outcome.reached, outcome.changed) == (1111, 4, 0)


def test_variables_of_the_same_name(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("shadowed",)), b"") as server:
        at, inner, outer = line_of("shadowed"), line_of("inner"), line_of("inner") - 1
        assert result(server, [])[0] == 3
        for name, expected in (("x", 2), (f"x@{inner}", 2), (f"x@{outer}", 1)):
            assert result(server, [built[1].parse(f"sites.c:{at} read {name}")])[0] == expected


@pytest.mark.parametrize("name", ["wide", "extended"])
def test_wider_numbers_are_left_alone(name: str, built: tuple[HookedBuild, ChangeSyntax]) -> None:
    build, syntax = built
    program = syntax.program
    places = [program.source.location(program.function(s.function).instrs[s.instr]) for s in build.sites]
    on_line = [s for s, at in zip(build.sites, places, strict=True) if at is not None and at.line == line_of(name)]
    assert [s for s in on_line if s.bits > 64 or s.kind in (LOAD, STORE, OPERATION)] == []
    with ForkServer(build, "./sites", RunSpec((name,)), b"") as server:
        assert result(server, [])[0] == 36


def test_what_a_global_starts_with(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("initial",)), b"") as server:
        assert result(server, [])[0] == 36
        for text, expected in (("table+8:4 +10", 46), ("table+4:4 -2", 34), ("table -1", 36 - 1)):
            got, outcome = result(server, [built[1].parse(f"sites.c:1 initial {text}")])
            assert (got, outcome.changed) == (expected, 1)
        assert result(server, [])[0] == 36


def test_a_division_by_zero_can_be_changed(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    build, syntax = built
    at = line_of("divide_zero")
    with ForkServer(build, "./sites", RunSpec(("divide_zero",)), b"") as server:
        assert os.WTERMSIG(server.run().status) == signal.SIGFPE
        _, seen = server.observe()
        site = syntax.parse(f"sites.c:{at} operator %").site
        assert (seen[site]["count"], build.sites[site - 1].kind) == (3, OPERATION)
        for what, expected in (
            ("right side +2", 13),
            ("operator +", 39),
            ("set 7", 21),
            ("only left at 3", 30),
            ("set 5 at 3", 23),
        ):
            got, outcome = result(server, [rule_for(built, "divide_zero", OPERATION, what)])
            assert got == expected, what
            assert outcome.changed == (1 if " at " in what else 3)
        # "one more" than a division by zero gives is nothing
        for what in ("operator %", "right side -1", "set 5 at 2", "add 1", "negate"):
            assert os.WTERMSIG(server.run([rule_for(built, "divide_zero", OPERATION, what)]).status) == signal.SIGFPE


def test_what_sites_see(built: tuple[HookedBuild, ChangeSyntax]) -> None:
    with ForkServer(built[0], "./sites", RunSpec(("rounds",)), b"") as server:
        _, seen = server.observe()
        row = seen[rule_for(built, "rounds", OPERATION, "swap").site]
        assert (row["count"], row["values"][: row["nvalues"]].tolist()) == (4, [0, 10, 110, 1110])
