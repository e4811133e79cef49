"""C source without a parser: code apart from comments, literals and macros, also where nothing parses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_BLANKABLE = re.compile(
    rb"""//(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z) | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:\\[ \t]*\r?\n|[^\n])*", re.MULTILINE)
_DEFINE = re.compile(rb"[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_TO_BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
_TO_ASCII = bytes(byte if byte < 0x80 else ord("_") for byte in range(256))
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_BYTES_TO_NEXT_TOKEN = 400  # a macro call with more blanks than that after it is not continued there


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define` as byte offsets."""

    name: str
    start: int
    end: int
    body: int  # where the body begins
    has_parameters: bool
    is_statement: bool  # whether the body is a complete statement


@dataclass(frozen=True, slots=True)
class LexedFile:
    """A file split into code and the rest, all at their original byte offsets.

    `code` is the file with comments, literals and preprocessor lines blanked out; `cuts` are the sorted offsets where
    a statement can begin or end.
    """

    code: bytes
    macros: tuple[Macro, ...]
    cuts: tuple[int, ...]

    def segment(self, offset: int) -> tuple[int, int]:
        """The span without outer blanks between the two cuts around `offset`; empty when nothing is there."""
        index = bisect_right(self.cuts, offset)
        start = self.cuts[index - 1] if index else 0
        end = self.cuts[index] if index < len(self.cuts) else len(self.code)
        return trim(self.code, start, end)


def lex(data: bytes) -> LexedFile:
    """The code, macros and statement boundaries of a file."""
    bare = _BLANKABLE.sub(_blank_literal, data)
    directives = [match.span() for match in _DIRECTIVE.finditer(bare)]
    code = _DIRECTIVE.sub(_blank, bare)
    macros = tuple(macro for start, end in directives if (macro := _macro(bare, start, end)))
    cuts = sorted({cut for span in directives for cut in span}.union(_cuts(code)))
    return LexedFile(code, macros, tuple(cuts))


def trim(code: bytes, start: int, end: int) -> tuple[int, int]:
    """The span without the blanks at either end of it."""
    text = code[start:end]
    left = len(text) - len(text.lstrip())
    return start + left, max(start + left, start + len(text.rstrip()))


def closing_parenthesis(code: bytes, start: int, end: int) -> int | None:
    """The offset of the parenthesis that closes the one at `start`, None when there is none before `end`."""
    depth = 0
    for match in re.compile(rb"[()]").finditer(code, start, end):
        depth += 1 if match[0] == b"(" else -1
        if depth == 0:
            return match.start()
    return None


def split_at_top_level(code: bytes, start: int, end: int, separator: bytes) -> Iterator[tuple[int, int]]:
    """The spans between the separators that stand outside all parentheses, brackets and braces."""
    depth, begin = 0, start
    for offset in range(start, end):
        char = code[offset : offset + 1]
        if char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
        elif char == separator and depth == 0:
            yield begin, offset
            begin = offset + 1
    yield begin, end


def words(code: bytes, start: int, end: int) -> Iterator[str]:
    """The identifiers and keywords of a span in order."""
    for match in _WORD.finditer(code, start, end):
        yield match[0].decode("ascii")


def parser_input(data: bytes, lexed: LexedFile) -> bytes:
    """A text of the same length with what would mislead a C parser replaced.

    Bytes that are not ASCII would be errors where they are not valid UTF-8; a macro that is a whole statement is often
    used without a semicolon, which makes a parser join it to the next line.
    """
    buffer = bytearray(data.translate(_TO_ASCII))
    if data.startswith(_BYTE_ORDER_MARK):
        buffer[:3] = b"   "
    for offset in _missing_semicolons(lexed):
        buffer[offset] = ord(";")
    return re.sub(rb"\r(?!\n)", b"\n", bytes(buffer))


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_TO_BLANK)


def _blank_literal(match: re.Match[bytes]) -> bytes:
    text = match[0]
    if text[:1] == b"/":
        return _blank(match)
    return text[:1] + text[1:-1].translate(_TO_BLANK) + text[-1:]


def _macro(bare: bytes, start: int, end: int) -> Macro | None:
    match = _DEFINE.match(bare, start, end)
    if match is None:
        return None
    begin, stop = trim(bare, start, end)
    body = bare[match.end() : stop].strip()
    has_parameters = match[2] is not None
    return Macro(
        match[1].decode("ascii"),
        begin,
        stop,
        match.end(),
        has_parameters,
        has_parameters and body.endswith((b";", b"}")),
    )


def _cuts(code: bytes) -> Iterator[int]:
    depth = 0
    for match in re.compile(rb"[;{}()]").finditer(code):
        char = match[0]
        if char in b"()":
            depth = max(depth + (1 if char == b"(" else -1), 0)
        elif char == b";":
            if depth == 0:
                yield match.end()
        else:
            # A brace ends whatever parenthesis was left open, so that one typing error cannot swallow a file.
            depth = 0
            yield match.start()
            yield match.end()


def _missing_semicolons(lexed: LexedFile) -> Iterator[int]:
    names = {macro.name.encode("ascii") for macro in lexed.macros if macro.is_statement}
    if not names:
        return
    for match in re.compile(rb"\b(?:" + b"|".join(sorted(names)) + rb")\s*\(").finditer(lexed.code):
        close = closing_parenthesis(lexed.code, match.end() - 1, len(lexed.code))
        if close is None:
            continue
        after = lexed.code[close + 1 : close + 2]
        following = lexed.code[close + 1 : close + _MAX_BYTES_TO_NEXT_TOKEN].lstrip()[:1]
        if after.isspace() and following not in (b";", b",", b")"):
            yield close + 1
