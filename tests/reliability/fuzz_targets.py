"""What is fuzzed: the readers of files, each with inputs to begin from."""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.reliability.mutate_recording import BODIES, KNOBS, members_of

EXAMPLES = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Target:
    """One reader: what it does with bytes, inputs that it accepts, and the modules whose branches guide the fuzzer."""

    name: str
    read: Callable[[bytes], Any]
    seeds: Callable[[], list[bytes]]
    modules: tuple[str, ...]


@contextlib.contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


def _tests_file(data: bytes) -> None:
    from butfor.tests_file import parse_tests

    parse_tests(data, "tests.json")


def _marks(data: bytes) -> None:
    from butfor.marks import settle
    from butfor.options import AnalysisOptions

    with _file(data, "marks.json") as path:
        settle(AnalysisOptions(), path)


def _report(data: bytes) -> None:
    from butfor.cli.show import _contents

    with _file(data, "report.json") as path:
        _contents(path)


def _manifest(data: bytes) -> None:
    from butfor.batch.manifest import read_manifest
    from butfor.options import Options

    with _file(data, "batch.toml" if data[:1] != b"{" else "batch.json") as path:
        (path.parent / "a.c").touch()
        (path.parent / "in1").touch()
        (path.parent / "t.json").write_bytes(_JSON[0])
        read_manifest(path, Options(sources=(Path("a.c"),)))


def _config(data: bytes) -> None:
    from butfor.cli.config_file import find_config

    with _file(data, "butfor.toml") as path:
        find_config(path.parent)


def _witness(data: bytes) -> None:
    from butfor.witness.read_witness import read_witness

    with _file(data, "witness") as path:
        read_witness(path)


def _annotations(data: bytes) -> None:
    from butfor.methods.repair.slip_library import load_library

    with _file(data, "more.toml") as path:
        load_library(path)


def _boogie(data: bytes) -> None:
    from butfor.frontends.boogie.boogie_text import BoogieText
    from butfor.frontends.boogie.checked_program import TranslationUnit

    TranslationUnit(BoogieText.of("a.bpl", data))


def _ir_text(data: bytes) -> None:
    """A module as a user gives it: LLVM reads it first."""
    import llvmlite.binding as llvm

    from butfor.errors import CompileError
    from butfor.frontends.c.build import initialise_llvm
    from butfor.frontends.c.c_frontend import read_program
    from butfor.ir.program import Program

    initialise_llvm()
    try:
        module = llvm.parse_assembly(data.decode("utf-8", "replace"))
        module.verify()
    except RuntimeError as error:
        raise CompileError(str(error)) from error
    program = Program(read_program(str(module)))
    for name in program.names:
        program.layout(name)


@cache
def _good() -> tuple[dict[str, bytes], Path]:
    """The members of a good recording, and a folder of it."""
    from tests.small import saved

    folder = Path(tempfile.mkdtemp(prefix="butfor-fuzz-"))
    return members_of(saved(folder, BODIES["list"], **KNOBS["list"])), folder


