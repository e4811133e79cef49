"""The front end of C programs: from options to a recording of one run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from butfor.errors import DiskFull, UsageError
from butfor.files import check_readable
from butfor.frontends.c.build import Build, BuildSpec, build
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.run_program import RunSpec, run
from butfor.frontends.c.whole_programs.build_twin import build_twin
from butfor.frontends.stamped_files import is_program
from butfor.native.kept_process import new_folder, remove_folder
from butfor.options import ProgramOptions, RunOptions
from butfor.trace.log.last_part import keep_last_part
from butfor.trace.recording import Meta, Recording, invoked_as

Progress = Callable[[str], None]


def build_spec(program: ProgramOptions) -> BuildSpec:
    """What the options say about compiling."""
    flags = (*program.cflags, *(f"-I{x}" for x in program.includes), *(f"-D{x}" for x in program.defines))
    libs = tuple(x.removeprefix("-l") for x in program.libs)
    return BuildSpec(program.sources, program.cc, flags, libs)


def run_spec(options: RunOptions) -> RunSpec:
    """What the options say about the run."""
    stdin = options.stdin
    if isinstance(stdin, Path):
        try:
            data = stdin.read_bytes()
        except OSError as e:
            raise UsageError(f"{stdin}: {e.strerror}") from e
    else:
        data = stdin or b""
    return RunSpec(
        options.args,
        data,
        options.env,
        options.nondet,
        options.time_limit,
        options.step_limit,
        options.output_limit,
        options.log_limit,
        options.record_last,
        memory_limit=options.memory_limit,
    )


def compile_program(options: ProgramOptions, progress: Progress) -> Build:
    """The program, compiled so that it records itself."""
    for source in options.sources:
        check_readable(source)
    if is_program(options.sources[0]):
        return build_twin(options.sources[0], progress)
    return build(build_spec(options), progress)


def record(
    options: RunOptions, program: Build, progress: Progress, folder: Path | None = None, *, is_fenced: bool = False
) -> Recording:
    """The recording of one run of the program, in this folder if one is given.

    A run that `is_fenced` has no effects; one that would have had some raises `ReachesBeyond`.
    """
    home = new_recording_folder()
    try:
        progress("running")
        spec = replace(run_spec(options), is_fenced=is_fenced)
        done = run(program.executable, invoked_as(program.name), spec, home, folder)
        expected = options.expect_stdout
        meta = Meta(
            args=options.args,
            name=program.name,
            folder=str(folder or os.getcwd()),
            env=options.env,
            nondet=options.nondet,
            returncode=done.returncode,
            seconds=done.seconds,
            limit=done.limit,
            expect_stdout=None if expected is None else expected.decode("latin-1"),
            expect_exit=options.expect_exit,
        )
        return finished_recording(program, home, meta)
    except BaseException:
        remove_folder(home)
        raise


def new_recording_folder() -> Path:
    """An empty folder for one recording."""
    try:
        folder = scratch_folder()
        _remove_leftovers(Path(folder or tempfile.gettempdir()))
        return new_folder(folder)
    except OSError as e:
        raise DiskFull(f"no temporary folder can be made: {e.strerror}") from e


def finished_recording(program: Build, home: Path, run: Meta) -> Recording:
    """The recording of a run that is over, in its folder; `run` says how the program was started and ended."""
    _link_or_copy(program.module, home / "module.ll")
    _link_or_copy(program.segments, home / "segments.npy")
    meta = replace(
        run,
        libs=program.spec.libs,
        sources=_keep_sources(program, home),
        given=tuple(map(str, program.spec.sources)),
        coverage=program.coverage,
        dropped=keep_last_part(home, program.code.table),
    )
    return Recording(home, meta, program.code)


def read_program(assembly: str) -> CModule:
    """The program whose assembly a recording holds."""
    return CModule(assembly)


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed runs of butfor have left behind."""
    for left in folder.glob("butfor-*-*"):
        owner = left.name.split("-")[1]
        if owner.isdigit() and not Path("/proc", owner).exists():
            shutil.rmtree(left, ignore_errors=True)


def scratch_folder() -> str | None:
    """Memory if there is plenty, else the default temporary folder: logs are written fast and read back at once."""
    shm = Path("/dev/shm")
    if "TMPDIR" in os.environ or not os.access(shm, os.W_OK):
        return None
    free = os.statvfs(shm)
    return str(shm) if free.f_bavail * free.f_frsize > 4 * 2**30 else None


def _link_or_copy(source: Path, to: Path) -> None:
    try:
        os.link(source, to)
    except OSError:
        shutil.copyfile(source, to)


def _keep_sources(program: Build, home: Path) -> dict[str, str]:
    """Copies of the program's source files, so that the recording can be read elsewhere."""
    found: dict[str, str] = {}
    texts = program.texts
    for path in (program.home / "files").read_text("utf-8", "surrogateescape").splitlines():
        content = texts.get(path, Path(path))
        if content.is_file() and content.stat().st_size < 64 * 2**20:
            member = f"source-{len(found)}"
            shutil.copyfile(content, home / member)
            found[path] = member
    return found
