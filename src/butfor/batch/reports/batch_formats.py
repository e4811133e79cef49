"""The formats that a batch is reported in, one record each, and the file that each is written to."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from butfor.batch.batch_result import BatchResult


@dataclass(frozen=True, slots=True)
class BatchFormat:
    """A format: its name for `--format`, its module in this folder, its file in the folder of the batch."""

    name: str
    module: str
    file: str

    def render(self, result: BatchResult) -> str:
        """The report in this format."""
        renderer: Callable[[BatchResult], str] = importlib.import_module(f"{__package__}.{self.module}").render
        return renderer(result)


BATCH_FORMATS = {
    row.name: row
    for row in (
        BatchFormat("text", "text_summary", "summary.txt"),
        BatchFormat("html", "index_page", "index.html"),
        BatchFormat("json", "json_files", "groups.json"),
        BatchFormat("jsonl", "json_lines", "results.jsonl"),
        BatchFormat("junit", "junit", "junit.xml"),
        BatchFormat("sarif", "sarif_log", "results.sarif"),
        BatchFormat("markdown", "markdown_summary", "summary.md"),
    )
}
