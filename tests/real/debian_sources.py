"""Source packages of Debian, downloaded when a test needs them."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from butfor.native.build_cache import cache_dir


def unpacked_package(name: str, to: Path) -> Path:
    """A copy in the folder `to` of the upstream sources of a package; the test is skipped where there are none."""
    home = cache_dir() / "debian-sources" / name
    if not home.exists():
        _download(name, home)
    return Path(shutil.copytree(home, to / name, symlinks=True))


def _download(name: str, home: Path) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("source packages need apt-get")
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="new-", dir=home.parent) as work:
        command = ["apt-get", "source", "-q", "--download-only", "--only-source", name]
        subprocess.run(command, cwd=work, capture_output=True, check=False, timeout=300)
        archive = next((f for f in sorted(Path(work).glob("*.orig.tar.*")) if f.suffix != ".asc"), None)
        if archive is None:
            pytest.skip(f"the source package {name} cannot be downloaded here")
        with tarfile.open(archive) as tar:
            tar.extractall(Path(work, "tree"), filter="tar")
        (top,) = Path(work, "tree").iterdir()
        top.rename(home)
