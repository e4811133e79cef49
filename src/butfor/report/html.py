"""The explanation as one HTML page that needs nothing else; details are shown on demand."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from butfor import __version__
from butfor.explanation import Evidence, Explanation, Failure, RankedStatement, Reason, Status
from butfor.origin_ladder import Rung
from butfor.plain_json import text_of
from butfor.report.fixes import Fix, best_avoidance, fixes
from butfor.report.html_page_data import page_data
from butfor.report.html_source import mentioned_lines, source_files
from butfor.report.html_tree import cause_nodes, mark_place
from butfor.report.inert_text import inert, one_line
from butfor.report.ladder_text import rung_place, rung_sentence
from butfor.report.shared_words import (
    MAX_ROWS_SHOWN,
    failure_message,
    ordered_reasons,
    rows_to_show,
    telling_reason,
    what_happened,
)
from butfor.report.source_excerpt import StatementSpans
from butfor.run_story import RunInput

_SCRIPTS = ("core.js", "source.js", "marks.js", "timeline.js", "memory.js", "step.js", "start.js")
_MAX_PLAIN_CHARS = 50_000  # of data; more is compressed, which then saves more than the code to unpack it costs
_MAX_RUNG_LEVEL = 3  # deeper rungs are not indented further
_GLYPHS = {Evidence.PROVED: "■", Evidence.REPLAYED: "▶", Evidence.HEURISTIC: "○"}


@cache
def _page_file(name: str) -> str:
    return package_files("butfor.report").joinpath("page_files", name).read_text("utf-8")


@cache
def page_template() -> Template:
    """The template of the page, compiled once: that takes longer than to fill it."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update({"flat": one_line, "inert": inert, "prose": _prose, "coded": _coded})
    return environment.from_string(_page_file("page.html.j2"))


def render(explanation: Explanation) -> str:
    """The page, to be written as UTF-8."""
    numbers = {name: k for k, name in enumerate(_ordered(explanation))}
    style = _page_file("page.css")
    script = "'use strict';\n(async () => {\n" + "\n".join(_page_file(name) for name in _SCRIPTS) + "})();\n"
    view = _view(explanation, numbers)
    coding, data = _data_element(_data(explanation, numbers, view))
    return page_template().render(
        **view,
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        coding=coding,
        data=data,
    )


def _prose(text: str) -> Markup:
    """A sentence: a capital at its start, what stands between backticks as code."""
    return _coded(text[:1].upper() + text[1:])


