"""The pages in docs/: their commands work, outputs are what butfor prints, links and pictures are there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import click
import pytest

from butfor.cli.main import cli
from tests.commands import butfor_command

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TICKET = "0 1 MARKET\n"
_BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```", re.M | re.S)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_QUICK = ("tutorial.md: butfor explain examples/parking.c --stdin ticket.txt", "tutorial.md: butfor replay")
_SMALL = re.compile(r"butfor explain \w+\.c ")  # a program that stands in the page
_VARYING = re.compile(r"found after|covered$|the failing input:|^failing runs")  # a search by chance


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and what the page shows of its output; C programs that stand before it."""

    page: str
    command: str
    output: str
    programs: tuple[str, ...]
    expected: str = ""  # content of `expected.txt`


def commands(text: str) -> list[str]:
    """All `butfor` commands in code blocks of either kind, up to a pipe."""
    lines = [line.strip() for _, body in _BLOCK.findall(text) for line in body.splitlines()]
    lines += [line.strip() for line in _BLOCK.sub("", text).splitlines() if line.startswith("    ")]
    found = [line.partition(": ")[2] if line.startswith("see the changed run: ") else line for line in lines]
    return [line.partition(" | ")[0] for line in found if re.match(r"butfor [a-z]+ ", line)]


def shown(page: Path) -> list[Shown]:
    """The commands in blocks of their own with the outputs that follow them."""
    blocks = _BLOCK.findall(page.read_text("utf-8"))
    programs = tuple(body for kind, body in blocks if kind == "c")
    expected = next((body for kind, body in blocks if kind == "expected"), "")
    return [
        Shown(page.name, body.strip(), after[1] if after[0] == "text" else "", programs, expected)
        for (kind, body), after in pairwise([*blocks, ("", "")])
        if kind == "sh" and body.startswith("butfor ")
    ]


ALL = [(page.relative_to(DOCS).as_posix(), command) for page in PAGES for command in commands(page.read_text("utf-8"))]
SHOWN = [s for page in PAGES for s in shown(page)]


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as they are made where such pages are shown."""
    heads = re.findall(r"^#+ (.*)$", _BLOCK.sub("", page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_pages_and_commands_are_found() -> None:
    assert {"tutorial.md", "json.md", "limits.md", "README.md"} <= {page.name for page in PAGES}
    methods = {
        "slice",
        "cascade",
        "butfor",
        "output",
        "hazards",
        "spectrum",
        "error-invariants",
        "relevance-and-security",
        "diagnoses",
        "proofs",
        "repair",
        "find",
    }
    assert {page.stem for page in (DOCS / "methods").glob("*.md")} == methods
    assert {s.page for s in SHOWN} >= {"tutorial.md", *(f"{name}.md" for name in methods)}


@pytest.mark.parametrize(("page", "command"), ALL, ids=[f"{page}: {command}" for page, command in ALL])
def test_command_is_understood(page: str, command: str) -> None:
    _, name, *words = shlex.split(command)
    with click.Context(cli) as context:
        known = cli.get_command(context, name)
        assert known is not None
        known.make_context(name, words, parent=context)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for picture, link in _LINK.findall(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        if anchor:
            assert anchor in anchors(target), link
        if picture:
            assert target.read_bytes().startswith((b"\x89PNG", b"<svg "))
            assert target.stat().st_size <= 150_000


def test_every_page_and_picture_is_linked() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for _, link in _LINK.findall(page.read_text("utf-8"))
    }
    assert {path.name for path in [*PAGES, *(DOCS / "pictures").iterdir()] if path.resolve() not in linked} == set()
    assert "(docs/README.md)" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("head", "part"),
    [
        ("The report", ""),
        ("`run`", "run"),
        ("`failure`", "failure"),
        ("A row of `ranking`", "row"),
        ("`methods`", "methods"),
    ],
)
def test_the_fields_of_the_reference_are_those_of_the_schema(head: str, part: str) -> None:
    schema = json.loads((DOCS / "report.schema.json").read_text("utf-8"))
    section = (DOCS / "json.md").read_text("utf-8").split(f"\n## {head}\n")[1].split("\n## ")[0]
    first = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    told = {name.partition(".")[0] for cell in first for name in re.findall(r"`([^`]+)`", cell)} - {""}
    known = set((schema["$defs"][part] if part else schema)["properties"])
    assert told == known


def folded(text: str) -> str:
    """The text with all white space alike."""
    return " ".join(text.split())


def check(given: Shown, folder: Path) -> None:
    """Runs a command of a page where its files are; each line that the page shows must be in the output."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "ticket.txt").write_text(TICKET)
    words = shlex.split(given.command)[1:]
    if _SMALL.match(given.command):
        (folder / words[1]).write_text(source_for(given))
    if "expected.txt" in words:
        (folder / "expected.txt").write_text(given.expected)
    if "failing.json" in words and words[0] == "explain":
        (folder / "failing.json").write_text('{"tests": [{"stdin": "0 1MARKET"}]}')
    done = butfor_command(words, folder)
    assert (done.code, done.stderr) == (0, "")
    out = folded(done.stdout)
    wanted = [
        line
        for line in given.output.splitlines()
        if line.strip() != "..." and not (words[0] == "find" and _VARYING.search(line.strip(" •")))
    ]
    assert [line for line in wanted if folded(line) not in out] == []


def source_for(given: Shown) -> str:
    """The program that a page is about: its own, else the one of the page that it points to."""
    name = shlex.split(given.command)[2]
    pages = [s for s in SHOWN if f" {name} " in s.command]
    (program,) = {p for s in pages for p in s.programs if "int main" in p}
    return program


def is_quick(given: Shown) -> bool:
    """Whether the command takes only a few seconds."""
    named = f"{given.page}: {given.command}"
    return named == _QUICK[0] or named.startswith(_QUICK[1]) or bool(_SMALL.match(given.command))


QUICK, SLOW = [s for s in SHOWN if is_quick(s)], [s for s in SHOWN if not is_quick(s)]


@pytest.mark.parametrize("given", QUICK, ids=lambda s: f"{s.page}: {s.command}")
def test_output(given: Shown, tmp_path: Path) -> None:
    assert given.output
    check(given, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("given", SLOW, ids=lambda s: f"{s.page}: {s.command}")
def test_output_that_takes_longer(given: Shown, tmp_path: Path) -> None:
    check(given, tmp_path)
