"""Families of near-equal cases: `make test` runs a few of each, `make test-all` runs them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

_Case = TypeVar("_Case")


def some_of(cases: Iterable[_Case], is_quick: Callable[[int, _Case], bool], name: Callable[[_Case], str]) -> list[Any]:
    """The parameters of a test, one per case; a case that is not quick (asked with its number) is marked slow."""
    return [
        pytest.param(case, id=name(case), marks=() if is_quick(number, case) else pytest.mark.slow)
        for number, case in enumerate(cases)
    ]
