"""The terminal browser, driven by keys: what is selected shows its source, marks are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from textual.widgets import Static, Tree

import butfor
from butfor.browse.browser_app import Browser
from butfor.browse.report_entries import Entry, entries, headline
from butfor.cli.show import save_mark
from butfor.marks import settle
from butfor.options import Options
from tests.small import source, written

PROGRAM = source(
    """
int main(void) {
    int low = 3;
    int high = low - 1;
    if (high < low)
        high = low * 2;
    assert(high == 7);
    return 0;
}
"""
)


def browser(tmp_path: Path) -> tuple[Browser, Path]:
    """A browser of a real report, and the file of its marks."""
    answer = butfor.explain(written(tmp_path, PROGRAM), methods=["slice", "cascade"])
    report = answer.to_dict()
    marks = tmp_path / "marks.json"
    return Browser(
        headline(report), entries(report), answer.sources, {}, lambda place, mark: save_mark(marks, place, mark)
    ), marks


def test_keys_select_show_and_mark(tmp_path: Path) -> None:
    app, marks = browser(tmp_path)

    async def drive() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            tree = app.query_one("#tree", Tree)
            first = app.selected
            assert first is not None
            assert first.title.startswith("1. ")
            shown = str(app.query_one("#source", Static).render())
            assert f"> {first.line:>2} " in shown
            await pilot.press("g")
            await pilot.pause()
            assert "✗ guilty" in str(tree.cursor_node.label if tree.cursor_node else "")
            assert settle(Options(), marks).by_place == {first.place: "guilty"}
            await pilot.press("u")
            assert settle(Options(), marks).by_place == {}
            await pilot.press("down")
            await pilot.pause()
            assert app.selected is not first

    asyncio.run(drive())


def test_the_cause_tree_has_its_levels(tmp_path: Path) -> None:
    app, _ = browser(tmp_path)
    (tree,) = [e for e in app.trees if e.title == "cause tree"]
    (root,) = [e for e in tree.children if e.title.startswith("level 0")]
    titles = [e.title for e in root.children]
    assert "high = low * 2;" in titles
    assert any(t.startswith("level 1: high < low was true") for t in titles)


def test_hostile_text_is_inert() -> None:
    row = {
        "rank": 1,
        "text": "x\x1b[31m",
        "role": "expression",
        "function": "f\x07",
        "evidence": "heuristic",
        "file": "p.c",
        "line": 1,
    }
    reasons = [{"method": "slice", "text": "\x1b]0;t\x07"}]
    report: dict[str, Any] = {"ranking": [{**row, "reasons": reasons, "also": []}], "methods": {}, "failure": None}
    (causes,) = entries(report)

    def texts(entry: Entry) -> list[str]:
        return [entry.title, *entry.details, *(t for child in entry.children for t in texts(child))]

    assert not any(c in text for text in texts(causes) for c in "\x1b\x07")
    assert headline(report) == "no failure"
