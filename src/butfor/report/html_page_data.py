"""The story and the cause tree's statements as compact columns for the page's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from butfor.explanation import Explanation
from butfor.report.html_tree import CauseNode
from butfor.report.inert_text import one_line, shortened
from butfor.report.source_excerpt import StatementSpans
from butfor.run_story import LoopIteration, StepReason, Story

_KIND_NUMBERS = {"assign": 0, "branch": 1, "call": 2, "return": 3}
_MAX_TEXT_CHARS = 200  # of one text; a step is shown on one line


class TextTable:
    """Texts by number; 0 stands for none."""

    def __init__(self) -> None:
        self.all: list[str] = [""]
        self._numbers: dict[str, int] = {"": 0}

    def __call__(self, text: str | None) -> int:
        if text is None:
            return 0
        shown = shortened(one_line(text), _MAX_TEXT_CHARS)
        number = self._numbers.get(shown)
        if number is None:
            number = self._numbers[shown] = len(self.all)
            self.all.append(shown)
        return number


def page_data(explanation: Explanation, files: Mapping[str, int], tree: Sequence[CauseNode]) -> dict[str, Any]:
    """What the script needs of the cause tree and of the story, if there is one."""
    texts = TextTable()
    statements = {
        str(n.id): [x for s in n.others for x in (files.get(s.file, -1), s.line, texts(s.text), texts(s.values))]
        for n in tree
        if n.others
    }
    story = explanation.story
    columns = _Columns(explanation, story, files, texts).data() if story is not None and story.steps else {}
    return {"made": statements, **columns, "texts": texts.all}


class _Columns:
    """The steps of a story as columns; places, iterations and steps left out are numbered as they are met."""

    def __init__(self, explanation: Explanation, story: Story, files: Mapping[str, int], texts: TextTable) -> None:
        self.story = story
        self.files = files
        self.texts = texts
        self.spans = StatementSpans(explanation.sources, as_shown=True)
        self.places: dict[tuple[Any, ...], int] = {}
        self.outside: dict[tuple[int, int], int] = {}
        self.iterations: dict[tuple[int, ...], int] = {(): 0}

    def data(self) -> dict[str, Any]:
        """The columns by the names that the script knows them by."""
        t, steps = self.texts, self.story.steps
        columns = {
            "place": [self._place(s.file, s.line, s.column, s.function, s.text) for s in steps],
            "kind": [_KIND_NUMBERS.get(s.kind, 0) for s in steps],
            "target": [t(s.target) for s in steps],
            "before": [t(s.before) for s in steps],
            "after": [t(s.after) for s in steps],
            "outcome": [t(s.outcome) for s in steps],
            "uses": [[t(x) for pair in s.uses for x in pair] for s in steps],
            "frame": [s.frame for s in steps],
            "depth": [s.depth for s in steps],
            "rounds": [self._iterations(s.iterations) for s in steps],
            "matters": "".join("1" if s.is_relevant else "0" for s in steps),
            "skipped": {str(k): s.skipped for k, s in enumerate(steps) if s.skipped},
            "why": [
                [x for r in s.reasons for x in (int(r.kind == "control"), t(r.name), self._back(k, r))]
                for k, s in enumerate(steps)
            ],
            "changes": [
                [x for c in s.changes for x in (c.object, t(c.path), -1 if c.value is None else t(c.value), c.target)]
                for s in steps
            ],
        }
        objects = [
            [t(o.name), o.storage[0], o.frame, o.size, t(o.allocated_at), o.freed_at] for o in self.story.objects
        ]
        frames = {str(number): [t(f.function), f.parent] for number, f in self.story.frames.items()}
        return {
            "steps": columns,
            "things": objects,
            "frames": frames,
            "places": [list(key) for key in self.places],
            "rounds": [list(key) for key in self.iterations],
            "outside": [list(key) for key in self.outside],
            "total": self.story.total,
            "failing": self.story.failing,
        }

    def _place(self, file: str, line: int, column: int, function: str, text: str) -> int:
        key = (
            self.files.get(file, -1),
            line,
            column,
            self.texts(function),
            self.texts(text),
            *self.spans.of(file, line, column, text),
        )
        return self.places.setdefault(key, len(self.places))

    def _back(self, k: int, why: StepReason) -> int:
        """How many steps back a reason is; one that is left out is a place of its own, numbered from -1 down."""
        if why.step >= 0:
            return k - why.step
        return -1 - self.outside.setdefault((self.files.get(why.file, -1), why.line), len(self.outside))

    def _iterations(self, iterations: tuple[LoopIteration, ...]) -> int:
        key = tuple(x for r in iterations for x in (r.line, r.activation, r.number, r.total))
        return self.iterations.setdefault(key, len(self.iterations))
