"""ELF object files: exported symbols, renaming of symbols, the code of each function."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import numpy as np

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_SYMTAB, _RELA, _UNDEFINED, _GLOBAL, _WEAK = 2, 4, 0, 1, 2


def exported(data: bytes) -> set[str]:
    """The names that an object defines for the linker."""
    return {
        name for _, name, symbol in _symbols(data) if symbol[1] >> 4 in (_GLOBAL, _WEAK) and symbol[3] != _UNDEFINED
    }


def renamed(data: bytes, names: Mapping[str, str]) -> bytes:
    """The object with other names for its global symbols, those it defines and those it needs."""
    new: dict[int, str] = {}
    for at, name, symbol in _symbols(data):
        if name in names and symbol[1] >> 4 in (_GLOBAL, _WEAK):
            new[at] = names[name]
    if not new:
        return data
    out = bytearray(data)
    header, section = _string_table(data)
    strings = bytearray(data[section[4] : section[4] + section[5]])
    for at, name in new.items():
        struct.pack_into("<I", out, at, len(strings))
        strings += name.encode() + b"\0"
    _SECTION.pack_into(out, header, *section[:4], len(out), len(strings), *section[6:])
    return bytes(out + strings)


_NONE, _BYTES_OF_NUMBER = 0, {1: 8, 10: 4, 11: 4}  # by the kind of a relocation: R_X86_64_64, _32, _32S
_ABSOLUTE = 0xFFF1
_RELOCATIONS = np.dtype([("at", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("plus", "<i8")])


def numbered(data: bytes, numbers: Mapping[str, int]) -> bytes:
    """The object with the values of symbols that stand for numbers written into its code and data.

    A linker could do that from symbols with these values, but GNU ld refuses them in programs that can be anywhere.
    """
    symbols = list(_symbols(data))
    values = np.zeros(len(symbols), dtype=np.int64)
    is_number = np.zeros(len(symbols), dtype=bool)
    out = bytearray(data)
    for k, (at, name, symbol) in enumerate(symbols):
        if name in numbers:
            values[k], is_number[k] = numbers[name], True
            # What nobody refers to any more may be left, but not undefined.
            _SYMBOL.pack_into(out, at, symbol[0], _WEAK << 4, symbol[2], _ABSOLUTE, 0, 0)
    sections = [s for _, s in _sections(data)]
    for s in sections:
        if s[1] != _RELA:
            continue
        rows = np.frombuffer(out, _RELOCATIONS, s[5] // _RELOCATIONS.itemsize, s[4])
        mine = np.flatnonzero(is_number[rows["symbol"]])
        start = sections[s[7]][4]
        for kind in np.unique(rows["kind"][mine]):
            size = _BYTES_OF_NUMBER.get(int(kind))
            if size is None:
                raise ValueError(f"a number has a relocation of kind {kind}")
            chosen = mine[rows["kind"][mine] == kind]
            places = start + rows["at"][chosen].astype(np.int64)
            found = (values[rows["symbol"][chosen]] + rows["plus"][chosen]).astype(f"<i{size}")
            code = np.frombuffer(out, np.uint8)
            code[places[:, None] + np.arange(size)] = found.view(np.uint8).reshape(-1, size)
        rows["kind"][mine], rows["symbol"][mine] = _NONE, 0
    return bytes(out)


def code_of(data: bytes) -> dict[str, bytes]:
    """The code of each function of an object compiled with one section per function; equal code does the same."""
    sections = [s for _, s in _sections(data)]
    symbols = [(name, s) for _, name, s in _symbols(data)]
    texts: dict[int, list[bytes]] = {}
    for s in sections:
        if s[1] != _RELA:
            continue
        rows = [_RELOCATION.unpack_from(data, at) for at in range(s[4], s[4] + s[5], _RELOCATION.size)]
        texts[s[7]] = [
            repr((at, info & 0xFFFFFFFF, _named(symbols[info >> 32]), plus)).encode() for at, info, plus in rows
        ]
    code = {}
    for name, symbol in symbols:
        if name and symbol[1] & 15 == 2 and symbol[3] < len(sections):
            s = sections[symbol[3]]
            code[name] = b"\n".join((data[s[4] : s[4] + s[5]], *texts.get(symbol[3], ())))
    return code


def _named(symbol: tuple[str, tuple[int, ...]]) -> object:
    """What a relocation points to, the same in all functions: a name, else a section."""
    return symbol[0] or symbol[1][3]


def _sections(data: bytes) -> list[tuple[int, tuple[int, ...]]]:
    """Each section header with where it stands."""
    head = _HEADER.unpack_from(data)
    return [
        (head[6] + k * _SECTION.size, _SECTION.unpack_from(data, head[6] + k * _SECTION.size)) for k in range(head[12])
    ]


def _string_table(data: bytes) -> tuple[int, tuple[int, ...]]:
    """The section with the names of symbols."""
    sections = _sections(data)
    table = next(s for _, s in sections if s[1] == _SYMTAB)
    return sections[table[6]]


def _symbols(data: bytes) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Each symbol: where it stands, its name, its fields."""
    sections = _sections(data)
    table = next((s for _, s in sections if s[1] == _SYMTAB), None)
    if table is None:
        return
    strings = sections[table[6]][1][4]
    for at in range(table[4], table[4] + table[5], _SYMBOL.size):
        symbol = _SYMBOL.unpack_from(data, at)
        start = strings + symbol[0]
        yield at, data[start : data.index(b"\0", start)].decode("utf-8", "surrogateescape"), symbol
