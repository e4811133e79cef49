"""`butfor batch`: many runs at once, the failing ones grouped by cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.batch.baseline import causes_in
from butfor.batch.batch_result import NOT_RUN, BatchResult, ItemResult
from butfor.batch.crash_folders import crashing_inputs
from butfor.batch.junit_results import failing_cases
from butfor.batch.manifest import is_manifest, numbered, read_manifest, read_map, runs_of_tests, runs_on_inputs
from butfor.batch.recorded_items import recorded_items
from butfor.batch.reports.batch_formats import BATCH_FORMATS
from butfor.batch.reports.json_lines import line_of
from butfor.batch.work_items import BatchItem, BatchLimits, BatchProgram, PlannedRun
from butfor.cli import shared_options as shared
from butfor.cli.error_messages import say_batch_interrupted
from butfor.cli.gather_options import gather_options
from butfor.cli.terminal_output import progress_line, without_line, write_result, write_stdout
from butfor.errors import ExitCode, UsageError
from butfor.frontends.program_kinds import is_recording
from butfor.options import DEFAULT_BUDGET, DEFAULT_MEMORY_LIMIT, Options
from butfor.tests_file import read_tests

_HELP = """\b
Examples:
  butfor batch prog.c --tests tests.json
  butfor batch manifest.toml --jobs 8
  butfor batch --crashes out/default prog.c -- @@
  butfor batch butfor-failures/*
  butfor batch manifest.toml --format junit --fail-on new-cause --baseline known.json

Runs everything, groups the failing runs by cause and explains the shortest of each group. PROGRAMS are C files, each a
program of its own, or a binary that carries its code; or recordings, such as those of `butfor run`; or one manifest
(TOML or JSON) that names programs and tests.

The page, a report for each group and the results go to a folder. A batch that was stopped goes on where it was when the
same command is given again.
"""
_GROUP_BUDGET = 120.0  # seconds: nobody waits for a single explanation, and a complete one groups better
_BUILD_SECONDS = 60.0  # beside the run and its explanation
_MAX_CASES_SHOWN = 10  # in a note
_THRESHOLDS = ("never", "failure", "new-cause")


@click.command("batch", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path), metavar="PROGRAMS...")
@click.option(
    "--crashes",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Run the program on the crashing inputs that AFL++ or libFuzzer left in DIR.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Run what failed in a test run, going by its JUnit XML; --map says which runs these are.",
)
@click.option(
    "--map",
    "map_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The manifest whose programs have the `cases` of --junit.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("butfor-batch"),
    show_default=True,
    metavar="FOLDER",
    help="Where the page, the reports and the results go.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs at once (default: one for each core, of a cluster two).",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Let the Ray cluster at ADDRESS do the work; FOLDER is on storage that its nodes share.",
)
@click.option("--fail-fast", is_flag=True, help="Begin no more runs after the first that fails.")
@click.option("--max-time", type=float, metavar="SEC", help="Begin nothing more after this time.")
@click.option("--item-time", type=float, metavar="SEC", help="Give up a run, or an explanation, after this time.")
@click.option(
    "--item-memory", type=int, metavar="MB", help="Give it up beyond this much memory (default: half of the machine's)."
)
@click.option("--shrink", is_flag=True, help="Look for a smaller input for each group.")
@click.option("--explain-all", is_flag=True, help="Explain every failing run, not one of each group.")
@click.option(
    "--fail-on",
    type=click.Choice(_THRESHOLDS),
    default="never",
    show_default=True,
    help="Exit with status 1 for this.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Causes that are known: the groups.json of an earlier batch.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(BATCH_FORMATS)),
    default="text",
    show_default=True,
    help="Format for stdout; all are written to the folder.",
)
@shared.run_options
@shared.expect_options
@shared.tests_option
@shared.compile_options
@shared.analysis_options
@shared.debug_option
def command(
    crashes: Path | None,
    junit: Path | None,
    map_file: Path | None,
    folder: Path,
    jobs: int | None,
    ray: str | None,
    fail_fast: bool,
    max_time: float | None,
    item_time: float | None,
    item_memory: int | None,
    shrink: bool,
    explain_all: bool,
    fail_on: str,
    baseline: Path | None,
    format_name: str,
    named: tuple[str, ...],
    **given: Any,
) -> int:
    """The exit status; reports are written to the folder and one to stdout."""
    known = _known_causes(fail_on, baseline)
    notes: tuple[str, ...] = ()
    if junit is not None:
        items, notes = _failing_cases(given, named, junit, map_file)
        options = items[0].options
    else:
        if map_file is not None or not given["sources"]:
            raise UsageError("no program was given", hint="name one; or give --junit and --map")
        options = _options(given, named)
        items = _items(options, crashes, named)
    limits = BatchLimits(
        jobs,
        _positive("--item-time", item_time or options.time_limit + options.budget + _BUILD_SECONDS),
        int(_positive("--item-memory", item_memory or DEFAULT_MEMORY_LIMIT)),
        None if max_time is None else _positive("--max-time", max_time),
        fail_fast,
    )
    from butfor.batch.run_batch import BatchRun  # late: brings the analyses

    try:
        with progress_line() as progress:

            def came(item: ItemResult) -> None:
                if format_name == "jsonl":
                    with without_line(progress):
                        write_stdout(line_of(item).encode())

            home = folder.absolute()
            result = BatchRun(items, limits, home, explain_all, shrink, notes, ray, progress, came).result()
    except KeyboardInterrupt:
        say_batch_interrupted()
        return ExitCode.INTERRUPTED
    for row in BATCH_FORMATS.values():
        data = row.render(result).encode("utf-8", "backslashreplace")
        write_result(data, folder / row.file)
        if row.name == format_name and format_name != "jsonl":
            write_stdout(data)
    return _exit_status(result, fail_on, known)


def _options(given: dict[str, Any], named: Iterable[str]) -> Options:
    """The options of all runs, from the command line and the configuration file."""
    shared.refuse_without_effect(
        named, ("stdin",), "the inputs of a batch come from tests or --crashes", hint="name them in a manifest"
    )
    named = tuple(name for name in named if name in given)
    if any(is_manifest(path) for path in given["sources"]):
        if len(given["sources"]) > 1:
            raise UsageError("a manifest is given alone", hint="name the programs in it")
        shared.refuse_without_effect(
            named, ("tests", "args", "expect_stdout"), "a manifest names programs and their tests"
        )
    options = gather_options(given, named, reads_stdin=False)
    return replace(options, budget=_GROUP_BUDGET) if options.budget == DEFAULT_BUDGET else options


def _items(options: Options, crashes: Path | None, named: Iterable[str]) -> tuple[BatchItem, ...]:
    """The runs that the command line asks for."""
    if is_manifest(options.sources[0]):
        if crashes is not None:
            raise UsageError(
                "a manifest names its inputs", hint="give `inputs` in the manifest, or --crashes and a program"
            )
        return read_manifest(options.sources[0], replace(options, sources=()))
    if any(is_recording([path]) for path in options.sources):
        if crashes is not None or options.tests is not None or options.args:
            raise UsageError("a recording has its input", hint="leave out --crashes, --tests and the arguments")
        return recorded_items(options.sources, options)
    if crashes is not None and options.tests is not None:
        raise UsageError("--crashes and --tests are two batches", hint="leave one out, or write a manifest")
    tests = None if options.tests is None else read_tests(options.tests)
    options = replace(options, tests=None, stdin=b"")
    if crashes is not None:
        program = BatchProgram(options.sources[0].stem, options)
        return numbered([(program, runs_on_inputs(options, crashing_inputs(crashes)))], str(crashes))
    stems = [path.stem for path in options.sources]
    programs = []
    for path, stem in zip(options.sources, stems, strict=True):
        own = replace(options, sources=(path,))
        program = BatchProgram(stem if stems.count(stem) == 1 else str(path), own)
        programs.append((program, (PlannedRun("run", own),) if tests is None else runs_of_tests(own, tests)))
    return numbered(programs, "the command line")


def _failing_cases(
    given: dict[str, Any], named: Iterable[str], junit: Path, map_file: Path | None
) -> tuple[tuple[BatchItem, ...], tuple[str, ...]]:
    """The runs that the failing cases of a test run are, and a note about those that no run is known for."""
    if map_file is None or given["sources"]:
        raise UsageError("--junit needs --map, a manifest, and no other programs", hint="--map manifest.toml")
    options = _options({**given, "sources": (map_file,)}, named)
    cases = failing_cases(junit)
    if not cases:
        raise UsageError(f"{junit}: no case failed in it", hint="there is nothing to explain")
    items, left = read_map(map_file, replace(options, sources=()), cases)
    shown = ", ".join(left[:_MAX_CASES_SHOWN]) + (", ..." if len(left) > _MAX_CASES_SHOWN else "")
    return items, (f"{len(left)} failing cases are not in {map_file}: {shown}",) if left else ()


def _known_causes(fail_on: str, baseline: Path | None) -> frozenset[str]:
    if fail_on == "new-cause" and baseline is None:
        raise UsageError(
            "--fail-on new-cause compares with known causes", hint="give --baseline the groups.json of an earlier batch"
        )
    if fail_on != "new-cause" and baseline is not None:
        raise UsageError("--baseline is for --fail-on new-cause, so it would have no effect")
    return frozenset() if baseline is None else causes_in(baseline)


def _exit_status(result: BatchResult, fail_on: str, known: frozenset[str]) -> int:
    reached = {"failure": result.groups, "new-cause": result.new_groups(known), "never": ()}[fail_on]
    if reached:
        return ExitCode.CAUSE_FOUND
    is_whole = not any(item.status in (NOT_RUN, "not-examined") for item in result.items)
    return ExitCode.OK if is_whole else ExitCode.PARTIAL


def _positive(flag: str, number: float) -> float:
    if not number > 0:
        raise UsageError(f"{flag} must be more than 0, not {number:g}")
    return number
