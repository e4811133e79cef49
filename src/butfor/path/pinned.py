"""A path with every value from outside as it was recorded."""

from __future__ import annotations

from dataclasses import replace

from butfor.logic.terms import constant
from butfor.path.path_model import Instance, Kind, Path


def pinned(path: Path) -> Path:
    """The path for the values found only: cells start with them, inputs bring them."""
    return replace(path, initial={**path.start, **path.initial}, instances=tuple(map(_pinned, path.instances)))


def _pinned(instance: Instance) -> Instance:
    if all(term is not None for _, term in instance.writes):
        return instance
    writes = tuple((c, constant(instance.recorded[c.name], c.sort) if t is None else t) for c, t in instance.writes)
    return replace(instance, kind=Kind.ASSIGN if instance.kind is Kind.HAVOC else instance.kind, writes=writes)
