"""Boogie programs in tests: explored, and their paths run again."""

from __future__ import annotations

from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.explore_paths import Exploration, explore
from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import Value
from butfor.logic.terms import variables
from butfor.path.path_model import Kind, Path

FILE = "prog.bpl"


def unit_of(source: str | bytes) -> TranslationUnit:
    """The checked program."""
    return TranslationUnit(BoogieText.of(FILE, source if isinstance(source, bytes) else source.encode()))


def explored(source: str, entry: str | None = None, bound: int = 8) -> Exploration:
    """What exploration finds; each path found is checked."""
    unit = unit_of(source)
    found = explore(unit, unit.entry(entry), bound, 60.0)
    for failure in found.failures:
        check_path(failure.path)
    return found


def shape(path: Path) -> str:
    """The kinds and lines of the instances."""
    return ", ".join(f"{i.kind.value} {i.place.line}" for i in path.instances)


def check_path(path: Path) -> None:
    """Nothing; fails when the values of the path are not those of an execution along it that violates its check."""
    names = {c.name for c in path.cells}
    values: dict[str, Value] = dict(path.start)
    assert Evaluator(values)(path.pre)
    roots = [path.pre, path.check]
    for position, i in enumerate(path.instances):
        assert Evaluator(values)(i.condition), f"the condition of instance {position} does not hold"
        roots += [i.condition, *(t for _, t in i.writes if t is not None)]
        new = {c.name: i.recorded[c.name] if t is None else Evaluator(values)(t) for c, t in i.writes}
        assert new == dict(i.recorded)
        values |= new
        assert names >= {c.name for c, _ in i.writes} | {c.name for c in i.frames}
        _check_scope(path, position)
    assert not Evaluator(values)(path.check)
    assert names >= {str(v.data) for v in variables(roots)}
    assert all(
        path.instances[p].kind is Kind.BRANCH and path.instances[p].end == len(path.instances) for p in path.scope
    )


def _check_scope(path: Path, position: int) -> None:
    """The branches around an instance are those whose arms hold it, outermost first."""
    i = path.instances[position]
    around = tuple(k for k, b in enumerate(path.instances[:position]) if b.kind is Kind.BRANCH and k < position < b.end)
    assert i.scope == around
    assert (i.kind is Kind.BRANCH) == (i.end > position)
