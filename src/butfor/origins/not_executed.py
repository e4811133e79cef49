"""Why a line was not executed: the decisions that would have led there, or the calls that were not made."""

from __future__ import annotations

from butfor.ir.flow_graphs import control_dependence, successors
from butfor.ir.instructions import Function
from butfor.origin_ladder import Rung, RungKind
from butfor.origins.source_instances import SourceLine, instances, lines_beside
from butfor.origins.value_ladder import LadderBuilder
from butfor.trace.trace import Node

_MAX_CALL_SITES = 4  # of a function that was never called: each has a reason of its own
_MAX_DEPTH = 6  # of decisions that were not reached themselves, and of calls


def tell_not_executed(b: LadderBuilder, line: SourceLine) -> None:
    """Tell why nothing on a line was executed; that it was, if so."""
    words = b.words
    found = list(line.instructions(words))
    name = words.places.shown(line.path)
    if not found:
        says = f"no code of the program stands on this line{lines_beside(words, line)}"
        b.add(Rung(RungKind.MISSING, says, name, line.line))
        return
    ran = max((len(instances(words, fn, instr)) for fn, instr in found), default=0)
    if ran:
        says = f"it was executed {ran:,} time{'s' if ran != 1 else ''}"
        b.add(Rung(RungKind.VALUE, says, name, line.line, function=found[0][0].name))
        return
    fn, instr = found[0]
    place = words.places.of_instr(fn, instr)
    text = words.quoted(place) if place is not None else "this line"
    b.add(b.at_place(RungKind.FAILURE, place, f"{text} was not executed"))
    _tell_block(b, fn, instr.block, 0, set())


def _tell_block(b: LadderBuilder, fn: Function, block: int, depth: int, seen: set[tuple[str, int]]) -> None:
    """Tell why a block was not executed: the branches that it depends on, or the function that was not called."""
    if (fn.name, block) in seen or depth > _MAX_DEPTH:
        return
    seen.add((fn.name, block))
    words = b.words
    if not len(words.log.positions(words.trace.static.first_segment(fn))):
        _tell_not_called(b, fn, depth, seen)
        return
    branches = dict.fromkeys(branch for branch, _ in control_dependence(successors(fn))[block] if branch != block)
    reached = [branch for branch in branches if _times(b, fn, branch)]
    for branch in reached:
        _tell_branch(b, fn, branch, depth)
    for branch in branches if not reached else ():
        _tell_block(b, fn, branch, depth + 1, seen)
    if not branches:
        says = f"{fn.name}() was left, or the program ended, before it came there"
        last = len(words.trace) - 1
        b.add(b.at(RungKind.MISSING, (last, words.trace.at(last).seg.end - 1), says, depth))


def _times(b: LadderBuilder, fn: Function, block: int) -> int:
    return len(b.words.log.positions(b.words.trace.static.last_of_block(fn, block)))


def _tell_branch(b: LadderBuilder, fn: Function, block: int, depth: int) -> None:
    """Tell the last outcome of a branch that led elsewhere, and where the values came from that it read."""
    words = b.words
    places = words.log.positions(words.trace.static.last_of_block(fn, block))
    node: Node = (int(places[-1]), fn.terminator(block).index)
    times = len(places)
    prefix = "because " if times == 1 else f"in none of {times:,} times did the decision lead there; the last time "
    if b.tell_decision(node, depth, prefix=prefix):
        for leaf in [leaf for leaf in words.leaves(node) if not leaf.is_index]:
            b.tell_operand(leaf, depth + 1, node)


def _tell_not_called(b: LadderBuilder, fn: Function, depth: int, seen: set[tuple[str, int]]) -> None:
    """Tell that a function was not called, and for each of its calls why it was not made."""
    words, program = b.words, b.words.trace.program
    sites = [
        (caller, instr)
        for name in program.source.function_names()
        if program.defines(name)
        for caller in [program.function(name)]
        for instr in caller.instrs
        if instr.callee == fn.name
    ]
    if not sites:
        b.add(Rung(RungKind.MISSING, f"no statement of the program calls {fn.name}() directly", level=depth))
    for caller, call in sites[:_MAX_CALL_SITES]:
        place = words.places.of_instr(caller, call)
        text = words.quoted(place) if place is not None else "the call"
        b.add(b.at_place(RungKind.CALL, place, f"{text} would have called {fn.name}(), and was not executed", depth))
        _tell_block(b, caller, call.block, depth + 1, seen)
