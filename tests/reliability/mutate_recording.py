"""Recordings changed at random, as somebody would who knows the format: bits, lengths, numbers, columns, text."""

from __future__ import annotations

import json
import random
import struct
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording_file import checksum

_NUMBERS = (0, 1, 2, 255, 256, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 2**63, 2**64 - 1)
_TEXTS = ("module.ll", "end")


BODIES = {
    "list": """struct node { int v; struct node *next; };
static struct node *list;
static int larger(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int total(struct node *n) { int sum = 0; for (; n; n = n->next) sum += n->v; return sum; }
int main(int argc, char **argv) {
 int a[3] = {3, 1, 2};
 char line[20], copy[20];
 if (!fgets(line, sizeof line, stdin)) return 9;
 memcpy(copy, line, sizeof copy);
 qsort(a, 3, sizeof *a, larger);
 for (int i = 0; i < 3; i++) {
  struct node *n = malloc(sizeof *n);
  n->v = a[i] + atoi(argv[1]) + copy[0];
  n->next = list;
  list = n;
 }
 printf("%s%d\\n", line, total(list));
 assert(total(list) == 99);
 return 0; }
""",
    "jumps": """static jmp_buf back;
static double half(double x) { return x / 2; }
static int deep(int n, int *p) {
 if (n == 0) longjmp(back, 3);
 p[n % 4] += (int)half(n); return deep(n - 1, p) + 1; }
static int sum(int n, ...) { va_list l; va_start(l, n);
 int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
int main(int argc, char **argv) {
 int t[4] = {0}, (*f)(int, int *) = deep, freed;
 volatile int seen = setjmp(back);
 if (!seen) f(700, t);
 switch (t[1] % 3) { case 0: t[0]++; break; default: t[2] = sum(3, 1, t[1], argc); }
 int *p = malloc(8);
 free(p);
 freed = t[2] + (argc > 1 ? *p : 0);
 return t[freed & 3] + seen; }
""",
}
KNOBS: dict[str, dict[str, Any]] = {"list": {"args": ["4"], "stdin": b"head\n"}, "jumps": {"expect_exit": 0}}


def members_of(path: Path) -> dict[str, bytes]:
    """The members of a recording, the description first."""
    with zipfile.ZipFile(path) as z:
        return {info.filename: z.read(info) for info in z.infolist()}


def mutated(members: dict[str, bytes], seed: int) -> tuple[str, bytes]:
    """What was changed, and the changed recording; its checksum is right but for every eighth."""
    rng = random.Random(seed)
    changed = dict(members)
    done = [_mutate(rng, changed) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
    if rng.randrange(8) == 0:
        return "bytes of the file", _flipped(rng, _archive(members))
    return ", ".join(done), archived(changed)


def archived(members: dict[str, bytes]) -> bytes:
    """A recording of these members, with the checksum that they should have."""
    return _archive(_with_checksum(members))


def _archive(members: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        for name, data in members.items():
            z.writestr(name, data)
    return out.getvalue()


def _with_checksum(members: dict[str, bytes]) -> dict[str, bytes]:
    try:
        head = json.loads(members["butfor.json"])
        rest = {name: data for name, data in members.items() if name != "butfor.json"}
        head["digest"] = checksum(head["meta"], {name: sha256(data).hexdigest() for name, data in rest.items()})
    except (ValueError, TypeError, KeyError):
        return members
    return {**members, "butfor.json": json.dumps(head).encode()}


def _mutate(rng: random.Random, members: dict[str, bytes]) -> str:
    if rng.randrange(6) == 0:
        members["butfor.json"] = _description(rng, members["butfor.json"])
        return "description"
    columns = [name for name in (*COLUMNS, "start", "segments.npy", *_TEXTS) if members.get(name)]
    name = rng.choice(columns)
    if rng.randrange(10) == 0:
        other = rng.choice(columns)
        members[name], members[other] = members[other], members[name]
        return f"{name} and {other} exchanged"
    ways: tuple[Callable[[random.Random, bytes], bytes], ...] = (
        _flipped,
        _cut,
        _longer,
        _number,
        _number,
        _moved,
        _noise,
    )
    way = _words if name in _TEXTS and rng.random() < 0.7 else rng.choice(ways)
    members[name] = way(rng, members[name])
    return f"{name} {way.__name__[1:]}"


def _flipped(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _longer(rng: random.Random, data: bytes) -> bytes:
    return data + rng.choice((data, bytes(64), rng.randbytes(40)))


def _number(rng: random.Random, data: bytes) -> bytes:
    size, code = rng.choice(((1, "B"), (2, "<H"), (4, "<I"), (4, "<I"), (8, "<Q")))
    if len(data) < size:
        return data
    at = rng.randrange(len(data) // size) * size
    old = struct.unpack_from(code, data, at)[0]
    new = rng.choice((*_NUMBERS, old + 1, old - 1, old * 2)) % (1 << 8 * size)
    return data[:at] + struct.pack(code, new) + data[at + size :]


def _moved(rng: random.Random, data: bytes) -> bytes:
    size = rng.choice((1, 2, 4, 8, 32, 40))
    a, b = rng.randrange(len(data)), rng.randrange(len(data))
    part = data[b : b + size]
    return data[:a] + part + data[a + len(part) :]


def _noise(rng: random.Random, data: bytes) -> bytes:
    return rng.randbytes(len(data))


def _words(rng: random.Random, data: bytes) -> bytes:
    """Lines or words of a text removed, doubled, exchanged, or numbers replaced."""
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[k]
        case 1:
            lines.insert(k, rng.choice(lines))
        case 2:
            words = lines[k].split(b" ")
            rng.shuffle(words)
            lines[k] = b" ".join(words)
        case _:
            words = lines[k].split(b" ")
            words[rng.randrange(len(words))] = str(rng.choice((*_NUMBERS, -1))).encode()
            lines[k] = b" ".join(words)
    return b"\n".join(lines)


def _description(rng: random.Random, data: bytes) -> bytes:
    head = json.loads(data)
    meta: dict[str, Any] = head["meta"]
    values: tuple[Any, ...] = (None, 0, -1, 2**70, 1e400, "", "\ud800", "a/b", [], {}, [[]], {"a": "b"}, "seg", True)
    rng.choice(
        (lambda: meta.__setitem__(rng.choice(list(meta)), rng.choice(values)), lambda: meta.pop(rng.choice(list(meta))))
    )()
    return json.dumps(head).encode()
