"""The backward analysis: what values keep proved checks from being violated, and which instructions the proofs depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from butfor.ir.flow_graphs import reverse_post_order
from butfor.ir.instructions import Instr
from butfor.ir.intervals.instruction_records import Records, Spot
from butfor.ir.intervals.prepared_functions import Body
from butfor.ir.intervals.proved_facts import Check, Interval
from butfor.ir.intervals.safety_projections import Condition, Errors, Safety
from butfor.ir.intervals.value_boxes import BIG, EVERYTHING, Box
from butfor.ir.machine_types import store_size
from butfor.ir.program import Program

_MOST_ERRORS = 400


class Backward:
    """The backward analysis of a whole program after the forward one."""

    def __init__(
        self,
        program: Program,
        bodies: Callable[[str], Body],
        records: Records,
        checks: Iterable[Check],
        is_over: Callable[[], bool],
    ) -> None:
        self.program, self.bodies, self.records, self.is_over = program, bodies, records, is_over
        self.conditions: dict[str, dict[int, list[Condition]]] = {}
        for check in checks:
            if check.verdict == "proved":
                self._add(check)
        self.entries: dict[str, Box] = {}
        self.allowed: dict[Spot, Interval] = {}
        self.trusted: set[Spot] = set()
        self.is_complete = True

    def _add(self, check: Check) -> None:
        instr = self.program.function(check.function).instrs[check.instr]
        found = self._condition(check, instr)
        if found is not None:
            self.conditions.setdefault(check.function, {}).setdefault(check.instr, []).append(found)

    def _condition(self, check: Check, instr: Instr) -> Condition | None:
        if check.kind == "assertion":
            return Condition(check, None, (1, 0), EVERYTHING)
        if check.kind == "division":
            return Condition(check, instr.args[1], EVERYTHING, (0, 0)) if isinstance(instr.args[1], int) else None
        if instr.op not in ("load", "store") or check.kind not in ("bounds-low", "bounds-high"):
            return None
        address = instr.args[instr.op == "store"]
        if not isinstance(address, int):
            return None
        if check.kind == "bounds-low":
            return Condition(check, address, (0, BIG), (-BIG, -1))
        size = store_size(instr.detail if instr.op == "store" else instr.type)
        sizes = self.records.sizes.get((check.function, check.instr))
        if sizes is None:
            return None
        return Condition(check, address, (-BIG, sizes[1] - size), (sizes[0] - size + 1, BIG))

    def run(self) -> None:
        """Finds what is allowed and what is trusted."""
        for name in self._from_callees():
            if self.is_over():
                self.is_complete = False
                return
            self._safety(name)
        runs = 0
        for name, by_instr in self.conditions.items():
            for conditions in by_instr.values():
                for condition in conditions:
                    runs += 1
                    if runs > _MOST_ERRORS or self.is_over():
                        self.is_complete = False
                        return
                    for blame in (0, 1):
                        look = Errors(self, name, {condition.check.instr: condition}, blame)
                        look.settle()
                        look.collect()

    def _from_callees(self) -> list[str]:
        """The functions that were reached, callees before callers as far as there is no recursion."""
        numbers = {n: k for k, n in enumerate(self.program.names)}
        calls = [
            [
                numbers[i.detail.callee]
                for i in self.program.function(n).instrs
                if i.op == "call" and i.detail.callee in numbers
            ]
            for n in self.program.names
        ]
        everything = [*calls, list(range(len(calls)))]
        order = reverse_post_order(everything, len(calls))[1:]
        return [self.program.names[k] for k in reversed(order) if (self.program.names[k], 0) in self.records.blocks]

    def _safety(self, name: str) -> None:
        look = Safety(self, name)
        look.settle()
        if look.boxes[0]:
            self.entries[name] = {k: r for k, r in look.boxes[0].items() if 0 <= k < len(look.function.params)}
        look.collect()
