"""Symbolic memory of the forward pass: terms of bytes that depend on the input, values of the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from butfor.logic.byte_rules import simple_concat, simple_extract
from butfor.logic.terms import Term, const
from butfor.trace.replay.byte_memory import ByteMemory
from butfor.trace.semantics.instruction_semantics import SemanticsError, to_bytes
from butfor.trace.trace import Trace

_MAX_INITIALIZER_BYTES = 1 << 16  # of a global whose initial value is used; larger ones are mostly zero
_MAX_CHECKED_BYTES = 1 << 20  # of a range that is searched for terms


class ShadowMemory:
    """Terms and known bytes by address."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known = ByteMemory()
        self.terms: dict[int, tuple[Term, int]] = {}  # with the value in this run
        self._initial_images: dict[str, bytes] = {}

    def clear(self, address: int, size: int) -> None:
        """Drop the terms of these bytes."""
        if not self.terms:
            return
        if size > len(self.terms):
            for a in [a for a in self.terms if address <= a < address + size]:
                del self.terms[a]
            return
        for a in range(address, address + size):
            self.terms.pop(a, None)

    def forget(self, address: int, size: int) -> None:
        """Drop the terms and values of these bytes."""
        self.clear(address, size)
        self.known.forget(address, size)

    def write(self, address: int, data: bytes, term: Term | None = None) -> None:
        """Store a value, with its term if it depends on the input."""
        self.known.write(address, data)
        if term is None:
            self.clear(address, len(data))
            return
        for k, value in enumerate(data):
            byte = simple_extract(term, 8 * k, 8)
            if byte.op == "const":
                self.terms.pop(address + k, None)
            else:
                self.terms[address + k] = byte, value

    def copy(self, to: int, source: int, size: int) -> None:
        """Copy bytes and their terms as memmove does."""
        found = [(a - source, self.terms[a]) for a in self._symbolic_addresses(source, size)]
        self.known.copy(to, source, size)
        self.clear(to, size)
        for k, byte in found:
            self.terms[to + k] = byte

    def _symbolic_addresses(self, address: int, size: int) -> list[int]:
        if size > len(self.terms):
            return [a for a in self.terms if address <= a < address + size]
        return [a for a in range(address, address + size) if a in self.terms]

    def is_symbolic(self, address: int, size: int) -> bool:
        """Whether some of the bytes depend on the input."""
        return bool(self.terms) and bool(self._symbolic_addresses(address, min(size, _MAX_CHECKED_BYTES)))

    def loaded(self, address: int, data: bytes) -> Term | None:
        """The term of loaded bytes, None when they do not depend on the input.

        Bytes that are not those that were stored count as constants.
        """
        terms = self.terms
        if not any(address + k in terms for k in range(len(data))):
            return None
        parts, is_open = [], False
        for k, value in enumerate(data):
            found = terms.get(address + k)
            is_same = found is not None and found[1] == value
            parts.append(found[0] if found is not None and is_same else const(value, 8))
            is_open = is_open or is_same
        return simple_concat(parts) if is_open else None

    def byte(self, address: int) -> tuple[Term | None, int | None]:
        """The term of a byte, if it depends on the input, and its value, if that is known."""
        found = self.terms.get(address)
        if found is not None:
            return found
        data = self.known.read(address, 1)
        if data is None:
            data = self._initial_byte(address)
        return None, data[0] if data else None

    def text(self, address: int, max_bytes: int) -> Iterator[tuple[Term | None, int | None]]:
        """The bytes from an address on, up to the first unknown one, at most `max_bytes`."""
        for k in range(max_bytes):
            byte = self.byte(address + k)
            yield byte
            if byte[1] is None:
                return

    @cached_property
    def _globals(self) -> tuple[list[int], list[tuple[str, int]]]:
        addresses = self.trace.addresses
        rows = sorted((addresses[n], n, size) for n, size in self.trace.program.global_table if size and n in addresses)
        return [start for start, _, _ in rows], [(n, size) for _, n, size in rows]

    def _initial_byte(self, address: int) -> bytes | None:
        starts, rows = self._globals
        k = bisect_right(starts, address) - 1
        if k < 0 or address >= starts[k] + rows[k][1] or rows[k][1] > _MAX_INITIALIZER_BYTES:
            return None
        name = rows[k][0]
        image = self._initial_images.get(name)
        if image is None:
            variable = self.trace.program.source.global_variables()[name]
            try:
                image = b"" if variable.init is None else to_bytes(self.trace.constant(variable.init), variable.type)
            except (SemanticsError, KeyError, ValueError, TypeError):
                image = b""
            self._initial_images[name] = image
        at = address - starts[k]
        return image[at : at + 1]
