"""Ways to an inductive sequence of invariants; of the sequences that pass the checks the one that reads best is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.terms import Term, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.inductiveness import is_inductive
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.literal_interpolants import Invariants, Literals
from butfor.methods.error_invariants.recorded_invariants import recorded
from butfor.methods.error_invariants.spacer_invariants import spacer

Text = Callable[[Term], str]
Engine = Callable[[Chain, Questions, Text], Invariants | None]


def literals(chain: Chain, questions: Questions, text: Text) -> Invariants | None:
    """Values, bounds and conditions, from the end backwards."""
    return Literals(chain, questions, text).sequence()


def weakest(chain: Chain, questions: Questions, text: Text) -> Invariants | None:
    """Weakest preconditions, whatever their size; None where one speaks of a cell that a statement left out of the chain assigns in between."""
    made = Literals(chain, questions, text, values=False).sequence()
    return made if made is not None and _is_unbroken(chain, made) else None


def _is_unbroken(chain: Chain, made: Invariants) -> bool:
    """Whether every cell that an invariant speaks of is still what the step before it left."""
    for p, step in enumerate(chain.steps):
        now = chain.versions(p + 1)
        if any(
            step.after[name] is not now[name]
            for v in variables(made.atoms[p + 1])
            if (name := str(v.data)) in step.after
        ):
            return False
    return True


ENGINES: Mapping[str, Engine] = {"literals": literals, "weakest precondition": weakest, "spacer": spacer}
_LAST_RESORT = ("spacer",)  # slow: asked when nothing else gave an answer


def best(chain: Chain, questions: Questions, text: Text) -> Invariants | None:
    """The sequence that reads best among those that are right, else the values of the run; None when no engine gave one."""
    made = [
        m
        for name, engine in ENGINES.items()
        if name not in _LAST_RESORT and (m := engine(chain, questions, text)) is not None
    ]
    made.sort(key=lambda m: cost(m, text))
    for candidate in made:
        if is_inductive(chain, candidate.atoms, questions):
            return candidate
    plain = recorded(chain)
    if plain is not None:
        return plain
    for name in _LAST_RESORT:
        last = ENGINES[name](chain, questions, text)
        if last is not None and is_inductive(chain, last.atoms, questions):
            return last
    return None


def cost(sequence: Invariants, text: Text) -> tuple[int, int]:
    """How hard a sequence is to read: the number of its atoms, then their length."""
    atoms = [a for row in sequence.atoms for a in row]
    texts = {a: len(text(a)) for a in set(atoms)}
    return len(atoms), sum(texts[a] for a in atoms)
