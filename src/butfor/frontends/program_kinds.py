"""The kinds of program butfor takes: their files, their front ends, the options that they refuse.

This is the one table of options that have no effect on a kind of program; that of suffixes is `file_kinds.py`. To add a
kind of program:

- Files that compile to LLVM IR (C++, objects that carry bitcode, the IR of a program that was built elsewhere): add a
  `FileKind` to `C_PROGRAM_FILES` and say in `frontends/c/build.py` how such a file becomes IR. Everything behind the
  build reads IR and its debug information, so nothing else changes.
- Another language whose programs are run: write a module with the functions of `RunFrontend`, and a `ProgramKind` that
  loads it.
- Another language whose programs are searched: write a module with the functions of `PathFrontend`, likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from butfor.errors import UsageError
from butfor.files import check_readable
from butfor.frontends.file_kinds import BOOGIE_SOURCE, C_PROGRAM_FILES, RECORDING_FILE, FileKind, Refusal
from butfor.frontends.stamped_files import is_program
from butfor.options import Options, ProgramOptions, RunOptions

if TYPE_CHECKING:  # each front end is imported when a program of its kind is given
    from butfor.frontends.boogie.explore_paths import Exploration
    from butfor.frontends.c.build import Build
    from butfor.ir.program import ProgramSource
    from butfor.trace.recording import Recording

Progress = Callable[[str], None]


class RunFrontend(Protocol):
    """The front end of programs that are compiled and run; a module with these functions is one."""

    def compile_program(self, options: ProgramOptions, progress: Progress) -> Build:
        """The program, compiled so that it records itself."""

    def record(self, options: RunOptions, program: Build, progress: Progress) -> Recording:
        """The recording of one run."""

    def read_program(self, assembly: str) -> ProgramSource:
        """The program whose assembly a recording holds."""


class PathFrontend(Protocol):
    """The front end of programs that are searched for failing paths; a module with this function is one."""

    def search_program(
        self, options: ProgramOptions, bound: int | None, seconds: float, progress: Progress
    ) -> Exploration:
        """The failing paths that were found up to a bound (None: the usual one) and in this time."""


@dataclass(frozen=True, slots=True)
class ProgramKind:
    """One kind of program: the files that it is given as, the options it refuses, how to load its front end."""

    words: str  # for messages
    files: tuple[FileKind, ...]
    is_one_file: bool = False
    refusals: tuple[Refusal, ...] = ()
    load_run_frontend: Callable[[], RunFrontend] | None = None
    load_path_frontend: Callable[[], PathFrontend] | None = None
    accepts: Callable[[Path], bool] | None = None  # for files that are known by their content, whatever they are called

    @property
    def run_frontend(self) -> RunFrontend:
        """The front end; a UsageError when programs of this kind are not run."""
        if self.load_run_frontend is None:
            raise UsageError(f"{self.words} cannot be run", hint="give the C sources, or .ll or .bc files")
        return self.load_run_frontend()

    def refused_options(self, sources: Sequence[Path]) -> Mapping[str, Refusal]:
        """The options that have no effect on the program of this kind that these files make up, by name."""
        files = {kind for kind in self.files for path in sources if path.suffix in kind.suffixes}
        of_files = next(iter(files)).refusals if len(files) == 1 else ()
        return {name: refusal for refusal in (*self.refusals, *of_files) for name in refusal.names}

    def check_options(self, sources: Sequence[Path], given: Iterable[str]) -> None:
        """Raise a UsageError if one of the options that were given has no effect on this program."""
        refused = self.refused_options(sources)
        refusal = next((refused[name] for name in given if name in refused), None)
        if refusal is not None:
            flags = [flag_of(name) for name in given if refused.get(name) is refusal]
            raise UsageError(f"{refusal.reason}, so {' and '.join(flags)} would have no effect", hint=refusal.hint)

    def has(self, path: Path) -> bool:
        """Whether a program of this kind can be made of this file, going by its suffix or its content."""
        return any(path.suffix in kind.suffixes for kind in self.files) or (
            self.accepts is not None and self.accepts(path)
        )


def _c_frontend() -> RunFrontend:
    from butfor.frontends.c import c_frontend  # late: brings LLVM

    return c_frontend


def _boogie_frontend() -> PathFrontend:
    from butfor.frontends.boogie import boogie_frontend  # late: brings a parser and a solver

    return boogie_frontend


C_PROGRAM = ProgramKind(
    "a C program",
    C_PROGRAM_FILES,
    refusals=(
        Refusal(("entry",), "a C program starts at main"),
        Refusal(("bound",), "a C program is run, not searched path by path"),
    ),
    load_run_frontend=_c_frontend,
)
BINARY = ProgramKind(
    "a program that was built before",
    (),
    is_one_file=True,
    refusals=(
        *C_PROGRAM.refusals,
        Refusal(
            ("cc", "cflags", "includes", "defines", "libs"),
            "the program was compiled and linked before",
            hint="give them to the build",
        ),
    ),
    load_run_frontend=_c_frontend,
    accepts=is_program,
)
BOOGIE_PROGRAM = ProgramKind(
    "a Boogie program",
    (BOOGIE_SOURCE,),
    is_one_file=True,
    refusals=(
        Refusal(
            ("args", "stdin", "env", "nondet", "witness", "tests", "shrink", "changes")
            + ("expect_stdout", "expect_exit", "memory_errors", "arithmetic_errors")
            + ("time_limit", "step_limit", "output_limit", "log_limit", "record_last", "memory_limit", "check"),
            "a Boogie program is searched, not run",
            hint="butfor find prog.bpl",
        ),
        Refusal(("cc", "cflags", "includes", "defines", "libs"), "a Boogie program is not compiled"),
        Refusal(("failures", "save", "unguarded"), "a Boogie program is searched for failing paths, not for inputs"),
        Refusal(("without",), "the cause tree of a Boogie program has no optimisations"),
        Refusal(("number",), "changes of a Boogie program are told, not written to its file"),
    ),
    load_path_frontend=_boogie_frontend,
)
RECORDING = ProgramKind(
    "a recording",
    (RECORDING_FILE,),
    is_one_file=True,
    refusals=(
        Refusal(
            ("args", "stdin", "env", "nondet", "step_limit", "log_limit", "record_last")
            + ("cflags", "includes", "defines", "libs", "entry"),
            "a recording brings its own program, arguments and input",
            hint="leave them out, or give the C sources",
        ),
        Refusal(("witness",), "a recording has its nondet values already", hint="give the C sources with --witness"),
        Refusal(("tests",), "a recording is one run", hint="give the C sources with --tests"),
        Refusal(("shrink",), "the input of a recording is not reduced", hint="give the C sources"),
        Refusal(("annotations",), "a recording is not repaired", hint="give the C sources"),
        Refusal(("bound",), "a recording is one run, not a search"),
    ),
    load_run_frontend=_c_frontend,
)
KINDS = (C_PROGRAM, BOOGIE_PROGRAM, RECORDING, BINARY)


_FLAGS = {  # those that are not the name of the option with dashes
    "args": "what follows `--`",
    "includes": "-I",
    "defines": "-D",
    "libs": "-l",
    "memory_errors": "--[no-]memory-errors",
    "arithmetic_errors": "--[no-]arithmetic-errors",
    "changes": "--with",
    "methods": "--method",
    "method_options": "--set",
    "inputs": "--pinned and --free-inputs",
    "number": "--apply",
}


def flag_of(name: str) -> str:
    """How the command line writes an option."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def kind_of_file(path: Path) -> ProgramKind | None:
    """The kind of program that this file belongs to, going by its suffix, else its content; None when unknown."""
    return next((kind for kind in KINDS if kind.has(path)), None)


