"""The failure of a run, from how it ended, what was expected, and memory errors that it survived."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from butfor.errors import UnsupportedError
from butfor.explanation import Failure, FailureKind
from butfor.failures.arithmetic_errors import arithmetic_errors
from butfor.failures.check_functions import failed_check
from butfor.failures.checks_behind_status import check_behind_status
from butfor.failures.crash import crash_failure, operand_roots
from butfor.failures.endless_loops import condition_variables, endless_loop
from butfor.failures.failure_point import FailurePoint, Unsupported
from butfor.failures.memory_errors import is_corrupting, memory_errors
from butfor.failures.uninitialised_reads import uninitialised_origin, uninitialised_use
from butfor.failures.wrong_output import first_difference, output_failure
from butfor.libc.library import control_of
from butfor.libc.record import Control
from butfor.options import RunOptions
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.columns import EndReason
from butfor.trace.log.record_layout import NO_FRAME, NO_SEGMENT
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import Steps

ABORTED = "abort() was called"  # the runtime's words
_MAX_INSTANCES_TRACED = 10_000  # back from a wrong value: milliseconds, and an invalid read is seldom farther away


@dataclass(frozen=True, slots=True)
class Verdict:
    """The failure, if there is one, and the memory errors seen besides it."""

    failure: FailurePoint | None
    memory: tuple[FailurePoint, ...] = ()
    assumption_violated: bool = False


def find_failure(
    recording: Recording,
    dependence: Dependence,
    look_for_memory_errors: bool = True,
    known_objects: RunObjects | None = None,
    *,
    look_for_arithmetic_errors: bool = False,
    trusted: Collection[str] = (),
) -> Verdict:
    """What failed in a recorded run; raises `Unsupported` for runs that cannot be recorded faithfully.

    A check in a function that is `trusted` fails where the function is called.
    """
    trace = recording.trace
    objects = known_objects or RunObjects(recording)
    errors = memory_errors(trace, objects) if look_for_memory_errors else []
    if look_for_arithmetic_errors:
        errors = sorted((*errors, *arithmetic_errors(trace)), key=lambda e: e.node or (0, 0))
    end = trace.log.end
    if end.reason == EndReason.UNSUPPORTED:
        raise _unsupported(trace)
    failure = _ended_badly(recording, trace, dependence, objects, errors)
    if failure is not None and failure.kind in (FailureKind.SIGNAL, FailureKind.DIVISION) and look_for_memory_errors:
        failure = _invalid_read_behind(dependence, failure, errors) or _naming_uninitialised_origin(
            trace, objects, dependence, failure
        )
    if failure is not None and failure.kind is FailureKind.NO_END:
        failure = _memory_error_behind(trace, dependence, failure, errors)
    if failure is None and end.reason != EndReason.ASSUME:
        failure = _error_before_status(errors, _failed_expectation(recording, trace, dependence, trusted)) or next(
            iter(errors), None
        )
    if failure is None and end.reason != EndReason.ASSUME:
        failure = _unexpected_exit(recording, trace, dependence, trusted)
        if look_for_memory_errors and (failure is None or "status" in failure.details):
            failure = _before_exit(uninitialised_use(trace, objects), failure)
    rest = tuple(e for e in errors if failure is None or not failure.is_survivable or e.node != failure.node)
    return Verdict(failure, rest, end.reason == EndReason.ASSUME)


def verdict_on(
    recording: Recording,
    places: Places,
    dependence: Dependence,
    options: RunOptions,
    trusted: Collection[str] = (),
) -> Verdict:
    """What failed; raises `UnsupportedError`, with its position, for runs that cannot be recorded faithfully."""
    try:
        return find_failure(
            recording,
            dependence,
            options.memory_errors,
            places.objects,
            look_for_arithmetic_errors=options.arithmetic_errors,
            trusted=trusted,
        )
    except Unsupported as e:
        place = places.of(e.node) if e.node is not None else None
        file, line = (place.file, place.line) if place is not None else ("", 0)
        raise UnsupportedError(e.what, file=file, line=line) from e


def reported_failure(point: FailurePoint, places: Places) -> Failure:
    """The failure as reports show it: at its position in the user's own code."""
    node = places.in_user_code(point.node) if point.node is not None else None
    place = places.of(node) if node is not None else None
    where = places.location(places.trace.instr(node)) if node is not None and node[1] >= 0 else None
    if place is None:
        function = places.trace.at(node[0]).fn.name if node is not None else ""
        file, line, column = (places.shown(where.file), where.line, where.column) if where is not None else ("", 0, 0)
        return Failure(point.kind, file, line, column, function, point.message, dict(point.details))
    same = where is not None and places.shown(where.file) == place.file and where.line >= place.line
    line, column = (where.line, where.column) if same and where is not None else (place.line, place.column)
    return Failure(
        point.kind, place.file, line, column, place.function, point.message, {**point.details, "text": place.text}
    )


