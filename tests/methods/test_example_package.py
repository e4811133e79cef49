"""The method of docs/add-a-method.md: a real package, installed into an environment of its own and run by name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

import butfor

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "method-package"
PAGE = ROOT / "docs" / "add-a-method.md"

BEFORE = """#include <assert.h>
int twice(int n) {
    return 2 * n;
}
int main(void) {
    int a = 20;
    int b = twice(a);
    assert(b == 40);
    return 0;
}
"""
AFTER = BEFORE.replace("2 * n", "3 * n")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a scratch environment that has the package, and sees butfor and what butfor needs."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    found = home / "bin" / "python"
    (site,) = home.glob("lib/python*/site-packages")
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "butfor-and-its-dependencies.pth").write_text("\n".join([str(Path(butfor.__file__).parents[1]), *others]))
    pip = [sys.executable, "-m", "pip", "--python", str(found), "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, str(PACKAGE)], check=True)
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program in a git repository whose last commit broke it."""
    folder = tmp_path_factory.mktemp("repository")
    path = folder / "twice.c"

    def commit(text: str, message: str, date: str) -> None:
        path.write_text(text)
        env = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for words in (["add", "twice.c"], [*identity, "commit", "-q", "-m", message]):
            subprocess.run(["git", "-C", str(folder), *words], check=True, env=env)

    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    commit(BEFORE, "Write it", "2026-01-01T12:00:00Z")
    commit(AFTER, "Make it faster", "2026-02-01T12:00:00Z")
    return path


def explained(python: Path, *words: str, cwd: Path) -> dict[str, Any]:
    """The JSON report of `butfor explain` in the scratch environment."""
    command = [str(python), "-m", "butfor", "explain", *words, "--json"]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_package_is_run_by_name(python: Path, program: Path) -> None:
    report = explained(python, program.name, "--method", "slice,recent", cwd=program.parent)
    assert report["methods"]["recent"] == {"complete": True, "commits": ["Make it faster", "Write it"]}
    rows = {row["line"]: row for row in report["ranking"]}
    (reason,) = (r["text"] for r in rows[3]["reasons"] if r["method"] == "recent")
    assert reason == "it was changed recently: Make it faster"
    assert rows[3]["rank"] == 1
    assert rows[3]["evidence"] != "replayed"


def test_its_own_option_can_be_set(python: Path, program: Path) -> None:
    words = [program.name, "--method", "slice,recent", "--set", "recent.max_commits=1"]
    report = explained(python, *words, cwd=program.parent)
    assert report["methods"]["recent"]["commits"] == ["Make it faster"]


def test_the_method_is_weighed_by_what_it_says_about_itself(python: Path, program: Path) -> None:
    alone = explained(python, program.name, "--method", "slice", cwd=program.parent)
    both = explained(python, program.name, "--method", "slice,recent", cwd=program.parent)
    without, with_it = ({row["line"]: row["score"] for row in report["ranking"]} for report in (alone, both))
    assert with_it[3] > without[3]


def test_the_method_is_refused_on_a_path_and_unknown_without_the_package(python: Path, tmp_path: Path) -> None:
    (tmp_path / "p.bpl").write_text("procedure main(n: int) { assert n != 3; }\n")
    words = ["-m", "butfor", "explain", "p.bpl", "--method", "recent"]
    done = subprocess.run([python, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the method 'recent' needs a recorded run" in done.stderr
    with pytest.raises(butfor.ButforError, match="there is no method 'recent'"):
        butfor.explain(tmp_path / "p.bpl", methods=["recent"])


def test_the_page_shows_the_code_of_the_package() -> None:
    blocks = dict(re.findall(r"^```(toml)\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S))
    assert blocks["toml"] in (PACKAGE / "pyproject.toml").read_text("utf-8")
    code = (PACKAGE / "butfor_recent.py").read_text("utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S):
        assert block in code
