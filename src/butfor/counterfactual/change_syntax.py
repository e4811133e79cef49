"""Rules as users write them, for `butfor replay --with`: `prog.c:44:9 flip when equal`.

A position is FILE:LINE, or FILE:LINE:COLUMN where a line has several sites; `#2` after it means the second of the sites
where the change is possible. The line of its declaration distinguishes a variable from others of the same name:
`read x@12`. `at 3` at the end restricts the change to the third occurrence. Initial values of global variables have no
site: `prog.c:7 initial table+8:4 +1` adds 1 to the 4 bytes at offset 8.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from butfor.counterfactual.change_phrases import ChangePhrases, example_changes
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.site_positions import SitePositions
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.errors import UsageError
from butfor.ir.change_sites import NOWHERE, Site, SiteTable

_EXAMPLE = "for example: prog.c:44 flip when equal"
_PLACE = re.compile(
    r"(?:^|:)(?P<line>\d+)(?::(?P<column>\d+))?(?:#(?P<number>\d+))?\s+(?P<what>.+?)(?:\s+at\s+(?P<only>\d+))?\Z",
    re.DOTALL,
)
_INITIAL = re.compile(
    r"(?:\A|.*\s)initial\s+(?P<name>\S+?)(?:\+(?P<offset>\d+))?(?::(?P<size>[1248]))?\s+(?P<amount>[-+]\d+)\Z",
    re.DOTALL,
)


class ChangeSyntax:
    """Parses and formats the rules of one program. `shown` turns a path into the name that the user knows."""

    def __init__(self, variables: VariablesInScope, sites: SiteTable, shown: Callable[[str], str]) -> None:
        self.program = program = variables.program
        self.sites = sites
        self.shown = shown
        self.phrases = ChangePhrases(variables)
        self.source = program.source
        self._positions = SitePositions(program, sites)

    def format(self, rule: Rule) -> str:
        """The text that `parse` turns into the rule."""
        if rule.op is Op.INITIAL:
            variable = self.source.global_declaration(rule.name)
            where = f"{self.shown(variable.file)}:{variable.line}" if variable is not None else "?:0"
            return f"{where} initial {rule.name}+{rule.b}:{rule.size} {rule.a:+d}"
        site = self.sites[rule.site - 1]
        path, line, column = self._positions.of(site)
        what = self.phrases.text_of(rule, site)
        alike = [s for s in self._positions.beside(site) if s == site or self.phrases.rule_of(what, s) is not None]
        number = f"#{alike.index(site) + 1}" if len(alike) > 1 else ""
        only = f" at {rule.only}" if rule.only else ""
        return f"{self.shown(path)}:{line}:{column}{number} {what}{only}"

    def parse(self, text: str) -> Rule:
        """The rule that a text means, the first one if it fits several sites; a UsageError if it means none."""
        found, number = self._matches(text.strip())
        return found[number - 1]

    def alternatives(self, text: str) -> list[Rule]:
        """The other rules that a text could mean, if the change is possible at several sites of its line."""
        found, number = self._matches(text.strip())
        return found[1:] if number == 1 and "#" not in text.split()[0] else []

    def _matches(self, text: str) -> tuple[list[Rule], int]:
        """The rules for all sites where the change is possible, and the number of the one that is meant."""
        initial = _INITIAL.match(text)
        if initial is not None:
            return [self._initial_rule(initial)], 1
        path, m = self._split(text)
        place, what = text[: m.start("what")].strip(), " ".join(m["what"].split())
        here = self._at(path, int(m["line"]), int(m["column"]) if m["column"] else None)
        if not here:
            raise UsageError(
                f"nothing can be changed at {place}", hint="give the line of a statement that was compiled to code"
            )
        rules = [rule for site in here if (rule := self.phrases.rule_of(what, site)) is not None]
        if not rules:
            raise UsageError(
                f"{what!r} cannot be done at {place}", hint=f"what can be done there: {example_changes(here)}"
            )
        number = int(m["number"] or 1)
        if not 1 <= number <= len(rules):
            raise UsageError(
                f"{place}: there {'is' if len(rules) == 1 else 'are'} only {len(rules)} where {what!r} can be done"
            )
        only = int(m["only"] or 0)
        return [Rule(r.site, r.op, r.a, r.b, only, r.size, r.name) for r in rules], number

    def _initial_rule(self, m: re.Match[str]) -> Rule:
        """The rule that changes the initial value of a global variable."""
        sizes = dict(self.program.global_table)
        offset, size = int(m["offset"] or 0), int(m["size"] or min(sizes.get(m["name"], 0), 8))
        if not sizes.get(m["name"]):
            raise UsageError(f"the program has no global variable {m['name']}")
        if size not in (1, 2, 4, 8) or offset + size > sizes[m["name"]]:
            raise UsageError(
                f"{m['name']} has no number of {size} bytes at offset {offset}",
                hint=f"for example: initial {m['name']}+0:4 +1",
            )
        return Rule(NOWHERE, Op.INITIAL, int(m["amount"]), offset, list(sizes).index(m["name"]), size, m["name"])

    # --- positions ---------------------------------------------------------------------------------------------

    def _split(self, text: str) -> tuple[str, re.Match[str]]:
        """The path of the file, and the parsed rest of the text; a file name may contain digits and colons."""
        first: UsageError | None = None
        at = 0
        while (m := _PLACE.search(text, at)) is not None:
            try:
                return self._path(text[: m.start()], int(m["line"])), m
            except UsageError as error:
                first = first or error
            at = m.start() + 1
        raise first or UsageError(f"{text!r} is not a change", hint=_EXAMPLE)

    def _path(self, file: str, line: int) -> str:
        """The path of the file that the user means: as shown, as a path, by the end of its path, or by its name."""
        lines = self._positions.by_line
        paths = list(dict.fromkeys(path for path, _ in lines))
        if not file:
            paths = [path for path in paths if (path, line) in lines] or paths
            tests: tuple[Callable[[str], bool], ...] = (lambda path: True,)
        else:
            tail = re.sub(r"\A(\.\./|\./|/)+", "", os.path.normpath(file))
            full = os.path.abspath(file)
            tests = (
                lambda path: self.shown(path) == file,
                lambda path: os.path.normpath(path) == full,
                lambda path: os.path.normpath("/" + path).endswith("/" + tail),
                lambda path: os.path.basename(path) == os.path.basename(file),
            )
        for test in tests:
            found = [path for path in paths if test(path)]
            if len(found) > 1:
                raise UsageError(
                    f"{file or 'the line'} can be in several files",
                    hint=f"name one: {', '.join(map(self.shown, found[:6]))}",
                )
            if found:
                return found[0]
        raise UsageError(
            f"the program has no file {file}",
            hint=f"its files: {', '.join(self.shown(p) for p in paths[:6] if p != '?')}",
        )

    def _at(self, path: str, line: int, column: int | None) -> list[Site]:
        """The sites at a position."""
        on_line = self._positions.by_line.get((path, line), ())
        return [s for s in on_line if column is None or self._positions.of(s)[2] == column]
