"""Write the generated parts of docs/ARCHITECTURE.md: the layers and one line for each module.

    python docs/make_architecture.py           # write them
    python docs/make_architecture.py --check   # exit with status 1 when they are not up to date

The layers are those of the contract in pyproject.toml that import-linter checks; the line of a module is the first one
of its docstring.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "butfor"
PAGE = ROOT / "docs" / "ARCHITECTURE.md"


def main() -> int:
    """Write the page or check it; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    is_check = parser.parse_args().check
    old = PAGE.read_text("utf-8")
    new = _filled(_filled(old, "layers", layers()), "modules", modules())
    if old == new:
        return 0
    if is_check:
        print("docs/ARCHITECTURE.md is not up to date: python docs/make_architecture.py", file=sys.stderr)
        return 1
    PAGE.write_text(new, "utf-8")
    return 0


def _filled(page: str, name: str, lines: Iterator[str]) -> str:
    """The page with these lines between the two markers of that name."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, rest = page.split(start)
    after = rest.split(end)[1]
    return before + start + "\n".join(lines) + "\n" + end + after


def layers() -> Iterator[str]:
    """The layers of the contract, the topmost first, with what each holds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = (c for c in contracts if c["type"] == "layers")
    for layer in contract["layers"]:
        for name in re.split(r" [:|] ", layer):
            package = PACKAGE / name / "__init__.py"
            yield _row(f"{name}/", package) if package.exists() else _row(f"{name}.py", PACKAGE / f"{name}.py")


def modules() -> Iterator[str]:
    """A section for each package, with a line for each of its modules."""
    yield from _section(PACKAGE)
    for package in sorted(p.parent for p in PACKAGE.rglob("__init__.py") if p.parent != PACKAGE):
        yield ""
        yield from _section(package)


def _section(folder: Path) -> Iterator[str]:
    yield f"### `{folder.relative_to(ROOT / 'src').as_posix()}/`"
    yield ""
    yield _first_line(folder / "__init__.py")
    yield ""
    for module in sorted(folder.glob("*.py")):
        if module.name != "__init__.py":
            yield _row(module.name, module)


def _row(name: str, module: Path) -> str:
    return f"- `{name}`: {_first_line(module)}"


def _first_line(module: Path) -> str:
    doc = ast.get_docstring(ast.parse(module.read_bytes()))
    if not doc:
        raise SystemExit(f"{module} has no docstring")
    return doc.partition("\n")[0]


if __name__ == "__main__":
    raise SystemExit(main())
