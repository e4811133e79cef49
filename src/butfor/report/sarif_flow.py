"""The path to the failure as a SARIF thread flow: relevant steps at ranked statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.explanation import Explanation, RankedStatement
from butfor.origin_ladder import Ladder
from butfor.report.inert_text import one_line
from butfor.report.ladder_text import rung_sentence
from butfor.report.shared_words import failing_text, telling_reason
from butfor.run_story import Story, StoryStep

MAX_FLOW_STEPS = 1000  # viewers show no more
_MAX_STEPS_PER_STATEMENT = 3  # its first, and its last ones: what is between them is a loop
_LAST_ESSENTIAL_RANK = 3  # causes up to this one are marked as essential, which viewers show first

MakeLocation = Callable[[str, int, int, str, str, str], dict[str, Any]]


def thread_flow(e: Explanation, location: MakeLocation) -> list[dict[str, Any]]:
    """The locations of the flow, the failure last."""
    if e.ladder is not None and e.ladder.rungs:
        return _ladder_steps(e.ladder, location)
    steps = _story_steps(e, e.story, location) if e.story is not None and e.story.steps else _ranking_steps(e, location)
    if e.failure is not None and e.failure.file:
        failure = e.failure
        shown = location(
            failure.file,
            failure.line,
            failure.column,
            failing_text(failure),
            one_line(failure.message),
            failure.function,
        )
        steps.append(
            {
                "location": shown,
                "importance": "essential",
                "kinds": ["failure"],
                "nestingLevel": steps[-1]["nestingLevel"] if steps else 0,
            }
        )
    for number, step in enumerate(steps, 1):
        step["executionOrder"] = number
    return steps


def _ladder_steps(ladder: Ladder, location: MakeLocation) -> list[dict[str, Any]]:
    """The rungs of the story in the order of reading backwards from them: the failure last, at level 0."""
    home = ladder.rungs[0].file
    rungs = [rung for rung in reversed(ladder.rungs) if rung.file]
    return [
        {
            "location": location(
                rung.file, rung.line, rung.column, rung.text, one_line(rung_sentence(rung, home)), rung.function
            ),
            "importance": "essential" if rung.level == 0 else "important",
            "kinds": [rung.kind.value],
            "nestingLevel": rung.level if number else 0,  # viewers expect the first level to be 0
            "executionOrder": number + 1,
        }
        for number, rung in enumerate(rungs)
    ]


def _story_steps(e: Explanation, story: Story, location: MakeLocation) -> list[dict[str, Any]]:
    ranks = {(row.file, row.line, row.text): row.rank for row in reversed(e.ranking)}
    upto = story.steps[: story.failing] if story.failing >= 0 else story.steps
    relevant = [step for step in upto if step.is_relevant and (step.file, step.line, step.text) in ranks]
    chosen = _first_and_last(relevant)[-(MAX_FLOW_STEPS - 1) :]
    lowest = chosen[0].depth if chosen else 0  # viewers expect the first level to be 0
    return [
        {
            "location": location(
                s.file,
                s.line,
                s.column,
                s.text,
                f"{one_line(s.text)} → {effect_of_step(s)}" if effect_of_step(s) else one_line(s.text),
                s.function,
            ),
            "importance": "essential" if ranks[s.file, s.line, s.text] <= _LAST_ESSENTIAL_RANK else "important",
            "kinds": [s.kind],
            "nestingLevel": max(0, s.depth - lowest),
        }
        for s in chosen
    ]


def _first_and_last(steps: list[StoryStep]) -> list[StoryStep]:
    """The first step of each statement and its last ones."""
    by_place: dict[tuple[str, int, int], list[int]] = {}
    for k, step in enumerate(steps):
        by_place.setdefault((step.file, step.line, step.column), []).append(k)
    kept = {
        k
        for ks in by_place.values()
        for k in (ks if len(ks) <= _MAX_STEPS_PER_STATEMENT else (ks[0], *ks[1 - _MAX_STEPS_PER_STATEMENT :]))
    }
    return [step for k, step in enumerate(steps) if k in kept]


def effect_of_step(step: StoryStep) -> str:
    """What a step did, with values."""
    uses = ", ".join(f"{one_line(name)} = {one_line(value)}" for name, value in step.uses)
    if step.kind == "assign" and step.after is not None:
        was = f" (was {one_line(step.before)})" if step.before is not None and step.before != step.after else ""
        return f"{one_line(step.target or 'the value')} became {one_line(step.after)}{was}"
    if step.kind == "branch":
        return f"{one_line(step.outcome or 'decided')}" + (f" with {uses}" if uses else "")
    return f"with {uses}" if uses else ""


def _ranking_steps(e: Explanation, location: MakeLocation) -> list[dict[str, Any]]:
    """The locations where there is no story: the causes, the most likely one last."""
    return [
        {
            "location": location(row.file, row.line, row.column, row.text, _because(row), row.function),
            "importance": "essential" if row.rank <= _LAST_ESSENTIAL_RANK else "important",
            "nestingLevel": 0,
        }
        for row in reversed(e.ranking[: MAX_FLOW_STEPS - 1])
    ]


def _because(row: RankedStatement) -> str:
    reason = telling_reason(row)
    return one_line(row.text) + (f": {one_line(reason.text)}" if reason is not None else "")
