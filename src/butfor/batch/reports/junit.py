"""JUnit XML: a suite for each program, a case for each run, the cause in the failure."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as Xml

from butfor.batch.batch_result import NOT_RUN, BatchResult, Group, ItemResult
from butfor.batch.examine_item import FAILED, NOT_EXAMINED
from butfor.batch.reports.group_words import first_cause, what_helps
from butfor.report.inert_text import inert, one_line


def render(result: BatchResult) -> str:
    """The document, ending in a newline."""
    groups = {number: group for group in result.groups for number in group.members}
    top = Xml.Element("testsuites", {"name": "butfor batch", **_counts(result.items)})
    for program, items in groupby(result.items, lambda item: item.item.program.name):
        own = tuple(items)
        suite = Xml.SubElement(top, "testsuite", {"name": inert(program), **_counts(own)})
        for item in own:
            _case(suite, item, groups.get(item.item.number))
    Xml.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(top, "unicode") + "\n"


def _counts(items: tuple[ItemResult, ...]) -> dict[str, str]:
    statuses = [item.status for item in items]
    counts = {"failures": FAILED, "errors": NOT_EXAMINED, "skipped": NOT_RUN}
    return {"tests": str(len(items)), **{name: str(statuses.count(status)) for name, status in counts.items()}}


def _case(suite: Xml.Element, item: ItemResult, group: Group | None) -> None:
    case = Xml.SubElement(suite, "testcase", classname=inert(item.item.program.name), name=inert(item.item.name))
    if item.status == NOT_RUN:
        Xml.SubElement(case, "skipped", message="the batch ended before")
    elif item.status == NOT_EXAMINED:
        Xml.SubElement(case, "error", message=one_line(item.message))
    elif item.status == FAILED:
        kind = item.found["failure"]["kind"]
        failure = Xml.SubElement(case, "failure", message=one_line(item.message), type=kind)
        failure.text = "\n".join(_words(item, group))


def _words(item: ItemResult, group: Group | None) -> list[str]:
    words = [inert(rung["says"]) for rung in (item.found.get("story") or {"rungs": ()})["rungs"]]
    if group is not None:
        words.append(f"group {group.name}, {len(group.members)} of these runs")
        cause = first_cause(group)
        if cause is not None:
            words.append(
                f"cause: {inert(cause['file'])}:{cause['line']} {one_line(cause['text'])} ({cause['evidence']})"
            )
        if what_helps(group):
            words.append(what_helps(group))
        if group.page:
            words.append(f"report: {group.page}")
    return words
