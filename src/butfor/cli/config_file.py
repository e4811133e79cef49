"""Defaults from the nearest `butfor.toml`, or `[tool.butfor]` in pyproject.toml, upwards."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from butfor.errors import UsageError, did_you_mean
from butfor.files import read_bytes


def find_config(start: Path) -> tuple[Path | None, dict[str, Any]]:
    """The file that sets options for the directory `start`, and the fields of `Options` it sets; else (None, {})."""
    for folder in (start, *start.parents):
        own = folder / "butfor.toml"
        if own.is_file():
            return own, _checked_options(_parsed_toml(own), own)
        project = folder / "pyproject.toml"
        if project.is_file():
            table = _tool_table(_parsed_toml(project), project)
            if table is not None:
                return project, _checked_options(table, project)
    return None, {}


def split_flags(text: str, where: str) -> tuple[str, ...]:
    """The words of a string quoted as in a shell."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{where}: {text!r}: {str(error).lower()}") from error


def split_list(text: str) -> tuple[str, ...]:
    """The parts of a list separated by commas, without empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _parsed_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path).decode())
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise UsageError(f"{path}: not valid TOML: {str(error).partition(';')[0]}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error


def _tool_table(document: Mapping[str, Any], path: Path) -> dict[str, Any] | None:
    tools = document.get("tool")
    table = tools.get("butfor") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.butfor] must be a table")
    return table


def _checked_options(table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            hint = f"known keys: {', '.join(sorted(_READERS))}"
            raise UsageError(f"{path}: unknown key {key!r}{did_you_mean(key, _READERS)}", hint=hint)
        result[key] = _READERS[key](value, f"{path}: {key}")
    return result


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where} must be a string, not {value!r}")
    return value


def _seconds(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where} must be a number of seconds, not {value!r}")
    try:
        return float(value)
    except OverflowError as error:
        raise UsageError(f"{where} is too large a number") from error


def _strings(split: Callable[[str, str], tuple[str, ...]]) -> Callable[[Any, str], tuple[str, ...]]:
    def read(value: Any, where: str) -> tuple[str, ...]:
        if isinstance(value, list):
            return tuple(_string(item, f"{where}[{index}]") for index, item in enumerate(value))
        if isinstance(value, str):
            return split(value, where)
        raise UsageError(f"{where} must be a string or a list of strings, not {value!r}")

    return read


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "annotations": lambda value, where: Path(where.rpartition(": ")[0]).parent / _string(value, where),
    "budget": _seconds,
    "cc": _string,
    "cflags": _strings(split_flags),
    "methods": _strings(lambda text, where: split_list(text)),
    "time_limit": _seconds,
    "trust": _strings(lambda text, where: split_list(text)),
}
