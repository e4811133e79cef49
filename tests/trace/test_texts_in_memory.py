"""The text that a pointer points to is shown as it was at that moment, or not at all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from butfor.trace.recording import Recording
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.string_literals import string_literal
from tests.small import Source, recorded

_WAYS = (
    'strcpy(a, "first"); seen(a);',
    "strcpy(heap, a); seen(heap); seen(heap + 1);",
    'sprintf(a, "<%d>", round); seen(a);',
    'sscanf("one two", "%15s %15s", a, heap); seen(a); seen(heap);',
    'strcat(a, "x"); seen(a);',
    "a[round % 3] = 'Q'; seen(a);",
    "strcpy(r.path, \"/p\"); r.path[1] = 's'; seen(r.path); seen(r.name);",
    "memset(a, 'z', 3); seen(a);",
    'memcpy(a, "mem", 4); seen(a);',
    "for (char *p = a; *p; p++) { *p = 'A'; seen(p); }",
    'strtok(strcpy(a, "k=v;w"), "=;"); seen(a); seen(strtok(NULL, "=;"));',
    "a[0] = '\\0'; seen(a);",
    'strncpy(r.name, "name", 3); seen(r.name);',
    "seen(word); seen(text + 2);",
    "text[4] = '0' + round; seen(text);",
    'if (fgets(a, sizeof a, stdin)) { seen(a); a[strcspn(a, "\\n")] = 0; seen(a); }',
    "shout(a); seen(a);",
    "struct record copy = r; seen(copy.name); seen(copy.path);",
)
_HEAD = """\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct record { char name[8]; char path[24]; };
static char text[16] = "static";
static const char *word = "literal";
static int used;
static void seen(const char *s)
{
    used += s != NULL; /* it reads no character */
}
static void told(const char *s)
{
    seen(s);
    TELL(s);
    putchar('\\1');
}
static void shout(char *s)
{
    for (int k = 0; s[k]; k++)
        if (s[k] >= 'a' && s[k] <= 'z')
            s[k] = (char)(s[k] - 'a' + 'A');
}
#define seen told
int main(void)
{
    char a[32] = "start";
    char *heap = calloc(32, 1);
    struct record r;
    memset(&r, 0, sizeof r);
    for (int round = 0; round < 3; round++) {
"""


_TELL = {  # a call that reads the text tells of the time before it; one that reads characters tells nothing
    "by a call": 'printf("%s", s)',
    "by characters": "do { for (const char *p = s; *p; p++) putchar(*p); } while (0)",
}


def _shown(recording: Recording) -> list[str]:
    """The text of the argument of each call of `seen`."""
    objects, trace = RunObjects(recording), recording.trace
    entries = [i for i in range(len(trace)) if trace.at(i).fn.name == "seen" and trace.begins_frame(i)]
    return [objects.value_of_pointer(int(trace.value((i, ~0))), i, None) for i in entries]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("how", _TELL)
def test_a_text_that_is_shown_is_the_one_that_was_there(how: str, seed: int, tmp_path: Path) -> None:
    chosen = random.Random(seed).sample(_WAYS, len(_WAYS))
    body = _HEAD.replace("TELL(s)", _TELL[how])
    body += "".join(f"        {{ {way} }}\n" for way in chosen) + "    }\n    free(heap);\n    return 0;\n}\n"
    recording = recorded(tmp_path, Source(body, 0, 0), stdin=b"line one\nline two\n")
    truth = [string_literal(text) for text in recording.stdout.split(b"\1")[:-1]]
    shown = _shown(recording)
    wrong = [(text, known) for text, known in zip(truth, shown, strict=True) if known.startswith('"') and known != text]
    assert not wrong
    known = sum(text.startswith('"') for text in shown)
    assert known >= 0.7 * len(shown), f"{known} of {len(shown)} are known"
