"""Which bytes from outside a library call gave to the program."""

from __future__ import annotations

from typing import Any

from butfor.libc.library import lookup, scans
from butfor.path.path_model import Input
from butfor.trace.log.record_layout import FIRST_EVENT_ID, EventKind, record_number
from butfor.trace.recording import Recording


class ExternalInputs:
    """Inputs of one run."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.log = recording.log
        self.trace = recording.trace

    def argument(self, address: int, size: int) -> Input | None:
        """The bytes of a command-line argument at an address; the zero that ends it stands behind them."""
        for k, (start, length) in enumerate(self.recording.arguments):
            if k and start <= address < start + length:
                return Input("argv", str(k), address - start, min(address - start + size, length - 1))
        return None

    def first(self, i: int) -> Input | None:
        """Some input that the library call of a segment instance brought."""
        rows = self._events(i)
        return self._input(rows[0], 0, int(rows[0]["len"])) if rows else None

    def arguments_read(self, i: int) -> list[Input]:
        """The arguments whose text the library call of a segment instance read."""
        found: dict[str, Input] = {}
        for k in self.log.events_of(i):
            e = self.log.event[k]
            source = self.argument(int(e["addr"]), int(e["len"])) if int(e["kind"]) == EventKind.READ_BY_CALL else None
            if source is not None:
                found.setdefault(source.name, source)
        return list(found.values())

    def result(self, i: int) -> Input | None:
        """The input that the result of the library call of a segment instance is made from."""
        for e in self._events(i):
            if not int(e["addr"]):
                return self._input(e, 0, int(e["len"]))
        return None

    def stored(self, i: int, address: int, size: int) -> Input | None:
        """The input that the library call of a segment instance put at an address."""
        for e in self._events(i):
            start, length = int(e["addr"]), int(e["len"])
            if start and start <= address and address + size <= start + length:
                found = self._input(e, address - start, size)
                return self._number(found, i) if self._is_scanned(i) else found
        return None

    def parsed(self, i: int) -> Input | None:
        """The input bytes that a call which turns text into a number has read, if it read nothing else."""
        call = self.trace.at(i).call
        called = None if call is None else lookup(call.callee)
        if called is None or not called.parses_number:
            return None
        found: list[Input | None] = []
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["kind"]) == EventKind.READ_BY_CALL:
                for writer, size, address in self.trace.last_writers.runs_read(k + 1, 0, int(e["len"]), int(e["addr"])):
                    found.append(self._source(writer, size, address or 0))
        return _together(found)

    def _source(self, writer: int, size: int, address: int) -> Input | None:
        if not writer:
            return self.argument(address, size)
        if writer < FIRST_EVENT_ID:
            return None
        e = self.log.event[record_number(writer) - 1]
        return (
            self._input(e, address - int(e["addr"]), size)
            if int(e["kind"]) == EventKind.INPUT and int(e["addr"])
            else Input("")
        )

    def _events(self, i: int) -> list[Any]:
        return [self.log.event[k] for k in self.log.events_of(i) if int(self.log.event[k]["kind"]) == EventKind.INPUT]

    def _input(self, e: Any, offset: int, size: int) -> Input:
        stream, start = int(e["stream"]), int(e["addr2"])
        if start >= 1 << 63:  # the place in the stream is not known
            start, offset, size = 0, 0, 0
        match stream:
            case 0:
                return Input("stdin", "", start + offset, start + offset + size)
            case -2:
                return Input("nondet", "", start, start + 1)
            case 1000:
                return Input("env", "", 0, 0)
        return Input("file", str(stream) if stream >= 0 else "", start + offset, start + offset + size)

    def _is_scanned(self, i: int) -> bool:
        call = self.trace.at(i).call
        return call is not None and scans(call.callee)

    def _number(self, found: Input, i: int) -> Input:
        """What a conversion of scanf read: the word that begins there."""
        text = self._text(found)
        end = found.start
        while end < len(text) and not text[end : end + 1].isspace():
            end += 1
        return Input(found.source, found.name, found.start, max(end, found.start))

    def _text(self, found: Input) -> bytes:
        path = self.recording.home / "stdin"
        return path.read_bytes() if found.source == "stdin" and path.exists() else b""


def _together(found: list[Input | None]) -> Input | None:
    """One range for neighbouring ones; bytes that end the text and have no source of their own are left out."""
    known = [f for f in found if f is not None and f.source]
    if not known or any(f is None for f in found) or len({(f.source, f.name) for f in known}) != 1:
        return None
    return Input(known[0].source, known[0].name, min(f.start for f in known), max(f.end for f in known))
