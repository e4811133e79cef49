"""Which edits are proposed for a statement."""

from __future__ import annotations

import re
from pathlib import Path

from butfor.ask_methods import ask_methods
from butfor.methods import registry
from butfor.methods.case import FailingRun
from butfor.methods.method import Earlier, Subject
from butfor.methods.repair import slip_library
from butfor.methods.repair.method import RepairMethod
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.run_repair import suspects
from butfor.options import MethodSettings
from butfor.source.edits import apply_edits
from tests.small import Source, case_of, recorded, source

PROGRAM = source(
    """
#define LIMIT 4
#define BELOW(x, y) ((x) < (y))
struct pair { int first, second; struct pair *next; };
static int table[LIMIT] = {1, 2, 3, 4};
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
int main(void) {
    struct pair p = {3, 5, 0};
    int total = 0, größe = 2, i;
    char *text = 0;
    for (i = 0; BELOW(i, LIMIT); i++)
        total += table[i];
    if (p.first > total || größe == 2)
        total = add(total, größe);
    {
        int inner = p.second;
        total -= inner;
    }
    text = total == 7 ? "a" : "b";
    assert(total == 4 && *text);
    return 0;
}
"""
)


def _earlier(case: FailingRun) -> Earlier:
    """The answers that the search for repairs starts from."""
    methods = [registry.make(name, Subject.RUN, MethodSettings()) for name in RepairMethod.needs[Subject.RUN]]
    return {a.method: a for a in ask_methods(case, methods, lambda name: None).diagnoses}


def proposed(folder: Path, program: Source = PROGRAM) -> dict[str, float]:
    """The lines that proposals make, without blanks at their ends, with their weights."""
    case = case_of(recorded(folder, program))
    data = program.text.encode()
    found: dict[str, float] = {}
    for p in Proposer(case.places, slip_library.builtin_library()).proposals(suspects(case, _earlier(case))):
        text = apply_edits(data, p.edits).decode()
        for line in {row.strip() for row in text.splitlines()} - {row.strip() for row in program.text.splitlines()}:
            found[line] = max(p.weight, found.get(line, 0.0))
    return found


DECLARATIONS = source(
    """
#include <ctype.h>
#define LIMIT 4
static int count;
static int sum;
int main(void) {
    int first, last = count;
    first = LIMIT;
    sum = first + last;
    count = sum;
    assert(count != 4);
    return 0;
}
"""
)


def test_a_name_that_is_declared_is_not_replaced_by_a_value(tmp_path: Path) -> None:
    found = proposed(tmp_path, DECLARATIONS)
    made = {line for line in found if line.startswith(("static int", "int first"))}
    assert "static int count = 1;" in made
    assert "static int count = 0;" not in made  # it starts as 0 in any case
    assert "int first = 0, last = count;" in made
    assert "int first, last = sum;" in made
    for line in made:
        declared = re.findall(r"(?:int|,) (\w+)(?= =|,|;)", line)
        assert declared in (["count"], ["sum"], ["first", "last"]), line


def test_kinds_of_edits(tmp_path: Path) -> None:
    found = proposed(tmp_path)
    for line in (
        "total -= table[i];",  # operators
        "if (p.first < total || größe == 2)",
        "if (p.first > total && größe == 2)",
        "if (p.first > total || größe != 2)",
        "if (p.first > total)",  # parts of conditions
        "if (p.first > total || größe == 3)",  # constants
        "int total = 1, größe = 2, i;",
        "if (p.second > total || größe == 2)",  # members
        "total = subtract(total, größe);",  # functions, arguments
        "total = add(größe, total);",
        "total = add(total, größe - 1);",  # off by one
        "total += table[i + 1];",
        "total += table[größe];",  # variables
        "for (i = 1; BELOW(i, LIMIT); i++)",
        "for (i = 0; BELOW(i, LIMIT); i--)",
        "#define BELOW(x, y) ((x) <= (y))",  # macros: their definition, and their use
        "#define LIMIT 5",
        "for (i = 0; BELOW(i, (LIMIT - 1)); i++)",
        "if (i < LIMIT) total += table[i];",  # a guard
        "static int table[LIMIT] = {1, 2, 3, 5};",
    ):
        assert line in found, line
    assert found["if (p.first < total || größe == 2)"] == slip_library.builtin_library().operators[">"]["<"]


