"""The campaign: generate programs, ask butfor about failing runs, check every claim it makes."""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from butfor.api import explain
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.options import Options, make_options
from butfor.pipeline import analyse
from tests.claims.check_causes import check_causes
from tests.claims.check_changes import check_changes
from tests.claims.check_diagnoses import check_diagnoses
from tests.claims.check_invariants import check_invariants
from tests.claims.check_relevance import check_relevance, check_security
from tests.claims.check_repairs import check_repairs
from tests.claims.check_several_runs import check_several_runs
from tests.claims.check_solutions import check_solutions
from tests.claims.check_told_values import METHOD as TOLD
from tests.claims.check_told_values import check_told_values
from tests.claims.check_whole_program import check_failure, check_proofs
from tests.claims.claim_model import Claim, FailingCase, Verdict, failing_case, is_failure
from tests.claims.generate_program import KINDS, generate
from tests.claims.native import native_input
from tests.claims.print_program import Printed, print_program
from tests.claims.run_program import all_inputs, run_program
from tests.claims.shrink_program import shrunk
from tests.claims.small_program import Havoc, Program

CHECKS: tuple[Callable[[FailingCase], Iterator[Claim]], ...] = (
    check_failure,
    check_changes,
    check_relevance,
    check_security,
    check_diagnoses,
    check_invariants,
    check_causes,
    check_told_values,
    check_proofs,
    check_repairs,
    check_solutions,
)
RUN_METHODS = ("cascade", "butfor", "security", "error-invariants", "relevance", "diagnoses", "proofs")
FIRST_RUN_METHODS = ("butfor", "proofs", "repair")  # asked about one run of a program: they are slow, or say the same
PATH_METHODS = ("cascade", "error-invariants", "relevance", "diagnoses")
REPAIRED = 16  # every so many programs is repaired: that takes seconds, the other methods take tenths of them
FIRST_SETTINGS: Mapping[str, Any] = {}
# Other runs of a program are asked about with options too: what they say changes with them, or how it is found.
SETTINGS: tuple[Mapping[str, Any], ...] = (
    FIRST_SETTINGS,
    {"inputs": "free"},
    {"inputs": "pinned"},
    {"flow_insensitive": True},
    {"method_options": {"error-invariants": {"engine": "recursive"}}},
)
SEVERAL_METHODS = ("relevance", "diagnoses")
MAX_SEVERAL = 3  # failing runs that are explained at once
BOOGIE_REPAIR_SECONDS = 20.0  # the search for repairs of Boogie programs takes all that it gets
BUDGET_SECONDS = 60.0  # on a machine that is busy an answer takes many times as long as on one that is not
MAX_RUNS_PER_PROGRAM = 4  # failing runs that are explained; others of the same program say much the same


@dataclass
class Tally:
    """How many claims of each kind were checked, and those that were refuted."""

    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)  # language, method, kind, verdict
    reasons: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # of claims that were not checked
    refuted: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    programs: int = 0
    runs: int = 0
    cpu_seconds: float = 0.0

    @property
    def checked(self) -> int:
        """All claims that were checked; values that are told are checked too, but not counted among them."""
        return sum(
            n
            for (_, method, _, verdict), n in self.counts.items()
            if verdict != Verdict.UNCHECKED.value and method != TOLD
        )

    def add(self, other: Tally) -> None:
        """Add what another part of the campaign found."""
        self.counts += other.counts
        self.reasons += other.reasons
        self.refuted += other.refuted
        self.errors += other.errors
        self.programs += other.programs
        self.runs += other.runs
        self.cpu_seconds += other.cpu_seconds


def silent(text: str) -> None:
    """Ignore progress messages."""


def run_options(
    program: Program,
    source: Path,
    inputs: Sequence[int],
    methods: Sequence[str],
    settings: Mapping[str, Any] = FIRST_SETTINGS,
) -> Options:
    """The options with which butfor sees a run of a C program."""
    args, stdin, _ = native_input(program, inputs)
    nondet = tuple(inputs) if program.style == "nondet" else ()
    return make_options(
        source,
        args=tuple(args),
        stdin=stdin,
        nondet=nondet,
        methods=tuple(methods),
        budget=BUDGET_SECONDS,
        **settings,
    )


