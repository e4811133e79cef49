"""Plain JSON values from the values that results are made of."""

from __future__ import annotations

import enum
import math
import os
from collections.abc import Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any


def text_of(data: bytes) -> str:
    """The bytes as text; what is not UTF-8 appears as `\\xNN`."""
    return data.decode("utf-8", "backslashreplace")


def valid_text(text: str) -> str:
    """The text with lone surrogates (bytes that were not UTF-8) as `\\xNN`: no strict JSON reader accepts them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return (
            text_of(text.encode("utf-8", "surrogateescape"))
            if _only_escaped_bytes(text)
            else text.encode("utf-8", "replace").decode()
        )
    return text


def _only_escaped_bytes(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text)


def plain(value: Any) -> Any:
    """The value as JSON has it: None, bool, int, float, str, list, dict; a type with no such form is a TypeError.

    The depth of results is small and fixed (trees are stored flat, by id), so recursion is safe here.
    """
    match value:
        case None | bool():
            return value
        case enum.Enum():
            return plain(value.value)
        case str():
            return valid_text(value)
        case bytes() | bytearray():
            return text_of(bytes(value))
        case Integral():
            return int(value)
        case Real():
            number = float(value)
            # JSON has no infinities and no NaN; as words they are at least readable.
            return number if math.isfinite(number) else str(number)
        case os.PathLike():
            return valid_text(os.fsdecode(value))
        case Mapping():
            return {valid_text(str(key)): plain(item) for key, item in value.items()}
        case Set():
            return sorted((plain(item) for item in value), key=str)
        case Sequence():
            return [plain(item) for item in value]
    raise TypeError(f"a {type(value).__name__} cannot be written to JSON")


def merged(fixed: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Fixed keys first, then extra ones; an extra key that would hide a fixed one is a ValueError."""
    clash = fixed.keys() & extra.keys()
    if clash:
        raise ValueError(f"extra keys {sorted(clash)} are part of the fixed format")
    return {str(key): plain(value) for key, value in {**fixed, **extra}.items()}