def test_names_out_of_scope_are_not_used(tmp_path: Path) -> None:
    assert "total = add(total, inner);" not in proposed(tmp_path)


def test_line_ends_and_bytes_stay(tmp_path: Path) -> None:
    text = PROGRAM.text.replace("\n", "\r\n").replace("/*", "/*\u20ac")
    (tmp_path / "prog.c").write_bytes(text.encode())
    case = case_of(recorded(tmp_path, source(text, head="")))
    data = (tmp_path / "prog.c").read_bytes()
    for p in Proposer(case.places, slip_library.builtin_library()).proposals(suspects(case, _earlier(case))):
        (edit,) = p.edits
        new = apply_edits(data, p.edits)
        assert new[: edit.start] == data[: edit.start]
        assert new[len(new) - len(data) + edit.end :] == data[edit.end :]
        new.decode()
        assert b"\n" not in edit.new.replace(b"\r\n", b"")


SLIPS = source(
    """
struct point { int x, y; };
static int table[5] = {1, 2, 3, 4, 5};
static int share(int all, int parts) { return all / parts; }
static int at(int index) {
    int found = table[index];
    return found;
}
static void put(int *where, int value) {
    *where = value;
}
static int first(const int *from, int count, int wanted) {
    int i, where;
    struct point p;
    p.x = wanted;
    for (i = 0; i < count; i++) {
        if (from[i] == p.x)
            where = i;
        break;
    }
    return where;
}
int main(void) {
    int x = 1, parts = 2;
    put(&x, share(parts, 10));
    assert(at(first(table, 5, 3)) == x);
    return 0;
}
"""
)


def test_what_is_missing_or_swapped(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, SLIPS))
    data = SLIPS.text.encode()
    made = [
        apply_edits(data, p.edits).decode()
        for p in Proposer(case.places, slip_library.builtin_library()).proposals(suspects(case, _earlier(case)))
    ]
    for text in (
        "put(&x, share(10, parts));",  # swapped arguments
        "int i, where = 0;",  # missing initialisers
        "struct point p = {0};",
        "for (i = 1; i < count; i++)",  # a wrong one
        "int x = 0, parts = 2;",
        "if (from[i] == p.x && i < count)",  # a stronger condition
        "if (i < count) return where;",  # missing guards, and checks that leave
        "if (index >= 5) return 0;\n    int found = table[index];",
        "if (parts == 0) return 0; return all / parts;",
        "if (where == 0) return;\n    *where = value;",
    ):
        assert any(text in m for m in made), text


STOCK = source(
    """
static int total, kinds, held[4];
static void add(int k, int count) {
    if (!held[k])
        kinds++;
    held[k] += count;
    total += count;
}
static void take(int k, int count) {
    held[k] -= count;
    if (!held[k])
        held[k] = 0;
}
int main(void) {
    add(1, 5);
    take(1, 2);
    assert(total == 3);
    return 0;
}
"""
)


def test_what_another_function_counts_is_taken_back_where_that_may_be_missing(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, STOCK))
    lines = {
        line.strip()
        for p in Proposer(case.places, slip_library.builtin_library()).proposals(suspects(case, _earlier(case)))
        for line in apply_edits(STOCK.text.encode(), p.edits).decode().splitlines()
    }
    assert {"total -= count;", "kinds--;"} <= lines
    assert "held[k] += count;" in lines
    assert not any(line.startswith("held[k]++") for line in lines), "take() changes it by itself"
