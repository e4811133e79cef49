"""Real projects, built by their own build systems with `butfor cc`, tested under `butfor run`, broken and explained."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import butfor
from butfor.frontends.c.whole_programs.twin_plan import plan_twin
from tests.projects.building import BUTFOR, WRAPPED_CC, run
from tests.real.debian_sources import unpacked_package

pytestmark = pytest.mark.real


@dataclass(frozen=True, slots=True)
class Fault:
    """A slip in one file: what stands there, what it becomes, and a run that fails by it."""

    file: str
    before: str
    after: str
    program: str
    args: tuple[str, ...]
    stdin: bytes = b""
    expect_exit: int | None = None
    expect_stdout: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A source package: how it is built ({cc} is one word, {CC} several), tested, and broken."""

    package: str
    build: tuple[str, ...]
    test: str
    units: int  # of the program, at least
    fault: Fault


PROJECTS = (
    Project(
        "zlib",  # a configure script of its own, static and shared library
        ("CC='{CC}' sh ./configure", "make"),
        "make test",
        15,
        Fault(
            "inflate.c",
            "strm->zalloc = zcalloc;",
            "strm->zalloc = Z_NULL;",
            "example",
            (),
        ),
    ),
    Project(
        "lua5.4",  # plain make
        ("make -C src linux CC='{CC} -std=gnu99'",),
        "src/lua -e 'assert(#string.rep([[x]], 100) == 100)'",
        30,
        Fault(
            "src/liolib.c",
            "return (p->f == NULL) ? luaL_fileresult(L, 0, filename) : 1;",
            "return (filename == NULL) ? luaL_fileresult(L, 0, filename) : 1;",
            "src/lua",
            ("-e", "io.open('/none/such'):read()"),
        ),
    ),
    Project(
        "cjson",  # CMake, shared library
        ("cmake -S . -B build -DCMAKE_C_COMPILER={cc}", "cmake --build build"),
        "ctest --test-dir build",
        2,
        Fault(
            "cJSON.c",
            "    if (needed <= p->length)\n",
            "    if (needed <= p->length + 64)\n",
            "build/cJSON_test",
            (),
        ),
    ),
    Project(
        "popt",  # autoconf and libtool: its programs are scripts until they are installed
        ("./configure CC={cc}", "make", "make check TESTS="),
        "make check",
        4,
        Fault(
            "src/popt.c",
            "longArg = oe + 1;",
            "longArg = oe + 2;",
            "tests/test1",
            ("--arg2=something",),
            expect_stdout="arg1: 0 arg2: something\n",
        ),
    ),
    Project(
        "busybox",  # kbuild, hundreds of applets in one program
        ("make defconfig", "sed -i 's/CONFIG_TC=y/CONFIG_TC=n/' .config", "make CC={cc} HOSTCC={cc} SKIP_STRIP=y"),
        "./busybox sort -r Makefile",
        500,
        Fault(
            "coreutils/tac.c",
            "line = NULL;\n\t\t\t\ti = 0;\n",
            "i = 0;\n",
            "busybox",
            ("tac",),
            stdin=b"one\ntwo\nthree\n",
        ),
    ),
)
BUDGET_SECONDS = 120.0  # replaying half a million instructions, as a check, takes most of the default on a busy machine
MAX_ROWS = 5  # of the ranking, in which the faulty line is looked for


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.package)
def test_a_project_is_built_tested_and_explained(project: Project, tmp_path: Path) -> None:
    home = unpacked_package(project.package, tmp_path)
    if "cmake" in project.build[0] and shutil.which("cmake") is None:
        pytest.skip("there is no CMake")
    build(project, home)
    tested = run([*BUTFOR, "run", "--", *shlex.split(project.test)], home)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert re.search(r"butfor: [1-9]\d* starts? of programs built with butfor cc, 0 failed", tested.stdout)

    fault = project.fault
    source = home / fault.file
    text = source.read_text("utf-8")
    assert text.count(fault.before) >= 1
    line = text[: text.index(fault.before)].count("\n") + 1
    source.write_text(text.replace(fault.before, fault.after, 1), "utf-8")
    build(project, home)
    plan = plan_twin(home / fault.program)
    assert len(plan.units) >= project.units
    assert plan.lacking == ()
    answer = butfor.explain(
        home / fault.program,
        args=fault.args,
        stdin=fault.stdin,
        expect_exit=fault.expect_exit,
        expect_stdout=fault.expect_stdout,
        check=True,
        budget=BUDGET_SECONDS,
    )
    assert answer.methods["check"]["mismatches"] == 0
    found = [(Path(row.file).name, row.line) for row in answer.ranking[:MAX_ROWS]]
    assert any(name == source.name and abs(at - line) <= NEAR_LINES for name, at in found), found


NEAR_LINES = 5  # a statement that was taken away has no line of its own, and a decision stands above what it decides


def build(project: Project, home: Path) -> None:
    """Build the project with `butfor cc`."""
    path = run([*WRAPPED_CC.split(), "--print-path"], home).stdout.strip()
    for command in project.build:
        done = run(["sh", "-c", command.format(cc=path, CC=WRAPPED_CC)], home)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
