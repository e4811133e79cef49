"""From a failing run to validated repairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor import api
from butfor.explanation import Evidence, Explanation
from butfor.options import make_options
from tests.small import source, written

SUM = source(
    """
#define LAST 10
static int a[LAST];
int main(int argc, char **argv) {
    int n = atoi(argv[1]), s = 0;
    for (int i = 0; i < LAST; i++)
        a[i] = i;
    for (int i = 0; i <= n; ++i)
        s += a[i];
    printf("%d\\n", s);
    return 0;
}
"""
)


def repaired(folder: Path, program: Any, **knobs: Any) -> tuple[Explanation, list[dict[str, Any]]]:
    """The explanation and its repairs."""
    answer = api.repair(make_options(written(folder, program), **knobs))
    repairs: list[dict[str, Any]] = answer.to_dict()["methods"]["repair"]["repairs"]
    return answer, repairs


def listed(folder: Path, *tests: dict[str, Any]) -> Path:
    """A file for --tests."""
    path = folder / "tests.json"
    path.write_text(json.dumps({"tests": tests}))
    return path


@pytest.mark.slow
def test_the_bound_of_the_paper_is_the_first_repair_of_a_memory_error(tmp_path: Path) -> None:
    answer, (first, *_) = repaired(tmp_path, SUM, args=["10"])
    assert answer.failure is not None
    assert answer.failure.kind == "memory"
    assert first["after"] == "for (int i = 0; i < n; ++i)"
    assert (first["file"], first["line"]) == (str(tmp_path / "prog.c"), SUM.line_of("i <= n"))
    assert (first["failing_fixed"], first["failing_total"], first["passing_total"]) == (1, 1, 0)
    assert "no passing tests given: may overfit" in first["label"]
    assert not any(r["after"].startswith("for (int i = 1; i <= n") for r in [first])


def test_passing_tests_decide_between_repairs(tmp_path: Path) -> None:
    right = {str(n): f"{sum(range(n))}\n" for n in (0, 3, 10)}
    tests = listed(tmp_path, *({"name": n, "args": [n], "expect_stdout": out} for n, out in right.items()))
    answer, repairs = repaired(tmp_path, SUM, tests=tests)
    assert repairs[0]["after"] == "for (int i = 0; i < n; ++i)"
    for r in repairs:
        assert (r["failing_fixed"], r["passing_kept"]) == (r["failing_total"], r["passing_total"])
        assert r["failing_total"] + r["passing_total"] == len(right)
    row = next(row for row in answer.ranking if row.line == SUM.line_of("i <= n"))
    assert row.rank == 1
    assert row.evidence is Evidence.REPLAYED
    assert any(reason.method == "repair" and "`<` instead of `<=`" in reason.text for reason in row.reasons)


@pytest.mark.slow
def test_a_crash_is_gone_and_nothing_else_is_wrong(tmp_path: Path) -> None:
    program = source(
        """
struct node { int value; struct node *next; };
int main(void) {
    struct node b = {2, NULL}, a = {1, &b};
    int s = 0;
    for (struct node *p = &a; p->next != NULL || p != NULL; p = p->next)
        s += p->value;
    printf("%d\\n", s);
    return 0;
}
"""
    )
    _, repairs = repaired(tmp_path, program)
    assert repairs
    for r in repairs:
        (tmp_path / "new.c").write_text(_after(program.text, r))
        assert butfor.explain(tmp_path / "new.c").failure is None, r["after"]


@pytest.mark.slow
def test_a_macro_is_mended_at_its_definition(tmp_path: Path) -> None:
    program = source(
        """
#define SQUARE(x) ((x) + (x))
static int area(int a) { return SQUARE(a); }
static int twice(int a) { return SQUARE(a) * 2; }
int main(int argc, char **argv) { printf("%d %d\\n", area(atoi(argv[1])), twice(3)); return 0; }
"""
    )
    tests = listed(tmp_path, *({"args": [str(n)], "expect_stdout": f"{n * n} 18\n"} for n in (3, 4, 5)))
    _, repairs = repaired(tmp_path, program, tests=tests)
    assert repairs[0]["after"] == "#define SQUARE(x) ((x) * (x))"
    assert repairs[0]["failing_fixed"] == 3


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "area.h").write_text("int area(int a, int b);\n")
    (tmp_path / "area.c").write_text('#include "inc/area.h"\nint area(int a, int b)\n{\n    return a + b;\n}\n')
    main = written(tmp_path, '#include "area.h"\nint main(void) { printf("%d\\n", area(3, 5)); return 0; }\n', "main.c")
    answer = api.repair(
        make_options([main, tmp_path / "area.c"], includes=[str(tmp_path / "inc")], expect_stdout="15\n")
    )
    first = answer.to_dict()["methods"]["repair"]["repairs"][0]
    assert (first["file"], first["after"]) == (str(tmp_path / "area.c"), "return a * b;")


def test_no_failure_means_no_repair(tmp_path: Path) -> None:
    answer = api.repair(make_options(written(tmp_path, "int main(void) { return 0; }")))
    assert answer.status == "no-failure"
    assert "repair" not in answer.methods


def test_the_users_files_are_left_alone(tmp_path: Path) -> None:
    program = source(
        """
int main(int argc, char **argv) {
    const char *name = argv[1];
    FILE *f = fopen(name, "r");
    int n = 0;
    while (f && fgetc(f) != EOF)
        n++;
    if (n > 100)
        remove(name);
    printf("%d\\n", n);
    return n == 5 ? 0 : 3;
}
"""
    )
    victim = tmp_path / "victim"
    victim.write_text("four")
    _, repairs = repaired(tmp_path, program, args=[str(victim)])
    assert victim.read_text() == "four"
    assert any("remove" not in r["after"] for r in repairs)


@pytest.mark.slow
def test_a_statement_that_the_user_trusts_is_not_changed(tmp_path: Path) -> None:
    program = source(
        "static int f(int a) { return a + 1; }\nint main(void) { int x = f(3); assert(x == 3); return 0; }\n"
    )
    _, repairs = repaired(tmp_path, program, trust=["f"])
    assert repairs
    assert program.line_of("static int f") not in {r["line"] for r in repairs}


def test_annotations_of_the_user_come_first(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('[constants]\n"3" = { "1234" = 30 }\n')
    program = 'int main(void) { int x = 3; printf("%d\\n", x); return 0; }'
    _, repairs = repaired(tmp_path, program, expect_stdout="1234\n", annotations=mine)
    assert "x = 1234" in repairs[0]["after"]
    assert repairs[0]["weight"] == 30


def _after(text: str, repair: dict[str, Any]) -> str:
    data = text.encode()
    for e in sorted(repair["edits"], key=lambda e: -e["start"]):
        data = data[: e["start"]] + e["new"].encode() + data[e["end"] :]
    return data.decode()


@pytest.mark.parametrize(
    "evil",
    [
        pytest.param("for (;;) ;", marks=pytest.mark.slow),
        pytest.param('for (;;) puts("x");', marks=pytest.mark.slow),
        pytest.param("for (;;) malloc(1000000);", marks=pytest.mark.slow),
        "while (1) fork();",
    ],
)
def test_edits_that_run_wild_do_no_harm(tmp_path: Path, evil: str) -> None:
    """The repair makes the program do what it did never do before; that is tried too, and stopped."""
    program = source(
        f"""
int main(void) {{
    int x = 1;
    if (x == 2) {{ {evil} }}
    assert(x == 3);
    return 0;
}}
"""
    )
    _, repairs = repaired(tmp_path, program)
    assert repairs[0]["after"] == "int x = 3;"
