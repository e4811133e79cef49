"""Error invariants that the campaign of `make claims` once refuted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
