"""Model of the getopt family: options that the program knows are put into its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butfor.concolic.library_models.input_tokens import text_at
from butfor.concolic.path_condition import InputEdit
from butfor.concolic.search_inputs import MAX_ARGUMENTS, Splice
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Type
from butfor.logic.terms import Term

_OPTION_BYTES = 32  # sizeof(struct option)
_MAX_LONG_OPTIONS = 64  # of a table that should end earlier


def getopt(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; propose each option that getopt knows, with an argument if it takes one."""
    shadow.reads.add("args")
    shadow.gaps.add(f"the function {call.name}()")
    if len(call.args) < 3 or not isinstance(call.args[2], int):
        return None
    letters = text_at(shadow, call.args[2]).lstrip(b"+-:")
    words = [
        (b"-" + letters[k : k + 1], letters[k + 1 : k + 2] == b":")
        for k in range(len(letters))
        if letters[k : k + 1] != b":"
    ]
    if len(call.args) > 3 and isinstance(call.args[3], int):
        words += _long_options(shadow, call.args[3])
    after = len(shadow.given.args) + 1
    for word, takes in words:
        splices = (Splice(after, 0, 1, word), *((Splice(after + 1, 0, 1, b"1"),) if takes else ()))
        if after + takes <= MAX_ARGUMENTS:
            shadow.edit(InputEdit(("option", *call.site, word, after), splices))
    return None


def _long_options(shadow: Shadow, table: int) -> list[tuple[bytes, bool]]:
    """The names of the options of getopt_long, and whether they take an argument."""
    out = []
    for k in range(_MAX_LONG_OPTIONS):
        row = bytes(v or 0 for _, v in shadow.memory.text(table + _OPTION_BYTES * k, _OPTION_BYTES))
        name = text_at(shadow, int.from_bytes(row[:8], "little")) if len(row) == _OPTION_BYTES else b""
        if not name:
            break
        out.append((b"--" + name, row[8] == 1))
    return out
