"""Paths of the programs that other tests use: each is right, and forces the failure or says that it is approximate."""

from __future__ import annotations

import pytest

from butfor.explanation import FailureKind
from butfor.logic.solvers import Limit, Verdict
from butfor.path.verify_path import verify
from tests.corpus import Program, programs
from tests.path.made import failing_case

QUICK = frozenset(
    "construct_bitfields construct_conditions construct_fgets_stdin construct_function_pointers "
    "construct_nested_struct_union construct_setjmp "
    "construct_switch_fallthrough construct_varargs fail_assert_omission fail_division_by_zero fail_null_read "
    "fail_oob_heap_read "
    "fail_output_number fail_reach_error_assume fail_uninit_branch real_inventory".split()
)
ALL = [pytest.param(p, id=p.path.stem, marks=() if p.path.stem in QUICK else pytest.mark.slow) for p in programs()]


@pytest.mark.parametrize("program", ALL)
def test_paths_are_right(program: Program) -> None:
    case = failing_case(program.options)
    if case is None or case.point.kind is FailureKind.NO_END:
        pytest.skip("it has no path")
    for path in (case.path, case.free_path):
        assert verify(path).wrong == ()
    forced = verify(case.path, Limit.after(60)).forced
    assert forced is Verdict.UNSAT or (forced is Verdict.UNKNOWN and len(case.path.instances) > 1000)
