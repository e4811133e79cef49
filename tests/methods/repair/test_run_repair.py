"""Edits of the source as evidence: tried without being asked for where nothing that was run stands out."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.explanation import Evidence
from butfor.methods.repair import run_repair
from tests.small import Source, source, written

HALF_A_SWAP = source(
    """
static void sort(int *v, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (v[j] < v[i]) {
                int kept = v[i];
                v[i] = v[j];
            }
}

int main(void) {
    int v[] = {5, 3, 9, 1};
    sort(v, 4);
    for (int i = 0; i < 4; i++)
        printf("%d ", v[i]);
    puts("");
    return 0;
}
"""
)
LOST_LINK = source(
    """
struct item { int value; struct item *next; };

static struct item *add(struct item *head, int value) {
    struct item *made = calloc(1, sizeof *made);
    made->value = value;
    return made;
}

int main(void) {
    struct item *list = NULL;
    for (int i = 1; i <= 4; i++)
        list = add(list, i * i);
    for (struct item *at = list; at != NULL; at = at->next)
        printf("%d ", at->value);
    puts("");
    return 0;
}
"""
)
NO_CALL = source(
    """
static int counted(const char *text) {
    int found = 0;
    for (const char *at = text; *at; at++) {
        int letter = (unsigned char)*at;
        found = found * 3 + (letter == 'a') * 2 + (letter == 'b');
    }
    return found;
}

int main(void) {
    printf("%d\\n", counted("AbBxaA"));
    return 0;
}
""",
    head="#include <ctype.h>\n#include <stdio.h>\n",
)
LETTERS = source(
    """
static const char *names[] = {"IX", "VL", "IV", "I"};

int main(void) {
    char out[40] = "";
    for (int i = 0; i < 4; i++)
        strcat(out, names[i]);
    printf("%s\\n", out);
    return 0;
}
"""
)


@pytest.mark.parametrize(
    ("program", "faulty", "expected", "edit"),
    [
        pytest.param(HALF_A_SWAP, "v[i] = v[j];", "1 3 5 9 \n", "v[j] = kept;", id="half a swap"),
        pytest.param(
            LOST_LINK,
            "return made;",
            "16 9 4 1 \n",
            "made->next = head;",
            id="a link is not set",
            marks=pytest.mark.slow,
        ),
        pytest.param(NO_CALL, "int letter =", "602\n", "tolower(", id="a call is missing"),
        pytest.param(LETTERS, '"VL"', "IXLVIVI\n", '"LV"', id="two letters changed places", marks=pytest.mark.slow),
    ],
)
def test_what_no_changed_run_shows_an_edit_does(
    tmp_path: Path, program: Source, faulty: str, expected: str, edit: str
) -> None:
    answer = butfor.explain(written(tmp_path, program), expect_stdout=expected)
    near = {row.line for row in answer.ranking[:3]}
    assert program.line_of(faulty) in near
    assert any(edit in row["after"] for row in answer.methods["repair"]["repairs"])
    reasons = [r for row in answer.ranking[:3] for r in row.reasons if r.method == "repair"]
    assert reasons
    assert all(r.evidence is Evidence.REPLAYED for r in reasons)


def test_edits_are_not_tried_where_a_statement_stands_out(tmp_path: Path) -> None:
    program = source(
        "int main(void) {\n    int sum = 0;\n    for (int i = 1; i < 5; "
        "i++)\n        sum += i;\n    assert(sum == 15);\n    return 0;\n}\n"
    )
    answer = butfor.explain(written(tmp_path, program))
    assert answer.ranking[0].line == program.line_of("i < 5")
    assert "repair" not in answer.methods


@pytest.mark.slow
def test_large_sources_are_not_compiled_again_and_again_unless_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_repair, "MAX_UNASKED_SOURCE_BYTES", 100)
    answer = butfor.explain(written(tmp_path, LOST_LINK), expect_stdout="16 9 4 1 \n")
    assert not answer.methods["repair"]["repairs"]
    assert any("edits of the source were not tried" in note for note in answer.notes)
    asked = butfor.explain(written(tmp_path, LOST_LINK), expect_stdout="16 9 4 1 \n", methods=["repair"])
    assert asked.methods["repair"]["repairs"]
