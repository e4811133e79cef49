"""The error invariants as text: what was true, the statement that mattered next, what was true then, up to the failed check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import Page

METHOD = "error-invariants"
MOST = 14  # statements that are shown when the story was asked for
SHORT = 8  # lines that it may take next to other methods
FACTS = 4  # facts of one invariant that are shown
_REPEATED = 4  # times that a statement occurs before its rounds are folded

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement with the conditions that it ran under and the invariant behind it."""

    statement: Entry
    conditions: tuple[Entry, ...]
    facts: tuple[str, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for all rounds of a statement."""
        return self.statement["file"], self.statement["line"], self.statement["text"], self.statement.get("frame", "")


def error_invariants_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The lines of the story; none where it is long and was not asked for."""
    data = explanation.methods.get(METHOD, {})
    trace = data.get("abstract_trace", ())
    if not trace:
        return
    lines = list(_lines(page, data, trace, verbose))
    if verbose or len(lines) <= SHORT or "cascade" not in explanation.methods:
        yield "how it came to fail:"
        yield from lines


def _lines(page: Page, data: Entry, trace: list[Entry], verbose: bool) -> Iterator[str]:
    units, last = _units(trace)
    shown = _facts(trace[0])
    if shown:
        yield from page.wrap(_joined(page, shown, verbose), first="  at the start: ", rest="      ")
    hidden: list[_Unit] = []
    for unit, is_shown in zip(units, _visible(units, verbose), strict=True):
        if not is_shown:
            hidden.append(unit)
            continue
        yield from _folded(page, hidden)
        hidden = []
        yield from page.wrap(_statement(page, unit), first="  ", rest="      ")
        if set(unit.facts) != set(shown):
            yield from page.wrap(_change(page, shown, unit.facts, verbose), first="      ", rest="        ")
            shown = unit.facts
    yield from _folded(page, hidden)
    yield from page.wrap(_end(page, data, last), first="  ", rest="      ")
    if data.get("irrelevant"):
        count = data["irrelevant"]
        yield f"  ({count} other step{'s' if count != 1 else ''} of the path made no difference)"
    if data.get("coarse") or not data.get("minimal", True):
        yield "  (no shorter story was found in time: values of the run stand where less might count)"


def _facts(entry: Entry) -> tuple[str, ...]:
    """What an invariant says, one fact each; reports of other makers have it in one formula."""
    return tuple(entry.get("facts", (entry["formula"],) if "formula" in entry else ()))


def _units(trace: list[Entry]) -> tuple[list[_Unit], tuple[Entry, ...]]:
    """The statements in order; and the conditions that only the check stands under."""
    units: list[_Unit] = []
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
        unit = _Unit(entry, tuple(conditions), _facts(following) if following is not None else ())
        conditions = []
        if units and _goes_on(units[-1], unit):
            first = units.pop()
            unit = _Unit(first.statement, (*first.conditions, *unit.conditions), unit.facts)
        units.append(unit)
    return units, tuple(conditions)


def _goes_on(before: _Unit, unit: _Unit) -> bool:
    """Whether a step is part of the statement before it: a value on its way, the end of a function that only passes on what it returned."""
    same = before.key == unit.key and before.statement.get("rounds") == unit.statement.get("rounds")
    return not unit.statement.get("frame") and (same or unit.statement["text"] == "}")


def _visible(units: list[_Unit], verbose: bool) -> list[bool]:
    """Which statements are shown: of those in many rounds the first and the last one, of many the last ones."""
    if verbose:
        return [True] * len(units)
    rounds: dict[tuple[Any, ...], list[int]] = {}
    for k, unit in enumerate(units):
        rounds.setdefault(unit.key, []).append(k)
    keep = {k for found in rounds.values() for k in (found if len(found) < _REPEATED else (found[0], found[-1]))}
    latest = set(sorted(keep)[-MOST:])
    return [k in latest for k in range(len(units))]


def _change(page: Page, before: tuple[str, ...], after: tuple[str, ...], verbose: bool) -> str:
    """What is true now that was not needed before, then what still is."""
    new = tuple(f for f in after if f not in before)
    old = tuple(f for f in after if f in before)
    if not new:
        return f"from here on only {_joined(page, old, verbose)} counts" if old else "from here on no value counts"
    still = f"   (still {_joined(page, old, verbose)})" if old else ""
    return f"so {_joined(page, new, verbose)}{still}"


def _joined(page: Page, facts: tuple[str, ...], verbose: bool) -> str:
    most = len(facts) if verbose or len(facts) <= FACTS + 1 else FACTS
    more = f" and {len(facts) - most} more" if most < len(facts) else ""
    return " && ".join(map(page.flat, facts[:most])) + more


def _folded(page: Page, hidden: list[_Unit]) -> Iterator[str]:
    if hidden:
        numbers = sorted({u.statement["line"] for u in hidden})
        where = ", ".join(map(str, numbers[:SHORT])) + (page.glyphs.cut if len(numbers) > SHORT else "")
        count = len(hidden)
        yield from page.wrap(
            f"{page.glyphs.cut} {count} more step{'s' if count != 1 else ''} (line{'s' if len(numbers) > 1 else ''} {where})",
            first="  ",
        )


def _statement(page: Page, unit: _Unit) -> str:
    s = unit.statement
    since = _since(page, [c for c in unit.conditions if not (s.get("frame") and c["line"] == s["line"])])
    rounds = f", round {s['rounds'][-1]}" if s.get("rounds") and s["rounds"][-1] > 1 else ""
    where = f"line {s['line']}{rounds}"
    if s.get("frame"):
        kept = " and ".join(map(page.flat, s.get("kept", ()))) or "the state"
        return f"{where}: {page.flat(s['held'])}, so {kept} {'are left as they were' if len(s['kept']) > 1 else 'is left as it was'}{since}"
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
