"""What `import butfor` gives, and what it must not cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import butfor
from butfor import api, errors, explanation, options
from butfor.options import Options
from tests.report.sample import explanation as sample


def test_names() -> None:
    assert butfor.Explanation is explanation.Explanation
    assert butfor.Options is options.Options
    assert butfor.ButforError is errors.ButforError
    with pytest.raises(AttributeError):
        butfor.nothing  # noqa: B018 -- reading it is the test


def test_explain_passes_checked_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("")
    seen: list[Options] = []

    def fake(given: Options, progress: object = None) -> explanation.Explanation:
        seen.append(given)
        return sample()

    monkeypatch.setattr(api, "explain", fake)
    assert butfor.explain(source, args=["1"]) == sample()
    assert seen == [Options(sources=(source,), args=("1",))]
    with pytest.raises(butfor.ButforError, match="no such file"):
        butfor.explain(tmp_path / "b.c")
    assert len(seen) == 1


def test_import_loads_nothing_heavy() -> None:
    heavy = ("click", "rich", "numpy", "llvmlite", "json")
    code = f"import sys, butfor; print([m for m in sys.modules if m.split('.')[0] in {heavy}])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
