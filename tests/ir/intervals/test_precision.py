"""Which checks of small programs are proved, and which must stay open."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.frontends.c.c_frontend import compile_program
from butfor.ir.intervals.proved_facts import StaticFacts
from butfor.ir.intervals.whole_program import analyse
from butfor.ir.program import Program
from butfor.options import Options

HEAD = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n"
MAIN = "\nint main(int argc, char **argv) { return f(argc); }\n"

PROVED = {
    "up and down": "int f(int n) { int a[10], s = 0; for (int i = 0; i < 10; i++) a[i] = i; for (int i = 9; i >= 0;"
    " i--) s += a[i]; return s; }",
    "nested": "int f(int n) { int m[5][7]; for (int i = 0; i < 5; i++) for (int j = 0; j < 7; j++) m[i][j] = i * j;"
    " return m[2][3]; }",
    "two counters": "int f(int n) { int a[16]; int i = 0, j = 15; while (i < j) { a[i] = a[j]; i++; j--; }"
    " return a[0]; }",
    "steps together": "int f(int n) { int a[20]; for (int i = 0, j = 5; i < 10; i++, j++) a[i + 5] = a[j]; return 0; }",
    "division after a guard": "int f(int n) { if (n > 0) return 100 / n; return 0; }",
    "division after inequality": "int f(int n) { n -= 3; if (n != 0) return 100 % n; return 0; }",
    "division of the least": "int f(int n) { int d = n - 5; return d == 0 ? 1 : d == -1 ? 2 : (-2147483647 - 1) / d; }",
    "NULL checked": "int f(int n) { int *p = malloc(40); if (p == NULL) return 1; for (int i = 0; i < 10;"
    " i++) p[i] = i; free(p); return 0; }",
    "block of n": "int f(int n) { int *p = malloc(n * sizeof *p); if (!p) return 0; for (int i = 0; i < n;"
    " i++) p[i] = i; free(p); return 1; }",
    "block in a loop": "int f(int n) { for (int k = 0; k < n; k++) { int *p = calloc(k, 4);"
    " if (p) for (int i = 0; i < k; i++) p[i] = 1; free(p); } return 0; }",
    "unsigned n": "int f(int n) { unsigned m = n; char *p = malloc(m); if (!p) return 0;"
    " for (unsigned i = 0; i < m; i++) p[i] = 1; free(p); return 0; }",
    "bounded by the caller": "int g(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
    "int f(int n) { int a[10] = {0}, b[30] = {0}; return g(a, 10) + g(b, 30); }",
    "binary search": "int g[20]; int f(int k) { int lo = 0, hi = 19; while (lo <= hi) { int mid = (lo + hi) / 2;"
    " if (g[mid] == k) return mid;"
    " if (g[mid] < k) lo = mid + 1; else hi = mid - 1; } return -1; }",
    "binary search of n": "int f(int n) { int *a = malloc(n * sizeof(int)); if (!a) return 0;"
    " memset(a, 0, n * sizeof(int)); int lo = 0, hi = n - 1;"
    " while (lo <= hi) { int mid = lo + (hi - lo) / 2; if (a[mid] < n) lo = mid + 1; else hi = mid - 1; } return 0; }",
    "copy into a buffer": "int f(int n) { char b[16]; int i; for (i = 0; i < 15 && i < n; i++) b[i] = i; b[i] = 0;"
    " return b[0]; }",
    "array in a struct": "struct st { int top; int data[8]; };\n"
    "void push(struct st *s, int v) { if (s->top < 8) s->data[s->top++] = v; }\n"
    "int f(int n) { struct st s; s.top = 0; for (int i = 0; i < n; i++) push(&s, i); return 0; }",
    "switch": "int f(int x) { int t[3] = {1, 2, 3}, k; switch (x) { case 1: k = 0; break; case 7: k = 1; break;"
    " default: k = 2; } return t[k]; }",
    "table of indices": "int f(int i) { static const int t[4] = {0, 3, 2, 1}; int b[4] = {0};"
    " if (i >= 0 && i < 4) return b[t[i]]; return 0; }",
    "ring": "int f(int n) { int q[8], h = 0; for (int k = 0; k < n; k++) { q[h] = k; h = (h + 1) % 8; } return 0; }",
    "pointer and end": "int f(int n) { int a[10]; int *p = a, *e = a + 10; while (p < e) *p++ = 0; return a[3]; }",
    "pointer into a block": "int f(int n) { char *b = malloc(n); if (!b) return 1; for (char *p = b; p < b + n;"
    " p++) *p = 'x'; free(b); return 0; }",
    "assertion": "int f(int n) { int z = n % 5; assert(z < 5); int w = z > 2 ? 1 : 0; assert(w >= 0 && w <= 1);"
    " return z; }",
    "flag": "int f(int n) { int a[4] = {0}; _Bool ok = n >= 0 && n < 4; if (ok) return a[n & 3]; return 0; }",
    "unsigned char": "int f(int n) { int seen[256] = {0}; unsigned char c = n; seen[c]++; return seen[0]; }",
    "pointer to a variable": "void set(int *p) { *p = 3; }\n"
    "int f(int n) { int i = 99, a[5] = {0}; set(&i); return a[i]; }",
    "not equal to the end": "int f(int n) { int a[10]; for (int i = 0; i != 10; i++) a[i] = 0; return 0; }",
}
PROVED |= {
    "inside a member": "struct { int a[4], b[4]; } s;"
    " int f(int n) { if (n >= 0 && n < 4) s.a[n] = 1; return s.b[n & 3]; }",
    "inside a row": "struct t { int m[3][4], z; }; int f(int n) { struct t t = {{{0}}}, *p = &t;"
    " if (n >= 0 && n < 4) p->m[n % 3][n] = 1; return t.z; }",
}
OPEN = {
    "past a member": (
        "bounds-high",
        "struct { int a[4], b[4]; } s; int f(int n) { if (n >= 0 && n < 5) s.a[n] = 1; return s.b[0]; }",
    ),
    "before a row": (
        "bounds-low",
        "int f(int n) { int m[3][4] = {{0}}; if (n < 4) m[1][n - 1] = 1; return m[0][0]; }",
    ),
    "a text in a member": (
        "bounds-high",
        'struct { char name[4]; int n; } s; int f(int n) { strcpy(s.name, n > 3 ? "abc" : "abcd"); return s.n; }',
    ),
    "one too far": ("bounds-high", "int f(int n) { int a[10]; for (int i = 0; i <= 10; i++) a[i] = i; return 0; }"),
    "before the start": (
        "bounds-low",
        "int f(int n) { int a[10] = {0}; for (int i = 9; i >= -1; i--) a[i]++; return 0; }",
    ),
    "n not bounded": ("bounds-high", "int f(int n) { int a[10]; for (int i = 0; i < n; i++) a[i] = i; return 0; }"),
    "no NULL check": ("null", "int f(int n) { int *p = malloc(4); *p = 1; return 0; }"),
    "NULL on one way": ("null", "int f(int n) { int x = 1, *p = 0; if (n > 2) p = &x; return *p; }"),
    "divisor from outside": ("division", "int f(int n) { return 10 / (n - 2); }"),
    "least by minus one": ("division", "int f(int n) { int d = n > 3 ? -1 : 1; return (-2147483647 - n) / d; }"),
    "assertion": ("assertion", "int f(int n) { assert(n < 100); return n; }"),
    "changed through a pointer": (
        "bounds-high",
        'int *q; void far(void);\nint f(int n) { int i = 0, a[4] = {0}; q = &i; puts("x"); *q = n; return a[i]; }',
    ),
    "changed by a recursive call": (
        "bounds-high",
        "int at; void g(int n) { if (n > 0) { at++; g(n - 1); } }\n"
        "int f(int n) { int a[4] = {0}; at = 0; g(n); return a[at]; }",
    ),
    "block too small": (
        "bounds-high",
        "int f(int n) { int *p = malloc(n); if (!p) return 0; for (int i = 0; i < n; i++) p[i] = i; return 1; }",
    ),
    "wraps around": (
        "bounds-high",
        "int f(int n) { char a[100] = {0}; unsigned char c = 0; for (int i = 0; i < n; i++) c += 7; return a[c]; }",
    ),
    "text of unknown length": (
        "bounds-high",
        'int f(int n) { char b[8]; char *s = getenv("X"); if (s) strcpy(b, s); return 0; }',
    ),
    "a union": (
        "bounds-high",
        "union u { int i; float f; };\nint f(int n) { int a[4] = {0}; union u x; x.i = 1; x.f = n; return a[x.i]; }",
    ),
    "bytes of a number": (
        "bounds-high",
        "int f(int n) { int a[4] = {0}, i = 1; ((char *)&i)[n & 3] = 5; return a[i]; }",
    ),
    "called back": (
        "bounds-high",
        "int at; int cmp(const void *x, const void *y) { at++; return 0; }\n"
        "int f(int n) { int v[3] = {3, 2, 1}, a[2] = {0}; qsort(v, 3, sizeof *v, cmp); return a[at]; }",
    ),
    "read by scanf": ("bounds-high", 'int f(int n) { int a[4] = {0}, i = 0; scanf("%d", &i); return a[i]; }'),
}


def facts_of(tmp_path: Path, text: str) -> tuple[Program, StaticFacts]:
    """What is found of a program."""
    path = tmp_path / "small.c"
    path.write_text(HEAD + text + MAIN)
    program = compile_program(Options(sources=(path,)), lambda _: None).code.program
    return program, analyse(program, lambda: False)


@pytest.mark.parametrize("name", PROVED)
def test_is_proved(name: str, tmp_path: Path) -> None:
    _, facts = facts_of(tmp_path, PROVED[name])
    assert facts.complete, facts.reasons
    assert facts.checks
    assert not [c for c in facts.checks if c.verdict == "open"]


@pytest.mark.parametrize("name", OPEN)
def test_stays_open(name: str, tmp_path: Path) -> None:
    kind, text = OPEN[name]
    _, facts = facts_of(tmp_path, text)
    assert kind in {c.kind for c in facts.checks if c.verdict == "open"}


def test_code_that_is_never_run_is_unreachable(tmp_path: Path) -> None:
    _, facts = facts_of(tmp_path, "int f(int n) { if (n < 0) return 1 / n; return 0; }")
    assert [c.verdict for c in facts.checks] == ["unreachable"]


def test_time_that_is_up_leaves_everything_open(tmp_path: Path) -> None:
    program, _ = facts_of(tmp_path, PROVED["nested"])
    facts = analyse(program, lambda: True)
    assert {c.verdict for c in facts.checks} == {"open"}
    assert not facts.complete
    assert facts.reasons == ("the time was up",)


def test_other_names_and_kept_buffers_are_given_up(tmp_path: Path) -> None:
    alias = (
        'int at; extern int other __attribute__((alias("at")));\n'
        "int f(int n) { int a[4] = {0}; other = n; return a[at]; }"
    )
    kept = "char b[4]; int f(int n) { int a[4] = {0}; setvbuf(stdout, b, _IOFBF, 4); putchar(99); return a[b[0]]; }"
    for text in (alias, kept):
        _, facts = facts_of(tmp_path, text)
        assert {c.verdict for c in facts.checks} == {"open"}
        assert not facts.complete


def test_jumps_and_handlers_are_given_up(tmp_path: Path) -> None:
    text = (
        "#include <signal.h>\nint at; void h(int s) { at = 9; }\n"
        "int f(int n) { int a[4] = {0}; signal(SIGINT, h); return a[at]; }"
    )
    _, facts = facts_of(tmp_path, text)
    assert {c.verdict for c in facts.checks} == {"open"}
    assert facts.reasons == ("the program uses signal",)
