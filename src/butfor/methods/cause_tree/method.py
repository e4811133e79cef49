"""The cause tree as a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from butfor.errors import UsageError
from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.explanation import RankedStatement
    from butfor.methods.case import FailingPath, FailingRun


OPTIMISATIONS = ("slicing", "trust", "unrelated", "loops")  # each can be switched off


@dataclass(frozen=True)
class CauseTreeMethod(Method):
    """Which values made the check fail, and which decisions led there, level by level."""

    name = "cascade"
    on_runs = When.ALWAYS
    on_paths = When.ALWAYS
    runs_program = False
    weighing = Weighing(0.3)

    depth: int = 6  # levels of the tree; the ways to well-ranked statements are read first, so more cost little
    path_conditions: bool = False  # decisions that were met on the way count as conditions, and can be causes
    without: tuple[str, ...] = ()  # optimisations that are switched off, to measure what each brings

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in OPTIMISATIONS:
                raise UsageError(
                    f"there is no optimisation {name!r}", hint=f"--without takes: {', '.join(OPTIMISATIONS)}"
                )

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The cause tree of a recorded run."""
        from butfor.methods.cause_tree.cause_findings import cause_tree_of_run

        return cause_tree_of_run(case, self.depth, frozenset(self.without), path_conditions=self.path_conditions)

    def arranged(self, data: Mapping[str, Any], ranking: Sequence[RankedStatement]) -> Mapping[str, Any]:
        """The tree in reading order."""
        from butfor.methods.cause_tree.reading_order import in_reading_order

        causes, ids = in_reading_order(data["causes"], ranking)
        guilty = data.get("guilty")
        return {**data, "causes": causes, **({} if guilty is None else {"guilty": ids[guilty]})}

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The cause tree of a failing path."""
        from butfor.methods.cause_tree.cause_findings import cause_tree_of_path

        return cause_tree_of_path(case, self.depth, path_conditions=self.path_conditions)
