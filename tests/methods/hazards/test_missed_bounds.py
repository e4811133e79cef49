"""Statements that may have to keep an access inside of its object: checks, their limits, and the call behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.explanation import Explanation
from tests.small import Source, explained, source

COPY = """
static void copy(char *to, const char *from) {
    int i;
    for (i = 0; from[i]; i++)
        to[i] = from[i];
    to[i] = 0;
}
"""
FILL = """
static void fill(int *at, int *last) {
    for (int *p = at; p <= last; p++)
        *p = 1;
}
"""


def kinds(folder: Path, program: Source, *args: str, **knobs: object) -> dict[int, str]:
    """The kind of the hazard in each line."""
    answer = explained(folder, program, args=list(args), methods=["slice", "hazards"], **knobs)
    return {row["line"]: row["kind"] for row in answer.to_dict()["methods"]["hazards"]["hazards"]}


def test_a_call_that_hands_over_a_buffer_without_a_limit_is_in_question(tmp_path: Path) -> None:
    program = source(COPY + "int main(int c, char **v) { char word[4];\n    copy(word, v[1]);\n    return word[0]; }\n")
    found = kinds(tmp_path, program, "abcdef")
    assert found[program.line_of("copy(word, v[1])")] == "passed"
    assert program.line_of("to[i] = from[i]") not in found


def test_a_library_function_without_a_limit_is_in_question_where_it_is_called(tmp_path: Path) -> None:
    program = source("""
static void shout(char *to, const char *from) {
    strcpy(to, from);
    strcat(to, "!");
}
int main(int c, char **v) { char word[4];
    shout(word, v[1]);
    return word[0]; }
""")
    found = kinds(tmp_path, program, "abc")
    assert found[program.line_of('strcat(to, "!")')] == "passed"
    assert program.line_of("shout(word, v[1])") not in found


def test_a_check_of_the_length_before_the_call_is_in_question_too(tmp_path: Path) -> None:
    program = source("""
int main(int c, char **v) {
    char word[8] = "abc";
    if (strlen(word) + strlen(v[1]) > sizeof word)
        return 1;
    strcat(word, v[1]);
    return word[0];
}
""")
    found = kinds(tmp_path, program, "12345")
    assert found[program.line_of("> sizeof word")] == "checked"
    assert found[program.line_of("strcat(word, v[1])")] == "passed"


def test_a_limit_that_is_too_far_is_in_question_where_it_is_computed(tmp_path: Path) -> None:
    main = "    int row[3];\n    int *end = row + sizeof row - 1;\n    fill(row, end);\n    return row[0];\n"
    program = source(f"{FILL}int main(void) {{\n{main}}}\n")
    found = kinds(tmp_path, program)
    assert found[program.line_of("int *end")] == "limit"
    assert program.line_of("p <= last") not in found, "the loop kept to its limit"


def test_a_limit_in_the_arguments_puts_the_call_in_question(tmp_path: Path) -> None:
    program = source(FILL + "int main(void) {\n    int row[3];\n    fill(row, &row[3]);\n    return row[0]; }\n")
    assert kinds(tmp_path, program)[program.line_of("fill(row, &row[3])")] == "limit"


def test_a_check_that_lets_the_index_through_is_in_question_with_its_limit(tmp_path: Path) -> None:
    program = source("""
int main(int c, char **v) {
    char word[4];
    int most = 6;
    int n = 0;
    while (v[1][n] && n < most) {
        word[n] = v[1][n];
        n++;
    }
    return word[0];
}
""")
    found = kinds(tmp_path, program, "abcdefgh")
    assert found[program.line_of("n < most")] == "checked"
    assert found[program.line_of("int most")] == "limit"
    assert program.line_of("word[n] =") not in found


def test_an_access_without_any_check_is_in_question_with_what_lets_it_run(tmp_path: Path) -> None:
    program = source("""
