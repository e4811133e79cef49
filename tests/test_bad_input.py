"""What users really give to a command line. Always a message, the right status, no traceback, nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands import butfor_process, run_in
from tests.small import file_of

FINE = "int main(void) { return 0; }\n"


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.c"], "none.c: no such file"),
        (["folder"], "folder: is a directory"),
        (["folder.c"], "folder.c: is a directory"),
        (["prog.c", "none.c"], "none.c: no such file"),
        (["prog.c", "--stdin", "none"], "none: no such file"),
        (["prog.c", "--stdin", "folder"], "folder: is a directory"),
        (["prog.c", "--expect-stdout", "folder"], "folder: cannot be read: Is a directory"),
        (["prog.c", "--tests", "folder"], "folder: is a directory"),
        (["prog.c", "-o", "none/report"], "none: no such directory"),
        (["prog.c", "--method", "guess"], "there is no method 'guess'"),
        (["broken.c"], "broken.c does not compile"),
        (["nomain.c"], "the program has no function `main`"),
        (["empty.c"], "the program has no function `main`"),
        (["text.txt"], "text.txt is not a C file"),
        (["/bin/true"], "/bin/true does not say what it was built from"),
        (["bad.ll"], "bad.ll is not valid LLVM IR"),
        (["zero.c"], "/dev/zero: is included, and is a device or a pipe"),
        (["pipe.c"], "pipe.c: is a device or a pipe"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_files(words: Sequence[str], message: str, work: Path) -> None:
    (work / "folder").mkdir()
    (work / "folder.c").mkdir()
    file_of(work, FINE)
    file_of(work, "int main(void) { return }\n", "broken.c")
    file_of(work, "int f(void) { return 0; }\n", "nomain.c")
    file_of(work, "", "empty.c")
    file_of(work, "hello\n", "text.txt")
    file_of(work, "hello\n", "bad.ll")
    file_of(work, '#include "/dev/zero"\n', "zero.c")
    os.mkfifo(work / "pipe.c")
    done = run_in(work, "explain", *words)
    assert (done.code, done.stdout) == (2, "")
    assert f"butfor: error: {message}" in done.stderr


def test_a_working_directory_that_is_gone(work: Path) -> None:
    words = f'mkdir gone; cd gone; rmdir ../gone; exec "{sys.executable}" -m butfor explain prog.c'
    done = subprocess.run(["sh", "-c", words], cwd=work, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"butfor: error: the working directory has been removed" in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("sum.bpl", f"procedure f() {{ var x: int; x := {'+'.join(['1'] * 3000)}; assert x == 2; }}", 4),
        ("nest.bpl", f"procedure f() {{ {'if (true) {' * 5000} assert false; {'}' * 5000} }}", 3),
        ("brackets.bpl", f"procedure f() {{ assert {'(' * 3000}false{')' * 3000}; }}", 0),
    ],
)
def test_programs_that_are_nested_too_deeply(name: str, text: str, code: int, work: Path) -> None:
    file_of(work, text, name)
    done = run_in(work, "explain", name)
    assert done.code == code, done.stderr
    assert (code == 0) == ("nested" not in done.stdout + done.stderr)
    assert "internal error" not in done.stderr


@pytest.mark.parametrize("text", ["z3 '-in", 'z3 "'])
def test_a_solver_whose_quotes_are_not_closed(text: str, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUTFOR_SOLVER", text)
    file_of(work, "procedure f(n: int) { assert n == 2; }", "prog.bpl")
    done = run_in(work, "explain", "prog.bpl")
    assert (done.code, done.stdout) == (2, "")
    assert f"butfor: error: BUTFOR_SOLVER={text}: no closing quotation" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(work: Path) -> None:
    file_of(work, FINE)
    secret = work / file_of(work, "x", "secret")
    secret.chmod(0)
    assert run_in(work, "explain", "prog.c", "--stdin", "secret").stderr == "butfor: error: secret: permission denied\n"


def test_a_source_that_is_a_device(work: Path) -> None:
    assert run_in(work, "explain", "/dev/null").code == 2


# --- what is not supported ------------------------------------------------------------------------------------------

THREADS = """#include <pthread.h>
static void *work(void *p) { return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
"""
ASSEMBLY = """int main(int argc, char **argv) {
    int x = argc;
    __asm__ volatile("addl $5, %0" : "+r"(x));
    return x;
}
"""


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [(THREADS, 5, "a program with threads"), (ASSEMBLY, 3, "inline assembly")],
    ids=["threads", "assembly"],
)
def test_unsupported_is_named_with_its_line(text: str, line: int, what: str, work: Path) -> None:
    file_of(work, text)
    done = run_in(work, "explain", "prog.c")
    assert (done.code, done.stdout) == (3, "")
    assert done.stderr == f"butfor: error: prog.c:{line}: {what} is not supported\n"


def test_assembly_that_does_not_run_or_does_nothing(work: Path) -> None:
    text = (
        'int main(int argc, char **argv) {\n __asm__ volatile("" ::: "memory");\n'
        ' if (argc > 5) __asm__("nop");\n return 0; }\n'
    )
    done = run_in(work, "explain", file_of(work, text))
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("no failure: ")


def test_fork_in_the_program(work: Path) -> None:
    text = (
        "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) {\n if (fork() == 0) _exit(3);\n"
        " int s; wait(&s); return WEXITSTATUS(s) != 3; }\n"
    )
    assert run_in(work, "explain", file_of(work, text)).code in (0, 3)


def test_a_program_that_becomes_another(work: Path) -> None:
    text = '#include <unistd.h>\nint main(void) { execl("/bin/true", "true", (char *)0); return 1; }\n'
    done = run_in(work, "explain", file_of(work, text))
    assert done.code in (0, 2, 3)


# --- bytes that are no text -----------------------------------------------------------------------------------------


def test_source_that_is_not_utf8(work: Path) -> None:
    file_of(
        work,
        b"/* \xff\xfe */\n#include <assert.h>\nint main(int argc, char **argv) {\n"
        b'  assert(argc > 3 && "\xe9"); /* \xe9 */\n  return 0; }\n',
    )
    done = run_in(work, "explain", "prog.c")
    assert (done.code, done.stderr) == (0, "")
    assert "prog.c:4:3: assertion failed: argc > 3" in done.stdout
    assert run_in(work, "explain", "prog.c", "--json").code == 0


def test_output_that_is_not_utf8(work: Path) -> None:
    file_of(work, '#include <stdio.h>\nint main(void) {\n  fputs("\\xff\\x1b[31m\\x80\\n", stdout);\n  return 0; }\n')
    (work / "right").write_bytes(b"\xff\xfe\n")
    done = run_in(work, "explain", "prog.c", "--expect-stdout", "right")
    assert (done.code, done.stderr) == (0, "")
    assert "the output differs from the expected output at line 1" in done.stdout
    assert "\x1b" not in done.stdout
    assert '"\\xff\\xfe"' in done.stdout


def test_arguments_that_are_not_utf8(work: Path) -> None:
    file_of(
        work,
        "#include <assert.h>\nint main(int argc, char **argv) {\n  char *p = argv[1];\n"
        "  assert(p[0] == 'x'); return 0; }\n",
    )
    done = butfor_process(["explain", "prog.c", "--method", "slice", "--", b"\xff\xfe"], work)
    assert (done.code, done.stderr) == (0, "")


# --- input ----------------------------------------------------------------------------------------------------------

ECHO = "#include <stdio.h>\nint main(void) { int c, n = 0; while ((c = getchar()) != EOF) n++; return n; }\n"


def test_standard_input_is_passed_on(work: Path) -> None:
    file_of(work, ECHO)
    words = ("explain", "prog.c", "--method", "slice")
    assert "exit status 3, expected 0" in run_in(work, *words, stdin=b"abc").stdout
    (work / "in").write_bytes(b"12345")
    assert "exit status 5, expected 0" in run_in(work, *words, "--stdin", "in", stdin=b"abc").stdout


def test_closed_streams(work: Path) -> None:
    file_of(work, ECHO)
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        words = f"{sys.executable} -m butfor explain prog.c --method slice {closed}"
        done = subprocess.run(
            ["sh", "-c", words], cwd=work, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False
        )
        is_lost = ">&-" in closed.split()
        assert done.returncode == (2 if is_lost else 0), (closed, done.stderr)
        assert b"Traceback" not in done.stderr
        assert (b"standard output is closed" in done.stderr) == (closed == ">&-")
        assert closed == ">&-" or done.stderr == b""
