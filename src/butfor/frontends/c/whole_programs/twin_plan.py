"""What a twin is made of: the units of a program and of its own shared libraries, and the rest of the link."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from butfor.compiler_wrapper.command_line import CommandLine, expanded, takes_argument
from butfor.compiler_wrapper.command_line import Unit as SourceOnLine
from butfor.compiler_wrapper.ir_store import read_command
from butfor.errors import UsageError
from butfor.frontends.stamped_files import (
    Stamps,
    Unit,
    archive_members,
    behind_libtool,
    exported_by_library,
    hides_stamps,
    program_stamps,
    stamps_of,
    stem_of,
)

_LINKER_WORDS = frozenset(
    "--whole-archive --no-whole-archive --start-group --end-group -( -) -Bstatic -Bdynamic --as-needed --no-as-needed "
    "--push-state --pop-state --allow-multiple-definition".split()
)
_LINKER_WORDS_WITH_ARGUMENT = frozenset("-rpath --rpath -rpath-link --rpath-link -u --undefined --defsym".split())
_LINKER_PREFIXES = ("-rpath=", "--rpath=", "-rpath-link=", "--rpath-link=", "--undefined=", "--defsym=", "-u")
_DRIVER_WORDS = frozenset("-pthread -fopenmp -no-pie -pie -nopie --coverage -fprofile-arcs".split())
_DRIVER_PREFIXES = ("-fuse-ld=", "--sysroot=", "-B")
_MAX_LIBRARIES = 200  # each is opened and read


@dataclass(frozen=True, slots=True)
class LinkedPart:
    """The program, or one of its shared libraries: its units with IR, and for a library the names that others see."""

    name: str
    units: tuple[Unit, ...]
    visible: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class TwinPlan:
    """The parts that are looked into, the units that are not, and the words that link the rest.

    Words that are in `files` name objects or archives whose references to the program must be renamed.
    """

    parts: tuple[LinkedPart, ...]
    lacking: tuple[Unit, ...]
    driver: tuple[str, ...]
    words: tuple[str, ...]
    files: frozenset[str]
    spare: tuple[Unit, ...]  # of archives of the link, which the program did not need

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units that are looked into."""
        return tuple(unit for part in self.parts for unit in part.units)

    @property
    def coverage(self) -> str:
        """What an explanation can see, in words; empty when that is everything."""
        if not self.lacking:
            return ""
        names = [f"{os.path.basename(unit.source)} ({unit.lack})" for unit in self.lacking]
        shown = ", ".join(names[:_SHOWN_UNITS]) + (
            f" and {len(names) - _SHOWN_UNITS} more" if names[_SHOWN_UNITS:] else ""
        )
        total = len(self.units) + len(self.lacking)
        return f"{len(self.units)} of {total} objects are looked into; not: {shown}"


_SHOWN_UNITS = 5  # of those without IR, in a note


def plan_twin(program: Path, refused: frozenset[str] = frozenset()) -> TwinPlan:
    """The plan of a program's twin; IR of `refused` names is not used."""
    stamps = program_stamps(program)
    if stamps is None or not stamps.link:
        raise UsageError(f"{program} does not say what it was built from", hint=_BUILD_HINT)
    return _Planner(refused).plan(behind_libtool(program), stamps)


_BUILD_HINT = 'build it with CC="butfor cc"'


class _Planner:
    """Collects the parts of a twin while it goes through the links of the program and its libraries."""

    def __init__(self, refused: frozenset[str]) -> None:
        self.refused = refused
        self.parts: list[LinkedPart] = []
        self.lacking: list[Unit] = []
        self.words: list[str] = []
        self.files: set[str] = set()
        self.seen: set[str] = set()
        self.spare: list[Unit] = []

    def plan(self, program: Path, stamps: Stamps) -> TwinPlan:
        driver = self._add_part(program, stamps, None)
        return TwinPlan(
            tuple(self.parts),
            tuple(dict.fromkeys(self.lacking)),
            driver,
            tuple(self.words),
            frozenset(self.files),
            tuple(dict.fromkeys(self.spare)),
        )

    def _add_part(self, path: Path, stamps: Stamps, visible: frozenset[str] | None) -> tuple[str, ...]:
        """Add a program or a library and what it was linked with; return the compiler that linked it."""
        if not stamps.link_record.exists():
            raise UsageError(f"the link of {path} is no longer in the store", hint="build it again")
        known = {unit.ir for part in self.parts for unit in part.units}
        units = [u for u in stamps.units if self._is_usable(u) and u.ir not in known]
        self.parts.append(LinkedPart(path.name, tuple(units), visible))
        self.lacking += [u for u in stamps.units if not self._is_usable(u)]
        folder, (count, *words) = read_command(stamps.link_record)
        driver, arguments = words[: int(count)], words[int(count) :]
        _Link(self, folder, arguments, {u.source for u in units}).read()
        return tuple(word for word in driver if os.path.basename(word) != "ccache")

    def _is_usable(self, unit: Unit) -> bool:
        return unit.bitcode is not None and unit.ir not in self.refused

    def is_left_out(self, stamps: Stamps | None) -> bool:
        """Whether an object takes part in the twin as IR, so that it is not linked."""
        return stamps is not None and bool(stamps.units) and all(self._is_usable(u) for u in stamps.units)

    def add_library(self, path: Path) -> bool:
        """Whether a shared library is one of the project, which then becomes part of the twin."""
        path = path.resolve()
        if str(path) in self.seen:
            return True
        data = path.read_bytes()
        stamps = stamps_of(data)
        if stamps is None or not stamps.link or len(self.seen) >= _MAX_LIBRARIES:
            return False
        self.seen.add(str(path))
        self._add_part(path, stamps, exported_by_library(data))
        return True

    def add_spare(self, units: Sequence[Unit]) -> None:
        """Add units of an archive; those that the program has are no spare ones."""
        known = {unit.ir for part in self.parts for unit in part.units}
        self.spare += [unit for unit in units if self._is_usable(unit) and unit.ir not in known]

    def keep(self, path: str) -> None:
        """Keep an object or an archive in the link."""
        if path not in self.files:
            self.files.add(path)
        self.words.append(path)


