"""The report formats, one row each: name, module that renders it, file suffixes that choose it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from butfor.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Format:
    """A report format: the module `butfor.report.<module>` renders it, and a file with one of `suffixes` is written in it.

    `story` asks the analysis for the run step by step. `on_unencodable` says what happens to characters that UTF-8
    cannot express, which stand for bytes of the user's files: by default they are shown as escapes.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    story: bool = False
    on_unencodable: str = "backslashreplace"

    def render(self, explanation: Explanation) -> str:
        """The report in this format (the text format also takes colours and a width: see `report/text.py`)."""
        renderer: Callable[[Explanation], str] = importlib.import_module(f"butfor.report.{self.module}").render
        return renderer(explanation)


TEXT = Format("text", "text", (".txt",))
JSON = Format("json", "json_report", (".json",))
PATCH = Format("diff", "patch", (".diff", ".patch"), on_unencodable="surrogateescape")  # byte for byte, for patch -p1

# In the order of the help texts.
FORMATS = {
    row.name: row
    for row in (
        TEXT,
        Format("html", "html", (".html", ".htm"), story=True),
        JSON,
        Format("sarif", "sarif", (".sarif",), story=True),
        Format("dot", "dot", (".dot", ".gv")),
        Format("gdb", "gdb", (".gdb",), story=True),
        Format("markdown", "markdown", (".md",)),
        Format("github", "github", ()),
    )
}
REPAIR_FORMATS = {**FORMATS, PATCH.name: PATCH}  # what `butfor repair` offers


def format_of_suffix(suffix: str, formats: Iterable[Format]) -> Format | None:
    """The format that files with this suffix are written in."""
    return next((row for row in formats if suffix.lower() in row.suffixes), None)
