"""Questions to a recorded run: where a value came from, who printed a piece of the output, why a line did not run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import butfor
from butfor.errors import UsageError
from butfor.origin_ladder import Ladder, RungKind
from butfor.origins.queries import RunQueries

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
struct pair { int low, high; };
static int limit = 7;
static int twice(int n) { return 2 * n; }
static struct pair make(int n)
{
    struct pair p;
    p.low = n - 1;
    p.high = twice(n);
    return p;
}
static void never(int n)
{
    printf("%d never\\n", n);
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), sum = 0;
    struct pair p = make(n);
    short small = (short)(n * 20000);
    for (int i = 0; i < p.high; i++)
        sum += i;
    if (sum > 1000)
        never(sum);
    printf("sum %d, %d\\n", sum, small);
    printf("limit %d of %d\\n", limit, p.low);
    return 0;
}
"""


def line_of(text: str) -> int:
    """The line of the program on which a text stands."""
    return next(k for k, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> RunQueries:
    """A run of the program with the argument 5."""
    source = tmp_path_factory.mktemp("why") / "prog.c"
    source.write_text(PROGRAM)
    return butfor.record(source, args=["5"])


def said(ladder: Ladder) -> str:
    """All that a ladder says."""
    return "\n".join(f"{rung.line}: {rung.says}" for rung in ladder.rungs)


def test_the_member_of_a_returned_struct_is_followed_to_the_statement_that_set_it(recording: RunQueries) -> None:
    text = said(recording.why(f"prog.c:{line_of('i < p.high')}:p.high"))
    assert re.search(rf"{line_of('return 2 * n')}: twice\(\) returned 10 here: `return 2 \* n;`", text)


def test_a_sum_is_told_once_with_its_first_and_last_values(recording: RunQueries) -> None:
    (first, update, *_) = recording.why(f"prog.c:{line_of('if (sum')}:sum").rungs
    assert first.says.startswith("`sum` is 45 in")
    assert "run 10 times since it was set at line" in update.says
    assert "(0, 0, 1, ..., 36, 45)" in update.says


def test_the_nth_time_is_another_value(recording: RunQueries) -> None:
    where = f"prog.c:{line_of('sum += i')}:sum"
    assert "became 6 here" in said(recording.why(where, occurrence=4))
    assert "became 45 here" in said(recording.why(where, occurrence=-1))


def test_a_number_that_did_not_fit_says_so(recording: RunQueries) -> None:
    text = said(recording.why(f"prog.c:{line_of('short small')}"))
    assert "cut from 100000 to -31072 because only 16 bits fit" in text


def test_a_piece_of_output_leads_to_its_value(recording: RunQueries) -> None:
    text = said(recording.why_output(2))
    assert 'printed "7" here' in text
    assert "`limit` still had its initial value 7" in text
    assert 'printed "4" here' in said(recording.why_output(2, 12))


def test_a_line_that_did_not_run_names_the_decision_that_kept_it(recording: RunQueries) -> None:
    ladder = recording.why_not(f"prog.c:{line_of('%d never')}")
    assert [rung.kind for rung in ladder.rungs][:3] == [RungKind.FAILURE, RungKind.CALL, RungKind.DECISION]
    assert "`sum > 1000` was false with sum = 45" in said(ladder)


def test_a_line_that_did_run_is_said_to_have_run(recording: RunQueries) -> None:
    assert "it was executed 10 times" in said(recording.why_not(f"prog.c:{line_of('sum += i')}"))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("prog.c", "not a place in the source"),
        ("other.c:3", "no source file other.c"),
        ("prog.c:900", "has no line 900"),
        (f"prog.c:{line_of('sum += i')}:zero", "neither reads nor assigns zero"),
        (f"prog.c:{line_of('%d never')}", "was not executed"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(recording: RunQueries, where: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        recording.why(where)


def test_a_pointer_to_a_freed_block_is_not_taken_for_the_block_that_has_its_memory_now() -> None:
    recording = butfor.record(EXAMPLES / "queue.c", args=["2", "10", "20"])
    first = recording.why("queue.c:26:last").rungs[0]
    assert "`last` is &(2nd struct node of line 20, freed)" in first.says


def test_an_entry_of_a_local_array_or_struct_leads_to_its_initialiser(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(
        "struct P { int x, y; };\n"
        "static int sum(const struct P *p) { return p->x + p->y; }\n"
        "int main(int argc, char **argv) {\n"
        "    int t[4] = {1, 0, 3, 0};\n"
        '    char name[] = "abc";\n'
        "    struct P p = {3, 4};\n"
        "    int s = t[2] + name[argc] + sum(&p);\n"
        "    return s;\n}\n"
    )
    text = said(butfor.record(source).why("prog.c:8:s"))
    assert "4: `t[2]` is 3 by its initialiser here: `int t[4] = {1, 0, 3, 0};`" in text
    assert "5: `name[argc]` is 98 'b' by its initialiser here: `char name[] = \"abc\";`" in text
    assert "6: `p->x` is 3 by its initialiser here: `struct P p = {3, 4};`" in text