def _last_node(trace: Trace) -> Node:
    """The last instruction of the last segment."""
    i = len(trace) - 1
    return i, trace.at(i).seg.end - 1


def _unsupported(trace: Trace) -> Unsupported:
    what, _, site = trace.log.end.text.partition(" ")
    node = _last_node(trace)
    if what == "1":
        return Unsupported("inline assembly", (node[0], int(site)))
    return Unsupported("a program with threads", node)


def _ended_badly(
    recording: Recording, trace: Trace, dependence: Dependence, objects: RunObjects, errors: list[FailurePoint]
) -> FailurePoint | None:
    end = trace.log.end
    if recording.meta.limit:  # even if the signal that stopped it made it end well
        return _no_end(recording, trace, dependence, objects)
    match end.reason:
        case EndReason.ASSERT:
            node = _last_node(trace)
            decision = dependence.control(node[0])
            roots = () if decision is None else (decision,)
            return FailurePoint(
                FailureKind.ASSERTION, f"assertion failed: {end.text}", node, roots, details={"assertion": end.text}
            )
        case EndReason.REACH_ERROR:
            return _reach_error(trace, dependence)
        case EndReason.SIGNAL if end.text == ABORTED:
            node = _last_node(trace)
            decided = _decision_of_check(trace, dependence, node)
            return FailurePoint(FailureKind.ASSERTION, end.text, node, decided, {"signal": "SIGABRT"})
        case EndReason.SIGNAL:
            corrupting = next((e for e in errors if is_corrupting(e)), None)
            return corrupting if corrupting is not None else crash_failure(trace, objects, end.status)
        case EndReason.LIMIT:
            return _no_end(recording, trace, dependence, objects)
        case _:
            return None


def _invalid_read_behind(
    dependence: Dependence, crash: FailurePoint, errors: list[FailurePoint]
) -> FailurePoint | None:
    """The invalid read that the value with which the run crashed came from: that went wrong first."""
    reads = {e.node: e for e in errors if e.node is not None}
    found = (
        next((reads[node] for node in _data_sources(dependence, crash.roots) if node in reads), None) if reads else None
    )
    if found is None:
        return None
    message = f"{found.message}; what it read led to this: {crash.message}"
    return replace(found, message=message, details={**crash.details, **found.details})


def _memory_error_behind(
    trace: Trace, dependence: Dependence, endless: FailurePoint, errors: list[FailurePoint]
) -> FailurePoint:
    """The memory error after which a run did not end, where its loop reads what went wrong; else the endless run.

    An error is told where it first happened; the loop may repeat it in every round.
    """
    corrupting = next((e for e in errors if is_corrupting(e)), None)
    found = corrupting
    if found is None:
        first = {(trace.at(e.node[0]).fn.name, e.node[1]): e for e in reversed(errors) if e.node is not None}
        near = _data_sources(dependence, endless.roots) if first else ()
        repeated = {(trace.at(i).fn.name, n) for i, n in near}
        found = next((e for e in errors if any(first.get(where) is e for where in repeated)), None)
    if found is None:
        return endless
    message = f"{found.message}; after that, {endless.message}"
    return replace(found, message=message, details={**endless.details, **found.details})


