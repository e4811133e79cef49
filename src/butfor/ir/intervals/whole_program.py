"""The static analysis of a whole program: forward, then backward from what was proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from butfor.ir.gc_pause import collector_paused
from butfor.ir.instructions import Const
from butfor.ir.intervals import library_facts
from butfor.ir.intervals.backward_analysis import Backward
from butfor.ir.intervals.check_verdicts import all_checks, verdict
from butfor.ir.intervals.forward_analysis import Engine
from butfor.ir.intervals.function_fixpoint import GivenUp
from butfor.ir.intervals.instruction_records import Records
from butfor.ir.intervals.prepared_functions import body_of
from butfor.ir.intervals.proved_facts import Check, Facts
from butfor.ir.program import Program


def found_facts(program: Program, is_over: Callable[[], bool]) -> Facts:
    """What holds in every run of the program."""
    with collector_paused():
        records, reasons = forward(program, is_over)
        if records is None:
            checks = tuple(Check(f.name, i.index, kind, "open") for f, i, kind in all_checks(program))
            return Facts(checks, complete=False, reasons=reasons)
        checks = tuple(Check(f.name, i.index, kind, verdict(records, f, i, kind)) for f, i, kind in all_checks(program))
        back = Backward(program, cache(lambda name: body_of(program.function(name))), records, checks, is_over)
        back.run()
        if not back.is_complete:
            reasons = (*reasons, "not all proofs were followed back to what they depend on")
        return Facts(checks, back.allowed, frozenset(back.trusted), not reasons, reasons)


def forward(program: Program, is_over: Callable[[], bool]) -> tuple[Records | None, tuple[str, ...]]:
    """What the forward analysis noted, None when it was given up; what was given up and why."""
    beyond = sorted(library_facts.BEYOND & set(program.source.declared_names()))
    if beyond:
        return None, (f"the program uses {', '.join(beyond)}",)
    unnamed = sorted(
        _mentioned(program)
        - set(program.names)
        - set(program.source.declared_names())
        - set(program.source.global_variables())
    )
    if unnamed:
        return None, (f"the program has other names for things: {', '.join(unnamed)}",)
    engine = Engine(program, is_over)
    try:
        own = frozenset(program.names)
        taken = tuple(dict.fromkeys(n for n in _taken(program) if n in own))
        engine.analyse(taken, "llvm.global_ctors" in program.source.global_variables())
    except GivenUp as e:
        return None, (*engine.reasons, str(e))
    return engine.records, tuple(engine.reasons)


def _mentioned(program: Program) -> set[str]:
    """The functions that are called and the names whose address is taken, without intrinsics."""
    calls = (i.detail.callee for name in program.names for i in program.function(name).instrs if i.op == "call")
    return {name for name in (*calls, *_taken(program)) if name is not None and not name.startswith("llvm.")}


def _taken(program: Program) -> Iterator[str]:
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
