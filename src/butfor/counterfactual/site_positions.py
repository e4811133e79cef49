"""Where in the source the sites of a program are, and which sites share a position.

A large program has hundreds of thousands of sites. Only the functions around a position are parsed for the sites
beside one; the whole index is made when somebody asks for a line in words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from butfor.ir.change_sites import Site, SiteTable
from butfor.ir.program import Program

Position = tuple[str, int, int]  # path, line and column
NO_POSITION: Position = ("?", 0, 0)


class SitePositions:
    """The positions of all sites of one program."""

    def __init__(self, program: Program, sites: SiteTable) -> None:
        self.program = program
        self.sites = sites

    def of(self, site: Site) -> Position:
        """The position of a site."""
        at = self.program.source.location(self.program.function(site.function).instrs[site.instr])
        return NO_POSITION if at is None else (at.file, at.line, at.column)

    def beside(self, site: Site) -> list[Site]:
        """All sites at the position of a site, itself included, by number."""
        position = self.of(site)
        names = {site.function, *self._around(*position[:2])}
        found = [s for name in names for s in self.sites.of_function(name) if self.of(s) == position]
        return sorted(found, key=lambda s: s.number)

    def _around(self, path: str, line: int) -> list[str]:
        """The functions that may have code on a line: those that begin there, and the last to begin before it."""
        begins = self._begins.get(path, [])
        first, end = bisect_left(begins, (line, "")), bisect_left(begins, (line + 1, ""))
        before = bisect_left(begins, (begins[first - 1][0], "")) if first else 0
        return [name for _, name in begins[before:end]]

    @cached_property
    def _begins(self) -> dict[str, list[tuple[int, str]]]:
        """By file, the lines on which functions begin."""
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for name in self.program.names:
            at = self.program.source.function_location(name)
            if at is not None:
                found[at.file].append((at.line, name))
        return {path: sorted(begins) for path, begins in found.items()}

    @cached_property
    def by_line(self) -> dict[tuple[str, int], list[Site]]:
        """All sites by path and line."""
        found: dict[tuple[str, int], list[Site]] = defaultdict(list)
        for site in self.sites:
            found[self.of(site)[:2]].append(site)
        return dict(found)
