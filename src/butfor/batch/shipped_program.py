"""A program that was built here, as it is sent to other machines: its IR, its twin that records itself, its sources."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

from butfor.frontends.c.build import Build, BuildSpec
from butfor.frontends.c.c_module import CModule
from butfor.native import build_cache
from butfor.trace.recording import RecordedProgram

_TEXTS = "texts.json"


@dataclass(frozen=True, slots=True)
class ShippedProgram:
    """A program that was built, by content: nothing of it has to be on the machine that it is sent to."""

    key: str
    spec: BuildSpec
    binary: Path | None
    archive: bytes

    @classmethod
    def of(cls, build: Build) -> ShippedProgram:
        """The program of a build."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(build.home.rglob("*")):
                archive.add(path, str(path.relative_to(build.home)), recursive=False)
            if not build.texts:
                _add_texts(archive, build.home)
        return cls(build.home.name, build.spec, build.binary, packed.getvalue())

    def unpacked(self) -> Build:
        """The build, in the cache of this machine."""

        def unpack(folder: Path) -> None:
            with tarfile.open(fileobj=io.BytesIO(self.archive)) as archive:
                archive.extractall(folder, filter="data")

        home = build_cache.entry("shipped", self.key, unpack)
        return Build(home, self.spec, RecordedProgram.in_folder(home, CModule), self.binary)


def _add_texts(archive: tarfile.TarFile, home: Path) -> None:
    """Add the sources, which the build itself reads where they are."""
    texts = {}
    for number, path in enumerate((home / "files").read_text("utf-8", "surrogateescape").splitlines()):
        if Path(path).is_file():
            texts[path] = f"text-{number}"
            archive.add(path, texts[path])
    data = json.dumps(texts).encode()
    entry = tarfile.TarInfo(_TEXTS)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))
