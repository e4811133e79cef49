"""SARIF 2.1.0: the failure as a result, the steps that led to it as a code flow, validated fixes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from butfor import __version__
from butfor.explanation import Explanation, Failure, FailureKind, RankedStatement
from butfor.plain_json import plain
from butfor.report.fixes import Fix, fixes
from butfor.report.inert_text import inert, one_line
from butfor.report.json_report import json_text
from butfor.report.sarif_flow import thread_flow
from butfor.report.shared_words import (
    KIND_WORDS,
    MAX_ROWS_SHOWN,
    failing_text,
    failure_message,
    telling_reason,
)
from butfor.report.source_excerpt import StatementSpans

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_BLANKS = re.compile(r"\s+")


def render(explanation: Explanation) -> str:
    """The log, ending in a newline."""
    return json_text(plain(_log(explanation)))


def _log(e: Explanation) -> dict[str, Any]:
    places = SarifLocations(e)
    failures = [f for f in (e.failure, *e.memory_errors) if f is not None]
    kinds = list(dict.fromkeys(f.kind for f in failures))
    results = [_failure(e, f, places, kinds) if f is e.failure else _survived(f, places, kinds) for f in failures]
    run = {
        "tool": {
            "driver": {"name": "butfor", "semanticVersion": __version__, "rules": [_rule(kind) for kind in kinds]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the directory that butfor was run in"}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [_note(text) for text in e.notes]}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _note(text: str) -> dict[str, Any]:
    return {"level": "note", "message": {"text": one_line(text)}}


def _rule(kind: FailureKind) -> dict[str, Any]:
    words = KIND_WORDS[kind]
    return {
        "id": f"butfor/{kind.value}",
        "name": "".join(part.capitalize() for part in kind.value.split("-")),
        "shortDescription": {"text": words[:1].upper() + words[1:]},
        "fullDescription": {
            "text": f"A run of the program failed: {words}. "
            "The code flow shows the statements that the failure depended on."
        },
        "help": {
            "text": "The result is one failing run. "
            "Its related locations are the statements that caused it, most likely first."
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {"precision": "high", "tags": ["correctness"]},
    }


class SarifLocations:
    """Locations as SARIF writes them."""

    def __init__(self, e: Explanation) -> None:
        self._spans = StatementSpans(e.sources, as_shown=False)
        self._base = os.getcwd()

    def uri(self, file: str) -> dict[str, str]:
        """The address of a file: relative to the working directory if it is below that."""
        name = (
            os.path.relpath(file, self._base) if os.path.isabs(file) and file.startswith(self._base + os.sep) else file
        )
        data = os.path.normpath(name).encode("utf-8", "surrogateescape")
        if os.path.isabs(name):
            return {"uri": "file://" + quote(data, safe="/")}
        return {"uri": quote(data, safe="/"), "uriBaseId": _ROOT}

    def physical(self, file: str, line: int, column: int = 0, text: str = "") -> dict[str, Any]:
        """A physical location; columns count characters."""
        where: dict[str, Any] = {"artifactLocation": self.uri(file)}
        if line > 0:
            where["region"] = {"startLine": line}
            start, end = self._spans.of(file, line, column, text)
            if column > 0 and end > start:
                where["region"] |= {"startColumn": start + 1, "endColumn": end + 1}
        return where

    def location(
        self, file: str, line: int, column: int, text: str, message: str, function: str = ""
    ) -> dict[str, Any]:
        """A location with a message."""
        found: dict[str, Any] = {
            "physicalLocation": self.physical(file, line, column, text),
            "message": {"text": message},
        }
        if function:
            found["logicalLocations"] = [{"name": inert(function), "kind": "function"}]
        return found


def _failure(e: Explanation, failure: Failure, places: SarifLocations, kinds: list[FailureKind]) -> dict[str, Any]:
    result = _survived(failure, places, kinds) | {"level": "error", "message": {"text": _message(e, failure)}}
    result["partialFingerprints"] = {"butforFailure/v1": _fingerprint(failure, e.ranking[:1])}
    related = [_related(row, places) for row in e.ranking[:MAX_ROWS_SHOWN]]
    if related:
        result["relatedLocations"] = related
    steps = thread_flow(e, places.location)
    if steps:
        result["codeFlows"] = [
            {"message": {"text": "how it came to the failure"}, "threadFlows": [{"locations": steps}]}
        ]
    # Editors offer fixes as they are: only those that passing tests confirm.
    validated = [_fix(fix, places) for fix in fixes(e) if fix.is_validated and fix.passing_total]
    if validated:
        result["fixes"] = validated
    if e.ranking:
        result["properties"] = {"evidence": e.ranking[0].evidence.value, "status": e.status.value}
    return result


def _survived(failure: Failure, places: SarifLocations, kinds: list[FailureKind]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": f"butfor/{failure.kind.value}",
        "ruleIndex": kinds.index(failure.kind),
        "level": "warning",
        "message": {"text": failure_message(failure)},
        "partialFingerprints": {"butforFailure/v1": _fingerprint(failure, ())},
    }
    if failure.file:
        location: dict[str, Any] = {
            "physicalLocation": places.physical(failure.file, failure.line, failure.column, failing_text(failure))
        }
        if failure.function:
            location["logicalLocations"] = [{"name": inert(failure.function), "kind": "function"}]
        result["locations"] = [location]
    return result


def _message(e: Explanation, failure: Failure) -> str:
    said = failure_message(failure)
    if not e.ranking:
        return f"{said}. No cause was found."
    best = e.ranking[0]
    reason = telling_reason(best)
    why = f" ({one_line(reason.text)})" if reason is not None else ""
    return f"{said}. Most likely cause: {one_line(best.text)} at {inert(best.file)}:{best.line}{why}."


def _related(row: RankedStatement, places: SarifLocations) -> dict[str, Any]:
    reason = telling_reason(row)
    why = f": {one_line(reason.text)}" if reason is not None else ""
    message = f"cause {row.rank} ({row.evidence.value}): {one_line(row.text)}{why}"
    return {"id": row.rank, **places.location(row.file, row.line, row.column, row.text, message, row.function)}


def _fingerprint(failure: Failure, best: tuple[RankedStatement, ...]) -> str:
    """What identifies a failure; without line numbers, so that edits elsewhere in the file do not change it."""
    parts = [
        failure.kind.value,
        os.path.basename(failure.file),
        failure.function,
        failure.message,
        *(row.text for row in best),
    ]
    text = "\0".join(_BLANKS.sub(" ", part) for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _fix(fix: Fix, places: SarifLocations) -> dict[str, Any]:
    change = {"artifactLocation": places.uri(fix.file), "replacements": list(_replacements(fix))}
    return {"description": {"text": f"{one_line(fix.after)} ({fix.tests})"}, "artifactChanges": [change]}


def _replacements(fix: Fix) -> Iterator[dict[str, Any]]:
    """The replacements that a diff makes, one for each run of changed lines."""
    at = start = 0
    old = 0
    new: list[str] = []

    def pending() -> Iterator[dict[str, Any]]:
        if old or new:
            region = {"startLine": start, "startColumn": 1, "endLine": start + old, "endColumn": 1}
            yield {"deletedRegion": region, "insertedContent": {"text": "".join(f"{line}\n" for line in new)}}

    for line in fix.diff.split("\n"):
        hunk = _HUNK.match(line)
        if hunk or line[:1] not in ("+", "-") or line.startswith(("+++ ", "--- ")):
            yield from pending()
            old, new = 0, []
            at = int(hunk[1]) if hunk else at + (line[:1] == " ")
            start = at
        elif line[0] == "-":
            old, at = old + 1, at + 1
        else:
            new.append(line[1:])
    yield from pending()
