"""The manifest of a batch, TOML or JSON: programs, and for each the runs to look at.

    [[program]]
    name = "triangle"                 # default: the name of the first file without its suffix
    sources = ["triangle.c"]          # one program of these files; patterns such as src/*.c are allowed
    each = ["students/*/main.c"]      # or: each of these files is a program of its own
    tests = ["tests.json"]            # files of --tests
    inputs = ["inputs/*"]             # files, each the input of one run
    args = ["--quiet", "@@"]          # arguments of the runs on inputs; @@ is the input's name, else it is stdin
    expect_exit = 0                   # of the runs on inputs
    cases = ["parser.*"]              # with --junit: the failing cases that are runs of this program; {name} and
                                      # {class} in `args` are theirs, or they are the `tests` of that name
    cflags = "-std=gnu89"
    includes, defines, libs = [...]

Paths are relative to the manifest. A program without tests and inputs is run once with `args`.
"""

from __future__ import annotations

import glob
import json
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from butfor.batch.junit_results import FailingCase
from butfor.batch.work_items import BatchItem, BatchProgram, InputFile, PlannedRun
from butfor.errors import UsageError, did_you_mean
from butfor.files import read_bytes
from butfor.options import Options
from butfor.tests_file import TestCase, read_tests

SUFFIXES = (".toml", ".json")
INPUT_WORD = "@@"  # in arguments, as AFL++ has it
_LISTS = ("sources", "each", "tests", "inputs", "cases", "args", "includes", "defines", "libs")
_KEYS = ("name", *_LISTS, "cflags", "expect_exit")


def is_manifest(path: Path) -> bool:
    """Whether a file is a manifest, going by its suffix."""
    return path.suffix.lower() in SUFFIXES


def read_manifest(path: Path, defaults: Options) -> tuple[BatchItem, ...]:
    """The runs of a manifest, in order; `defaults` are the options of programs that say nothing else."""
    programs = [one for at, entry in _entries(path) for one in _programs(entry, at, path.parent, defaults)]
    return numbered(programs, str(path))


def _entries(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """The entries of a manifest, checked, each with its place for messages."""
    where = str(path)
    document = _parsed(path)
    unknown = sorted(set(document) - {"program"})
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]!r}{did_you_mean(unknown[0], ('program',))}")
    entries = document.get("program")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"{where}: there must be programs", hint="write [[program]] and its sources")
    named = [(f"{where}: program {number}", entry) for number, entry in enumerate(entries, start=1)]
    for at, entry in named:
        _check(entry, at)
    return named


def read_map(path: Path, defaults: Options, cases: Sequence[FailingCase]) -> tuple[tuple[BatchItem, ...], list[str]]:
    """The runs of a manifest that these failing cases are, and the titles of the cases that it has no program for."""
    programs: list[tuple[BatchProgram, tuple[PlannedRun, ...]]] = []
    left = list(cases)
    for at, entry in _entries(path):
        own = [case for case in left if case.matches(entry.get("cases", ()))]
        left = [case for case in left if case not in own]
        if len(found := _programs(entry, at, path.parent, defaults)) != 1:
            raise UsageError(f"{at}: cases are runs of one program", hint="write `sources` instead of `each`")
        program = found[0][0]
        if "tests" in entry:
            files = matches(entry["tests"], path.parent, f"{at}: tests")
            tests = [test for file in files for test in read_tests(file)]
            runs = runs_of_tests(program.options, [case.test(tests, at) for case in own])
        else:
            runs = tuple(case.run(program.options) for case in own)
        programs.append((program, runs))
    items = numbered(programs, str(path))
    if not items:
        raise UsageError(f"{path}: no failing case is one of its `cases`", hint=f"there are {len(cases)} failing cases")
    return items, [case.title for case in left]


def numbered(programs: Iterable[tuple[BatchProgram, Sequence[PlannedRun]]], where: str) -> tuple[BatchItem, ...]:
    """The items of programs with their runs; a UsageError where two programs have the same name."""
    items: list[BatchItem] = []
    seen: set[str] = set()
    for program, runs in programs:
        if program.name in seen:
            raise UsageError(f"{where}: two programs are called {program.name!r}", hint="give one of them a `name`")
        seen.add(program.name)
        items += (BatchItem(number, program, run) for number, run in enumerate(runs, start=len(items)))
    return tuple(items)


def runs_of_tests(options: Options, tests: Iterable[TestCase], prefix: str = "") -> tuple[PlannedRun, ...]:
    """The runs that tests describe, of a program with these options."""
    return tuple(
        PlannedRun(
            prefix + test.name,
            replace(
                options,
                args=test.args,
                stdin=test.stdin,
                expect_stdout=test.expect_stdout,
                expect_exit=test.expect_exit,
                nondet=test.nondet or options.nondet,
            ),
        )
        for test in tests
    )


