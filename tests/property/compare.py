"""A C program run plainly and recorded: where the recording disagrees with the plain run or with itself."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from butfor.failures.uninitialised_reads import uninitialised_use
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import Kind
from butfor.ir.recording_segments import ENTRY
from butfor.options import Options
from butfor.trace.log.record_layout import ErrorKind
from butfor.trace.log.static_segments import LogCursor, StaticSegment
from butfor.trace.recording import Recording
from butfor.trace.replay.full_replay import Replay
from butfor.trace.replay.replay_memory import equal_where_defined
from butfor.trace.replay.replay_state import UNKNOWN, ReplayFrame, ReplayResult
from butfor.trace.semantics.instruction_semantics import to_bytes
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.run_objects import RunObjects

NATIVE = (
    "-g",
    "-O0",
    "-fno-sanitize=all",
    "-fno-stack-protector",
    "-march=x86_64",
    "-w",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
)


@dataclass
class Outcome:
    """What was found: `wrong` is empty when all agree; the rest says how much was compared."""

    wrong: list[str] = field(default_factory=list)
    check: ReplayResult = field(default_factory=ReplayResult)
    values: int = 0
    accesses: int = 0
    branches: int = 0
    unknown: int = 0


class Watched(Replay):
    """The forward replay, which keeps the results of a random sample of instances."""

    def __init__(self, trace: Trace, rng: random.Random, share: float) -> None:
        super().__init__(trace)
        self._rng = rng
        self._share = share
        self.results: list[tuple[Node, Any]] = []
        self.loads: list[tuple[Node, bytes]] = []
        self.stores: list[tuple[Node, bytes]] = []
        self.branches: list[Node] = []

    def _keep(self, node: Node, f: ReplayFrame, slot: int) -> None:
        value = f.regs.get(slot, UNKNOWN)
        if value is not UNKNOWN:
            self.results.append((node, value))

    def enter(self, i: int, s: StaticSegment) -> ReplayFrame:
        f = super().enter(i, s)
        if s.seg.flags & ENTRY and self._rng.random() < self._share:
            for k, size in enumerate(f.fn.byval):
                if not size:
                    self._keep((i, ~k), f, k)
        return f

    def after_call(self, i: int, s: StaticSegment, f: ReplayFrame, words: int) -> None:
        super().after_call(i, s, f, words)
        call = s.fn.instrs[s.seg.start - 1]
        if call.slot >= 0 and self._rng.random() < self._share:
            self._keep((i, call.index), f, call.slot)

    def instr(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> None:
        super().instr(i, s, f, instr, at)
        if self._rng.random() >= self._share:
            return
        node = (i, instr.index)
        if instr.slot >= 0 and s.call is not instr:
            self._keep(node, f, instr.slot)
        value = UNKNOWN
        if instr.op == "load":
            value, t, kept = f.regs[instr.slot], instr.type, self.loads
        elif instr.op == "store":
            value, t, kept = f.value(instr.args[0]), instr.detail, self.stores
        elif instr.op in ("br", "switch") and instr.args:
            self.branches.append(node)
        if value is not UNKNOWN and not t.is_aggregate:
            kept.append((node, to_bytes(value, t)))


def native_run(source: Path, folder: Path) -> tuple[int, bytes]:
    """Exit status and output of the plainly compiled program; an exception when it does not compile."""
    program = folder / "native"
    command = [sys.executable, "-m", "ziglang", "cc", *NATIVE, str(source), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run(
        [program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False
    )
    return done.returncode, done.stdout


def compare(source: Path, folder: Path, seed: int = 0, sample: int = 3000, forget: bool = False) -> Outcome:
    """What a recorded run of the program gets wrong.

    About `sample` instances are also asked for lazily; `forget` keeps the program out of the cache.
    """
    out = Outcome()
    status, stdout = native_run(source, folder)
    options = Options(sources=(source,), time_limit=60.0)
    program = compile_program(options, lambda _: None)
    recording = record(options, program, lambda _: None)
    if forget:
        shutil.rmtree(program.home)
    if recording.meta.returncode != status:
        out.wrong.append(
            f"exit status {recording.meta.returncode} when recorded, {status} natively; {recording.log.end}"
        )
    if recording.stdout != stdout:
        out.wrong.append(_first_difference(recording.stdout, stdout))
    out.wrong += _false_alarms(recording)
    rng = random.Random(seed)
    trace = recording.trace
    replay = Watched(trace, rng, min(1.0, sample / (10 * len(trace))))
    out.check = replay.run(None)
    if out.check.mismatches:
        out.wrong += [f"{out.check.mismatches} mismatches in the replay", *out.check.shown]
    _lazily(trace, replay, rng, out)
    return out


def _first_difference(recorded: bytes, native: bytes) -> str:
    for k, (a, b) in enumerate(zip(recorded.splitlines(), native.splitlines(), strict=False)):
        if a != b:
            return f"output line {k + 1} is {a!r} when recorded, {b!r} natively"
    return f"{len(recorded)} bytes of output when recorded, {len(native)} natively"


def _false_alarms(recording: Recording) -> list[str]:
    found = []
    undefined = uninitialised_use(recording.trace, RunObjects(recording)).point
    if undefined is not None:
        found.append(f"false alarm: {undefined.message}")
    for e in recording.log.error:
        kind = ErrorKind(int(e["kind"]))
        fn = recording.trace.at(int(e["seg"])).fn.name
        if not kind.is_arithmetic:  # noted always and told on demand; some of these programs wrap on purpose
            found.append(f"reported {kind.name} of {int(e['size'])} bytes at {int(e['addr']):#x} in {fn}")
    return found[:5]


def _lazily(trace: Trace, replay: Watched, rng: random.Random, out: Outcome) -> None:
    """Compare the sample with what the trace gives on demand, in random order: no answer builds on another."""
    for kept in (replay.results, replay.loads, replay.stores, replay.branches):
        rng.shuffle(kept)
    for node, value in replay.results:
        try:
            found = trace.value(node)
        except UnknownValue:
            out.unknown += 1
            continue
        out.values += 1
        if found != value and not _same_number(trace, node, value, found):
            out.wrong.append(f"{_place(trace, node)}: {value!r} forward, {found!r} on demand")
    for what, read, nodes in (("load", trace.loaded_bytes, replay.loads), ("store", trace.stored_bytes, replay.stores)):
        for node, data in nodes:
            out.accesses += 1
            found, instr = read(node)[: len(data)], trace.instr(node)
            if found != data and not equal_where_defined(data, found, instr.type if what == "load" else instr.detail):
                out.wrong.append(f"{_place(trace, node)}: {what} of {data.hex()} forward, {found.hex()} on demand")
    for node in replay.branches:
        _branch(trace, node, out)
    del out.wrong[20:]


def _same_number(trace: Trace, node: Node, value: Any, found: Any) -> bool:
    """Whether both values are NaNs: which one an operation gives is open."""
    t = trace.at(node[0]).fn.params[~node[1]] if node[1] < 0 else trace.instr(node).type
    return t.kind in (Kind.FLOAT, Kind.VECTOR) and equal_where_defined(to_bytes(value, t), to_bytes(found, t), t)


def _branch(trace: Trace, node: Node, out: Outcome) -> None:
    instr = trace.instr(node)
    after = trace.next_in_frame(node[0])
    if after < 0:
        return
    try:
        value = trace.operand(node[0], instr.args[0])
    except UnknownValue:
        out.unknown += 1
        return
    out.branches += 1
    if instr.op == "br":
        target = instr.detail[0] if value else instr.detail[1]
    else:
        target = dict(instr.detail[1]).get(value, instr.detail[0])
    went = trace.at(after).seg.block
    if went != target:
        out.wrong.append(f"{_place(trace, node)}: its operand leads to block {target}, the run went to {went}")


def _place(trace: Trace, node: Node) -> str:
    fn = trace.at(node[0]).fn
    what = f"parameter {~node[1]}" if node[1] < 0 else f"{fn.instrs[node[1]].op} {node[1]}"
    return f"segment {node[0]} in {fn.name}, {what}"
