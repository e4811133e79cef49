"""Whether runs with any input can do no harm: such a program calls nothing that could touch files or other programs."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.frontends.c.build import RUNTIME
from butfor.frontends.c.instrument.harmless import HARMLESS

_REACHING = ("libc_file.c",)
_MORE = frozenset(
    """
    exit atexit raise setjmp _setjmp longjmp __sigsetjmp siglongjmp setvbuf setbuf setlocale div ldiv __chk_fail
    getopt getopt_long getopt_long_only
    """.split()
)


def reaching_calls(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the library functions that may reach beyond the run, or of which nothing is known."""
    known = set(HARMLESS) | _MORE | _modelled()
    return tuple(sorted(n for n in names if n not in known and not n.startswith("llvm.")))


def _modelled() -> set[str]:
    out: set[str] = set()
    for file in ("models.txt", "models_control.txt"):
        section = ""
        for line in (RUNTIME / file).read_text("utf-8").splitlines():
            if line.startswith("#"):
                section = line.removeprefix("#").strip()
            elif line.strip() and section not in _REACHING:
                out.add(line.strip())
    return out
