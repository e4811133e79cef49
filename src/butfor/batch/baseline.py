"""Causes that are known: what an earlier batch found."""

from __future__ import annotations

import json
from pathlib import Path

from butfor.errors import UsageError
from butfor.files import read_bytes


def causes_in(path: Path) -> frozenset[str]:
    """The fingerprints of the groups in the JSON report of a batch."""
    try:
        document = json.loads(read_bytes(path))
        return frozenset(str(group["fingerprint"]) for group in document["groups"])
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{path}: not the report of a batch", hint="--baseline takes the groups.json in the folder of a batch"
        ) from error
