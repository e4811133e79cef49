"""Values of cells in the words of their types."""

from __future__ import annotations

import struct

from butfor.logic.sorts import Value, is_map
from butfor.path.cell_values import shown
from butfor.path.execute.any_value import Other
from butfor.path.path_model import Cell

_CHARS = frozenset(("char", "signed char", "unsigned char"))
_FLOATS = {("float", 32): "<f", ("double", 64): "<d"}


def value_text(cell: Cell, value: Value, sort: int | None = None) -> str:
    """A value of a cell as its language writes it."""
    width = cell.sort if sort is None else sort
    if width <= 0 or cell.type.startswith(("bv", "[")):
        return shown(value, width)
    code = _FLOATS.get((cell.type, width))
    if code is not None:
        return repr(struct.unpack(code, int(value).to_bytes(width // 8, "little"))[0])
    if cell.type in _CHARS and 32 <= value < 127:
        return repr(chr(value)) if chr(value) != "'" else r"'\''"
    if cell.type.endswith("*"):
        return hex(value) if value else "NULL"
    return str(value - (1 << width) if cell.signed and value >> width - 1 else value)


def other_text(other: Other) -> str:
    """Another value, with what gets it: `a[3] = 8`."""
    name, sort = other.cell.shown, other.cell.sort
    for index in other.indexes:
        assert is_map(sort)
        name += f"[{shown(index, sort.index)}]"
        sort = sort.value
    return f"{name} = {value_text(other.cell, other.value, other.sort)}"
