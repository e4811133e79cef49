"""`--shrink`: a smaller input that fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.counterfactual.shrink_input import _reduce_number, _remove_parts
from butfor.errors import UsageError
from butfor.explanation import Explanation
from tests.commands import butfor_command
from tests.small import saved, written

KEYS = """int main(int argc, char **argv) {
 char line[200]; int found = 0, limit = argc > 2 ? atoi(argv[2]) : 3;
 while (fgets(line, sizeof line, stdin)) found += strstr(line, "key") != 0;
 for (int i = 1; i < argc; i++)
  if (!strcmp(argv[i], "--strict")) assert(found < 1 || limit < 17);
 return 0; }
"""


def shrunk(folder: Path, body: str, **knobs: Any) -> Explanation:
    """The explanation of a run with a reduced input."""
    return butfor.explain(written(folder, body), shrink=True, methods=["slice"], **knobs)


def test_arguments_and_input(tmp_path: Path) -> None:
    text = "".join(f"line {k} of the text\n" + "here is a key to it\n" * (k == 70) for k in range(120))
    answer = shrunk(tmp_path, KEYS, args=["-v", "1234", "--strict", "--more", "x"], stdin=text)
    found = answer.to_dict()["shrunk"]
    assert (found["args"], found["stdin"], found["complete"]) == (["", "17", "--strict"], "key", True)
    assert answer.run.args == ("", "17", "--strict")
    assert answer.notes[0] == f"the input was reduced from {len(text) + 26} to 16 bytes; it still fails the same way"
    assert answer.notes[1] == "the reduced input: arguments '' 17 --strict; standard input 'key'"
    assert answer.failure is not None
    assert answer.failure.message == "assertion failed: found < 1 || limit < 17"


def test_another_failure_is_not_taken(tmp_path: Path) -> None:
    body = (
        "int main(int argc, char **argv) {\n int n = atoi(argv[1]);\n assert(n > 5);\n assert(n < 900);\n return 0; }\n"
    )
    answer = shrunk(tmp_path, body, args=["123456"])
    assert answer.run.args == ("900",)
    assert answer.failure is not None
    assert answer.failure.message == "assertion failed: n < 900"


@pytest.mark.parametrize(
    ("body", "kind", "args", "least"),
    [
        (" int *p = atoi(argv[1]) > 40 ? 0 : &argc;\n return *p * 0; }", "signal", ["77", "x"], ("41",)),
        (" int a[9] = {0};\n return a[atoi(argv[1])] * 0; }", "memory", ["12"], ("9",)),
        (" return 7 / (atoi(argv[1]) - 20); }", "division", ["20", "a", "b"], ("20",)),
        (" return atoi(argv[1]) > 6 ? 5 : 0; }", "exit-status", ["99"], ("7",)),
        (" if (strlen(argv[1]) > 3) abort();\n return 0; }", "assertion", ["abcdefgh", "y"], None),
    ],
    ids=["signal", "memory", "division", "exit-status", "abort"],
)
def test_kinds(body: str, kind: str, args: list[str], least: tuple[str, ...] | None, tmp_path: Path) -> None:
    answer = shrunk(tmp_path, "int main(int argc, char **argv) {\n" + body, args=args)
    assert answer.failure is not None
    assert answer.failure.kind == kind
    assert answer.run.args == least if least is not None else len(answer.run.args[0]) == 4


def test_nondeterministic_values(tmp_path: Path) -> None:
    body = "int __VERIFIER_nondet_int(void);\nvoid reach_error(void) {}\n"
    body += (
        "int main(void) {\n"
        " int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n"
        " if (a + b > 50) reach_error();\n"
        " return 0; }\n"
    )
    found = shrunk(tmp_path, body, nondet=[40, 70, 5, 6]).to_dict()["shrunk"]
    assert sum(found["nondet"][:2]) == 51
    assert len(found["nondet"]) <= 2


OUTPUT = (
    "int main(int argc, char **argv) {\n"
    ' FILE *f = argc > 2 ? fopen(argv[2], "w") : 0;\n'
    " puts(argv[1]); assert(argc < 3); return argc; }\n"
)


@pytest.mark.parametrize(
    ("knobs", "note"),
    [
        ({"args": ["abc"], "expect_stdout": "abd\n"}, "what the program should do is known for this input only"),
        ({"args": ["abc"], "expect_exit": 0}, "what the program should do is known for this input only"),
        (
            {"args": ["abc", "out.txt"]},
            "the program writes files or acts on other programs, and would do so with any input",
        ),
    ],
    ids=["output", "exit", "files"],
)
def test_what_cannot_be_reduced_is_said(
    knobs: dict[str, Any], note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = shrunk(tmp_path, OUTPUT, **knobs)
    assert answer.notes[0] == f"the input is not reduced: {note}"
    assert answer.run.args == tuple(knobs["args"])
    assert answer.status == "explained"
    assert {p.name for p in tmp_path.iterdir()} <= {"prog.c", "out.txt"}


def test_runs_without_end_and_without_input(tmp_path: Path) -> None:
    assert "not end" in shrunk(tmp_path, "int main(void) {\n for (;;) ; }\n", step_limit=5000, stdin="x").notes[0]
    assert shrunk(tmp_path, "int main(void) {\n assert(0); }\n").notes[0] == "there is no input that could be reduced"
    assert shrunk(tmp_path, "int main(void) {\n return 0; }\n", args=["x"]).status == "no-failure"


def test_files_are_not_made_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A smaller input may lead to code that writes files: it is not run for real."""
    body = (
        "int main(int argc, char **argv) {\n"
        ' if (argc < 3 || strlen(argv[1]) < 4) { fclose(fopen("evil", "w")); assert(0); }\n'
        " assert(0); }\n"
    )
    monkeypatch.chdir(tmp_path)
    answer = shrunk(tmp_path, body, args=["abcdefgh", "second", "third"])
    assert [len(a) for a in answer.run.args] == [4, 0]
    assert [p.name for p in tmp_path.iterdir()] == ["prog.c"]


