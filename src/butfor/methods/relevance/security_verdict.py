"""The security verdict on a failing run: do inputs control the failure, and which bytes of them?

The program decides: it is run with other inputs, and one with which it does not fail proves that inputs control the
failure. The path with free inputs proposes such inputs, and only the path can prove that there are none.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from butfor.counterfactual.input_steering import ControllingInput, InputSteering
from butfor.counterfactual.input_units import InputUnit, input_units, is_number, run_inputs, whole_inputs
from butfor.counterfactual.nondet_values import nondet_types
from butfor.counterfactual.rerun import hooked_program, recorded_spec
from butfor.errors import ButforError
from butfor.explanation import FailureKind
from butfor.libc.library import (
    is_nondeterministic,
    is_self_contained,
    names_where,
    prints,
    reports_failure,
)
from butfor.logic.solvers import Limit, Verdict
from butfor.logic.sorts import Value
from butfor.methods.case import FailingRun
from butfor.methods.relevance.avoidance_query import avoidable_by_inputs
from butfor.methods.relevance.instance_verdicts import Judgement, Relevance, judge
from butfor.methods.relevance.reads_in_order import is_read_in_order, is_read_last, reads_in_order
from butfor.path.forced_failure import fails_with_any_inputs
from butfor.path.path_model import Input, Kind, Path
from butfor.trace.log.record_layout import STDIN_STREAM, EventKind
from butfor.trace.semantics.integers import signed
from butfor.trace.trace import Node, Trace

_GETENV = re.compile(r'\bgetenv\s*\(\s*"([^"]+)"')
_OPENED = re.compile(rf'\b(?:{"|".join(names_where(lambda f: f.opens_file))})(?:64)?\s*\(\s*"([^"]+)"')
MAX_PROOF_SECONDS = 2.0  # for the proof that no input avoids the failure; most take far less
SECONDS_PER_INPUT_QUERY = 0.5  # to the solver, where only inputs are judged: they are many
MAX_VALUE_CHARACTERS = 40  # of a value in a sentence
MAX_UNASKED_INSTANCES = 10_000  # of the slice, for which a path is made where nobody asked: a second or so
MAX_REPORTED_INPUTS = 6  # one shows that inputs control the failure; more show which ones


@dataclass(frozen=True, slots=True)
class SecurityVerdict:
    """input-controlled, not-input-controlled or unknown; `how`: replayed, proved or tried; `why` in words.

    An input that is read one after the other controls the failure with a value that leads to it whatever comes in
    later. Replayed: nothing comes in later, or a proof says so; tried: no later input was found that avoids it.
    """

    verdict: str
    inputs: tuple[ControllingInput, ...] = ()
    how: str = ""
    why: str = ""
    runs: int = 0

    def plain(self) -> dict[str, Any]:
        """The verdict's part of the report."""
        rows = [
            {
                "source": s.unit.source,
                "name": s.unit.name,
                "start": s.unit.start,
                "end": s.unit.end,
                "fails": s.fails,
                "passes": s.passes,
            }
            for s in self.inputs
        ]
        return {"verdict": self.verdict, "inputs": rows, "evidence": self.how, "why": self.why, "runs": self.runs}

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.inputs:
            first = self.inputs[0]
            other = f"{_quoted(first.passes)} does not" if first.passes else "without it the run does not"
            values = f"{_quoted(first.fails)} fails, {other}; both were run"
            if self.how == "tried":
                return f"with what comes in later as it was, the failure is controlled by {first.unit.shown}: {values}"
            return f"the failure is controlled by {first.unit.shown}: {values}"
        return self.why


def _quoted(text: str) -> str:
    if not text:
        return "the end of the input"
    flat = text.encode("unicode_escape").decode() if not text.isprintable() else text
    if len(flat) <= MAX_VALUE_CHARACTERS:
        return f"`{flat}`"
    return f"`{flat[: MAX_VALUE_CHARACTERS - 3]}...` ({len(text)} characters)"


def security_verdict(
    case: FailingRun, seconds: float, judgement: Judgement | None = None, *, whole: bool = True
) -> SecurityVerdict:
    """The verdict within so many seconds.

    `judgement` is that of the path with free inputs, if there is one. `whole`: look for all inputs, not just for one.
    """
    reason = _cannot_be_judged(case)
    if reason:
        return SecurityVerdict("unknown", why=reason)
    end = time.monotonic() + seconds
    try:
        return _InputSearch(case, lambda: time.monotonic() >= end or case.budget.is_over(), whole).security(judgement)
    except ButforError as e:
        return SecurityVerdict("unknown", why=f"whether inputs control the failure could not be tried: {e.message}")


