"""Minimal diagnoses of C runs: what a change of one statement can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.options import make_options
from butfor.path.execute import smallest_change_sets
from butfor.path.execute.statement_changes import plain_changes
from tests.small import case_of, recorded, source, written


def diagnosed(folder: Path, body: str, **knobs: Any) -> dict[str, str]:
    """The statements that suffice alone, and how."""
    answer = api.explain(make_options(written(folder, source(body)), methods=("diagnoses",), **knobs)).to_dict()
    sets = answer["methods"]["diagnoses"]["sets"]
    return {s["statements"][0]["text"]: s["how"] for s in sets if len(s["statements"]) == 1}


def test_the_number_that_was_expected_is_what_counts(tmp_path: Path) -> None:
    body = 'int main(void) { int x = 3; int y = x & 1; printf("%d %d\\n", 7, y); return 0; }'
    found = diagnosed(tmp_path, body, expect_stdout="7 5\n")
    assert {text for text, how in found.items() if how == "value"} == {"int y = x & 1;"}
    assert {"int x = 3;", "int y = x & 1;"} <= set(diagnosed(tmp_path, body, expect_stdout="7 0\n"))


def test_the_byte_that_was_expected_is_what_counts(tmp_path: Path) -> None:
    body = """
int main(void) {
    char text[4] = "";
    text[0] = 'a';
    int low = 'x';
    text[1] = low | 32;
    text[2] = 0;
    printf("<%s>\\n", text);
    return 0;
}
"""
    prints = 'printf("<%s>\\n", text);'
    assert {"text[1] = low | 32;", "int low = 'x';"} <= set(diagnosed(tmp_path, body, expect_stdout="<ab>\n"))
    found = diagnosed(tmp_path, body, expect_stdout="<aB>\n")  # no value of low gives a capital letter
    assert found["text[1] = low | 32;"] == "value"
    assert found[prints] == "failing"
    assert "int low = 'x';" not in found
    assert "text[2] = 0;" in diagnosed(tmp_path, body, expect_stdout="<axy>\n")  # the text ended too early


def test_a_character_that_was_expected(tmp_path: Path) -> None:
    body = "int main(void) { int c = 3; putchar('0' + c); putchar('0' + c % 2); return 0; }"
    assert diagnosed(tmp_path, body, expect_stdout="39") == {
        "putchar('0' + c % 2);": "failing"
    }  # no number has the remainder 9
    assert set(diagnosed(tmp_path, body, expect_stdout="30")) == {"int c = 3;", "putchar('0' + c % 2);"}


def test_a_decision_that_kept_something_from_being_printed(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n > 5)
        printf("large ");
    printf("done\\n");
    return 0;
}
"""
    found = diagnosed(tmp_path, body, args=["5"], expect_stdout="large done\n")
    assert found["n > 5"] == "value"


def test_an_initialiser_and_a_macro(tmp_path: Path) -> None:
    body = """
#define STEP 3
static const int table[] = { 1, 2, 4 };
int main(void) { int x = table[2] + STEP; assert(x == 9); return 0; }
"""
    found = diagnosed(tmp_path, body)
    assert found["4"] == "initialiser"
    assert found["#define STEP 3"] == "definition"


def test_a_value_that_is_stored_next_to_where_it_belongs(tmp_path: Path) -> None:
    body = """
static int cells[8];
static void put(int at, int value) { cells[at - 1] = value; }
int main(void) { put(4, 7); assert(cells[4] == 7); return 0; }
"""
    assert diagnosed(tmp_path, body)["cells[at - 1] = value;"] == "target"


def test_a_call_of_another_function(tmp_path: Path) -> None:
    body = """
static int state;
static void on(void) { state = 1; }
static void off(void) { state = 2; }
int main(int argc, char **argv) {
    if (argc > 5) on();
    off();
    assert(state == 1);
    return 0;
}
"""
    found = diagnosed(tmp_path, body)
    assert found["state = 2;"] == "value"
    assert found["off();"] == "call"


def test_a_run_that_does_not_end(tmp_path: Path) -> None:
    body = """
int main(void) {
    unsigned step = 0;
    for (unsigned i = 0; i < 10; i += step)
        ;
    return 0;
}
"""
    assert {"unsigned step = 0;", "i += step"} & set(diagnosed(tmp_path, body, step_limit=5000))


@pytest.mark.parametrize("marks", [{}, {"trust": ["twice"]}])
def test_a_change_must_help_in_every_failing_test(tmp_path: Path, marks: dict[str, Any]) -> None:
    program = source(
        """
static int twice(int n) { return n + n + 1; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int even = n % 2 == 0;
    int r = even ? twice(n) : twice(n);
    printf("%d\\n", r);
    return 0;
}
"""
    )
    tests = tmp_path / "tests.json"
    tests.write_text(json.dumps({"tests": [{"args": [str(n)], "expect_stdout": f"{2 * n}\n"} for n in (1, 2, 5)]}))
    answer = api.explain(make_options(written(tmp_path, program), tests=tests, methods=("diagnoses",), **marks))
    data = answer.to_dict()["methods"]["diagnoses"]
    assert len(data["runs"]) == 3
    alone = {s["statements"][0]["text"] for s in data["sets"] if len(s["statements"]) == 1}
    assert ("return n + n + 1;" in alone) == (not marks)
    assert any("avoid all 3 failures" in note for note in answer.notes)


def test_at_most_seven_sets_are_named_and_the_others_counted(tmp_path: Path) -> None:
    body = (
        "int main(void) { int x = 0; " + "".join(f"x += {k};\n" for k in range(1, 12)) + "assert(x == 1); return 0; }"
    )
    answer = api.explain(make_options(written(tmp_path, source(body)), methods=("diagnoses",)))
    (told,) = [note for note in answer.notes if "can avoid the failure in" in note]
    assert told.count("(`") == 7
    assert "; 5 more" in told
    assert "in 12 ways" in told


def test_a_set_is_proved_only_if_no_part_of_it_can_send_an_access_elsewhere(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int m = atoi(argv[2]);
    int x = 1;
    int k = 1;
    int t[4] = {2, 0, 3, 2};
    int y = t[3] - t[2];
    k = x + (t[x & 3] + m);
    if (-x <= 2) {
        k = t[k & 3];
        x = t[n & 3];
    }
    t[k & 3] = m + (x + y);
    assert(t[3] != 2);
    return 0;
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), args=["0", "1"])
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    # Alone, x = -3 takes the other arm, and the last store goes to t[1].
    proved = [[s["text"] for s in row["statements"]] for row in sets if row["proved"]]
    assert proved
    assert all("int x = 1;" not in texts for texts in proved if len(texts) > 1)


@pytest.mark.parametrize(("operator", "is_minimal"), [("&&", True), ("||", False)])
def test_a_set_is_minimal_only_if_a_solver_that_is_given_the_statements_agrees(
    tmp_path: Path, operator: str, is_minimal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"int main(void) {{ int x = 5; int y = 7; assert(x != 5 {operator} y != 7); return 0; }}"
    path = case_of(recorded(tmp_path, source(body))).path
    possible = [{place: c for place, c in plain_changes(path).items() if place.text.startswith("int")}]
    monkeypatch.setattr(smallest_change_sets._Search, "_is_certain", lambda *_: True)
    search = smallest_change_sets._Search([path], possible, lambda: False, 5.0, None, None)
    assert len(search.names) == 2
    assert search._is_minimal(search.names) == is_minimal
