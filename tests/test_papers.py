"""The papers' tables come from folders of faulty programs: what is measured, kept and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.paper_cases import read_case, read_cases
from bench.paper_tables import document

from bench import paper_measures, papers
from butfor.errors import UsageError

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int width = atoi(argv[1]);
    int price = 3;
    if (width > 10)
        price = 5;
    printf("%d\\n", price);
    return 0;
}
"""
FAULTY_LINE = 7  # should be >=
OVERFLOWS = Path(__file__).parent / "methods" / "repair" / "overflows"


def data_folder(home: Path) -> Path:
    """A suite with one version that prints a wrong number, one that never fails, and one that leaves an array."""
    tests = {
        "tests": [
            {"name": "edge", "args": ["10"], "expect_stdout": "5\n"},
            {"name": "low", "args": ["1"], "expect_stdout": "3\n"},
        ]
    }
    for version, failing in (("v10", ["edge"]), ("v2", [])):
        folder = home / "own" / "tcas" / version
        folder.mkdir(parents=True)
        (folder / "price.c").write_text(PROGRAM)
        (folder / "tests.json").write_text(json.dumps(tests))
        case = {"sources": ["price.c"], "failing": failing, "faulty": {"price.c": [FAULTY_LINE]}}
        (folder / "case.json").write_text(json.dumps(case))
    folder = home / "own" / "sums" / "v1"
    folder.mkdir(parents=True)
    (folder / "sum.c").write_text((OVERFLOWS / "le_bound.c").read_text("utf-8"))
    head = (OVERFLOWS / "le_bound.c").read_text("utf-8").partition("*/")[0]
    args, fault = head.partition("args:")[2].split("\n")[0].split(), int(head.partition("fault: ")[2].split()[0])
    (folder / "tests.json").write_text(json.dumps({"tests": [{"name": "far", "args": args}]}))
    case = {"sources": ["sum.c"], "failing": ["far"], "faulty": {"sum.c": [fault]}}
    (folder / "case.json").write_text(json.dumps(case))
    return home


def test_versions_that_never_fail_are_left_out_and_the_others_are_in_order(tmp_path: Path) -> None:
    assert [case.name for case in read_cases(data_folder(tmp_path))] == ["own/sums/v1", "own/tcas/v10"]


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"case\.json"):
        list(read_cases(tmp_path))


def test_a_case_without_faulty_lines_is_refused(tmp_path: Path) -> None:
    file = data_folder(tmp_path) / "own" / "sums" / "v1" / "case.json"
    file.write_text(json.dumps({key: value for key, value in json.loads(file.read_text()).items() if key != "faulty"}))
    with pytest.raises(UsageError, match="'faulty' is missing"):
        read_case(file.parent)


def test_the_answer_to_a_wrong_output_counts_lines_until_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = read_case(data_folder(tmp_path) / "own" / "tcas" / "v10")
    found = paper_measures.measure(case, "answer")
    assert found["failure"] == "output"
    assert (found["tree"]["level"], found["rank"]) == (2, 1)
    assert found["tree"]["path"] <= found["tree"]["without_inputs"] <= found["tree"]["until"] <= 5
    assert found["slices"]["relevant"]["found"]
    assert not found["slices"]["data"]["found"]
    assert "cascade" in found["named"]


@pytest.mark.slow
def test_fixes_are_counted_for_memory_errors_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = data_folder(tmp_path)
    assert "columns" not in paper_measures.measure(read_case(data / "own" / "tcas" / "v10"), "fixes")
    found = paper_measures.measure(read_case(data / "own" / "sums" / "v1"), "fixes")
    assert 0 < found["columns"]["butfor"]["useful"] <= found["columns"]["butfor"]["fixes"]


def test_results_are_kept_and_what_is_known_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, results, out = data_folder(tmp_path), tmp_path / "results.jsonl", tmp_path / "evaluation.md"
    words = ["--data", str(data), "--results", str(results), "--part", "answer"]
    assert papers.main([*words, "--only", "own/tcas"]) == 0
    lines = results.read_text().splitlines()
    assert [json.loads(line)["case"] for line in lines] == ["own/tcas/v10"]
    results.write_text(lines[0] + "\n" + lines[0][:40])  # the last one was cut off
    monkeypatch.setattr(papers, "measured_apart", lambda *_: pytest.fail("measured again"))
    assert papers.main([*words, "--only", "own/tcas", "--write", str(out)]) == 0
    assert "| tcas | 1 of 1 | 1 | 2.0 |" in out.read_text()
    assert "| v10 | - | 2 |" in capsys.readouterr().out, "the version stands beside the numbers of the paper"


def test_what_takes_too_long_is_said_instead_of_left_out(tmp_path: Path) -> None:
    case = next(read_cases(data_folder(tmp_path)))
    record = papers.measured_apart(case, "answer", 0.01)
    assert record["error"] == "no answer within 0.01 s"
    assert "own/sums/v1, answer: no answer within 0.01 s" in document([case], {(case.name, "answer"): record})
