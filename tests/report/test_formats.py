"""The reports for programs and other tools: whole, as they should look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from butfor.explanation import Explanation, RunInfo, Status
from butfor.report.formats import ALL_FORMATS, FORMATS, format_for_suffix
from butfor.report.sarif_flow import MAX_FLOW_STEPS
from tests.report.hostile import hostile
from tests.report.pages import FIX, long_run, whole
from tests.report.sample import explanation, failure, row

ROOT = Path(__file__).parents[2]
SARIF = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text("utf-8"))

EXPECTED = sorted((Path(__file__).parent / "expected").glob("*.txt"))  # whole reports, each named after its format


def rendered(name: str, value: Explanation) -> str:
    """The report in a format."""
    return FORMATS[name].render(value)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_whole_report(expected: Path) -> None:
    assert rendered(expected.stem, whole(run=RunInfo(args=("a b", "c")))) == expected.read_text("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_say_that_there_is_no_failure(name: str) -> None:
    text = rendered(name, Explanation(status=Status.NO_FAILURE, run=RunInfo(exit_status=0)))
    assert text.endswith("\n") or name == "html"
    if name in ("text", "html", "markdown", "github"):
        assert "the program ended with exit status 0" in text


def sarif(value: Explanation) -> dict[str, Any]:
    """The only run of the log, which is valid."""
    log = json.loads(rendered("sarif", value))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def place(line: int, start: int, end: int) -> dict[str, Any]:
    """A physical location in prog.c."""
    where = {"startLine": line, "startColumn": start, "endColumn": end}
    return {"artifactLocation": {"uri": "prog.c", "uriBaseId": "%SRCROOT%"}, "region": where}


def test_sarif_result() -> None:
    run = sarif(whole())
    (result,) = run["results"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert (result["ruleId"], result["ruleIndex"], rule["id"]) == ("butfor/assertion", 0, "butfor/assertion")
    assert result["message"]["text"] == (
        "assertion failed: x >= 0. Most likely cause: x = x - 2; at prog.c:7 "
        "(had `x` been 1 more, the run would not have failed)."
    )
    assert result["locations"][0]["physicalLocation"] == place(8, 5, 19)
    assert [related["id"] for related in result["relatedLocations"]] == [1, 2, 3, 4, 5, 6, 7]
    assert result["relatedLocations"][0]["physicalLocation"] == place(7, 9, 19)


def test_sarif_flow() -> None:
    (flow,) = sarif(whole())["results"][0]["codeFlows"]
    (thread,) = flow["threadFlows"]
    steps = [
        (s["executionOrder"], s["nestingLevel"], s["importance"], s["location"]["message"]["text"])
        for s in thread["locations"]
    ]
    assert steps == [
        (1, 0, "essential", "int x = argc; → x became 1"),
        (2, 0, "essential", "x < LIMIT → true with x = 1"),
        (3, 0, "essential", "x = x - 2; → x became -1 (was 1)"),
        (4, 0, "essential", "assertion failed: x >= 0"),
    ]


def test_sarif_fix() -> None:
    (fix,) = sarif(whole())["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 7, "startColumn": 1, "endLine": 8, "endColumn": 1},
            "insertedContent": {"text": "        x = x - 1;\n"},
        }
    ]
    unproven = whole(methods={"repair": {"repairs": [{**FIX, "passing_kept": 2}]}})
    assert "fixes" not in sarif(unproven)["results"][0]


def test_sarif_of_a_long_run_keeps_within_what_viewers_show() -> None:
    many = tuple(row(k, line=k) for k in range(1, 2001))
    steps = sarif(long_run(5_000))["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert 4 <= len(steps) <= MAX_FLOW_STEPS
    without = sarif(explanation(ranking=many))["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(without) == MAX_FLOW_STEPS


def test_sarif_fingerprints_do_not_depend_on_lines() -> None:
    moved = explanation(failure=failure(line=80))
    marks = [
        sarif(value)["results"][0]["partialFingerprints"]
        for value in (explanation(), moved, explanation(failure=failure(message="x")))
    ]
    assert marks[0] == marks[1]
    assert marks[0] != marks[2]


def test_sarif_uris_are_relative_and_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, uri in [
        ("a b/ü.c", "a%20b/%C3%BC.c"),
        (str(tmp_path / "x.c"), "x.c"),
        ("./y.c", "y.c"),
        ("/else/z.c", "file:///else/z.c"),
        ("c:d.c", "c%3Ad.c"),
    ]:
        where = sarif(explanation(failure=failure(file=file)))["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]
        assert where["uri"] == uri
        assert ("uriBaseId" in where) == (not uri.startswith("file:"))


def test_survived_memory_errors_are_results_of_their_own() -> None:
    results = sarif(explanation(memory_errors=(failure(message="read past the end"),)))["results"]
    assert [(r["level"], r["message"]["text"][:17]) for r in results] == [
        ("error", "assertion failed:"),
        ("warning", "read past the end"),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_texts_are_inert(name: str) -> None:
    text = rendered(name, hostile())
    text.encode("utf-8")  # no lone surrogate
    assert all(c.isprintable() or c == "\n" for c in text)
    if name == "html":
        assert text.count("</script>") == 2
        assert "<img" not in text
    if name == "markdown":
        assert "@user" not in [
            word for line in text.split("\n") for part in line.split("`")[::2] for word in part.split()
        ]
    if name == "github":
        assert all(line.startswith("::") for line in text.rstrip("\n").split("\n"))
    if name == "gdb":
        assert all(line.startswith(("#", "set ", "ignore ")) or not line for line in text.split("\n"))
    if name == "sarif":
        jsonschema.validate(json.loads(text), SARIF)


@pytest.mark.parametrize(
    ("suffix", "name"),
    [
        (".html", "html"),
        (".HTM", "html"),
        (".json", "json"),
        (".sarif", "sarif"),
        (".gv", "dot"),
        (".md", "markdown"),
        (".gdb", "gdb"),
        (".txt", "text"),
        (".diff", None),
        (".c", None),
    ],
)
def test_format_for_suffix(suffix: str, name: str | None) -> None:
    found = format_for_suffix(suffix, FORMATS.values())
    assert (found.name if found is not None else None) == name


def test_no_two_formats_share_a_name_or_a_suffix() -> None:
    names = [row.name for row in ALL_FORMATS]
    suffixes = [suffix for row in ALL_FORMATS for suffix in row.suffixes]
    assert len(names) == len(set(names))
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)


def test_the_documents_list_every_format_with_its_suffix() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    rows = [line for page in pages for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    for known in FORMATS.values():
        suffix = f"`{known.suffixes[0]}` " if known.suffixes else ""
        assert any(line.startswith(f"| `{known.name}` | {suffix}|") for line in rows), known.name
