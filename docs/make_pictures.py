"""Make the pictures of the tutorial from real runs: `python docs/make_pictures.py [FOLDER]` in a checkout.

It needs Playwright (`pip install -e '.[dev]'`) and a Chromium; BUTFOR_CHROMIUM names another than the one on the PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PARKING = ("examples/parking.c",)
QUEUE = ("examples/queue.c", "--", "2", "10", "20")
TICKET = b"0 1 MARKET\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: the run, the link to the place, the part of the page (else all in view), keys pressed first."""

    name: str
    run: tuple[str, ...]
    link: str = ""
    part: str = ""
    keys: str = ""
    dark: bool = False
    width: int = 1200
    height: int = 900


PICTURES = (
    Picture("report", PARKING, height=760),
    Picture("tree", PARKING, part="section[aria-labelledby=h-tree]"),
    Picture("memory", QUEUE, part="section.run", keys="f", width=1700, height=1300),
    Picture("dark", PARKING, "#line=examples/parking.c:23", "div.evidence", dark=True, width=1500, height=840),
)


def report(run: tuple[str, ...], folder: Path) -> Path:
    """The page about a run, made by butfor itself."""
    out = folder / f"{abs(hash(run))}.html"
    if not out.exists():
        subprocess.run(
            [sys.executable, "-m", "butfor", "explain", "-o", str(out), *run], cwd=ROOT, check=True, input=TICKET
        )
    return out


def take(browser: Browser, picture: Picture, page_file: Path, folder: Path) -> Path:
    """The file of the picture that was taken."""
    out = folder / f"{picture.name}.png"
    size: ViewportSize = {"width": picture.width, "height": picture.height}
    with browser.new_context(viewport=size, color_scheme="dark" if picture.dark else "light") as window:
        page = window.new_page()
        page.goto(page_file.as_uri() + picture.link)
        for key in picture.keys:
            page.keyboard.press(key)
        page.wait_for_timeout(300)
        if picture.part:
            page.locator(picture.part).screenshot(path=out)
        else:
            page.screenshot(path=out)
    return out


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("BUTFOR_CHROMIUM") or next(
        (path for name in BROWSERS if (path := shutil.which(name))), None
    )
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in PICTURES:
            out = take(browser, picture, report(picture.run, Path(scratch)), folder)
            print(f"{out.name}: {out.stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