def _cannot_be_judged(case: FailingRun) -> str:
    """Why other inputs cannot be judged for this failure; empty when they can."""
    meta = case.recording.meta
    if case.point.kind is FailureKind.OUTPUT:
        return "whether inputs control the failure is not known: the right output is known for this input only"
    if case.point.kind is FailureKind.EXIT_STATUS and meta.expect_exit not in (None, 0):
        return "whether inputs control the failure is not known: the right exit status is known for this input only"
    return ""


def all_inputs_are_free(case: FailingRun) -> bool:
    """Whether nothing comes in from outside but results of nondeterministic calls.

    Only these have any value on the path with free inputs. Of everything else the path knows what the recorded run saw:
    that `getchar` gave a byte and not the end of the input, that `scanf` found no number and left the variable alone,
    that there was an argument, that a file could be opened.
    """
    found = case.slices["relevant"]
    return (
        found.complete
        and all(case.objects.globals.at(address) is not None for address in found.initial)
        and not any(_is_passed_from_outside(case.trace, node) for node in found.distance)
        and not any(_may_bring_input(name) for name in _library_calls(case.trace))
    )


def _is_passed_from_outside(trace: Trace, node: Node) -> bool:
    """Whether an instance is a parameter of main, or one that library code passed."""
    if node[1] >= 0:
        return False
    call = trace.call_of(node[0])
    return call is None or not trace.is_direct_call(call, trace.at(node[0]).fn)


def _library_calls(trace: Trace) -> Iterator[str | None]:
    """The library functions that were called in the run; None for calls of what is not known by name."""
    for number in np.flatnonzero(trace.log.counts > 0).tolist():
        s = trace.static[number]
        call = s.call
        if call is not None and s.layout.kinds[call.index] not in ("internal", "pure", "memory", "ignored"):
            yield call.callee


def _may_bring_input(name: str | None) -> bool:
    return not (is_nondeterministic(name) or is_self_contained(name) or prints(name) or reports_failure(name))


