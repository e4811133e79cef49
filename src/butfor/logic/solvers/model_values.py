"""Values in the text of a solver's answer: numbers, bits and maps as SMT-LIB writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from butfor.logic.sorts import REAL, MapSort, MapValue, Sort, Value, is_map
from butfor.logic.terms import Term

_TOKEN = re.compile(r"\(|\)|\|[^|]*\||\"[^\"]*\"|[^\s()|\"]+")


class NotAValue(Exception):
    """The text does not say a value that is understood: an irrational number, a map told by a formula."""


def read_model(text: str, wanted: Sequence[Term]) -> dict[str, Value] | None:
    """The values of the variables from the answer to `get-value`; None when one is missing or not understood."""
    try:
        pairs = {_name(row[0]): row[1] for row in parsed(text)[0]} if wanted else {}
        return {str(v.data): value_of(_without_names(pairs[str(v.data)], {}), v.width) for v in wanted}
    except (NotAValue, KeyError, IndexError, TypeError, ValueError):
        return None


def _name(word: Any) -> str:
    return word[1:-1] if isinstance(word, str) and word.startswith("|") else str(word)


def parsed(text: str) -> list[Any]:
    """The expressions of a text as nested lists of words."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def _without_names(x: Any, names: Mapping[str, Any]) -> Any:
    """An expression with what `let` names put in; solvers name the parts of long maps."""
    if isinstance(x, str):
        return names.get(x, x)
    if len(x) == 3 and x[0] == "let":
        return _without_names(x[2], {**names, **{name: _without_names(part, names) for name, part in x[1]}})
    return [_without_names(part, names) for part in x]


def value_of(x: Any, sort: Sort) -> Value:
    """The value that an expression writes."""
    if is_map(sort):
        return _map(x, sort)
    if sort > 0:
        return _bits(x)
    if sort == 0:
        if x not in ("true", "false"):
            raise NotAValue
        return int(x == "true")
    found = _fraction(x)
    return found if sort == REAL else int(found)


def _bits(x: Any) -> int:
    if isinstance(x, str) and x[:2] in ("#x", "#b"):
        return int(x[2:], 16 if x[1] == "x" else 2)
    if isinstance(x, list) and len(x) == 3 and x[0] == "_" and x[1].startswith("bv"):
        return int(x[1][2:])
    raise NotAValue


def _fraction(x: Any) -> Fraction:
    match x:
        case str() if re.fullmatch(r"\d+(\.\d+)?", x):
            return Fraction(x)
        case ["-", inner]:
            return -_fraction(inner)
        case ["/", above, below]:
            return _fraction(above) / _fraction(below)
    raise NotAValue


def _map(x: Any, sort: MapSort) -> MapValue:
    written: list[tuple[Value, Value]] = []
    while isinstance(x, list) and len(x) == 4 and x[0] == "store":
        written.append((value_of(x[2], sort.index), value_of(x[3], sort.value)))
        x = x[1]
    if not (isinstance(x, list) and len(x) == 2 and isinstance(x[0], list) and x[0][:2] == ["as", "const"]):
        raise NotAValue
    found = MapValue(value_of(x[1], sort.value))
    for k, v in reversed(written):
        found = found.having(k, v)
    return found
