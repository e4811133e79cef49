"""What hands a wrong value on, or stands in for a missing function, comes after the statement that passed the value."""

from __future__ import annotations

from pathlib import Path

import butfor
from tests.small import source, written

PROGRAM = source(
    """
#include <getopt.h>
static int label(const char *context) {
    return -1;
}
static int measured(const char *text) {
    int n = 0;
    while (text[n])
        n++;
    return n;
}
static int quoted(const char *text) {
    return measured(text);
}
static int quote(const char *text) {
    return quoted(text);
}
int main(int argc, char **argv) {
    char *context = NULL;
    int c;
    while ((c = getopt(argc, argv, "Z:")) != -1)
        if (c == 'Z')
            context = optarg;
    if (context && label(context) < 0) {
        int n = quote(optarg);
        fprintf(stderr, "no label of %d letters\\n", n);
        exit(1);
    }
    return 0;
}
"""
)


def test_the_statement_that_passes_the_wrong_variable_comes_before_those_that_hand_it_on(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, PROGRAM), args=["-Z", "a", "b"], methods=["slice", "butfor"])
    rows = {row.line: row for row in answer.ranking}
    wrong = rows[PROGRAM.line_of("quote(optarg)")]
    fix = "had `optarg` been `context`, the run would have ended with exit status 1"
    assert any(fix in reason.text for reason in wrong.reasons)
    bystanders = ("return quoted(text)", "return measured(text)", "return -1")
    assert all(wrong.rank < rows[PROGRAM.line_of(text)].rank for text in bystanders)
