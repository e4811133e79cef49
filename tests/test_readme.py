"""The commands in README.md do what they say."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import butfor_command

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.M | re.S)


def commands(path: Path) -> list[str]:
    """The `butfor` commands of a file that name something in examples/: in code blocks and in comments."""
    text = path.read_text()
    found = []
    for line in text.splitlines():
        command = line.removeprefix(" *").strip()
        if re.match(r"(printf .*\| )?butfor \w+ .*examples/", command) and line != command:
            found.append(command)
    for block in _BLOCK.findall(text):
        found += [line.strip("$ ") for line in block.splitlines() if re.match(r"(\$ )?butfor \w+ .*examples/", line)]
    return found


ALL = [
    (path.name, command)
    for path in (ROOT / "README.md", *sorted((ROOT / "examples").glob("*.c")))
    for command in commands(path)
]


def test_commands_are_found() -> None:
    assert "butfor explain examples/triangle.c -- 6 5 4" in commands(ROOT / "README.md")
    for example in (ROOT / "examples").glob("*.c"):
        assert any(f"examples/{example.name}" in command for command in commands(example)), example.name


@pytest.mark.parametrize(("file", "command"), ALL, ids=[f"{file}: {command}" for file, command in ALL])
def test_command(file: str, command: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    given, _, rest = command.rpartition("| ")
    words = shlex.split(rest)
    assert words[0] == "butfor"
    stdin = shlex.split(given)[1].encode() if given else b""
    done = butfor_command(words[1:], tmp_path, stdin=stdin)
    assert (done.code, done.stderr) == (0, "")
    promised = "repairs, best first:" if words[1] == "repair" else "causes, most likely first:"
    assert ("the changed run ended" if "--with" in words else promised) in done.stdout


def test_the_examples_of_the_readme_are_real_output(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text.split("<!-- example -->\n```text\n")[1].split("```\n<!-- /example -->")[0].splitlines()
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    words = ["explain", "examples/triangle.c", "--", "6", "5", "4"]
    done = butfor_command(words, tmp_path, env={"COLUMNS": "100", "NO_COLOR": "1"})
    printed = iter(done.stdout.splitlines())
    assert [line for line in shown if line != "..." and line not in printed] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 140
