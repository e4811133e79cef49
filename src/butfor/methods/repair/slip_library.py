"""The annotation library: the weights of likely slips, a data file that users can add to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from butfor.errors import UsageError, did_you_mean
from butfor.files import read_bytes

_BUILTIN = Path(__file__).parent / "annotations.toml"
_TABLES = ("operators", "functions", "constants", "variables")
MAX_WEIGHT = 30.0  # of the likeliest slip
SYNTHESISED = "synthesised"  # the kind of an edit whose expression was found for this run: no slip at all

ReplacementWeights = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SlipLibrary:
    """Weights of replacements by what stands in the source, and of other kinds of edits by their name."""

    operators: ReplacementWeights
    functions: ReplacementWeights
    constants: ReplacementWeights
    variables: ReplacementWeights
    kinds: Mapping[str, float]


@cache
def builtin_library() -> SlipLibrary:
    """The library that comes with butfor."""
    return _library(_read(_BUILTIN), _BUILTIN, None)


def load_library(extra: Path | None) -> SlipLibrary:
    """The library with what a user's file adds; a UsageError that names what is wrong in it."""
    return builtin_library() if extra is None else _library(_read(extra), extra, builtin_library())


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path).decode())
    except UnicodeDecodeError as e:
        raise UsageError(f"{path}: not UTF-8 at byte {e.start}") from e
    except ValueError as e:
        raise UsageError(f"{path}: not valid TOML: {e}") from e


def _library(data: Mapping[str, Any], path: Path, base: SlipLibrary | None) -> SlipLibrary:
    known = (*_TABLES, "kinds")
    for key in data:
        if key not in known:
            raise UsageError(
                f"{path}: unknown table {key!r}{did_you_mean(key, known)}", hint=f"known tables: {', '.join(known)}"
            )
    tables = {
        name: _replacements(data.get(name, {}), f"{path}: {name}", getattr(base, name) if base else {})
        for name in _TABLES
    }
    kinds = _weights(data.get("kinds", {}), f"{path}: kinds")
    usual = base.kinds if base is not None else kinds
    for kind in kinds:
        if kind not in usual:
            raise UsageError(
                f"{path}: there is no kind of edit {kind!r}{did_you_mean(kind, usual)}",
                hint=f"kinds: {', '.join(usual)}",
            )
    return SlipLibrary(**tables, kinds={**usual, **kinds})


def _replacements(table: Any, where: str, base: ReplacementWeights) -> ReplacementWeights:
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table")
    return {**base, **{old: {**base.get(old, {}), **_weights(row, f"{where}.{old}")} for old, row in table.items()}}


def _weights(table: Any, where: str) -> dict[str, float]:
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table of weights")
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_WEIGHT:
            raise UsageError(f"{where}.{key} must be a weight from 0 to {MAX_WEIGHT:g}, not {value!r}")
    return {key: float(value) for key, value in table.items()}
