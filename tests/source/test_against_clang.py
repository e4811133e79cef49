"""The rules against a real compiler: what stands at the debug locations of instructions whose meaning is known."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from butfor.source import Role, SourceFile, SyntaxTree

pytest.importorskip("ziglang")

PROGRAM = """\
#include <stdlib.h>
struct node { int v; struct node *next; int arr[4]; };
int limit = 3;
int g(int a, int b) { return a < b; }
int f(struct node *p, int *a, int i)
{
    int x = 0, y = a[i] + 1;
    int *q = a;
    x = p->next->arr[i + 1] - y;
    p->next->v = g(x, y) + g(y,
        i);
    a[i] += p->v * 2;
    limit = x;
    if (x > 0 && (y <= 3 || p->v == 3))
        x = y;
    while (i != 10)
        i++;
    for (int k = 0; k < 10; k++) {
        y = k / 2;
    }
    do
        x--;
    while (x >= 0);
    do { y = x; } while (y > 4);
    y = x ? g(1, atoi("3")) : i;
    x = y = i;
    return x % 7;
}
old(s, n)
char *s;
int n;
{
    n = s[n];
    return n;
}
"""
COMPARISONS = {"sgt": ">", "sge": ">=", "slt": "<", "sle": "<=", "eq": "==", "ne": "!="}
ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "sdiv": "/", "srem": "%"}
FLAGS = "-S -emit-llvm -g -O0 -fno-sanitize=all -fno-stack-protector -march=x86_64 -w -std=gnu89".split()

Instruction = tuple[str, int, int]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[SyntaxTree, str]:
    folder: Path = tmp_path_factory.mktemp("clang")
    (folder / "p.c").write_text(PROGRAM)
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, "p.c", "-o", "p.ll"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return SyntaxTree(SourceFile.read(folder / "p.c")), (folder / "p.ll").read_text()


def instructions(ir: str, pattern: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield the matches of a pattern at the start of an instruction, with the line and column of the instruction."""
    places = dict(re.findall(r"^!(\d+) = (?:distinct )?!DILocation\((line: \d+, column: \d+)", ir, re.MULTILINE))
    for text, place in re.findall(r"^  (\S.*), !dbg !(\d+)", ir, re.MULTILINE):
        match = re.match(pattern, text)
        if match and place in places:
            line, column = re.findall(r"\d+", places[place])
            yield match, int(line), int(column)


def test_comparisons_stand_at_their_operator(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    found = [
        (COMPARISONS[match[1]], tree.expression_at(line, column))
        for match, line, column in instructions(ir, r"%\d+ = icmp (\w+) i32 %\d+, (?!0$)")
    ]
    assert len(found) >= 6
    for operator, expression in found:
        assert expression is not None
        assert expression.kind == "binary_expression"
        assert f" {operator} " in expression.text


def test_arithmetic_stands_at_its_operator(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    seen = set()
    for match, line, column in instructions(ir, r"%\d+ = (add|sub|mul|sdiv|srem) "):
        expression = tree.expression_at(line, column)
        assert expression is not None
        assert ARITHMETIC[match[1]] in expression.text or "--" in expression.text
        seen.add(match[1])
    assert seen == set(ARITHMETIC)


def test_calls_stand_at_their_start(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    found = instructions(ir, r".*call \w+ @(\w+)\(")
    calls = [(match[1], tree.expression_at(line, column)) for match, line, column in found]
    assert sorted(name for name, _ in calls) == ["atoi", "g", "g", "g"]
    for name, expression in calls:
        assert expression is not None
        assert expression.kind == "call_expression"
        assert expression.text.startswith(f"{name}(")


def test_stores_to_variables_name_their_target(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    targets = [
        tree.target_at(line, column)
        for _, line, column in instructions(ir, r"store ")
        if (statement := tree.statement_at(line, column)) is None or statement.role is not Role.RETURN
    ]
    expected = "x y q x p->next->v a[i] limit x i k y k x y y y x n".split()
    assert sorted(str(each) for each in targets) == sorted(expected)


def test_every_branch_has_its_decision(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    found = [tree.decision_at(line, column) for _, line, column in instructions(ir, r"br i1 ")]
    texts = [each.text if each else None for each in found]
    condition = "x > 0 && (y <= 3 || p->v == 3)"
    assert texts == [*[condition] * 3, "i != 10", "k < 10", "x >= 0", "y > 4", "x"]


def test_parameters_of_both_styles(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    lines = dict(re.findall(r"^!(\d+) = !DILocation\((line: \d+, column: \d+)", ir, re.MULTILINE))
    numbers = re.findall(r"!(\d+) = !DILocalVariable\(name: \"\w+\", arg: \d+", ir)
    texts = []
    for variable, place in re.findall(r"#dbg_declare\(ptr %\d+, !(\d+), !DIExpression\(\), !(\d+)\)", ir):
        if variable in numbers:
            line, column = (int(each) for each in re.findall(r"\d+", lines[place]))
            statement = tree.statement_at(line, column)
            assert statement is not None
            assert statement.role is Role.PARAMETER
            texts.append(statement.text)
    assert sorted(texts) == sorted(["int a", "int b", "struct node *p", "int *a", "int i", "char *s;", "int n;"])


def test_every_location_has_a_statement_in_its_function(compiled: tuple[SyntaxTree, str]) -> None:
    tree, ir = compiled
    found = [tree.statement_at(line, column) for _, line, column in instructions(ir, r"") if line]
    assert len(found) > 100
    assert {each.function for each in found if each} == {"f", "g", "old"}
    assert all(each is not None and each.text and each.role is not Role.OTHER for each in found)
