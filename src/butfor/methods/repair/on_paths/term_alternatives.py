"""Alternatives of statements made from their terms, for sources that are terms, such as Boogie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from butfor.logic.sorts import INT
from butfor.logic.terms import Term, arithmetic, binary, compare, const, equal, negate, number, order, rebuild, variable
from butfor.methods.repair.on_paths.repair_program import sites_of
from butfor.methods.repair.on_paths.solution_model import CONDITION, HOLE_PREFIX, Alternative, PathSite
from butfor.methods.repair.slip_library import SYNTHESISED, SlipLibrary
from butfor.path.path_model import Cell, Path
from butfor.path.source_expressions import SourceExpressions
from butfor.trace.view.source_places import Place

MAX_SUBTERMS = 40  # of a statement, that are mutated
MAX_VARIABLES = 12  # for one variable
_OPERATOR_OF_OP = {"add": "+", "sub": "-", "mul": "*", "plus": "+", "minus": "-", "times": "*"}
_BITVECTOR_OPS = {"+": "add", "-": "sub", "*": "mul"}
_INTEGER_OPS = {"+": "plus", "-": "minus", "*": "times"}
WEIGHT_OF_CONSTANT, WEIGHT_OF_SUM = 8.0, 7.0  # of synthesised expressions: below those of most slips

TermPosition = tuple[int, ...]  # the numbers of the arguments to follow from the root


@dataclass(frozen=True, slots=True)
class Mutation:
    """Another term, its kind and weight; mutations with the same `key` do the same to terms of the same shape."""

    key: tuple[TermPosition, str]
    term: Term
    kind: str
    weight: float


def alternatives(paths: Sequence[Path], library: SlipLibrary, *, boogie: bool = True) -> dict[Place, list[Alternative]]:
    """The alternatives of all statements of some paths, the likeliest first."""
    found = {}
    for place, sites in sites_of(paths).items():
        made = [*_mutated(paths, sites, library, boogie), *_templates(paths, sites, boogie)]
        if made:
            found[place] = sorted(made, key=lambda a: -a.weight)
    return found


def _mutated(
    paths: Sequence[Path], sites: Sequence[PathSite], library: SlipLibrary, boogie: bool
) -> Iterator[Alternative]:
    by_key: dict[tuple[int, tuple[TermPosition, str]], dict[PathSite, Term]] = {}
    mutations: dict[tuple[int, tuple[TermPosition, str]], Mutation] = {}
    for site in sites:
        for m in mutations_of(source_term(paths, site), _scope(paths, site), library):
            by_key.setdefault((site[2], m.key), {})[site] = _as_taken(paths, site, m.term)
            mutations.setdefault((site[2], m.key), m)
    for (which, key), terms in by_key.items():
        if len(terms) < sum(site[2] == which for site in sites):
            continue  # it does not fit all instances
        m = mutations[which, key]
        text = _text(paths, next(iter(terms)), m.term, boogie)
        yield Alternative(text, f"`{text}`", m.weight, m.kind, terms)


def _templates(paths: Sequence[Path], sites: Sequence[PathSite], boogie: bool) -> Iterator[Alternative]:
    """Templates with a hole: `c`, and `v + c` for each variable."""
    if any(site[2] == CONDITION for site in sites) or len({site[2] for site in sites}) != 1:
        return
    cells = {_target(paths, site) for site in sites}
    target = next(iter(cells))
    if len(cells) != 1 or not (target.sort == INT or target.sort > 1):
        return
    hole = variable(f"{HOLE_PREFIX}h{sites[0]}", target.sort)
    yield Alternative(
        f"{target.shown} := {{}}",
        "another constant",
        WEIGHT_OF_CONSTANT,
        SYNTHESISED,
        dict.fromkeys(sites, hole),
        hole=hole,
    )
    for cell in _scope(paths, sites[0])[:MAX_VARIABLES]:
        if (cell.sort, cell.type) == (target.sort, target.type):
            moved = variable(f"{HOLE_PREFIX}h{sites[0]}.{cell.name}", target.sort)
            text = f"{target.shown} := {cell.shown} + {{}}"
            yield Alternative(
                text,
                "another sum",
                WEIGHT_OF_SUM,
                SYNTHESISED,
                dict.fromkeys(sites, _sum(cell.term, moved)),
                hole=moved,
            )


def _sum(x: Term, y: Term) -> Term:
    return arithmetic("plus", x, y) if x.width == INT else binary("add", x, y)


def _target(paths: Sequence[Path], site: PathSite) -> Cell:
    return paths[site[0]].instances[site[1]].writes[site[2]][0]


def source_term(paths: Sequence[Path], site: PathSite) -> Term:
    """The term in the source: a condition as written, whatever its outcome was."""
    instance = paths[site[0]].instances[site[1]]
    if site[2] == CONDITION:
        return instance.condition if instance.held else negate(instance.condition)
    term = instance.writes[site[2]][1]
    assert term is not None
    return term


def _as_taken(paths: Sequence[Path], site: PathSite, term: Term) -> Term:
    return negate(term) if site[2] == CONDITION and not paths[site[0]].instances[site[1]].held else term


def _scope(paths: Sequence[Path], site: PathSite) -> list[Cell]:
    """The variables that a statement can name."""
    path = paths[site[0]]
    function = path.instances[site[1]].place.function
    return [c for c in path.cells if c.function in ("", function) and c.shown.isidentifier()]


def _text(paths: Sequence[Path], site: PathSite, term: Term, boogie: bool) -> str:
    shown = SourceExpressions({c.name: c for c in paths[site[0]].cells}, boogie=boogie)(term)
    return shown if site[2] == CONDITION else f"{_target(paths, site).shown} {':=' if boogie else '='} {shown}"


# --- terms ------------------------------------------------------------------------------------------------------------


def mutations_of(term: Term, scope: Sequence[Cell], library: SlipLibrary) -> Iterator[Mutation]:
    """The mutations of a term."""
    cells = {c.name: c for c in scope}
    for count, (position, part) in enumerate(_subterms(term)):
        if count >= MAX_SUBTERMS:
            return
        for what, new, kind, weight in _subterm_mutations(
            part, cells, library, is_value=not position or _is_compared(term, position)
        ):
            yield Mutation((position, what), _with_subterm(term, position, new), kind, weight)


def _subterms(term: Term) -> Iterator[tuple[TermPosition, Term]]:
    """Every subterm with its position; a negated comparison is one subterm."""
    waiting: list[tuple[TermPosition, Term]] = [((), term)]
    while waiting:
        position, part = waiting.pop()
        yield position, part
        inner = _comparison(part)
        below = (*position, 0) if inner is not None and part.op == "not" else position
        args = part.args[0].args if below != position else part.args
        waiting += [((*below, k), a) for k, a in reversed(list(enumerate(args)))]


def _with_subterm(term: Term, position: TermPosition, new: Term) -> Term:
    """The term with another subterm at a position."""
    above = [term]
    for k in position[:-1]:
        above.append(above[-1].args[k])
    for k, t in zip(reversed(position), reversed(above), strict=False):
        new = rebuild(t, (*t.args[:k], new, *t.args[k + 1 :]))
    return new


def _is_compared(term: Term, position: TermPosition) -> bool:
    for k in position[:-1]:
        term = term.args[k]
    return _comparison(term) is not None


def _comparison(t: Term) -> tuple[str, Term, Term] | None:
    """The operator and the sides of a comparison of numbers."""
    negated = t.op == "not"
    inner = t.args[0] if negated else t
    sign = {"lt": "<", "slt": "<", "ult": "<", "le": "<=", "sle": "<=", "ule": "<=", "eq": "=="}.get(inner.op)
    if sign is None or not inner.args[0].width or inner.args[0].width < INT:
        return None
    return ({"<": ">=", "<=": ">", "==": "!="}[sign] if negated else sign), inner.args[0], inner.args[1]


def _compared(sign: str, x: Term, y: Term, old: Term) -> Term:
    """The comparison with another operator, signed or unsigned like the old one."""
    if sign in ("==", "!="):
        return equal(x, y) if sign == "==" else negate(equal(x, y))
    if sign in (">", ">="):
        return _compared({">": "<", ">=": "<="}[sign], y, x, old)
    inner = old.args[0] if old.op == "not" else old
    if x.width == INT:
        return order("lt" if sign == "<" else "le", x, y)
    return compare(("u" if inner.op[0] == "u" else "s") + ("lt" if sign == "<" else "le"), x, y)


def _subterm_mutations(
    part: Term, cells: Mapping[str, Cell], library: SlipLibrary, *, is_value: bool
) -> Iterator[tuple[str, Term, str, float]]:
    found = _comparison(part)
    if found is not None:
        sign, x, y = found
        for new, weight in library.operators.get(sign, {}).items():
            if new in ("<", "<=", ">", ">=", "==", "!="):
                yield new, _compared(new, x, y, part), "operator", weight
        return
    if part.op in _OPERATOR_OF_OP:
        table = _INTEGER_OPS if part.width == INT else _BITVECTOR_OPS
        for new, weight in library.operators.get(_OPERATOR_OF_OP[part.op], {}).items():
            if new in table:
                yield new, _operation(table[new], *part.args), "operator", weight
    if part.op in ("const", "number") and (part.width == INT or part.width > 1):
        yield from _constants(part, library)
    elif is_value and (part.width == INT or part.width > 1):
        one = _literal(1, part.width)
        for sign in "-+":
            yield (
                f"{sign} 1",
                _operation((_INTEGER_OPS if part.width == INT else _BITVECTOR_OPS)[sign], part, one),
                "off-by-one",
                library.kinds["off-by-one"],
            )
    if part.op == "var" and str(part.data) in cells:
        mine = cells[str(part.data)]
        twins = [c for c in cells.values() if c is not mine and (c.sort, c.type) == (mine.sort, mine.type)]
        for other in twins[:MAX_VARIABLES]:
            yield (
                other.name,
                other.term,
                "variable",
                library.variables.get(mine.shown, {}).get(other.shown, library.kinds["variable"]),
            )


def _constants(part: Term, library: SlipLibrary) -> Iterator[tuple[str, Term, str, float]]:
    value = int(part.data or 0)
    value -= 1 << part.width if part.width > 0 and value >> part.width - 1 else 0
    known = {k: w for k, w in library.constants.get(str(value), {}).items() if k.lstrip("-").isdigit()}
    for near in (value - 1, value + 1):
        known.setdefault(str(near), library.kinds["constant-near"])
    for text, weight in known.items():
        yield text, _literal(int(text), part.width), "constant-near", weight


def _literal(value: int, sort: int) -> Term:
    return number(value, INT) if sort == INT else const(value, sort)


def _operation(op: str, x: Term, y: Term) -> Term:
    return arithmetic(op, x, y) if x.width == INT else binary(op, x, y)
