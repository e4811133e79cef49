"""docs/reference.md names exactly the options, formats, exit statuses and kinds of failures that there are."""

from __future__ import annotations

import re
from pathlib import Path

import click

from butfor.cli.main import cli
from butfor.errors import ExitCode
from butfor.explanation import FailureKind

PAGE = (Path(__file__).parent.parent / "docs" / "reference.md").read_text("utf-8")


def section(head: str) -> str:
    """The text below a heading, with its subsections."""
    return PAGE.split(f"\n## {head}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """The first cells of the rows of all tables, without their heads."""
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    return [cell for cell in rows if cell[:1] in "`0123456789"]


def known_options() -> set[str]:
    """All options of all commands that explain something."""
    found: set[str] = set()
    with click.Context(cli) as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            assert command is not None
            for parameter in command.params:
                if isinstance(parameter, click.Option) and not parameter.hidden:
                    found |= {*parameter.opts, *parameter.secondary_opts}
    return found - {"-h", "--help", "--output"}


def test_every_option_is_described_and_every_described_option_exists() -> None:
    described = {
        option for cell in first_cells(section("Options")) for option in re.findall(r"`(--?[A-Za-z][a-z-]*)", cell)
    }
    assert described == known_options()


def test_every_format_is_described() -> None:
    described = {name for cell in first_cells(section("Report formats")) for name in re.findall(r"`(\w+)`", cell)}
    choices = set()
    with click.Context(cli) as context:
        for name in ("explain", "repair"):
            command = cli.get_command(context, name)
            assert command is not None
            (option,) = (p for p in command.params if "--format" in p.opts)
            assert isinstance(option.type, click.Choice)
            choices |= set(option.type.choices)
    assert described == choices


def test_every_exit_status_and_kind_of_failure_is_described() -> None:
    assert {int(cell) for cell in first_cells(section("Exit status"))} == {int(code) for code in ExitCode}
    kinds = {cell.strip("`") for cell in first_cells(section("What counts as a failure"))}
    assert kinds == {kind.value for kind in FailureKind}
