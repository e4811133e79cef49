"""`butfor batch` from end to end: groups, formats, resuming, limits, exit statuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from tests.commands import butfor_command

PAGE = (Path(__file__).parents[2] / "docs" / "batch.md").read_text("utf-8")
LEDGER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct account { char name[12]; int balance; };
static struct account *accounts[4];
static int used;
static struct account *find(const char *name)
{
    for (int k = 0; k < used; k++)
        if (strcmp(accounts[k]->name, name) == 0)
            return accounts[k];
    return NULL;
}
static void open_account(const char *name)
{
    struct account *made = calloc(1, sizeof *made);
    strcpy(made->name, name); /* fault 1 */
    accounts[used++] = made; /* fault 2 */
}
static int share(int total, int people)
{
    return total / people; /* fault 4 */
}
int main(void)
{
    char line[80], name[64];
    int number;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "open %63s", name) == 1)
            open_account(name);
        else if (sscanf(line, "add %63s %d", name, &number) == 2)
            find(name)->balance += number; /* fault 3 */
        else if (sscanf(line, "share %d", &number) == 1)
            printf("%d\n", share(100, number));
    }
    return 0;
}
"""
INPUTS = {
    1: ("open abcdefghijklmnopqrstuvwxyz0\n", "open a\nshare 3\nopen abcdefghijklmnopqrstuvwxyz012345\n"),
    2: ("open a\nopen b\nopen c\nopen d\nopen e\n", "open z\nadd z 5\nopen b\nopen c\nopen d\nopen e\nopen f\n"),
    3: ("add x 1\n", "open a\nadd x 1\n", "open a\nopen b\nadd a 7\nadd nobody 1\n"),
    4: ("share 0\n", "open a\nadd a 2\nshare 0\n"),
}
ALONE = ("--method", "slice")  # the grouping by stories needs no more


def fuzzed(folder: Path) -> list[int]:
    """The faults of the crashing inputs in `folder/crashes`, in order, made beside the program."""
    (folder / "ledger.c").write_text(LEDGER)
    (folder / "crashes").mkdir()
    faults = [(fault, text) for fault, texts in INPUTS.items() for text in texts]
    for number, (_, text) in enumerate(faults):
        (folder / "crashes" / f"id:{number:06},sig:11").write_text(text)
    return [fault for fault, _ in faults]


def batch(folder: Path, *words: str, code: int = 0) -> str:
    """What the command wrote; nothing goes to stderr."""
    done = butfor_command(["batch", *words], folder)
    assert (done.code, done.stderr) == (code, "")
    return done.stdout


def answer(folder: Path, out: str = "butfor-batch") -> Any:
    """The JSON report of a batch."""
    return json.loads((folder / out / "groups.json").read_text("utf-8"))


def files(folder: Path, out: str) -> dict[str, bytes]:
    """The files of a batch, without its store."""
    home = folder / out
    found = [path for path in home.rglob("*") if path.is_file() and "store" not in path.parts]
    return {str(path.relative_to(home)): path.read_bytes() for path in found}


