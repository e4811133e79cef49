"""All statements of the program that assign one variable or one member of a struct."""

from __future__ import annotations

from butfor.ir.instructions import Function, Operand
from butfor.ir.recording_segments import variable_and_offset
from butfor.origins.run_words import RunWords
from butfor.trace.view.source_places import Place

Cell = tuple[str, int | str, int]  # a variable (its function, its slot or name) or a member (its struct), and an offset


def cell_of(words: RunWords, fn: Function, address: Operand) -> Cell | None:
    """The variable or the member that an address operand stands for; None where it may be one of several."""
    known = variable_and_offset(fn, address, words.trace.program.layout(fn.name).frame)
    if known is not None:
        return ("" if isinstance(known[0], str) else fn.name, known[0], known[1])
    found = words.steps.accesses.types.of(fn, address)
    if found is None or found[0].kind != "struct" or not found[0].text:
        return None
    return ("member", found[0].text, found[1])


def assignments_of(words: RunWords, cell: Cell) -> list[Place]:
    """The statements of executed functions, and of the others, that assign a cell by name."""
    found: dict[tuple[str, int], Place] = {}
    names = [cell[0]] if cell[0] not in ("", "member") else list(words.trace.program.source.function_names())
    for name in names:
        if not words.trace.program.defines(name):
            continue
        fn = words.trace.program.function(name)
        for instr in fn.instrs:
            if instr.op != "store" or fn.is_parameter(instr.args[0]) or cell_of(words, fn, instr.args[1]) != cell:
                continue
            place = words.places.of_instr(fn, instr)
            if place is not None:
                found.setdefault((place.path, place.line), place)
    return list(found.values())
