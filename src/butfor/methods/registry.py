"""Methods by name, loaded when used. Packages add their own through the entry-point group `butfor.localizers`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module, metadata

from butfor.errors import UsageError
from butfor.methods.method import Localizer, PathLocalizer

GROUP = "butfor.localizers"
_OWN = {
    "slice": "butfor.methods.slice.run_slice:localize",
    "cascade": "butfor.methods.cause_tree.run_cause_tree:localize",
    "butfor": "butfor.methods.but_for.changed_runs:localize",
    "output": "butfor.methods.wrong_output.print_statements:localize",
    "hazards": "butfor.methods.hazards.run_hazards:localize",
    "spectrum": "butfor.methods.spectrum.test_spectrum:localize",
    "repair": "butfor.methods.repair.run_repair:localize",
    "error-invariants": "butfor.methods.error_invariants.explained_path:localize",
    "relevance": "butfor.methods.relevance.run_relevance:localize",
    "security": "butfor.methods.relevance.run_relevance:localize_security",
    "diagnoses": "butfor.methods.diagnoses.minimal_diagnoses:localize",
    "proofs": "butfor.methods.proofs.proved_checks:localize",
}
_ON_PATHS = {  # for programs without a recording: a search gives a path
    "slice": "butfor.methods.slice.path_slice:localize",
    "cascade": "butfor.methods.cause_tree.path_cause_tree:localize",
    "error-invariants": "butfor.methods.error_invariants.explained_path:localize_path",
    "relevance": "butfor.methods.relevance.path_relevance:localize",
    "diagnoses": "butfor.methods.diagnoses.minimal_diagnoses:localize_path",
    "repair": "butfor.methods.repair.on_paths.path_repair:localize_path",
}
DEFAULT_ON_PATHS = tuple(name for name in _ON_PATHS if name != "repair")
DEFAULT = ("slice", "cascade", "output", "hazards", "butfor", "security")
WITH_TESTS = ("spectrum",)  # by default besides those when there are other tests
LAST_RESORT = (
    "repair"  # and this one: with other tests, which tell what an edit is worth, and when nothing stands out without
)
_PARTS = {"security": "relevance"}  # methods that are a part of another one, under whose name they stand in the report
OF_RECORDINGS = (
    "slice",
    "cascade",
    "output",
    "hazards",
)  # a recording may come from anyone: its program is run only when that is asked for


def names() -> tuple[str, ...]:
    """All methods that can be asked for."""
    return tuple(dict.fromkeys((*_OWN, *(e.name for e in metadata.entry_points(group=GROUP)))))


def wholes(chosen: Iterable[str]) -> tuple[str, ...]:
    """The methods to run for those that were chosen: a part is left out where the method it is a part of was chosen too."""
    asked = tuple(chosen)
    return tuple(name for name in asked if _PARTS.get(name) not in asked)


def key_of(name: str) -> str:
    """The name under which a method stands in the report."""
    return _PARTS.get(name, name)


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


def names_on_paths() -> tuple[str, ...]:
    """All methods that work on a failing path."""
    return tuple(_ON_PATHS)


def get_on_paths(name: str) -> PathLocalizer:
    """The method of that name for failing paths."""
    target = _ON_PATHS.get(name)
    if target is None:
        what = f"the method {name!r} needs a recorded run" if name in names() else f"there is no method {name!r}"
        raise UsageError(what, hint=f"the methods for a Boogie program are: {', '.join(_ON_PATHS)}")
    module, _, attribute = target.partition(":")
    found: PathLocalizer = getattr(import_module(module), attribute)
    return found
