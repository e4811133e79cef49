"""Methods by name; other packages add theirs by an entry point, see docs/add-a-method.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from butfor.errors import UsageError
from butfor.methods.method import Method, Subject, When
from butfor.options import MethodSettings

if TYPE_CHECKING:
    from importlib import metadata

GROUP = "butfor.methods"
_OWN = {  # in the order in which they run by default
    "slice": "butfor.methods.slice.method:SliceMethod",
    "cascade": "butfor.methods.cause_tree.method:CauseTreeMethod",
    "output": "butfor.methods.wrong_output.method:WrongOutputMethod",
    "hazards": "butfor.methods.hazards.method:HazardsMethod",
    "butfor": "butfor.methods.but_for.method:ButForMethod",
    "security": "butfor.methods.relevance.method:SecurityMethod",
    "spectrum": "butfor.methods.spectrum.method:SpectrumMethod",
    "repair": "butfor.methods.repair.method:RepairMethod",
    "error-invariants": "butfor.methods.error_invariants.method:ErrorInvariantsMethod",
    "relevance": "butfor.methods.relevance.method:RelevanceMethod",
    "diagnoses": "butfor.methods.diagnoses.method:DiagnosesMethod",
    "proofs": "butfor.methods.proofs.method:ProofsMethod",
}


def names(subject: Subject | None = None) -> tuple[str, ...]:
    """All methods that can be asked for, or those of them that work on this subject."""
    known = dict.fromkeys((*_OWN, *(e.name for e in _offered())))
    return tuple(name for name in known if subject is None or method_class(name).works_on(subject))


def method_class(name: str) -> type[Method]:
    """The class of the method of that name."""
    target = _OWN.get(name)
    if target is not None:
        return _loaded(target)
    for entry in _offered():
        if entry.name == name:
            return _checked(entry.name, entry.load())
    raise UsageError(f"there is no method {name!r}", hint=f"the methods are: {', '.join(names())}")


@cache  # it reads the metadata of all packages, and reports ask for each row
def _offered() -> metadata.EntryPoints:
    """The methods of other packages."""
    from importlib import metadata  # late: it takes long to import, and butfor's own methods need none of it

    return metadata.entry_points(group=GROUP)


@cache
def _loaded(target: str) -> type[Method]:
    module, _, attribute = target.partition(":")
    found: type[Method] = getattr(import_module(module), attribute)
    return found


def _checked(name: str, found: Any) -> type[Method]:
    """The class that a package offers; a UsageError when it is none."""
    if not (isinstance(found, type) and issubclass(found, Method)):
        raise UsageError(f"the method {name!r} of another package is not a subclass of butfor.methods.method.Method")
    if getattr(found, "name", None) != name:
        raise UsageError(f"the method {name!r} of another package calls itself {getattr(found, 'name', None)!r}")
    return found


def make(name: str, subject: Subject, settings: MethodSettings) -> Method:
    """The method of that name with its options; a UsageError when it does not work on this subject."""
    found = method_class(name)
    if not found.works_on(subject):
        raise UsageError(
            f"the method {name!r} needs {_NEEDED[subject]}",
            hint=f"the methods for {_PROGRAM[subject]} are: {', '.join(names(subject))}",
        )
    own = {key: found.option(key, text) for method, key, text in settings.method_options if method == name}
    return found.configured({**settings.settings, **own})


_NEEDED = {Subject.PATH: Subject.RUN.value, Subject.RUN: Subject.PATH.value}
_PROGRAM = {Subject.PATH: "a Boogie program", Subject.RUN: "a recorded run"}


def by_default(subject: Subject, *, with_tests: bool = False, last_resort: bool = False) -> tuple[str, ...]:
    """The methods that run when none is named; those of other packages run only when they are asked for."""
    wanted = {When.ALWAYS}
    wanted |= {When.WITH_TESTS} if with_tests else set()
    wanted |= {When.LAST_RESORT} if last_resort else set()
    return tuple(name for name in _OWN if _when(method_class(name), subject) in wanted)


def without_running(subject: Subject = Subject.RUN) -> tuple[str, ...]:
    """The default methods that do not run the program again: for a recording, which may come from anyone."""
    return tuple(name for name in by_default(subject) if not method_class(name).runs_program)


def _when(method: type[Method], subject: Subject) -> When:
    return method.on_runs if subject is Subject.RUN else method.on_paths


def in_order(chosen: Sequence[str]) -> tuple[str, ...]:
    """The methods to run for those that were chosen, each after those whose answers it needs or uses.

    A method that is part of another one is left out where that one was chosen too.
    """
    whole = tuple(name for name in dict.fromkeys(chosen) if method_class(name).part_of not in chosen)
    return tuple(dict.fromkeys(name for first in whole for name in _with_earlier(first, whole)))


def _with_earlier(name: str, chosen: Sequence[str]) -> Iterator[str]:
    method = method_class(name)
    needed = (need for needs in method.needs.values() for need in needs)
    for other in (*method.uses, *needed):
        if other in chosen and other != name:
            yield from _with_earlier(other, chosen)
    yield name


def report_key(name: str) -> str:
    """The name under which a method stands in the report."""
    return method_class(name).part_of or name


def _is_known(name: str) -> bool:
    return name in _OWN or name in names()


def prominence(name: str) -> int:
    """How prominent the reasons of a method are where a report has room for one; 0 for methods unknown here."""
    return method_class(name).prominence if _is_known(name) else 0


def tells_what_happened(name: str) -> bool:
    """Whether the reasons of a method say what a statement did in the run."""
    return _is_known(name) and method_class(name).tells_what_happened