class _InputSearch:
    def __init__(self, case: FailingRun, is_over: Callable[[], bool], whole: bool) -> None:
        self.case = case
        self.is_over = is_over
        self.whole = whole
        recording = case.recording
        meta = recording.meta
        texts = list(case.places.texts().values())
        folder = meta.folder if os.path.isdir(meta.folder) else None
        self.run_inputs = run_inputs(recorded_spec(recording), folder or ".", _names_in(_OPENED, texts))
        events = recording.log.event
        streams = [int(e["stream"]) for e in events[events["kind"] == EventKind.INPUT]] if len(events) else []
        nondet = nondet_types(recording)
        self.units = input_units(self.run_inputs, _names_in(_GETENV, texts), nondet)
        if STDIN_STREAM not in streams:
            self.units = [u for u in self.units if u.source != "stdin"]
        arithmetic = case.options.arithmetic_errors
        build = hooked_program(recording, case.options.cc, checked=case.point.is_survivable, arithmetic=arithmetic)
        self.steering = InputSteering(build, meta.invoked_as, folder, self.run_inputs, case.point.kind)

    def security(self, judgement: Judgement | None) -> SecurityVerdict:
        with self.steering as steering:
            if not steering.fails():
                why = (
                    "whether inputs control the failure could not be tried: run again, the program behaves differently"
                )
                return SecurityVerdict("unknown", why=why)
            proposed = list(self._proposals(self.case.free_path, judgement)) if judgement is not None else []
            last = self._last_controlling(proposed)
            if last is not None:
                return self._read_one_by_one(last)
            found: dict[tuple[str, str, int], ControllingInput] = {}
            for steered in self._controlling(proposed):
                found.setdefault((steered.unit.source, steered.unit.name, steered.unit.start), steered)
                if not self.whole or len(found) >= MAX_REPORTED_INPUTS:
                    break
            if found:
                how = "tried" if reads_in_order(self.case.trace, self.run_inputs.spec.stdin) else "replayed"
                return SecurityVerdict("input-controlled", tuple(found.values()), how, runs=steering.runs)
            return self._without_replay(judgement)

    def _controlling(self, proposed: Iterable[tuple[InputUnit, str]]) -> Iterator[ControllingInput]:
        """Inputs that are there from the start and avoid the failure when the program is run with them."""
        for unit, text in proposed:
            steered = None if is_read_in_order(unit) else self.steering.try_text(unit, text, self.is_over)
            if steered is not None:
                yield steered
        yield from self.steering.find([u for u in self.units if not is_read_in_order(u)], self.is_over)
        yield from self.steering.find(whole_inputs(self.run_inputs), self.is_over)

    # --- inputs that are read one after the other ---------------------------------------------------------------------

    def _last_controlling(self, proposed: Iterable[tuple[InputUnit, str]]) -> ControllingInput | None:
        """The last of the inputs that are read in order with which the failure can be avoided.

        The recorded value of an earlier one does not lead to the failure whatever comes in later.
        """
        texts: dict[InputUnit, list[str]] = {}
        for unit, text in proposed:
            texts.setdefault(unit, []).append(text)
        units = {u for u in (*self.units, *texts) if is_read_in_order(u)}
        for unit in sorted(units, key=lambda u: (u.source, u.start, -u.end), reverse=True):
            tries = (self.steering.try_text(unit, text, self.is_over) for text in texts.get(unit, ()))
            found = next((t for t in tries if t is not None), None) or next(
                self.steering.find([unit], self.is_over), None
            )
            if found is not None:
                return found
        return None

    def _read_one_by_one(self, last: ControllingInput) -> SecurityVerdict:
        """The verdict for the last input that was found, or for a later one that the path gives."""
        while not self._is_read_last(last.unit) and not self.is_over():
            surely, better = self._is_surely_last(last)
            if surely or better is None:
                return SecurityVerdict(
                    "input-controlled", (last,), "replayed" if surely else "tried", runs=self.steering.runs
                )
            last = better
        how = "replayed" if self._is_read_last(last.unit) else "tried"
        return SecurityVerdict("input-controlled", (last,), how, runs=self.steering.runs)

    def _is_read_last(self, unit: InputUnit) -> bool:
        return is_read_last(unit, self.case.trace, self.run_inputs.spec.stdin)

    def _is_surely_last(self, found: ControllingInput) -> tuple[bool, ControllingInput | None]:
        """Whether no later input avoids the failure, by proof; if not, one that does."""
        if not self.whole and len(self.case.slices["relevant"].distance) > MAX_UNASKED_INSTANCES:
            return False, None
        try:
            path = self.case.free_path
        except ButforError:
            return False, None
        positions = [
            k
            for k, i in enumerate(path.instances)
            if any(_holds_part(source, found.unit) for source in i.inputs.values())
        ]
        if not positions:
            return False, None
        limit = Limit.after(MAX_PROOF_SECONDS, self.is_over)
        others = avoidable_by_inputs(path, limit, positions[-1] + 1)
        if others.verdict is Verdict.UNSAT:
            is_exact = not path.approximate and all_inputs_are_free(self.case)
            return is_exact and fails_with_any_inputs(path, limit, positions[-1] + 1), None
        for (position, cell), value in sorted(others.values.items(), reverse=True):
            proposal = self._proposal(path, position, cell, value)
            steered = None if proposal is None else self.steering.try_text(*proposal, self.is_over)
            if steered is not None and steered.unit.start >= found.unit.end:
                return False, steered
        return False, None

    # --- no run avoids the failure ------------------------------------------------------------------------------------

    def _without_replay(self, judgement: Judgement | None) -> SecurityVerdict:
        """The verdict when no run with other inputs avoided the failure: what the path proves or suggests."""
        runs = self.steering.runs
        tried = (
            f"none of {runs - 1} other inputs that were tried avoids the failure"
            if runs > 1
            else "there was no time to try other inputs"
            if self.is_over()
            else "there was no input to change"
        )
        is_long = len(self.case.slices["relevant"].distance) > MAX_UNASKED_INSTANCES
        if not self.whole and is_long:
            return SecurityVerdict("unknown", why=f"{tried}, but there may be one", runs=runs)
        try:
            path = self.case.free_path
        except ButforError:
            return SecurityVerdict("unknown", why=f"{tried}, but there may be one", runs=runs)
        limit = Limit.after(MAX_PROOF_SECONDS, self.case.budget.is_over)
        is_exact = not path.approximate and all_inputs_are_free(self.case)
        if is_exact and is_unavoidable(path, limit):
            return SecurityVerdict(
                "not-input-controlled",
                how="proved",
                why="no input controls the failure: it happens whatever comes in (proved)",
                runs=runs,
            )
        if judgement is None:
            only = {k for k, i in enumerate(path.instances) if i.kind is Kind.HAVOC}
            judgement = judge(path, self.is_over, flow=False, only=only, seconds_per_query=SECONDS_PER_INPUT_QUERY)
            for unit, text in self._proposals(path, judgement):
                steered = self.steering.try_text(unit, text, self.is_over)
                if steered is not None:
                    return self._read_one_by_one(steered)
        inputs = [j for k, j in judgement.by_position.items() if path.instances[k].kind is Kind.HAVOC]
        if self.is_over() or any(j.verdict is not Relevance.IRRELEVANT for j in inputs):
            return SecurityVerdict(
                "unknown", why=f"whether inputs control the failure is not known: {tried}", runs=self.steering.runs
            )
        return SecurityVerdict(
            "not-input-controlled",
            how="tried",
            why=f"no input seems to control the failure: {tried}",
            runs=self.steering.runs,
        )

    # --- proposals from the path --------------------------------------------------------------------------------------

    def _proposals(self, path: Path, judgement: Judgement) -> Iterator[tuple[InputUnit, str]]:
        """Inputs that should avoid the failure, since their values do so along the path; the latest first."""
        for k, judged in sorted(judgement.by_position.items(), reverse=True):
            instance = path.instances[k]
            for other in judged.counterfactual if instance.kind is Kind.HAVOC else ():
                proposal = self._proposal(path, k, other.cell.name, other.value)
                yield from () if proposal is None else (proposal,)

    def _proposal(self, path: Path, position: int, cell: str, value: Value) -> tuple[InputUnit, str] | None:
        """The input, and the text of it, with which a cell gets a value from outside."""
        if position < 0:
            return None
        instance = path.instances[position]
        source = instance.inputs.get(cell)
        sort = next((c.sort for c, _ in instance.writes if c.name == cell), 0)
        unit = None if source is None else self._unit(source.source, source.name, source.start, source.end)
        text = None if unit is None or sort <= 0 else _text(unit, instance.recorded[cell], value, sort)
        return None if unit is None or text is None else (unit, text)

    def _unit(self, source: str, name: str, start: int, end: int) -> InputUnit | None:
        spec = self.run_inputs.spec
        if source == "nondet":
            return next((u for u in self.units if u.source == "nondet" and u.start == start), None)
        if source == "argv" and int(name) <= len(spec.args):
            data = spec.args[int(name) - 1].encode("utf-8", "surrogateescape")
        elif source == "stdin":
            data = spec.stdin
        elif source == "file" and len(self.run_inputs.files) == 1:
            name, data = self.run_inputs.files[0]
        else:
            return None
        return (
            InputUnit(source, name, start, end, data[start:end].decode("utf-8", "surrogateescape"))
            if start < end
            else None
        )


def _holds_part(source: Input, unit: InputUnit) -> bool:
    """Whether what came in from outside has bytes of a unit."""
    return source.source == unit.source and source.start < unit.end and unit.start < max(source.end, source.start + 1)


def _text(unit: InputUnit, recorded: int, value: int, sort: int) -> str | None:
    """The input text that gives a cell another value: a decimal number, or the byte itself; None if there is none."""
    if is_number(unit.text) and int(unit.text) == signed(recorded, sort):
        return str(signed(value, sort))
    if unit.source == "nondet":
        return str(signed(value, sort))
    if unit.end - unit.start == 1 and unit.text and unit.text.isascii() and recorded & 0xFF == ord(unit.text):
        return chr(value & 0x7F) if value < 0x80 else ""
    return None


def _names_in(pattern: re.Pattern[str], texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for text in texts for name in pattern.findall(text)))


def is_unavoidable(path: Path, limit: Limit) -> bool:
    """Whether no inputs avoid the failure: by executing the path, and by a solver that is given its statements."""
    return avoidable_by_inputs(path, limit).verdict is Verdict.UNSAT and fails_with_any_inputs(path, limit)
