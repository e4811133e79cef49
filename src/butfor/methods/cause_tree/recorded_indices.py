"""Maps of a path at their recorded indices: which element is meant is a question of its own.

An element that was read is that of the last write at the same index; writes at other indices are passed over.
"""

from __future__ import annotations

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import is_literal
from butfor.logic.sorts import Value, is_map
from butfor.logic.substitute import Substitution
from butfor.logic.terms import Term, TermError, constant, disjunction, equal, negate, rebuild
from butfor.path.path_model import Path
from butfor.path.ssa_form import SsaPath


class RecordedIndices:
    """Rewrites terms over the versions of a path's cells."""

    def __init__(self, path: Path, ssa: SsaPath) -> None:
        values: dict[str, Value] = {}
        for name, value in {**path.start, **path.initial}.items():
            if name in ssa.start:
                values[str(ssa.start[name].data)] = value
        for instance, over in zip(path.instances, ssa.instances, strict=True):
            for cell, _ in instance.writes:
                if cell.name in instance.recorded:
                    values[str(over.after[cell.name].data)] = instance.recorded[cell.name]
        self._evaluate = Evaluator(values)
        self._writes: dict[str, Term] = {}  # the maps that were made by a write, by version
        self._used: dict[Term, Term] = {}  # indices with their recorded values
        self._rewrite = Substitution({}, self._build)
        for over in ssa.instances:
            for equation in over.assigned:
                self._remember(self(equation))

    def __call__(self, term: Term) -> Term:
        """The term with recorded indices."""
        return self._rewrite(term)

    def differ(self, terms: tuple[Term, ...]) -> Term | None:
        """That some index in these terms, as they were written, has another value than recorded; None without any."""
        found: dict[Term, Term] = {}
        work, seen = list(terms), set(terms)
        while work:
            term = work.pop()
            if term.op in ("select", "store") and term.args[1] in self._used:
                found[term.args[1]] = self._used[term.args[1]]
            new = [a for a in term.args if a not in seen]
            seen.update(new)
            work += new
        return disjunction(negate(equal(index, value)) for index, value in found.items()) if found else None

    def _build(self, term: Term, operands: tuple[Term, ...]) -> Term:
        if term.op not in ("select", "store"):
            return rebuild(term, operands)
        index = self._recorded(term.args[1], operands[1])
        m = operands[0]
        while term.op == "select" and is_literal(index) and self._is_written_elsewhere(m, index):
            m = self._writes[str(m.data)].args[0]
        return rebuild(term, (m, index, *operands[2:]))

    def _recorded(self, written: Term, index: Term) -> Term:
        if is_literal(index) or is_map(index.width):
            return index
        try:
            value = constant(self._evaluate(written), written.width)
        except TermError:
            return index
        self._used[written] = value
        return value

    def _is_written_elsewhere(self, m: Term, index: Term) -> bool:
        """Whether a map was made by a write at another index."""
        write = self._writes.get(str(m.data)) if m.op == "var" else None
        return write is not None and is_literal(write.args[1]) and write.args[1] is not index

    def _remember(self, equation: Term) -> None:
        if equation.op == "eq":
            for version, value in (equation.args, equation.args[::-1]):
                if version.op == "var" and value.op == "store":
                    self._writes[str(version.data)] = value
                    return
