"""The SSA form: each assignment makes a version, reads see the latest one, frames make versions of their own."""

from __future__ import annotations

from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import binary, const, equal, variables
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.path.ssa_form import SsaPath, ssa_form
from butfor.trace.view.source_places import Place

AT = Place("a.c", 1, 1, "main", "x", "expression", "/a.c")
X, Y = Cell("x", 32, "x"), Cell("y", 32, "y")
PATH = Path(
    cells=(X, Y),
    instances=(
        Instance(Kind.HAVOC, AT, ((Y, None),), recorded={"y": 3}),
        Instance(Kind.BRANCH, AT, condition=equal(Y.term, const(3, 32)), end=3, frames=(Y,)),
        Instance(
            Kind.ASSIGN,
            AT,
            ((X, Y.term), (Y, binary("add", X.term, Y.term))),
            scope=(1,),
            recorded={"x": 3, "y": 8},
        ),
    ),
    check=equal(X.term, Y.term),
    place=AT,
    initial={"x": 5},
)


def names(ssa: SsaPath, position: int) -> tuple[str, str]:
    """The versions of x and y before the instance at a position."""
    before = ssa.instances[position].before if position < len(ssa.instances) else ssa.end
    return str(before["x"].data), str(before["y"].data)


def test_reads_see_the_latest_version_before_the_instance() -> None:
    ssa = ssa_form(PATH)
    assert [names(ssa, k) for k in range(4)] == [("x@0", "y@0"), ("x@0", "y@1"), ("x@0", "y@1"), ("x@3", "y@3")]
    assert {str(v.data) for t in ssa.instances[2].assigned for v in variables((t,))} == {"x@3", "y@1", "y@3", "x@0"}
    assert {str(v.data) for v in variables((ssa.check,))} == {"x@3", "y@3"}


def test_a_frame_makes_versions_that_equal_those_before() -> None:
    ssa = ssa_form(PATH, with_frames=True)
    assert names(ssa, 2) == ("x@0", "y@2")
    branch = ssa.instances[1]
    assert branch.kept == (equal(branch.after["y"], branch.before["y"]),)


def test_the_run_is_a_model_of_all_but_the_check() -> None:
    ssa = ssa_form(PATH)
    holds = Evaluator({"x@0": 5, "y@0": 0, "y@1": 3, "x@3": 3, "y@3": 8})
    assert all(holds(t) for s in ssa.instances for t in (s.condition, *s.assigned))
    assert all(map(holds, (*ssa.starts_with(PATH.initial), *ssa.recorded_inputs(0))))
    assert not holds(ssa.check)
    assert set(ssa.end) == {"x", "y"}
    assert len(ssa.start) == 2
