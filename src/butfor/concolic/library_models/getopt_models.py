"""The getopt family: options that the program knows are given to it."""

from __future__ import annotations

from typing import Any

from butfor.concolic.library_models.input_tokens import text_at
from butfor.concolic.library_models.library_call import Call, Taken
from butfor.concolic.path_condition import Edit
from butfor.concolic.search_inputs import MOST_ARGS, Splice
from butfor.concolic.shadow_state import Shadow
from butfor.ir.machine_types import Type
from butfor.logic.terms import Term


def getopt(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """Each of the options that getopt is told about is given, with an argument if it takes one."""
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
        if after + takes <= MOST_ARGS:
            shadow.edit(Edit(("option", *call.site, word, after), splices))
    return None


def _long_options(shadow: Shadow, table: int) -> list[tuple[bytes, bool]]:
    """Names of the options of getopt_long, and whether they take an argument."""
    out = []
    for k in range(64):
        row = bytes(v or 0 for _, v in shadow.memory.text(table + 32 * k, 32))
        name = text_at(shadow, int.from_bytes(row[:8], "little")) if len(row) == 32 else b""
        if not name:
            break
        out.append((b"--" + name, row[8] == 1))
    return out
