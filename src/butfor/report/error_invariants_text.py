"""The error invariants as text: what held, the next statement that mattered, what held then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import Page
from butfor.trace.view.heap_blocks import ordinal

METHOD = "error-invariants"
MAX_STATEMENTS_SHOWN = 14  # the last ones, about a screen; --verbose shows all
MAX_LINES_BESIDE_CAUSE_TREE = 8  # a longer story is left out there, unless --verbose asks for it
MAX_FACTS_SHOWN = 4  # of one invariant, on a line
MAX_FOLDED_LINES_NAMED = 8  # line numbers of steps that are folded
MIN_OCCURRENCES_FOLDED = 4  # a statement that occurs as often is in a loop: only its first and last are shown

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _TraceStep:
    """A statement with the conditions that it ran under and the invariant after it."""

    statement: Entry
    conditions: tuple[Entry, ...]
    facts: tuple[str, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """The statement, the same in all iterations."""
        return self.statement["file"], self.statement["line"], self.statement["text"], self.statement.get("frame", "")


def error_invariants_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The lines of the story; none if it is long and was not asked for."""
    data = explanation.methods.get(METHOD, {})
    trace = data.get("abstract_trace", ())
    if not trace:
        return
    lines = list(_lines(page, data, trace, verbose))
    if verbose or len(lines) <= MAX_LINES_BESIDE_CAUSE_TREE or "cascade" not in explanation.methods:
        yield "how it came to fail:"
        yield from lines


def _lines(page: Page, data: Entry, trace: list[Entry], verbose: bool) -> Iterator[str]:
    steps, last = _trace_steps(trace)
    shown = _facts(trace[0])
    if shown:
        yield from page.wrap(_joined(page, shown, verbose), first="  at the start: ", rest="      ")
    hidden: list[_TraceStep] = []
    for step, is_shown in zip(steps, _visible(steps, verbose), strict=True):
        if not is_shown:
            hidden.append(step)
            continue
        yield from _folded(page, hidden)
        hidden = []
        yield from page.wrap(_statement(page, step), first="  ", rest="      ")
        if set(step.facts) != set(shown):
            yield from page.wrap(_change(page, shown, step.facts, verbose), first="      ", rest="        ")
            shown = step.facts
    yield from _folded(page, hidden)
    yield from page.wrap(_end(page, data, last), first="  ", rest="      ")
    if data.get("irrelevant"):
        count = data["irrelevant"]
        yield f"  ({count} other step{'s' if count != 1 else ''} of the path made no difference)"
    if data.get("coarse") or not data.get("minimal", True):
        yield "  (no shorter story was found in time: values of the run stand where less might count)"
    elif any(e.get("proved") is False for e in trace):
        yield "  (a solver did not confirm all of this in time)"


def _facts(entry: Entry) -> tuple[str, ...]:
    """The facts of an invariant; other producers of reports give it as one formula."""
    return tuple(entry.get("facts", (entry["formula"],) if "formula" in entry else ()))


def _trace_steps(trace: list[Entry]) -> tuple[list[_TraceStep], tuple[Entry, ...]]:
    """The statements in order, and the conditions that hold only at the check."""
    steps: list[_TraceStep] = []
    conditions: list[Entry] = []
    for k, entry in enumerate(trace):
        if entry["kind"] != "statement":
            continue
        following = trace[k + 1] if k + 1 < len(trace) else None
        if (
            entry.get("role") == "condition"
            and not entry.get("frame")
            and (following is None or following["kind"] != "invariant")
        ):
            conditions.append(entry)
            continue
        step = _TraceStep(entry, tuple(conditions), _facts(following) if following is not None else ())
        conditions = []
        if steps and _continues(steps[-1], step):
            first = steps.pop()
            step = _TraceStep(first.statement, (*first.conditions, *step.conditions), step.facts)
        steps.append(step)
    return steps, tuple(conditions)


