"""Wrong output: the call and the argument that wrote the first byte that is not as expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint, Printed
from butfor.libc.library import lookup
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import EventKind
from butfor.trace.trace import Node, Trace

_CONTEXT_BYTES = 40  # on either side of the wrong byte: half a terminal line
_NO_ARGUMENT = 0xFFFF  # in the log: a piece of the format itself


class ShownByte(NamedTuple):
    """A byte of the output: the call that printed it, and where it is in what an argument shows."""

    node: Node
    argument: int | None  # None for the format itself
    within: tuple[int, int]  # the byte's offset in what is shown for the argument, and the length of that


class OutputSpan(NamedTuple):
    """A part of the output that one record of the log wrote."""

    start: int  # offset in the output
    length: int
    record: int
    skipped: int  # bytes of the record before this part


@dataclass(frozen=True, slots=True)
class Difference:
    """The first byte at which two outputs differ."""

    kind: str  # differs, missing (the output ends early) or extra (it goes on)
    offset: int
    line: int


def first_difference(actual: bytes, expected: bytes) -> Difference | None:
    """Where the outputs begin to differ, or None when they are equal."""
    if actual == expected:
        return None
    n = min(len(actual), len(expected))
    a, b = np.frombuffer(actual[:n], np.uint8), np.frombuffer(expected[:n], np.uint8)
    different = np.flatnonzero(a != b)
    offset = int(different[0]) if len(different) else n
    kind = "differs" if len(different) else "missing" if len(actual) < len(expected) else "extra"
    return Difference(kind, offset, expected[:offset].count(b"\n") + 1)


def _line_around(data: bytes, offset: int) -> bytes:
    start = max(data.rfind(b"\n", 0, offset) + 1, offset - _CONTEXT_BYTES)
    end = data.find(b"\n", offset)
    end = len(data) if end < 0 else end
    return data[start : min(end, offset + _CONTEXT_BYTES)]


def output_failure(
    trace: Trace, dependence: Dependence, actual: bytes, expected: bytes, difference: Difference
) -> FailurePoint:
    """The failure of a run with wrong output."""
    details = {
        "expected": _line_around(expected, difference.offset),
        "actual": _line_around(actual, difference.offset),
        "offset": difference.offset,
        "output_line": difference.line,
        "difference": difference.kind,
    }
    if difference.kind == "missing":
        return _missing_output(trace, dependence, details)
    call = _shown_at(trace, difference.offset)
    word = "more output than expected" if difference.kind == "extra" else "the output differs from the expected output"
    message = f"{word} at line {difference.line}"
    if call is None:
        node = (len(trace) - 1, trace.at(len(trace) - 1).seg.end - 1)
        return FailurePoint(FailureKind.OUTPUT, message, node, (), details=details)
    node, argument, within = call
    values = _shown_values(trace, dependence, node, argument, within)
    early = _ended_early(trace, difference.offset)
    maybe = tuple(dict.fromkeys(n for shown in early for n in _shown_values(trace, dependence, *shown)))
    texts = tuple(dict.fromkeys(t for at, k, place in (call, *early) for t in _text_bytes(trace, at, k, place[0])))
    printed = _printed(argument, actual, expected, difference.offset, within)
    return FailurePoint(
        FailureKind.OUTPUT, message, node, values, details, maybe, _silent_interval(trace, node[0]), texts, printed
    )


def printed_at(
    trace: Trace, dependence: Dependence, output: bytes, start: int, end: int, column: int = 0
) -> FailurePoint | None:
    """What was printed at a column, from 1, of a line of the output, as if it were wrong; None if no call printed it.

    `start` and `end` are the offsets of the line. Without a column, it is the first value in the line.
    """
    offsets = range(start, max(end, start + 1)) if not column else range(start + column - 1, start + column)
    found = [(offset, shown) for offset in offsets if (shown := _shown_at(trace, offset)) is not None]
    valued = next(((o, s) for o, s in found if s.argument is not None), next(iter(found), None))
    if valued is None:
        return None
    offset, (node, argument, within) = valued
    values = _shown_values(trace, dependence, node, argument, within)
    printed = _printed(argument, output, output, offset, within)
    texts = tuple(_text_bytes(trace, node, argument, within[0]))
    return FailurePoint(FailureKind.OUTPUT, "", node, values, {}, wrong_text_bytes=texts, printed=printed)


def _printed(argument: int | None, actual: bytes, expected: bytes, offset: int, within: tuple[int, int]) -> Printed:
    start = offset - within[0]
    end = start + within[1]
    return Printed(
        argument,
        actual[start:end],
        within[0],
        expected[start : end + _CONTEXT_BYTES],
        actual[end : end + _CONTEXT_BYTES],
    )


def writes_of_output(trace: Trace, actual: bytes) -> list[tuple[Node, bytes]]:
    """The calls that wrote the output and what each wrote, in the order of the output."""
    found = []
    for start, length, k, _ in _output_spans(trace):
        i = int(trace.log.output[k]["seg"])
        call = trace.at(i).call
        node = (i, call.index) if call is not None else trace.call_of(i)
        if node is not None:
            found.append((node, actual[start : start + length]))
    return found


def _silent_interval(trace: Trace, i: int) -> tuple[int, int]:
    """The segment instances from the previous print to this one."""
    earlier = [int(o["seg"]) for o in trace.log.output if int(o["seg"]) < i]
    return (earlier[-1] if earlier else 0), i


def _ended_early(trace: Trace, offset: int) -> list[ShownByte]:
    """What was printed just before the first wrong byte and may simply have been too short or empty."""
    before = _shown_at(trace, offset - 1) if offset else None
    here = _shown_at(trace, offset)
    if here is None:
        return []
    found = _shown_empty(trace, offset)
    if before is not None and before[1] is not None and before[:2] != here[:2]:
        node, argument, within = before
        found.append(ShownByte(node, argument, (within[0] + 1, within[1])))
    return found


def _shown_empty(trace: Trace, offset: int) -> list[ShownByte]:
    """The arguments that the call which wrote a byte printed as nothing just before that byte."""
    found: list[ShownByte] = []
    for start, length, k, within in _output_spans(trace):
        if start <= offset < start + length:
            o, relative = trace.log.output[k], offset - start + within
            i, at = int(o["seg"]), int(o["piece"])
            call = trace.at(i).call
            for p in trace.log.piece[at : at + int(o["pieces"])] if call is not None else ():
                if int(p["start"]) == int(p["end"]) == relative and int(p["arg"]) < _NO_ARGUMENT and call is not None:
                    found.append(ShownByte((i, call.index), int(p["arg"]), (0, 0)))
    return found


def _missing_output(trace: Trace, dependence: Dependence, details: dict[str, Any]) -> FailurePoint:
    """The failure of a run whose output ends early: the question is why it ended there, or printed nothing more."""
    i = len(trace) - 1
    node = (i, trace.at(i).seg.end - 1)
    since = int(trace.log.output[-1]["seg"]) if len(trace.log.output) else 0
    roots = dependence.missing_output(since, len(trace))
    return FailurePoint(
        FailureKind.OUTPUT, f"the output ends too early, at line {details['output_line']}", node, tuple(roots), details
    )


def _shown_at(trace: Trace, offset: int) -> ShownByte | None:
    """What shows at an offset of the output, None where no call wrote it."""
    for start, length, k, within in _output_spans(trace):
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
                    place = relative - int(p["start"]), int(p["end"]) - int(p["start"])
                    return ShownByte(node, None if arg >= _NO_ARGUMENT else arg, place)
            return (
                ShownByte(node, 1, (relative, int(o["len"])))
                if int(o["direct"])
                else ShownByte(node, None, (relative, 1))
            )
    return None


def _output_spans(trace: Trace) -> list[OutputSpan]:
    """The parts of the output in the order of the file.

    Bytes written past stdio have a known place; those written through stdio fill what is left, in order.
    """
    out = trace.log.output
    fixed = sorted((int(o["offset"]), int(o["len"]), k) for k, o in enumerate(out) if int(o["direct"]))
    spans = [OutputSpan(start, length, k, 0) for start, length, k in fixed]
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
            spans.append(OutputSpan(at, take, k, done))
            at += take
            done += take
            left -= take
    spans.sort()
    return spans


def _shown_values(
    trace: Trace, dependence: Dependence, node: Node, argument: int | None, within: tuple[int, int]
) -> tuple[Node, ...]:
    """The instances whose values are shown at the wrong byte: the argument, or the text in memory it points to."""
    instr = trace.instr(node)
    if argument is None or argument >= len(instr.args):
        called = lookup(instr.callee)
        is_listed = called is not None and called.takes_argument_list
        return (
            ()
            if argument is None and instr.detail.arg_types and not is_listed
            else operand_roots(trace, node, slice(0, None))
        )
    values = list(operand_roots(trace, node, slice(argument, argument + 1)))
    if instr.detail.arg_types[argument].kind.value == "ptr":
        values += _text_writers(trace, dependence, node, argument, within[0])
    return tuple(values)


def _text_writers(trace: Trace, dependence: Dependence, node: Node, argument: int, offset: int) -> list[Node]:
    """The instances that wrote the byte at an offset of a printed string."""
    out: list[Node] = []
    for k, at in _text_bytes(trace, node, argument, offset):
        for writer, size, address in trace.last_writers.runs_read(k + 1, at, at + 1, int(trace.log.event[k]["addr"])):
            for source in trace.last_writers.sources(writer, size, address):
                out += [target for kind, target in dependence.source_edge(source) if kind == "data"]
    return out


def _text_bytes(trace: Trace, node: Node, argument: int | None, offset: int) -> list[tuple[int, int]]:
    """The byte at an offset of a printed string in what the call read: the number of the event and its offset there."""
    instr = trace.instr(node)
    if argument is None or argument >= len(instr.args) or instr.detail.arg_types[argument].kind.value != "ptr":
        return []
    pointer = trace.operand(node[0], instr.args[argument])
    found = []
    for k in trace.log.events_of(node[0]):
        e = trace.log.event[k]
        start, length = int(e["addr"]), int(e["len"])
        if int(e["kind"]) == EventKind.READ_BY_CALL and start <= pointer < start + length:
            found.append((k, min(pointer - start + offset, length - 1)))
    return found
