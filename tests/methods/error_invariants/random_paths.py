"""Random failing paths: a small program over a few cells is run, and what it did is written down as a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import INT, Sort
from butfor.logic.terms import TRUE, Term, arithmetic, binary, compare, conjunction, constant, equal, negate, order
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place

NAMES = ("a", "b", "c")
Stmt = tuple[Any, ...]

_values = st.integers(-3, 5)
_operands = st.one_of(st.sampled_from(NAMES), _values)
_expressions = st.one_of(_operands, st.tuples(st.sampled_from("+-*"), _operands, _operands))
_conditions = st.tuples(st.sampled_from(("<", "<=", "==", "!=")), st.sampled_from(NAMES), _operands)
_assigns = st.tuples(st.just("assign"), st.sampled_from(NAMES), _expressions)
_havocs = st.tuples(st.just("havoc"), st.sampled_from(NAMES), _values)


def _blocks(inner: st.SearchStrategy[Stmt]) -> st.SearchStrategy[list[Stmt]]:
    return st.lists(inner, max_size=3)


_statements: st.SearchStrategy[Stmt] = st.recursive(
    st.one_of(_assigns, _assigns, _havocs),
    lambda inner: st.tuples(st.just("if"), _conditions, _blocks(inner), _blocks(inner)),
    max_leaves=6,
)


@dataclass
class _Run:
    sort: Sort
    free: bool
    now: dict[str, int]
    instances: list[Instance] = field(default_factory=list)

    def cell(self, name: str) -> Cell:
        return Cell(name, self.sort, name, "int", True, "f")

    def term(self, e: Any) -> Term:
        if isinstance(e, tuple):
            op, x, y = e
            if self.sort == INT:
                return arithmetic({"+": "plus", "-": "minus", "*": "times"}[op], self.term(x), self.term(y))
            return binary({"+": "add", "-": "sub", "*": "mul"}[op], self.term(x), self.term(y))
        return self.cell(e).term if isinstance(e, str) else constant(e, self.sort)

    def condition(self, c: Any) -> Term:
        op, x, y = c
        left, right = self.term(x), self.term(y)
        if op in ("==", "!="):
            return equal(left, right) if op == "==" else negate(equal(left, right))
        if self.sort == INT:
            return order("lt" if op == "<" else "le", left, right)
        return compare("slt" if op == "<" else "sle", left, right)

    def holds(self, t: Term) -> bool:
        return bool(Evaluator(self.now)(t))

    def block(self, body: list[Stmt], scope: tuple[int, ...]) -> None:
        for s in body:
            self.statement(s, scope)

    def statement(self, s: Stmt, scope: tuple[int, ...]) -> None:
        place = Place("f.c", len(self.instances) + 1, 1, "f", str(s[0]), "expression", "f.c")
        if s[0] == "if":
            self._branch(s, scope, place)
            return
        cell = self.cell(s[1])
        value = None if s[0] == "havoc" and self.free else self.term(s[2])
        new = Evaluator(self.now)(self.term(s[2]))
        kind = Kind.HAVOC if value is None else Kind.ASSIGN
        self.instances.append(Instance(kind, place, ((cell, value),), scope=scope, recorded={cell.name: new}))
        self.now[cell.name] = new

    def _branch(self, s: Stmt, scope: tuple[int, ...], place: Place) -> None:
        condition = self.condition(s[1])
        held = self.holds(condition)
        taken, other = (s[2], s[3]) if held else (s[3], s[2])
        at = len(self.instances)
        frames = tuple(self.cell(n) for n in sorted(_assigned(other)))
        self.instances.append(
            Instance(
                Kind.BRANCH,
                place,
                condition=condition if held else negate(condition),
                scope=scope,
                frames=frames,
                held=held,
            )
        )
        self.block(taken, (*scope, at))
        old = self.instances[at]
        self.instances[at] = Instance(
            old.kind, old.place, (), old.condition, scope, len(self.instances), frames, held=held
        )


def _assigned(body: list[Stmt]) -> set[str]:
    found: set[str] = set()
    for s in body:
        found |= _assigned(s[2]) | _assigned(s[3]) if s[0] == "if" else {s[1]}
    return found


@st.composite
def failing_paths(draw: st.DrawFn) -> Path:
    """A failing path over unbounded or 8-bit numbers, with given start values or free ones under a precondition."""
    sort = draw(st.sampled_from((INT, 8)))
    free = draw(st.booleans())
    begin = {n: draw(_values) for n in NAMES}
    if sort == 8:
        begin = {n: v & 255 for n, v in begin.items()}
    run = _Run(sort, free, dict(begin))
    body = draw(st.lists(_statements, min_size=1, max_size=5))
    inside = draw(st.booleans()) and body[-1][0] == "if"
    run.block(body, ())
    wanted = run.condition(draw(_conditions))
    check = negate(wanted) if run.holds(wanted) else wanted
    last = len(run.instances)
    scope = tuple(k for k, i in enumerate(run.instances) if inside and i.kind is Kind.BRANCH and i.end == last)
    pre = [run.condition((draw(st.sampled_from(("<=", "=="))), n, draw(_values))) for n in NAMES] if free else []
    values = Evaluator(begin)
    path = Path(
        cells=tuple(run.cell(n) for n in NAMES),
        instances=tuple(run.instances),
        check=check,
        place=Place("f.c", last + 1, 1, "f", "check", "expression", "f.c"),
        pre=conjunction(p for p in pre if values(p)) if free else TRUE,
        scope=scope,
        initial={} if free else begin,
        start=begin,
    )
    return path
