"""The story of real runs: steps, values, reasons, iterations of loops, memory, relevant input, stops of a debugger."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from butfor.explanation import Explanation
from butfor.report.formats import FORMATS
from butfor.run_story import Story, StoryStep
from butfor.story.tell_story import tell_story
from tests.small import case_of, explained, recorded, source

SUM = source("""
int step(int x, int y)
{
    int r = x + y;
    if (y == 9)
        r = r - 100;
    return r;
}
int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < atoi(argv[1]); i++)
        sum = step(sum, table[i]);
    assert(sum > 0 && argc);
    return 0;
}
""")
LIST = source("""
struct node { int value; struct node *next; };
static struct node *head;
int main(void)
{
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
        struct node *n = malloc(sizeof *n);
        n->value = atoi(line);
        n->next = head;
        head = n;
    }
    struct node *old = head;
    head = head->next;
    free(old);
    assert(head->value == 3);
    return 0;
}
""")


def told(folder: Path, program: Any, **knobs: Any) -> Story:
    """The story of a failing run."""
    story = explained(folder, program, story=True, **knobs).story
    assert story is not None
    return story


@pytest.fixture(scope="module")
def summed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The story of SUM."""
    return told(tmp_path_factory.mktemp("sum"), SUM, args=["8"])


def at(story: Story, text: str) -> list[StoryStep]:
    """The steps of a statement."""
    line = SUM.line_of(text)
    return [step for step in story.steps if step.line == line and step.text in text]


def test_steps_have_values_and_numbers(summed: Story) -> None:
    assert [step.number for step in summed.steps] == list(range(1, len(summed.steps) + 1))
    assert summed.total == len(summed.steps)
    (minus,) = at(summed, "r = r - 100;")
    assert (minus.kind, minus.target, minus.before, minus.after, minus.uses, minus.depth) == (
        "assign",
        "r",
        "23",
        "-77",
        (("r", "23"),),
        1,
    )
    assert summed.steps[summed.failing].line == SUM.line_of("assert(sum > 0")


def test_a_call_shows_its_parameters(summed: Story) -> None:
    calls = [step for step in at(summed, "sum = step(sum, table[i]);") if step.kind == "call"]
    assert [dict(step.uses) for step in calls[:2]] == [{"x": "0", "y": "3"}, {"x": "3", "y": "1"}]


def test_a_condition_of_two_parts_is_one_step(summed: Story) -> None:
    (check,) = [step for step in summed.steps if step.kind == "branch" and step.line == SUM.line_of("assert(sum > 0")]
    assert (check.text, check.outcome) == ("sum > 0 && argc", "false")


def test_iterations_of_loops(summed: Story) -> None:
    assigned = [step for step in at(summed, "sum = step(sum, table[i]);") if step.kind == "assign"]
    assert [(r.number, r.total) for step in assigned for r in step.iterations] == [(k, 8) for k in range(1, 9)]
    leaving = [step for step in summed.steps if step.outcome == "false" and step.text.startswith("i < ")]
    assert [(r.number, r.total) for step in leaving for r in step.iterations] == [(9, 8)]


def test_reasons_lead_to_earlier_steps(summed: Story) -> None:
    (minus,) = at(summed, "r = r - 100;")
    data, control = minus.reasons
    assert (data.kind, data.name, summed.steps[data.step].target, summed.steps[data.step].after) == (
        "data",
        "r",
        "r",
        "23",
    )
    assert (control.kind, summed.steps[control.step].text) == ("control", "y == 9")
    for k, step in enumerate(summed.steps):
        assert all(reason.step < k for reason in step.reasons)


def test_what_does_not_matter_is_told_as_such(tmp_path: Path) -> None:
    program = (
        "int main(int argc, char **argv) {\n int idle = argc;\n idle++;\n int x = argc;\n assert(x == 5);\n"
        " return idle; }\n"
    )
    marked = {step.text: step.is_relevant for step in told(tmp_path, program).steps}
    assert marked["int x = argc;"]
    assert not marked["idle++;"]


def test_memory_and_input(tmp_path: Path) -> None:
    story = told(tmp_path, LIST, stdin="3\n4\n5\n")
    names = [(o.name, o.storage) for o in story.objects]
    assert names.count(("16 bytes", "heap")) == 3
    head = names.index(("head", "global"))
    targets = [
        change.target
        for step in story.steps
        for change in step.changes
        if change.object == head and change.value not in (None, "NULL")
    ]
    assert all(story.objects[k].storage == "heap" for k in targets)
    freed = story.objects[targets[2]].freed_at
    assert story.steps[freed - 1].text == "free(old);"
    assert story.objects[targets[0]].freed_at == -1
    cells = {change.path for step in story.steps for change in step.changes if change.object == targets[0]}
    assert cells == {".value", ".next"}
    assert [(i.name, i.data, i.spans[0][0]) for i in story.inputs] == [
        ("stdin", b"3\n4\n5\n", 2)
    ]  # the 4, which is left in front


