"""The cause tree: the examples of the method's description give the stated causes at the stated levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butfor.api
from butfor.ir.points_to import inclusion_solver
from butfor.options import Options

EXAMPLES = Path(__file__).parents[3] / "examples"


def causes(path: Path, *args: str, **knobs: Any) -> list[dict[str, Any]]:
    """The causes of a failing run of the program."""
    answer = butfor.api.explain(Options(sources=(path,), args=args, methods=("cascade",), **knobs))
    found: list[dict[str, Any]] = answer.to_dict()["methods"]["cascade"]["causes"]
    return found


def texts(cause: dict[str, Any]) -> set[str]:
    """The statements of a cause, without what follows in a comment."""
    return {s["text"].rstrip(";") for s in cause["statements"]}


def of_level(found: list[dict[str, Any]], level: int) -> list[dict[str, Any]]:
    """The causes of one level."""
    return [c for c in found if c["level"] == level]


def program(tmp_path: Path, body: str) -> Path:
    """A file with this body of main."""
    path = tmp_path / "prog.c"
    path.write_text("#include <assert.h>\n#include <stdlib.h>\nint main(void) {\n" + body + "\nreturn 0; }\n")
    return path


def test_triangle() -> None:
    found = causes(EXAMPLES / "triangle.c", "6", "5", "4")
    root = found[0]
    assert (root["level"], root["parent"], root["condition"]) == (0, None, None)
    assert {"area = b * c / 2.0", "int b = atoi(argv[2])", "int c = atoi(argv[3])"} <= texts(root)
    conditions = {c["condition"]["text"]: c for c in found if c["condition"]}
    assert conditions["shape"]["level"] == 1
    assert texts(conditions["shape"]) == {"shape", "shape = RIGHT"}
    wrong = conditions["a * a != b * b + c * c"]
    assert (wrong["level"], wrong["parent"]) == (2, conditions["shape"]["id"])
    assert {"int a = atoi(argv[1])", "int b = atoi(argv[2])", "int c = atoi(argv[3])"} <= texts(wrong)
    assert "a >= b && b >= c" in conditions
    assert conditions["a == b && b == c"]["via"] == "potential"
    assert not any("a == b || b == c" in text for text in conditions), (
        "the isosceles test was decided before the last assignment"
    )


def test_one_decision(tmp_path: Path) -> None:
    found = causes(program(tmp_path, "int x, y; x = 0; y = 1;\nif (y == 1)\n x = x + 1;\nassert(x == 0);"))
    assert texts(found[0]) == {"x = 0", "x = x + 1"}
    assert [texts(c) for c in of_level(found, 1)] == [{"y = 1", "y == 1"}]


def test_omission(tmp_path: Path) -> None:
    body = (
        "int a, b, c, d; a = 2; b = 1; c = 1; d = 0;\nif (a > 0) {\n"
        " if (b < 0)\n  if (c != 2)\n   c = 2;\n d = c + 3;\n}\nassert(d == 5);"
    )
    found = causes(program(tmp_path, body))
    assert texts(found[0]) == {"c = 1", "d = c + 3"}
    assert sorted(map(sorted, map(texts, of_level(found, 1)))) == [["a = 2", "a > 0"], ["b < 0", "b = 1"]]


def test_pointers(tmp_path: Path) -> None:
    body = (
        "int x, y, *p, *pp; x = 2; y = 3;\np = malloc(2 * sizeof *p);\npp = p + 1;\nx = x + 2;\np[1] = x;\np[0] = y;\n"
        "if (x > 4)\n y = 0;\nassert(*pp == 3);"
    )
    found = causes(program(tmp_path, body))
    every = set().union(*map(texts, found))
    assert texts(found[0]) == {"x = 2", "x = x + 2", "p[1] = x"}
    assert [texts(c) for c in found[1:]] == [{"pp = p + 1", "p = malloc(2 * sizeof *p)"}]
    assert found[1]["via"] == "address"
    assert "p[0] = y" not in every


def test_short_circuit_conditions_are_one_decision(tmp_path: Path) -> None:
    body = "int a = 1, b = 0, c = 1, x = 0;\nif (a && (b || c))\n x = 7;\nassert(x == 0);"
    found = causes(program(tmp_path, body))
    conditions = [c for c in found if c["condition"]]
    assert [c["condition"]["text"] for c in conditions] == ["a && (b || c)"]
    assert {"a = 1", "c = 1"} <= texts(conditions[0])


def test_a_part_that_did_not_decide_is_left_out(tmp_path: Path) -> None:
    body = "int a = 1, b = 0, x = 5;\nif (a && b)\n x = 0;\nassert(x == 0);"
    (decision,) = (c for c in causes(program(tmp_path, body)) if c["condition"])
    assert "b = 0" in texts(decision)
    assert "a = 1" not in texts(decision)


def test_depth_limits_the_tree() -> None:
    assert max(c["level"] for c in causes(EXAMPLES / "triangle.c", "6", "5", "4", depth=1)) == 1


def test_trusted_functions_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(
        "#include <assert.h>\nstatic int pick(int a) {\n  if (a > 2)\n    return 1;\n  return 0;\n}\n"
        "int main(void) {\n  int x = 3;\n  int y = pick(x);\n  assert(y == 0);\n  return 0;\n}\n"
    )
    assert any(c["condition"] and c["condition"]["text"] == "a > 2" for c in causes(path))
    assert not any(c["condition"] and c["condition"]["text"] == "a > 2" for c in causes(path, trust=("pick",)))


@pytest.mark.parametrize("kind", ["output", "signal", "memory"])
def test_other_failures_have_trees_too(kind: str, tmp_path: Path) -> None:
    bodies = {
        "output": 'int printf(const char *, ...); int n = 4;\nif (n > 3)\n n = 9;\nprintf("%d\\n", n);',
        "signal": "int n = 4, *p = &n;\nif (n > 3)\n p = 0;\n*p = 1;",
        "memory": "int n = 4, *p = malloc(12);\nif (n > 3)\n n = 3;\np[n] = 1;",
    }
    found = causes(program(tmp_path, bodies[kind]), **({"expect_stdout": b"4\n"} if kind == "output" else {}))
    assert any(c["condition"] and c["condition"]["text"] == "n > 3" for c in found)


def conditions(found: list[dict[str, Any]], via: str) -> set[str]:
    """What the causes reached in one way are about."""
    return {c["condition"]["text"].rstrip(";") for c in found if c["via"] == via and c["condition"] is not None}


def test_store_to_another_element(tmp_path: Path) -> None:
    body = "int v[4] = {0}, other[4], k = 2;\nother[k] = 1;\nv[k - 1] = 7;\nassert(v[k] == 7);"
    found = causes(program(tmp_path, body))
    assert conditions(found, "elsewhere") == {"v[k - 1] = 7"}, "only what could have written to the cell that was read"
    assert "k = 2" in texts(next(c for c in found if c["via"] == "elsewhere"))


def test_store_to_another_variable_in_some_rounds(tmp_path: Path) -> None:
    body = """int sum = 0, other = 0, *at = &sum;
