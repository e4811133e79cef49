"""Where results go, and what they leave alone."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from butfor.cli.terminal_output import progress_line, wants_color
from butfor.errors import DiskFull, UsageError
from butfor.explanation import Explanation, Status
from butfor.files import replacing
from butfor.report.text import render
from tests.cli.helpers import FakeApi, run
from tests.report.sample import explanation, many


def test_text_on_stdout(fake: FakeApi) -> None:
    result = run("explain", "prog.c")
    assert result.stdout == render(explanation(), width=100)
    assert result.stderr == ""


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"], ["--format=json", "-o", "-"]])
def test_json_on_stdout(fake: FakeApi, words: list[str]) -> None:
    assert json.loads(run("explain", "prog.c", *words).stdout) == explanation().to_dict()


def test_verbose(fake: FakeApi) -> None:
    fake.answer = many(30)
    assert "23 more statements" in run("explain", "prog.c").stdout
    assert "more statements" not in run("explain", "prog.c", "-v").stdout


def test_source_is_read_where_the_result_does_not_bring_it(fake: FakeApi) -> None:
    fake.answer = explanation(sources={})
    assert run("explain", "prog.c").stdout == render(explanation(), width=100)


def test_width_of_the_terminal(fake: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert run("explain", "prog.c").stdout == render(explanation(), width=40)


def test_colour(fake: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("explain", "prog.c").stdout
    assert "\x1b[" in run("explain", "prog.c", "--color", "always").stdout_bytes.decode()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wants_color("auto", sys.stdout)
    assert not wants_color("auto", None)
    assert not wants_color("never", sys.stdout)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color("auto", sys.stdout)
    assert wants_color("always", None)


def test_file_gets_the_result(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "--json", "-o", "out.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads((folder / "out.json").read_bytes()) == explanation().to_dict()
    assert sorted(path.name for path in folder.iterdir()) == ["out.json", "prog.c"]


@pytest.mark.parametrize("error", [UsageError("no"), KeyboardInterrupt(), KeyError("x"), DiskFull("full")])
@pytest.mark.parametrize("command", ["explain", "record", "replay"])
def test_failure_leaves_an_old_file_alone(fake: FakeApi, folder: Path, error: BaseException, command: str) -> None:
    (folder / "out").write_text("old")
    fake.error = error
    assert run(command, "prog.c", "-o", "out").exit_code in (2, 3, 101, 130)
    assert (folder / "out").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["out", "prog.c"]


def test_record(fake: FakeApi, folder: Path) -> None:
    result = run("record", "prog.c", "-o", "run.bfr")
    assert result.exit_code == 0
    assert result.stdout == "run.bfr: recorded 1,234 instructions in 9 bytes; the program was ended by SIGABRT\n"
    assert (folder / "run.bfr").read_bytes() == b"recording"
    assert sorted(path.name for path in folder.iterdir()) == ["prog.c", "run.bfr"]


def test_replaced_file_keeps_its_mode_and_its_link(folder: Path) -> None:
    real, link = folder / "real", folder / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with replacing(link) as temporary:
        temporary.write_text("new")
        assert real.read_text() == "old"
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_device_is_written_not_replaced(fake: FakeApi) -> None:
    assert run("explain", "prog.c", "-o", os.devnull).exit_code == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


_SCRIPT = """
import sys
from butfor import api
from butfor.explanation import Explanation, Status
api.explain = lambda options, *_: Explanation(status=Status.PARTIAL, notes=("x" * 1000,) * 1000)
from butfor.cli.main import main
sys.argv = ["butfor", "explain", "prog.c", *sys.argv[1:]]
main()
"""


def test_reader_that_goes_away_is_no_error(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 4


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams(folder: Path, closed: str) -> None:
    (folder / "fake.py").write_text(_SCRIPT)
    process = subprocess.run(
        f"exec {sys.executable} fake.py </dev/null {closed}", shell=True, capture_output=True, check=False
    )
    if closed == ">&-":  # the result is lost, and that is said
        assert process.returncode == 2
        assert b"standard output is closed, so the result cannot be written" in process.stderr
        return
    assert process.returncode == 4
    assert process.stderr == b""


def test_full_disk_behind_stdout(folder: Path) -> None:
    (folder / "fake.py").write_text(_SCRIPT)
    process = subprocess.run(
        f"exec {sys.executable} fake.py </dev/null >/dev/full", shell=True, capture_output=True, check=False
    )
    assert process.returncode == 3
    assert process.stderr.startswith(b"butfor: error: the disk is full\n")
    assert b"Exception ignored" not in process.stderr


def test_ascii_terminal(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = subprocess.run(
        [sys.executable, "-c", _SCRIPT], stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
    )
    assert process.returncode == 4
    assert process.stdout.isascii()
    assert b"  - xxx" in process.stdout


def test_progress_is_for_terminals_only(fake: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def explain(options: object, progress: object = None, known: object = None) -> Explanation:
        seen.append(progress)
        return Explanation(status=Status.NO_FAILURE)

    monkeypatch.setattr("butfor.api.explain", explain)
    assert run("explain", "prog.c").stderr == ""
    assert seen == [None]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Always true."""
        return True


