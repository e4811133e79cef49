"""The papers' tables as Markdown, from the results of `bench.papers` and the numbers that the papers print."""

from __future__ import annotations

import os
import platform
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.paper_cases import LAYOUT, Case
from bench.paper_measures import ASKED, SLICES, VARIANTS

PUBLISHED = tomllib.loads((Path(__file__).parent / "published.toml").read_text("utf-8"))
TOPS = (1, 3, 5, 10)
COUNTINGS = {"until": "until", "without_inputs": "-in", "path": "path", "ranked": "ranked"}
_COUNTED = """\
*until*: distinct source lines of all nodes of the cause tree up to and including the one with the fault, without the
failed check, `#define` lines folded into their uses. *-in*: also without statements that only read inputs. *path*: the
nodes from the root to the hit. *ranked*: rows of the ranking until the fault. *level* counts from 1. *C%*: instances in
the tree until the fault, as a share of the run. One failing run for each version, the first of its list.
"""

Record = Mapping[str, Any]
Results = Mapping[tuple[str, str], Record]
Row = tuple[Case, Record]


def document(cases: Sequence[Case], results: Results, note: str = "") -> str:
    """All tables, with date and machine, and a sentence of the one who measured."""
    parts = {
        part: [(c, results[c.name, part]) for c in cases if _is_there(results.get((c.name, part)))]
        for part in ("answer", "asked", "variants", "fixes")
    }
    versions = sorted({r["commit"] for rows in parts.values() for _, r in rows if "commit" in r})
    blocks = [
        "# Evaluation",
        "Written by `python -m bench.papers --data DIR --write docs/evaluation.md` on"
        f" {datetime.now(UTC):%Y-%m-%d}, {_machine()}; butfor {', '.join(versions) or '(nothing measured)'}.\n"
        "The suites are not part of the repository; the numbers of the papers are those that they print."
        f"{' ' if note else ''}{note}",
        "## The fault in the cause tree",
        _COUNTED,
        *_suite_table(parts["answer"], cases),
        *_tcas_table(parts["answer"]),
        *_slices_table(parts["answer"]),
        *_variants_table(parts["variants"]),
        *_fixes_table(parts["fixes"]),
        *_methods_table(parts["answer"], parts["asked"]),
        *_missing(cases, results),
        "## Data folders",
        LAYOUT,
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def _is_there(record: Record | None) -> bool:
    return record is not None and "error" not in record and record.get("failure", "") is not None


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---", *("--:" for _ in heads[1:])], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _average(values: Iterable[float | None], digits: int = 1) -> str:
    known = [v for v in values if v is not None]
    return f"{mean(known):.{digits}f}" if known else "-"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _shares(values: Iterable[float | None]) -> str:
    known = [v for v in values if v is not None]
    return _percent(mean(known)) if known else "-"


def _by(rows: Iterable[Row], key: Callable[[Case], str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row[0]), []).append(row)
    return groups


def _program(case: Case) -> str:
    """What a row of a summary is about: a program with its versions, or a suite of many programs."""
    return case.suite if case.program.count("-") > 1 else case.program


def _suite_table(rows: Sequence[Row], cases: Sequence[Case]) -> Iterator[str]:
    if not rows:
        return
    there = Counter(map(_program, cases))
    heads = ["program", "measured", "in the tree", "level", "C%", *COUNTINGS.values(), "seconds"]
    table = []
    for name, group in _by(rows, _program).items():
        trees = [r["tree"] for _, r in group]
        found = [t for t in trees if t["level"] is not None]
        counted = [_average(t[key] for t in (trees if key == "ranked" else found)) for key in COUNTINGS]
        seconds = f"{median(r['seconds'] for _, r in group):.1f}"
        level, share = _average(t["level"] for t in found), _shares(t["share"] for t in found)
        table.append([name, f"{len(group)} of {there[name]}", len(found), level, share, *counted, seconds])
    yield _table(heads, table)
    yield (
        "Averages over the versions whose fault is in the tree (*ranked*: in the ranking);"
        " *seconds* is the median of the whole answer."
    )


def _tcas_table(rows: Sequence[Row]) -> Iterator[str]:
    published = PUBLISHED["cafl"]["tcas"]
    tcas = [(c, r) for c, r in rows if c.program == "tcas" and c.version in published]
    if not tcas:
        return
    yield "## CaFL, Tables III and IV: TCAS"
    heads = ["version", "failing", "level", "C%", *COUNTINGS.values(), "CaFL: level", "C%", "lines", "BugAssist: lines"]
    table = []
    for case, r in tcas:
        tree, paper = r["tree"], published[case.version]
        counted = ["-" if tree[key] is None else tree[key] for key in COUNTINGS]
        failing = "-" if case.failing_in_suite is None else case.failing_in_suite
        table.append(
            [
                case.version,
                failing,
                tree["level"] or "-",
                _percent(tree["share"]),
                *counted,
                paper[0],
                paper[1],
                paper[3],
                paper[4],
            ]
        )
    papers = [published[c.version] for c, _ in tcas]
    ours = [_average(r["tree"][key] for _, r in tcas) for key in COUNTINGS]
    levels, shares = _average(r["tree"]["level"] for _, r in tcas), _shares(r["tree"]["share"] for _, r in tcas)
    table.append(["average", "", levels, shares, *ours, *(_average(p[k] for p in papers) for k in (0, 1, 3, 4))])
    yield _table(heads, table)


def _slices_table(rows: Sequence[Row]) -> Iterator[str]:
    published = PUBLISHED["cafl"]["programs"]
    groups = {name: group for name, group in _by(rows, _program).items() if name in published}
    if not groups:
        return
    yield "## CaFL, Table V: slices and the cause tree"
    heads = ["program", "versions"]
    heads += [f"{name}: {what}" for name in ("dynamic slice", "relevant slice", "tree") for what in ("found", "C%")]
    heads += ["level", "paper: versions", "DS C%", "RS C%", "CaFL C%", "level"]
    table = []
    for name, group in groups.items():
        cells: list[object] = [name, len(group)]
        for kind in SLICES[1:]:
            slices = [r["slices"][kind] for _, r in group if r["slices"]]
            cells += [sum(s["found"] for s in slices), _shares(s["share"] for s in slices)]
        trees = [r["tree"] for _, r in group]
        cells += [sum(t["level"] is not None for t in trees), _shares(t["share"] for t in trees)]
        paper = published[name]
        cells += [_average(t["level"] for t in trees), paper[0], paper[2], paper[4], paper[6], paper[7]]
        table.append(cells)
    yield _table(heads, table)


def _variants_table(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## CaFL, Tables VI to VIII: optimisations"
    yield (
        "The whole tree, not only until the fault. None: no optimisation. C: trusted functions. L: loop recognition."
        " SO: unrelated constraints left out. SL: slicing. Averages; *seconds*: processor time of the tree alone, in a"
        " warm process. The paper's are medians of those of its twelve programs of Busybox and Coreutils that ended."
    )
    heads = ["program", "variant", "fault found", "lines", "C%", "seconds", "constraints"]
    table: list[Sequence[object]] = []
    for name, group in _by(rows, _program).items():
        for variant in VARIANTS:
            cells = [r[variant] for _, r in group]
            lines, shares = _average(c["lines"] for c in cells), _shares(c["share"] for c in cells)
            seconds, constraints = _average((c["seconds"] for c in cells), 2), _average(c["constraints"] for c in cells)
            found = f"{sum(c['found'] for c in cells)} of {len(cells)}"
            table.append([name, variant, found, lines, shares, seconds, constraints])
    for variant, (ended, lines, share, seconds, constraints) in PUBLISHED["cafl"]["variants"].items():
        table.append(["*the paper*", variant, f"{ended} of 12 ended", lines, share, seconds, constraints])
    yield _table(heads, table)


def _fixes_table(rows: Sequence[Row]) -> Iterator[str]:
    rows = [(c, r) for c, r in rows if "columns" in r]
    if not rows:
        return
    yield "## PED, Table 1: fixes on the failing path"
    yield (
        "*#L*: length of the path. *#F*: solutions, at most 250, with + where there may be more. *#U*: those that"
        " change the faulty statement. Memory errors only. The last column is what butfor does by itself, with its"
        " library of slips."
    )
    names = list(rows[0][1]["columns"])
    heads = ["program", "#L", *(f"{name}: #F / #U / s" for name in names)]
    table: list[Sequence[object]] = []
    for case, r in rows:
        table.append([f"{case.program} {case.version}", r["length"], *(_cell(r["columns"][name]) for name in names)])
    sums = []
    for name in names:
        cells = [r["columns"][name] for _, r in rows]
        fixes, useful, seconds = (sum(c[key] for c in cells) for key in ("fixes", "useful", "seconds"))
        sums.append(f"{fixes} / {useful} / {seconds:.0f}")
    table.append([f"sum of {len(rows)}", "", *sums])
    paper = PUBLISHED["ped"]
    table.append(
        ["*the paper, 25 errors*", "", *(" / ".join(map(str, paper[name])) if name in paper else "" for name in names)]
    )
    yield _table(heads, table)


def _cell(cell: Record) -> str:
    return f"{cell['fixes']}{'' if cell['complete'] else '+'} / {cell['useful']} / {cell['seconds']:.1f}"


def _methods_table(rows: Sequence[Row], asked: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Who names the faulty line"
    yield (
        "How often the faulty line is among the first rows of the default answer to one failing run, and which methods"
        f" give a reason for it; {', '.join(ASKED)} were asked with all tests of the folder."
    )
    others = {name: {c.name: r for c, r in group} for name, group in _by(asked, _program).items()}
    default = sorted({method for _, r in rows for method in r["named"]} - set(ASKED))
    heads = ["program", "versions", *(f"top-{k}" for k in TOPS), *default, *ASKED, "first repair there"]
    table = []
    for name, group in _by(rows, _program).items():
        more = others.get(name, {}).values()
        tops = [sum(0 < r["rank"] <= k for _, r in group) for k in TOPS]
        named = [sum(method in r["named"] for _, r in group) for method in default]
        by_asking = [f"{sum(m in r['named'] for r in more)} of {len(more)}" if more else "-" for m in ASKED]
        first = f"{sum(r['repair'] == 1 for r in more)} of {len(more)}" if more else "-"
        table.append([name, len(group), *tops, *named, *by_asking, first])
    yield _table(heads, table)


def _missing(cases: Sequence[Case], results: Results) -> Iterator[str]:
    """What could not be measured, by its reason: no number above hides it."""
    failed = [
        (c.name, part, r["error"])
        for (name, part), r in results.items()
        if "error" in r
        for c in cases
        if c.name == name
    ]
    no_failure = [c.name for c in cases if results.get((c.name, "answer"), {}).get("failure", "") is None]
    lines = [f"- {name}, {part}: {error}" for name, part, error in failed]
    lines += [f"- {name}: the first failing test does not fail in butfor" for name in no_failure]
    if lines:
        yield "## Not measured"
        yield "\n".join(lines)