def kind_of_program(sources: Sequence[Path]) -> ProgramKind:
    """The kind of the program that these files make up; a UsageError when they make up none."""
    if not sources:
        raise UsageError("no program is given")
    kinds = {path: kind_of_file(path) for path in sources}
    for path, kind in kinds.items():
        if kind is None:
            raise UsageError(
                f"{path} is not a C file, and no binary that carries its program",
                hint="give the C sources, or .ll or .bc files",
            )
    found = [kind for kind in KINDS if kind in kinds.values()]
    alone = next((kind for kind in found if kind.is_one_file), None)
    if alone is not None and len(sources) > 1:
        raise UsageError(f"{alone.words} is one file, given alone")
    return found[0]


def is_recording(sources: Sequence[Path]) -> bool:
    """Whether these are no sources but a recording, which may have any suffix that is not one of a program."""
    return len(sources) == 1 and kind_of_file(sources[0]) in (RECORDING, None)


def check_files(options: Options) -> None:
    """Raise a UsageError that names the first file of the options that cannot be read."""
    if not options.sources:
        raise UsageError("no program was given", hint="butfor explain prog.c -- ARGUMENTS")
    for path in options.sources:
        check_readable(path, "" if kind_of_file(path) else "arguments of the program go after `--`")
    for extra in (options.stdin, options.tests, options.witness, options.annotations):
        if isinstance(extra, Path):
            check_readable(extra)