def _continues(before: _TraceStep, step: _TraceStep) -> bool:
    """Whether a step continues the statement before it: part of its value, or the end of a function that it called."""
    same = before.key == step.key and all(
        before.statement.get(name) == step.statement.get(name) for name in ("rounds", "occurrence")
    )
    return not step.statement.get("frame") and (same or step.statement["text"] == "}")


def _visible(steps: list[_TraceStep], verbose: bool) -> list[bool]:
    """Which statements are shown: of one in many iterations the first and the last, and of all the last ones."""
    if verbose:
        return [True] * len(steps)
    occurrences: dict[tuple[Any, ...], list[int]] = {}
    for k, step in enumerate(steps):
        occurrences.setdefault(step.key, []).append(k)
    keep = {
        k
        for found in occurrences.values()
        for k in (found if len(found) < MIN_OCCURRENCES_FOLDED else (found[0], found[-1]))
    }
    latest = set(sorted(keep)[-MAX_STATEMENTS_SHOWN:])
    return [k in latest for k in range(len(steps))]


def _change(page: Page, before: tuple[str, ...], after: tuple[str, ...], verbose: bool) -> str:
    """The facts that hold now and were not needed before, then those that still hold."""
    new = tuple(f for f in after if f not in before)
    old = tuple(f for f in after if f in before)
    if not new:
        return f"from here on only {_joined(page, old, verbose)} counts" if old else "from here on no value counts"
    still = f"   (still {_joined(page, old, verbose)})" if old else ""
    return f"so {_joined(page, new, verbose)}{still}"


def _joined(page: Page, facts: tuple[str, ...], verbose: bool) -> str:
    most = len(facts) if verbose or len(facts) <= MAX_FACTS_SHOWN + 1 else MAX_FACTS_SHOWN
    more = f" and {len(facts) - most} more" if most < len(facts) else ""
    return " && ".join(map(page.flat, facts[:most])) + more


def _folded(page: Page, hidden: list[_TraceStep]) -> Iterator[str]:
    if hidden:
        numbers = sorted({u.statement["line"] for u in hidden})
        where = ", ".join(map(str, numbers[:MAX_FOLDED_LINES_NAMED])) + (
            page.glyphs.cut if len(numbers) > MAX_FOLDED_LINES_NAMED else ""
        )
        count = len(hidden)
        steps, lines = f"step{'s' if count != 1 else ''}", f"line{'s' if len(numbers) > 1 else ''}"
        yield from page.wrap(f"{page.glyphs.cut} {count} more {steps} ({lines} {where})", first="  ")


def _statement(page: Page, step: _TraceStep) -> str:
    s = step.statement
    since = _since(page, [c for c in step.conditions if not (s.get("frame") and c["line"] == s["line"])])
    rounds = f", round {s['rounds'][-1]}" if s.get("rounds") and s["rounds"][-1] > 1 else ""
    call = f", {ordinal(s['occurrence'])} call" if s.get("occurrence") else ""
    where = f"line {s['line']}{call}{rounds}"
    if s.get("frame"):
        kept = " and ".join(map(page.flat, s.get("kept", ()))) or "the state"
        unchanged = "are left as they were" if len(s["kept"]) > 1 else "is left as it was"
        return f"{where}: {page.flat(s['held'])}, so {kept} {unchanged}{since}"
    if s.get("role") in ("condition", "assumption"):
        return f"{where}: {page.flat(s['held'])} held{since}"
    return f"{where}: {page.flat(s['text'])}{since}"


def _since(page: Page, conditions: list[Entry]) -> str:
    if not conditions:
        return ""
    words = dict.fromkeys(f"{page.flat(c['held'])} (line {c['line']})" for c in conditions)
    return f"  [reached because {' and '.join(words)}]"


def _end(page: Page, data: Entry, conditions: tuple[Entry, ...]) -> str:
    check = data.get("check")
    if check is None:
        return f"then the check must fail{_since(page, list(conditions))}"
    return f"line {check['line']}: {page.flat(check['text'])} must fail{_since(page, list(conditions))}"
