"""Sources of real programs, taken from source distributions of the package index when a test needs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from butfor.native.build_cache import cache_dir


def unpacked(name: str, version: str) -> Path:
    """The folder of a source distribution, downloaded the first time."""
    home = cache_dir() / "sdists" / f"{name}-{version}"
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="new-", dir=home.parent))
        try:
            _download(name, version, work)
            (archive,) = work.glob("*.tar.gz")
            with tarfile.open(archive) as tar:
                tar.extractall(work / "tree", filter="data")
            (top,) = (work / "tree").iterdir()
            top.rename(home)
        finally:
            shutil.rmtree(work)
    return home


def _download(name: str, version: str, to: Path) -> None:
    # pip asks a source distribution for its metadata; without this, lupa's compiles its interpreters to answer
    env = {**os.environ, "LUPA_NO_BUNDLE": "true"}
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        name,
        "-d",
        str(to),
        f"{name}=={version}",
    ]
    subprocess.run(command, env=env, check=True)