def _coded(text: str) -> Markup:
    """A text in which what stands between backticks is code."""
    parts = inert(text).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if k % 2 else escape(part) for k, part in enumerate(parts)
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data_element(data: Any) -> tuple[str, Markup]:
    """The coding of the script's data, and the data: JSON that cannot end its element, compressed if it is long."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    if len(text) > _MAX_PLAIN_CHARS:
        return "gzip", Markup(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())
    return "", Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """The names to show for files: the last part, unless two files of the report have the same."""
    known = list(names)
    last = [os.path.basename(name) for name in known]
    return {name: inert(short if last.count(short) == 1 else name) for name, short in zip(known, last, strict=True)}


def _ordered(e: Explanation) -> list[str]:
    """The files that the report mentions: that of the best cause first, then that of the failure."""
    known = mentioned_lines(e)
    first = [row.file for row in e.ranking[:1]] + ([e.failure.file] if e.failure is not None else [])
    return [name for name in dict.fromkeys([*first, *sorted(known)]) if name in known]


def _view(e: Explanation, numbers: Mapping[str, int]) -> dict[str, Any]:
    """What the template shows; `numbers` are those of the files that the page has the source of."""
    short = _short_names(
        {*numbers, *(row.file for row in e.ranking), *((e.failure.file,) if e.failure is not None else ())}
    )
    rows = [_row(row, short) for row in e.ranking]
    found = fixes(e)
    return {
        "title": _title(e),
        "status": e.status.value,
        "failure": None if e.failure is None else _failure(e.failure, numbers) | {"short": short[e.failure.file]},
        "ending": e.run.ending,
        "command": _command(e),
        "rows": rows[: len(rows_to_show(e))],
        "more_rows": rows[len(rows_to_show(e)) :],
        "rungs": [_rung(rung, e.ladder.rungs[0].file) for rung in e.ladder.rungs] if e.ladder is not None else [],
        "is_whole_ladder": e.ladder is None or e.ladder.is_complete,
        "partial": e.status is Status.PARTIAL,
        "avoided": best_avoidance(e),
        "tried": "butfor" in e.methods,
        "fixes": [_fix(fix, k) for k, fix in enumerate(found)],
        "tree": cause_nodes(e),
        "numbers": numbers,
        "files": source_files(e, numbers),
        "story": e.story,
        "inputs": [_input(i) for i in e.story.inputs] if e.story is not None else [],
        "security": _security(e),
        "invariants": [_trace_entry(x) for x in e.methods.get("error-invariants", {}).get("abstract_trace", ())],
        "relevance": [
            x for x in e.methods.get("relevance", {}).get("statements", ()) if x.get("verdict") != "irrelevant"
        ],
        "diagnoses": e.methods.get("diagnoses", {}).get("sets", ()),
        "survived": [_failure(error, numbers) for error in e.memory_errors],
        "tests": e.extra.get("tests", ()),
        "notes": [inert(note) for note in e.notes],
        "run": e.run,
        "evidences": {value.value for value in (row.evidence for row in e.ranking)},
        "glyphs": {key.value: glyph for key, glyph in _GLYPHS.items()},
        "version": __version__,
    }


def _title(e: Explanation) -> str:
    if e.failure is None:
        return "cannot be explained" if e.status is Status.UNSUPPORTED else "no failure"
    return failure_message(e.failure)


def _command(e: Explanation) -> str:
    return inert(shlex.join(e.run.args))


def _failure(failure: Failure, numbers: Mapping[str, int]) -> dict[str, Any]:
    facts = []
    for key, words in (("expected", "expected"), ("actual", "got")):
        if key in failure.details:
            facts.append((words, _quoted(failure.details[key])))
    values = failure.details.get("values")
    if isinstance(values, Mapping):
        facts += [("", f"{one_line(str(name))} = {one_line(str(value))}") for name, value in values.items()][
            :MAX_ROWS_SHOWN
        ]
    head, colon, rest = failure_message(failure).partition(": ")
    return {
        "head": head,
        "detail": rest if colon else "",
        "is_code": bool(colon) and rest == one_line(str(failure.details.get("assertion", ""))),
        "file": inert(failure.file),
        "line": failure.line,
        "function": inert(failure.function),
        "link": _link(failure.file, failure.line),
        "text": one_line(str(failure.details.get("text", ""))),
        "facts": facts,
        "is_shown": failure.file in numbers,
    }


def _quoted(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        value = text_of(bytes(value))
    return f'"{inert(value)}"' if isinstance(value, str) else str(value)


def _link(file: str, line: int) -> str:
    return f"#line={inert(file)}:{line}"


def _rung(rung: Rung, home: str) -> dict[str, Any]:
    return {
        "kind": rung.kind.value,
        "level": min(rung.level, _MAX_RUNG_LEVEL),
        "place": inert(rung_place(rung, home)),
        "link": _link(rung.file, rung.line) if rung.file else "",
        "says": one_line(rung_sentence(rung, home)),
    }


def _row(row: RankedStatement, short: Mapping[str, str]) -> dict[str, Any]:
    best, did = telling_reason(row), what_happened(row)
    return {
        "rank": row.rank,
        "file": inert(row.file),
        "short": short[row.file],
        "line": row.line,
        "at": mark_place(row.file, row.line),
        "function": inert(row.function),
        "text": one_line(row.text),
        "role": inert(row.role),
        "evidence": row.evidence.value,
        "why": "" if best is None else one_line(best.text),
        "did": "" if did is None else one_line(did.text),
        "reasons": [_reason(reason) for reason in ordered_reasons(row)],
        "also": [
            {"file": inert(a.file), "line": a.line, "why": one_line(a.why), "link": _link(a.file, a.line)}
            for a in row.also
        ],
    }


def _reason(reason: Reason) -> dict[str, str]:
    return {
        "method": inert(reason.method),
        "text": one_line(reason.text),
        "evidence": "" if reason.evidence is None else reason.evidence.value,
    }


def _fix(fix: Fix, number: int) -> dict[str, Any]:
    lines = []
    for line in fix.diff.rstrip("\n").split("\n"):
        kind = {"+": "add", "-": "del", "@": "at"}.get(line[:1], "")
        lines.append(("" if line.startswith(("+++", "---")) else kind, inert(line.replace("\t", "    "))))
    return {
        "number": number,
        "file": inert(fix.file),
        "line": fix.line,
        "lines": lines,
        "title": fix.title,
        "tests": fix.tests,
        "is_validated": fix.is_validated,
        "link": _link(fix.file, fix.line),
    }


def _input(found: RunInput) -> dict[str, Any]:
    """The pieces of an input; those that the failure depended on are marked."""
    pieces: list[tuple[bool, str]] = []
    at = 0
    for start, end in found.spans:
        pieces += [(False, _bytes(found.data[at:start])), (True, _bytes(found.data[start:end]))]
        at = end
    pieces.append((False, _bytes(found.data[at:])))
    return {
        "name": found.name,
        "pieces": [p for p in pieces if p[1]],
        "missing": found.missing,
        "count": sum(b - a for a, b in found.spans),
    }


def _bytes(data: bytes) -> str:
    return inert(data.decode("utf-8", "surrogateescape")).replace("\\n", "\\n\n")


def _security(e: Explanation) -> dict[str, Any] | None:
    found = e.methods.get("relevance", {}).get("security")
    if not isinstance(found, Mapping):
        return None
    inputs = [
        ", ".join(f"{k}: {v}" for k, v in i.items()) if isinstance(i, Mapping) else str(i)
        for i in found.get("inputs", ())
    ]
    return {"verdict": inert(str(found.get("verdict", "unknown"))), "inputs": [one_line(text) for text in inputs]}


def _trace_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    if entry.get("kind") == "invariant":
        return {"formula": one_line(str(entry["formula"])), "text": ""}
    return {
        "formula": "",
        "text": one_line(str(entry["text"])),
        "line": entry["line"],
        "link": _link(entry["file"], entry["line"]),
    }


def _data(e: Explanation, numbers: Mapping[str, int], view: Mapping[str, Any]) -> dict[str, Any]:
    """What the script needs."""
    spans = StatementSpans(e.sources, as_shown=True)
    marks = e.methods.get("cascade", {}).get("marks", {})
    return {
        "id": _fingerprint(e),
        "files": [inert(name) for name in numbers],
        "causes": [
            [numbers.get(r.file, -1), r.line, r.column, *spans.of(r.file, r.line, r.column, r.text)] for r in e.ranking
        ],
        "failure": [] if e.failure is None else [numbers.get(e.failure.file, -1), e.failure.line],
        "copies": [fix.diff for fix in fixes(e)],
        "again": view["avoided"].command if view["avoided"] else "",
        "marks": {inert(str(at)): mark for at, mark in marks.items()} if isinstance(marks, Mapping) else {},
        **page_data(e, numbers, view["tree"]),
    }


def _fingerprint(e: Explanation) -> str:
    """What identifies a report: its failure, arguments, statements and sources."""
    where = None if e.failure is None else (e.failure.file, e.failure.line, e.failure.message)
    text = repr((where, e.run.args, [(r.file, r.line, r.text) for r in e.ranking], sorted(e.sources.items())))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
