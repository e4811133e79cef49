"""The `butfor` command as tests run it: inside the test process, or as a process of its own where that matters."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from butfor.cli.main import cli

TIMEOUT_SECONDS = 90  # far more than any command of a test needs on a busy machine


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended; nothing it wrote is lost when it is not UTF-8."""

    code: int
    stdout: str
    stderr: str


def butfor_command(
    words: Sequence[str], cwd: Path, *, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> Done:
    """The result of `butfor WORDS` in a folder, run inside this process; a traceback fails the test."""
    with contextlib.chdir(cwd), _temporary_files_in((env or {}).get("TMPDIR")):
        result = CliRunner().invoke(cli, list(words), input=stdin, env=env)
    return _checked(result.exit_code, result.stdout_bytes, result.stderr_bytes)


def butfor_process(
    words: Sequence[str | bytes],
    cwd: Path,
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    preexec_fn: Callable[[], None] | None = None,
) -> Done:
    """The result of `python -m butfor WORDS`, for tests of what only a process has: limits, raw arguments."""
    done = subprocess.run(
        [sys.executable, "-m", "butfor", *words],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=stdin,
        capture_output=True,
        preexec_fn=preexec_fn,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return _checked(done.returncode, done.stdout, done.stderr)


def run_in(work: Path, *words: str, stdin: bytes = b"") -> Done:
    """The result of a butfor command in the folder of the fixture `work`."""
    return butfor_command(words, work, env=scratch_environment(work), stdin=stdin)


def scratch_environment(work: Path) -> dict[str, str]:
    """The environment variable that sends temporary files to the scratch folder of the fixture `work`."""
    return {"TMPDIR": str(work.parent / "scratch")}


@contextlib.contextmanager
def _temporary_files_in(folder: str | None) -> Iterator[None]:
    kept = tempfile.tempdir  # Python looks at $TMPDIR only once
    tempfile.tempdir = folder or kept
    try:
        yield
    finally:
        tempfile.tempdir = kept


def _checked(code: int, stdout: bytes, stderr: bytes) -> Done:
    out, err = (data.decode("utf-8", "surrogateescape") for data in (stdout, stderr))
    assert "Traceback" not in err, err
    assert code != 101, err
    return Done(code, out, err)
