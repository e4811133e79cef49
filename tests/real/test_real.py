"""Real programs of over 10,000 lines: same output, every value replayed, nothing mistaken for an error."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from butfor.failures.find_failure import find_failure
from butfor.frontends.c import toolchain
from butfor.frontends.c.c_frontend import build_spec, compile_program, record, run_spec
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.replay.full_replay import check_recording
from tests.real.sdists import unpacked

pytestmark = pytest.mark.real

HERE = Path(__file__).parent
INPUTS = HERE / "inputs"
Make = Callable[[Path], Options]


def lua(tmp: Path) -> Options:
    """The Lua interpreter, from lupa."""
    home = unpacked("lupa", "2.8") / "third-party" / "lua54"
    left_out = ("ltests.c", "onelua.c", "luac.c")
    sources = tuple(sorted(f for f in home.glob("*.c") if f.name not in left_out))
    return Options(sources=sources, args=("-",), stdin=(INPUTS / "words.lua").read_bytes(), defines=("LUA_USE_POSIX",))


def cmark(tmp: Path) -> Options:
    """The CommonMark converter, from paka.cmark."""
    home = unpacked("paka.cmark", "3.0.0") / "paka" / "cmark" / "cmark_src"
    (tmp / "config.h").write_text(
        "#include <stdbool.h>\n#define CMARK_ATTRIBUTE(list) __attribute__(list)\n#define CMARK_INLINE inline\n"
    )
    stdin = b"\n".join([(INPUTS / "notes.md").read_bytes()] * 4)
    return Options(
        sources=tuple(sorted(home.glob("*.c"))), args=("--smart",), stdin=stdin, includes=(str(tmp), str(home))
    )


def sqlite(tmp: Path) -> Options:
    """The SQLite library, from sqlean.py."""
    home = unpacked("sqlean.py", "3.50.4.5") / "sqlite"
    sources = (HERE / "sqlite_main.c", home / "sqlite3.c")
    defines = ("SQLITE_THREADSAFE=0", "SQLITE_OMIT_LOAD_EXTENSION")
    return Options(sources=sources, stdin=(INPUTS / "shop.sql").read_bytes(), includes=(str(home),), defines=defines)


def quickjs(tmp: Path) -> Options:
    """The QuickJS interpreter, from quickjs."""
    home = unpacked("quickjs", "1.19.4") / "upstream-quickjs"
    names = ("quickjs.c", "cutils.c", "libunicode.c", "libregexp.c", "libbf.c")
    sources = (HERE / "quickjs_main.c", *(home / name for name in names))
    defines = ('CONFIG_VERSION="1"', "CONFIG_BIGNUM", "_GNU_SOURCE")
    return Options(sources=sources, stdin=(INPUTS / "shapes.js").read_bytes(), includes=(str(home),), defines=defines)


@dataclass(frozen=True, slots=True)
class Native:
    """What the program does without butfor."""

    stdout: bytes
    returncode: int


def native(options: Options, tmp: Path) -> Native:
    """The run of the same sources, compiled the ordinary way."""
    compiler = toolchain.find_compiler(None)
    spec = build_spec(options)
    out = tmp / "native"
    command = [
        *compiler.command,
        *compiler.arch_flags,
        "-O0",
        "-w",
        *spec.flags,
        *map(str, spec.sources),
        "-o",
        str(out),
        "-lm",
    ]
    toolchain.run_tool(command, "native build")
    done = subprocess.run([out, *options.args], input=run_spec(options).stdin, capture_output=True, check=False)
    return Native(done.stdout, done.returncode)


@pytest.mark.parametrize("make", [lua, cmark, sqlite, quickjs])
def test_real_program(make: Make, tmp_path: Path) -> None:
    options = make(tmp_path)
    lines = sum(source.read_bytes().count(b"\n") for source in options.sources)
    assert lines > 10_000

    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    expected = native(options, tmp_path)
    assert (recording.stdout, recording.meta.returncode) == (expected.stdout, expected.returncode)
    assert len(expected.stdout) > 200

    result = check_recording(recording.trace)
    assert result.mismatches == 0, result.shown
    assert result.instructions > 200_000
    assert find_failure(recording, Dependence(recording.trace), True).failure is None
