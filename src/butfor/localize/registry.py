"""Methods by name, loaded when used. Packages add their own through the entry-point group `butfor.localizers`."""

from __future__ import annotations

from importlib import import_module, metadata

from butfor.errors import UsageError
from butfor.localize.base import Localizer

GROUP = "butfor.localizers"
_OWN = {
    "slice": "butfor.localize.slice:localize",
    "cascade": "butfor.localize.cascade:localize",
    "butfor": "butfor.localize.butfor:localize",
    "spectrum": "butfor.localize.spectrum:localize",
    "repair": "butfor.repair.method:localize",
}
DEFAULT = ("slice", "cascade", "butfor")
OF_RECORDINGS = ("slice", "cascade")  # a recording may come from anyone: its program is run only when that is asked for


def names() -> tuple[str, ...]:
    """All methods that can be asked for."""
    return tuple(dict.fromkeys((*_OWN, *(e.name for e in metadata.entry_points(group=GROUP)))))


def get(name: str) -> Localizer:
    """The method of that name."""
    target = _OWN.get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        found: Localizer = getattr(import_module(module), attribute)
        return found
    for e in metadata.entry_points(group=GROUP):
        if e.name == name:
            loaded: Localizer = e.load()
            return loaded
    raise UsageError(f"there is no method {name!r}", hint=f"the methods are: {', '.join(names())}")
