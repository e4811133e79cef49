"""`butfor show` as a command: what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.cli.show import _read_report
from tests.commands import run_in


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.json", None, "no such file"),
        ("list.json", "[1, 2]", "is not a report of butfor"),
        ("text.json", "no json", "is not a report of butfor"),
        ("bytes.json", b"\xff\xfe", "is not a report of butfor"),
        ("hollow.json", '{"schema_version": 1}', "is not a complete report of butfor"),
        ("wrong.json", '{"schema_version": 1, "ranking": [7], "methods": {}}', "is not a complete report of butfor"),
        ("deep.json", "[" * 100_000, "is not a report of butfor"),
        ("good.json", '{"schema_version": 1, "ranking": [], "methods": {}}', "needs a terminal"),
    ],
)
def test_what_cannot_be_shown(tmp_path: Path, name: str, content: str | bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run_in(tmp_path, "show", name)
    assert done.code == 2
    assert message in done.stderr


def test_sources_are_found_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text("int main(void) { return 0; }\n")
    report = tmp_path / "report.json"
    report.write_text('{"schema_version": 1, "ranking": [{"file": "prog.c"}, {"file": "gone.c"}], "methods": {}}')
    assert list(_read_report(report)[1]) == ["prog.c"]
