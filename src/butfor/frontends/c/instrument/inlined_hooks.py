"""Hooks as the hooked code calls them: inlined, so that a site without a rule costs one look at a byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

TABLE = "bf_active"  # a byte for each site, which is 0 where nothing is changed or watched
UNIT_TABLE = "bf_active_here"  # the part of a unit
PAGE_BYTES = 4096  # the table begins a page, away from the variables of the program


@dataclass(frozen=True, slots=True)
class _Hook:
    """A hook with its parameters, of which the first is the site, and which of them it returns where nothing is done.

    A hook that `counts` is an event of the run.
    """

    name: str
    result: str
    parameters: tuple[str, ...]
    unchanged: int = 1
    counts: bool = False

    @property
    def slow(self) -> str:
        """The function of the runtime that looks at the rules."""
        return f"__cf_at_{self.name}"

    def declaration(self) -> str:
        """The declaration of the slow part."""
        return f"declare {self.result} @{self.slow}({', '.join(self.parameters)}) cold"

    def definition(self, table: str, sites_before: str) -> Iterator[str]:
        """The definition of the part that is inlined, for a module that has the bytes of its sites in this table."""
        rest = "".join(f", {t} %{k}" for k, t in enumerate(self.parameters[1:], 1))
        parameters = ", ".join(f"{t} %{k}" for k, t in enumerate(self.parameters))
        yield f"define internal {self.result} @__cf_{self.name}({parameters}) alwaysinline nounwind {{"
        yield "start:"
        if self.counts:
            yield "call void @__cf_tick()"
        yield "%site = zext i32 %0 to i64"
        yield f"%at = getelementptr i8, ptr @{table}, i64 %site"
        yield "%active = load i8, ptr %at"
        yield "%quiet = icmp eq i8 %active, 0"
        yield "br i1 %quiet, label %done, label %rule"
        yield "rule:"
        yield f"%number = add i32 %0, {sites_before}"
        yield f"%changed = call {self.result} @{self.slow}(i32 %number{rest})"
        yield "br label %done"
        yield "done:"
        yield f"%new = phi {self.result} [ %{self.unchanged}, %start ], [ %changed, %rule ]"
        yield f"ret {self.result} %new"
        yield "}"


_HOOKS = (
    _Hook("i", "i64", ("i32", "i64", "ptr")),
    _Hook("si", "i64", ("i32", "i64", "ptr", "ptr", "i32")),
    _Hook("d", "double", ("i32", "double", "ptr")),
    _Hook("sd", "double", ("i32", "double", "ptr", "ptr", "i32")),
    _Hook("c", "i32", ("i32", "i32", "i64", "i64", "i32", "ptr"), counts=True),
    _Hook("cd", "i32", ("i32", "i32", "double", "double", "i32", "ptr"), counts=True),
    _Hook("b", "i32", ("i32", "i32"), counts=True),
    _Hook("z", "i64", ("i32", "i64", "i64", "i32"), unchanged=2),
    _Hook("o", "i64", ("i32", "i64", "i64", "i64", "i32", "ptr")),
    _Hook("od", "double", ("i32", "double", "double", "double", "i32", "ptr")),
    _Hook("f", "ptr", ("i32", "ptr"), counts=True),
)
_CHECKED_HOOKS = (
    _Hook("m", "i64", ("i32", "i64", "i64", "i64", "ptr", "ptr", "i32")),
    _Hook("pv", "i32", ("i32", "i32", "ptr", "ptr")),
    _Hook("e", "i32", ("i32", "i32", "i64", "i64", "i32", "i32", "ptr")),
)
_OTHERS = """
declare void @__cf_failed()
declare void @__cf_unreachable()
declare void @__cf_too_long() cold noreturn
@bf_events_left = external hidden global i64
define internal void @__cf_tick() alwaysinline nounwind {
%before = load i64, ptr @bf_events_left
%now = sub i64 %before, 1
store i64 %now, ptr @bf_events_left
%over = icmp slt i64 %now, 0
br i1 %over, label %end, label %on
end:
call void @__cf_too_long()
unreachable
on:
ret void
}
"""


def hook_table(sites: int) -> str:
    """The table of a program with so many sites."""
    return f'@{TABLE} = hidden global [{sites + 1} x i8] zeroinitializer, section "{TABLE}_table", align {PAGE_BYTES}'


def hook_definitions(sites: int, *, checked: bool) -> str:
    """What a module with so many sites needs of hooks: the table, at an address that the code knows, and the hooks."""
    return "\n".join((hook_table(sites), _definitions(TABLE, "0", checked=checked)))


def unit_hook_definitions(sites_before: str, *, checked: bool) -> str:
    """What a unit needs of hooks: its part of the table is elsewhere, and its sites come after those of other units."""
    table = f"@{UNIT_TABLE} = external hidden global i8"
    return "\n".join((table, _definitions(UNIT_TABLE, sites_before, checked=checked)))


def _definitions(table: str, sites_before: str, *, checked: bool) -> str:
    hooks = (*_HOOKS, *(_CHECKED_HOOKS if checked else ()))
    lines = (line for h in hooks for line in (h.declaration(), *h.definition(table, sites_before)))
    return "\n".join((_OTHERS, *lines, ""))