def test_progress_is_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with progress_line() as say:
        assert say is not None
        say("method slice; \x1b[31m" + "x" * 100)
        shown = stream.getvalue()
    assert shown == "\r\x1b[Jbutfor: method slice; \\x1b[31"
    assert stream.getvalue() == shown + "\r\x1b[J"


def test_progress_says_how_long_a_step_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with progress_line() as say:
        assert say is not None
        say("method butfor")
        for _ in range(600):
            if re.search(r"method butfor \(\d+ s\)", stream.getvalue()):
                break
            time.sleep(0.1)
    assert re.search(r"method butfor \(\d+ s\)", stream.getvalue())


def test_on_a_terminal_the_failure_stands_there_before_the_methods_are_asked(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text("#include <assert.h>\nint main(void) {\n    int x = 1;\n    assert(x == 2);\n}\n")
    command = [sys.executable, "-m", "butfor", "explain", source.name]
    a_person = {name: value for name, value in os.environ.items() if name not in ("CI", "TERM")}  # sees progress
    here, there = os.openpty()
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=there, stderr=there, stdin=subprocess.DEVNULL, env=a_person
    ) as process:
        os.close(there)
        written = b"".join(iter(lambda: _read(here), b""))
    os.close(here)
    assert process.returncode == 0
    plain = re.sub(rb"\x1b\[[0-9;]*[mKAJ]", b"", written).decode()
    order = [
        "assertion failed: x == 2",
        "what happened, from the failure back:",
        "method slice",
        "causes so far:",
        "causes, most likely first:",
    ]
    places = [plain.index(words) for words in order]
    assert places == sorted(places)
    assert plain.count("what happened, from the failure back:") == 1
    screen = _screen(written.decode())
    assert "causes so far:" not in screen
    assert [line for line in screen.splitlines() if line.startswith("butfor:")] == []


def _screen(written: str) -> str:
    """What a terminal shows in the end, by what moves the cursor in what was written."""
    lines, row, column = [""], 0, 0
    for piece in re.findall(r"\x1b\[\d*[A-Za-z]|\x1b\[[0-9;]*m|\r|\n|[^\x1b\r\n]+", written):
        if piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
            column = 0
        elif piece == "\r":
            column = 0
        elif piece.endswith("A") and piece[0] == "\x1b":
            row = max(0, row - int(piece[2:-1] or 1))
        elif piece == "\x1b[J":
            lines = [*lines[:row], lines[row][:column]]
        elif piece[0] != "\x1b":
            lines[row] = lines[row][:column] + piece + lines[row][column + len(piece) :]
            column += len(piece)
    return "\n".join(lines)


def _read(terminal: int) -> bytes:
    """What stands in a terminal by now; nothing when its program has ended."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""
