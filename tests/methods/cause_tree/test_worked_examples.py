"""The worked examples of the method's description, with variations: each gives exactly the stated causes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butfor

HEAD = "#include <assert.h>\n#include <stdlib.h>\n"


def tree(tmp_path: Path, source: str, *args: str, **options: Any) -> list[dict[str, Any]]:
    """The causes of a failing run, in reading order."""
    path = tmp_path / "prog.c"
    path.write_text(HEAD + source)
    found: list[dict[str, Any]] = butfor.explain(path, args=list(args), methods=["cascade"], **options).methods[
        "cascade"
    ]["causes"]
    return found


def texts(cause: dict[str, Any]) -> set[str]:
    """The statements of a cause."""
    return {s["text"].rstrip(";") for s in cause["statements"]}


def outline(causes: list[dict[str, Any]]) -> list[tuple[int, str, set[str]]]:
    """Level from 1, way and statements of each cause."""
    return [(c["level"] + 1, c["via"], texts(c)) for c in causes]


def main(body: str) -> str:
    """A program with this body of main; `in` reads its argument."""
    return f"int main(int argc, char **argv) {{\n{body}\nreturn 0; }}\n"


def test_c_an_else_if_is_explained_by_its_own_condition_first(tmp_path: Path) -> None:
    body = (
        "int a = atoi(argv[1]);\nint p = a > 3;\nint q = a > 100;\nint r = 0;\nif (p && q)\n r = 7;\n"
        "else if (p)\n r = 1;\nassert(r == 0);"
    )
    assert outline(tree(tmp_path, main(body), "20")) == [
        (1, "failure", {"r = 1"}),
        (2, "control", {"p", "int p = a > 3", "int a = atoi(argv[1])"}),
        (3, "control", {"p && q", "int q = a > 100", "int a = atoi(argv[1])"}),
    ]


@pytest.mark.parametrize(
    ("between", "level"),
    [("b = b + 1;", 2), ("", 3)],
    ids=["a block with more in it is named beside the condition", "a condition asked right before another is below it"],
)
def test_c_the_block_that_a_statement_stands_in(between: str, level: int, tmp_path: Path) -> None:
    body = (
        "int a = atoi(argv[1]);\nint b = atoi(argv[2]);\nint r = 0;\nif (a > 3) {\n"
        f"{between}\nif (b > 2)\n r = 1;\n}}\nassert(r == 0);"
    )
    found = {c["condition"]["text"]: c for c in tree(tmp_path, main(body), "7", "5") if c["condition"]}
    assert (found["b > 2"]["level"] + 1, found["b > 2"]["parent"]) == (2, 0)
    assert found["a > 3"]["level"] + 1 == level
    assert found["a > 3"]["parent"] == (0 if level == 2 else found["b > 2"]["id"])


def test_c_each_loop_around_a_statement_is_named_once(tmp_path: Path) -> None:
    body = (
        "int n = atoi(argv[1]);\nint r = 0;\nfor (int i = 0; i < n; i++) {\n r = r + 1;\n if (i == 5) {\n  n = n - 1;\n"
        "  if (n > 8)\n   r = 100; }\n}\nassert(r < 50);"
    )
    found = tree(tmp_path, main(body), "10")
    conditions = [(c["condition"]["text"], c["outcome"].split()[0]) for c in found if c["via"] == "control"]
    assert sorted({text for text, _ in conditions}) == ["i < n", "i == 5", "n > 8"]
    assert len(conditions) == len(set(conditions))
    assert {c["condition"]["text"] for c in found if c["parent"] == 0 and c["via"] == "control"} == {
        "i < n",
        "i == 5",
        "n > 8",
    }


def test_the_first_of_many_rounds_is_explained_too(tmp_path: Path) -> None:
    body = (
        "char *t = argv[1];\nint i = 0;\nint j = 0;\nchar c = t[i + 1];\n"
        "while (c != ',') {\n j++;\n i++;\n c = t[i];\n}\n"
        "assert(j < 9);"
    )
    (decision,) = (c for c in tree(tmp_path, main(body), "abcdefghijklmnop,") if c["via"] == "control")
    assert "char c = t[i + 1]" in texts(decision)


def test_c_in_a_function_over_members(tmp_path: Path) -> None:
    source = (
        "struct state { int high, top; };\nstatic int level(struct state s) {\n int r = 0;\n"
        " if (s.high && s.top)\n  r = 7;\n else if (s.high)\n  r = 1;\n return r; }\n"
        + main("struct state s;\nint a = atoi(argv[1]);\ns.high = a > 3;\ns.top = a > 100;\nassert(level(s) == 0);")
    )
    found = tree(tmp_path, source, "20")
    assert [(c["level"] + 1, c["condition"] and c["condition"]["text"]) for c in found if c["via"] != "address"] == [
        (1, None),
        (2, "s.high"),
        (3, "s.high && s.top"),
    ]
    assert "s.top = a > 100" in texts(found[2])
    assert "s.high = a > 3" in texts(found[1])


def test_d_an_expression_with_a_call_is_data(tmp_path: Path) -> None:
    source = "static int below(int a, int b) { return a < b; }\n" + main(
        "int own = atoi(argv[1]);\nint other = atoi(argv[2]);\nint lim = atoi(argv[3]);\nint out = 0;\n"
        "int big = lim >= 10;\nint need = big && below(own, other);\nif (need)\n out = 1;\nassert(out == 0);"
    )
    assert outline(tree(tmp_path, source, "1", "2", "10")) == [
        (1, "failure", {"out = 1"}),
        (
            2,
            "control",
            {
                "need",
                "int need = big && below(own, other)",
                "return a < b",
                "int big = lim >= 10",
                "int own = atoi(argv[1])",
                "int other = atoi(argv[2])",
                "int lim = atoi(argv[3])",
            },
        ),
    ]


def test_d_what_a_false_conjunction_did_not_need_is_left_out(tmp_path: Path) -> None:
    source = "static int below(int a, int b) { return a < b; }\n" + main(
        "int own = atoi(argv[1]);\nint lim = atoi(argv[2]);\nint out = 1;\n"
        "int need = below(own, 5) && lim > 3;\nif (need)\n out = 0;\nassert(out == 0);"
    )
    found = tree(tmp_path, source, "1", "2")
    assert texts(found[0]) == {"int out = 1"}
    assert (found[1]["via"], texts(found[1])) == (
        "potential",
        {"need", "int need = below(own, 5) && lim > 3", "int lim = atoi(argv[2])"},
    )
    assert len(found) == 2


@pytest.mark.parametrize(
    ("check", "causes"),
    [
        ("x > 0 || y < 1", {"int x = 0", "int y = 1"}),
        ("(x > 0 && z > 2) || y < 1", {"int x = 0", "int y = 1"}),
        ("z > 2 && y < 1", {"int y = 1"}),
    ],
)
def test_all_parts_that_made_a_check_fail_are_its_cause(check: str, causes: set[str], tmp_path: Path) -> None:
    found = tree(tmp_path, main(f"int x = 0;\nint y = 1;\nint z = 3;\nassert({check});"))
    assert outline(found) == [(1, "failure", causes)]


def test_a_conditional_expression_is_data(tmp_path: Path) -> None:
    body = "int n = atoi(argv[1]);\nint m = n > 3 ? n + 1 : 0;\nassert(m == 0);"
    assert outline(tree(tmp_path, main(body), "7")) == [
        (1, "failure", {"int m = n > 3 ? n + 1 : 0", "int n = atoi(argv[1])"})
    ]


def test_an_operand_with_an_effect_is_controlled_by_the_others(tmp_path: Path) -> None:
    body = "int n = atoi(argv[1]);\nint m = 0;\nint k = n > 3 && (m = 9);\nassert(m == 0 || k == 2);"
    found = tree(tmp_path, main(body), "7")
    assert "int k = n > 3 && (m = 9)" in texts(found[0])
    every = set().union(*map(texts, found))
    assert "int n = atoi(argv[1])" in every


def test_e_the_index_is_a_child_of_its_own(tmp_path: Path) -> None:
    body = (
        "int k = atoi(argv[1]);\nint tab[3];\ntab[0] = 4;\ntab[1] = 5;\ntab[2] = 6;\nint j = k + 1;\n"
        "assert(tab[j] != 6);"
    )
    assert outline(tree(tmp_path, main(body), "1")) == [
        (1, "failure", {"tab[2] = 6"}),
        (2, "address", {"int j = k + 1", "int k = atoi(argv[1])"}),
    ]


def test_e_with_a_table_its_entry_is_part_of_the_cause(tmp_path: Path) -> None:
    source = "static int tab[] = {\n 4,\n 5,\n 6,\n};\n" + main(
        "int k = atoi(argv[1]);\nint j = k + 1;\nassert(tab[j] != 6);"
    )
    found = tree(tmp_path, source, "1")
    assert {s["line"] for s in found[0]["statements"]} <= {3, 6}
    assert 6 in {s["line"] for s in found[0]["statements"]}
    assert outline(found)[1:] == [(2, "address", {"int j = k + 1", "int k = atoi(argv[1])"})]


def test_e_through_a_pointer_to_a_struct(tmp_path: Path) -> None:
    body = (
        "struct pair { int a, b; } u = {1, 2}, v = {3, 4};\nstruct pair *p = &u;\n"
        "if (atoi(argv[1]) > 3)\n p = &v;\nassert(p->b == 2);"
    )
    found = tree(tmp_path, main(body), "7")
    assert not any("p = &v" in t for t in texts(found[0]))
    (address,) = (c for c in found if c["via"] == "address")
    assert texts(address) == {"p = &v"}
    (decision,) = (c for c in found if c["via"] == "control")
    assert (decision["parent"], texts(decision)) == (address["id"], {"atoi(argv[1]) > 3"})


def test_malloc(tmp_path: Path) -> None:
    body = (
        "int x, y, *p, *pp; x = 2; y = 3;\np = malloc(2 * sizeof *p);\npp = p + 1;\nx = x + 2;\np[1] = x;\np[0] = y;\n"
        "if (x > 4)\n y = 0;\nassert(*pp == 3);"
    )
    assert outline(tree(tmp_path, main(body))) == [
        (1, "failure", {"x = 2", "x = x + 2", "p[1] = x"}),
        (2, "address", {"pp = p + 1", "p = malloc(2 * sizeof *p)"}),
    ]


@pytest.mark.parametrize("n", [105, 106, 3000])
def test_f_the_one_exceptional_round_is_kept(n: int, tmp_path: Path) -> None:
    body = (
        "int n = atoi(argv[1]);\nint s = 0;\nfor (int i = 0; i < n; i++) {\n if (i == 5)\n  s = 100000;\n"
        " s = s + 1;\n}\nassert(s == n);"
    )
    found = tree(tmp_path, main(body), str(n))
    assert {"s = 100000", "s = s + 1"} <= texts(found[0])
    assert any(c["condition"] and c["condition"]["text"] == "i == 5" and c["outcome"].startswith("true") for c in found)


def test_the_failed_check_and_definitions_of_macros_are_no_lines_to_read(tmp_path: Path) -> None:
    source = "#define LIMIT 3\n#define TWICE(x) (2 * (x))\n" + main(
        "int n = atoi(argv[1]);\nint m = 0;\nif (n > LIMIT)\n m = TWICE(n);\nassert(m == 0);"
    )
    found = tree(tmp_path, source, "7")
    every = [s for c in found for s in c["statements"]]
    assert not any(s["text"].startswith(("#define", "assert")) for s in every)
    macros = {m["text"] for s in every for m in s.get("macros", ())}
    assert macros == {"#define LIMIT 3", "#define TWICE(x) (2 * (x))"}


def test_all_lines_of_a_call_belong_to_it(tmp_path: Path) -> None:
    source = "static int sum(int a, int b) { return a + b; }\n" + main(
        "int n = atoi(argv[1]);\nint m = sum(n,\n  4);\nassert(m == 0);"
    )
    (call,) = (s for s in tree(tmp_path, source, "7")[0]["statements"] if s["text"].startswith("int m"))
    assert call["lines"] == [6, 7]


def test_a_jump_on_the_way_belongs_to_the_decision(tmp_path: Path) -> None:
    body = (
        "int n = atoi(argv[1]);\nint m = 0;\nif (n > 3)\n goto wrong;\nm = 5;\nright: m = m + 1;\n"
        "wrong: assert(m == 6);"
    )
    found = tree(tmp_path, main(body), "7")
    (decision,) = (c for c in found if c["condition"] and c["condition"]["text"] == "n > 3")
    assert "goto wrong" in texts(decision)


def test_a_case_that_control_fell_into_belongs_to_the_switch(tmp_path: Path) -> None:
    body = (
        "int n = atoi(argv[1]);\nint m = 0;\nswitch (n) {\ncase 7:\n m = 1;\ncase 8:\n m = 2;\n break;\n}\n"
        "assert(m == 1);"
    )
    found = tree(tmp_path, main(body), "7")
    (decision,) = (c for c in found if c["condition"])
    lines = {line for s in decision["statements"] for line in s.get("lines", [s["line"]])}
    assert {6, 7, 8, 9} <= lines, "the switch, the label it went to, where control fell from, and the label it fell to"


def test_a_a_condition_of_the_path_is_a_cause(tmp_path: Path) -> None:
    body = "int in = atoi(argv[1]);\nint x = in;\nx = x + 1;\nif (x > 10)\n assert(x < 5);"
    assert outline(tree(tmp_path, main(body), "20", path_conditions=True)) == [
        (1, "failure", {"x > 10"}),
        (2, "core", {"x > 10", "x = x + 1", "int x = in", "int in = atoi(argv[1])"}),
    ]


def test_b_a_condition_that_let_nothing_of_the_cause_run_is_explained_too(tmp_path: Path) -> None:
    body = "int in = atoi(argv[1]);\nint y = 0;\nint x = in + 1;\nif (x > 10)\n y = 1;\ny = y + in;\nassert(x < 5);"
    assert outline(tree(tmp_path, main(body), "20", path_conditions=True)) == [
        (1, "failure", {"x > 10"}),
        (2, "core", {"x > 10", "int x = in + 1", "int in = atoi(argv[1])"}),
    ]


def test_b_with_members_and_a_call(tmp_path: Path) -> None:
    source = "struct box { int x, y; };\nstatic void note(struct box *b) {\n if (b->x > 10)\n  b->y = 1; }\n" + main(
        "struct box b = {0, 0};\nb.x = atoi(argv[1]) + 1;\nnote(&b);\nassert(b.x < 5);"
    )
    found = tree(tmp_path, source, "20", path_conditions=True)
    assert texts(found[0]) == {"b->x > 10"}
    (decision,) = (c for c in found if c["via"] == "core")
    assert texts(decision) >= {"b->x > 10", "b.x = atoi(argv[1]) + 1"}


def test_without_path_conditions_a_condition_is_no_cause(tmp_path: Path) -> None:
    body = "int in = atoi(argv[1]);\nint x = in;\nx = x + 1;\nif (x > 10)\n assert(x < 5);"
    assert texts(tree(tmp_path, main(body), "20")[0]) == {"x = x + 1", "int x = in", "int in = atoi(argv[1])"}


@pytest.mark.parametrize(
    ("body", "causes"),
    [
        ("int r = lo - lo + 5;\nassert(r == 4);", {"int r = lo - lo + 5"}),
        ("int t = lo - lo;\nint r = t + 5;\nassert(r == 4);", {"int t = lo - lo", "int r = t + 5"}),
        ("int a = lo, b = lo;\nint r = (a ^ b) + 5;\nassert(r == 4);", {"a = lo", "b = lo", "int r = (a ^ b) + 5"}),
        ("int r = lo % 4;\nassert(r == 7);", {"int r = lo % 4"}),
        ("int r = 2 * lo;\nassert(r == 5);", {"int r = 2 * lo"}),
        ("struct { int m; } s;\ns.m = lo & 6;\nassert(s.m == 1);", {"s.m = lo & 6"}),
        ("int r = same(lo) - lo + 5;\nassert(r == 4);", {"int r = same(lo) - lo + 5", "return n"}),
    ],
)
def test_g_what_cancels_is_not_explained(body: str, causes: set[str], tmp_path: Path) -> None:
    source = "static int same(int n) { return n; }\n" + main("int lo = atoi(argv[1]);\n" + body)
    found = tree(tmp_path, source, "20")
    assert [{t.removeprefix("int ") for t in texts(c)} for c in found] == [{t.removeprefix("int ") for t in causes}]
    assert found[0]["proved"]


def test_g_below_a_decision(tmp_path: Path) -> None:
    body = "int lo = atoi(argv[1]);\nint r = 0;\nif (lo - lo + 5 > 4)\n r = 1;\nassert(r == 0);"
    assert outline(tree(tmp_path, main(body), "20")) == [
        (1, "failure", {"r = 1"}),
        (2, "control", {"lo - lo + 5 > 4"}),
    ]
