"""The bytes of the arguments and of standard input that the failure depended on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from butfor.libc.library import scans
from butfor.run_story import RunInput
from butfor.trace.log.record_layout import STDIN_STREAM, EventKind
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, UnknownValue

_MAX_BYTES_SHOWN = 2000  # of one input: about a screen
_BYTES_SHOWN_BEFORE = 40  # the first that matters
_MAX_RELEVANT_BYTES = 100_000  # collected in all; far more than is ever shown
_STDIN = 0  # as an input; arguments have the numbers from 1
_WORD = re.compile(rb"\S+")
_BLANK = re.compile(rb"\s*")

InputRange = tuple[int, int, int]  # input (0 for stdin, else an argument), first byte, end


def relevant_inputs(recording: Recording, slice_nodes: Iterable[Node]) -> tuple[RunInput, ...]:
    """The inputs that instances of a slice read, with the bytes they read; inputs that none read are left out."""
    stdin = (recording.home / "stdin").read_bytes() if (recording.home / "stdin").exists() else b""
    reads = _InputReads(recording, stdin)
    bytes_read: dict[int, set[int]] = {}
    count = 0
    for node in slice_nodes:
        for which, start, end in reads.of(node):
            bytes_read.setdefault(which, set()).update(range(max(start, 0), min(end, start + _MAX_RELEVANT_BYTES)))
            count += end - start
        if count > _MAX_RELEVANT_BYTES:
            break
    args = [a.encode("utf-8", "surrogateescape") for a in recording.meta.args]
    return tuple(
        _run_input(
            "stdin" if which == _STDIN else f"argv[{which}]", stdin if which == _STDIN else args[which - 1], found
        )
        for which, found in sorted(bytes_read.items(), key=lambda row: (row[0] == _STDIN, row[0]))
        if which == _STDIN or which <= len(args)
    )


def _run_input(name: str, data: bytes, found: set[int]) -> RunInput:
    places = sorted(k for k in found if k < len(data))
    first = max(0, places[0] - _BYTES_SHOWN_BEFORE) if places and len(data) > _MAX_BYTES_SHOWN else 0
    part = data[first : first + _MAX_BYTES_SHOWN]
    spans: list[tuple[int, int]] = []
    for k in (p - first for p in places if p - first < len(part)):
        if spans and spans[-1][1] == k:
            spans[-1] = (spans[-1][0], k + 1)
        else:
            spans.append((k, k + 1))
    return RunInput(name, part, tuple(spans), len(data) - len(part))


class _InputReads:
    """The bytes of the inputs that instances read."""

    def __init__(self, recording: Recording, stdin: bytes) -> None:
        self.trace = recording.trace
        self.log = self.trace.log
        self.arguments = recording.arguments
        self.stdin = stdin

    def of(self, node: Node) -> Iterator[InputRange]:
        """The bytes that an instance read."""
        if node[1] < 0:
            return
        instr = self.trace.instr(node)
        if instr.op == "load":
            yield from self._load(node)
        elif instr.op == "call":
            for k in self.log.events_of(node[0]):
                e = self.log.event[k]
                if int(e["kind"]) == EventKind.READ_BY_CALL:
                    yield from self._argument(int(e["addr"]), int(e["len"]))
                    for writer, size, address in self.trace.last_writers.runs_read(
                        k + 1, 0, min(int(e["len"]), _MAX_BYTES_SHOWN), int(e["addr"])
                    ):
                        yield from self._written(writer, size, address)
                elif int(e["kind"]) == EventKind.INPUT and (int(e["addr"]) == 0 or scans(instr.callee)):
                    yield from self._input(k, 0, int(e["len"]), scans(instr.callee))

    def _load(self, node: Node) -> Iterator[InputRange]:
        try:
            address = int(self.trace.operand(node[0], self.trace.instr(node).args[0]))
            writers = self.trace.writers(node)
        except UnknownValue:
            return
        yield from self._argument(address, sum(size for _, size in writers))
        for writer, size in writers:
            yield from self._written(writer, size, address)
            address += size

    def _written(self, writer: int, size: int, address: int | None) -> Iterator[InputRange]:
        """Bytes of memory that an input call wrote."""
        if address is None:
            return
        for source in self.trace.last_writers.sources(writer, size, address):
            e = self.log.event[source.number - 1] if source.kind == "event" else None
            if e is not None and int(e["kind"]) == EventKind.INPUT and 0 <= address - int(e["addr"]) < int(e["len"]):
                yield from self._input(
                    source.number - 1,
                    address - int(e["addr"]),
                    min(size, int(e["addr"]) + int(e["len"]) - address),
                    False,
                )

    def _argument(self, address: int, size: int) -> Iterator[InputRange]:
        for k, (start, length) in enumerate(self.arguments):
            if k and start <= address < start + length:
                yield k, address - start, min(address + size, start + length) - start

    def _input(self, event: int, start: int, size: int, is_word: bool) -> Iterator[InputRange]:
        """Bytes of standard input; a conversion of scanf read a word, which is not as long as what it stored."""
        e = self.log.event[event]
        offset = int(e["addr2"].astype("int64"))
        if int(e["stream"]) != STDIN_STREAM or offset < 0:
            return
        if is_word:
            blank = _BLANK.match(self.stdin, offset)
            word = _WORD.match(self.stdin, blank.end() if blank else offset)
            if word is not None:
                yield _STDIN, word.start(), word.end()
        else:
            yield _STDIN, offset + start, offset + start + size
