"""Options that several commands share, as decorators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from butfor.cli.report_targets import ReportRequest, report_targets
from butfor.errors import UsageError
from butfor.frontends.program_kinds import flag_of
from butfor.report.formats import FORMATS, JSON, Format

_F = TypeVar("_F", bound=Callable[..., Any])
_Decorator = Callable[[_F], _F]

_FILE = click.Path(path_type=Path)

debug_option: _Decorator[Any] = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show a traceback on errors (also BUTFOR_DEBUG=1)."
)


def refuse_without_effect(named: Iterable[str], without_effect: Collection[str], reason: str, hint: str = "") -> None:
    """Raise a UsageError for parameters named on the command line that this command has no use for."""
    flags = [flag_of(name) for name in named if name in without_effect]
    if flags:
        raise UsageError(f"{reason}, so {' and '.join(flags)} would have no effect", hint=hint)


def combined(*options: _Decorator[Any]) -> _Decorator[Any]:
    """One decorator for several options."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


run_options = combined(
    click.option(
        "--stdin", "stdin", type=_FILE, metavar="FILE", help="Standard input of the program (default: butfor's own)."
    ),
    click.option(
        "--env", "env", multiple=True, metavar="NAME=VALUE", help="Set an environment variable of the program."
    ),
    click.option("--nondet", metavar="LIST", help="Results of __VERIFIER_nondet_* calls: numbers separated by commas."),
    click.option("--time-limit", type=float, metavar="SEC", help="Stop the program after this time (default 10)."),
    click.option("--step-limit", type=int, metavar="N", help="Stop the program after N steps."),
    click.option(
        "--output-limit", type=int, metavar="BYTES", help="Stop the program after this much output (default 64 MiB)."
    ),
    click.option(
        "--log-limit",
        type=int,
        metavar="BYTES",
        help="Keep only the last part of a run whose log would be larger (default 8 GiB).",
    ),
    click.option(
        "--record-last",
        type=int,
        metavar="N",
        help="Keep only the last N instructions of the run, or somewhat more.",
    ),
    click.option(
        "--memory-limit",
        type=int,
        metavar="MB",
        help="Stop the program when it uses so much memory (default: half of the machine's).",
    ),
)

compile_options = combined(
    click.option(
        "--cc",
        metavar="NAME",
        help="Compile with this clang instead of the one butfor brings: clang, clang-16, a path.",
    ),
    click.option("--cflags", metavar="STR", help="Flags for the compiler, quoted as in a shell."),
    click.option("-I", "includes", multiple=True, metavar="DIR", help="Search DIR for header files."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=X]", help="Define a macro."),
    click.option("-l", "libs", multiple=True, metavar="LIB", help="Link with a library."),
    click.option("--entry", metavar="NAME", help="The procedure of a Boogie program to start at."),
)

find_expect_options = combined(
    click.option("--expect-exit", type=int, metavar="N", help="The exit status the program should have had."),
    click.option(
        "--memory-errors/--no-memory-errors",
        default=True,
        show_default=True,
        help="Look for memory errors that the program survived.",
    ),
    click.option(
        "--arithmetic-errors/--no-arithmetic-errors",
        default=False,
        show_default=True,
        help="Signed overflow, shifts too far and numbers that do not fit where they are converted are failures.",
    ),
)

expect_options = combined(
    click.option("--expect-stdout", type=_FILE, metavar="FILE", help="The output the program should have written."),
    find_expect_options,
)

witness_option: _Decorator[Any] = click.option(
    "--witness",
    type=_FILE,
    metavar="FILE",
    help="Take the nondet values from a violation witness of SV-COMP (YAML or GraphML).",
)

shrink_option: _Decorator[Any] = click.option(
    "--shrink", is_flag=True, help="First look for a smaller input that fails in the same way."
)

tests_option: _Decorator[Any] = click.option(
    "--tests", type=_FILE, metavar="T.json", help="Run these tests and explain the failing ones."
)

bound_option: _Decorator[Any] = click.option(
    "--bound",
    type=int,
    metavar="N",
    help="How far to search a Boogie program: rounds of a loop, nested calls of a procedure (default 8).",
)

