"""The structure of an answer, as golden files keep it: statements, their order, how each is known and by which methods.

Sentences, scores and columns are left out: new wording, or a weight that keeps the order, changes no golden file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from butfor.explanation import Explanation

Json = dict[str, Any]
REWRITE = "GOLDEN"  # `GOLDEN=write make test` writes the golden files anew


def structure(answer: Explanation) -> Json:
    """The failure, the methods that ran, and one row per ranked statement, best first."""
    failure = answer.failure
    return {
        "failure": None if failure is None else f"{failure.kind} at line {failure.line}",
        "methods": sorted(answer.methods),
        "ranking": [
            {
                "line": row.line,
                "role": row.role,
                "evidence": str(row.evidence),
                "reasons": sorted({f"{reason.method}: {reason.evidence}" for reason in row.reasons}),
            }
            for row in answer.ranking
        ],
    }


def story(answer: Explanation) -> list[str]:
    """The steps of the error invariants: the statement of each with its line, and the facts that hold behind it."""
    data = answer.methods["error-invariants"]
    return [*map(_step, data["abstract_trace"]), f"line {data['check']['line']}: check"]


def _step(entry: Mapping[str, Any]) -> str:
    if entry["kind"] == "invariant":
        return " && ".join(entry["facts"]) or "true"
    kept = f" keeps {', '.join(entry['kept'])}" if entry.get("kept") else ""
    return f"line {entry['line']}: {entry['role']}{kept}"


def differences(found: Json, golden: Json) -> Iterator[str]:
    """Where an answer's structure differs from the golden one, part by part and row by row."""
    for part in sorted({*found, *golden}):
        new, old = found.get(part), golden.get(part)
        if not (isinstance(new, list) and isinstance(old, list)):
            new, old = [new], [old]
        for k in range(max(len(new), len(old))):
            a, b = (rows[k] if k < len(rows) else "nothing" for rows in (new, old))
            if a != b:
                yield f"{part}, row {k + 1}: {json.dumps(a)} instead of {json.dumps(b)}"


def compare_with_golden(found: Json, path: Path) -> None:
    """Compare a structure with its golden file."""
    if os.environ.get(REWRITE) == "write":
        path.write_text(_one_row_per_line(found))
    different = list(differences(found, json.loads(path.read_text())))
    assert not different, "\n".join(different)


def _one_row_per_line(found: Json) -> str:
    parts = []
    for name, value in found.items():
        if isinstance(value, list) and value:
            rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
            parts.append(f" {json.dumps(name)}: [\n{rows}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
