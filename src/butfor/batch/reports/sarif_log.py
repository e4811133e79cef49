"""SARIF 2.1.0: one result for each group of failing runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from butfor import __version__
from butfor.batch.batch_result import BatchResult, Group
from butfor.batch.reports.group_words import counted, first_cause, message, what_helps
from butfor.explanation import FailureKind
from butfor.plain_json import plain
from butfor.report.inert_text import inert, one_line
from butfor.report.json_report import json_text
from butfor.report.shared_words import KIND_WORDS

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"


def render(result: BatchResult) -> str:
    """The log, ending in a newline."""
    kinds = list(dict.fromkeys(str(group.failure["kind"]) for group in result.groups))
    driver = {"name": "butfor", "semanticVersion": __version__, "rules": [_rule(kind) for kind in kinds]}
    notes = [{"level": "note", "message": {"text": one_line(note)}} for note in result.notes]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the directory that butfor was run in"}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [_result(result, group, kinds) for group in result.groups],
    }
    return json_text(plain({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}))


def _rule(kind: str) -> dict[str, Any]:
    words = KIND_WORDS[FailureKind(kind)]
    return {"id": f"butfor/{kind}", "shortDescription": {"text": words[:1].upper() + words[1:]}}


def _result(result: BatchResult, group: Group, kinds: list[str]) -> dict[str, Any]:
    kind = str(group.failure["kind"])
    shortest = result.items[group.representative].item.name
    said = [f"{message(group)}: {counted(len(group.members), 'run')}, the shortest input is {inert(shortest)}"]
    cause = first_cause(group)
    if cause is not None:
        said.append(f"most likely cause: {inert(cause['file'])}:{cause['line']} `{one_line(cause['text'])}`")
    if what_helps(group):
        said.append(what_helps(group))
    found: dict[str, Any] = {
        "ruleId": f"butfor/{kind}",
        "ruleIndex": kinds.index(kind),
        "level": "error",
        "message": {"text": "; ".join(said)},
        "occurrenceCount": len(group.members),
        "partialFingerprints": {"butforCause/v1": group.fingerprint},
        "properties": {"group": group.name, "program": group.program},
    }
    if group.failure["file"]:
        found["locations"] = [{"physicalLocation": _place(group.failure)}]
    related = [
        {"physicalLocation": _place(row), "message": {"text": f"cause {row['rank']}: {one_line(row['text'])}"}}
        for row in group.causes
    ]
    return found | ({"relatedLocations": related} if related else {})


def _place(where: Mapping[str, Any]) -> dict[str, Any]:
    name, base = where["file"], os.getcwd()
    if os.path.isabs(name) and name.startswith(base + os.sep):
        name = os.path.relpath(name, base)
    uri = quote(os.path.normpath(name).encode("utf-8", "surrogateescape"), safe="/")
    location = {"uri": f"file://{uri}"} if os.path.isabs(name) else {"uri": uri, "uriBaseId": _ROOT}
    place: dict[str, Any] = {"artifactLocation": location}
    if where["line"] > 0:
        place["region"] = {"startLine": where["line"]}
    return place
