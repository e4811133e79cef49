"""Butfor sees what the sanitizers see: small errors, each beside a correct twin that must not fail."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from butfor.counterfactual.fork_server import Ending, ForkServer
from butfor.counterfactual.rerun import hooked_program, recorded_spec
from butfor.failures.arithmetic_errors import ARITHMETIC_ERROR_NAMES
from butfor.failures.failure_point import FailurePoint
from butfor.failures.find_failure import find_failure
from butfor.failures.memory_errors import MEMORY_ERROR_NAMES
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording

SOURCE = Path(__file__).parent / "every_error.c"
TABLE = re.findall(r'^  \{"(\w+)", \w+\}, /\* (\S+)(?: (\S+))?(?: ours)? \*/$', SOURCE.read_text(), re.M)
OPTIONS = Options(sources=(SOURCE,))


@cache
def program(cflags: tuple[str, ...] = ()) -> Build:
    return compile_program(replace(OPTIONS, cflags=cflags), lambda text: None)


def run(name: str, which: str, cflags: tuple[str, ...] = ()) -> Recording:
    return record(replace(OPTIONS, args=(name, which), cflags=cflags), program(cflags), lambda text: None)


def failure(recording: Recording, *, arithmetic: bool = True) -> FailurePoint | None:
    return find_failure(recording, Dependence(recording.trace), look_for_arithmetic_errors=arithmetic).failure


@pytest.mark.parametrize(("name", "kind", "detail"), TABLE, ids=[row[0] for row in TABLE])
def test_an_error_is_seen_and_its_correct_twin_is_not_blamed(name: str, kind: str, detail: str) -> None:
    found = failure(run(name, "wrong"))
    assert found is not None
    assert (found.kind, found.details.get(kind) or "") == (kind, detail)
    assert failure(run(name, "right")) is None


def test_a_program_that_is_run_again_ends_at_the_same_errors() -> None:
    recording = run(TABLE[0][0], "wrong")
    build = hooked_program(recording, None, checked=True, arithmetic=True)
    names = {**MEMORY_ERROR_NAMES, **ARITHMETIC_ERROR_NAMES}
    seen = {}
    for name, kind, detail in TABLE:
        if kind in ("memory", "arithmetic") and detail != "uninitialised":
            for which in ("wrong", "right"):
                spec = replace(recorded_spec(recording), args=(name, which))
                with ForkServer(build, "./every_error", spec, b"") as server:
                    outcome = server.run()
                ended = names.get(outcome.error) if outcome.end == Ending.MEMORY else None
                if ended != (detail if which == "wrong" else None):
                    seen[name, which] = ended
    assert not seen


def test_arithmetic_errors_are_failures_only_on_demand() -> None:
    assert failure(run("sum_overflow", "wrong"), arithmetic=False) is None


def test_with_fwrapv_signed_arithmetic_wraps_around() -> None:
    for name in ("sum_overflow", "negation_overflow", "product_overflow", "absolute_overflow"):
        assert failure(run(name, "wrong", ("-fwrapv",))) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sum_overflow", "signed overflow: 2147483647 + 1 does not fit in int"),
        ("negation_overflow", "signed overflow: -(-2147483648) does not fit in int"),
        ("product_overflow", "signed overflow: 4611686018427387903 * 3 does not fit in long"),
        ("absolute_overflow", "signed overflow: abs(-2147483648) does not fit in int"),
        ("shift_too_far", "shift too far: by 32 bits, but the number has 32"),
        ("shift_negative", "shift by a negative number of bits: -1"),
        ("float_to_int", "conversion: 2147483648.0 does not fit in int"),
        ("member_write_over", "write of 1 byte at index 8 of `r.name` with 8 elements"),
        ("member_row_over", "write of 4 bytes at index 2 of `m.cell` with 2 elements"),
        ("member_text_over", "write of 9 bytes into `r.name`, which has 8 bytes"),
        ("use_after_scope", "read of 4 bytes in `inner` after its scope was left"),
        ("vla_size", "a local array of -1 elements: its size is negative"),
    ],
)
def test_the_sentence_says_what_went_wrong(name: str, message: str) -> None:
    found = failure(run(name, "wrong"))
    assert found is not None
    assert found.message == message
