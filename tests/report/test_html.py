"""The page as a file: complete in itself, small, and readable without a script."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from butfor.explanation import Explanation, RunInfo, Status
from butfor.report.html import render
from tests.report.pages import long_run, whole
from tests.report.sample import SOURCE, explanation


class Reader(HTMLParser):
    """What a page is made of: links to elsewhere, ids, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elsewhere: list[str] = []
        self.handlers: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element brings."""
        for name, value in attrs:
            if name in ("src", "href", "action", "data") and not (value or "").startswith("#"):
                self.elsewhere.append(f"{tag} {name}={value}")
            if name.startswith("on") or name == "style":
                self.handlers.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.append(value or "")
        if tag not in ("meta", "br", "input", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note elements that are not closed in the order of opening."""
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        """Note the text."""
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def test_the_page_needs_nothing_else() -> None:
    reader = Reader(render(whole()))
    assert reader.elsewhere == []
    assert reader.handlers == []
    assert (reader.open, reader.wrong) == ([], [])
    assert len(reader.ids) == len(set(reader.ids))


def test_a_reader_without_script_finds_failure_causes_and_source() -> None:
    text = Reader(render(whole())).text
    assert "Assertion failed: x >= 0" in " ".join(text.split())
    for line in filter(str.strip, SOURCE.splitlines()):
        assert line in text
    assert re.search(r"Most likely cause\s+x = x - 2;", text)
    assert "had x been 1 more, the run would not have failed" in text.lower()


def test_the_policy_lets_only_the_own_script_run() -> None:
    page = render(whole())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy[1]


def test_size_without_sources() -> None:
    assert len(render(whole()).encode()) < 100_000
    assert len(render(long_run(3_000)).encode()) < 150_000


def test_large_files_are_shown_around_what_matters() -> None:
    source = "\n".join(f"int v{k};" for k in range(1, 20_001))
    far = whole(sources={"prog.c": source})
    page = render(far)
    assert "v7;" in page
    assert "v500;" not in page
    assert "lines not shown" in page


def test_no_failure_and_no_story() -> None:
    assert "No failure: the program ended with exit status 0" in render(
        Explanation(status=Status.NO_FAILURE, run=RunInfo(exit_status=0))
    )
    bare: Any = explanation(ranking=(), sources={}, notes=())
    text = Reader(render(bare)).text
    assert "None was found" in text
    assert 'id="steps"' not in render(explanation())
