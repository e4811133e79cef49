"""The abstract error trace that the recursive algorithm finds: relevant statements, and what held before each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butfor.logic.solvers import Limit, default_solver
from butfor.logic.terms import variables
from butfor.methods.error_invariants.abstract_trace import CellNamer, TraceEntry, occurrences, role_of
from butfor.methods.error_invariants.recursive_algorithm import RecursiveExplanation, explain_recursively
from butfor.path.path_model import Kind, Path, pinned
from butfor.path.source_expressions import SourceExpressions


@dataclass(frozen=True, slots=True)
class RecursiveStory:
    """The entries, whether they are minimal, and whether the inputs had to be pinned for them.

    `is_whole`: the run fails from all states with the invariants, whichever way they take.
    """

    entries: tuple[TraceEntry, ...]
    minimal: bool
    pinned: bool
    is_whole: bool


def recursive_story(
    path: Path, limit: Limit, *, boogie: bool, address: Callable[[int], str] = hex
) -> RecursiveStory | None:
    """The story of a path; None when none is found in time."""
    found = explain_recursively(path, default_solver(), limit)
    was_pinned = found is None
    if found is None:
        path = pinned(path)
        found = explain_recursively(path, default_solver(), limit)
    if found is None:
        return None
    entries = tuple(_entries(path, found, boogie, address))
    return RecursiveStory(entries, found.minimal, was_pinned, _is_whole(path, found))


def _is_whole(path: Path, found: RecursiveExplanation) -> bool:
    """Whether the run fails from all states with the invariants, also from those that take another arm than it did.

    Where an invariant is weaker before a branch than behind it, it lets states in that take the other arm; where the
    other arm of a branch that is not asked about may assign what the invariants are about, it may mend them.
    """
    for k, instance in enumerate(path.instances):
        if instance.kind is not Kind.BRANCH:
            continue
        behind = found.invariants[k + 1]
        if found.invariants[k] != behind:
            return False
        needed = {str(v.data) for v in variables(behind)}
        if k not in found.conditions and any(c.name in needed for c in instance.frames):
            return False
    return True


def _entries(
    path: Path, found: RecursiveExplanation, boogie: bool, address: Callable[[int], str]
) -> Iterator[TraceEntry]:
    namer = CellNamer(path)
    text = SourceExpressions({c.name: c for c in path.cells}, boogie=boogie, name=namer, address=address)
    calls = occurrences(path)
    last: frozenset[object] | None = None
    for position in (*sorted(found.positions | found.conditions), len(path.instances)):
        atoms = found.invariants[position]
        place = path.place if position == len(path.instances) else path.instances[position].place
        if atoms != last:
            namer.set_context(atoms, place.function)
            facts = tuple(sorted(text(a) for a in atoms))
            yield TraceEntry("invariant", " && ".join(dict.fromkeys(facts)), facts=facts)
            last = atoms
        if position < len(path.instances):
            instance = path.instances[position]
            namer.set_context((instance.condition,), place.function)
            held = text(instance.condition) if instance.kind in (Kind.BRANCH, Kind.ASSUME) else ""
            yield TraceEntry(
                "statement",
                place=place,
                position=position,
                role=role_of(instance),
                held=held,
                rounds=instance.rounds,
                occurrence=calls.get(position, 0),
            )
