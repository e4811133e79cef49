"""Runs that do not fail, and must not be taken for failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.small import explained, source

BITS = """struct b { unsigned low : 3, mid : 5, high : 24; };
int main(int argc, char **argv) {
 struct b *p = malloc(sizeof *p);
 p->mid = 9;
 if (p->mid == 9) puts("nine");
 p->high = 1;
 printf("%d\\n", p->high + p->mid);
 free(p);
 return 0; }
"""
PADDING = """struct s { char c; long n; short t; };
static struct s keep;
static struct s made(char c) { struct s s; s.c = c; s.n = 2; s.t = 3; return s; }
int main(int argc, char **argv) {
 struct s a = made('a'), *h = malloc(sizeof *h), b;
 *h = a;
 memcpy(&b, h, sizeof b);
 keep = b;
 if (keep.c == 'a' && b.n == 2 && h->t == 3) printf("%c %ld %d\\n", keep.c, b.n, h->t);
 free(h);
 return 0; }
"""
FINE = {
    "bits that were not written are not used": BITS,
    "padding is copied": PADDING,
    "an uninitialised value is copied, not used": (
        "int main(void) {\n int a[4], b[4]; memcpy(b, a, sizeof b); int c = b[1]; b[2] = c; return 0; }\n"
    ),
    "a union is read by another member": (
        "union u { int i; unsigned char c[4]; };\nint main(void) {\n union u u; u.i = 5; return u.c[0] - 5; }\n"
    ),
    "a bit is masked away": (
        "int main(void) {\n "
        'unsigned *p = malloc(4), x = (*p & 0xf0) | 5;\n if ((x & 0xf) == 5) puts("five");\n return 0; }\n'
    ),
    "the end of an array is pointed to": (
        "int main(void) {\n int a[3] = {0}, *p = a, n = 0; while (p != a + 3) n += *p++; return n; }\n"
    ),
    "one member array is read as a whole": (
        "struct s { char a[4], b[4]; };\nint main(void) {\n struct s s; memset(&s, 0, 8); return s.a[3]; }\n"
    ),
    "free of NULL": "int main(void) {\n free(NULL); return 0; }\n",
    "realloc of NULL and to a smaller size": (
        "int main(void) {\n char *p = realloc(0, 9); p = realloc(p, 2); p[1] = 0; free(p); return 0; }\n"
    ),
    "floating point division by zero": (
        "int main(int argc, char **argv) {\n double d = 1.0 / (argc - 1); return d < 2; }\n"
    ),
    "memory is left behind": "int main(void) {\n return malloc(10) == 0; }\n",
    "main ends without a return": 'int main(void) {\n puts("x"); }\n',
    "stderr is not looked at": 'int main(void) {\n fputs("oops\\n", stderr); return 0; }\n',
    "a handled signal": (
        "#include <signal.h>\nstatic volatile int n; static void h(int s) { n = s; }\n"
        "int main(void) {\n signal(SIGUSR1, h); raise(SIGUSR1); return n != SIGUSR1; }\n"
    ),
}


@pytest.mark.parametrize("name", FINE)
def test_no_failure(name: str, tmp_path: Path) -> None:
    answer = explained(tmp_path, FINE[name], check=True)
    assert (answer.status, answer.failure, answer.memory_errors) == ("no-failure", None, ())
    assert answer.notes == ("the program did not fail: it ended with exit status 0",)
    assert answer.methods["check"]["mismatches"] == 0


def test_old_main_without_a_return_has_no_status(tmp_path: Path) -> None:
    answer = explained(tmp_path, 'main() {\n printf("hello\\n"); }\n', cflags=["-std=gnu89"])
    assert answer.status == "no-failure"


def test_other_bits_uninitialised_is_found(tmp_path: Path) -> None:
    program = source(BITS.replace("if (p->mid == 9)", "if (p->low §== 1)"))
    failure = explained(tmp_path, program).failure
    assert failure is not None
    assert (failure.details["memory"], failure.line, failure.column) == ("uninitialised", program.line, program.column)


@pytest.mark.parametrize(
    ("body", "knobs"),
    [
        ("int main(void) {\n return 3; }\n", {"expect_exit": 3}),
        ("int main(void) {\n exit(255); }\n", {"expect_exit": 255}),
        ('int main(void) {\n puts("a"); return 3; }\n', {"expect_stdout": b"a\n"}),
        ("int main(void) {\n return 0; }\n", {"expect_stdout": b"", "expect_exit": 0}),
        (
            "int main(int argc, char **argv) {\n while (*++argv) puts(*argv); return 0; }\n",
            {"args": ["x", "\udcff"], "expect_stdout": b"x\n\xff\n"},
        ),
        (
            "int main(void) {\n int c; while ((c = getchar()) != EOF) putchar(c); return 0; }\n",
            {"stdin": b"\0\xff\n", "expect_stdout": b"\0\xff\n"},
        ),
    ],
    ids=["return", "exit", "output", "nothing", "arguments", "input"],
)
def test_expectations_that_are_met(body: str, knobs: dict[str, Any], tmp_path: Path) -> None:
    answer = explained(tmp_path, body, **knobs)
    assert (answer.status, answer.failure) == ("no-failure", None)


def test_expected_output_is_there_but_the_status_is_wrong(tmp_path: Path) -> None:
    failure = explained(
        tmp_path, 'int main(void) {\n puts("a"); return 3; }\n', expect_stdout=b"a\n", expect_exit=0
    ).failure
    assert failure is not None
    assert (failure.kind, failure.message) == ("exit-status", "exit status 3, expected 0")


def test_violated_assumption_is_no_failure(tmp_path: Path) -> None:
    body = (
        "extern void __VERIFIER_assume(int); extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "int main(void) {\n int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3);\n"
        " if (x == 4) reach_error();\n return 0; }\n"
    )
    answer = explained(tmp_path, body, nondet=[2])
    assert (answer.status, answer.failure) == ("no-failure", None)
    assert answer.notes == ("the run ended at a violated assumption: there is no failure to explain",)
    assert explained(tmp_path, body, nondet=[4]).failure is not None
