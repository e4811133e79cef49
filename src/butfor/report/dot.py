"""The cause tree for Graphviz: arrows lead from what happened to why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from butfor.explanation import Explanation
from butfor.report.cause_tree import VIA_REMARKS, Cause, causes_of
from butfor.report.inert_text import one_line, shortened
from butfor.report.shared_words import MAX_ROWS_SHOWN

_MAX_LABEL_CHARS = 60  # of one line in a box


def render(explanation: Explanation) -> str:
    """The graph, ending in a newline."""
    return "\n".join(["digraph causes {", *(f"  {line}" for line in _body(explanation)), "}"]) + "\n"


def _body(e: Explanation) -> Iterator[str]:
    yield "rankdir=TB;"
    yield 'node [shape=box, style=rounded, fontname="monospace", fontsize=10];'
    yield 'edge [fontname="sans-serif", fontsize=9];'
    failure = e.failure
    causes = causes_of(e)
    if failure is None:
        return
    head = [f"{one_line(failure.file)}:{failure.line}" if failure.file else "", one_line(failure.message)]
    yield f"failure [label={_label(head)}, color=red, penwidth=2];"
    for cause in causes:
        is_root = cause["condition"] is None and cause["parent"] is None
        style = "" if cause.get("proved") else ', style="rounded,dashed"'
        yield f"c{cause['id']} [label={_label(_lines(cause))}{style}];"
        if is_root:
            yield f"failure -> c{cause['id']};"
        elif cause["parent"] is not None:
            yield f"c{cause['parent']} -> c{cause['id']};"
        yield from (f"c{other} -> c{cause['id']} [style=dotted];" for other in cause.get("shared_with", ()))
    if not causes:
        for row in e.ranking[:MAX_ROWS_SHOWN]:
            yield f"r{row.rank} [label={_label([f'{one_line(row.file)}:{row.line}', one_line(row.text)])}];"
            yield f"failure -> r{row.rank};"


def _lines(cause: Cause) -> Iterator[str]:
    condition = cause["condition"]
    if condition is not None:
        yield f"{one_line(condition['file'])}:{condition['line']}"
        outcome = one_line(cause.get("outcome", ""))
        yield one_line(condition["text"]) + (f" was {outcome}" if outcome else "")
    if cause.get("via") in VIA_REMARKS:
        yield VIA_REMARKS[cause["via"]]
    if condition is None:
        statements = cause["statements"]
        yield from (f"{s['line']}: {one_line(s['text'])}" for s in statements[:MAX_ROWS_SHOWN])
        if len(statements) > MAX_ROWS_SHOWN:
            yield f"{len(statements) - MAX_ROWS_SHOWN} more statements"


def _label(lines: Iterable[str]) -> str:
    """The lines as a quoted label, flush left."""
    shown = [shortened(line, _MAX_LABEL_CHARS) for line in lines if line]
    return '"' + "".join(line.replace("\\", "\\\\").replace('"', '\\"') + "\\l" for line in shown) + '"'