def _columns(data: bytes) -> None:
    """The columns of a recording: each eight bytes of the input change one number in one of them."""
    from butfor import api
    from butfor.options import Options
    from tests.reliability.mutate_recording import archived

    members, folder = _good()
    names = sorted(name for name in members if name not in ("butfor.json", "module.ll") and members[name])
    changed = {name: bytearray(text) for name, text in members.items()}
    for at in range(0, len(data) - 7, 8):
        which, place, value = struct.unpack_from("<HHI", data, at)
        column = changed[names[which % len(names)]]
        size = min((1, 2, 4, 4)[which // len(names) % 4], len(column))
        start = place % (len(column) // size) * size
        column[start : start + size] = value.to_bytes(4, "little")[:size]
    path = folder / "bad.bfr"
    path.write_bytes(archived({name: bytes(text) for name, text in changed.items()}))
    api.replay(path, Options(sources=(path,), methods=("slice", "cascade"), budget=5))


def _column_seeds() -> list[bytes]:
    return [struct.pack("<HHI", which, 3, which) for which in range(40)]


_JSON = [
    b'{"tests": [{"name": "t", "args": ["6"], "stdin": "x", "nondet": [1], "expect_stdout": "a", "expect_exit": 0}]}'
]
_MARKS = [b'{"format": 1, "marks": [{"at": "prog.c:3", "mark": "benign"}, {"at": "7", "mark": "guilty"}]}']
_CONFIG = [
    b'budget = 5\ncflags = "-O0 -DX=1"\nmethods = ["slice"]\ntrust = "a, b"\ntime_limit = 2.5\n',
    b'annotations = "more.toml"\ncc = "clang"\n',
]
_MANIFEST = [
    b'[[program]]\nname = "a"\nsources = ["a.c"]\nargs = ["1"]\ncflags = "-O0"\nexpect_exit = 3\n',
    b'{"program": [{"each": ["*.c"], "tests": ["t.json"], "inputs": ["in*"], "libs": ["m"]}]}',
]
_BOOGIE = [
    b"var g: int;\nprocedure f(n: int) returns (r: int) modifies g; requires n > 0; ensures r == n; {\n"
    b"  var i: int; i := 0; while (i < n) invariant i <= n; { i := i + 1; call g(i); }\n"
    b"  if (*) { havoc i; } else { goto out; } out: assert i == n; r := i; }\nprocedure g(x: int);",
    b"type t; const c: [int]bool; function h(x: int): bool { x > 1 }\naxiom c[0];\n"
    b"procedure m() { var a: [int]int, b: bv8; a[1] := 2; b := 255bv8; assert h(a[1]) && b == 1bv8; }",
]
_IR = [
    b"define i32 @main(i32 %0, ptr %1) {\n  %3 = alloca [4 x i32]\n"
    b"  %4 = getelementptr inbounds [4 x i32], ptr %3, i64 0, i64 1\n"
    b"  store i32 %0, ptr %4\n  %5 = load i32, ptr %4\n  %6 = icmp sgt i32 %5, 3\n  br i1 %6, label %7, label %9\n7:\n"
    b"  %8 = call i32 @f(i32 %5)\n  br label %9\n9:\n  %10 = phi i32 [ %8, %7 ], [ 0, %2 ]\n  ret i32 %10\n}\n"
    b"declare i32 @f(i32)\n@g = global { i32, [2 x i8] } zeroinitializer\n"
]


def _example_report() -> list[bytes]:
    import butfor
    from butfor.report.json_report import render

    return [render(butfor.explain(_source(), methods=["slice"])).encode()]


@cache
def _source() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="butfor-fuzz-"))
    path = folder / "prog.c"
    path.write_text(
        "#include <assert.h>\nint main(int argc, char **argv) {\n  int x = argc; assert(x == 2); return 0; }\n"
    )
    return path


def _files(pattern: str, most: int = 12) -> Callable[[], list[bytes]]:
    return lambda: [p.read_bytes() for p in sorted(EXAMPLES.glob(pattern))[:most]]


def _known(*texts: bytes) -> Callable[[], list[bytes]]:
    return lambda: [*texts]


_WITNESS_TEXTS = [
    b"- entry_type: violation_sequence\n  metadata:\n    format_version: '2.0'\n  content:\n  - segment:\n"
    b"    - waypoint:\n        type: assumption\n        action: follow\n"
    b"        location: {file_name: a.c, line: 3, column: 2}\n"
    b"        constraint: {value: x == 3, format: c_expression}\n  - segment:\n    - waypoint:\n        type: target\n"
    b"        action: follow\n        location: {file_name: a.c, line: 9}\n",
    b'<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key attr.name="entry" for="node" '
    b'id="entry"/><graph edgedefault="directed"><data key="witness-type">violation_witness</data><node id="a"><data '
    b'key="entry">true</data></node><node id="b"><data key="violation">true</data></node><edge source="a" target="b">'
    b'<data key="startline">3</data><data key="assumption">x == 3;</data></edge></graph></graphml>',
]

TARGETS = (
    Target("tests-file", _tests_file, _known(*_JSON), ("butfor.tests_file",)),
    Target("marks", _marks, _known(*_MARKS), ("butfor.marks",)),
    Target("report", _report, _example_report, ("butfor.cli.show", "butfor.browse.report_entries")),
    Target("manifest", _manifest, _known(*_MANIFEST), ("butfor.batch.manifest",)),
    Target("config", _config, _known(*_CONFIG), ("butfor.cli.config_file",)),
    Target("witness", _witness, _known(*_WITNESS_TEXTS), ("butfor.witness.read_witness",)),
    Target(
        "annotations",
        _annotations,
        _files("src/butfor/methods/repair/annotations.toml"),
        ("butfor.methods.repair.slip_library",),
    ),
    Target(
        "boogie",
        _boogie,
        _known(*_BOOGIE),
        ("butfor.frontends.boogie.parser", "butfor.frontends.boogie.checked_program"),
    ),
    Target("ir-text", _ir_text, _known(*_IR), ("butfor.frontends.c.c_module", "butfor.ir.program")),
    Target("recording", _columns, _column_seeds, ("butfor.trace.recording_file", "butfor.api")),
)
