"""The programs under tests/seeded with one fault each: source, lines of the fault, tests that fail and pass.

`faults()` reads texts only; `load()` and `corpus()` also compile and run, with results kept in butfor's cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import tree_sitter
import tree_sitter_c

import butfor.api
from butfor.explanation import Explanation
from butfor.failures.find_failure import find_failure
from butfor.frontends.c import toolchain
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.method import CauseTreeMethod
from butfor.methods.cause_tree.run_causes import CauseTree
from butfor.native import build_cache as store
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import is_step

FOLDER = Path(__file__).parent / "seeded"
LEVEL = 3  # down to which a cause tree is looked at
TIME_LIMIT = 2.0
_RUN = 'ulimit -c 0; ulimit -t 1; ulimit -f 128; exec "$0" "$@"'  # one second of the processor, 64 KB of output
_ABRT = 6
_STOPPED = (-9, -24, -25)  # by SIGKILL, SIGXCPU, SIGXFSZ: a limit


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as faults.toml states it, put into its program."""

    id: str
    kind: str
    program: str
    before: tuple[str, ...]
    source_text: str
    correct_text: str
    fault_lines: frozenset[int]  # of source_text


@dataclass(frozen=True, slots=True)
class Trial:
    """One test: its input and how the correct program ended.

    `how` the program in question ended: pass, output, exit, crash, assertion, no-end.
    """

    number: int
    args: tuple[str, ...]
    stdin: bytes
    expect_stdout: bytes
    expect_exit: int
    how: str

    @property
    def size(self) -> int:
        """Bytes of input."""
        return len(self.stdin) + sum(len(a.encode()) + 1 for a in self.args)


