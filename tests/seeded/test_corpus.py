"""The seeded faults themselves: programs are correct, faults are well described, and each makes a test fail."""

from __future__ import annotations

from collections import Counter

import pytest

import butfor.api
from butfor.options import Options
from tests.seeded_corpus import (
    FOLDER,
    Fault,
    Seeded,
    corpus,
    correct_text,
    faults,
    inputs,
    load,
    places_of,
    program_names,
    runs,
    smallest_failing,
)

KINDS = {
    "operator",
    "constant",
    "variable",
    "index",
    "missing-statement",
    "missing-condition",
    "call",
    "initial",
    "pointer",
}
FEW = 3  # faults that may leave fewer than five tests passing
SAMPLE = faults()[2::10]


def test_size() -> None:
    kinds = Counter(f.kind for f in faults())
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= 5
    assert len(faults()) >= 60
    assert len({f.id for f in faults()}) == len(faults())
    assert len(program_names()) >= 16
    assert {f.program for f in faults()} == set(program_names())


@pytest.mark.parametrize("program", program_names())
def test_inputs(program: str) -> None:
    tests = inputs(program)
    assert 20 <= len(tests) <= 30
    assert len(set(tests)) == len(tests)
    assert 60 <= len(correct_text(program).splitlines()) <= 220


def test_descriptions() -> None:
    for fault in faults():
        assert len(places_of(fault.before, fault.correct_text)) == 1, fault.id
        assert fault.source_text != fault.correct_text, fault.id
        lines = fault.source_text.splitlines()
        assert fault.fault_lines, fault.id
        assert all(lines[number - 1].strip() not in ("", "{", "}") for number in fault.fault_lines), fault.id


def test_lines_of_omissions() -> None:
    by_id = {f.id: f for f in faults()}

    def texts(name: str) -> list[str]:
        lines = by_id[name].source_text.splitlines()
        return [lines[k - 1].strip() for k in sorted(by_id[name].fault_lines)]

    assert texts("bits-log-without-shift") == ["if (x >> step) {", "n += step;"]
    assert texts("wrap-gaps-constant") == ["if (mode == FULL && !last) {", "slack -= extra;", "n += extra;"]
    assert texts("uncomment-comment-goes-on") == ["switch (s) {", "if (c == '\\n')"]
    assert texts("bst-delete-from-nothing") == ["if (key < t->key) {"]
    assert texts("bank-refused-but-booked")[1:] == ["r = debit(find(&bank, name), amount);", "bank.vault -= amount;"]


@pytest.mark.parametrize("program", program_names())
def test_correct_programs_have_no_failure(program: str) -> None:
    tests = inputs(program)
    right = runs(correct_text(program), program)
    for k in (len(tests) // 4, len(tests) // 2, len(tests) - 2):
        args, stdin = tests[k]
        asked = Options(
            sources=(FOLDER / "programs" / f"{program}.c",),
            args=args,
            stdin=stdin,
            expect_stdout=right[k].stdout,
            expect_exit=right[k].exit,
        )
        answer = butfor.api.explain(asked)
        assert answer.status == "no-failure", (args, stdin, answer.failure)
        assert not answer.memory_errors


def check(seeded: Seeded) -> None:
    """Tests fail and pass as they should."""
    assert seeded.failing, seeded.id
    assert seeded.path.read_text("utf-8") == seeded.source_text
    shown = smallest_failing(seeded)
    assert all(shown.size <= t.size or t.how == "no-end" for t in seeded.failing)


@pytest.mark.parametrize("fault", SAMPLE, ids=lambda f: f.id)
def test_fault_fails(fault: Fault) -> None:
    seeded = load(fault)
    check(seeded)
    assert len(seeded.passing) >= 5


@pytest.mark.slow
def test_every_fault_fails() -> None:
    every = corpus()
    for seeded in every:
        check(seeded)
    assert sum(len(s.passing) < 5 for s in every) <= FEW
    how = Counter(smallest_failing(s).how for s in every)
    assert how.keys() == {"output", "exit", "crash", "assertion", "no-end"}
    assert how["output"] > len(every) / 2
    assert min(how["crash"], how["assertion"]) >= 5
