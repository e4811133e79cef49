"""Whether a sequence of invariants is one: asked anew, by a solver that had no part in making it."""

from __future__ import annotations

from butfor.logic.terms import conjunction, negate
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.literal_interpolants import Atoms


def is_inductive(chain: Chain, rows: tuple[Atoms, ...], questions: Questions) -> bool:
    """Whether the start gives the first, each gives the next over its step, and the last contradicts the goal.

    Then each follows from all before it and contradicts all after it.
    """
    if len(rows) != len(chain) + 1:
        return False
    first = conjunction(chain.put(a, 0) for a in rows[0])
    if not questions.impossible(chain.pre, negate(first)):
        return False
    ends = (*rows[1:], ())
    return all(questions.leads(chain, p, rows[p], ends[p]) for p in range(len(chain) + 1))


def is_error_invariant(chain: Chain, position: int, atoms: Atoms, questions: Questions) -> bool:
    """Both checks of the definition."""
    whole = conjunction(atoms)
    return questions.follows(chain, position, whole) and questions.contradicts(chain, position, whole)