@dataclass(frozen=True, slots=True)
class Seeded:
    """A faulty program with its tests; `path` is a file with `source_text` that stays in place."""

    id: str
    kind: str
    program: str
    source_text: str
    correct_text: str
    fault_lines: frozenset[int]
    failing: tuple[Trial, ...]
    passing: tuple[Trial, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class Run:
    """How one run ended; `exit` is None when a limit stopped it, negative after a signal."""

    stdout: bytes
    exit: int | None
    asserted: bool


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a run is in its cause tree, down to LEVEL: distinct source lines and instances of steps."""

    tree_lines: int
    executed_lines: int
    tree_steps: int
    executed_steps: int

    @property
    def of_lines(self) -> float:
        """The share of the executed source lines."""
        return self.tree_lines / max(self.executed_lines, 1)

    @property
    def of_steps(self) -> float:
        """The share of the executed steps."""
        return self.tree_steps / max(self.executed_steps, 1)


# --- texts ----------------------------------------------------------------------------------------------------------


def program_names() -> list[str]:
    """All programs."""
    return sorted(p.stem for p in (FOLDER / "programs").glob("*.c"))


def correct_text(program: str) -> str:
    """The source of a correct program."""
    return (FOLDER / "programs" / f"{program}.c").read_text("utf-8")


@cache
def faults() -> tuple[Fault, ...]:
    """All faults, in the order of the file."""
    with open(FOLDER / "faults.toml", "rb") as file:
        return tuple(_fault(row) for row in tomllib.load(file)["fault"])


def places_of(before: tuple[str, ...], text: str) -> list[int]:
    """The indices of lines at which these lines stand, whatever their indentation."""
    lines = [line.strip() for line in text.splitlines()]
    return [k for k in range(len(lines)) if tuple(lines[k : k + len(before)]) == before]


def _fault(row: dict[str, str]) -> Fault:
    text = correct_text(row["program"])
    before, after = _lines(row["before"]), _lines(row["after"])
    at, *more = places_of(before, text)
    assert not more, f"{row['id']}: the text stands more than once"
    same = next(
        (k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    tail = next(
        (k for k in range(min(len(before), len(after)) - same) if before[-1 - k] != after[-1 - k]),
        min(len(before), len(after)) - same,
    )
    old = text.splitlines(keepends=True)
    start, end = at + same, at + len(before) - tail
    indent = old[start][: len(old[start]) - len(old[start].lstrip())]
    new = [f"{indent}{line}\n" for line in after[same : len(after) - tail]]
    faulty = "".join([*old[:start], *new, *old[end:]])
    lines = _changed(faulty, start, len(new)) if new else _omitted(faulty, start)
    return Fault(row["id"], row["kind"], row["program"], before, faulty, text, frozenset(lines))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def _changed(text: str, start: int, count: int) -> Iterator[int]:
    """The changed lines, and the lines where their statements begin."""
    root = _parsed(text)
    for row in range(start, start + count):
        yield row + 1
        node = root.descendant_for_point_range((row, _indent(text, row)), (row, _indent(text, row)))
        while node is not None and not _is_statement(node):
            node = node.parent
        if node is not None and node.type not in ("compound_statement", "case_statement") and node.parent != root:
            yield node.start_point.row + 1


def _omitted(text: str, row: int) -> Iterator[int]:
    """The statements around the place before a line, within their block, and the condition that the block is under."""
    column = _indent(text, row)
    block = _parsed(text).descendant_for_point_range((row, column), (row, column))
    while block is not None and not (
        block.type in ("compound_statement", "case_statement") and block.start_point.row < row
    ):
        block = block.parent
    assert block is not None
    inside = [n for n in block.named_children if _is_statement(n)]
    yield from (n.start_point.row + 1 for n in [n for n in inside if n.start_point.row < row][-1:])
    yield from (n.start_point.row + 1 for n in [n for n in inside if n.start_point.row >= row][:1])
    under: tree_sitter.Node | None = block
    while under is not None and under.type not in (
        "if_statement",
        "while_statement",
        "for_statement",
        "do_statement",
        "switch_statement",
    ):
        under = under.parent
    if under is not None:
        condition = under.child_by_field_name("condition")
        yield (condition or under).start_point.row + 1


def _is_statement(node: tree_sitter.Node) -> bool:
    return node.type.endswith(("_statement", "declaration", "definition", "_def"))


def _indent(text: str, row: int) -> int:
    line = text.splitlines()[row]
    return len(line) - len(line.lstrip())


@cache
def _parsed(text: str) -> tree_sitter.Node:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language())).parse(text.encode()).root_node


# --- runs -----------------------------------------------------------------------------------------------------------


def inputs(program: str) -> list[tuple[tuple[str, ...], bytes]]:
    """The arguments and the standard input of each test of a program."""
    tests = json.loads((FOLDER / "tests" / f"{program}.json").read_text("utf-8"))["tests"]
    return [(tuple(t.get("args", ())), t.get("stdin", "").encode()) for t in tests]


def native(text: str, name: str) -> Path:
    """The folder with the source `NAME.c` and the plain executable `program`."""
    compiler = toolchain.find_compiler(None)
    key = store.key_of([metadata.version("ziglang"), *compiler.command, name, text])

    def make(work: Path) -> None:
        source = work / f"{name}.c"
        source.write_text(text, "utf-8")
        flags = ("-O0", "-w", "-fno-stack-protector", str(source), "-o", str(work / "program"), "-lm")
        toolchain.run_tool([*compiler.command, *compiler.arch_flags, *flags], "native build")

    return store.entry("seeded", key, make)


def runs(text: str, program: str) -> list[Run]:
    """How the tests of a program end with this source text."""
    tests = inputs(program)
    key = store.key_of([metadata.version("ziglang"), _RUN, program, text, repr(tests)])

    def make(work: Path) -> None:
        executable = native(text, program) / "program"
        done = [_run(executable, *test) for test in tests]
        plain = [{"stdout": r.stdout.decode("latin-1"), "exit": r.exit, "asserted": r.asserted} for r in done]
        (work / "runs.json").write_text(json.dumps(plain), "utf-8")

    rows = json.loads((store.entry("seeded-runs", key, make) / "runs.json").read_text("utf-8"))
    return [Run(r["stdout"].encode("latin-1"), r["exit"], r["asserted"]) for r in rows]


def _run(executable: Path, args: tuple[str, ...], stdin: bytes) -> Run:
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", _RUN, str(executable), *args],
                input=stdin,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=TIME_LIMIT,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
            status: int | None = None if done.returncode in _STOPPED else done.returncode
            said = done.stderr
        except subprocess.TimeoutExpired:
            status, said = None, b""
        out.seek(0)
        return Run(out.read(), status, status == -_ABRT and b"Assertion" in said)


def run_correct(fault: Fault, args: tuple[str, ...], stdin: bytes) -> bytes:
    """What the program without the fault writes."""
    return subprocess.run(
        [native(fault.correct_text, fault.program) / "program", *args], input=stdin, capture_output=True, check=False
    ).stdout


def _how(right: Run, run: Run) -> str:
    if run.exit is None:
        return "no-end"
    if run.exit < 0:
        return "assertion" if run.asserted else "crash"
    return "output" if run.stdout != right.stdout else "exit" if run.exit != right.exit else "pass"


def load(fault: Fault) -> Seeded:
    """The fault with the results of its tests."""
    right = runs(fault.correct_text, fault.program)
    trials = []
    for k, ((args, stdin), good, run) in enumerate(
        zip(inputs(fault.program), right, runs(fault.source_text, fault.program), strict=True)
    ):
        assert good.exit is not None, f"{fault.program}: the correct program does not end in test {k}"
        assert good.exit >= 0, f"{fault.program}: the correct program fails test {k}"
        trials.append(Trial(k, args, stdin, good.stdout, good.exit, _how(good, run)))
    return Seeded(
        fault.id,
        fault.kind,
        fault.program,
        fault.source_text,
        fault.correct_text,
        fault.fault_lines,
        tuple(t for t in trials if t.how != "pass"),
        tuple(t for t in trials if t.how == "pass"),
        native(fault.source_text, fault.program) / f"{fault.program}.c",
    )


def corpus(wanted: Callable[[Fault], bool] = lambda fault: True) -> list[Seeded]:
    """All faults with the results of their tests."""
    chosen = [f for f in faults() if wanted(f)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: runs(correct_text(name), name), sorted({f.program for f in chosen})))
        return list(pool.map(load, chosen))


def smallest_failing(seeded: Seeded) -> Trial:
    """The failing test with the smallest input; one that ends, if there is one."""
    return min(seeded.failing, key=lambda t: (t.how == "no-end", t.size, t.number))


# --- cause trees ----------------------------------------------------------------------------------------------------


def options(seeded: Seeded, trial: Trial, methods: tuple[str, ...] = ("cascade",), **knobs: Any) -> Options:
    """What butfor is asked about one test."""
    return Options(
        sources=(seeded.path,),
        args=trial.args,
        stdin=trial.stdin,
        expect_stdout=trial.expect_stdout,
        expect_exit=trial.expect_exit,
        time_limit=1.0 if trial.how == "no-end" else TIME_LIMIT * 5,
        methods=methods,
        **knobs,
    )


def explained(seeded: Seeded, **knobs: Any) -> Explanation:
    """What butfor says about the smallest failing test."""
    return butfor.api.explain(options(seeded, smallest_failing(seeded), **knobs))


def found_at(seeded: Seeded, explanation: Explanation) -> int | None:
    """The level of the first cause that has a line of the fault as a statement or as its condition, if any.

    What only shows the failure, as the statement that printed a wrong output, belongs to the root.
    """
    causes = explanation.to_dict()["methods"]["cascade"]["causes"]
    if explanation.failure is not None and explanation.failure.line in seeded.fault_lines:
        return 0
    return min((c["level"] for c in causes if _lines_of(c) & seeded.fault_lines), default=None)


def _lines_of(cause: dict[str, Any]) -> set[int]:
    condition = cause["condition"]
    found = set() if condition is None else {condition["line"]}
    for s in cause["statements"]:
        found |= {s["line"], *s.get("lines", ()), *(macro["line"] for macro in s.get("macros", ()))}
    return found


def share(seeded: Seeded) -> Share:
    """How much of the smallest failing run is in its cause tree."""
    asked = options(seeded, smallest_failing(seeded))
    recording = record(asked, compile_program(asked, lambda text: None), lambda text: None)
    dependence, places, trace = Dependence(recording.trace), Places(recording), recording.trace
    failure = find_failure(recording, dependence).failure
    assert failure is not None, seeded.id
    tree = CauseTree(FailingRun(recording, failure, dependence, places, asked, Budget(asked.budget)))
    tree.open(CauseTreeMethod.depth)
    near = [c for c in tree.causes if c.level <= LEVEL]
    lines = {p.line for c in near for p in (*c.statements, *([] if c.condition is None else [c.condition]))}
    steps = {n for c in near for n in c.nodes if n[1] >= 0 and is_step(trace.instr(n))}
    executed: set[int] = set()
    count = 0
    for number, times in enumerate(recording.log.counts.tolist()):
        if times:
            s = trace.static[number]
            instrs = s.fn.instrs[s.seg.start : s.seg.end]
            executed |= {
                p.line for p in (places.of_instr(s.fn, i) for i in instrs if i.op != "alloca") if p is not None
            }
            count += times * sum(map(is_step, instrs))
    return Share(len(lines), len(executed | lines), len(steps), count)
