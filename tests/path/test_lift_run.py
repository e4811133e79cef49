"""Paths of small programs: what is a cell, what is one statement instance, what the failed check is."""

from __future__ import annotations

from pathlib import Path as File

import pytest

from butfor.errors import UnsupportedError
from butfor.logic.solvers import Limit, Verdict
from butfor.path.lift.lift_run import lift
from butfor.path.path_model import Kind, Path
from butfor.path.path_text import path_text, term_text
from butfor.path.verify_path import verify
from tests.path.made import cell, lifted, of_kind, shape
from tests.small import Source, case_of, recorded

NONDET = "extern int __VERIFIER_nondet_int(void);\n"


def assignments(path: Path) -> list[str]:
    """What is assigned, as text."""
    cells = {c.name: c for c in path.cells}
    shown = {c.name: c.shown for c in path.cells}
    found = []
    for instance in path.instances:
        for c, term in instance.writes:
            text = "any" if term is None else term_text(term, cells)
            for name in sorted(shown, key=len, reverse=True):
                text = text.replace(name, shown[name])
            found.append(f"{c.shown} = {text}")
    return found


def check_of(path: Path) -> str:
    """The violated property as text, with names as the source writes them."""
    text = term_text(path.check, {c.name: c for c in path.cells})
    for c in sorted(path.cells, key=lambda c: len(c.name), reverse=True):
        text = text.replace(c.name, c.shown)
    return text


def is_forced(path: Path) -> bool:
    verdict = verify(path, Limit.after(30))
    assert verdict.wrong == ()
    return verdict.forced is Verdict.UNSAT


def test_locals_of_two_calls_are_two_cells(tmp_path: File) -> None:
    path = lifted(
        tmp_path, "int f(int a) { return a + 1; }\nint main(void) { int x = f(1);\nint y = f(x);\nassert(y == 4); }"
    )
    assert [c.shown for c in path.cells].count("a") == 2
    assert is_forced(path)


def test_parameters_are_assigned_together_at_the_call(tmp_path: File) -> None:
    path = lifted(
        tmp_path, "int f(int a, int b) {\nreturn a - b; }\nint main(void) {\nint x = f(3, 4);\nassert(x == 0); }"
    )
    line = path.place.line
    assert shape(path) == [f"assign {line - 1} a b", f"assign {line - 3} f()", f"assign {line - 1} x", f"check {line}"]


def test_a_value_read_before_a_call_changed_its_variable_is_kept(tmp_path: File) -> None:
    path = lifted(
        tmp_path, "int g = 1; int f(void) { g = 5; return 2; } int main(void) { int x = g + f();\nassert(x + g == 0); }"
    )
    assert "x = g + f()" in assignments(path)
    assert "main::x := g' + f()" in path_text(path)
    assert is_forced(path)


def test_an_increment_inside_an_expression(tmp_path: File) -> None:
    path = lifted(tmp_path, "int main(void) { int i = 1, a[4] = {0}; a[i++] = i;\nassert(a[1] + i == 9); }")
    assert is_forced(path)
    assert not path.approximate


def test_a_pointer_is_assumed_to_be_what_it_was(tmp_path: File) -> None:
    path = lifted(
        tmp_path,
        "int main(int argc, char **argv) { int a[3] = {1, 2, 3}; int *p = a + argc;\n*p = 7;\nassert(a[1] == 2); }",
    )
    (assumed,) = [i for i in of_kind(path, Kind.ASSUME) if i.place.text == "*p = 7;"]
    assert term_text(assumed.condition, {}).startswith("main::p == ")
    assert cell(path, "a[1]").type == "int"


def test_an_index_is_assumed_not_an_address(tmp_path: File) -> None:
    path = lifted(
        tmp_path, "int a[9]; int main(int argc, char **argv) { int i = argc + 3;\na[i] = 7;\nassert(a[4] == 2); }"
    )
    assert [term_text(i.condition, {}) for i in of_kind(path, Kind.ASSUME)] == ["main::i == 4"]


def test_members_are_named_as_the_source_writes_them(tmp_path: File) -> None:
    body = """struct n { int v; struct n *next; };
int main(void) { struct n b = {2, 0}, a = {1, &b}; struct n *p = &a;
p->next->v = 9; unsigned char u[2]; u[1] = 200;
assert(b.v + u[1] == 0); }"""
    path = lifted(tmp_path, body)
    assert {"b.v", "u[1]", "a.next"} <= {c.shown for c in path.cells}
    assert not cell(path, "u[1]").signed
    assert cell(path, "a.next").type == "struct n *"
    assert is_forced(path)


