"""But for this statement, would the program have failed?

    import butfor
    explanation = butfor.explain("prog.c", args=["6", "5", "4"])

The modules behind it are imported on first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`, which takes longer to import than the wrapped compiler takes to start
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from typing import Any

    from butfor.errors import ButforError
    from butfor.explanation import Explanation
    from butfor.options import Options
    from butfor.origins.queries import RunQueries

__all__ = ["ButforError", "Explanation", "Options", "__version__", "explain", "record"]

__version__ = "0.1.0"

_HOMES = {"ButforError": "butfor.errors", "Explanation": "butfor.explanation", "Options": "butfor.options"}


def explain(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Callable[[str], None] | None = None,
    **knobs: Any,
) -> Explanation:
    """The explanation of a failing program; `knobs` are the fields of `Options` (args, stdin, expect_stdout, ...).

    Lists, text and mappings are accepted where `Options` has tuples and bytes. Nothing is printed; every error is a
    `ButforError`.
    """
    from butfor.api import explain as explain_options
    from butfor.frontends.program_kinds import check_files
    from butfor.options import make_options

    options = make_options(sources, **knobs)
    check_files(options)
    return explain_options(options, progress)


def record(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Callable[[str], None] | None = None,
    **knobs: Any,
) -> RunQueries:
    """A recorded run of a program, or a saved recording, that answers questions; `knobs` as for `explain`.

    recording.why("prog.c:26:last"), recording.why_output(1), recording.why_not("prog.c:40")
    """
    from butfor.api import queries
    from butfor.frontends.program_kinds import check_files
    from butfor.options import make_options

    options = make_options(sources, **knobs)
    check_files(options)
    return queries(options, progress)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'butfor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(home), name)
