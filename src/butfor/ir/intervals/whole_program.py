"""The static analysis of a whole program: forward, then backward from the proved checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from butfor.ir.gc_pause import collector_paused
from butfor.ir.instructions import Const
from butfor.ir.intervals.backward_analysis import BackwardAnalysis
from butfor.ir.intervals.check_verdicts import all_checks, verdict
from butfor.ir.intervals.forward_analysis import ForwardAnalysis
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.prepared_functions import prepare_function
from butfor.ir.intervals.proved_facts import CheckVerdict, StaticFacts
from butfor.ir.intervals.shared_analysis import GivenUp
from butfor.ir.program import Program
from butfor.libc.library import control_of
from butfor.libc.record import Control

# control goes where no edge leads, or memory changes behind the back of the code
_BEYOND_ANALYSIS = frozenset((Control.SETJMP, Control.LONGJMP, Control.ASYNCHRONOUS))


def analyse(program: Program, is_over: Callable[[], bool]) -> StaticFacts:
    """What holds in every run of the program, from main with any arguments and any input.

    What is not decided when `is_over` first says so stays open.
    """
    with collector_paused():
        records, facts = _forward(program, is_over)
        if records is None:
            return facts
        backward = BackwardAnalysis(
            program, cache(lambda name: prepare_function(program.function(name))), records, facts.checks, is_over
        )
        backward.run()
        reasons = facts.reasons
        if not backward.is_complete:
            reasons = (*reasons, "not all proofs were followed back to what they depend on")
        allowed, trusted = backward.proofs.allowed, frozenset(backward.proofs.trusted)
        return StaticFacts(facts.checks, allowed, trusted, not reasons, reasons)


def check_verdicts(program: Program, is_over: Callable[[], bool]) -> StaticFacts:
    """The verdicts on all checks of the program, without what the proofs rest on."""
    with collector_paused():
        return _forward(program, is_over)[1]


def _forward(program: Program, is_over: Callable[[], bool]) -> tuple[AnalysisRecords | None, StaticFacts]:
    records, reasons = forward_records(program, is_over)
    checks = tuple(
        CheckVerdict(f.name, i.index, kind, "open" if records is None else verdict(records, f, i, kind))
        for f, i, kind in all_checks(program)
    )
    return records, StaticFacts(checks, complete=records is not None and not reasons, reasons=reasons)


def forward_records(program: Program, is_over: Callable[[], bool]) -> tuple[AnalysisRecords | None, tuple[str, ...]]:
    """The records of the forward analysis, None if it was given up; the reasons for what was given up."""
    beyond = sorted(name for name in program.source.declared_names() if control_of(name) in _BEYOND_ANALYSIS)
    if beyond:
        return None, (f"the program uses {', '.join(beyond)}",)
    aliases = sorted(
        _used_names(program)
        - set(program.names)
        - set(program.source.declared_names())
        - set(program.source.global_variables())
    )
    if aliases:
        return None, (f"the program has other names for things: {', '.join(aliases)}",)
    analysis = ForwardAnalysis(program, is_over)
    shared = analysis.shared
    try:
        address_taken = tuple(dict.fromkeys(n for n in _address_taken(program) if n in shared.objects.names))
        analysis.run(address_taken, "llvm.global_ctors" in program.source.global_variables())
    except GivenUp as e:
        return None, (*shared.reasons, str(e))
    return shared.records, tuple(shared.reasons)


def _used_names(program: Program) -> set[str]:
    """The functions that are called, and the names whose address is taken, without intrinsics."""
    calls = (i.callee for name in program.names for i in program.function(name).instrs)
    return {name for name in (*calls, *_address_taken(program)) if name is not None and not name.startswith("llvm.")}


def _address_taken(program: Program) -> Iterator[str]:
    """Functions and variables whose address is taken."""
    work: list[Const] = [g.init for g in program.source.global_variables().values() if g.init is not None]
    for name in program.names:
        for instr in program.function(name).instrs:
            work += [arg for arg in instr.args if isinstance(arg, Const)]
    while work:
        c = work.pop()
        if c.kind == "global":
            yield c.value
        elif c.kind == "agg":
            work += c.value
        elif c.kind == "expr":
            work += c.value[2]
