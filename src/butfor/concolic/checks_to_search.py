"""Which checks of the program a search has to look at: those that static analysis has not proved for every run."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from butfor.ir.instructions import Function
from butfor.ir.intervals.proved_facts import StaticFacts
from butfor.ir.program import Program


class ChecksToSearch:
    """The checks of one program with the verdicts on them. Without facts, every check is open.

    A proof is about a run up to its first access outside of an object, which is a failure itself. It says nothing about
    uninitialised values, the life of objects, members of structs or arithmetic.
    """

    def __init__(self, facts: StaticFacts | None = None) -> None:
        self.facts = facts or StaticFacts(complete=False)
        self._verdicts = {(c.function, c.instr, c.kind): c.verdict for c in self.facts.checks}

    def holds(self, function: str, instr: int, *kinds: str) -> bool:
        """Whether all checks of these kinds at an instruction hold in every run."""
        return all(self._verdicts.get((function, instr, kind), "open") != "open" for kind in kinds)

    @cached_property
    def counts(self) -> Counter[str]:
        """How many checks have each verdict."""
        return Counter(self._verdicts.values())

    @property
    def all_hold(self) -> bool:
        """Whether every check holds in every run."""
        return bool(self._verdicts) and not self.counts["open"]

    def blocks_before_open(self, program: Program) -> dict[str, frozenset[int]]:
        """The blocks of each function from which an open check may be reached, before the function returns."""
        open_in = {function for (function, _, _), verdict in self._verdicts.items() if verdict == "open"}
        functions = [program.function(name) for name in program.names]
        is_growing = True
        while is_growing:
            callers = {f.name for f in functions if any(i.callee in open_in for i in f.instrs)}
            is_growing = not callers <= open_in
            open_in |= callers
        return {f.name: self._blocks(f, open_in) for f in functions}

    def _blocks(self, fn: Function, open_in: set[str]) -> frozenset[int]:
        found = {
            i.block
            for i in fn.instrs
            if i.callee in open_in or any(self._is_open(fn.name, i.index, kind) for kind in _KINDS)
        }
        work = list(found)
        while work:
            for before in fn.blocks[work.pop()].preds:
                if before not in found:
                    found.add(before)
                    work.append(before)
        return frozenset(found)

    def _is_open(self, function: str, instr: int, kind: str) -> bool:
        return self._verdicts.get((function, instr, kind)) == "open"

    def to_dict(self) -> dict[str, Any]:
        """The `checks` of the search in the JSON report."""
        return {
            **{verdict: self.counts[verdict] for verdict in ("proved", "unreachable", "open")},
            "reasons": list(self.facts.reasons),
        }

    def notes(self) -> list[str]:
        """What the proofs spared the search, in words."""
        total = sum(self.counts.values())
        held = total - self.counts["open"]
        if not held:
            return []
        what = "bounds, NULL, division and assertion checks"
        if self.all_hold:
            return [
                f"all {total} {what} hold in every run, by static analysis: only other failures, such as uses of "
                "uninitialised or freed memory, were searched for"
            ]
        return [f"{held} of {total} {what} hold in every run, by static analysis: they were not searched"]


_KINDS = ("null", "bounds-low", "bounds-high", "division", "assertion")
