"""One `Options` value from the words of the command line, the configuration file and standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from butfor.cli.config_file import find_config, split_flags, split_list
from butfor.errors import UsageError
from butfor.files import read_bytes
from butfor.frontends.file_kinds import Refusal
from butfor.frontends.program_kinds import ProgramKind, check_files, flag_of, kind_of_file
from butfor.options import MethodSettings, Options

MAX_STDIN_BYTES = 256 * 2**20  # it is kept in memory, and recorded with the run


def gather_options(
    given: Mapping[str, Any],
    named: Collection[str],
    *,
    reads_stdin: bool = True,
    kind: ProgramKind | None = None,
    also: tuple[str, ...] = (),
) -> Options:
    """The options for parameters as click gives them: flags win over the configuration file, that over the defaults.

    Of parameters that were `named` on the command line, one that has no effect on the kind of program is a UsageError;
    a default of the configuration file is left out. The kind is that of the sources unless another is given. The same
    goes for an option of methods none of which is used; `also` are methods that the command uses in any case.
    """
    values = {key: value for key, value in given.items() if value is not None and value != ()}
    sources = values["sources"]
    kind = kind or kind_of_file(sources[0])
    refused: Mapping[str, Refusal] = {}
    if kind is not None:
        kind.check_options(sources, named)
        refused = kind.refused_options(sources)
    _, configured = find_config(Path.cwd())
    if isinstance(values.get("cflags"), str):
        values["cflags"] = split_flags(values["cflags"], "--cflags")
    for key in ("methods", "trust", "benign", "guilty", "unmark", "without"):
        if key in values:
            values[key] = tuple(name for text in values[key] for name in split_list(text))
    if "env" in values:
        values["env"] = tuple(_environment_setting(text) for text in values["env"])
    if "method_options" in values:
        values["method_options"] = tuple(_method_option(text) for text in values["method_options"])
    if "nondet" in values:
        values["nondet"] = tuple(_whole_number(text) for text in split_list(values["nondet"]))
    if "expect_stdout" in values:
        values["expect_stdout"] = read_bytes(values["expect_stdout"])
    values = {**{key: value for key, value in configured.items() if key not in refused}, **values}
    is_own = values.get("stdin") == Path("-")
    if is_own:
        del values["stdin"]
    # First the cheap checks: a wrong flag must not wait for the end of standard input.
    options = Options(**values)
    check_files(options)
    _check_settings(options, named, kind, also)
    if is_own or (reads_stdin and "stdin" not in refused and options.stdin is None and options.tests is None):
        options = Options(**{**values, "stdin": own_stdin(from_terminal=is_own)})
    return options


def _check_settings(options: Options, named: Collection[str], kind: ProgramKind | None, also: tuple[str, ...]) -> None:
    """Raise a UsageError for an option that the command line gives to methods of which none is used."""
    wanted = [field.name for field in fields(MethodSettings) if field.name in named]
    if not wanted:
        return
    from butfor.methods import registry  # late: most commands give no options of methods
    from butfor.methods.method import Subject

    subject = Subject.PATH if kind is not None and kind.load_path_frontend is not None else Subject.RUN
    names = options.methods or registry.by_default(subject, with_tests=True, last_resort=True)
    used = registry.in_order((*names, *also))
    known = {name: {f.name for f in fields(registry.method_class(name))} for name in used}
    for name in wanted:
        if name != "method_options" and not any(name in own for own in known.values()):
            having = [m for m in registry.names(subject) if name in {f.name for f in fields(registry.method_class(m))}]
            raise UsageError(
                f"none of the methods that are used has the option {flag_of(name)}, so it would have no effect",
                hint=f"--method {','.join(having)}",
            )
    for method, key, text in options.method_options:
        registry.method_class(method).option(key, text)
        if method not in used:
            raise UsageError(
                f"the method {method!r} is not used, so --set {method}.{key} would have no effect",
                hint=f"--method {method}",
            )


def own_stdin(*, from_terminal: bool = False) -> bytes:
    """All of butfor's own standard input; nothing when it is closed, unreadable, or (unless asked for) a terminal."""
    stream = sys.stdin
    if stream is None:
        return b""
    try:
        if stream.isatty() and not from_terminal:
            return b""
        data = stream.buffer.read(MAX_STDIN_BYTES + 1)
    except (OSError, ValueError, io.UnsupportedOperation):
        return b""
    if len(data) > MAX_STDIN_BYTES:
        raise UsageError(
            f"standard input is longer than {MAX_STDIN_BYTES >> 20} MiB", hint="write the part that matters to a file"
        )
    return data


def _method_option(text: str) -> tuple[str, str, str]:
    name, equals, value = text.partition("=")
    method, dot, option = name.rpartition(".")
    if not (method and dot and option and equals):
        raise UsageError(f"--set {text}: not an option of a method", hint="write --set METHOD.NAME=VALUE")
    return method, option, value


def _environment_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(f"--env {text}: not an environment setting", hint="write --env NAME=VALUE")
    return name, value


def _whole_number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"--nondet: {text!r} is not a whole number") from None
