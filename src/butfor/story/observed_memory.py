"""What memory is known to hold after each step of the story, from its loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.ir.debug_types import CType
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import Kind, store_size
from butfor.run_story import CallFrame, CellChange, MemoryObject
from butfor.trace.log.record_layout import NO_FRAME, EventKind, ObjectKind
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.access_names import Accesses
from butfor.trace.view.object_parts import smallest_part
from butfor.trace.view.run_objects import RunObject, RunObjects
from butfor.trace.view.source_places import Places

_WRITING = (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT)
_WHERE: dict[int, str] = {
    ObjectKind.GLOBAL: "global",
    ObjectKind.STACK: "stack",
    ObjectKind.DYNAMIC: "stack",
    ObjectKind.HEAP: "heap",
}
_BUCKET_BITS = 4  # cells are found by the 16 bytes of their object that they lie in
_MAX_OBJECTS = 2000  # a picture of memory with more cannot be read
_MAX_BUCKETS_OF_WRITE = 4096  # 64 kB; cells that a larger write overlaps beyond them keep their values
_MAX_ERRORS = 1000  # of the log: the story has a bad access or two
_MAX_CALLERS_TOLD = 8  # frames noted around a call; of deep recursion the outer ones are left out
_MAX_VALUE_CHARS = 60  # of one cell's value

ObjectKey = tuple[
    int, int, int
]  # number of the object, frame, start: a variable that is no object of its own has number 0


class ObservedMemory:
    """The objects that the story has met, and the cells of them that it has seen read or written."""

    def __init__(self, places: Places, objects: RunObjects, accesses: Accesses) -> None:
        self.places = places
        self.objects = objects
        self.accesses = accesses
        self.trace = places.trace
        self.log = self.trace.log
        self._errors = {
            (int(e["seg"]), int(e["addr"])): int(e["object"]) for e in self.log.error[:_MAX_ERRORS] if int(e["object"])
        }
        self.met: list[MemoryObject] = []
        self.freed_in: list[int] = []  # for each object met, the segment instance that freed it, or -1
        self.frames: dict[int, CallFrame] = {}
        self._numbers: dict[ObjectKey, int] = {}
        self._cells: dict[tuple[int, str], bytes] = {}
        self._types: dict[int, CType] = {}  # heap block -> what it was used as
        # (object, bucket of it) -> path of a cell -> its offset and size
        self._buckets: dict[tuple[int, int], dict[str, tuple[int, int]]] = {}

    def access(self, node: Node, instr: Instr) -> Iterator[CellChange]:
        """What a load or a store shows about memory, where that is new."""
        is_load = instr.op == "load"
        operand, t = (instr.args[0], instr.type) if is_load else (instr.args[1], instr.detail)
        try:
            address = int(self.trace.operand(node[0], operand))
            data = self.trace.loaded_bytes(node) if is_load else self.trace.stored_bytes(node)
        except UnknownValue:
            return
        if not data or len(data) < store_size(t):
            return
        found = self._object_at(address, node[0])
        if found is None:
            return
        number, o, _ = found
        path = self._path(node[0], operand, o, address, len(data))
        if path is None:
            return
        start = address - o.start
        for bucket in range(start >> _BUCKET_BITS, (start + len(data) - 1 >> _BUCKET_BITS) + 1):
            self._buckets.setdefault((number, bucket), {})[path] = (start, len(data))
        if not is_load:
            yield from self._overlapped(number, path, start, len(data))
        if self._cells.get((number, path)) == data:
            return  # also what a pointer points to stays: the memory there may be that of another block by now
        self._cells[number, path] = data
        text = self.accesses.value_text(node[0], operand, t, data, self.places.lvalue_text(instr) if is_load else None)
        target = -1
        if t.kind is Kind.PTR:
            pointed = self._object_at(int.from_bytes(data, "little"), node[0])
            target = -1 if pointed is None else pointed[0]
        text = text if len(text) <= _MAX_VALUE_CHARS else text[: _MAX_VALUE_CHARS - 1] + "…"
        yield CellChange(number, path, text, target)

    def written_by_call(self, i: int) -> Iterator[CellChange]:
        """The cells that library code wrote in a segment instance: what they hold is unknown until they are read."""
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["kind"]) not in _WRITING or not int(e["addr"]):
                continue
            found = self._object_at(int(e["addr"]), i)
            if found is not None:
                yield from self._overlapped(found[0], None, int(e["addr"]) - found[1].start, int(e["len"]))

    def forget(self) -> None:
        """Forget what the cells hold: steps are left out in which they may have changed."""
        self._cells.clear()

    def _overlapped(self, number: int, own: str | None, start: int, size: int) -> Iterator[CellChange]:
        """The other cells of an object that a write overlaps: what they hold is no longer known."""
        first, last = start >> _BUCKET_BITS, start + size - 1 >> _BUCKET_BITS
        for bucket in range(first, min(last, first + _MAX_BUCKETS_OF_WRITE) + 1):
            for path, (at, length) in self._buckets.get((number, bucket), {}).items():
                if (
                    path != own
                    and at < start + size
                    and start < at + length
                    and self._cells.pop((number, path), None) is not None
                ):
                    yield CellChange(number, path, None)

    def _object_at(self, address: int, i: int) -> tuple[int, RunObject, int] | None:
        if address == 0:
            return None
        wrong = self._errors.get((i, address))  # the block that a bad access was meant for
        o = self.objects.at(address, i) if wrong is None else self.objects.by_number(wrong)
        if (
            o is None
            or (o.kind == ObjectKind.GLOBAL and o.variable is None)
            or (o.kind in (ObjectKind.STACK, ObjectKind.DYNAMIC) and o.variable is None)
        ):
            return None
        frame = self._frame_of(o, address, i)
        key = (o.number, frame, o.start if o.number == 0 else 0)
        number = self._numbers.get(key)
        if number is None:
            if len(self.met) >= _MAX_OBJECTS:
                return None
            number = self._numbers[key] = len(self.met)
            heap = o.kind == ObjectKind.HEAP
            self.met.append(
                MemoryObject(
                    f"{o.size} bytes" if heap else o.name, _WHERE[o.kind], frame, o.size, self._made(o) if heap else ""
                )
            )
            self.freed_in.append(self.log.death_of(o.number) if heap else -1)
        return number, o, frame

    def _frame_of(self, o: RunObject, address: int, i: int) -> int:
        if o.kind not in (ObjectKind.STACK, ObjectKind.DYNAMIC):
            return -1
        if o.number:
            found = int(self.log.object[o.number]["frame"])
            return -1 if found == NO_FRAME else self.frame(found)
        at = self.log.frame_of(i)
        while at != NO_FRAME:
            base = int(self.log.frame["base"][at])
            if base <= address < base + self.trace.at(int(self.log.frame["entry"][at])).layout.frame_size:
                return self.frame(at)
            at = int(self.log.frame["parent"][at])
        return -1

    def frame(self, number: int) -> int:
        """The number of the frame, after noting it and its nearest callers."""
        at = number
        for _ in range(_MAX_CALLERS_TOLD):
            if at == NO_FRAME or at in self.frames:
                break
            parent = int(self.log.frame["parent"][at])
            self.frames[at] = CallFrame(
                self.trace.at(int(self.log.frame["entry"][at])).fn.name, -1 if parent == NO_FRAME else parent
            )
            at = parent
        return number

    def _made(self, o: RunObject) -> str:
        call = self.trace.at(o.birth).call if o.birth >= 0 else None
        place = self.places.of((o.birth, call.index)) if call is not None else None
        return "" if place is None else f"{place.file}:{place.line}"

    def _path(self, i: int, operand: object, o: RunObject, address: int, size: int) -> str | None:
        """How C writes the way from the thing to the cell; None for a part of the thing that has no name."""
        offset = address - o.start
        if o.variable is not None:
            path, _, rest = smallest_part(o.variable.type, offset, size)
            return path if rest == 0 else None
        declared = self.accesses.types.of(self.trace.at(i).fn, operand)  # type: ignore[arg-type]  # an operand of an instruction
        if declared is None:
            return f"+{offset}"
        ctype, within = declared
        known = self._types.get(o.number)
        if known is None or (ctype.kind == "struct" and ctype.size > known.size):
            self._types[o.number] = known = ctype
        if known.size >= ctype.size:  # what the block was used as before tells more than a pointer into it
            ctype, within = known, offset % known.size if known.size else 0
        path, _, rest = smallest_part(ctype, within, size)
        if rest or not ctype.size:
            return f"+{offset}"
        number, odd = divmod(offset - within, ctype.size)
        if odd:
            return f"+{offset}{path}"
        return path if number == 0 and ctype.size >= o.size and path else f"[{number}]{path}"
