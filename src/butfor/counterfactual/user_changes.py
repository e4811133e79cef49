"""One run of a recorded program with changes that the user chose: how it ends, what it writes, whether it still fails."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from butfor.counterfactual.change_candidates import Candidate
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.change_syntax import Speech
from butfor.counterfactual.change_words import Words
from butfor.counterfactual.experiment import Goal, allowances
from butfor.counterfactual.fork_server import MEMORY, Limits, Outcome, Server
from butfor.counterfactual.rerun import goal_of, hooked, same_run
from butfor.counterfactual.variables_in_scope import Variables
from butfor.errors import UsageError
from butfor.explanation import FailureKind
from butfor.failures.crash import signal_name
from butfor.failures.failure_point import FailurePoint
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.ir.change_sites import NOWHERE, Site, SiteKind
from butfor.options import RunOptions
from butfor.plain_json import merged
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places

_ENDS = ("exit", "assertion", "reach-error", "assumption", "limit", "memory")  # as the runtime numbers them


@dataclass(frozen=True, slots=True)
class Change:
    """One change: as `--with` takes it, in words, and how else the user's text could have been meant."""

    spelled: str
    text: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """How the run with the changes went. `end`: exit, signal, assertion, reach-error, assumption, limit or memory; `said`: what failed."""

    changes: tuple[Change, ...]
    avoids: bool
    why: str
    changed: int
    end: str
    exit_status: int | None
    signal: str | None
    said: str
    stdout: bytes
    recorded_stdout: bytes
    has_failed: bool  # the recorded run

    @property
    def ending(self) -> str:
        """How the run ended, in words that go on from "the changed run"."""
        match self.end:
            case "exit":
                return f"ended with exit status {self.exit_status}"
            case "signal":
                return f"was ended by {self.signal}"
            case "assertion":
                return f"ended with a failed assertion: {self.said}" if self.said else "called abort()"
            case "reach-error":
                return "reached the error location"
            case "assumption":
                return "ended at a violated assumption"
            case "memory":
                return f"was ended at a memory error: {self.said}"
        return "was stopped at a limit of time or size"

    def to_dict(self) -> dict[str, Any]:
        """The JSON report."""
        fixed = {
            "changes": [{"with": c.spelled, "text": c.text} for c in self.changes],
            "avoids": self.avoids,
            "why": self.why,
            "changed": self.changed,
            "exit_status": self.exit_status,
            "signal": self.signal,
            "end": self.end,
            "stdout": self.stdout,
            "recorded_stdout": self.recorded_stdout,
        }
        return merged(fixed, {})


def changed_run(
    places: Places, point: FailurePoint | None, texts: Sequence[str], cc: str | None, options: RunOptions
) -> ChangedRun:
    """The recorded run with these changes, all at once; `point` is how it failed without them."""
    recording = places.recording
    build = hooked(recording, cc, checked=options.memory_errors)
    speech = Speech(Variables(recording.program), build.sites, places.shown)
    rules = [speech.read(text) for text in texts]
    for k, rule in enumerate(rules):
        if rule.site != NOWHERE and any(r.site == rule.site for r in rules[:k]):
            raise UsageError(
                f"{texts[k]!r}: there is a change at this place already",
                hint="of several changes, each needs a place of its own",
            )
    goal = goal_of(recording, point, build) if point is not None else Goal(recording.stdout, False, None)
    probe = [Rule(goal.probe, Op.PROBE)] if goal.probe and all(r.site != goal.probe for r in rules) else []
    limits = Limits(int(1000 * options.time_limit), 2**62, options.output_limit)
    meta = recording.meta
    cwd = meta.folder if os.path.isdir(meta.folder) else None
    with Server(build, f"./{meta.name}", same_run(recording), goal.output, limits, cwd) as server:
        is_endless = point is not None and point.kind is FailureKind.NO_END
        allowed = allowances(server, goal) if point is not None and not is_endless else []
        usual = server.run([*probe, *allowed]) if point is not None and not is_endless else None
        if usual is not None and usual.end == MEMORY and not goal.is_whole:
            goal = replace(goal, output=server.output())
            server.adopt(allowed)
        outcome = server.run([*rules, *probe, *allowed])
        stdout = server.output()
        is_clean = not allowed or server.run(rules).end != MEMORY
    avoids, why = _verdict(point, goal, usual, outcome, bool(probe))
    if avoids and not is_clean:
        why += ", but for memory errors that the recorded run has too"
    end, signal = _ENDS[outcome.end], None
    if outcome.timed_out:
        end = "limit"
    elif outcome.end == 0 and os.WIFSIGNALED(outcome.status):
        end, signal = "signal", signal_name(os.WTERMSIG(outcome.status))
    words = Words(places)
    changes = tuple(
        Change(speech.write(rule), _text(words, rule, build.sites), tuple(map(speech.write, speech.alternatives(text))))
        for rule, text in zip(rules, texts, strict=True)
    )
    said = _error_text(recording, places, build, outcome) if outcome.end == MEMORY else outcome.said
    ended = (end, outcome.exit_status, signal, said)
    return ChangedRun(changes, avoids, why, outcome.changed, *ended, stdout, recording.stdout, point is not None)


