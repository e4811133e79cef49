"""Heap blocks are named by what they hold and by the statement that made them."""

from __future__ import annotations

from pathlib import Path

import butfor
from butfor.trace.view.run_objects import RunObjects

PROGRAM = """\
#include <stdlib.h>
#include <string.h>
typedef struct { double x, y; } point;
struct node { int value; struct node *next; };
static void *checked(size_t size)
{
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}
static struct node *node(int value)
{
    struct node *n = checked(sizeof *n);
    n->value = value;
    return n;
}
int main(void)
{
    int *numbers = calloc(10, sizeof *numbers);
    point *p = malloc(sizeof(point));
    char *text = strdup("hello");
    struct node *small = malloc(sizeof(small));
    void *raw = malloc(24);
    struct node *a = node(1), *b = node(2);
    return !(numbers && p && text && small && raw && a && b);
}
"""


def test_blocks_are_named_by_type_site_and_number(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(PROGRAM)
    recording = butfor.record(source).recording
    objects = RunObjects(recording)
    blocks = [
        objects.blocks.of(k) for k in range(len(recording.log.object)) if int(recording.log.object[k]["kind"]) == 3
    ]
    assert [block.describe() for block in blocks if block is not None] == [
        "an `int[10]` made at prog.c:20",
        "a `point` made at prog.c:21",
        "a `char[6]` made at prog.c:22",
        "a block of 8 bytes for a `struct node` of 16 made at prog.c:23",
        "a block of 24 bytes made at prog.c:24",
        "the 1st `struct node` made at prog.c:14",
        "the 2nd `struct node` made at prog.c:14",
    ]