for (int i = 0; i < 6; i++) {
  if (i == 4)
    at = &other;
  *at = *at + 1;
}
assert(sum == 6);"""
    found = causes(program(tmp_path, body))
    store = next(c for c in found if c["via"] == "elsewhere")
    assert "at = &other" in texts(store), "why the last rounds wrote elsewhere"
    assert any(c["parent"] == store["id"] and c["outcome"] == "true with i = 4" for c in found)


def test_stores_to_other_entries_of_a_list_are_no_causes(tmp_path: Path) -> None:
    body = """struct entry { int value; struct entry *next; } *first = 0;
for (int i = 0; i < 4; i++) {
  struct entry *new = malloc(sizeof *new);
  new->value = i;
  new->next = first;
  first = new;
}
assert(first->next->value == 3);"""
    assert conditions(causes(program(tmp_path, body)), "elsewhere") == set()


def test_text_that_is_printed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(
        '#include <stdio.h>\nint main(int argc, char **argv) {\n char t[] = "ab";\n'
        ' if (argc > 1)\n  t[1] = 0;\n printf("%s\\n", t); return 0; }\n'
    )
    assert "argc > 1" in conditions(causes(path, expect_stdout=b"a\n"), "potential")


def test_empty_text_before_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(
        '#include <stdio.h>\nint main(int argc, char **argv) {\n char t[4] = "";\n'
        ' if (argc > 1)\n  t[0] = 65;\n printf("%s\\n", t); return 0; }\n'
    )
    assert "argc > 1" in conditions(causes(path, expect_stdout=b"A\n"), "potential")


def test_every_round_leads_on(tmp_path: Path) -> None:
    """The state is wrong since an early round; the rounds after it keep it by the same statements."""
    path = tmp_path / "prog.c"
    path.write_text(
        """#include <assert.h>
static int next(int s, int c) {
 switch (s) {
 case 0:
  if (c == 1) return 2;
  return 0;
 case 2:
  return 2 - 1;
 default:
  if (c == 2) return 0;
  return 1; } }
int main(void) {
 int in[] = {0, 1, 5, 5, 5, 5}, s = 0;
 for (int i = 0; i < 6; i++)
  s = next(s, in[i]);
 assert(s == 0); return 0; }
"""
    )
    found = causes(path)
    assert any("return 2 - 1" in texts(c) for c in found if c["level"] <= 3)


def test_given_up_pointers_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, "int x = 0, *p = &x, y = 1;\nif (y == 0)\n *p = 1;\nassert(x == 1);")
    told = "too large to follow all its pointers"
    options = Options(sources=(path,), methods=("cascade",))
    assert not any(told in note for note in butfor.api.explain(options).notes)
    monkeypatch.setattr(inclusion_solver, "MAX_STEPS", -1)
    assert any(told in note for note in butfor.api.explain(options).notes)