_ERRORS = {
    1: "an access out of bounds",
    2: "a use after free",
    3: "a double free",
    4: "a free of a pointer that malloc did not return",
    5: "a use of a variable after its function returned",
    7: "a copy between places that overlap",
    16: "an uninitialised value decides a branch",
    17: "an uninitialised value is used as an address",
    18: "an uninitialised value is printed",
}  # as the runtime numbers them


def _error_text(recording: Recording, places: Places, build: HookedBuild, outcome: Outcome) -> str:
    """What the memory error was that ended a run, and where."""
    what = _ERRORS.get(outcome.error, "an invalid access")
    if not 0 < outcome.error_at <= len(build.checks):
        return what
    function, instr = build.checks[outcome.error_at - 1]
    fn = recording.program.function(function)
    place = places.of_instr(fn, fn.instrs[instr])
    return what if place is None else f"{what} at {places.shown(place.file)}:{place.line}"


def _text(words: Words, rule: Rule, sites: Sequence[Site]) -> str:
    if rule.op is Op.INITIAL:
        return words.had(Candidate(rule, Site(NOWHERE, "", -1, SiteKind.INITIAL, bits=8 * rule.size), "initial"))
    text = words.had(Candidate(rule, sites[rule.site - 1], "value"))
    return f"{text}, only at time number {rule.only}" if rule.only else text


def _verdict(
    point: FailurePoint | None, goal: Goal, usual: Outcome | None, outcome: Outcome, is_probed: bool
) -> tuple[bool, str]:
    """Whether the failure is avoided, and why that is said."""
    if point is None:
        return False, "the recorded run did not fail"
    if usual is not None and goal.is_met(usual):
        return False, "the run is not repeatable: run again without any change, the program does not fail"
    if not goal.is_met(outcome):
        return False, _shortfall(goal, outcome)
    if goal.is_whole:
        return True, "the expected output is produced exactly"
    same = goal.keeps(outcome)
    output = (
        "the same output up to the point of failure"
        if same
        else f"an output that differs after {outcome.matched} bytes"
    )
    missed = (
        ", but that point is reached less often than before"
        if is_probed and usual is not None and outcome.reached < usual.reached
        else ""
    )
    return True, f"there is no failure, and {output}{missed}"


def _shortfall(goal: Goal, outcome: Outcome) -> str:
    """What keeps a changed run from being right."""
    if outcome.end == MEMORY:
        return "the changed run has a memory error"
    if outcome.exit_status is None:
        return "the changed run fails too"
    if goal.is_whole and not goal.keeps(outcome):
        return f"its output differs from the expected output after {outcome.matched} bytes"
    if goal.is_whole and outcome.output > len(goal.output):
        return f"its output goes on after the {len(goal.output)} bytes that are expected"
    return f"its exit status is {outcome.exit_status}, not {goal.exit_status}"
