"""Interpolants by z3's Spacer, brought back to cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.rewrite import Simplifier, Substitution
from butfor.logic.solvers.solver import Limit
from butfor.logic.solvers.spacer_interpolation import interpolants
from butfor.logic.sorts import INT
from butfor.logic.terms import Evaluator, Term, variable, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.inductiveness import is_inductive
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.literal_interpolants import Atoms, Invariants, Literals
from butfor.methods.error_invariants.step_actions import conjuncts, is_flag

_MOST = 60  # steps; beyond, Spacer takes too long
_SECONDS = 5.0


def spacer(chain: Chain, questions: Questions, text: Callable[[Term], str]) -> Invariants | None:
    """The sequence that Spacer finds; None for maps and reals, for long chains, and when it takes too long."""
    layers = [(chain.pre,), *(s.terms for s in chain.steps), (chain.check,)]
    if len(chain) > _MOST or any(v.width < INT for layer in layers for v in variables(layer)):
        return None
    shared = [_shared(layers, k) for k in range(1, len(layers))]
    limit = Limit.after(min(_SECONDS, questions.limit.left), questions.limit.is_cancelled)
    found = interpolants(layers, shared, limit)
    if found is None:
        return None
    form = Literals(chain, questions, text, values=False)
    rows = [_atoms(chain, p, term) for p, term in enumerate(found)]
    raw = tuple(r for r in rows if r is not None)
    if len(raw) < len(rows):
        return None
    tidy = tuple(form.tidy(p, r) for p, r in enumerate(raw))  # each by itself, so together they may say too little
    return next((Invariants(atoms, "spacer") for atoms in (tidy, raw) if is_inductive(chain, atoms, questions)), None)


def _shared(layers: list[tuple[Term, ...]], border: int) -> list[Term]:
    after = set(variables(t for layer in layers[border:] for t in layer))
    return [v for v in variables(t for layer in layers[:border] for t in layer) if v in after]


def _atoms(chain: Chain, p: int, term: Term) -> Atoms | None:
    """An answer over versions as atoms over cells; None when it speaks of a version that is not the current one."""
    back: Mapping[str, Term] = {str(v.data): variable(name, v.width) for name, v in chain.versions(p).items()}
    if any(str(v.data) not in back and not is_flag(v) for v in variables((term,))):
        return None
    plain = Simplifier()(Substitution(back)(term))
    return tuple(a for a in conjuncts(plain) if variables((a,)) or not Evaluator({})(a))
