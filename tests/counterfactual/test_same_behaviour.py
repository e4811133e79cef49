"""A hooked program behaves as the program itself does."""

from __future__ import annotations

import os

import pytest

from butfor.counterfactual.fork_server import ForkServer, RunLimits, RunOutcome
from butfor.counterfactual.rerun import hooked_program, recorded_spec
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.trace.log.columns import EndReason
from butfor.trace.recording import Recording
from tests.corpus import Program, programs
from tests.families import some_of

ACCIDENTS = (
    "fail_smashed_stack",
    "fail_uninit_copy_return",
)  # what they do depends on what lies next to their variables, or was there before


def ending(recording: Recording) -> tuple[str, int]:
    """How the recorded run ended."""
    end = recording.log.end
    if recording.meta.limit:
        return "limit", 0
    names = {
        EndReason.EXIT: "exit",
        EndReason.SIGNAL: "signal",
        EndReason.ASSERT: "assertion",
        EndReason.REACH_ERROR: "error",
        EndReason.ASSUME: "assume",
        EndReason.LIMIT: "limit",
    }
    if end.reason == EndReason.SIGNAL and end.text:
        return "assertion", 0
    return names[EndReason(end.reason)], end.status if end.reason in (EndReason.EXIT, EndReason.SIGNAL) else 0


def ended(outcome: RunOutcome) -> tuple[str, int]:
    """How the run of the program with hooks ended."""
    if outcome.timed_out or outcome.end == 4:
        return "limit", 0
    if outcome.end:
        return ("assertion", "error", "assume")[outcome.end - 1], 0
    if os.WIFSIGNALED(outcome.status):
        return "signal", os.WTERMSIG(outcome.status)
    return "exit", os.WEXITSTATUS(outcome.status)


@pytest.mark.parametrize("program", some_of(programs(), lambda k, _: k % 4 == 2, lambda p: p.path.stem))
def test_same_output_and_end(program: Program) -> None:
    options = program.options
    recording = record(options, compile_program(options, lambda text: None), lambda text: None)
    build = hooked_program(recording, None)
    limits = RunLimits(milliseconds=400 if recording.meta.limit else 60_000)
    with ForkServer(build, f"./{recording.meta.name}", recorded_spec(recording), recording.stdout, limits) as server:
        outcome, seen = server.observe()
        again = server.run()
        output = server.output()
    assert outcome.changed == 0
    if program.path.stem in ACCIDENTS:
        return
    assert ended(outcome) == ended(again) == ending(recording)
    if ending(recording)[0] != "limit":
        assert output == recording.stdout
        assert outcome.matched == outcome.output == len(recording.stdout)
    assert seen["count"].sum() > 0