def _data_sources(dependence: Dependence, roots: Iterable[Node]) -> Iterator[Node]:
    """The instances that values came from, nearest first, as far as they are looked for."""
    work = deque(roots)
    seen = set(work)
    for _ in range(_MAX_INSTANCES_TRACED):
        if not work:
            return
        node = work.popleft()
        yield node
        fresh = [target for kind, target in dependence.edges(node) if kind == "data" and target not in seen]
        seen.update(fresh)
        work += fresh


def _naming_uninitialised_origin(
    trace: Trace, objects: RunObjects, dependence: Dependence, point: FailurePoint
) -> FailurePoint:
    """The failure, whose message says so if the wrong value came from memory that was never written."""
    found = uninitialised_origin(trace, objects, dependence, point)
    if found is None or point.node is None:
        return point
    instr = trace.instr(point.node)
    is_argument = instr.callee is not None
    what = "the divisor" if point.kind is FailureKind.DIVISION else "an argument" if is_argument else "the pointer"
    verb = "was never given a value, it comes from" if found.is_itself else "was computed from"
    message = f"{point.message}: {what} {verb} uninitialised memory of {found.memory}"
    return replace(point, message=message, details={**point.details, "uninitialised": found.memory})


def _decision_of_check(trace: Trace, dependence: Dependence, node: Node) -> tuple[Node, ...]:
    """What decided that a check failed, where the failure is in a function that only checks."""
    decision = dependence.control(node[0]) if failed_check(trace, node).functions else None
    return () if decision is None else (decision,)


def _reach_error(trace: Trace, dependence: Dependence) -> FailurePoint:
    node = _last_node(trace)
    if control_of(trace.at(node[0]).fn.name) is Control.ERROR_LOCATION:
        node = trace.call_of(node[0]) or node
    roots = _decision_of_check(trace, dependence, node)
    return FailurePoint(FailureKind.REACH_ERROR, "the error location is reached", node, roots)


def _no_end(recording: Recording, trace: Trace, dependence: Dependence, objects: RunObjects) -> FailurePoint:
    i = min(max(trace.log.end.stopped, 1), len(trace)) - 1 if trace.log.end.stopped else len(trace) - 1
    endless = endless_loop(trace, i)
    node = endless.decision if endless is not None else None
    limit = recording.meta.limit or trace.log.end.text
    seconds = recording.meta.seconds
    words = {
        "time": f"the program was still running after {seconds:{'.1f' if seconds >= 0.1 else '.1g'}} s",
        "output": "the program wrote more output than the limit",
        "log": "the run is longer than a recording can hold",
        "memory": "the program needed more memory than the limit (--memory-limit)",
        "steps": "the program was still running at the step limit",
    }
    message = words.get(limit, words["time"])
    details: dict[str, Any] = {"limit": limit}
    if endless is not None and node is None:
        message += ": nothing in the loop decides about leaving it"
    elif endless is not None:
        variables = condition_variables(Steps(Places(recording), objects, dependence), endless)
        details["values"] = {
            name: f"{w.text} in {'every' if w.is_same else 'the latest'} round" for name, w in variables.items()
        }
        details["unchanged"] = [name for name, w in variables.items() if w.is_same]
        details["progress"] = [name for name, w in variables.items() if w.is_new_each_time]
        if details["progress"] and limit in ("time", "steps"):
            message += ": nothing shows that it would not have ended"
        if not variables:
            message += ": the condition of the loop reads no variables"
    roots = () if node is None else (node,)
    return FailurePoint(FailureKind.NO_END, message, node or (i, trace.at(i).seg.end - 1), roots, details)


def _failed_expectation(
    recording: Recording, trace: Trace, dependence: Dependence, trusted: Collection[str]
) -> FailurePoint | None:
    meta = recording.meta
    if meta.expect_stdout is not None:
        actual, expected = recording.stdout, meta.expect_stdout.encode("latin-1")
        difference = first_difference(actual, expected)
        if difference is not None:
            return output_failure(trace, dependence, actual, expected, difference)
    wanted = meta.expect_exit
    status = trace.log.end.status
    return None if wanted is None or status == wanted else _exit_status(recording, dependence, wanted, trusted)


