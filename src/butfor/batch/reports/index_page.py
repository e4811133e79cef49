"""The answer of a batch as one HTML page beside the reports of its groups: to sort, to search, to read from disk."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from butfor import __version__
from butfor.batch.batch_result import BatchResult, Group, ItemResult
from butfor.batch.reports.group_words import failing_place, first_cause, message, totals, what_helps
from butfor.report.inert_text import inert, one_line

_WHOLE_BAR, _LEAST_BAR = 80, 4  # pixels: the bar of the largest group, and one that can still be seen


@cache
def _page_file(package: str, name: str) -> str:
    return package_files(package).joinpath("page_files", name).read_text("utf-8")


def render(result: BatchResult) -> str:
    """The page, to be written as UTF-8."""
    style = _page_file("butfor.report", "page.css") + _page_file("butfor.batch.reports", "index.css")
    script = _page_file("butfor.batch.reports", "index.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["coded"] = _coded
    largest = max((len(group.members) for group in result.groups), default=1)
    return environment.from_string(_page_file("butfor.batch.reports", "index.html.j2")).render(
        title=totals(result),
        groups=[_group(result, group, largest) for group in result.groups],
        items=[_item(item) for item in result.items],
        notes=[one_line(note) for note in result.notes],
        programs=len({item.item.program.name for item in result.items}),
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        version=__version__,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _coded(text: str) -> Markup:
    """A text in which what stands between backticks is code."""
    parts = inert(text).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if k % 2 else escape(part) for k, part in enumerate(parts)
    )


def _group(result: BatchResult, group: Group, largest: int) -> dict[str, Any]:
    cause = first_cause(group)
    rungs = group.story["rungs"] if group.story else ()
    return {
        "name": inert(group.name),
        "program": inert(group.program),
        "size": len(group.members),
        "bar": max(_LEAST_BAR, round(_WHOLE_BAR * len(group.members) / largest)),
        "kind": group.failure["kind"],
        "message": message(group),
        "place": failing_place(group),
        "cause": None
        if cause is None
        else {
            "text": one_line(cause["text"]),
            "place": f"{inert(cause['file'])}:{cause['line']}",
            "evidence": cause["evidence"],
        },
        "helps": what_helps(group),
        "page": group.page,
        "rungs": [{"line": rung["line"], "says": one_line(rung["says"])} for rung in rungs],
        "members": [inert(result.items[number].item.name) for number in group.members],
        "notes": [one_line(note) for note in group.notes],
    }


def _item(item: ItemResult) -> dict[str, Any]:
    return {
        "number": item.item.number + 1,
        "program": inert(item.item.program.name),
        "name": inert(item.item.name),
        "status": item.status,
        "words": item.status.replace("-", " "),
        "group": inert(item.group),
        "message": one_line(item.message),
        "page": item.page,
    }
