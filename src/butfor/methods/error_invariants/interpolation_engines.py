"""Engines that compute an inductive sequence of invariants; the most readable valid one is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import NORMAL_FORM, Simplifier
from butfor.logic.solvers.solver import Limit
from butfor.logic.solvers.spacer_interpolation import interpolants
from butfor.logic.sorts import INT
from butfor.logic.substitute import Substitution
from butfor.logic.terms import Term, conjuncts, variable, variables
from butfor.methods.error_invariants.core_trace import CoreTrace, variable_names
from butfor.methods.error_invariants.inductive_sequence import (
    Atoms,
    InterpolationQueries,
    InvariantSequence,
    is_inductive,
)
from butfor.methods.error_invariants.literal_interpolants import LiteralInterpolation
from butfor.methods.error_invariants.recorded_invariants import recorded_values
from butfor.path.path_formula import is_flag

Text = Callable[[Term], str]
Engine = Callable[[CoreTrace, InterpolationQueries, Text], InvariantSequence | None]

MAX_SPACER_STEPS = 60  # on longer cores Spacer runs into its time limit
MAX_SPACER_SECONDS = 5.0  # it answers fast or hardly at all


def literal_sequence(core: CoreTrace, queries: InterpolationQueries, text: Text) -> InvariantSequence | None:
    """Invariants of values, bounds and conditions, from the end backwards."""
    return LiteralInterpolation(core, queries, text).sequence()


def weakest_preconditions(core: CoreTrace, queries: InterpolationQueries, text: Text) -> InvariantSequence | None:
    """Weakest preconditions, whatever their size.

    None where one mentions a cell that a statement outside of the core assigns in between.
    """
    made = LiteralInterpolation(core, queries, text, values=False).sequence()
    return made if made is not None and is_unbroken(core, made) else None


def is_unbroken(core: CoreTrace, made: InvariantSequence) -> bool:
    """Whether every cell of an invariant is still as the step before the invariant left it."""
    for p, step in enumerate(core.steps):
        now = core.versions(p + 1)
        if any(
            step.after[name] is not now[name]
            for v in variables(made.atoms[p + 1])
            if (name := str(v.data)) in step.after
        ):
            return False
    return True


def spacer_sequence(core: CoreTrace, queries: InterpolationQueries, text: Text) -> InvariantSequence | None:
    """The interpolants that z3's Spacer finds; None for maps and reals, for long cores, and when it takes too long."""
    layers = [(core.pre,), *(s.terms for s in core.steps), (core.check,)]
    if len(core) > MAX_SPACER_STEPS or any(v.width < INT for layer in layers for v in variables(layer)):
        return None
    shared = [_shared(layers, k) for k in range(1, len(layers))]
    limit = Limit.after(min(MAX_SPACER_SECONDS, queries.limit.left), queries.limit.is_cancelled)
    found = interpolants(layers, shared, limit)
    if found is None:
        return None
    form = LiteralInterpolation(core, queries, text, values=False)
    rows = [_over_cells(core, p, term) for p, term in enumerate(found)]
    raw = tuple(r for r in rows if r is not None)
    if len(raw) < len(rows):
        return None
    tidy = tuple(form.tidy(p, r) for p, r in enumerate(raw))  # each by itself: together they may be too weak
    return next((InvariantSequence(a, "spacer") for a in (tidy, raw) if is_inductive(core, a, queries)), None)


def _shared(layers: list[tuple[Term, ...]], border: int) -> list[Term]:
    """The variables that occur on both sides of a border between layers."""
    after = set(variables(t for layer in layers[border:] for t in layer))
    return [v for v in variables(t for layer in layers[:border] for t in layer) if v in after]


def _over_cells(core: CoreTrace, p: int, term: Term) -> Atoms | None:
    """An interpolant over versions as atoms over cells; None when it mentions a version that is not the current one."""
    back: Mapping[str, Term] = {str(v.data): variable(name, v.width) for name, v in core.versions(p).items()}
    if any(str(v.data) not in back and not is_flag(v) for v in variables((term,))):
        return None
    simple = Simplifier(NORMAL_FORM)(Substitution(back)(term))
    return tuple(a for a in conjuncts(simple) if variable_names(a) or not Evaluator({})(a))


ENGINES: Mapping[str, Engine] = {
    "literals": literal_sequence,
    "weakest precondition": weakest_preconditions,
    "spacer": spacer_sequence,
}
_LAST_RESORT = ("spacer",)  # slow: asked when nothing else gave an answer


def best_sequence(core: CoreTrace, queries: InterpolationQueries, text: Text) -> InvariantSequence | None:
    """The most readable of the sequences that are inductive, else the recorded values; None when no engine has any."""
    made = [
        m
        for name, engine in ENGINES.items()
        if name not in _LAST_RESORT and (m := engine(core, queries, text)) is not None
    ]
    made.sort(key=lambda m: reading_cost(m, text))
    for candidate in made:
        if is_inductive(core, candidate.atoms, queries):
            return candidate
    plain = recorded_values(core)
    if plain is not None:
        return plain
    for name in _LAST_RESORT:
        last = ENGINES[name](core, queries, text)
        if last is not None and is_inductive(core, last.atoms, queries):
            return last
    return None


def reading_cost(sequence: InvariantSequence, text: Text) -> tuple[int, int]:
    """How hard a sequence is to read: the number of its atoms, then their length."""
    atoms = [a for row in sequence.atoms for a in row]
    texts = {a: len(text(a)) for a in set(atoms)}
    return len(atoms), sum(texts[a] for a in atoms)
