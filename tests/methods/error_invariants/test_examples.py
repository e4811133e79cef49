"""The examples of the method, in C and Boogie: the relevant statements, and invariants as weak as those stated."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import butfor
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, compare, conjunction, constant, equal, negate, order
from butfor.methods.error_invariants.explained_path import Localized, localized
from butfor.path.path_model import Path
from tests.frontends.boogie.helpers import explored
from tests.path.made import EXAMPLES, example

Stated = dict[str, tuple[str, int]]

# After which line what was stated to hold; line 0 is the start. `frame N`: the frame of the conditional in that line.
FLOW: dict[str, dict[str, Stated]] = {
    "s1_input_range.bpl": {"0": {"in": ("<", 42)}, "8": {"rest": ("<", 0)}, "9": {"flag": ("==", 0)}},
    "s1_input_range.c": {"0": {}, "9": {"input": ("<", 42)}, "12": {"y": ("<", 0)}, "14": {"x": ("==", 0)}},
    "s1_unrelated_branch.bpl": {"0": {}, "6": {"flag": ("==", 0)}},
    "s1_unrelated_branch.c": {"0": {}, "10": {"x": ("==", 0)}},
    "s1_locking.bpl": {
        "0": {"in0": ("==", 0), "in1": ("==", -1)},
        "7": {"in0": ("==", 0), "in1": ("==", -1), "locked": ("==", 1)},
        "11": {"in0": ("==", 0), "level": ("==", -1), "locked": ("==", 1)},
        "frame 12": {"in0": ("==", 0), "level": ("==", -1), "locked": ("==", 1)},
        "frame 15": {"locked": ("==", 1)},
    },
    "s1_locking.c": {
        "0": {},
        "9": {"x": ("==", 0)},
        "10": {"x": ("==", 0), "y": ("==", -1)},
        "13": {"x": ("==", 0), "y": ("==", -1), "lock": ("==", 1)},
        "19": {"x": ("==", 0), "z": ("==", -1), "lock": ("==", 1)},
        "frame 20": {"x": ("==", 0), "z": ("==", -1), "lock": ("==", 1)},
        "frame 23": {"lock": ("==", 1)},
    },
    "s1_abs.bpl": {
        "0": {"in": ("<=", -1)},
        "5": {"in": ("<=", -1), "out": ("<=", -1)},
        "7": {"out": ("<=", -1), "sign": ("==", -1)},
        "frame 8": {"out": ("<=", -1)},
    },
    "s1_abs.c": {  # the check is not reached for 0, so that counts to the end
        "0": {},
        "25": {"main::in": ("<=", -1)},
        "27": {"in": ("<=", -1)},
        "10": {"in": ("<=", -1), "abs": ("<=", -1)},
        "14": {"in": ("!=", 0), "abs": ("<=", -1), "sign": ("==", -1)},
        "frame 17": {"in": ("!=", 0), "abs": ("<=", -1)},
    },
    "s1_unconditional.bpl": {"0": {}, "5": {"n": ("<", 10)}},
    "s1_unconditional.c": {"0": {}, "6": {"x": ("<", 10)}},
}
CONDITIONS = {  # the conditions that are told, by line
    "s1_input_range.bpl": [9],
    "s1_input_range.c": [13],
    "s1_unrelated_branch.bpl": [],
    "s1_unrelated_branch.c": [],
    "s1_locking.bpl": [11, 12, 15],
    "s1_locking.c": [18, 20, 23],
    "s1_abs.bpl": [7, 8],
    "s1_abs.c": [11, 13, 17],
    "s1_unconditional.bpl": [6],
    "s1_unconditional.c": [7],
}
PLAIN: dict[str, dict[str, Stated]] = {
    "s1_input_range.bpl": {"0": {}, "9": {"flag": ("==", 0)}},
    "s1_input_range.c": {"0": {}, "14": {"x": ("==", 0)}},
    "s1_unrelated_branch.bpl": {"0": {}, "6": {"flag": ("==", 0)}},
    "s1_unrelated_branch.c": {"0": {}, "10": {"x": ("==", 0)}},
    "s1_locking.bpl": {"0": {}, "7": {"locked": ("==", 1)}},
    "s1_locking.c": {"0": {}, "13": {"lock": ("==", 1)}},
    "s1_abs.bpl": {"0": {"in": ("<=", -1)}, "5": {"out": ("<=", -1)}},
    "s1_abs.c": {"0": {}, "25": {"main::in": ("<=", -1)}, "27": {"in": ("<=", -1)}, "10": {"abs": ("<=", -1)}},
    "s1_unconditional.bpl": {"0": {}},
    "s1_unconditional.c": {"0": {}},
}


def path_of(name: str) -> Path:
    if name.endswith(".c"):
        return example(name.removesuffix(".c")).path
    return explored((EXAMPLES / name).read_text()).failures[0].path


def term(path: Path, name: str) -> Term:
    """A cell by its name; of two that are written alike, the one outside of main."""
    cells = [c for c in path.cells if c.name == name or (c.shown == name and c.function != "main")] or [
        c for c in path.cells if c.shown == name
    ]
    assert len(cells) == 1
    return cells[0].term


def stated(path: Path, formula: Stated) -> Term:
    parts = []
    for name, (op, value) in formula.items():
        x = term(path, name)
        c = constant(value, x.width)
        if op in ("==", "!="):
            parts.append(equal(x, c) if op == "==" else negate(equal(x, c)))
        else:
            ops = {"<": ("slt", "lt"), "<=": ("sle", "le")}[op]
            parts.append(compare(ops[0], x, c) if x.width > 0 else order(ops[1], x, c))
    return conjunction(parts)


def told(name: str, *, flow: bool) -> tuple[Localized, dict[str, Term]]:
    found = localized(path_of(name), Limit.after(30), flow=flow, boogie=name.endswith(".bpl"))
    assert isinstance(found, Localized)
    assert found.chain.minimal
    assert not found.invariants.coarse
    assert not found.pinned
    rows: dict[str, Any] = {"0": conjunction(found.intervals[0].atoms)}
    for before, after in zip(found.intervals, found.intervals[1:], strict=False):
        step = found.chain.steps[before.last]
        line = found.chain.path.instances[step.position].place.line
        rows[f"frame {line}" if step.is_frame else str(line)] = conjunction(after.atoms)
    return found, rows


def check(name: str, wanted: dict[str, Stated], rows: dict[str, Term], path: Path) -> None:
    assert list(rows) == list(wanted)
    for where, formula in wanted.items():
        problem = Problem((("given", (stated(path, formula),)),), negate(rows[where]))
        assert default_solver().check(problem, Limit.after(10)).verdict is Verdict.UNSAT, where
        trivial = (
            default_solver().check(Problem((("none", ()),), negate(rows[where])), Limit.after(10)).verdict
            is Verdict.UNSAT
        )
        assert trivial == (not formula), f"{name} {where}"


@pytest.mark.parametrize("name", FLOW)
def test_flow_sensitive(name: str) -> None:
    found, rows = told(name, flow=True)
    check(name, FLOW[name], rows, found.chain.path)
    assert [
        e.place.line for e in found.entries if e.place is not None and e.role == "condition" and not e.frame
    ] == CONDITIONS[name]


@pytest.mark.parametrize("name", PLAIN)
def test_flow_insensitive(name: str) -> None:
    found, rows = told(name, flow=False)
    check(name, PLAIN[name], rows, found.chain.path)


def test_every_example_is_there() -> None:
    files = {f.name for f in EXAMPLES.glob("s1_*")}
    assert files == set(FLOW) == set(PLAIN) == set(CONDITIONS)


def test_pinning_does_not_fix_what_is_assigned_before_it_is_read(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "dead.bpl"
    source.write_text("procedure main(n: int) { var s, t: int;\n s := 0;\n t := n * n;\n assert s != 0 || t == 7;\n}\n")
    found = butfor.explain(source, methods=["error-invariants"], inputs="pinned")
    assert [row.line for row in found.ranking if row.evidence == "proved"] == [3, 2]