def runs_on_inputs(options: Options, inputs: Iterable[tuple[str, Path]]) -> tuple[PlannedRun, ...]:
    """One run on each of the named files: its name among the arguments where these have `@@`, else standard input."""
    runs = []
    for name, path in inputs:
        if any(INPUT_WORD in word for word in options.args):
            given = str(path.resolve())
            args = tuple(word.replace(INPUT_WORD, given) for word in options.args)
            runs.append(PlannedRun(name, replace(options, args=args, stdin=b""), InputFile.read(path)))
        else:
            runs.append(PlannedRun(name, replace(options, stdin=read_bytes(path))))
    return tuple(runs)


def matches(patterns: Iterable[str], folder: Path, where: str) -> tuple[Path, ...]:
    """The files that patterns name, in order and each once; a UsageError for a pattern that names none."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        names = sorted(glob.glob(str(folder / pattern), recursive=True))
        files = [Path(name) for name in names if Path(name).is_file()]
        if not files:
            raise UsageError(f"{where}: there is no file {pattern}")
        found |= dict.fromkeys(files)
    return tuple(found)


def _programs(
    entry: Mapping[str, Any], at: str, folder: Path, defaults: Options
) -> list[tuple[BatchProgram, tuple[PlannedRun, ...]]]:
    sources: list[tuple[Path, ...]]
    if "each" in entry:
        sources = [(path,) for path in matches(entry["each"], folder, f"{at}: each")]
    else:
        sources = [matches(entry["sources"], folder, f"{at}: sources")]
    names = _names(sources, folder) if "each" in entry else [entry.get("name", sources[0][0].stem)]
    found = []
    for name, files in zip(names, sources, strict=True):
        options = replace(
            defaults,
            sources=files,
            args=tuple(entry.get("args", ())),
            expect_exit=entry.get("expect_exit", defaults.expect_exit),
            cflags=_flags(entry["cflags"], at) if "cflags" in entry else defaults.cflags,
            includes=tuple(str(folder / name) for name in entry["includes"])
            if "includes" in entry
            else defaults.includes,
            defines=tuple(entry.get("defines", defaults.defines)),
            libs=tuple(entry.get("libs", defaults.libs)),
        )
        found.append((BatchProgram(name, options), _runs(entry, at, folder, options)))
    return found


def _runs(entry: Mapping[str, Any], at: str, folder: Path, options: Options) -> tuple[PlannedRun, ...]:
    runs: list[PlannedRun] = []
    files = matches(entry.get("tests", ()), folder, f"{at}: tests")
    for path in files:
        runs += runs_of_tests(options, read_tests(path), "" if len(files) == 1 else f"{path.stem}: ")
    inputs = matches(entry.get("inputs", ()), folder, f"{at}: inputs")
    runs += runs_on_inputs(options, ((path.name, path) for path in inputs))
    return tuple(runs) or (PlannedRun("run", replace(options, stdin=b"")),)


def _names(sources: Sequence[tuple[Path, ...]], folder: Path) -> list[str]:
    """The names of programs that are one file each: the stem where these differ, else the path."""
    stems = [files[0].stem for files in sources]
    if len(set(stems)) == len(stems):
        return stems
    return [
        str(files[0].relative_to(folder)) if files[0].is_relative_to(folder) else str(files[0]) for files in sources
    ]


def _flags(text: str, at: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{at}: cflags {text!r}: {str(error).lower()}", hint="quote as in a shell") from error


def _check(entry: Mapping[str, Any], at: str) -> None:
    for key, value in entry.items():
        if key not in _KEYS:
            raise UsageError(
                f"{at}: unknown key {key!r}{did_you_mean(key, _KEYS)}", hint=f"known keys: {', '.join(_KEYS)}"
            )
        if key in _LISTS:
            if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                raise UsageError(f"{at}: {key} must be a list of strings")
        elif key == "expect_exit":
            if not isinstance(value, int) or isinstance(value, bool):
                raise UsageError(f"{at}: expect_exit must be a whole number")
        elif not isinstance(value, str):
            raise UsageError(f"{at}: {key} must be a string")
    if entry.get("sources") == []:
        raise UsageError(f"{at}: sources must name a file")
    if ("sources" in entry) == ("each" in entry):
        raise UsageError(f"{at}: it needs either `sources` or `each`")
    if "each" in entry and "name" in entry:
        raise UsageError(f"{at}: programs of `each` are named after their files", hint="leave out `name`")


def _parsed(path: Path) -> Mapping[str, Any]:
    data = read_bytes(path)
    try:
        text = data.decode()
        document = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise UsageError(f"{path}: cannot be read as a manifest: {str(error).partition(';')[0]}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error
    if not isinstance(document, dict):
        raise UsageError(f"{path}: the top level must be an object with the key 'program'")
    return document
