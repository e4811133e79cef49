"""`butfor doctor`: what is installed, what is missing and how to get it; one function for each check."""

from __future__ import annotations

import ctypes
import enum
import mmap
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from butfor.cli import shared_options as shared
from butfor.cli.config_file import find_config
from butfor.cli.terminal_output import write_stdout
from butfor.errors import ExitCode, UsageError
from butfor.native.build_cache import CACHE_VARIABLE, cache_dir
from butfor.report.inert_text import inert

_HELP = """\b
Examples:
  butfor doctor

Lists what butfor needs, whether it is there, and how to get what is missing. Exit status 0: butfor can be used; 2:
something is missing.
"""

# What the recorder maps for the shadow memory of a program; nothing of it is used before it is touched.
_SHADOW_MEMORY_BYTES = 24 << 40
_MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # the module has the name only since Python 3.13
_MIN_FREE_CACHE_BYTES = 2**30  # recordings and compiled programs soon take that much
_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION = 444, 1
_LANDLOCK_WITH_TRUNCATION, _LANDLOCK_WITH_SIGNALS = 3, 6  # versions
_CLANG_VERSIONS = range(30, 13, -1)  # of `clang-N`, newest first; with room for some that are still to come


class CheckState(enum.Enum):
    """What a check says about one thing that butfor needs."""

    OK = "ok"
    NOTE = "note"  # butfor works without it
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found, and how to put it right."""

    name: str
    state: CheckState
    found: str
    fix: str = ""


@click.command("doctor", help=_HELP)
@shared.debug_option
def command() -> int:
    """The exit status; the list is written to stdout."""
    checks = all_checks()
    missing = [check for check in checks if check.state is CheckState.MISSING]
    verdict = f"{len(missing)} missing: butfor cannot be used yet" if missing else "butfor can be used"
    write_stdout("\n".join([*(line for check in checks for line in check_lines(check)), "", verdict, ""]).encode())
    return ExitCode.USAGE if missing else ExitCode.OK


def check_lines(check: Check) -> list[str]:
    """The lines for one check: state, name and finding; what to do, if something can be done."""
    first = f"{check.state.value:<8} {check.name:<14} {inert(check.found)}".rstrip()
    return [first, f"{'':<24}{inert(check.fix)}"] if check.fix else [first]


def all_checks() -> list[Check]:
    """The results of all checks, in the order they are listed."""
    packages = [_package(name) for name in ("numpy", "tree-sitter", "tree-sitter-c", "pyyaml")]
    machine = [_cache(), _mapping(), _fence()]
    return [_python(), _machine(), _zig(), _llvm(), *packages, _system_compiler(), *machine, _config()]


def _python() -> Check:
    return Check("python", CheckState.OK, f"{platform.python_version()} ({sys.executable})")


def _machine() -> Check:
    found = f"{platform.system()} {platform.machine()}"
    if found == "Linux x86_64":
        return Check("machine", CheckState.OK, found)
    return Check(
        "machine", CheckState.MISSING, found, "programs are recorded on Linux x86_64; `butfor replay` works elsewhere"
    )


def _zig() -> Check:
    fix = "python -m pip install ziglang"
    installed = _version("ziglang")
    if installed is None:
        return Check("ziglang", CheckState.MISSING, "not installed", fix)
    try:
        run = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(
            "ziglang", CheckState.MISSING, f"{installed}, but it does not start: {error}", f"{fix} --force-reinstall"
        )
    if run.returncode != 0:
        return Check("ziglang", CheckState.MISSING, f"{installed}, but it does not start", f"{fix} --force-reinstall")
    return Check(
        "ziglang", CheckState.OK, f"{installed} (zig {run.stdout.decode(errors='replace').strip()}, the C compiler)"
    )


def _llvm() -> Check:
    installed = _version("llvmlite")
    if installed is None:
        return Check("llvmlite", CheckState.MISSING, "not installed", "python -m pip install llvmlite")
    try:
        from llvmlite.binding import llvm_version_info  # late: it may be missing or broken
    except (ImportError, OSError) as error:
        fix = "python -m pip install --force-reinstall llvmlite"
        return Check("llvmlite", CheckState.MISSING, f"{installed}, but it cannot be loaded: {error}", fix)
    return Check("llvmlite", CheckState.OK, f"{installed} (LLVM {'.'.join(map(str, llvm_version_info))})")


def _package(name: str) -> Check:
    installed = _version(name)
    if installed is None:
        return Check(name, CheckState.MISSING, "not installed", f"python -m pip install {name}")
    return Check(name, CheckState.OK, installed)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _system_compiler() -> Check:
    path = shutil.which("clang") or _numbered_clang()
    if path is not None:
        return Check("clang", CheckState.OK, f"{path} (used only with --cc)")
    return Check("clang", CheckState.NOTE, "none on PATH; not needed, ziglang brings one")


def _numbered_clang() -> str | None:
    return next((path for number in _CLANG_VERSIONS if (path := shutil.which(f"clang-{number}"))), None)


def _cache() -> Check:
    folder = cache_dir()
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    fix = f"make it writable, or set {CACHE_VARIABLE} to another directory"
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Check("cache", CheckState.MISSING, f"{folder}: cannot be written", fix)
    free = shutil.disk_usage(nearest).free
    found = f"{folder}: {_size(_used(folder))} used, {_size(free)} free"
    if free < _MIN_FREE_CACHE_BYTES:
        return Check("cache", CheckState.NOTE, found, f"recordings need room; free some, or set {CACHE_VARIABLE}")
    return Check("cache", CheckState.OK, found)


def _used(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue  # removed meanwhile
    return total


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def _mapping() -> Check:
    try:
        mmap.mmap(-1, _SHADOW_MEMORY_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE).close()
    except (OSError, ValueError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        fix = "look at `ulimit -v` and /proc/sys/vm/overcommit_memory"
        return Check("big mapping", CheckState.NOTE, f"refused ({why}): recording is slower", fix)
    return Check("big mapping", CheckState.OK, f"{_SHADOW_MEMORY_BYTES >> 40} TiB without reserving memory")


def _fence() -> Check:
    """What the kernel has to keep runs that are only tried from harming anybody."""
    traps = _traps_system_calls()
    landlock = max(ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION), 0)
    has = ["system calls (seccomp)"] if traps else []
    has += [f"files (Landlock {landlock})"] if landlock >= _LANDLOCK_WITH_TRUNCATION else []
    has += ["signals (Landlock)"] if landlock >= _LANDLOCK_WITH_SIGNALS else []
    if len(has) == len(("system calls", "files", "signals")):
        return Check("fence", CheckState.OK, f"the kernel guards {', '.join(has)}")
    fix = "changed runs are guarded by replaced library functions alone where the kernel does not; take Linux 6.12"
    return Check("fence", CheckState.NOTE, f"the kernel guards {', '.join(has) or 'nothing'}", fix)


def _traps_system_calls() -> bool:
    try:
        return "trap" in Path("/proc/sys/kernel/seccomp/actions_avail").read_text().split()
    except OSError:
        return False


def _config() -> Check:
    try:
        path, values = find_config(Path.cwd())
    except UsageError as error:
        return Check("configuration", CheckState.MISSING, error.message, error.hint or "correct the file")
    if path is None:
        return Check(
            "configuration", CheckState.OK, "none; butfor.toml or [tool.butfor] in pyproject.toml would be used"
        )
    return Check("configuration", CheckState.OK, f"{path}: {', '.join(values) or 'empty'}")