def test_heap_cells_have_the_name_by_which_they_are_read(tmp_path: File) -> None:
    body = (
        "struct n { int v; struct n *next; }; int main(void) { struct n *p = malloc(sizeof *p);\n"
        "p->v = 3;\nassert(p->v == 4); }"
    )
    assert "p->v" in {c.shown for c in lifted(tmp_path, body).cells}


def test_a_union_is_cut_where_it_is_accessed(tmp_path: File) -> None:
    path = lifted(
        tmp_path,
        "int main(void) { union { int i; unsigned char b[4]; } u; u.i = 0x01020304; u.b[1] = 9;\n"
        "assert(u.i == 0x01020304); }",
    )
    assert sorted(c.sort for c in path.cells) == [8, 8, 16]
    assert is_forced(path)


def test_copies_are_exact(tmp_path: File) -> None:
    body = """struct s { int a, b; }; int main(int argc, char **argv) { struct s x = {argc, 5}, y; struct s z[2];
y = x; memcpy(&z[1], &y, sizeof y);
assert(z[1].a == 3); }"""
    path = lifted(tmp_path, body)
    assert "z[1].a = y.a" in assignments(path)
    assert "y.a = x.a" in assignments(path)
    assert not path.approximate


def test_a_conditional_expression_is_a_choice(tmp_path: File) -> None:
    path = lifted(
        tmp_path,
        NONDET
        + "int main(void) { int c = __VERIFIER_nondet_int(), a = 1, b = 2;\nint x = c ? a : b;\nassert(x == 7); }",
        free=True,
    )
    assert "x = (c != 0) ? a : b" in assignments(path)
    assert not of_kind(path, Kind.BRANCH)
    assert is_forced(path)  # neither arm gives 7


def test_a_condition_is_one_branch_with_all_its_parts(tmp_path: File) -> None:
    body = (
        NONDET
        + "int main(void) { int a = __VERIFIER_nondet_int(), b = 4, x = 0;\n"
        + "if (a == 1 && b == 4) x = 1;\nassert(x == 1); }"
    )
    path = lifted(tmp_path, body, free=True)
    (branch,) = of_kind(path, Kind.BRANCH)
    assert term_text(branch.condition, {}) == "(main::a != 1) || (main::b != 4)"
    assert [c.shown for c in branch.frames] == ["x"]
    assert is_forced(path)


def test_what_runs_inside_a_condition_stands_under_the_parts_before(tmp_path: File) -> None:
    body = """int g; int f(int x) { g = x; return x > 3; }
int main(int argc, char **argv) { int r = 0;
if (argc == 1 && f(5))
 r = 1;
assert(r + g == 0); }"""
    path = lifted(tmp_path, body)
    part, whole = of_kind(path, Kind.BRANCH)
    inside = [k for k, i in enumerate(path.instances) if i.place.function == "f" or i.place.text == "g = x;"]
    assert all(path.instances.index(part) in path.instances[k].scope for k in inside)
    assert path.instances.index(part) not in whole.scope
    assert is_forced(path)


def test_a_switch_is_a_branch_to_the_same_target(tmp_path: File) -> None:
    body = (
        NONDET
        + "int main(void) { int c = __VERIFIER_nondet_int(), r = 0;\n"
        + "switch (c) { case 1: case 2: r = 4; break; default: r = 6; }\nassert(r == 5); }"
    )
    path = lifted(tmp_path, body, free=True, nondet=(2,))
    (branch,) = of_kind(path, Kind.BRANCH)
    assert set(term_text(branch.condition, {}).split(" || ")) == {"(main::c == 1)", "(main::c == 2)"}


def test_loops_nest_and_count_rounds(tmp_path: File) -> None:
    path = lifted(tmp_path, "int main(void) { int s = 0;\nfor (int i = 0; i < 3; i++)\n s += i;\nassert(s == 4); }")
    sums = [i for i in path.instances if i.place.text == "s += i;"]
    assert [i.rounds for i in sums] == [(1,), (2,), (3,)]
    assert [len(i.scope) for i in sums] == [1, 2, 3]
    last = of_kind(path, Kind.BRANCH)[-1]
    assert {c.shown for c in last.frames} == {"s", "i"}
    assert path.scope == ()