class _Link:
    """One link, gone through word by word: what of it the twin's link needs is added to the plan."""

    def __init__(self, planner: _Planner, folder: str, arguments: Sequence[str], sources: set[str]) -> None:
        self.planner = planner
        self.folder = folder
        self.sources = sources  # that are part of the twin as IR
        words = [self._at_link(w) for w in arguments] if any(w[:1] == "@" for w in arguments) else list(arguments)
        self.words = expanded(words)
        self.line = CommandLine(list(self.words))
        self.library_folders = list(self._library_folders())

    def _at_link(self, word: str) -> str:
        return f"@{os.path.join(self.folder, word[1:])}" if word[:1] == "@" else word

    def _path(self, word: str) -> str:
        return os.path.normpath(os.path.join(self.folder, word))

    def _library_folders(self) -> Iterator[str]:
        for k, word in enumerate(self.words):
            if word == "-L" and k + 1 < len(self.words):
                yield self._path(self.words[k + 1])
            elif word.startswith("-L") and len(word) > 2:
                yield self._path(word[2:])

    def read(self) -> None:
        """Add the words that the twin needs."""
        units = {unit.path: unit for unit in self.line.units}
        words = iter(self.words)
        for word in words:
            argument = next(words, "") if takes_argument(word) else ""
            if word[:1] != "-":
                self._input(word, units.get(word))
            elif word == "-l" or word.startswith("-l"):
                self._library(word[2:] or argument)
            elif word == "-L" or word.startswith("-L"):
                self.planner.words.append("-L" + self._path(word[2:] or argument))
            elif word.startswith("-Wl,"):
                self._linker_words(word[4:].split(","))
            elif word == "-Xlinker":
                self._linker_words([argument])
            elif word in _DRIVER_WORDS or word.startswith(_DRIVER_PREFIXES):
                self.planner.words += [word, argument] if argument else [word]

    def _input(self, word: str, unit: SourceOnLine | None) -> None:
        path = self._path(word)
        if unit is not None:
            if os.path.abspath(path) not in self.sources:
                self.planner.words += [*self.line.language_flags, path]
        elif ".so" in os.path.basename(path):
            if not os.path.exists(path) or not self.planner.add_library(Path(path)):
                self.planner.words.append(path)
        else:
            self._object_or_archive(path)

    def _object_or_archive(self, path: str) -> None:
        if not os.path.isfile(path):
            if not self._was_looked_into(path):
                raise UsageError(f"{path} was linked into the program and is not there any more", hint="build it again")
            return
        members = archive_members(Path(path))
        if members is None:
            if not self._is_left_out(path, Path(path).read_bytes()):
                self.planner.keep(path)
            return
        stamps = [stamps_of(member.data) for member in members]
        self.planner.add_spare([unit for found in stamps if found is not None for unit in found.units])
        if not all(self._is_left_out(member.name, member.data) for member in members):
            self.planner.keep(path)

    def _is_left_out(self, name: str, data: bytes) -> bool:
        return self.planner.is_left_out(stamps_of(data)) or (hides_stamps(data) and self._was_looked_into(name))

    def _was_looked_into(self, path: str) -> bool:
        """Whether an object that was removed since is likely to be one of the units: compilers name it so."""
        return any(stem_of(source) == stem_of(path) for source in self.sources)

    def _library(self, name: str) -> None:
        for folder in self.library_folders:
            shared, static = os.path.join(folder, f"lib{name}.so"), os.path.join(folder, f"lib{name}.a")
            if os.path.isfile(shared):
                if not self.planner.add_library(Path(shared)):
                    self.planner.words.append(f"-l{name}")
                return
            if os.path.isfile(static):
                self._object_or_archive(static)
                return
        self.planner.words.append(f"-l{name}")

    def _linker_words(self, words: list[str]) -> None:
        rest = iter(words)
        for word in rest:
            if word in _LINKER_WORDS or word.startswith(_LINKER_PREFIXES):
                self.planner.words.append(f"-Wl,{word}")
            elif word in _LINKER_WORDS_WITH_ARGUMENT:
                argument = next(rest, "")
                if argument:
                    self.planner.words.append(f"-Wl,{word},{argument}")
            elif word[:1] != "-" and os.path.isfile(self._path(word)) and word.endswith((".o", ".a", ".so")):
                self._input(word, None)
