"""The command line run inside the test process, with an analysis that the test chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from butfor import api
from butfor.cli.main import cli
from butfor.counterfactual.user_changes import ChangedRun
from butfor.explanation import Explanation, RunInfo
from butfor.options import Options
from tests.report.sample import explanation


@dataclass
class FakeApi:
    """Stands in for `butfor.api`: keeps what it was asked and gives a prepared answer, or raises a prepared error."""

    answer: Explanation = field(default_factory=explanation)
    error: BaseException | None = None
    asked: list[Options] = field(default_factory=list)
    recording: bytes = b"recording"
    changes: tuple[str, ...] = ()
    on_call: Callable[[], None] = lambda: None

    def explain(self, options: Options, progress: object = None, known: object = None) -> Explanation:
        """The prepared answer."""
        self.asked.append(options)
        self.on_call()
        if self.error is not None:
            raise self.error
        return self.answer

    def record(self, options: Options, out: Path, progress: object = None) -> RunInfo:
        """The prepared answer's run; a recording is written before an error is raised, as in a real interruption."""
        out.write_bytes(self.recording)
        return self.explain(options).run

    def replay(self, path: Path, options: Options, progress: object = None) -> Explanation:
        """The prepared answer."""
        return self.explain(options)

    def changed(self, options: Options, changes: Sequence[str], progress: object = None) -> ChangedRun:
        """A run that ended well."""
        self.changes = tuple(changes)
        self.explain(options)
        return ChangedRun((), True, "why", 1, "exit", 0, None, "", b"", b"", True)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make the command line talk to this object."""
        for name in ("explain", "record", "replay", "changed"):
            monkeypatch.setattr(api, name, getattr(self, name))


def run(*words: str, stdin: str | bytes | None = None) -> Result:
    """The result of `butfor WORDS`."""
    return CliRunner().invoke(cli, list(words), input=stdin)
