"""A recorded run against what the static analysis says about all runs."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint, Unsupported
from butfor.failures.find_failure import find_failure
from butfor.ir.instructions import Instr
from butfor.ir.intervals.proved_facts import StaticFacts
from butfor.ir.intervals.whole_program import analyse, forward_records
from butfor.ir.machine_types import Kind
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.semantics.register_values import TrapError
from butfor.trace.trace import Node, UnknownValue

NEVER = lambda: False  # noqa: E731 - a budget without end


class Judge:
    """Checks every value of a run up to the first write outside an object: after that, anything can happen."""

    def __init__(self, recording: Recording, max_segments: int = 4000) -> None:
        self.recording = recording
        self.trace = recording.trace
        self.program = recording.program
        self.records, self.reasons = forward_records(self.program, NEVER)
        self.facts: StaticFacts = analyse(self.program, NEVER)
        self.looked_at = 0
        self.max_segments = max_segments

    def failures(self) -> list[FailurePoint]:
        """The violated checks."""
        try:
            verdict = find_failure(self.recording, Dependence(self.trace))
        except Unsupported:
            return []
        found = [f for f in (verdict.failure, *verdict.memory) if f is not None and f.node is not None]
        return sorted(found, key=lambda f: f.node or (0, 0))

    def wrong(self) -> list[str]:
        """What the analysis excluded and the run did."""
        failures = self.failures()
        first = len(self.trace)
        found: list[str] = []
        for f in failures:  # in the order of the run
            found += self._denied(f)
            if (
                f.kind in _ENDING
                and f.node is not None
                and (self.trace.instr(f.node).op != "load" or not _is_bounds(f))
            ):
                first = f.node[0]
                break
        if self.records is None:
            return found
        for i in range(min(first, len(self.trace), self.max_segments)):
            found += self._segment(i)
        return found

    def _segment(self, i: int) -> Iterator[str]:
        assert self.records is not None
        s = self.trace.at(i)
        instrs = s.fn.instrs[s.seg.start : s.seg.end]
        if (s.fn.name, instrs[0].block) not in self.records.blocks:
            yield f"{s.fn.name}: block {instrs[0].block} is reached"
        for instr in instrs:
            if (
                instr.op == "store"
                and instr.detail.kind is Kind.INT
                and instr.detail.bits % 8 == 0
                and instr.index in s.offsets
            ):
                yield from self._compare(
                    s.fn.name,
                    instr,
                    int.from_bytes(self.trace.stored_bytes((i, instr.index)), "little"),
                    instr.detail.bits,
                )
            elif instr.slot >= 0 and instr.type.kind is Kind.INT and instr.op != "call":
                try:
                    value = self.trace.value((i, instr.index))
                except (UnknownValue, TrapError):
                    continue
                yield from self._compare(s.fn.name, instr, int(value), instr.type.bits)

    def _compare(self, name: str, instr: Instr, value: int, bits: int) -> Iterator[str]:
        assert self.records is not None
        self.looked_at += 1
        known = self.records.values.get((name, instr.index))
        if known is None:
            yield f"{name}: {instr.op} {instr.index} has a value"
        elif not any(known[0] <= v <= known[1] for v in (value, value - (1 << bits))):
            yield f"{name}: {instr.op} {instr.index} is {value}, not in {known}"

    def _denied(self, f: FailurePoint) -> Iterator[str]:
        """A violated check that is said to hold."""
        assert f.node is not None
        name, index = self._static(f.node)
        verdicts = {c.kind: c.verdict for c in self.facts.checks if (c.function, c.instr) == (name, index)}
        if f.kind in (FailureKind.ASSERTION, FailureKind.REACH_ERROR, FailureKind.DIVISION):
            kind = "division" if f.kind is FailureKind.DIVISION else "assertion"
            if verdicts.get(kind, "open") != "open":
                yield f"{name} {index}: {f.message}, but {kind} is {verdicts[kind]}"
        elif (
            f.kind in (FailureKind.MEMORY, FailureKind.SIGNAL)
            and verdicts
            and all(v != "open" for v in verdicts.values())
            and _is_bounds(f)
        ):
            yield f"{name} {index}: {f.message}, but {verdicts}"

    def _static(self, node: Node) -> tuple[str, int]:
        return self.trace.at(node[0]).fn.name, node[1]


_ENDING = (FailureKind.MEMORY, FailureKind.SIGNAL)


def _is_bounds(f: FailurePoint) -> bool:
    """Whether the failure is one that the analysis decides: uses of freed or uninitialised memory are not."""
    return not any(
        word in f.message
        for word in (
            "free",
            "uninitialised",
            "no longer",
            "ended",
            "stack overflow",
            "lifetime",
            "returned",
            "read-only",
        )
    )
