"""The fork server: one process for any input, and runs that begin where their change is."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.counterfactual import fork_server
from butfor.counterfactual.change_candidates import ChangeCandidates
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import ForkServer, RunLimits, run_all
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import SiteKind
from butfor.ir.program import Program
from tests.counterfactual.builds import build_of

HERE = Path(__file__).parent
LIMITS = RunLimits(milliseconds=20_000, events=2_000)  # endless runs end where they should, however busy the machine is


@pytest.fixture(scope="module")
def given() -> tuple[HookedBuild, Program]:
    return build_of(HERE / "given.c")


@pytest.fixture(scope="module")
def sites() -> tuple[HookedBuild, Program]:
    """A program in which variables without a value end a run: what these hold depends on what was called before."""
    return build_of(HERE / "sites.c", checked=True)


def changes(server: ForkServer, build: HookedBuild, program: Program) -> list[Rule]:
    """All changes that a search would try, at all occurrences and at single ones."""
    candidates = ChangeCandidates(VariablesInScope(program), server.observe()[1], {})
    found = (c for at in (candidates.at, candidates.at_single_occurrences) for site in build.sites for c in at(site))
    return [c.rule for c in found]


INPUTS = [
    RunSpec(),
    RunSpec(("one",), b"1 2 3"),
    RunSpec(("one", "two", "three"), b"", (("GIVEN", "something"),), (5, -5)),
    RunSpec(("write",), b"7\n8\n", (), (1,)),
]


@pytest.mark.parametrize("spec", INPUTS, ids=[" ".join(spec.args) for spec in INPUTS])
def test_a_server_takes_any_input(spec: RunSpec, given: tuple[HookedBuild, Program], tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("4\n2\n")
    with ForkServer(given[0], "./given", spec, cwd=str(tmp_path)) as started:
        expected = started.run(), started.output()
    assert expected[1]
    with ForkServer(given[0], "./given", RunSpec(("another",), b"9"), cwd=str(tmp_path)) as server:
        usual = server.run(), server.output()
        server.set_input(spec)
        assert (server.run(), server.output()) == expected
        server.set_input(RunSpec(("another",), b"9"))
        assert (server.run(), server.output()) == usual != expected


def test_runs_can_be_in_another_folder(given: tuple[HookedBuild, Program], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "numbers").write_text("6\n")
    with ForkServer(given[0], "./given", RunSpec(), cwd=str(tmp_path)) as server:
        outputs = []
        for folder in (None, str(other), None):
            server.set_input(RunSpec(), folder)
            server.run()
            outputs.append(server.output())
    assert outputs == [b"nothing|= 1\n", b"nothing|= 7\n", b"nothing|= 1\n"]


def test_the_input_that_a_server_was_started_with_keeps_its_addresses(given: tuple[HookedBuild, Program]) -> None:
    own = RunSpec(("where", "here"), b"", (("GIVEN", "something"),))
    with ForkServer(given[0], "./given", own) as server:
        server.run()
        before = server.output()
        server.set_input(RunSpec(("where", "else", "there"), b"x" * 100_000, (("GIVEN", "more"),), (1, 2, 3)))
        server.run()
        assert server.output() != before
        server.set_input(own)
        server.run()
        assert server.output() == before


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("args", [("one", "two"), ("write",)], ids=["reads", "writes"])
def test_runs_that_begin_at_their_change_end_as_whole_runs_do(
    args: tuple[str, ...], checked: bool, tmp_path: Path
) -> None:
    (tmp_path / "numbers").write_text("4\n2\n")
    build, program = build_of(HERE / "given.c", checked=checked)
    assert build.can_be_forked
    spec = RunSpec(args, b"1 20 3", (), (4,))
    with ForkServer(build, "./given", spec, b"nothing|1 20", LIMITS, str(tmp_path)) as server:
        rules = changes(server, build, program)
        probe = Rule(build.sites[len(build.sites) // 2].number, Op.PROBE)
        assert len(rules) > 100
        together = dict(run_all([server], rules, [probe]))
        assert sorted(together) == list(range(len(rules)))
        for number, rule in enumerate(rules):
            alone = server.run([rule, *([probe] if probe.site != rule.site else [])])
            assert together[number] == alone, rule


@pytest.mark.parametrize("name", ["rounds", "divide_zero", "load_float", "shadowed"])
def test_each_kind_of_site_can_begin_a_run(name: str, sites: tuple[HookedBuild, Program]) -> None:
    build, program = sites
    with ForkServer(build, "./sites", RunSpec((name,)), b"", LIMITS) as server:
        rules = changes(server, build, program)
        for number, outcome in list(run_all([server], rules)):
            assert outcome == server.run([rules[number]]), rules[number]


def test_changes_that_were_not_run_in_time_are_asked_for_again(
    given: tuple[HookedBuild, Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "_SLICE_MILLISECONDS", 0)
    build, program = given
    with (
        ForkServer(build, "./given", RunSpec(("one",), b"1 2 3")) as one,
        ForkServer(build, "./given", RunSpec()) as two,
    ):
        rules = changes(one, build, program)[:200]
        two.set_input(RunSpec(("one",), b"1 2 3"))
        assert sorted(number for number, _ in run_all([one, two], rules)) == list(range(len(rules)))


def test_a_program_with_timers_or_unknown_functions_is_not_forked(tmp_path: Path) -> None:
    for number, call in enumerate(("alarm(100)", "unknown()", "sleep(0)")):
        source = tmp_path / f"calls{number}.c"
        main = f"int main(void) {{ {call}; return 0; }}\n"
        source.write_text(f"#include <unistd.h>\nextern int unknown(void) __attribute__((weak));\n{main}")
        assert build_of(source)[0].can_be_forked == (call == "sleep(0)")


def test_what_came_of_a_change_with_one_input_is_not_said_of_another(given: tuple[HookedBuild, Program]) -> None:
    build, program = given
    first, second = RunSpec(("one",), b"1 2 3"), RunSpec(("one",), b"7 8 9")
    with ForkServer(build, "./given", first, b"", LIMITS) as server:
        rules = changes(server, build, program)[:150]
        for spec in (first, second, first):
            server.set_input(spec)
            together = dict(run_all([server], [*rules, *rules]))
            alone = [server.run([rule]) for rule in rules]
            assert [together[k] for k in range(len(together))] == [*alone, *alone]


def test_a_change_that_makes_no_difference_until_late_is_tried_from_there(tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text(
        "#include <stdio.h>\nint main(void) {\n    int sum = 0;\n    for (int i = 0; i < 200; i++) {\n"
        '        if (i == 150)\n            sum += i;\n    }\n    printf("%d\\n", sum);\n    return 0;\n}\n'
    )
    build, _ = build_of(source)
    rules = [Rule(s.number, op) for s in build.sites if s.kind is SiteKind.COMPARE for op in (Op.FLIP_EQUAL, Op.TRUE)]
    with ForkServer(build, "./late", RunSpec(), b"150\n") as server:
        together = dict(run_all([server], rules))
        for k, rule in enumerate(rules):
            alone = server.run([rule])
            assert together[k] == alone or (together[k].timed_out and alone.timed_out)  # how far those got depends
    assert any(outcome.change_event > 150 for outcome in together.values())
    assert any(outcome.changed and outcome.matched < outcome.output for outcome in together.values())
