"""The same edits are compiled and run once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from butfor import api
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.methods.repair import repair_search
from butfor.methods.repair.patched_program import ProgramSources, build_alone
from butfor.options import make_options
from butfor.source.edits import Edit
from tests.small import source, written


def test_an_edit_that_needs_a_program_of_its_own_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = source("static int limit = 4;\nint main(void) { assert(limit == 5); return 0; }\n")
    built: Counter[tuple[Edit, ...]] = Counter()

    def counted(sources: ProgramSources, edits: Sequence[Edit], *, checked: bool) -> HookedBuild:
        built[tuple(edits)] += 1
        return build_alone(sources, edits, checked=checked)

    monkeypatch.setattr(repair_search, "build_alone", counted)
    answer = api.repair(make_options(written(tmp_path, program))).to_dict()
    assert answer["methods"]["repair"]["repairs"][0]["after"] == "static int limit = 5;"
    assert len(built) > 2
    assert set(built.values()) == {1}
