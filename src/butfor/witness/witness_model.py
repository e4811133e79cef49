"""A violation witness as plain data: the values that must hold along the run, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CAST = re.compile(r"\(\s*(?:(?:const|unsigned|signed|char|short|int|long|_Bool|bool|size_t|u?int\d+_t)\s*)+\)")
_NUMBER = re.compile(r"([-+]?)\s*(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*\Z")
_CHARACTER = re.compile(r"'(?:\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(.))|([^\\]))'\Z")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
_LEFT = re.compile(r"\\result\Z|[A-Za-z_][\w.\[\]>-]*\Z")
RESULT = "\\result"


@dataclass(frozen=True, slots=True)
class Waypoint:
    """Values of variables, or the result of a call, at a point of the run; line and column are 0 where not given.

    `is_after`: the values hold after the statement in this line; otherwise just before it.
    """

    line: int
    column: int
    values: tuple[tuple[str, int], ...]
    is_after: bool
    function: str = ""  # the one that returned the value, if that is given


@dataclass(frozen=True, slots=True)
class Witness:
    """All waypoints in order, the line of the failure (0: not given), and the constraints that were not understood."""

    waypoints: tuple[Waypoint, ...]
    target: int
    unread: tuple[str, ...] = ()


def equalities(text: str) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """The values that a constraint gives to variables, and those of its parts that give none."""
    known, unread = [], []
    for part in re.split(r"&&|;", text):
        part = _bare(part)
        left, equals, right = part.partition("==")
        value, name = _number(right), _bare(left)
        if equals and value is None:
            value, name = _number(left), _bare(right)
        if equals and value is not None and _LEFT.match(name):
            known.append((name, value))
        elif part and part not in ("1", "true"):
            unread.append(part)
    return tuple(known), tuple(unread)


def _bare(text: str) -> str:
    """The text without parentheses around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _is_one_pair(text):
        text = text[1:-1].strip()
    return text


def _is_one_pair(text: str) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return k == len(text) - 1
    return False


def _number(text: str) -> int | None:
    """The value of a C literal, with casts and parentheses; None for anything else."""
    text = _bare(_CAST.sub("", text)).replace("(", " ").replace(")", " ").strip()
    found = _NUMBER.match(text)
    if found:
        digits = found[2]
        base = 0 if digits[:2].lower() in ("0x", "0b") else 8 if len(digits) > 1 and digits[0] == "0" else 10
        try:
            return int(digits, base) * (-1 if found[1] == "-" else 1)
        except ValueError:
            return None
    character = _CHARACTER.match(text)
    if character is None:
        return {"true": 1, "false": 0}.get(text)
    octal, hexadecimal, escaped, plain = character.groups()
    if octal or hexadecimal:
        return int(octal, 8) if octal else int(hexadecimal, 16)
    return _ESCAPES.get(escaped, ord(escaped)) if escaped else ord(plain)
