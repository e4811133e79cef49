"""Error invariants that the campaign of `make claims` once refuted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.options import make_options
from tests.small import source, written


def _method(options: Any) -> dict[str, Any]:
    found: dict[str, Any] = api.explain(options).to_dict()["methods"]["error-invariants"]
    return found


def test_an_invariant_that_holds_before_and_after_a_step_need_not_hold_between(tmp_path: Path) -> None:
    program = tmp_path / "prog.bpl"
    program.write_text("""procedure main() {
    var n, x, y: int;
    havoc n;
    assume 0 <= n && n <= 3;
    x := 5;
    y := n;
    x := y + x;
    x := (0 + n) - x;
    assert (n != 0) || (x != (-5));
}
""")
    trace = _method(make_options(program, methods=("error-invariants",)))["abstract_trace"]
    lines = [e["line"] for e in trace if e["kind"] == "statement"]
    assert {6, 7} <= set(lines)
    after = trace[next(k for k, e in enumerate(trace) if e.get("line") == 6) + 1]
    assert "y" in after["formula"]


def test_nothing_is_proved_where_a_store_elsewhere_could_have_hit_the_cell(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int k = atoi(argv[1]);
    int t[4] = {3, 2, 1, 0};
    t[k & 3] = 8;
    assert(t[0] != 3);
}
"""
    found = _method(make_options(written(tmp_path, source(body)), methods=("error-invariants",), args=["2"]))
    assert found["abstract_trace"]
    assert not found["proved"]


def test_what_a_statement_outside_of_the_path_changes_is_not_said_to_hold_still(tmp_path: Path) -> None:
    body = """
extern int __VERIFIER_nondet_int(void);
int g = 3;
int main(void) {
    int n = __VERIFIER_nondet_int() & 3;
    int x = 0;
    if (g) {
        g = 0;
        x = n + 1;
    }
    assert(x < 1 || n != 2);
}
"""
    found = _method(make_options(written(tmp_path, source(body)), methods=("error-invariants",), nondet=(2,)))
    trace = found["abstract_trace"]
    decided = next(k for k, e in enumerate(trace) if e.get("text") == "g")
    assert any("g != 0" in e["formula"] for e in trace[:decided] if e["kind"] == "invariant")
    assert not any("g != 0" in e["facts"] for e in trace[decided:] if e["kind"] == "invariant")
    assert found["proved"]


def test_a_struct_that_is_copied_from_a_computed_place_needs_the_place(tmp_path: Path) -> None:
    body = """
struct S { int a, b, c; };
int main(int argc, char **argv) {
    int n = atoi(argv[1]) & 7;
    struct S v[2] = {{4, 2, 4}, {2, 3, 3}};
    v[n & 1].a += n;
    v[0] = v[n & 1];
    assert(v[0].a < 6);
}
"""
    found = _method(make_options(written(tmp_path, source(body)), methods=("error-invariants",), args=["2"]))
    trace = found["abstract_trace"]
    changed = max(k for k, e in enumerate(trace) if "+= n" in e.get("text", ""))
    assert "(n & 1) == 0" in trace[changed + 1]["facts"]


def test_a_sum_with_an_unsigned_operand_is_said_to_be_compared_with_a_sign(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    unsigned n = atoi(argv[1]) & 7;
    int a = atoi(argv[2]) & 1;
    int x = a + n;
    assert(x < 7);
}
"""
    found = _method(make_options(written(tmp_path, source(body)), methods=("error-invariants",), args=["7", "0"]))
    facts = [f for e in found["abstract_trace"] if e["kind"] == "invariant" for f in e["facts"]]
    assert any("(int)(a + n) >= 7" in f for f in facts), facts


def test_nothing_is_proved_where_a_copied_struct_was_filled_by_a_statement_that_is_not_followed(tmp_path: Path) -> None:
    body = """