def test_the_time_is_limited(tmp_path: Path) -> None:
    body = (
        "int main(void) {\n"
        " long n = 0; int c;\n"
        " while ((c = getchar()) != EOF) n += c;\n"
        " assert(n < 15000000);\n"
        " return 0; }\n"
    )
    answer = shrunk(tmp_path, body, stdin="x" * 300000, budget=4)
    assert answer.to_dict()["shrunk"]["complete"] is False
    assert answer.notes[0].startswith("the input was reduced from 300000 to ")


def test_names_of_files_are_not_cut(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("12")
    body = 'int main(int argc, char **argv) {\n int n; FILE *f = fopen(argv[1], "r"); if (!f) return 3;\n'
    body += ' fscanf(f, "%d", &n); assert(n != 12); return 0; }\n'
    assert shrunk(tmp_path, body, args=[str(tmp_path / "data.txt"), "more"]).run.args == (str(tmp_path / "data.txt"),)


def test_by_command(tmp_path: Path) -> None:
    written(tmp_path, KEYS)
    done = butfor_command(
        ["explain", "prog.c", "--shrink", "--method", "slice", "--", "-", "30", "--strict"],
        tmp_path,
        stdin=b"a\nkey\nb\n",
    )
    assert done.code == 0
    assert "the input was reduced from 22 to 16 bytes; it still fails the same way" in done.stdout
    assert butfor_command(["explain", "prog.c", "--shrink", "--tests", "t.json"], tmp_path).code == 2
    saved(tmp_path, KEYS)
    recorded = butfor_command(["explain", "run.bfr", "--shrink"], tmp_path)
    assert (recorded.code, "the input of a recording is not reduced" in recorded.stderr) == (2, True)


def test_tests_bring_their_inputs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the inputs of tests are not reduced"):
        butfor.explain(written(tmp_path, KEYS), shrink=True, tests=tmp_path / "t.json")


def reduced(parts: str, test: Callable[[str], bool]) -> tuple[str, int]:
    """What is left of a text, and how often the test was asked."""
    best, asked = parts, 0

    def accepts(left: Sequence[str]) -> bool:
        nonlocal best, asked
        asked += 1
        if test("".join(left)):
            best = "".join(left)
            return True
        return False

    _remove_parts(parts, accepts)
    return best, asked


def test_parts_are_left_out() -> None:
    assert reduced("abcdefgh", lambda s: True)[0] == ""
    assert reduced("abcdefgh", lambda s: False)[0] == "abcdefgh"
    assert reduced("xaxbxcx" * 20, lambda s: all(c in s for c in "abc"))[0] in {
        "abc",
        "acb",
        "bac",
        "bca",
        "cab",
        "cba",
    }
    left, asked = reduced("." * 1000 + "!" + "." * 1000, lambda s: "!" in s)
    assert left == "!"
    assert asked < 100
    assert reduced("", lambda s: True) == ("", 0)


@pytest.mark.parametrize(("start", "least"), [(1000, 17), (-1000, -17), (17, 17), (5, 5), (10**18, 17), (0, 0)])
def test_numbers_come_closer_to_zero(start: int, least: int) -> None:
    best, asked = start, 0

    def accepts(n: int) -> bool:
        nonlocal best, asked
        asked += 1
        if abs(n) >= 17:
            best = n
            return True
        return False

    _reduce_number(start, accepts)
    assert best == least
    assert asked < 150
