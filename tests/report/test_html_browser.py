"""The page in a real browser: what a reader does with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from butfor.marks import settle
from butfor.options import Options
from butfor.report.html import render
from tests.report.browser import browsing, opened
from tests.report.hostile import hostile
from tests.report.pages import FIX, long_run, whole


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of all tests here."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a page with everything on it."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(whole()), "utf-8")
    return path


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The page, open."""
    with opened(browser, report) as found:
        yield found


def here(page: Page) -> str:
    """The selected line of the source, with the values beside it."""
    return page.locator(".line.here").inner_text()


def test_first_sight(page: Page) -> None:
    expect(page.locator("h1")).to_contain_text("Assertion failed: x >= 0")
    expect(page.locator(".answer.why")).to_contain_text("x = x - 2;")
    expect(page.locator(".answer.avoid")).to_contain_text(
        "1 of 1 failing runs no longer fail; 3 of 3 passing tests still pass"
    )
    assert "x = -1" in here(page)
    expect(page.locator("#step")).to_contain_text("x became -1 (was 1)")


def test_stepping_with_keys(page: Page) -> None:
    page.keyboard.press("j")
    expect(page.locator("#step")).to_contain_text("The failure shows here")
    assert page.url.endswith("#step=4")
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert "true: x = 1" in here(page)
    assert page.locator("#steps [aria-selected=true]").inner_text().startswith("6")


def test_up_to_the_reason_and_back(page: Page) -> None:
    page.keyboard.press("f")
    page.keyboard.press("u")
    expect(page.locator("#step")).to_contain_text("Step 3 of 4")
    page.keyboard.press("c")
    expect(page.locator("#step")).to_contain_text("Step 2 of 4")
    page.keyboard.press("b")
    expect(page.locator("#step")).to_contain_text("Step 3 of 4")


def test_one_selection_for_all_panes(page: Page) -> None:
    page.locator(".tree .pick", has_text="x < LIMIT").click()
    assert "if (x < LIMIT)" in here(page)
    expect(page.locator("#cause-2")).to_have_class("cause selected")
    expect(page.locator("#step")).to_contain_text("Step 2 of 4")
    page.keyboard.press("1")
    assert "x = x - 2;" in here(page)
    assert page.url.endswith("#cause=1")


def test_other_file(page: Page) -> None:
    page.locator(".tree .pick", has_text="n > 0").click()
    expect(page.locator("#file-1")).to_be_visible()
    expect(page.locator("#file-0")).to_be_hidden()
    assert "n > 0" in here(page)


@pytest.mark.parametrize(
    ("link", "line", "step"),
    [
        ("#step=1", "int x = argc;", "Step 1 of 4"),
        ("#line=prog.c:6", "if (x < LIMIT)", "Step 2 of 4"),
        ("#cause=3", "int x = argc;", "Step 1 of 4"),
    ],
)
def test_deep_links(browser: Browser, report: Path, link: str, line: str, step: str) -> None:
    with opened(browser, report, link) as page:
        assert line in here(page)
        expect(page.locator("#step")).to_contain_text(step)


def test_tree_opens_and_closes(page: Page) -> None:
    inner = page.locator(".tree .pick", has_text="x < LIMIT")
    expect(inner).to_be_visible()
    page.locator(".twist").first.click()
    expect(inner).to_be_hidden()
    page.keyboard.press("Enter")
    expect(inner).to_be_visible()


def test_marks_survive_a_reload_and_leave_as_a_file(page: Page, tmp_path: Path) -> None:
    node = page.locator(".tree .node[data-at='prog.c:6']").first
    expect(node.locator("> .kids")).to_be_visible()
    node.locator("> .label").hover()
    node.locator("> .label button[data-mark=benign]").click()
    expect(node.locator("> .kids")).to_be_hidden()
    expect(page.locator("#marks-count")).to_have_text(
        "1 mark (prog.c:6 benign)"
    )  # else it says that the browser does not keep it
    page.reload()
    expect(page.locator(".tree .node[data-at='prog.c:6'] > .label button[data-mark=benign]").first).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.locator("#marks-count")).to_contain_text("1 mark (prog.c:6 benign)")
    with page.expect_download() as download:
        page.locator("#marks-file").click()
    path = tmp_path / "run.bfr.marks.json"
    download.value.save_as(path)
    assert settle(Options(), path).by_place == {"prog.c:6": "benign"}
    page.locator("#marks-clear").click()
    expect(page.locator("#marks-bar")).to_be_hidden()
    page.reload()
    expect(page.locator("#marks-bar")).to_be_hidden()