def blocks(kind: str) -> list[str]:
    """The blocks of a kind in the page about batches."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S)


def without_ranks(output: str) -> str:
    """What a batch prints, but for which of several good changes comes first: that may depend on the time they get."""
    return re.sub(r"^(  cause: orders\.c:|  changes at orders\.c:).*$", r"\1", output, flags=re.M)


def test_the_example_of_the_page(work: Path) -> None:
    (program,), (tests,), (output, *_) = blocks("c"), blocks("json"), blocks("text")
    (work / "orders.c").write_text(program)
    (work / "tests.json").write_text(tests)
    assert without_ranks(batch(work, "orders.c", "--tests", "tests.json")) == without_ranks(output)
    told = re.findall(r"`([a-z]+\.[a-z]+)`", PAGE.split("then holds")[1].split("`--format`")[0])
    assert {name for name in files(work, "butfor-batch") if "/" not in name} == set(told)


def test_crashes_are_grouped_by_fault_whatever_the_number_of_workers(work: Path) -> None:
    faults = fuzzed(work)
    batch(work, "--crashes", "crashes", "ledger.c", *ALONE, "--jobs", "1", "-o", "one")
    groups = answer(work, "one")["groups"]
    assert sorted(sorted({faults[n] for n in group["members"]}) for group in groups) == [[1], [2], [3], [4]]
    sizes = {n: (work / "crashes" / f"id:{n:06},sig:11").stat().st_size for n in range(len(faults))}
    assert all(sizes[g["members"][0]] == min(sizes[n] for n in g["members"]) for g in groups)
    batch(work, "--crashes", "crashes", "ledger.c", *ALONE, "--jobs", "3", "-o", "three")
    assert files(work, "one") == files(work, "three")


@pytest.mark.slow
def test_later_crashes_join_the_groups_that_exist(work: Path) -> None:
    faults = fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    (work / "later").mkdir()
    for number in (0, 5, 7):  # of fault 1, 3 (its shortest comes last then) and 4
        path = work / "crashes" / f"id:{number:06},sig:11"
        path.rename(work / "later" / path.name)
    batch(work, *command)
    before = {faults[int(name[3:9])]: item["group"] for item in answer(work)["items"] for name in [item["name"]]}
    for path in (work / "later").iterdir():
        path.rename(work / "crashes" / path.name)
    batch(work, *command)
    after = {faults[n]: item["group"] for n, item in enumerate(answer(work)["items"])}
    assert after == before
    assert len(set(after.values())) == 4


def test_a_batch_goes_on_and_computes_what_is_damaged_again(work: Path) -> None:
    fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    batch(work, *command, "-o", "whole")
    batch(work, *command, "--fail-fast", "--jobs", "1", code=4)
    items = answer(work)["items"]
    assert [item["status"] for item in items] == ["failed", *["not-run"] * (len(items) - 1)]
    for path in sorted((work / "butfor-batch" / "store").rglob("*.json")):
        path.write_bytes(path.read_bytes()[:-3])
    batch(work, *command)
    assert files(work, "butfor-batch") == files(work, "whole")


def test_a_batch_that_is_killed_goes_on(work: Path) -> None:
    fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    words = [sys.executable, "-m", "butfor", "batch", *command]
    running = subprocess.Popen(words, cwd=work, stdout=subprocess.DEVNULL)
    store = work / "butfor-batch" / "store"
    while running.poll() is None and len(list(store.rglob("*.json"))) < 3:
        time.sleep(0.01)
    running.kill()
    assert running.wait() == -signal.SIGKILL
    batch(work, *command)
    batch(work, *command, "-o", "whole")
    assert files(work, "butfor-batch") == files(work, "whole")


def test_what_hangs_or_fills_its_memory_costs_itself_only(work: Path) -> None:
    program = work / "odd.c"
    program.write_text(
        "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        "int main(int argc, char **argv) {\n"
        '    if (!strcmp(argv[1], "sleep")) sleep(1000);\n'
        '    while (!strcmp(argv[1], "fill")) memset(malloc(1 << 20), 1, 1 << 20);\n'
        "    return 7 / atoi(argv[1]) == argc;\n}\n"
    )
    tests = [{"name": word, "args": [word]} for word in ("sleep", "fill", "0", "7")]
    (work / "tests.json").write_text(json.dumps({"tests": tests}))
    (work / "wrong.c").write_text("int main(void) { return 0 }\n")
    batch(
        *(work, "odd.c", "wrong.c", "--tests", "tests.json", *ALONE),
        *("--time-limit", "100", "--item-time", "4", "--item-memory", "700", "--memory-limit", "4000"),
        code=4,
    )
    items = answer(work)["items"]
    assert [item["status"] for item in items[:4]] == ["not-examined", "not-examined", "failed", "passed"]
    assert "longer than 4 s" in items[0]["message"]
    assert "MB of memory" in items[1]["message"] or "longer than 4 s" in items[1]["message"]
    assert {item["status"] for item in items[4:]} == {"not-examined"}


def test_formats_say_the_same(work: Path) -> None:
    faults = fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    lines = [json.loads(line) for line in batch(work, *command, "--format", "jsonl").splitlines()]
    assert sorted(line["number"] for line in lines) == list(range(len(faults)))
    home = work / "butfor-batch"
    suites = Xml.fromstring(home.joinpath("junit.xml").read_bytes())
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == (
        str(len(faults)),
        str(len(faults)),
        "0",
    )
    (run,) = json.loads(home.joinpath("results.sarif").read_bytes())["runs"]
    assert sum(result["occurrenceCount"] for result in run["results"]) == len(faults)
    assert len(re.findall(r"^\| \d", home.joinpath("summary.md").read_text("utf-8"), re.M)) == 4
    page = home.joinpath("index.html").read_text("utf-8")
    for group in answer(work)["groups"]:
        assert f'href="{group["report"]}"' in page
        assert (home / group["report"]).is_file()


@pytest.mark.slow
def test_only_a_cause_that_is_not_in_the_baseline_fails_the_build(work: Path) -> None:
    fuzzed(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    batch(work, *command, "--fail-on", "failure", code=1)
    (work / "known.json").write_bytes((work / "butfor-batch" / "groups.json").read_bytes())
    compared = (*command, "-o", "next", "--fail-on", "new-cause", "--baseline", "known.json")
    source = (work / "ledger.c").read_text()
    (work / "ledger.c").write_text(source.replace("static int used;", "static int used;\n\n/* moved */\n"))
    batch(work, *compared)
    (work / "crashes" / "id:000099,sig:06").write_text("share 7\nquit\nshare 0\n")
    (work / "ledger.c").write_text(source.replace("total / people", "100 / (people - 7)"))
    batch(work, *compared, code=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ledger.c", "--fail-on", "new-cause"), "compares with known causes"),
        (("ledger.c", "--baseline", "ledger.c"), "--baseline is for --fail-on new-cause"),
        (("ledger.c", "--stdin", "ledger.c"), "so --stdin would have no effect"),
        (("--crashes", "nowhere", "ledger.c"), "nowhere: no such folder"),
        (("missing.toml",), "no such file"),
    ],
)
def test_wrong_use_is_refused(work: Path, words: tuple[str, ...], said: str) -> None:
    fuzzed(work)
    done = butfor_command(["batch", *words], work)
    assert done.code == 2
    assert said in done.stderr


def test_each_group_gets_a_smaller_input(work: Path) -> None:
    faults = fuzzed(work)
    batch(work, "--crashes", "crashes", "ledger.c", *ALONE, "--shrink")
    for group in answer(work)["groups"]:
        smaller = group["smaller_input"]
        data = (work / "butfor-batch" / smaller["file"]).read_bytes()
        assert len(data) == smaller["bytes"] <= smaller["bytes_before"]
        if faults[group["members"][0]] == 4:
            assert data == b"share0"


@pytest.mark.slow
def test_the_content_of_an_input_file_counts_and_is_reduced(work: Path) -> None:
    (work / "quotient.c").write_text(
        "#include <stdio.h>\n"
        "int main(int argc, char **argv) {\n"
        "    int a = 0, b = 1;\n"
        '    FILE *in = fopen(argv[argc - 1], "r");\n'
        '    if (in == NULL || fscanf(in, "%d %d", &a, &b) != 2) return 0;\n'
        '    printf("%d\\n", a / b);\n'
        "    return 0;\n}\n"
    )
    (work / "crashes").mkdir()
    for name, text in (("crash-1", "4000 0 and more\n"), ("crash-22", "5 0\n"), ("crash-3", "5 1\n")):
        (work / "crashes" / name).write_text(text)
    command = ("--crashes", "crashes", "quotient.c", *ALONE, "--shrink")
    batch(work, *command, "--", "@@")
    (group,) = answer(work)["groups"]
    assert group["members"] == [1, 0], "the file is what makes an input short, not its name"
    assert (work / "butfor-batch" / group["smaller_input"]["file"]).read_bytes() == b"5 0"
    (work / "crashes" / "crash-3").write_text("7 0\n")
    batch(work, *command, "--", "@@")
    assert len(answer(work)["groups"][0]["members"]) == 3, "another content is another input"


def test_recordings_are_grouped_like_the_runs_that_they_are(work: Path) -> None:
    faults = fuzzed(work)
    chosen = [0, 6, 7, 8]
    for number in chosen:
        data = (work / "crashes" / f"id:{number:06},sig:11").read_bytes()
        done = butfor_command(["record", "ledger.c", "-o", f"run-{number}.bfr"], work, stdin=data)
        assert (work / f"run-{number}.bfr").is_file(), done.stderr
    batch(work, *(f"run-{number}.bfr" for number in chosen), *ALONE)
    found = answer(work)
    assert {item["program"] for item in found["items"]} == {"ledger"}
    assert sorted(sorted({faults[chosen[n]] for n in group["members"]}) for group in found["groups"]) == [[1], [3], [4]]
    assert sum(len(group["members"]) for group in found["groups"]) == len(chosen)


def test_the_failing_cases_of_a_test_run_are_a_batch(work: Path) -> None:
    (work / "suite.c").write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "int main(int argc, char **argv) {\n"
        '    if (argc > 1 && !strcmp(argv[1], "quotient")) return 7 / (argc - 2);\n'
        "    return 0;\n}\n"
    )
    (work / "results.xml").write_text(
        '<testsuites><testsuite><testcase classname="sums" name="quotient"><failure/></testcase>'
        '<testcase classname="sums" name="total"/><testcase classname="other" name="x"><error/></testcase>'
        "</testsuite></testsuites>"
    )
    (work / "map.toml").write_text('[[program]]\nsources = ["suite.c"]\ncases = ["sums.*"]\nargs = ["{name}"]\n')
    text = batch(work, "--junit", "results.xml", "--map", "map.toml", *ALONE)
    (item,) = answer(work)["items"]
    assert (item["name"], item["status"], item["failure"]["kind"]) == ("sums.quotient", "failed", "division")
    assert "1 failing cases are not in map.toml: other.x" in text
