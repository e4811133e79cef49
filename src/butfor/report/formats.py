"""The forms a report can have, in one table: how each is called, which files it goes to, what it needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from butfor.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Format:
    """A form of the report. `suffixes` are the file names it is chosen by; `story` says whether it shows the run step by step."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    about: str
    story: bool = False

    def render(self, explanation: Explanation) -> str:
        """The report in this form (the text form also takes colours and a width: see `report/text.py`)."""
        renderer: Callable[[Explanation], str] = importlib.import_module(f"butfor.report.{self.module}").render
        return renderer(explanation)


TEXT = Format("text", "text", (".txt",), "for a terminal")
FORMATS = {
    f.name: f
    for f in (
        TEXT,
        Format("html", "html", (".html", ".htm"), "one page to browse: causes, source, every step, memory", story=True),
        Format("json", "json_report", (".json",), "for programs; docs/report.schema.json describes it"),
        Format("sarif", "sarif", (".sarif",), "for code scanning and editors (SARIF 2.1.0)", story=True),
        Format("dot", "dot", (".dot", ".gv"), "the cause tree for Graphviz"),
        Format("gdb", "gdb", (".gdb",), "commands for gdb that stop at the causes", story=True),
        Format("markdown", "markdown", (".md",), "a summary for a comment on a pull request"),
        Format("github", "github", (), "annotations in the log of GitHub Actions"),
    )
}


def by_suffix(suffix: str) -> Format | None:
    """The form that files with this suffix have."""
    return next((f for f in FORMATS.values() if suffix.lower() in f.suffixes), None)
