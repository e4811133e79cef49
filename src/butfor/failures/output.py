"""Output that differs from what was expected: the call and the argument that wrote the first wrong byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.point import FailurePoint
from butfor.trace.dependence import Dependence
from butfor.trace.memory import READ_BY_CALL
from butfor.trace.trace import Node, Trace

_AROUND = 40


@dataclass(frozen=True, slots=True)
class Difference:
    """The first byte at which two outputs differ. kind: differs, missing (the output ends early), extra (it goes on)."""

    kind: str
    offset: int
    line: int


def first_difference(actual: bytes, expected: bytes) -> Difference | None:
    """Where the outputs part, or None when they are equal."""
    if actual == expected:
        return None
    n = min(len(actual), len(expected))
    a, b = np.frombuffer(actual[:n], np.uint8), np.frombuffer(expected[:n], np.uint8)
    different = np.flatnonzero(a != b)
    offset = int(different[0]) if len(different) else n
    kind = "differs" if len(different) else "missing" if len(actual) < len(expected) else "extra"
    return Difference(kind, offset, expected[:offset].count(b"\n") + 1)


def _line_around(data: bytes, offset: int) -> bytes:
    start = max(data.rfind(b"\n", 0, offset) + 1, offset - _AROUND)
    end = data.find(b"\n", offset)
    end = len(data) if end < 0 else end
    return data[start : min(end, offset + _AROUND)]


def output_failure(trace: Trace, dependence: Dependence, actual: bytes, expected: bytes, difference: Difference) -> FailurePoint:
    """The failure of a run with wrong output."""
    details = {
        "expected": _line_around(expected, difference.offset),
        "actual": _line_around(actual, difference.offset),
        "offset": difference.offset,
        "output_line": difference.line,
        "difference": difference.kind,
    }
    if difference.kind == "missing":
        return _missing(trace, dependence, details)
    call = _writer(trace, difference.offset)
    word = "more output than expected" if difference.kind == "extra" else "the output differs from the expected output"
    message = f"{word} at line {difference.line}"
    if call is None:
        node = (len(trace) - 1, trace.at(len(trace) - 1).seg.end - 1)
        return FailurePoint(FailureKind.OUTPUT, message, node, (), details=details)
    node, argument, within = call
    values = _values(trace, dependence, node, argument, within)
    maybe = _ended_early(trace, dependence, difference.offset)
    return FailurePoint(FailureKind.OUTPUT, message, node, values, details, maybe, _silence(trace, node[0]))


def _silence(trace: Trace, i: int) -> tuple[int, int]:
    """From the print before this one to this one."""
    earlier = [int(o["seg"]) for o in trace.log.output if int(o["seg"]) < i]
    return (earlier[-1] if earlier else 0), i


def _ended_early(trace: Trace, dependence: Dependence, offset: int) -> tuple[Node, ...]:
    """What was printed just before the first wrong byte, where that may simply have been too short."""
    before = _writer(trace, offset - 1) if offset else None
    here = _writer(trace, offset)
    if before is None or here is None or before[1] is None or before[:2] == here[:2]:
        return ()
    node, argument, within = before
    return _values(trace, dependence, node, argument, (within[0] + 1, within[1]))


def _missing(trace: Trace, dependence: Dependence, details: dict[str, Any]) -> FailurePoint:
    """Nothing was printed that should not have been: the question is why the run ended, or did not print, where it did."""
    i = len(trace) - 1
    node = (i, trace.at(i).seg.end - 1)
    since = int(trace.log.output[-1]["seg"]) if len(trace.log.output) else 0
    roots = dependence.missing_output(since, len(trace))
    return FailurePoint(FailureKind.OUTPUT, f"the output ends too early, at line {details['output_line']}", node, tuple(roots), details)


def _writer(trace: Trace, offset: int) -> tuple[Node, int | None, tuple[int, int]] | None:
    """The call that wrote the byte at an offset of the output, the index of the argument that shows there, and the byte's place in it."""
    spans = _spans(trace)
    for start, length, k, within in spans:
        if start <= offset < start + length:
            o = trace.log.output[k]
            i = int(o["seg"])
            call = trace.at(i).call
            node = (i, call.index) if call is not None else trace.call_of(i)
            if node is None:
                return None
            relative = offset - start + within
            at = int(o["piece"])
            for p in trace.log.piece[at : at + int(o["pieces"])]:
                if int(p["start"]) <= relative < int(p["end"]):
                    arg = int(p["arg"])
                    return node, None if arg >= 0xFFFF else arg, (relative - int(p["start"]), int(p["end"]) - int(p["start"]))
            return node, 1 if int(o["direct"]) else None, (relative, 1)
    return None


def _spans(trace: Trace) -> list[tuple[int, int, int, int]]:
    """(offset in the file, length, number of the record, offset within the record) of everything written, in file order.

    Bytes written past stdio have a known place; those written through stdio fill what is left, in order.
    """
    out = trace.log.output
    fixed = sorted((int(o["offset"]), int(o["len"]), k) for k, o in enumerate(out) if int(o["direct"]))
    spans = [(start, length, k, 0) for start, length, k in fixed]
    at = 0
    f = 0
    for k, o in enumerate(out):
        if int(o["direct"]):
            continue
        left, done = int(o["len"]), 0
        while left > 0:
            while f < len(fixed) and fixed[f][0] == at:
                at += fixed[f][1]
                f += 1
            room = fixed[f][0] - at if f < len(fixed) else left
            take = min(left, room) if room > 0 else left
            spans.append((at, take, k, done))
            at += take
            done += take
            left -= take
    spans.sort()
    return spans


def _values(trace: Trace, dependence: Dependence, node: Node, argument: int | None, within: tuple[int, int]) -> tuple[Node, ...]:
    """The instances whose values are shown at the wrong byte: the argument, or the text in memory it points to."""
    instr = trace.instr(node)
    if argument is None or argument >= len(instr.args):
        return (
            ()
            if argument is None and instr.detail.arg_types and instr.detail.callee not in ("vprintf", "vfprintf")
            else operand_roots(trace, node, slice(0, None))
        )
    values = list(operand_roots(trace, node, slice(argument, argument + 1)))
    if instr.detail.arg_types[argument].kind.value == "ptr":
        values += _text_behind(trace, dependence, node, argument, within[0])
    return tuple(values)


def _text_behind(trace: Trace, dependence: Dependence, node: Node, argument: int, offset: int) -> list[Node]:
    """The writers of the byte of a printed string that is wrong, its neighbours included when it cannot be told apart."""
    pointer = trace.operand(node[0], trace.instr(node).args[argument])
    out: list[Node] = []
    for k in trace.log.events_of(node[0]):
        e = trace.log.event[k]
        start, length = int(e["addr"]), int(e["len"])
        if int(e["kind"]) == READ_BY_CALL and start <= pointer < start + length:
            at = min(pointer - start + offset, length - 1)
            for writer, size, address in trace.memory.runs(k + 1, at, at + 1, start):
                for source in trace.memory.sources(writer, size, address):
                    out += [target for kind, target in dependence.source_edge(source) if kind == "data"]
    return out
