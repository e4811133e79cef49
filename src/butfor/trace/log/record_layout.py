"""The layout of the log's columns, byte for byte as the runtime writes them.

`frontends/c/runtime/rt_log.h` has the same structures in C. Column `seg` has no fixed type: its width depends on the
number of static segments.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np

WINDOW = 1024  # segment instances between two checkpoints
NO_FRAME = 0xFFFFFFFF
NO_SEGMENT = 0xFFFFFFFF  # of the caller of a frame that was under way when the recorded part of a long run began
STDIN_STREAM, NONDET_STREAM = 0, -2  # in `stream` of an input event; __VERIFIER_nondet_* calls have no file
NO_SITE = 0xFFFFFFFF  # of events that a library function caused
ESCAPED = 255  # in column `load`: the writer id stands in column `escape`
FIRST_READ_ID, FIRST_EVENT_ID = 0x80000000, 0xC0000000  # smaller writer ids are stores
BEFORE_ID = FIRST_EVENT_ID | 1 << 3  # the writer of what was there when the recorded part of a long run began
BORN_BEFORE = 1  # flag of an object that was made before the recorded part of a long run
MAX_STORE_BYTES = 16  # a long double; larger objects are copied, or stored in parts
TEXT_ROW_BYTES = 12  # of a text that a library call read or wrote; a longer one has more rows
MAX_TEXT_BYTES = 48  # of such a text; what follows is not kept
_BYVAL_SITES = 1 << 31  # sites from here on are complements of parameter numbers


class EventKind(enum.IntEnum):
    """What a copy or a library call did to a range of memory."""

    COPY = 1
    FILL = 2
    WRITE = 3
    READ_BY_CALL = 4
    CALL = 5
    INPUT = 6
    BIRTH = 7
    BEFORE = 8  # all that happened before the recorded part of a long run


class ReadFlag(enum.IntEnum):
    """Bits of an irregular read: a load of bytes that no single store had left there."""

    UNINIT = 1
    CHANGED = 2
    INITIAL = 4
    FOREIGN = 8


class ObjectKind(enum.IntEnum):
    """Where an object lies; DYNAMIC objects are allocas outside a function's entry block."""

    GLOBAL = 1
    STACK = 2
    HEAP = 3
    DYNAMIC = 4


class ErrorKind(enum.IntEnum):
    """The errors that the runtime notes, whether or not the run survives them."""

    BOUNDS = 1
    FREED = 2
    DOUBLE_FREE = 3
    BAD_FREE = 4
    RETURNED = 5
    OVERLAP = 7
    SCOPE = 8
    MEMBER = 9  # an index outside of a row or a member, perhaps still inside of the object
    SIZE = 10  # of a local array, negative
    OVERFLOW = 11
    SHIFT = 12
    CONVERSION = 13

    @property
    def is_arithmetic(self) -> bool:
        """Whether it is an error of arithmetic; the others are memory errors."""
        return self >= ErrorKind.OVERFLOW


class ColumnCounts(NamedTuple):
    """Entries of the columns that grow with every instruction."""

    loads: int
    stores: int
    bytes: int  # stored
    addresses: int
    words: int


_EVENT_RANGE = [("addr", "<u8"), ("addr2", "<u8"), ("len", "<u4"), ("seg", "<u4"), ("site", "<u4")]
_OBJECT_RANGE = [("start", "<u8"), ("size", "<u8"), ("birth", "<u4"), ("site", "<u4"), ("frame", "<u4")]
_CHECKED_ACCESS = [("addr", "<u8"), ("size", "<u8"), ("load", "<u8"), ("store", "<u8"), ("seg", "<u4")]
_CHECKPOINT = [("loads", "<u8"), ("bytes", "<u8"), ("addresses", "<u8"), ("words", "<u8"), ("stores", "<u4")]
DTYPES: dict[str, Any] = {
    "load": np.dtype("u1"),
    "escape": np.dtype("<u4"),
    "value": np.dtype("u1"),
    "address": np.dtype("<u8"),
    "word": np.dtype("<u8"),
    "frame": np.dtype([("entry", "<u4"), ("caller", "<u4"), ("parent", "<u4"), ("object", "<u4"), ("base", "<u8")]),
    "read": np.dtype(
        [("addr", "<u8"), ("value", "<u8"), ("source", "<u4"), ("seg", "<u4"), ("event", "<u4")]
        + [("size", "u1"), ("flags", "u1"), ("runs", "u1"), ("pad", "u1")]
    ),
    "event": np.dtype(
        [*_EVENT_RANGE, ("run", "<u4"), ("runs", "<u4"), ("kind", "u1"), ("pad", "u1"), ("stream", "<i2")]
    ),
    "run": np.dtype([("offset", "<u4"), ("id", "<u4")]),
    "object": np.dtype([*_OBJECT_RANGE, ("kind", "u1"), ("flags", "u1"), ("pad", "u1", 2)]),
    "death": np.dtype([("object", "<u4"), ("seg", "<u4")]),
    "error": np.dtype(
        [*_CHECKED_ACCESS, ("object", "<u4"), ("kind", "u1"), ("is_write", "u1"), ("pad", "u2"), ("site", "u4")]
    ),
    "output": np.dtype(
        [("offset", "<i8"), ("len", "<u8"), ("seg", "<u4"), ("piece", "<u4"), ("pieces", "<u4"), ("direct", "<u4")]
    ),
    "piece": np.dtype([("start", "<u4"), ("end", "<u4"), ("arg", "<u4")]),
    "text": np.dtype([("event", "<u4"), ("bytes", "u1", TEXT_ROW_BYTES)]),
    "check": np.dtype(
        [*_CHECKPOINT, ("frame", "<u4"), ("frames", "<u4"), ("reads", "<u4"), ("events", "<u4"), ("escapes", "<u4")]
    ),
}
COLUMNS = ("seg", *DTYPES)


def segment_type(segments: int) -> np.dtype[Any]:
    """The type of column `seg` in a program with so many static segments."""
    return np.dtype("<u4") if segments > 0xFFFF else np.dtype("<u2")


def record_number(writer: int) -> int:
    """The number, from 1, of the irregular read or event that a writer id names."""
    return (writer & 0x3FFFFFFF) >> 3


def byval_parameter(site: int) -> int | None:
    """The parameter whose copy an object is: the callee's own copy of a struct that was passed by value."""
    return site ^ 0xFFFFFFFF if site >= _BYVAL_SITES else None
