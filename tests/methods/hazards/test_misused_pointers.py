"""Statements that kept a pointer to a freed block, or that did not test a pointer which a function returned."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from tests.small import source, written

COPIED = """
struct item { int left; struct item *next; };
int main(void) {
  struct item *last = malloc(sizeof *last), *first = malloc(sizeof *first);
  first->left = 0, first->next = last, last->left = 1, last->next = NULL;
  struct item *before = NULL, *at = first;
  while (at != NULL) {
    struct item *next = at->next;
    if (at->left == 0)
      free(at);
    before = at;
    at = next;
  }
  before = before == last ? first : before;
  return before->left;
}
"""
KEPT = """
static char *current;
static void open_name(void) { current = malloc(8); strcpy(current, "name"); }
static void close_name(char *name) { free(name); }
int main(void) {
  open_name();
  close_name(current);
  current[0] = 'N';
  return 0;
}
"""
UNTESTED = """
static const char *find(const char *text) {
  if (text[0] == 'x')
    return text;
  return NULL;
}
int main(int argc, char **argv) {
  const char *found = find(argv[1]);
  puts("found");
  return (int)strlen(found);
}
"""
TESTED = UNTESTED.replace('puts("found");', 'if (found == NULL) puts("none");')


@pytest.mark.parametrize(
    ("body", "args", "expected"),
    [
        (COPIED, [], {"free(at);": "it frees"}),
        (KEPT, [], {"current = malloc(8);": "the free does not reset", "{ free(name); }": "it frees"}),
        (UNTESTED, ["abc"], {"*found = find": "nothing tests it before", "strlen(found)": "nothing tested it"}),
        (TESTED, ["abc"], {"if (found == NULL)": "it found `found` null", "strlen(found)": "found null"}),
    ],
    ids=["copied", "kept", "untested", "tested"],
)
def test_the_statements_in_question_are_named(
    tmp_path: Path, body: str, args: list[str], expected: dict[str, str]
) -> None:
    answer = butfor.explain(written(tmp_path, body), methods=["hazards"], args=args)
    rows = {row.line: row.reasons[0].text for row in answer.ranking}
    missing = {part for part, words in expected.items() if words not in rows.get(source(body).line_of(part), "")}
    assert not missing, rows


def test_a_pointer_taken_over_after_the_free_comes_first(tmp_path: Path) -> None:
    body = COPIED.replace("  before = before == last ? first : before;\n", "").replace(
        "    before = at;\n", "    before = at;\n    if (before->left == 0) break;\n"
    )
    answer = butfor.explain(written(tmp_path, body), methods=["hazards"])
    assert answer.ranking[0].line == source(body).line_of("before = at;")
    assert "freed already" in answer.ranking[0].reasons[0].text
