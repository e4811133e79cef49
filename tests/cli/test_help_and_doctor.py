"""Help texts, the version, and `butfor doctor`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import butfor
from butfor.cli import doctor
from butfor.cli.doctor import Check, CheckState
from tests.cli.helpers import run


@pytest.mark.parametrize("words", [[], ["explain"], ["record"], ["replay"], ["doctor"]])
def test_help_starts_with_examples(words: list[str]) -> None:
    result = run(*words, "--help")
    assert result.exit_code == 0
    usage, _, rest = result.stdout.partition("\n\n")
    assert usage.startswith("Usage: butfor")
    assert rest.lstrip().startswith("Examples:\n    butfor ")


def test_help_says_where_arguments_go() -> None:
    assert run("explain", "--help").stdout.startswith("Usage: butfor explain [OPTIONS] SOURCES... [-- ARGS]\n")


def test_no_words_show_the_help_as_an_error() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: butfor [OPTIONS] COMMAND [ARGS]...\n")


def test_version() -> None:
    assert run("--version").stdout == f"butfor {butfor.__version__}\n"


_SHOW_HELP = """
import sys
from butfor.cli.main import cli
try:
    cli.main(["explain", "--help"])
except SystemExit:
    print("butfor.api" in sys.modules)
"""


def test_help_loads_no_analysis() -> None:
    done = subprocess.run([sys.executable, "-c", _SHOW_HELP], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nFalse\n")


def test_doctor_here() -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.stdout
    names = [line[9:23].strip() for line in result.stdout.splitlines() if line.startswith(("ok ", "note "))]
    assert {
        "python",
        "ziglang",
        "llvmlite",
        "numpy",
        "tree-sitter",
        "tree-sitter-c",
        "clang",
        "cache",
        "big mapping",
    } <= set(names)
    assert result.stdout.endswith("\nbutfor can be used\n")


def test_doctor_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "ziglang" else "1.0")
    result = run("doctor")
    assert result.exit_code == 2
    assert f"missing  ziglang        not installed\n{'':<24}python -m pip install ziglang\n" in result.stdout
    assert result.stdout.endswith("\n1 missing: butfor cannot be used yet\n")


def test_doctor_and_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("BUTFOR_CACHE_DIR", str(folder / "prog.c" / "below a file"))
    assert doctor._cache().state is CheckState.MISSING


def test_doctor_counts_the_cache(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "c" / "d").mkdir(parents=True)
    (folder / "c" / "d" / "x").write_bytes(b"0" * 12_345)
    monkeypatch.setenv("BUTFOR_CACHE_DIR", str(folder / "c"))
    assert doctor._cache().found.startswith(f"{folder}/c: 12.3 kB used, ")


def test_doctor_and_a_refused_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_SHADOW_MEMORY_BYTES", 1 << 62)
    check = doctor._mapping()
    assert check.state is CheckState.NOTE
    assert "slower" in check.found


def test_doctor_reports_a_broken_configuration(folder: Path) -> None:
    (folder / "butfor.toml").write_text("nonsense = 1")
    assert doctor._config() == Check(
        "configuration", CheckState.MISSING, f"{folder}/butfor.toml: unknown key 'nonsense'", doctor._config().fix
    )
    assert run("doctor").exit_code == 2
