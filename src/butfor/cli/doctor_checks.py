"""The checks of `butfor doctor`, each a function that looks at one thing."""

from __future__ import annotations

import enum
import mmap
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from butfor.cli.config_file import find_config
from butfor.errors import UsageError
from butfor.frontends.c.build_cache import CACHE_VARIABLE, cache_dir

# The shadow memory of a recorded program is one mapping of this order; nothing of it is used before it is touched.
_BIG_MAPPING = 24 << 40  # what the shadow memory of the runtime takes
_MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # the module has the name only since Python 3.13
_LITTLE_SPACE = 2**30


class State(enum.Enum):
    """How a check ended."""

    OK = "ok"
    NOTE = "note"  # butfor works without it
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found, and how to put it right."""

    name: str
    state: State
    found: str
    fix: str = ""


def all_checks() -> list[Check]:
    """All findings, in the order they are listed."""
    packages = [_package(name) for name in ("numpy", "tree-sitter", "tree-sitter-c", "pyyaml")]
    return [_python(), _machine(), _zig(), _llvm(), *packages, _system_compiler(), _cache(), _mapping(), _config()]


def _python() -> Check:
    return Check("python", State.OK, f"{platform.python_version()} ({sys.executable})")


def _machine() -> Check:
    found = f"{platform.system()} {platform.machine()}"
    if found == "Linux x86_64":
        return Check("machine", State.OK, found)
    return Check(
        "machine", State.MISSING, found, "programs are recorded on Linux x86_64; `butfor replay` works elsewhere"
    )


def _zig() -> Check:
    fix = "python -m pip install ziglang"
    version = _version("ziglang")
    if version is None:
        return Check("ziglang", State.MISSING, "not installed", fix)
    try:
        run = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("ziglang", State.MISSING, f"{version}, but it does not start: {error}", f"{fix} --force-reinstall")
    if run.returncode != 0:
        return Check("ziglang", State.MISSING, f"{version}, but it does not start", f"{fix} --force-reinstall")
    return Check("ziglang", State.OK, f"{version} (zig {run.stdout.decode(errors='replace').strip()}, the C compiler)")


def _llvm() -> Check:
    version = _version("llvmlite")
    if version is None:
        return Check("llvmlite", State.MISSING, "not installed", "python -m pip install llvmlite")
    try:
        from llvmlite.binding import llvm_version_info
    except (ImportError, OSError) as error:
        fix = "python -m pip install --force-reinstall llvmlite"
        return Check("llvmlite", State.MISSING, f"{version}, but it cannot be loaded: {error}", fix)
    return Check("llvmlite", State.OK, f"{version} (LLVM {'.'.join(map(str, llvm_version_info))})")


def _package(name: str) -> Check:
    version = _version(name)
    if version is None:
        return Check(name, State.MISSING, "not installed", f"python -m pip install {name}")
    return Check(name, State.OK, version)


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _system_compiler() -> Check:
    path = shutil.which("clang") or _numbered_clang()
    if path is not None:
        return Check("clang", State.OK, f"{path} (used only with --cc)")
    return Check("clang", State.NOTE, "none on PATH; not needed, ziglang brings one")


def _numbered_clang() -> str | None:
    return next((path for number in range(30, 13, -1) if (path := shutil.which(f"clang-{number}"))), None)


def _cache() -> Check:
    folder = cache_dir()
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    fix = f"make it writable, or set {CACHE_VARIABLE} to another directory"
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Check("cache", State.MISSING, f"{folder}: cannot be written", fix)
    free = shutil.disk_usage(nearest).free
    found = f"{folder}: {_size(_used(folder))} used, {_size(free)} free"
    if free < _LITTLE_SPACE:
        return Check("cache", State.NOTE, found, f"recordings need room; free some, or set {CACHE_VARIABLE}")
    return Check("cache", State.OK, found)


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
        mmap.mmap(-1, _BIG_MAPPING, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE).close()
    except (OSError, ValueError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        fix = "look at `ulimit -v` and /proc/sys/vm/overcommit_memory"
        return Check("big mapping", State.NOTE, f"refused ({why}): recording is slower", fix)
    return Check("big mapping", State.OK, f"{_BIG_MAPPING >> 40} TiB without reserving memory")


def _config() -> Check:
    try:
        path, values = find_config(Path.cwd())
    except UsageError as error:
        return Check("configuration", State.MISSING, error.message, error.hint or "correct the file")
    if path is None:
        return Check("configuration", State.OK, "none; butfor.toml or [tool.butfor] in pyproject.toml would be used")
    return Check("configuration", State.OK, f"{path}: {', '.join(values) or 'empty'}")
