"""Causes of small programs: what the cause tree justified, root by root."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butfor.encode.justification import Justified, Justifier
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.run_causes import CauseTree
from butfor.trace.trace import Node, Trace
from tests.small import case_of, recorded


@dataclass(frozen=True, slots=True)
class Question:
    """What was explained, and by what."""

    roots: tuple[Node, ...]
    nodes: tuple[Node, ...]
    is_complete: bool


class _Listening(Justifier):
    """A justifier that remembers what it was asked."""

    def justify(self, roots: Iterable[Node]) -> Justified:
        wanted = tuple(roots)
        answer = super().justify(wanted)
        self.asked = [*getattr(self, "asked", []), Question(wanted, tuple(answer.nodes), answer.complete)]
        return answer


def questions_of(case: FailingRun) -> list[Question]:
    """All causes of the cause tree, with what they explain."""
    tree = CauseTree(case)
    listening = _Listening(case.dependence)
    tree.justifier = tree.cores.justifier = listening
    tree.open(4)
    return [q for q in listening.asked if q.roots]


def failing(folder: Path, body: str, **knobs: Any) -> FailingRun:
    """The failing run of a program."""
    return case_of(recorded(folder, body, **knobs))


def branches(trace: Trace) -> list[Node]:
    """All instances of conditional branches."""
    ends = [(i, trace.at(i).last) for i in range(len(trace))]
    return [(i, last.index) for i, last in ends if last.op in ("br", "switch") and last.args]
