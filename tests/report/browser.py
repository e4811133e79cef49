"""A headless browser for the tests of the page; the tests are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable() -> str | None:
    """The Chromium of this machine."""
    return os.environ.get("BUTFOR_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; a skip with the reason where none can be started."""
    path = executable()
    if path is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium, or BUTFOR_CHROMIUM=PATH)")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"{path} does not start: {error.message.splitlines()[0]}")
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, path: Path, link: str = "", **context: Any) -> Iterator[Page]:
    """The page of a file; at the end nothing may have been complained about or asked of the network."""
    settings = {"viewport": {"width": 1400, "height": 900}, **context}
    with browser.new_context(**settings) as window:
        page = window.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "blob:")) else said.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri() + link)
        yield page
        assert said == []