def test_arguments_that_matter(tmp_path: Path) -> None:
    program = (
        "int main(int argc, char **argv) {\n char c = argv[2][1];\n assert(c != 'y');\n return argv[1][0] == 0; }\n"
    )
    assert [(i.name, i.spans) for i in told(tmp_path, program, args=["ab", "xyz"]).inputs] == [("argv[2]", ((1, 2),))]


def test_a_long_run_is_cut_to_what_matters(tmp_path: Path) -> None:
    program = (
        "int main(int argc, char **argv) {\n int x = argc;\n volatile int idle = 0;\n"
        " for (int k = 0; k < 9000; k++)\n  idle += k;\n assert(x == 5);\n return 0; }\n"
    )
    story = told(tmp_path, program)
    assert story.total > 27_000
    assert len(story.steps) < 1000
    assert sum(step.skipped for step in story.steps) + len(story.steps) == story.total
    gap = next(k for k, step in enumerate(story.steps) if step.skipped)
    assert story.steps[gap].number == story.steps[gap - 1].number + 1 + story.steps[gap].skipped
    assert "int x = argc;" in {step.text for step in story.steps}


def test_recursion_has_frames(tmp_path: Path) -> None:
    program = (
        "int f(int n) {\n if (n == 0)\n  return 0;\n return 1 + f(n - 1); }\n"
        "int main(void) {\n assert(f(3) == 4);\n return 0; }\n"
    )
    story = told(tmp_path, program)
    deepest = max(story.steps, key=lambda step: step.depth)
    chain = []
    frame = deepest.frame
    while frame >= 0:
        chain.append(story.frames[frame].function)
        frame = story.frames[frame].parent
    assert chain == ["f", "f", "f", "f", "main"]


def test_the_bound_on_steps_is_kept(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, SUM, args=["8"]))
    assert len(tell_story(case).steps) > 40
    assert len(tell_story(case, most=40).steps) > 0


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Explanation]:
    """The explanation of SUM, and where it is."""
    folder = tmp_path_factory.mktemp("gdb")
    return folder, explained(folder, SUM, args=["8"], story=True)


def test_stops_name_the_occurrence(answer: tuple[Path, Explanation]) -> None:
    story = answer[1].story
    assert story is not None
    stops = {stop.line: (stop.at, stop.hit, stop.total) for stop in story.stops}
    line = SUM.line_of("sum = step(sum, table[i]);")
    assert stops[line] == (line, 8, 8)
    minus = SUM.line_of("r = r - 100;")
    assert stops[minus] == (minus, 1, 1)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_stops_at_the_occurrence(answer: tuple[Path, Explanation]) -> None:
    folder, explanation = answer
    subprocess.run(
        [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            "-g",
            "-O0",
            "-march=x86_64",
            "-fno-sanitize=all",
            "prog.c",
            "-o",
            "prog",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    (folder / "stops.gdb").write_text(FORMATS["gdb"].render(explanation).replace(f"{folder}/", ""))
    (folder / "go.gdb").write_text("run\n" + "info locals\ncontinue\n" * 12)
    done = subprocess.run(
        ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-x", "stops.gdb", "-x", "go.gdb", "./prog"],
        cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    line = SUM.line_of("sum = step(sum, table[i]);")
    if "ptrace" in done.stderr.lower():
        pytest.skip("this machine does not let gdb run programs")
    stopped = [text for text in done.stdout.split("Breakpoint ") if f"prog.c:{line}\n" in text and "sum = step" in text]
    assert len(stopped) == 1
    assert "i = 7\n" in stopped[0]


def test_an_update_that_crashes_while_it_reads_is_told_without_an_old_value(tmp_path: Path) -> None:
    program = source("""
struct account { int name; int balance; };
static void deposit(struct account *to, int amount)
{
    to->balance += amount;
}
int main(void)
{
    deposit(NULL, 5);
    return 0;
}
""")
    last = told(tmp_path, program).steps[-1]
    assert (last.line, last.before, last.after) == (program.line_of("to->balance +="), None, None)
