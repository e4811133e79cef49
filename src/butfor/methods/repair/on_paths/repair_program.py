"""The repair program of failing paths: each statement has alternatives, chosen by selectors.

An alternative has a selector of its own; a statement is changed where one of them is on. With correlation, the
instances of a statement share selectors, in a loop and over all paths; without, each instance has its own. Leaving a
path at a branch avoids the failure (END in the paper), and so does meeting the check. What happens off the path is for
the program to say: a solution is run, or searched, with the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import INT
from butfor.logic.substitute import substitute
from butfor.logic.terms import (
    Term,
    compare,
    conjunction,
    const,
    disjunction,
    implies,
    ite,
    negate,
    number,
    order,
    variable,
)
from butfor.methods.proofs.mined_facts import MinedFacts
from butfor.methods.repair.on_paths.path_checks import earlier_checks, without_failing_assumptions
from butfor.methods.repair.on_paths.solution_model import (
    ANY_VALUE,
    CONDITION,
    HOLE_PREFIX,
    Alternative,
    PathSite,
    SolutionOptions,
)
from butfor.path.execute.any_value import any_value
from butfor.path.execute.path_execution import is_given
from butfor.path.execute.relaxed_path import CellTerms, RelaxedPath
from butfor.path.instance_uses import uses_of
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place

WEIGHT_OF_ANY_VALUE, WEIGHT_OF_ANY_OUTCOME = 4.0, 2.0  # below those of all edits: they say little
MAX_WRITES = 8  # cells that one instance assigns, that are looked at for definitions and uses


@dataclass(frozen=True, slots=True)
class Choice:
    """One alternative of a statement with its selector."""

    on: Term
    alternative: Alternative


@dataclass(frozen=True, slots=True)
class ChangeableStatement:
    """A statement, or one instance of it, with its choices."""

    place: Place
    sites: tuple[PathSite, ...]
    choices: tuple[Choice, ...]
    in_loop: bool

    @property
    def on(self) -> Term:
        """Whether the statement is changed."""
        return disjunction(c.on for c in self.choices)


def _leaving_avoids(path: Path) -> Path:
    """The path, on which every branch leads to the end when it is decided otherwise."""
    return replace(
        path, instances=tuple(replace(i, escapes=True) if i.kind is Kind.BRANCH else i for i in path.instances)
    )


def _is_in_loop(instance: Instance) -> bool:
    """Whether a statement is inside a loop; the condition of a loop is not inside of that one."""
    return len(instance.rounds) > instance.exits_loop


def sites_of(paths: Sequence[Path]) -> dict[Place, list[PathSite]]:
    """The sites that may change on some paths, by statement: conditions of branches, values not from outside."""
    found: dict[Place, list[PathSite]] = {}
    for n, path in enumerate(paths):
        for k, instance in enumerate(path.instances):
            if instance.trusted:
                continue
            here = found.setdefault(instance.place, [])
            if instance.kind is Kind.BRANCH:
                here.append((n, k, CONDITION))
            else:
                here += [
                    (n, k, number)
                    for number, (cell, term) in enumerate(instance.writes)
                    if not is_given(instance, cell, term)
                ]
    return {place: sites for place, sites in found.items() if sites}


class RepairProgram:
    """The repair program. `facts` are the bounds of changed values."""

    def __init__(
        self,
        paths: Sequence[Path],
        alternatives: Mapping[Place, Sequence[Alternative]],
        options: SolutionOptions,
        mined: MinedFacts | None = None,
    ) -> None:
        self.paths = tuple(_leaving_avoids(without_failing_assumptions(path)) for path in paths)
        self.options = options
        self.mined = mined or MinedFacts()
        self.checks = tuple(earlier_checks(p) if options.earlier else frozenset() for p in self.paths)
        self.statements = tuple(self._statements(alternatives))
        self._by_site = {site: statement for statement in self.statements for site in statement.sites}
        self.facts: list[Term] = []  # made together with `avoids`

    @cached_property
    def avoids(self) -> tuple[Term, ...]:
        """The condition, for each path, that its failure is avoided."""
        return tuple(
            RelaxedPath(path, n, _Selected(self, n), self.checks[n]).avoids for n, path in enumerate(self.paths)
        )

    def bounds(
        self, path: int, picked: Iterable[ChangeableStatement]
    ) -> dict[tuple[int, int], tuple[int | None, int | None]]:
        """The bounds of mined facts on the values of some statements of a path, by position and cell."""
        allowed = self.mined.allowed if self.options.allowed else {}
        return {
            (k, which): allowed[u.place]
            for u in picked
            if u.place in allowed
            for n, k, which in u.sites
            if n == path and which != CONDITION
        }

    @property
    def choices(self) -> tuple[Choice, ...]:
        """All choices."""
        return tuple(c for statement in self.statements for c in statement.choices)

    def constraints(self) -> Iterator[Term]:
        """The constraints on a solution: failures are avoided, values allowed, statements changed in one way each."""
        yield from self.avoids
        yield from self.facts
        for statement in self.statements:
            for k, a in enumerate(statement.choices):
                yield from (disjunction((negate(a.on), negate(b.on))) for b in statement.choices[:k])
        if self.options.use_def:
            yield from (disjunction((negate(a.on), negate(b.on))) for a, b in self._definition_use_pairs())

    def statement_at(self, site: PathSite) -> ChangeableStatement | None:
        """The statement that is changed at a site."""
        return self._by_site.get(site)

    def add_bounds(
        self, instance: Instance, cell: Cell, statement: ChangeableStatement, value: Term, guard: Term
    ) -> None:
        """Add the mined bounds of a changed value to the facts."""
        low, high = self.mined.allowed.get(instance.place, (None, None)) if self.options.allowed else (None, None)
        bounds = [*_bound(cell, value, low, is_low=True), *_bound(cell, value, high, is_low=False)]
        if bounds:
            self.facts.append(implies(conjunction((guard, statement.on)), conjunction(bounds)))

    # --- statements ---------------------------------------------------------------------------------------------------

    def _statements(self, alternatives: Mapping[Place, Sequence[Alternative]]) -> Iterator[ChangeableStatement]:
        count = 0
        for place, sites in sites_of(self.paths).items():
            is_needed = self.options.trusted and place in self.mined.trusted
            if is_needed and (self.options.strict or sites[0][2] != CONDITION):
                continue
            positions = {(n, k) for n, k, _ in sites}
            in_loop = any(_is_in_loop(self.paths[n].instances[k]) for n, k in positions)
            groups = (
                [sites] if self.options.correlated else [[s for s in sites if s[:2] == at] for at in sorted(positions)]
            )
            for group in groups:
                known = [
                    *self._known_alternatives(alternatives.get(place, ()), group),
                    *(() if is_needed else self._any_value_alternative(group)),
                ]
                choices = tuple(Choice(variable(f"{HOLE_PREFIX}p{count + k}", 0), a) for k, a in enumerate(known))
                count += len(choices)
                if choices:
                    yield ChangeableStatement(place, tuple(group), choices, in_loop)

    def _known_alternatives(
        self, alternatives: Iterable[Alternative], group: Sequence[PathSite]
    ) -> Iterator[Alternative]:
        chosen = frozenset(group)
        for a in alternatives:
            if (a.hole is None and not self.options.alternatives) or (
                a.hole is not None and not self.options.templates
            ):
                continue
            yield a if self.options.correlated else replace(a, terms={s: t for s, t in a.terms.items() if s in chosen})

    def _any_value_alternative(self, group: Sequence[PathSite]) -> Iterator[Alternative]:
        if not self.options.free:
            return
        terms = {site: self._unconstrained(site) for site in group}
        is_condition = any(site[2] == CONDITION for site in group)
        words = "the condition comes out otherwise" if is_condition else "another value"
        yield Alternative("", words, WEIGHT_OF_ANY_OUTCOME if is_condition else WEIGHT_OF_ANY_VALUE, ANY_VALUE, terms)

    def _unconstrained(self, site: PathSite) -> Term:
        n, k, which = site
        name = f"{HOLE_PREFIX}r{n}.{k}.{which}"
        if which == CONDITION:
            return variable(name, 0)
        cell, term = self.paths[n].instances[k].writes[which]
        assert term is not None
        return any_value(name, cell.term, term, term, lambda _: None)

    def _first_at(self, path: int, position: int, first: int) -> ChangeableStatement | None:
        """The statement that changes at a position, at the first of its sites from a number on."""
        found = (self._by_site.get((path, position, which)) for which in range(first, MAX_WRITES))
        return next((statement for statement in found if statement is not None), None)

    def _definition_use_pairs(self) -> Iterator[tuple[ChangeableStatement, ChangeableStatement]]:
        """Pairs of a definition and the only statement that uses it, which is an assignment as well."""
        readers: dict[int, set[int | None]] = {}
        numbers = {id(statement): k for k, statement in enumerate(self.statements)}
        for n, path in enumerate(self.paths):
            reads = uses_of(path).reads
            for k, read in enumerate(reads):
                user = self._first_at(n, k, CONDITION)
                assigns = user is not None and path.instances[k].kind is not Kind.BRANCH
                for _, writer in read:
                    statement = self._first_at(n, writer, 0)
                    if statement is not None and statement is not user:
                        readers.setdefault(numbers[id(statement)], set()).add(
                            numbers[id(user)] if assigns and user is not None else None
                        )
        for defined, users in readers.items():
            if len(users) == 1 and (only := next(iter(users))) is not None:
                yield self.statements[defined], self.statements[only]


class _Selected:
    """The changes of one path, by selectors."""

    def __init__(self, program: RepairProgram, path: int) -> None:
        self.program = program
        self.path = path

    def condition(self, k: int, instance: Instance, condition: Term, now: CellTerms, guard: Term) -> Term:
        del instance, guard
        return self._chosen((self.path, k, CONDITION), condition, now)

    def value(self, k: int, number: int, instance: Instance, value: Term, now: CellTerms, guard: Term) -> Term:
        site = (self.path, k, number)
        new = self._chosen(site, value, now)
        statement = self.program.statement_at(site)
        if statement is not None:
            self.program.add_bounds(instance, instance.writes[number][0], statement, new, guard)
        return new

    def start(self, number: int, cell: Cell, value: Term) -> Term:
        del number, cell
        return value

    def _chosen(self, site: PathSite, value: Term, now: CellTerms) -> Term:
        statement = self.program.statement_at(site)
        for choice in reversed(statement.choices if statement is not None else ()):
            term = choice.alternative.terms.get(site)
            if term is not None:
                value = ite(choice.on, substitute(term, now, ALGEBRA), value)
        return value


def _bound(cell: Cell, value: Term, bound: int | None, *, is_low: bool) -> Iterator[Term]:
    """The comparison of a signed value with a bound that fits its type."""
    if bound is None or value.width not in (INT, cell.sort):
        return
    if value.width == INT:
        edge = number(bound, INT)
        yield order("le", edge, value) if is_low else order("le", value, edge)
    elif value.width > 0 and -(1 << value.width - 1) <= bound < 1 << value.width - 1:
        edge = const(bound, value.width)
        yield compare("sle", edge, value) if is_low else compare("sle", value, edge)
