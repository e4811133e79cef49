"""The story as text: one rung per paragraph, the line in front, what belongs to a rung indented below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from butfor.explanation import Explanation
from butfor.origin_ladder import Ladder, Rung
from butfor.plain_json import plain
from butfor.report.json_report import json_text
from butfor.report.text_page import Page, make_page

_MAX_INDENT_LEVELS = 3  # deeper rungs are not indented further: there would be no room for their text


def ladder_block(page: Page, explanation: Explanation) -> Iterator[str]:
    """The lines of the story at the top of a report."""
    ladder = explanation.ladder
    if ladder is None or not ladder.rungs:
        return
    yield page.style("what happened, from the failure back:", "strong")
    yield from ladder_lines(page, ladder)


def ladder_lines(page: Page, ladder: Ladder) -> Iterator[str]:
    """The rungs of a ladder, each with its place in front."""
    home = ladder.rungs[0].file if ladder.rungs else ""
    labels = [page.show(rung_place(rung, home)) for rung in ladder.rungs]
    room = max((cell_len(label) for label in labels), default=0)
    for k, (label, rung) in enumerate(zip(labels, ladder.rungs, strict=True)):
        label = "" if k and rung.level and label == labels[k - 1] else label
        lead = f"  {page.style(label, 'line')}{' ' * (room - cell_len(label))}  "
        indent = "  " * min(rung.level, _MAX_INDENT_LEVELS)
        rest = " " * (room + 4) + indent + "  "
        lines = page.wrap(rung_sentence(rung, home), first=" " * (room + 4) + indent, rest=rest)
        yield lead + lines[0][room + 4 :]
        yield from lines[1:]
    if not ladder.is_complete:
        yield from page.wrap("it goes further back; `butfor why FILE:LINE` tells more of a value", first="  ")


def rung_place(rung: Rung, home: str) -> str:
    """The place of a rung: `line 12`, or file and line in another file than the failure's; "" where it has none."""
    if not rung.file:
        return ""
    return f"line {rung.line}" if rung.file == home else f"{rung.file.rpartition('/')[2]}:{rung.line}"


def rung_sentence(rung: Rung, home: str) -> str:
    """What a rung says, with the places that only passed the value on."""
    return rung.says + (f", then through {places_text(rung.through, home)}" if rung.through else "")


def places_text(places: Sequence[tuple[str, int]], home: str) -> str:
    """Places in the order of the run: `lines 31 and 66`, with the names of other files."""
    ordered = list(dict.fromkeys(places[::-1]))
    own = all(file == home for file, _ in ordered)
    texts = [str(line) if own else f"{file.rpartition('/')[2]}:{line}" for file, line in ordered]
    joined = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    return f"line{'s' if len(texts) > 1 else ''} {joined}" if own else joined


def render(ladder: Ladder, *, color: bool = False, width: int = 100, encoding: str = "utf-8") -> str:
    """The answer to a question as text, ending in a newline."""
    page = make_page(width, color, encoding)
    return "\n".join(ladder_lines(page, ladder)) + "\n"


def render_json(ladder: Ladder) -> str:
    """The answer as one JSON object, as in the `story` of a report."""
    return json_text(plain(ladder.to_dict()))
