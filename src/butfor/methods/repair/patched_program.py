"""Proposals as variants of one program: which of them can share a program, and how each is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from butfor.frontends.c.build import BuildSpec
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.object_files import code_of
from butfor.frontends.c.program_variants import Copy, Variants, build_checked, build_variants, can_be_copied
from butfor.methods.repair.proposal import Proposal
from butfor.source import SyntaxTree
from butfor.source.edits import Edit, apply_edits
from butfor.source.function_extents import FunctionExtent


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a program by the path that the compiler knows, with their text when the run was recorded."""

    spec: BuildSpec
    paths: Mapping[str, Path]  # as the compiler knows it: as the user gave it
    trees: Mapping[str, SyntaxTree]

    def text(self, path: str) -> bytes:
        """The text of a file."""
        return self.trees[path].source.data

    def texts(self) -> dict[Path, bytes]:
        """All texts, by the path that the user gave."""
        return {given: self.text(path) for path, given in self.paths.items()}

    def patched(self, edits: Sequence[Edit]) -> dict[Path, bytes]:
        """All texts after edits."""
        return {
            given: apply_edits(self.text(path), [e for e in edits if e.path == path])
            for path, given in self.paths.items()
        }

    def copy(self, number: int, p: Proposal) -> Copy | None:
        """The proposal as a second version of the one function that it changes; None when it changes something else."""
        (path,) = {e.path for e in p.edits} if len({e.path for e in p.edits}) == 1 else ("",)
        tree = self.trees.get(path)
        inside = (
            [x for x in tree.extents if all(x.body < e.start and e.end < x.end for e in p.edits)]
            if tree is not None
            else []
        )
        if tree is None or len(inside) != 1:
            return None
        extent, data = inside[0], tree.source.data
        definition = data[extent.start : extent.end]
        name = _name_in(definition, extent)
        if name < 0 or not can_be_copied(definition):
            return None
        moved = [Edit(e.path, e.start - extent.start, e.end - extent.start, e.new) for e in p.edits]
        return Copy(
            number, self.paths[path], extent.start, extent.end, name, len(extent.name), apply_edits(definition, moved)
        )


def _name_in(definition: bytes, extent: FunctionExtent) -> int:
    """Where the name of a function stands in its definition, -1 when a macro makes it."""
    at = definition.rfind(extent.name.encode(), 0, extent.open - extent.start)
    return at if at >= 0 and not definition[at + len(extent.name) : extent.open - extent.start].strip() else -1


@dataclass(frozen=True, slots=True)
class Many:
    """A program that holds several proposals, by number."""

    build: HookedBuild
    numbers: Mapping[int, Proposal]


def gathered(
    sources: Sources, proposals: Sequence[tuple[int, Proposal]], *, checked: bool
) -> tuple[Many, list[tuple[int, Proposal]]]:
    """One program with all proposals that change one function each, and the others. What does not compile is in neither.

    In a `checked` program, memory errors end a run.

    Of proposals that compile to the same code, the first is kept; those that change no code are left out.
    """
    copies, rest = [], []
    for number, p in proposals:
        copy = sources.copy(number, p)
        if copy is None:
            rest.append((number, p))
        else:
            copies.append(copy)
    variants = build_variants(sources.spec, copies, sources.texts())
    known = dict(proposals)
    kept = [c for c in _different(variants, copies) if c.number not in variants.refused]
    build = build_checked(sources.spec, kept, sources.texts()) if checked else variants.build
    return Many(build, {c.number: known[c.number] for c in kept}), rest


def _different(variants: Variants, copies: Sequence[Copy]) -> list[Copy]:
    """The first copy of each that does something else than those before it and the original."""
    found: dict[object, Copy] = {}
    code: dict[str, bytes] = {}
    for data in variants.objects:
        code |= code_of(data)
    for copy in copies:
        old = copy.text[copy.name : copy.name + copy.name_size].decode("ascii", "replace")
        mine = code.get(f"{old}__bf{copy.number}", str(copy.number).encode())
        if mine != code.get(old):
            found.setdefault((copy.source, copy.start, mine), copy)
    return list(found.values())


def alone(sources: Sources, edits: Sequence[Edit], *, checked: bool) -> HookedBuild:
    """The program after edits, and nothing else in it."""
    texts = sources.patched(edits)
    return build_checked(sources.spec, (), texts) if checked else build_variants(sources.spec, (), texts).build
