"""A method for butfor: which statements that the failure depended on were changed last, according to git?"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method
from butfor.ranking.finding import Diagnosis, Finding, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingRun


@dataclass(frozen=True)
class Commit:
    """A commit of git."""

    time: int  # in seconds
    summary: str


@dataclass(frozen=True)
class RecentMethod(Method):
    """The statements of the slice by how recently they were changed."""

    name = "recent"
    runs_program = False  # it only reads: safe for a recording that comes from somebody else
    weighing = Weighing(2.0)

    max_commits: int = 3  # an older change is no news

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The statements that the last few commits changed, newest first."""
        instances = case.slices["relevant"].distance
        places = {place for node in instances if (place := case.places.of(node)) is not None}
        commits = {path: commits_by_line(path) for path in {place.path for place in places}}
        changed = {place: commits[place.path][place.line] for place in places if place.line in commits[place.path]}
        latest = sorted(set(changed.values()), key=lambda commit: -commit.time)[: self.max_commits]
        findings = tuple(
            Finding(place, 1 / (1 + latest.index(commit)), f"it was changed recently: {commit.summary}")
            for place, commit in sorted(changed.items(), key=lambda item: (-item[1].time, item[0].line))
            if commit in latest
        )
        return Diagnosis(findings, {"commits": [commit.summary for commit in latest]})


def commits_by_line(path: str) -> dict[int, Commit]:
    """The last commit of each line of a file; empty where git does not know the file."""
    command = ["git", "-C", str(Path(path).parent), "blame", "--line-porcelain", "--", Path(path).name]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = re.finditer(
        r"^\^?[0-9a-f]{40} \d+ (\d+).*?^committer-time (\d+)$.*?^summary ([^\n]*)$", done.stdout, re.M | re.S
    )
    return {int(line[1]): Commit(int(line[2]), line[3]) for line in lines}