def _error_before_status(errors: list[FailurePoint], failure: FailurePoint | None) -> FailurePoint | None:
    """The failure, or a memory error before it where it is only told by the exit status: that may come of the error."""
    if failure is None or failure.node is None or "status" not in failure.details or not errors:
        return failure
    first = errors[0]
    return first if first.node is not None and first.node < failure.node else failure


def _unexpected_exit(
    recording: Recording, trace: Trace, dependence: Dependence, trusted: Collection[str]
) -> FailurePoint | None:
    """An exit status other than 0 where nothing is said about what to expect."""
    meta, status = recording.meta, trace.log.end.status
    if status == 0 or meta.expect_exit is not None or meta.expect_stdout is not None or _exit_is_accidental(trace):
        return None
    return _exit_status(recording, dependence, 0, trusted)


def _before_exit(use: FailurePoint | None, failure: FailurePoint | None) -> FailurePoint | None:
    """The use of an uninitialised value before an exit status that nobody said to be wrong; else the failure."""
    if use is None or failure is None or use.node is None or failure.node is None:
        return failure or use
    if use.node >= failure.node or failure.kind is not FailureKind.EXIT_STATUS:
        return failure
    message = f"{use.message}; the program ended with exit status {failure.details['status']}"
    return replace(use, message=message)


def _exit_is_accidental(trace: Trace) -> bool:
    """Whether main ended without setting a status, as old programs do."""
    node = _last_node(trace)
    instr = trace.instr(node)
    if instr.op != "ret" or not instr.args:
        return False
    value = instr.args[0]
    if not isinstance(value, int):
        return value.kind == "undef"
    at = trace.definition(node[0], value)
    if at[1] < 0 or trace.instr(at).op != "load":
        return False
    sources = [s for w, size in trace.writers(at) for s in trace.last_writers.sources(w, size)]
    return any(s.kind == "uninit" for s in sources)


def _exit_status(recording: Recording, dependence: Dependence, wanted: int, trusted: Collection[str]) -> FailurePoint:
    trace = recording.trace
    status = trace.log.end.status
    places = Places(recording)
    node = _exit_node(trace)
    instr = trace.instr(node)
    behind = check_behind_status(trace, dependence, node, instr.args[0], trusted) if instr.args and not wanted else None
    if behind is not None and behind.is_written_as_one(places, trusted):
        details = {"status": status, "expected": wanted}
        message = f"the first of the failed checks that led to exit status {status}"
        return FailurePoint(FailureKind.ASSERTION, message, behind.node, behind.roots, details)
    values = operand_roots(trace, node, slice(0, 1))
    message = f"exit status {status}, expected {wanted}"
    return FailurePoint(FailureKind.EXIT_STATUS, message, node, values, {"status": status, "expected": wanted})


def _exit_node(trace: Trace) -> Node:
    """The call of exit, or main's return, that ended the run; functions registered with atexit may have followed."""
    log = trace.log
    i = len(trace) - 1
    frame = log.frame_of(i)
    while True:
        s = trace.at(i)
        if s.call is not None and control_of(s.call.callee) is Control.EXIT:
            return i, s.call.index
        if s.fn.name == "main" and s.last.op == "ret":
            return i, s.last.index
        parent = int(log.frame["parent"][frame])
        if parent == NO_FRAME or int(log.frame["caller"][frame]) == NO_SEGMENT:  # an exit handler after main's return
            places = [
                p
                for b in trace.program.function("main").blocks
                for p in log.positions(trace.static.last_of_block(trace.program.function("main"), b.index))
            ]
            at = max((int(p) for p in places if trace.at(int(p)).last.op == "ret"), default=i)
            return at, trace.at(at).last.index
        i = int(log.frame["caller"][frame])
        frame = parent
