"""Checks of repairs: each patched source is compiled and run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.claims.claim_model import Claim, FailingCase, judged, unchecked
from tests.claims.native import NativeProgram, compiler


def check_repairs(case: FailingCase) -> Iterator[Claim]:
    """Repairs fix what they are said to fix."""
    repairs = case.method("repair").get("repairs", ())
    if not repairs:
        return
    if compiler() is None:
        yield unchecked("repair", "fixes the failing run", "", "there is no C compiler on this machine")
        return
    with tempfile.TemporaryDirectory() as name:
        for repair in repairs:
            text = f"line {repair['line']}: {repair['after']}"
            data = case.printed.text.encode()
            for edit in sorted(repair["edits"], key=lambda e: -e["start"]):
                data = data[: edit["start"]] + edit["new"].encode() + data[edit["end"] :]
            patched = NativeProgram(data.decode(), Path(name))
            if patched.error:
                yield judged(False, "repair", "fixes the failing run", text, f"it does not compile: {patched.error}")
                continue
            fixed = repair["failing_fixed"] == repair["failing_total"]
            fails = patched.fails(case.program, case.inputs)
            yield judged(fixed != fails, "repair", "fixes the failing run", text, "the patched program fails")
