"""`butfor repair` on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from butfor.explanation import Explanation, Failure, FailureKind, Interrupted, Status
from tests.cli.helpers import FakeApi, run
from tests.commands import run_in

OLD = "int main(void)\n{\n    return 1 < 2;\n}\n"
DIFF = "--- a/p.c\n+++ b/p.c\n@@ -1,4 +1,4 @@\n int main(void)\n {\n-    return 1 < 2;\n+    return 1 > 2;\n }\n"


def explained(kept: int = 2, diff: str = DIFF) -> Explanation:
    """An answer with one repair of `p.c`."""
    repair = {
        "file": "p.c",
        "line": 3,
        "before": "return 1 < 2;",
        "after": "return 1 > 2;",
        "diff": diff,
        "failing_fixed": 1,
        "failing_total": 1,
        "passing_kept": kept,
        "passing_total": 2,
        "why": "`>` instead of `<`",
        "label": f"fixes 1 of 1 failing, keeps {kept} of 2 passing",
        "edits": [{"file": "p.c", "start": OLD.index("<"), "end": OLD.index("<") + 1, "new": ">"}],
    }
    failure = Failure(FailureKind.EXIT_STATUS, "p.c", 3, 5, "main", "exit status 1")
    return Explanation(
        Status.EXPLAINED, failure=failure, methods={"repair": {"repairs": [repair]}}, sources={"p.c": OLD}
    )


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """A faked analysis in a folder with `p.c`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.c").write_text(OLD)
    fake = FakeApi(answer=explained())
    fake.install(monkeypatch)
    return fake


def test_the_report_shows_the_difference_and_what_the_tests_say(fake: FakeApi) -> None:
    done = run("repair", "p.c", stdin="")
    assert done.exit_code == 0
    assert "+    return 1 > 2;" in done.stdout
    assert "fixes 1 of 1 failing, keeps 2 of 2 passing" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("p.c:3: repair: return 1 > 2; [fixes 1 of 1")
    assert Path("p.c").read_text() == OLD


def test_json_has_the_keys_of_the_design(fake: FakeApi) -> None:
    (repair,) = json.loads(run("repair", "p.c", "--json", stdin="").stdout)["methods"]["repair"]["repairs"]
    assert {
        "file",
        "line",
        "before",
        "after",
        "diff",
        "failing_fixed",
        "failing_total",
        "passing_kept",
        "passing_total",
    } <= set(repair)


def test_a_diff_can_be_applied(fake: FakeApi, tmp_path: Path) -> None:
    done = run("repair", "p.c", "--format", "diff", stdin="")
    assert done.stdout == DIFF
    run("repair", "p.c", "--format", "diff", "-o", "out.diff", stdin="")
    assert (tmp_path / "out.diff").read_text() == DIFF


def test_a_file_has_the_format_of_its_suffix(fake: FakeApi, tmp_path: Path) -> None:
    done = run("repair", "p.c", "--format", "diff", "-o", "out.json", stdin="")
    assert done.stdout == DIFF
    assert json.loads((tmp_path / "out.json").read_text())["methods"]["repair"]["repairs"][0]["diff"] == DIFF
    done = run("repair", "p.c", "--format", "text", "-o", "out.patch", stdin="")
    assert "fixes 1 of 1 failing" in done.stdout
    assert (tmp_path / "out.patch").read_text() == DIFF
    done = run("repair", "p.c", "--format", "diff", "-o", "out", stdin="")
    assert done.stdout == ""
    assert (tmp_path / "out").read_text() == DIFF


def test_a_patch_has_the_bytes_of_the_file(fake: FakeApi) -> None:
    fake.answer = explained(diff=DIFF.replace("2", "\udcff"))
    assert run("repair", "p.c", "--format", "diff", stdin="").stdout_bytes == DIFF.replace("2", "X").encode().replace(
        b"X", b"\xff"
    )


def test_no_repair_is_said_beside_an_empty_patch(fake: FakeApi) -> None:
    fake.answer = Explanation(Status.EXPLAINED, failure=fake.answer.failure, methods={"repair": {"repairs": []}})
    done = run("repair", "p.c", "--format", "diff", stdin="")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "butfor: no repair was found\n")


def test_an_interrupted_search_applies_nothing(fake: FakeApi, tmp_path: Path) -> None:
    fake.error = Interrupted(explained())
    assert run("repair", "p.c", "--apply", stdin="").exit_code == 130
    assert (tmp_path / "p.c").read_text() == OLD


def test_apply_writes_the_file_and_says_how_to_undo(fake: FakeApi, tmp_path: Path) -> None:
    done = run("repair", "p.c", "--apply", stdin="")
    assert done.exit_code == 0
    assert "1 > 2" in (tmp_path / "p.c").read_text()
    command = done.stderr.partition("undo: ")[2].strip()
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert (tmp_path / "p.c").read_text() == OLD


def test_apply_refuses_when_the_file_changed_meanwhile(fake: FakeApi, tmp_path: Path) -> None:
    def change() -> None:
        (tmp_path / "p.c").write_text(OLD + "// new\n")

    fake.on_call = change
    done = run("repair", "p.c", "--apply", stdin="")
    assert done.exit_code == 2
    assert "has changed since it was read" in done.stderr
    assert (tmp_path / "p.c").read_text() == OLD + "// new\n"


def test_apply_takes_a_repair_that_breaks_tests_only_by_its_number(fake: FakeApi, tmp_path: Path) -> None:
    fake.answer = explained(kept=1)
    assert run("repair", "p.c", "--apply", stdin="").exit_code == 2
    assert (tmp_path / "p.c").read_text() == OLD
    assert run("repair", "p.c", "--apply", "2", stdin="").exit_code == 2
    assert run("repair", "p.c", "--apply", "1", stdin="").exit_code == 0
    assert "1 > 2" in (tmp_path / "p.c").read_text()


def test_a_recording_is_not_repaired(fake: FakeApi, tmp_path: Path) -> None:
    (tmp_path / "r.bfr").write_bytes(b"x")
    assert run("repair", "r.bfr", stdin="").exit_code == 2


@pytest.mark.parametrize(
    "name",
    [
        "a b;$(touch gone).c",
        pytest.param("-quo'te.c", marks=pytest.mark.slow),
        pytest.param("ü b.c", marks=pytest.mark.slow),
    ],
)
def test_file_names_that_look_like_something_else(work: Path, name: str) -> None:
    (work / name).write_text(
        "#include <assert.h>\nint main(int c, char **v)\n{\n    int x = 1;\n    assert(x == 2);\n    return 0;\n}\n"
    )
    done = run_in(work, "repair", f"./{name}", "--apply", "--method", "slice,butfor")
    assert done.code == 0, done.stderr
    assert "int x = 2;" in (work / name).read_text()
    assert sorted(p.name for p in work.iterdir()) == sorted([name, f"{name}.orig"])
