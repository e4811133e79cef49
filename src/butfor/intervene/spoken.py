"""Rules as users write them, for `butfor replay --with`: `prog.c:44:9 flip when equal`.

A place is FILE:LINE, or FILE:LINE:COLUMN where a line has several sites; `#2` after it means the second of the sites that fit. `at 3` at the end
means the third occurrence only.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

from butfor.errors import UsageError
from butfor.intervene.rules import Op, Rule
from butfor.intervene.sites import Site, SiteKind
from butfor.intervene.variables import Variables
from butfor.program.program import Program

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?(?:#(?P<number>\d+))?\s+(?P<what>.+?)(?:\s+at\s+(?P<only>\d+))?\Z")
_PLAIN = {
    "flip": Op.FLIP,
    "flip when equal": Op.FLIP_EQUAL,
    "flip when less": Op.FLIP_LESS,
    "flip when greater": Op.FLIP_GREATER,
    "always true": Op.TRUE,
    "always false": Op.FALSE,
    "keep": Op.KEEP,
    "negate": Op.NEGATE,
    "not": Op.NOT,
    "only left": Op.ONLY_LEFT,
    "only right": Op.ONLY_RIGHT,
    "swap": Op.SWAP,
    "skip": Op.SKIP,
}
_NUMBERED = {"set": Op.SET, "add": Op.ADD, "right": Op.RIGHT, "shift": Op.SHIFT}
_NAMED = {"read": (Op.LOCAL, Op.GLOBAL), "right side": (Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL)}
SIGNS = ("+", "-", "*", "/", "u/", "%", "u%", "&", "|", "^", "<<", ">>", "u>>")
_CONDITIONS = frozenset((Op.FLIP, Op.FLIP_EQUAL, Op.FLIP_LESS, Op.FLIP_GREATER, Op.TRUE, Op.FALSE))
_KINDS: dict[Op, frozenset[SiteKind]] = {
    **dict.fromkeys((Op.FLIP_EQUAL, Op.FLIP_LESS, Op.FLIP_GREATER, Op.SHIFT), frozenset((SiteKind.COMPARE,))),
    **dict.fromkeys((Op.FLIP, Op.TRUE, Op.FALSE), frozenset((SiteKind.COMPARE, SiteKind.BRANCH))),
    **dict.fromkeys((Op.OPERATOR, Op.RIGHT, Op.ONLY_LEFT, Op.ONLY_RIGHT, Op.SWAP), frozenset((SiteKind.OPERATION,))),
    **dict.fromkeys((Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL), frozenset((SiteKind.COMPARE, SiteKind.OPERATION))),
    **dict.fromkeys((Op.SKIP, Op.CALL), frozenset((SiteKind.CALL,))),
    Op.KEEP: frozenset((SiteKind.STORE,)),
}
_VALUES = frozenset(SiteKind) - {SiteKind.COMPARE, SiteKind.BRANCH, SiteKind.CALL}


class Speech:
    """Writes and reads rules of one program. `shown` turns a path into the name that the user knows."""

    def __init__(self, program: Program, sites: Sequence[Site], shown: Any) -> None:
        self.program = program
        self.sites = sites
        self.shown = shown
        self.source: Any = program.source
        self.variables = Variables(program)

    def write(self, rule: Rule) -> str:
        """The rule as text that `read` understands."""
        site = self.sites[rule.site - 1]
        where = self._where(site)
        alike = [s for s in self._at(*where) if _takes(s, rule.op)]
        number = f"#{alike.index(site) + 1}" if len(alike) > 1 else ""
        only = f" at {rule.only}" if rule.only else ""
        return f"{where[0]}:{where[1]}:{where[2]}{number} {self._what(rule, site)}{only}"

    def read(self, text: str) -> Rule:
        """The rule that a text means; a UsageError when it means none."""
        m = _PLACE.match(text.strip())
        if m is None:
            raise UsageError(f"{text!r} is not a change", hint="for example: prog.c:44 flip when equal")
        column = int(m["column"]) if m["column"] else None
        here = self._at(m["file"], int(m["line"]), column)
        if not here:
            raise UsageError(f"nothing can be changed at {text.split()[0]}", hint="give the file and the line of a statement that ran")
        found = [(s, rule) for s in here if (rule := self._rule(s, m["what"].strip())) is not None]
        if not found:
            raise UsageError(f"{m['what']!r} cannot be done at {text.split()[0]}", hint=f"there: {', '.join(sorted({str(s.kind) for s in here}))}")
        number = int(m["number"] or 1)
        if number > len(found):
            raise UsageError(f"there are only {len(found)} places for {m['what']!r} at {text.split()[0]}")
        rule = found[number - 1][1]
        return Rule(rule.site, rule.op, rule.a, rule.b, int(m["only"] or 0), rule.size, rule.name)

    def _where(self, site: Site) -> tuple[str, int, int]:
        fn = self.program.function(site.function)
        where = self.source.location(fn.instrs[site.instr])
        return (self.shown(where.file), where.line, where.column) if where is not None else ("", 0, 0)

    def _at(self, file: str, line: int, column: int | None) -> list[Site]:
        found = []
        for site in self.sites:
            name, at, col = self._where(site)
            if at == line and (column is None or col == column) and (name == file or name.endswith("/" + file)):
                found.append(site)
        return found

    def _what(self, rule: Rule, site: Site) -> str:
        for text, op in _PLAIN.items():
            if op is rule.op:
                return text
        for text, op in _NUMBERED.items():
            if op is rule.op:
                return f"{text} {_real(rule.a) if site.is_real else rule.a}"
        for text, (local, other) in _NAMED.items():
            if rule.op in (local, other):
                return f"{text} {rule.name}"
        return f"call {rule.name}" if rule.op is Op.CALL else f"operator {SIGNS[rule.a]}"

    def _rule(self, site: Site, what: str) -> Rule | None:
        """The rule for a site, if the words fit it."""
        if what in _PLAIN:
            return Rule(site.number, _PLAIN[what]) if _takes(site, _PLAIN[what]) else None
        verb, _, rest = what.rpartition(" ")
        if verb in _NUMBERED:
            op = _NUMBERED[verb]
            return Rule(site.number, op, _number(rest, site)) if _takes(site, op) else None
        if verb in _NAMED:
            local, _ = _NAMED[verb]
            if not _takes(site, local):
                return None
            fn = self.program.function(site.function)
            rules = self.variables.instead(site, fn, fn.instrs[site.instr], None, right=local is Op.RIGHT_LOCAL)
            return next((r for r in rules if r.name == rest), None)
        if verb == "call" and site.kind is SiteKind.CALL:
            table = self.program.function_table
            return Rule(site.number, Op.CALL, table.index(rest), name=rest) if rest in table else None
        if verb == "operator" and site.kind is SiteKind.OPERATION and rest in SIGNS:
            return Rule(site.number, Op.OPERATOR, SIGNS.index(rest))
        return None


def _takes(site: Site, op: Op) -> bool:
    return site.kind in _KINDS.get(op, _VALUES)


def _real(raw: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<q", raw))[0]
    return value


def _number(text: str, site: Site) -> int:
    try:
        if site.is_real:
            value: int = struct.unpack("<q", struct.pack("<d", float(text)))[0]
            return value
        return int(text, 0)
    except (ValueError, struct.error) as e:
        raise UsageError(f"{text!r} is not a number") from e
