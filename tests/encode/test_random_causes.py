"""Random small programs: the statements of a cause alone force a decision; leaving any one out does not."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from butfor.encode.justification import Justifier
from butfor.encode.trace_formula import encode, recheck
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.trace.dependence.dependence import Dependence
from tests.encode.small_causes import branches
from tests.encode.test_trace_formula import holds_in_the_run
from tests.small import recorded

HEAD = (
    "static unsigned f(unsigned x) { return x + 7u; }\n"
    "static unsigned t[4]; struct s { char c; unsigned u; };\n"
    "int main(void) { int n = 0;\n"
)
REVERSIBLE = ("{x} + {y}", "{x} - {y}", "{x} ^ {y}", "{y} - {x} + {c}u", "({x} ^ {c}u) + {y} * 5u", "f({x}) - {y}")
ANY = (
    *REVERSIBLE,
    "{x} * {y}",
    "{x} & {y}",
    "{x} | {y}",
    "{x} / ({y} | 1u)",
    "{x} % ({c}u | 1u)",
    "{x} << ({y} & 7u)",
    "{x} >> ({c}u & 15u)",
    "{x} - {x}",
)
STATEMENTS = (
    "unsigned {z} = {e};",
    "t[{k}] = {e}; unsigned {z} = t[{k}];",
    "struct s s{z} = {{ 1, {e} }}, d{z} = s{z}; unsigned {z} = d{z}.u;",
    "unsigned *p{z} = &t[{k}]; *p{z} = {e}; unsigned {z} = *p{z};",
    "unsigned {z} = {w} < {d}u ? {e} : {c}u;",
    "unsigned {z} = {c}u; if ({w} == {d}u) {z} = {e}; else {z} = {x} + {y};",
)
DECISIONS = ("if ({x} < {d}u) n++;", "if ({x} != {c}u && {y} < {d}u) n++;")
BOOLEANS = (
    "{{ int b = {x} < {d}u && {y} != {c}u; if (b) n++; }}",
    "{{ int b = {x} == {c}u || {y} < {d}u; if (!b) n++; }}",
)


class _Names:
    """Variables; in a program without reuse each is read once, so that no two uses cancel out."""

    def __init__(self, draw: st.DrawFn, reuse: bool) -> None:
        self.draw, self.reuse = draw, reuse
        self.free: list[str] = []
        self.made = 0
        self.lines: list[str] = []

    def read(self) -> str:
        """A variable to read."""
        if not self.free:
            self.lines.append(f"unsigned {(name := self.new())} = {self.draw(st.integers(0, 40))}u;")
            self.free.append(name)
        at = self.draw(st.integers(0, len(self.free) - 1))
        return self.free[at] if self.reuse else self.free.pop(at)

    def new(self) -> str:
        """A new variable."""
        self.made += 1
        return f"v{self.made}"


@st.composite
def programs(draw: st.DrawFn, reuse: bool) -> str:
    """The text of a program of a few statements and decisions."""
    names = _Names(draw, reuse)
    for _ in range(draw(st.integers(4, 12))):
        parts = {
            "x": names.read(),
            "y": names.read(),
            "c": draw(st.integers(0, 50)),
            "d": draw(st.integers(1, 90)),
            "k": draw(st.integers(0, 3)),
        }
        if draw(st.integers(0, 3)) == 0:
            names.lines.append(draw(st.sampled_from((*DECISIONS, *BOOLEANS))).format(**parts))
            continue
        e = draw(st.sampled_from(ANY if reuse else REVERSIBLE)).format(**parts)
        z, w = names.new(), names.read()
        names.lines.append(draw(st.sampled_from(STATEMENTS)).format(**parts, e=e, z=z, w=w))
        names.free.append(z)
    names.lines += [f"if ({v} != 3u) n++;" for v in names.free[-4:]]
    return HEAD + "\n".join(names.lines) + "\nreturn n; }\n"


def _judge(text: str, is_exact: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="butfor-causes-") as folder:
        trace = recorded(Path(folder), text).trace
        dependence = Dependence(trace)
        justifier = Justifier(dependence)
        for root in branches(trace):
            nodes = tuple(justifier.justify((root,)).nodes)
            problem = encode(trace, nodes, (root,), dependence)
            holds_in_the_run(trace, problem)
            assert problem.gaps == ()
            assert recheck(trace, nodes, (root,), 60, dependence=dependence) is Verdict.UNSAT, text
            result = default_solver().core(problem, Limit.after(60))
            assert result.verdict is Verdict.UNSAT, text
            assert result.minimal, text
            if is_exact:
                assert set(result.core) == set(problem.names), (
                    f"{[justifier.trace.instr(n).op for n in problem.names]} {root}\n{text}"
                )


def _run(shard: int, count: int, is_exact: bool) -> None:
    @seed(shard)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
    )
    @given(programs(reuse=not is_exact))
    def run(text: str) -> None:
        _judge(text, is_exact)

    run()


@pytest.mark.parametrize("is_exact", [True, False])
def test_random_causes_are_proved(is_exact: bool) -> None:
    _run(0, 5, is_exact)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(4))
@pytest.mark.parametrize("is_exact", [True, False])
def test_many_random_causes_are_proved(shard: int, is_exact: bool) -> None:
    _run(shard + 1, 40, is_exact)
