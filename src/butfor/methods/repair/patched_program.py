"""Programs with proposals: many as variants of one program, one alone, one that is recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.failure_point import Unsupported
from butfor.failures.find_failure import find_failure
from butfor.frontends.c.build import BuildSpec, build
from butfor.frontends.c.c_frontend import record
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.object_files import code_of
from butfor.frontends.c.program_variants import Copy, Variants, build_checked, build_variants, can_be_copied
from butfor.methods.repair.repair_model import Proposal
from butfor.native.kept_process import temporary_folder
from butfor.options import RunOptions
from butfor.source import SyntaxTree
from butfor.source.edits import Edit, apply_edits
from butfor.source.function_extents import FunctionExtent
from butfor.trace.dependence.dependence import Dependence

MAX_MORE_OUTPUT_BYTES = 1 << 20  # of a patched program than of the failing run: more is a loop without end
MAX_SLOWDOWN = 10  # of a patched program, times the seconds of the failing run


@dataclass(frozen=True, slots=True)
class ProgramSources:
    """The files of a program by the path that the compiler knows, with their text as it was recorded."""

    spec: BuildSpec
    paths: Mapping[str, Path]  # as the user gave them, by the path that the compiler knows
    trees: Mapping[str, SyntaxTree]
    arithmetic: bool = False  # checked programs look for errors of arithmetic too

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
        """The proposal as a copy of the one function that it changes; None when it changes anything else."""
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
    """The offset of the name of a function in its definition; -1 when a macro expands to it."""
    at = definition.rfind(extent.name.encode(), 0, extent.open - extent.start)
    return at if at >= 0 and not definition[at + len(extent.name) : extent.open - extent.start].strip() else -1


@dataclass(frozen=True, slots=True)
class VariantProgram:
    """A program with several proposals as variants, by number."""

    build: HookedBuild
    numbers: Mapping[int, Proposal]


def build_together(
    sources: ProgramSources, proposals: Sequence[tuple[int, Proposal]], *, checked: bool
) -> tuple[VariantProgram, list[tuple[int, Proposal]]]:
    """One program with all proposals that change one function each, and the other proposals.

    Proposals that do not compile are in neither, nor are those that change no code; of proposals that compile to the
    same code, the first is kept. In a `checked` program, memory errors end a run.
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
    kept = [c for c in _distinct(variants, copies) if c.number not in variants.refused]
    build = (
        build_checked(sources.spec, kept, sources.texts(), arithmetic=sources.arithmetic) if checked else variants.build
    )
    return VariantProgram(build, {c.number: known[c.number] for c in kept}), rest


def _distinct(variants: Variants, copies: Sequence[Copy]) -> list[Copy]:
    """The copies whose code differs from that of the original and of all copies before."""
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


def build_alone(sources: ProgramSources, edits: Sequence[Edit], *, checked: bool) -> HookedBuild:
    """The program after these edits alone."""
    texts = sources.patched(edits)
    if checked:
        return build_checked(sources.spec, (), texts, arithmetic=sources.arithmetic)
    return build_variants(sources.spec, (), texts).build


@contextlib.contextmanager
def _source_copies(texts: Mapping[Path, bytes]) -> Iterator[dict[Path, Path]]:
    """Copies of source files under their own names in a temporary folder."""
    with temporary_folder() as home:
        found = {}
        for k, (given, text) in enumerate(texts.items()):
            folder = home / str(k)
            folder.mkdir()
            found[given] = folder / given.name
            found[given].write_bytes(text)
        yield found


def passes_when_recorded(
    sources: ProgramSources, texts: Mapping[Path, bytes], options: RunOptions, seconds: float, output: int
) -> bool:
    """Whether a patched program, recorded behind the fence on the failing run, has no failure and no memory error."""
    spec = sources.spec
    time_limit = min(options.time_limit, 1 + MAX_SLOWDOWN * seconds)
    chosen = replace(options, time_limit=time_limit, output_limit=output + MAX_MORE_OUTPUT_BYTES)
    try:
        with _source_copies(texts) as copies:
            quotes = [flag for given in spec.sources for flag in ("-iquote", str(given.absolute().parent))]
            files = tuple(copies.get(s, s) for s in spec.sources)
            program = build(BuildSpec(files, spec.cc, (*spec.flags, *quotes), spec.libs), lambda text: None)
        recording = record(chosen, program, lambda text: None, is_fenced=True)
        return (
            find_failure(
                recording,
                Dependence(recording.trace),
                options.memory_errors,
                look_for_arithmetic_errors=options.arithmetic_errors,
            ).failure
            is None
        )
    except (ButforError, Unsupported):
        return False  # nobody knows that it passes
