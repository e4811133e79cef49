"""Memory as bytes that are known or not, in pages."""

from __future__ import annotations

_PAGE = 4096  # bytes; a page is made when a byte of it is first written


class ByteMemory:
    """Bytes by address; a byte is known or not."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[bytearray, bytearray]] = {}

    def _parts(self, address: int, size: int) -> list[tuple[int, int, int]]:
        out = []
        while size > 0:
            offset = address % _PAGE
            count = min(size, _PAGE - offset)
            out.append((address // _PAGE, offset, count))
            address += count
            size -= count
        return out

    def write(self, address: int, data: bytes) -> None:
        """Store bytes."""
        done = 0
        for page, offset, count in self._parts(address, len(data)):
            values, known = self._pages.setdefault(page, (bytearray(_PAGE), bytearray(_PAGE)))
            values[offset : offset + count] = data[done : done + count]
            known[offset : offset + count] = b"\1" * count
            done += count

    def forget(self, address: int, size: int) -> None:
        """Make bytes unknown."""
        for page, offset, count in self._parts(address, size):
            found = self._pages.get(page)
            if found is not None:
                found[1][offset : offset + count] = bytes(count)

    def read(self, address: int, size: int) -> bytes | None:
        """The bytes, or None when one of them is not known."""
        out = b""
        for page, offset, count in self._parts(address, size):
            found = self._pages.get(page)
            if found is None or 0 in found[1][offset : offset + count]:
                return None
            out += bytes(found[0][offset : offset + count])
        return out

    def copy(self, to: int, source: int, size: int) -> None:
        """Copy bytes, known and unknown alike, as memmove does."""
        values, known = bytearray(), bytearray()
        for page, offset, count in self._parts(source, size):
            found = self._pages.get(page)
            values += found[0][offset : offset + count] if found else bytes(count)
            known += found[1][offset : offset + count] if found else bytes(count)
        done = 0
        for page, offset, count in self._parts(to, size):
            mine = self._pages.setdefault(page, (bytearray(_PAGE), bytearray(_PAGE)))
            mine[0][offset : offset + count] = values[done : done + count]
            mine[1][offset : offset + count] = known[done : done + count]
            done += count