def c_cases(printed: Printed, folder: Path, methods: Sequence[str], most: int, seed: str) -> Iterator[FailingCase]:
    """The answers about failing runs of a C program."""
    program = printed.program
    source = folder / "prog.c"
    source.write_text(printed.text)
    failing = failing_inputs(program)
    build = None
    step = max(1, len(failing) // most)
    for number, inputs in enumerate(failing[::step][:most]):
        asked = [m for m in methods if not number or m not in FIRST_RUN_METHODS]
        settings = random.Random(f"{seed} {number}").choice(SETTINGS) if number else FIRST_SETTINGS
        options = run_options(program, source, inputs, asked, settings)
        build = build or compile_program(options, silent)
        answer = analyse(record(options, build, silent), options, silent).to_dict()
        if answer["failure"] is None:
            raise AssertionError(f"butfor sees no failure with inputs {inputs}")
        yield failing_case(printed, inputs, answer, seed, settings)


def failing_inputs(program: Program) -> list[tuple[int, ...]]:
    """The inputs with which a program fails."""
    return [i for i in all_inputs(program) if is_failure(run_program(program, i))]


def several_runs(printed: Printed, folder: Path, seed: str) -> tuple[dict[str, FailingCase], Mapping[str, Any]] | None:
    """Several failing runs of a C program, the one that is explained first, and the answer about all of them."""
    program = printed.program
    failing = failing_inputs(program)
    chosen = failing[:: max(1, len(failing) // MAX_SEVERAL)][:MAX_SEVERAL]
    if len(chosen) < 2:
        return None
    tests = folder / "tests.json"
    tests.write_text(json.dumps({"tests": [_test(program, i) for i in chosen]}))
    source = folder / "prog.c"
    source.write_text(printed.text)
    options = make_options(source, tests=tests, methods=SEVERAL_METHODS, budget=BUDGET_SECONDS)
    answer = explain(options).to_dict()
    explained = re.search(r"test '([-\d ]+)', is explained", " ".join(answer["notes"]))
    first = chosen[0] if explained is None else tuple(map(int, explained[1].split()))
    ordered = sorted(chosen, key=lambda i: i != first)
    found = {_test_name(i): failing_case(printed, i, answer, seed) for i in ordered}
    found[_test_name(first)].asked_with = f"tests {', '.join(found)}"
    return found, answer


def _test_name(inputs: Sequence[int]) -> str:
    return " ".join(map(str, inputs))


def _test(program: Program, inputs: Sequence[int]) -> dict[str, Any]:
    args, stdin, _ = native_input(program, inputs)
    nondet = list(inputs) if program.style == "nondet" else []
    return {"name": _test_name(inputs), "args": args, "stdin": stdin.decode(), "nondet": nondet}


def boogie_cases(printed: Printed, folder: Path, methods: Sequence[str], seed: str) -> Iterator[FailingCase]:
    """The answers about a Boogie program, with the usual options and with others."""
    source = folder / "prog.bpl"
    source.write_text(printed.text)
    budget = BOOGIE_REPAIR_SECONDS if "repair" in methods else BUDGET_SECONDS
    for settings in (FIRST_SETTINGS, random.Random(seed).choice(SETTINGS[2:])):
        options = make_options(source, methods=tuple(methods), budget=budget, **settings)
        answer = explain(options).to_dict()
        if answer["failure"] is None:
            raise AssertionError("butfor finds no failure")
        yield failing_case(printed, found_inputs(printed.program, answer), answer, seed, settings)


def found_inputs(program: Program, answer: dict[str, Any]) -> tuple[int, ...]:
    """The values of the inputs that butfor found, from the path in its report."""
    found = dict.fromkeys(range(len(program.domains)), 0)
    havocs = {s.name: s.number for s in program.main.body if isinstance(s, Havoc)}
    for step in answer["methods"]["path"]:
        if step["kind"] == "havoc":
            found.update((havocs[name], int(value)) for name, value in step["values"].items() if name in havocs)
    return tuple(found.values())


def cases(program: Program, folder: Path, methods: Sequence[str], seed: str, most: int) -> Iterator[FailingCase]:
    """The failing runs of a program with butfor's answers."""
    printed = print_program(program)
    if program.language == "c":
        return c_cases(printed, folder, methods, most, seed)
    return boogie_cases(printed, folder, methods, seed)


def check_case(case: FailingCase) -> Iterator[Claim]:
    """All claims of one answer, checked."""
    for check in CHECKS:
        yield from check(case)


def check_program(program: Program, seed: str, methods: Sequence[str] = (), most: int = MAX_RUNS_PER_PROGRAM) -> Tally:
    """The claims about failing runs of a program."""
    tally = Tally(programs=1)
    methods = methods or (RUN_METHODS if program.language == "c" else PATH_METHODS)
    with tempfile.TemporaryDirectory() as name:
        try:
            for case in cases(program, Path(name), methods, seed, most):
                tally.runs += 1
                for claim in check_case(case):
                    _count(tally, case, claim, seed)
            if program.language == "c" and set(methods) >= set(SEVERAL_METHODS):
                several = several_runs(print_program(program), Path(name), seed)
                if several is not None:
                    first = next(iter(several[0].values()))
                    for claim in check_several_runs(*several):
                        _count(tally, first, claim, seed)
        except Exception as e:  # a crash of butfor is a finding like any other
            where = traceback.extract_tb(e.__traceback__)[-1]
            said = f"{type(e).__name__}: {e} ({Path(where.filename).name}:{where.lineno})"
            tally.errors.append(f"{seed}: {said}\n{print_program(program).text}")
    return tally


def _count(tally: Tally, case: FailingCase, claim: Claim, seed: str) -> None:
    language = "wide C" if case.program.is_wide else case.program.language
    tally.counts[language, claim.method, claim.kind, claim.verdict.value] += 1
    if claim.verdict is Verdict.UNCHECKED:
        tally.reasons[claim.method, claim.kind, claim.reason] += 1
    if claim.verdict is Verdict.REFUTED:
        tally.refuted.append(
            {
                "seed": seed,
                "language": language,
                "inputs": case.inputs,
                "asked_with": case.asked_with,
                "method": claim.method,
                "kind": claim.kind,
                "claim": claim.text,
                "refuted_by": claim.reason,
                "program": case.printed.text,
            }
        )


def shrunk_refutation(found: Mapping[str, Any]) -> dict[str, Any]:
    """The same refutation on a program as small as can be."""
    kind, _, number = str(found["seed"]).partition(" ")
    methods = ("relevance",) if found["method"] == "security" else (found["method"],)
    asked: tuple[str, ...] = () if found["method"] == "failure" else methods
    best = dict(found)

    def is_refuted(program: Program) -> bool:
        tally = check_program(program, str(found["seed"]), asked)
        same = [r for r in tally.refuted if (r["method"], r["kind"]) == (found["method"], found["kind"])]
        best.update(same[0] if same else {})
        return bool(same)

    shrunk(generate(int(number), kind), is_refuted)
    return best


def campaign(seeds: Sequence[int], kinds: Sequence[str] = KINDS) -> Tally:
    """The claims about the programs of some seeds; every so many are repaired too."""
    tally = Tally()
    before = _cpu_seconds()
    for seed in seeds:
        for kind in kinds:
            methods = PATH_METHODS if kind == "boogie" else RUN_METHODS
            asked = (*methods, "repair") if seed % REPAIRED == 1 else methods
            tally.add(check_program(generate(seed, kind), f"{kind} {seed}", asked))
    tally.cpu_seconds = _cpu_seconds() - before
    return tally


def _cpu_seconds() -> float:
    """The CPU time of this process and of those that it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