struct S { int a; int b; int c; };
static int add(struct S q, int by) { q.a = q.a + by; return q.a + q.b; }
int main(int argc, char **argv) {
    long n = atoi(argv[1]) & 7;
    struct S s = {0, 0, 0};
    int x = add(s, n);
    assert(x < 4);
}
"""
    found = _method(make_options(written(tmp_path, source(body)), methods=("error-invariants",), args=["5"]))
    assert not found["proved"] or any("struct S s" in e.get("text", "") for e in found["abstract_trace"])


def test_a_later_round_that_stored_elsewhere_is_not_followed(tmp_path: Path) -> None:
    body = """
int v[2] = {4, 3};
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int g = 3;
    int a[2][4] = {{2, 3, 1, 2}, {3, 2, 3, 0}};
    for (int i = 0; i < 4; i++)
        if (v[1] > 0) {
            a[(a[n & 1][-5 & 3] < i) ? 1 : 0][3] = v[(n > 1) ? 0 : 1] - a[1][(g != 1) ? 3 : 2];
            g = -v[i & 1];
        }
    assert((a[1][1] != 2 && a[0][3] < 0) || a[1][3] == 1);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("error-invariants",), args=["1"])
    assert not _method(options)["proved"]


@pytest.mark.parametrize(
    ("before", "is_proved"),
    [("switch (k) {\n    case 3:\n        x = 0;\n        break;\n    }", False),
     ("if (k > 5)\n        x = 0;", False),
     ("if (k > 5)\n        k = 0;", True)],
)  # fmt: skip
def test_the_recursive_algorithm_proves_nothing_where_another_arm_could_have_assigned(
    tmp_path: Path, before: str, is_proved: bool
) -> None:
    body = f"""
int main(int argc, char **argv) {{
    int k = atoi(argv[1]);
    int x = 5;
    {before}
    assert(x != 5);
}}
"""
    program = written(tmp_path, source(body))
    settings = {"error-invariants": {"engine": "recursive"}}
    answer = api.explain(
        make_options(program, methods=("error-invariants",), args=["2"], method_options=settings)
    ).to_dict()
    assert answer["methods"]["error-invariants"]["abstract_trace"]
    assert answer["methods"]["error-invariants"]["proved"] is is_proved
    assert all(row["evidence"] == ("proved" if is_proved else "heuristic") for row in answer["ranking"])


LOOP_NOT_ENTERED = """procedure main() {
    var n, x, i: int;
    havoc n;
    assume 0 <= n && n <= 3;
    x := n * 3;
    i := 0;
    while (i < n) {
        i := i + 1;
    }
    x := n - (x + 3);
    assert x < -8;
}
"""


def test_the_recursive_algorithm_proves_nothing_about_states_that_take_another_way(tmp_path: Path) -> None:
    program = tmp_path / "prog.bpl"
    program.write_text(LOOP_NOT_ENTERED)
    settings = {"error-invariants": {"engine": "recursive"}}
    answer = api.explain(make_options(program, methods=("error-invariants",), method_options=settings)).to_dict()
    found = answer["methods"]["error-invariants"]
    assert any("i < n" in e.get("formula", "") for e in found["abstract_trace"])
    assert not found["proved"]


def _lines(found: dict[str, Any]) -> set[int]:
    return {e["line"] for e in found["abstract_trace"] if e["kind"] == "statement"}


def _line(program: Path, text: str) -> int:
    return next(k for k, line in enumerate(program.read_text().splitlines(), 1) if text in line)


def test_a_function_that_was_called_through_a_pointer_needs_what_made_the_pointer(tmp_path: Path) -> None:
    body = """
int g = 1;
static void zero(void) { g = 0; }
static void one(void) { g = 1; }
int main(int argc, char **argv) {
    void (*f)(void) = one;
    if (atoi(argv[1]) > 3)
        f = zero;
    f();
    assert(g != 0);
}
"""
    program = written(tmp_path, source(body))
    found = _method(make_options(program, methods=("error-invariants",), args=["7"]))
    assert {_line(program, "g = 0"), _line(program, "f = zero"), _line(program, "> 3")} <= _lines(found)


