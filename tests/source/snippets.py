"""C snippets with one marked position, so that a test names a place without counting columns."""

from __future__ import annotations

from butfor.source import SourceFile, SyntaxTree

MARK = "«"


def marked(code: str) -> tuple[SyntaxTree, int, int]:
    """Return the tree of the code without its mark, and the line and column of the byte after the mark."""
    before, mark, after = code.partition(MARK)
    assert mark, f"no mark in {code!r}"
    source = SourceFile("t.c", (before + after).encode("utf-8", "surrogateescape"))
    line, column = source.position(len(before.encode("utf-8", "surrogateescape")))
    return SyntaxTree(source), line, column


def body(code: str) -> str:
    """Return the code as the body of a function `f`."""
    return f"int f(int x, int y, int *a)\n{{\n{code}\n}}\n"
