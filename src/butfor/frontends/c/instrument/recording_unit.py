"""One unit of a program rewritten to record itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_module import RUNTIME_HOOKS, label_addresses, rewritten_functions
from butfor.frontends.c.instrument.unit_text import (
    OBJECT,
    SEGMENT,
    OtherUnits,
    foreign_functions,
    number,
    numbered_objects,
    symbols_of,
    unit_program,
    unit_text,
)


@dataclass(frozen=True, slots=True)
class RecordingUnit:
    """The rewritten text and the segment table; the names of the objects and labels that it numbers, in their order."""

    text: str
    table: NDArray[np.int32]
    objects: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]


def recording_unit(module: CModule, others: OtherUnits, models: frozenset[str]) -> RecordingUnit:
    """The unit that records itself."""
    program = unit_program(module, others)
    wrapped = frozenset(name for name in foreign_functions(module, others) if name in models)
    objects, labels = numbered_objects(program), program.label_table
    head = (RUNTIME_HOOKS, *([label_addresses(labels, "hidden")] if labels else []))
    lines, table = rewritten_functions(module, program, wrapped, objects, lambda row: number(f"{SEGMENT}{row}"), head)
    symbols = (*symbols_of(OBJECT, len(objects)), *symbols_of(SEGMENT, len(table)))
    text = unit_text(module, others, lines, symbols, {name: f"__bf_w_{name}" for name in wrapped})
    return RecordingUnit(text, table, tuple(objects), labels)