def test_frames_go_through_pointers_and_calls(tmp_path: File) -> None:
    body = """void set(int *p) { *p = 1; } int main(int argc, char **argv) { int x = 0, y = 0;
if (argc > 5) set(&x);
assert(x == 1); return y; }"""
    path = lifted(tmp_path, body)
    (branch,) = of_kind(path, Kind.BRANCH)
    assert [c.shown for c in branch.frames] == ["x"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int main(int argc, char **argv) { int *p = argc > 5 ? &argc : 0;\n*p = 1; }", "p >=u 4096"),
        ("int main(int argc, char **argv) { int d = argc - 1;\nreturn 7 / d; }", "d != 0"),
        ("int a[4]; int main(int argc, char **argv) { int i = argc + 3;\nreturn a[i]; }", "(i * 4) <=u 12"),
        ("int main(int argc, char **argv) { int x = argc + 1;\nreturn x; }", "x{0:8} == 0"),
        (
            "struct s { int a[4], b; } s; int main(int argc, char **argv) { int i = argc + 3;\nreturn s.a[i]; }",
            "i <u 4",
        ),
        (
            "int a[4]; int main(int argc, char **argv) { int i = argc + 3, was = 0;\n"
            "return __atomic_compare_exchange_n(&a[i], &was, 1, 0, 0, 0); }",
            "(i * 4) <=u 12",
        ),
        ("int main(int argc, char **argv) { if (argc > 0)\nabort(); }", "false"),
    ],
)
def test_the_check_of_each_kind_of_failure(body: str, expected: str, tmp_path: File) -> None:
    path = lifted(tmp_path, body)
    assert check_of(path) == expected
    assert is_forced(path)


@pytest.mark.parametrize("operation", ["x + 1", "-2 - x", "x * 2", "1 << (x & 40)", "1 >> (x | 32)"])
def test_that_an_operation_has_a_result_is_the_check_of_arithmetic_that_is_undefined(
    operation: str, tmp_path: File
) -> None:
    body = f"int main(int argc, char **argv) {{ int x = INT_MAX - 1 + argc;\nreturn ({operation}) == 5; }}"
    path = case_of(recorded(tmp_path, body), arithmetic=True).path
    assert is_forced(path)
    assert check_of(path) != "false"
    assert not path.approximate


def test_the_size_of_a_block_is_part_of_the_check(tmp_path: File) -> None:
    body = "int main(int argc, char **argv) { long n = argc + 2; char *p = malloc(n);\np[n] = 1; return 0; }"
    path = lifted(tmp_path, body)
    assert check_of(path).count("n") >= 2
    assert is_forced(path)


def test_an_allocator_may_be_declared_to_take_an_int(tmp_path: File) -> None:
    body = "char *malloc(int);\nint main(int c, char **v) { int n = c + 2; char *p = malloc(n);\np[n] = 1; return 0; }"
    path = lifted(tmp_path, Source(body, 0, 0), cflags=("-fno-builtin",))
    assert check_of(path).count("n") >= 2
    assert is_forced(path)


def test_a_printed_number_is_compared_with_the_expected_one(tmp_path: File) -> None:
    path = lifted(
        tmp_path, 'int main(void) { int x = 6;\nprintf("x = %d\\n", x); return 0; }', expect_stdout=b"x = 7\n"
    )
    assert check_of(path) == "x == 7"
    assert not path.approximate


def test_a_run_that_does_not_end_has_no_path(tmp_path: File) -> None:
    case = case_of(recorded(tmp_path, "int main(void) { volatile int x = 1; while (x) ; }", step_limit=5000))
    with pytest.raises(UnsupportedError, match="does not end"):
        _ = case.path


def test_floats_are_as_recorded_or_unknown(tmp_path: File) -> None:
    path = lifted(
        tmp_path,
        NONDET + "int main(void) { double d = __VERIFIER_nondet_int();\nd = d * 0.1;\nassert(d == 2.0); }",
        free=True,
    )
    assert any(c.type == "unknown" and c.name not in path.initial for c in path.cells)
    assert any("floating-point" in text for text in path.approximate)
    assert not is_forced(path)


def test_a_long_run_is_cut_and_says_so(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = lift.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "most", 1_000)
    body = (
        "int a[32]; int main(void) { int s = 0;\n"
        "for (int i = 0; i < 400; i++) { a[i % 32] += i; s += a[(i + 7) % 32]; }\nassert(s == 1); }"
    )
    path = lifted(tmp_path, body)
    assert any("not followed" in text for text in path.approximate)
    assert len(path.instances) < 1_500
    assert verify(path).wrong == ()
