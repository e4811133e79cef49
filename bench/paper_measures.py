"""What is measured on one faulty program for the papers' tables; each part is asked for in a process of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import butfor.api
from bench import fixes
from bench.paper_cases import Case
from bench.tree_counting import count
from butfor.errors import ButforError
from butfor.explanation import FailureKind
from butfor.failures.find_failure import verdict_on
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.cause_findings import cause_tree_of_run
from butfor.methods.cause_tree.method import CauseTreeMethod
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

ASKED = ("error-invariants", "relevance", "diagnoses", "repair")  # methods that are not in every answer
ASKED_SECONDS = 15.0  # for the four of them
OPTIMISATIONS = {"C": "trust", "L": "loops", "SO": "unrelated", "SL": "slicing"}  # the paper's names and butfor's
TREES_TIMED = 3  # of each variant, the fastest counts: the first is not in a warm process
VARIANTS = {"None": (), "C+L": ("C", "L"), "SO+SL": ("SO", "SL"), "All": ("C", "L", "SO", "SL")}
SLICES = ("data", "control", "relevant")

Report = Mapping[str, Any]
Record = dict[str, Any]


def default_answer(case: Case) -> Record:
    """The answer that people get from one failing run: where the fault is in the tree, the slices and the ranking."""
    report = butfor.api.explain(case.options()).to_dict()
    failure = report["failure"]
    if failure is None:
        return {"failure": None}
    tree = asdict(_counted(report, case))
    slices = {kind: _slice(report, kind, case) for kind in SLICES} if "slice" in report["methods"] else {}
    return {
        "failure": failure["kind"],
        "instructions": report["run"]["instructions"],
        "lines": sum(1 for file in case.sources for _ in (case.folder / file).open("rb")),
        "tree": tree | {"share": _share(report, tree["nodes"])},
        "slices": slices,
        "rank": tree["ranked"] or 0,
        "named": naming_methods(report, case.faulty),
        "seconds": report["run"]["analyse_seconds"],
    }


def asked_methods(case: Case) -> Record:
    """The methods that are only asked for, with all tests: which of them name the fault."""
    report = butfor.api.explain(case.options_of_tests(methods=ASKED, budget=ASKED_SECONDS)).to_dict()
    repairs = report["methods"].get("repair", {}).get("repairs", ())
    fixed = next((k for k, r in enumerate(repairs, 1) if (r["file"], r["line"]) in case.faulty), 0)
    return {
        "named": naming_methods(report, case.faulty),
        "complete": {name: bool(report["methods"].get(name, {}).get("complete")) for name in ASKED},
        "repair": fixed,
        "seconds": report["run"]["analyse_seconds"],
    }


def tree_variants(case: Case) -> Record:
    """The cause tree with some of its optimisations; the processor time is that of the tree alone."""
    found = {}
    run = _failing_run(case)
    for name, kept in VARIANTS.items():
        without = tuple(own for paper, own in OPTIMISATIONS.items() if paper not in kept)
        options = case.options(methods=("slice", "cascade"), without=without)
        report = butfor.api.explain(options).to_dict()
        nodes = report["methods"]["cascade"]["causes"]
        found[name] = {
            "lines": len({(s["file"], s["line"]) for node in nodes for s in node["statements"]}),
            "share": _share(report, len(nodes)),
            "constraints": report["methods"]["cascade"].get("constraints"),
            "seconds": min(_tree_seconds(run, without) for _ in range(TREES_TIMED)),
            "found": _counted(report, case).is_found,
            "complete": report["methods"]["cascade"]["complete"],
        }
    return found


def _failing_run(case: Case) -> FailingRun:
    """The failing run of a case, ready to be explained."""
    options = case.options()
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    recording = recording.with_expectations(options.expect_stdout, options.expect_exit)
    places, dependence = Places(recording), Dependence(recording.trace)
    failure = verdict_on(recording, places, dependence, options).failure
    if failure is None:
        raise ButforError(f"{case.name}: the run does not fail")
    return FailingRun(recording, failure, dependence, places, options, Budget(options.budget))


def _tree_seconds(run: FailingRun, without: Collection[str]) -> float:
    """The processor seconds of one tree, when nothing is known of what the run's values depended on."""
    fresh = replace(run, dependence=Dependence(run.trace), budget=Budget(run.budget.seconds))
    start = time.process_time()
    cause_tree_of_run(fresh, CauseTreeMethod.depth, frozenset(without))
    return time.process_time() - start


def fixes_on_the_path(case: Case) -> Record:
    """PED's Table 1: solutions on the failing path, and those that change the faulty statement; memory errors only."""
    report = butfor.api.explain(case.options(methods=("slice",))).to_dict()
    if report["failure"] is None or report["failure"]["kind"] not in (FailureKind.MEMORY, FailureKind.SIGNAL):
        return {}
    length, cells = fixes.measured(case.options(), case.faulty)
    return {"length": length, "columns": {name: asdict(cell) for name, cell in cells.items()}}


PARTS: dict[str, Callable[[Case], Record]] = {
    "answer": default_answer,
    "asked": asked_methods,
    "variants": tree_variants,
    "fixes": fixes_on_the_path,
}


def measure(case: Case, part: str) -> Record:
    """One part of one case, with the time that it took; butfor's own errors are part of the result."""
    os.chdir(case.folder)
    start = time.monotonic()
    try:
        found = PARTS[part](case)
    except ButforError as error:
        found = {"error": error.message}
    return {"case": case.name, "part": part, **found, "wall": round(time.monotonic() - start, 2)}


def naming_methods(report: Report, faulty: frozenset[tuple[str, int]]) -> list[str]:
    """The methods that give a reason for a faulty statement."""
    rows = [row for row in report["ranking"] if not faulty.isdisjoint(_lines(row))]
    return sorted({reason["method"] for row in rows for reason in row["reasons"]})


def _lines(row: Report) -> Iterable[tuple[str, int]]:
    return [(row["file"], row["line"]), *((also["file"], also["line"]) for also in row.get("also", ()))]


def _counted(report: Report, case: Case) -> Any:
    file = min(name for name, _ in case.faulty)
    return count(report, file, {line for name, line in case.faulty if name == file})


def _slice(report: Report, kind: str, case: Case) -> Record:
    found = report["methods"]["slice"][kind]
    lines = {(file, line) for file, line in found["lines"]}
    return {"share": found["instances"] / report["run"]["instructions"], "found": not lines.isdisjoint(case.faulty)}


def _share(report: Report, nodes: int | None) -> float | None:
    """The instances in the first nodes of the tree, as a share of the run; of a statement, the most in one node."""
    if nodes is None:
        return None
    instances: dict[tuple[Any, ...], int] = {}
    for node in report["methods"]["cascade"]["causes"][:nodes]:
        for s in node["statements"]:
            key = s["file"], s["line"], s["text"]
            instances[key] = max(instances.get(key, 0), s.get("instances", 1))
    total: int = report["run"]["instructions"]
    return min(1.0, sum(instances.values()) / total)