analysis_options = combined(
    click.option("--method", "methods", multiple=True, metavar="LIST", help="Methods to use, separated by commas."),
    click.option(
        "--set",
        "method_options",
        multiple=True,
        metavar="METHOD.NAME=VALUE",
        help="Set an option of a method that has no flag of its own (repeat for more).",
    ),
    click.option("--trust", multiple=True, metavar="FUNC", help="Take this function to be right (repeat for more)."),
    click.option(
        "--benign",
        multiple=True,
        metavar="FILE:LINE",
        help="This statement is right: leave it out, and what only it leads to.",
    ),
    click.option(
        "--guilty", multiple=True, metavar="FILE:LINE", help="This statement is the fault: end the search there."
    ),
    click.option("--unmark", multiple=True, metavar="FILE:LINE", help="Forget what was said about this statement."),
    click.option(
        "--marks", type=_FILE, metavar="FILE", help="Keep these marks in FILE (default: next to the recording)."
    ),
    click.option(
        "--without",
        multiple=True,
        metavar="LIST",
        help="Switch off optimisations of the tree: slicing, trust, unrelated, loops.",
    ),
    click.option(
        "--annotations", type=_FILE, metavar="FILE", help="Add to the slips that repairs are made from (TOML)."
    ),
    click.option("--depth", type=int, metavar="N", help="Levels of the cause tree."),
    click.option(
        "--path-conditions",
        is_flag=True,
        default=None,
        help="Let decisions on the way be causes in the tree: they are conditions of the path.",
    ),
    bound_option,
    click.option(
        "--budget", type=float, metavar="SEC", help="Time for the analysis (default 30); then a partial result."
    ),
    click.option("--pinned", "inputs", flag_value="pinned", default=None, help="Hold inputs at their recorded values."),
    click.option("--free-inputs", "inputs", flag_value="free", help="Let inputs take any value."),
    click.option(
        "--pre",
        metavar="EXPR",
        help="What holds at the start, for error invariants: 'n > 0 && n < 42', over variables of the entry.",
    ),
    click.option(
        "--flow-insensitive",
        is_flag=True,
        default=None,
        help="Error invariants without the reasons why statements were reached.",
    ),
    click.option("--check", is_flag=True, help="Recompute the whole run and compare it with the recording."),
)


color_option: _Decorator[Any] = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour the text; auto honours NO_COLOR and FORCE_COLOR.",
)


def report_options(
    formats: Mapping[str, Format] = FORMATS,
    *,
    format_note: str = "repeat for more",
    verbose_help: str = "Show all statements and reasons, and the size of the run.",
    has_fail_on_cause: bool = True,
) -> _Decorator[Any]:
    """The decorator for the options of the report; the command gets them as `report`, a `ReportRequest`."""
    fail_on_cause = click.option(
        "--fail-on-cause", is_flag=True, help="Exit with status 1 when a failure was explained."
    )
    options = combined(
        click.option(
            "--format",
            "format_names",
            type=click.Choice(list(formats)),
            multiple=True,
            help=f"Format for stdout, and for a FILE without a known suffix (default text; {format_note}).",
        ),
        click.option("--json", "as_json", is_flag=True, help="Same as --format json."),
        click.option(
            "-o",
            "--output",
            "paths",
            type=_FILE,
            multiple=True,
            metavar="FILE",
            help="Write the result to FILE (- for stdout); its suffix says the format.",
        ),
        *((fail_on_cause,) if has_fail_on_cause else ()),
        click.option("-v", "--verbose", is_flag=True, help=verbose_help),
        color_option,
        debug_option,
    )

    def decorate(command: Callable[..., int]) -> Any:
        @functools.wraps(command)
        def with_request(
            *args: Any,
            format_names: tuple[str, ...],
            as_json: bool,
            paths: tuple[Path, ...],
            verbose: bool,
            color: str,
            fail_on_cause: bool = False,
            **given: Any,
        ) -> int:
            names = (*format_names, JSON.name) if as_json else format_names
            targets = report_targets(names, paths, formats)
            return command(*args, report=ReportRequest(targets, verbose, color, fail_on_cause), **given)

        return options(with_request)

    return decorate


class ProgramCommand(click.Command):
    """A command whose words after the first `--` are the program's arguments; they arrive as the parameter `args`.

    The parameter `named` has the names of the parameters that the command line gives, not the defaults.
    """

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The words of the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- ARGS]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words that are left over, after the program's own are set aside."""
        cut = args.index("--") if "--" in args else len(args)
        own, program = args[:cut], args[cut + 1 :]
        rest = super().parse_args(ctx, own)
        named = [name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        ctx.params["args"] = tuple(program)
        ctx.params["named"] = (*(("args",) if program else ()), *named)
        return rest
