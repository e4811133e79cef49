"""Small programs run by an interpreter of their own, as they are or with anything in them changed.

It shares nothing with butfor: the answers are checked against it. It is itself compared with gcc.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.claims.compile_program import compiled
from tests.claims.compiled_machine import CompiledMachine
from tests.claims.machine import Machine
from tests.claims.run_model import NO_CHANGES, Changes, Run
from tests.claims.small_program import Program


def run_program(program: Program, inputs: Sequence[int], changes: Changes = NO_CHANGES) -> Run:
    """How a program ends with these inputs."""
    if not (changes.values or changes.places or changes.operations or changes.calls):
        bodies = compiled(program)
        if bodies is not None:
            return CompiledMachine(program, inputs, changes, bodies).run()
    return Machine(program, inputs, changes).run()


def all_inputs(program: Program) -> list[tuple[int, ...]]:
    """Every combination of inputs, as the program reads them: `getchar` gives the code of a digit."""
    first = ord("0") if program.style == "getchar" else 0
    found: list[tuple[int, ...]] = [()]
    for size in program.domains:
        found = [(*prefix, first + value) for prefix in found for value in range(size)]
    return found
