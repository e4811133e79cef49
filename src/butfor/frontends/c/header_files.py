"""Which files a C program is made of: what the compiler itself says it reads, remembered until the program has to be built anew."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from butfor.frontends.c import build_cache
from butfor.frontends.c.build_cache import cache_dir
from butfor.frontends.c.toolchain import Compiler
from butfor.frontends.program_kinds import is_ir

_WORD = re.compile(r"(?:\\[ #\\]|[^\s\\]|\\(?!\n))+")


def _ask(compiler: Compiler, source: Path, flags: Sequence[str]) -> list[Path]:
    """The headers that a source includes, without those of the system; none when it does not compile."""
    command = (*compiler.command, "-M", *compiler.arch_flags, *flags, str(source))
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return []
    text = done.stdout.decode("utf-8", "surrogateescape").replace("\\\n", " ")
    words = [
        w.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$") for w in _WORD.findall(text.partition(": ")[2])
    ]
    return [Path(w) for w in words if not w.startswith(("/usr/include/", "/usr/lib/")) and "/ziglang/" not in w]


class Headers:
    """The headers of a program's sources; `known` are those of the last build with the same sources and flags."""

    def __init__(self, compiler: Compiler, sources: Sequence[Path], flags: Sequence[str]) -> None:
        self.compiler = compiler
        self.sources = [s for s in sources if not is_ir(s)]
        self.flags = flags
        key = build_cache.key_of([*compiler.command, *flags, "--", *(str(s.absolute()) for s in sources)])
        self._list = cache_dir() / "headers" / key

    @property
    def known(self) -> list[Path] | None:
        """The headers as last seen, None the first time."""
        try:
            return [Path(line) for line in self._list.read_text("utf-8", "surrogateescape").splitlines()]
        except OSError:
            return None

    def find(self) -> list[Path]:
        """The headers as they are now."""
        found = dict.fromkeys(path for source in self.sources for path in _ask(self.compiler, source, self.flags))
        with contextlib.suppress(OSError):  # only a help for the next time
            self._list.parent.mkdir(parents=True, exist_ok=True)
            self._list.write_text("\n".join(map(str, found)), "utf-8", "surrogateescape")
        return list(found)
