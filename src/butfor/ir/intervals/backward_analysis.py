"""The backward analysis: values that keep proved checks true, instructions that proofs depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from butfor.ir.flow_graphs import reverse_post_order
from butfor.ir.instructions import Instr
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.proved_facts import CheckVerdict
from butfor.ir.intervals.safety_projections import CheckCondition, ErrorProjection, ProofContext, SafetyProjection
from butfor.ir.intervals.value_boxes import EVERYTHING, UNBOUNDED
from butfor.ir.machine_types import store_size
from butfor.ir.program import Program

MAX_ERROR_PROJECTIONS = 400  # one per proved check; the rest is reported as not followed back


class BackwardAnalysis:
    """The backward analysis of a whole program, after the forward one."""

    def __init__(
        self,
        program: Program,
        prepared: Callable[[str], PreparedFunction],
        records: AnalysisRecords,
        checks: Iterable[CheckVerdict],
        is_over: Callable[[], bool],
    ) -> None:
        self.program, self.records, self.is_over = program, records, is_over
        self.proofs = ProofContext(prepared, records)
        self.is_complete = True
        for check in checks:
            if check.verdict == "proved":
                self._add(check)

    def _add(self, check: CheckVerdict) -> None:
        instr = self.program.function(check.function).instrs[check.instr]
        found = self._condition(check, instr)
        if found is not None:
            self.proofs.conditions.setdefault(check.function, {}).setdefault(check.instr, []).append(found)

    def _condition(self, check: CheckVerdict, instr: Instr) -> CheckCondition | None:
        if check.kind == "assertion":
            return CheckCondition(check, None, (1, 0), EVERYTHING)
        if check.kind == "division":
            return CheckCondition(check, instr.args[1], EVERYTHING, (0, 0)) if isinstance(instr.args[1], int) else None
        if instr.op not in ("load", "store") or check.kind not in ("bounds-low", "bounds-high"):
            return None
        address = instr.address
        if not isinstance(address, int):
            return None
        if check.kind == "bounds-low":
            return CheckCondition(check, address, (0, UNBOUNDED), (-UNBOUNDED, -1))
        size = store_size(instr.detail if instr.op == "store" else instr.type)
        sizes = self.records.sizes.get((check.function, check.instr))
        if sizes is None:
            return None
        return CheckCondition(check, address, (-UNBOUNDED, sizes[1] - size), (sizes[0] - size + 1, UNBOUNDED))

    def run(self) -> None:
        """Find the allowed values and the trusted instructions."""
        for name in self._callees_first():
            if self.is_over():
                self.is_complete = False
                return
            self._project_safety(name)
        runs = 0
        for name, by_instr in self.proofs.conditions.items():
            for conditions in by_instr.values():
                for condition in conditions:
                    runs += 1
                    if runs > MAX_ERROR_PROJECTIONS or self.is_over():
                        self.is_complete = False
                        return
                    for blame in (0, 1):
                        projection = ErrorProjection(self.proofs, name, {condition.check.instr: condition}, blame)
                        projection.iterate()
                        projection.collect()

    def _callees_first(self) -> list[str]:
        """The functions that are reachable, callees before callers as far as there is no recursion."""
        numbers = {n: k for k, n in enumerate(self.program.names)}
        calls = [
            [numbers[i.callee] for i in self.program.function(n).instrs if i.callee in numbers]
            for n in self.program.names
        ]
        everything = [*calls, list(range(len(calls)))]
        order = reverse_post_order(everything, len(calls))[1:]
        return [self.program.names[k] for k in reversed(order) if (self.program.names[k], 0) in self.records.blocks]

    def _project_safety(self, name: str) -> None:
        projection = SafetyProjection(self.proofs, name)
        projection.iterate()
        if projection.boxes[0]:
            self.proofs.entries[name] = {
                k: r for k, r in projection.boxes[0].items() if 0 <= k < len(projection.function.params)
            }
        projection.collect()
