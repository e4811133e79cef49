"""A counterfactual run touches no user files, no other process and no terminal, but sees the files it makes."""

from __future__ import annotations

import ctypes
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from butfor.counterfactual.fork_server import ForkServer, RunLimits
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.options import Options
from tests.counterfactual.builds import build_of

HERE = Path(__file__).parent
FILES = [
    *"write append update rename remove truncate absolute open reopen descriptors temporary".split(),
    *"folders chdir links properties devices signals nothing".split(),
]
REFUSED = ("system", "popen", "fork", "exec", "parent", "others", "socket", "daemon", "syscall", "fifo", "terminal")
UNHOOKED = ("unlink", "write", "truncate", "rename", "mkdir", "chmod", "fork", "system", "kill", "socket")
ENDLESS = (
    "loop",
    "stubborn",
    "stopped",
    "output",
    "stubborn output",
    "file",
    "memory",
    "stack",
    "fork bomb",
    "close all",
    "nested",
)
_T = TypeVar("_T")
FENCED = RunLimits(milliseconds=60_000, file_size=1 << 20, megabytes=512)  # for runs that end by themselves
QUICK = replace(FENCED, milliseconds=100)  # for runs that do not


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the user."""
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (home / "old.txt").write_text("0123456789")
    (home / "sub" / "inner.txt").write_text("inner")
    (home / "link").symlink_to("old.txt")
    return home


@pytest.fixture(scope="module", params=[False, True], ids=["hooks", "checks"])
def files(request: pytest.FixtureRequest) -> HookedBuild:
    """The program that does things to files."""
    return build_of(HERE / "files.c", checked=request.param)[0]


@pytest.fixture(scope="module", params=[False, True], ids=["hooks", "checks"])
def beyond(request: pytest.FixtureRequest) -> HookedBuild:
    """The program that does what it must not do."""
    return build_of(HERE / "beyond.c", checked=request.param)[0]


def looks(folder: Path) -> dict[str, object]:
    """All there is to see of a folder."""
    found: dict[str, object] = {}
    for path in (folder, *folder.rglob("*")):
        s = path.lstat()
        content = (
            os.readlink(path)
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else sorted(p.name for p in path.iterdir())
        )
        found[str(path)] = (s.st_mode, s.st_ino, s.st_mtime_ns, s.st_ctime_ns, s.st_nlink, content)
    return found


def session_of(server: ForkServer) -> list[int]:
    """The processes that the server started and that are still there."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if (
                server.process.pid in (int(fields[1]), int(fields[3]))
                and int(entry.name) != server.process.pid
                and fields[0] != "Z"
            ):
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("what", FILES)
def test_files_are_seen_as_they_would_have_been(
    what: str, folder: Path, files: HookedBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run prints what the real program prints in a copy of the folder; each of three runs starts from that."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, symlinks=True)
    options = Options(sources=(HERE / "files.c",), args=(what,))
    monkeypatch.chdir(copy)
    recording = record(options, compile_program(options, lambda text: None), lambda text: None)
    before = looks(folder)
    with ForkServer(files, "./files", RunSpec((what,)), recording.stdout, cwd=str(folder)) as server:
        for _ in range(3):
            outcome = server.run()
            assert server.output().decode() == recording.stdout.decode()
            assert outcome.exit_status == recording.log.end.status
            assert bool(outcome.touched) == (what not in ("nothing", "devices", "signals"))
            assert list((server.home / "files").iterdir()) == []
        assert session_of(server) == []
    assert looks(folder) == before
    assert not server.home.exists()


@pytest.mark.parametrize("what", REFUSED)
def test_nothing_beyond_the_run(what: str, folder: Path, beyond: HookedBuild) -> None:
    before = looks(folder)
    with ForkServer(beyond, "./beyond", RunSpec((what,)), b"0\n", FENCED, str(folder)) as server:
        outcome = server.run()
        assert (server.output(), outcome.exit_status) == (b"0\n", 0)
        assert outcome.touched or what == "terminal"
        assert session_of(server) == []
        assert server.run() == outcome
    assert looks(folder) == before


@pytest.mark.skipif(
    ctypes.CDLL(None).syscall(444, 0, 0, 1) < 3, reason="the kernel has no Landlock that knows of truncation"
)
@pytest.mark.parametrize("what", UNHOOKED)
def test_the_kernel_forbids_what_libraries_do(what: str, folder: Path, beyond: HookedBuild) -> None:
    before = looks(folder)
    with ForkServer(beyond, "./beyond", RunSpec((f"unhooked {what}",)), b"0\n", FENCED, str(folder)) as server:
        outcome = server.run()
        assert (server.output(), outcome.exit_status) == (b"0\n", 0)
        assert session_of(server) == []
        assert server.run() == outcome
    assert looks(folder) == before


@pytest.mark.parametrize("what", [*ENDLESS, "unhooked fork bomb"])
def test_a_run_without_end_is_ended(what: str, folder: Path, beyond: HookedBuild) -> None:
    before = looks(folder)
    with ForkServer(beyond, "./beyond", RunSpec((what,)), b"", QUICK, str(folder)) as server:
        for _ in range(2):
            outcome = server.run()
            assert outcome.output <= QUICK.file_size
            assert session_of(server) == []
            assert sum(f.stat().st_size for f in server.home.rglob("*") if f.is_file()) <= 2 * QUICK.file_size
    assert looks(folder) == before
    assert not server.home.exists()


@pytest.fixture
def open_file(tmp_path: Path) -> Iterator[Path]:
    """A file that butfor inherited, open for writing."""
    path = tmp_path / "inherited"
    fd = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.dup2(fd, 77)
    yield path
    os.close(fd)
    os.close(77)


def test_files_that_butfor_has_open_are_not_passed_on(open_file: Path, folder: Path, beyond: HookedBuild) -> None:
    with ForkServer(beyond, "./beyond", RunSpec(("inherited",)), b"0\n", FENCED, str(folder)) as server:
        server.run()
        assert server.output() == b"0\n"
    assert open_file.read_bytes() == b""


def test_a_server_ends_with_its_run_under_way(folder: Path, beyond: HookedBuild) -> None:
    with ForkServer(beyond, "./beyond", RunSpec(("loop",)), b"", RunLimits(milliseconds=60_000), str(folder)) as server:
        server.send(())
        running = awaited(lambda: session_of(server))
        assert running
    assert awaited(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))


def awaited(ask: Callable[[], _T]) -> _T:
    """The answer as soon as there is one; the last answer after some seconds."""
    end = time.monotonic() + 20
    while not (answer := ask()) and time.monotonic() < end:
        time.sleep(0.01)
    return answer
