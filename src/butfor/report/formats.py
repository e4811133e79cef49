"""The report formats, one record each: `--format`, suffixes of `-o`, help texts follow from it.

docs/add-a-report-format.md shows how to add one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from butfor.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Format:
    """A report format: its name for `--format`, the module in `butfor.report` that renders it, its file suffixes."""

    name: str
    module: str  # imported when the format is first used, so that `--help` loads no renderer
    suffixes: tuple[str, ...] = ()  # in lower case; the first is the one that documents show
    needs_story: bool = False  # whether it shows the run step by step, which the analysis must then prepare
    is_for_repairs: bool = False  # whether only `butfor repair` offers it
    on_unencodable: str = "backslashreplace"  # what becomes of bytes in the user's files that are not UTF-8

    def render(self, explanation: Explanation) -> str:
        """The report in this format (the text format also takes colours and a width: see `report/text.py`)."""
        renderer: Callable[[Explanation], str] = importlib.import_module(f"butfor.report.{self.module}").render
        return renderer(explanation)


TEXT = Format("text", "text", (".txt",))
JSON = Format("json", "json_report", (".json",))
PATCH = Format(
    "diff",
    "patch",
    (".diff", ".patch"),
    is_for_repairs=True,
    on_unencodable="surrogateescape",  # byte for byte, for patch -p1
)

# In the order of the help texts.
ALL_FORMATS = (
    TEXT,
    Format("html", "html", (".html", ".htm"), needs_story=True),
    JSON,
    Format("sarif", "sarif", (".sarif",), needs_story=True),
    Format("dot", "dot", (".dot", ".gv")),
    Format("gdb", "gdb", (".gdb",), needs_story=True),
    Format("markdown", "markdown", (".md",)),
    Format("github", "github"),
    PATCH,
)
FORMATS = {row.name: row for row in ALL_FORMATS if not row.is_for_repairs}
REPAIR_FORMATS = {row.name: row for row in ALL_FORMATS}  # what `butfor repair` offers


def format_for_suffix(suffix: str, formats: Iterable[Format]) -> Format | None:
    """The format that files with this suffix are written in."""
    return next((row for row in formats if suffix.lower() in row.suffixes), None)
