"""The two kinds of values that a path is executed with: terms, and values that are known or not."""

from __future__ import annotations

from collections.abc import Sequence

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import is_literal
from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import Value
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, constant, disjunction, ite, negate, variable, variables
from butfor.path.execute.path_execution import Domain, Lookup
from butfor.path.path_model import Cell, Path

OPEN = "?"  # begins the names of values that nothing determines


class Terms(Domain[Term]):
    """Values as terms; what nothing determines are variables whose names begin with OPEN.

    `mark` stands in the names, to tell the variables of one path from those of others.
    """

    yes = TRUE

    def __init__(self, path: Path, mark: str = "") -> None:
        self.path = path
        self.mark = mark

    def value(self, term: Term, lookup: Lookup[Term]) -> Term:
        """The term over what cells hold."""
        return substitute(term, lookup, ALGEBRA)

    def both(self, x: Term, y: Term) -> Term:
        """The conjunction."""
        return conjunction((x, y))

    def either(self, x: Term, y: Term) -> Term:
        """The disjunction."""
        return disjunction((x, y))

    def negation(self, x: Term) -> Term:
        """The negation."""
        return negate(x)

    def choice(self, condition: Term, x: Term, y: Term) -> Term:
        """The conditional term."""
        return ite(condition, x, y)

    def from_outside(self, k: int, number: int, cell: Cell) -> Term:
        """What was recorded."""
        return constant(self.path.instances[k].recorded[cell.name], cell.sort)

    def from_other_arm(self, branch: int, number: int, cell: Cell) -> Term:
        """An open variable."""
        return variable(f"{OPEN}f{self.mark}{branch}.{number}", cell.sort)

    def prints_the_same(self, branch: int) -> Term:
        """An open variable."""
        return variable(f"{OPEN}q{self.mark}{branch}", 0)


def unless_moved(condition: Term, accesses: Sequence[Term]) -> Term:
    """What the failure needs if these accesses before it go where they went; beyond that nothing is known."""
    return disjunction((negate(conjunction(accesses)), condition)) if accesses else condition


class KnownValues(Domain[Value | None]):
    """Values that are known, or None where nothing determines them; conditions are 1, 0 or None."""

    yes = 1

    def __init__(self, path: Path) -> None:
        self.path = path

    def value(self, term: Term, lookup: Lookup[Value | None]) -> Value | None:
        """The value, if what is known determines it."""
        names = variables((term,))
        values = {str(v.data): lookup(str(v.data)) for v in names}
        if all(v is not None for v in values.values()):
            return Evaluator(values)(term)
        known = {str(v.data): constant(values[str(v.data)], v.width) for v in names if values[str(v.data)] is not None}
        found = substitute(term, known, ALGEBRA)
        if found is TRUE or found is FALSE:
            return int(found is TRUE)
        return found.data if is_literal(found) else None

    def both(self, x: Value | None, y: Value | None) -> Value | None:
        """The smaller one: what is not known may be 0 or 1."""
        if x == 0 or y == 0:
            return 0
        return None if x is None or y is None else 1

    def either(self, x: Value | None, y: Value | None) -> Value | None:
        """The larger one."""
        return self.negation(self.both(self.negation(x), self.negation(y)))

    def negation(self, x: Value | None) -> Value | None:
        """The other one, if it is known."""
        return None if x is None else 1 - x

    def choice(self, condition: Value | None, x: Value | None, y: Value | None) -> Value | None:
        """The value if the condition is known, or does not matter."""
        if condition is None:
            return x if x == y else None
        return x if condition else y

    def from_outside(self, k: int, number: int, cell: Cell) -> Value | None:
        """What was recorded."""
        return self.path.instances[k].recorded[cell.name]

    def from_other_arm(self, branch: int, number: int, cell: Cell) -> Value | None:
        """Unknown."""
        return None

    def prints_the_same(self, branch: int) -> Value | None:
        """Unknown."""
        return None