int main(int c, char **v) {
    char word[4];
    int n = 0;
    while (v[1][n]) {
        word[n] = v[1][n];
        n++;
    }
    return word[0];
}
""")
    found = kinds(tmp_path, program, "abcdefgh")
    assert found[program.line_of("word[n] =")] == "unchecked"
    assert found[program.line_of("while")] == "guard"


def test_comparisons_of_other_values_are_no_checks(tmp_path: Path) -> None:
    program = source("""
int main(int c, char **v) {
    char word[4];
    int n = 0;
    for (const char *p = v[1]; *p >= 'a' && *p <= 'z'; p++)
        word[n++] = *p;
    return word[0];
}
""")
    assert kinds(tmp_path, program, "abcdefgh")[program.line_of("word[n++]")] == "unchecked"


def test_an_allocation_that_is_too_small_is_in_question_and_not_a_call_whose_count_was_exceeded(tmp_path: Path) -> None:
    program = source("""
static void copy(char *to, const char *from, int n) {
    char *p = to;
    while (n-- > 0)
        *p++ = *from++;
    *p = 0;
}
int main(int c, char **v) {
    int n = strlen(v[1]);
    char *word = malloc(n);
    copy(word, v[1], n);
    return word[0];
}
""")
    found = kinds(tmp_path, program, "abcd")
    assert found[program.line_of("malloc(n)")] == "size"
    assert found[program.line_of("*p = 0")] == "unchecked"
    assert program.line_of("copy(word, v[1], n)") not in found


def test_a_negative_index_puts_its_signed_type_in_question(tmp_path: Path) -> None:
    program = source("""
int main(int c, char **v) {
    char word[4] = "abc";
    int at = atoi(v[1]);
    if (at > 3)
        at = 3;
    return word[at];
}
""")
    assert kinds(tmp_path, program, "-2")[program.line_of("int at")] == "type"


def test_trusted_functions_and_benign_lines_are_not_in_question(tmp_path: Path) -> None:
    program = source(COPY + "int main(int c, char **v) { char word[4];\n    copy(word, v[1]);\n    return word[0]; }\n")
    assert "passed" not in kinds(tmp_path, program, "abcdef", benign=[str(program.line_of("copy(word"))]).values()


@pytest.mark.parametrize("methods", [["slice", "cascade", "hazards", "butfor"]])
def test_no_statement_of_a_trusted_function_is_ranked(tmp_path: Path, methods: list[str]) -> None:
    program = source(COPY + "int main(int c, char **v) { char word[4];\n    copy(word, v[1]);\n    return word[0]; }\n")

    def answer(*trust: str) -> Explanation:
        return explained(tmp_path, program, args=["abcdef"], methods=methods, trust=list(trust))

    assert "copy" in {row.function for row in answer().ranking}
    assert {row.function for row in answer("copy").ranking} == {"main"}
    assert answer().ranking[0].line == program.line_of("copy(word, v[1])")


ITEM = """
struct item { char name[8]; int count; };
"""


def test_a_text_too_long_for_a_member_puts_the_copy_and_the_member_in_question(tmp_path: Path) -> None:
    program = source(f"""{ITEM}
static struct item *made(const char *name) {{
    struct item *i = malloc(sizeof *i);
    strcpy(i->name, name);
    return i; }}
int main(int c, char **v) {{ return made(v[1])->name[0] == 'x'; }}
""")
    found = kinds(tmp_path, program, "abcdefghi")
    assert found[program.line_of("strcpy(i->name, name)")] == "passed"
    assert found[program.line_of("char name[8]")] == "size"


def test_an_index_outside_of_a_member_puts_its_check_in_question(tmp_path: Path) -> None:
    program = source("""
struct line { int length; int at[4]; int sum; };
int main(void) {
    static struct line l;
    for (int i = 0; i <= 4; i++)
        l.at[i] = i;
    return l.sum; }
""")
    found = kinds(tmp_path, program)
    assert found[program.line_of("i <= 4")] == "checked"
    assert found[program.line_of("int at[4]")] == "size"
