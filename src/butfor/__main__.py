"""`python -m butfor` and the `butfor` command; the wrapped compiler starts from here without the rest of butfor."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # not from `typing`, for the same reason
if TYPE_CHECKING:
    from typing import NoReturn

_WRAPPED_COMPILERS = ("cc", "c++")


def main() -> NoReturn:
    """Run the command line of this process, and exit."""
    if len(sys.argv) > 1 and sys.argv[1] in _WRAPPED_COMPILERS and sys.argv[2:] != ["--help"]:
        from butfor.compiler_wrapper.wrap_compiler import main as run_compiler

        sys.exit(run_compiler(sys.argv[1], sys.argv[2:]))
    from butfor.cli.main import main as run_command  # late: a build starts the compiler for each of its files

    run_command()


if __name__ == "__main__":
    main()