def test_a_check_in_a_function_from_a_table_needs_the_index(tmp_path: Path) -> None:
    body = """
static int low(int x) { assert(x < 9); return x; }
static int high(int x) { assert(x < 5); return x; }
int main(int argc, char **argv) {
    int (*t[2])(int) = {low, high};
    int k = atoi(argv[1]) > 3;
    return t[k](6) - 6;
}
"""
    program = written(tmp_path, source(body))
    found = _method(make_options(program, methods=("error-invariants",), args=["7"]))
    assert {_line(program, "t[2]"), _line(program, "int k")} <= _lines(found)


def test_what_a_library_call_copied_is_a_part_of_the_story(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    char d[8] = "ab", s[4] = "xyz";
    if (atoi(argv[1]) == 2)
        s[1] = 0;
    strcpy(d, s);
    int n = strlen(d);
    assert(n != 1);
}
"""
    program = written(tmp_path, source(body))
    found = _method(make_options(program, methods=("error-invariants",), args=["2"]))
    assert {_line(program, "s[1] = 0"), _line(program, "strcpy")} <= _lines(found)
    assert "text" not in " ".join(e.get("formula", "") for e in found["abstract_trace"])


def test_nothing_is_proved_where_a_library_call_could_have_written_more(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    char d[8] = "abc";
    memset(d, 'x', atoi(argv[1]) == 2 ? 1 : 3);
    assert(d[2] != 'c');
}
"""
    program = written(tmp_path, source(body))
    found = _method(make_options(program, methods=("error-invariants",), args=["2"]))
    assert found["abstract_trace"]
    assert not found["proved"]


def test_a_large_struct_that_is_passed_by_value_is_followed_to_what_filled_it(tmp_path: Path) -> None:
    body = """
struct P { int x, y; long more[4]; };
static int sum(struct P p) { return p.x + p.y; }
static void check(struct P p) { assert(p.x + p.y != 6); }
int main(int argc, char **argv) {
    struct P q = {1, 2};
    q.x = atoi(argv[1]);
    q.y = sum(q) - 2;
    check(q);
}
"""
    program = written(tmp_path, source(body))
    found = _method(make_options(program, methods=("error-invariants",), args=["3"]))
    assert found["proved"]
    assert {_line(program, text) for text in ("q = {1", "q.x = ", "q.y = ", "check(q)")} <= _lines(found)
    assert all("p.x" not in e["formula"] for e in found["abstract_trace"][:1])


@pytest.mark.parametrize(
    "value",
    [
        "(b + b > y ? a : x) + 1",
        "(b + b > y ? (a > 2 ? 7 : a) : x) + 1",
        "(b + b > y && x < 9 ? a : b < 1 ? 2 : x) + 1",
    ],
)
def test_what_the_operand_not_evaluated_of_a_choice_would_have_read_is_a_part_of_the_story(
    value: str, tmp_path: Path
) -> None:
    """By chance x is what a is: the choice seemed to make no difference, whatever b and y were."""
    program = source(f"""
extern int __VERIFIER_nondet_int(void);
int main(void) {{
    int a = __VERIFIER_nondet_int() & 3;
    int b = __VERIFIER_nondet_int() & 3;
    int x = b;
    int y = 6;
    y = 0;
    x = b - 2;
    a = {value};
    assert(a != 2);
    return 0;
}}
""")
    found = _method(make_options(written(tmp_path, program), methods=("error-invariants",), nondet=(1, 3)))
    lines = {entry["line"] for entry in found["abstract_trace"] if entry["kind"] == "statement"}
    made_x = program.line_of("x = b - 2"), program.line_of("int b")
    assert program.line_of("y = 0;") in lines or made_x[0] in lines, "either the choice or both values matter"
    assert made_x[1] in lines
    facts = [fact for entry in found["abstract_trace"] for fact in entry.get("facts", ())]
    assert "x == 1" not in facts[: len(facts) // 2], "x is 1 only after its last assignment"
