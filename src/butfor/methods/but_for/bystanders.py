"""Functions that are seldom to blame: they hand a parameter on, or stand in for one that a configuration left out."""

from __future__ import annotations

from butfor.ir.change_sites import NOWHERE, Site
from butfor.ir.program import Program


class Bystanders:
    """What the declarations of a program say about the function that a site is in."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._stand_ins: dict[str, bool] = {}

    def is_parameter(self, site: Site) -> bool:
        """Whether a parameter of the function is read there."""
        if site.number == NOWHERE:
            return False
        fn = self.program.function(site.function)
        instr = fn.instrs[site.instr]
        variable = self.program.source.variables(fn).get(instr.args[0]) if instr.op == "load" else None  # type: ignore[arg-type]
        return variable is not None and variable.is_parameter

    def is_in_stand_in(self, site: Site) -> bool:
        """Whether the function has parameters and never looks at them, as `int lock(int file) { return -1; }`."""
        if site.number == NOWHERE:
            return False
        known = self._stand_ins.get(site.function)
        if known is None:
            known = self._stand_ins[site.function] = self._looks_at_no_parameter(site.function)
        return known

    def _looks_at_no_parameter(self, function: str) -> bool:
        fn = self.program.function(function)
        parameters = {slot for slot, v in self.program.source.variables(fn).items() if v.is_parameter}
        used = {a for i in fn.instrs for k, a in enumerate(i.args) if isinstance(a, int) and (i.op, k) != ("store", 1)}
        return bool(parameters) and fn.name != "main" and not parameters & used
