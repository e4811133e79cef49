"""Functions that only check their arguments: a failure inside one is a failed check of its caller.

Many programs have their own assertion, as a function: `void expect(int cond) { if (!cond) abort(); }`. What is checked
then stands where it is called.
"""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.instructions import Function, Instr
from butfor.ir.program import Program
from butfor.libc.library import control_of, prints
from butfor.libc.record import Control
from butfor.trace.trace import Node, Trace

_MAX_CALL_DEPTH = 4  # of a check that is passed on from function to function
_COMPARING = frozenset(
    "alloca icmp fcmp br switch ret unreachable zext sext trunc ptrtoint inttoptr and or xor phi select".split()
)
_ENDING = frozenset((Control.EXIT, Control.FAILURE, Control.ERROR_LOCATION, Control.FATAL))


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """The instance that stands for a failed check, and the functions below it that only check."""

    node: Node
    functions: frozenset[str] = frozenset()


def failed_check(trace: Trace, node: Node) -> FailedCheck:
    """The check that failed at an instance: in the outermost caller that passed on nothing but what to check."""
    functions: set[str] = set()
    while len(functions) < _MAX_CALL_DEPTH:
        fn = trace.at(node[0]).fn
        call = trace.call_of(node[0])
        if call is None or not trace.is_direct_call(call, fn) or not only_checks(trace.program, fn):
            break
        if _is_used(trace.at(call[0]).fn, trace.instr(call)):
            break
        functions.add(fn.name)
        node = call
    return FailedCheck(node, frozenset(functions))


def only_checks(program: Program, fn: Function, depth: int = _MAX_CALL_DEPTH) -> bool:
    """Whether a function does nothing but compare its parameters, print, and end the program."""
    if not fn.params or depth == 0:
        return False
    slots = {instr.slot for instr in fn.instrs if instr.op == "alloca"}
    return all(_belongs_to_check(program, fn, instr, slots, depth) for instr in fn.instrs)


def _belongs_to_check(program: Program, fn: Function, instr: Instr, slots: set[int], depth: int) -> bool:
    if instr.op == "load":
        return instr.args[0] in slots
    if instr.op == "store":  # of a parameter into its variable, nothing that is computed here
        return instr.args[1] in slots and instr.args[0] in range(len(fn.params))
    if instr.op != "call":
        return instr.op in _COMPARING
    name = instr.callee
    if name is not None and program.defines(name) and control_of(name) not in _ENDING:
        return only_checks(program, program.function(name), depth - 1)
    return control_of(name) in _ENDING or prints(name)


def _is_used(fn: Function, call: Instr) -> bool:
    return call.slot >= 0 and any(call.slot in instr.args for instr in fn.instrs)