def test_marks_that_the_browser_does_not_keep_are_told_as_such(browser: Browser, report: Path) -> None:
    with opened(browser, report) as page:
        page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
        page.locator("#cause-1").hover()
        page.locator("#cause-1 button[data-mark=guilty]").click()
        expect(page.locator("#marks-count")).to_have_text(
            "1 mark (prog.c:7 guilty); this browser does not keep them: save them as a file"
        )


def test_marks_as_options(browser: Browser, report: Path) -> None:
    with opened(browser, report, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator("#cause-1").hover()
        page.locator("#cause-1 button[data-mark=guilty]").click()
        page.locator("#marks-flags").click()
        assert page.evaluate("navigator.clipboard.readText()") == "--guilty prog.c:7"


def test_copying_a_fix(browser: Browser, report: Path) -> None:
    with opened(browser, report, permissions=["clipboard-read", "clipboard-write"]) as page:
        button = page.locator(".answer .copy")
        button.click()
        expect(button).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == FIX["diff"]


def test_search(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("limit")
    expect(page.locator("#found")).to_have_text("1 step")
    page.keyboard.press("Enter")
    assert "if (x < LIMIT)" in here(page)
    page.keyboard.press("Escape")
    expect(page.locator("#steps")).to_be_focused()


def test_memory(page: Page) -> None:
    picture = page.locator("#memory svg")
    label = picture.get_attribute("aria-label")
    assert label is not None
    assert "main(): argc is 1, x is -1" in label
    assert "16 bytes from prog.c:5" in label
    assert picture.locator(".m-arrow").count() == 1
    page.keyboard.press("j")
    assert "16 bytes from prog.c:5, freed" in (page.locator("#memory svg").get_attribute("aria-label") or "")


def test_invariants_stand_between_the_lines(page: Page) -> None:
    order = page.locator("#file-0 .overlay, #file-0 .line").all_inner_texts()
    where = next(k for k, text in enumerate(order) if "x <= 1" in text)
    assert "x = x - 2;" in order[where + 1]


def test_keys_are_told(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_accessible(browser: Browser, report: Path, scheme: str, width: int) -> None:
    with opened(browser, report, color_scheme=scheme, viewport={"width": width, "height": 900}) as page:
        found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")] == []


def test_nothing_sticks_out_of_a_narrow_window(browser: Browser, report: Path) -> None:
    with opened(browser, report, viewport={"width": 400, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_without_javascript(browser: Browser, report: Path) -> None:
    with opened(browser, report, java_script_enabled=False) as page:
        expect(page.locator("h1")).to_contain_text("x >= 0")
        expect(page.locator("#cause-1")).to_contain_text("x = x - 2;")
        expect(page.locator("#L0-8")).to_contain_text("assert(x >= 0);")
        expect(page.locator("#L1-2")).to_contain_text("n > 0")
        assert page.locator("button:visible, input:visible").count() == 0


def test_a_long_run_is_a_list_of_few_elements(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    path.write_text(render(long_run(20_000)), "utf-8")
    with opened(browser, path, "#step=10001") as page:
        expect(page.locator("#step")).to_contain_text("Step 10,001 of 20,000")
        expect(page.locator("#step")).to_contain_text("round 5,001 of 10,000")
        page.locator("#only").uncheck()
        expect(page.locator(".row.fold")).to_have_count(2)
        expect(page.locator(".row.fold").first).to_contain_text("rounds 2–5,000 of 10,000 of the loop in line 6")
        page.keyboard.press("o")
        expect(page.locator(".row.fold")).to_have_count(1)
        for _ in range(20):
            page.keyboard.press("j")
        expect(page.locator("#step")).to_contain_text("Step 10,021 of 20,000")
        page.keyboard.press("/")
        page.keyboard.type("-19999")
        page.keyboard.press("Enter")
        expect(page.locator("#step")).to_contain_text("Step 20,000 of 20,000")
        assert page.locator(".row").count() < 100
        assert "x is -19999" in (page.locator("#memory svg").get_attribute("aria-label") or "")


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(render(hostile()), "utf-8")
    with opened(browser, path) as page:
        assert page.evaluate("window.pwned") is None
        assert page.locator("img, iframe, b.pwned").count() == 0
        assert "<script>" in page.locator("h1").inner_text()
        for key in "jjkuf":
            page.keyboard.press(key)
        assert page.evaluate("window.pwned") is None
    assert json.loads(path.read_text("utf-8").split('id="data">')[1].split("</script>")[0])["files"]
