"""Several versions of a function in one program: each does what the changed source would do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import ForkServer, RunLimits, RunOutcome
from butfor.errors import CompileError
from butfor.frontends.c import toolchain
from butfor.frontends.c.build import BuildSpec
from butfor.frontends.c.object_files import code_of, exported, renamed
from butfor.frontends.c.program_variants import Copy, Variants, build_variants, can_be_copied
from butfor.frontends.c.run_program import RunSpec

PROGRAM = b"""#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int sum(int n, ...)
{
    static int calls;
    va_list list;
    int s = ++calls;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        s += va_arg(list, int);
    va_end(list);
    return s;
}
int twice(int n)
{
    return n < 0 ? 0 : n + n;
}
int main(void)
{
    printf("%d %d\\n", sum(2, 10, 20), sum(3, 1, 2, 3));
}
"""


def copy(file: Path, number: int, function: bytes, old: bytes, new: bytes) -> Copy:
    """A version of a function with one text replaced."""
    start = PROGRAM.index({b"sum": b"static int sum", b"main": b"int main", b"twice": b"int twice"}[function])
    end = PROGRAM.index(b"\n}\n", start) + 2
    text = PROGRAM[start:end]
    assert old in text
    return Copy(number, file, start, end, text.index(function), len(function), text.replace(old, new, 1))


def built(folder: Path, *changes: tuple[bytes, bytes, bytes]) -> Variants:
    """The program with these versions of its functions, numbered from 1."""
    file = folder / "prog.c"
    file.write_bytes(PROGRAM)
    return build_variants(BuildSpec((file,)), [copy(file, k, *c) for k, c in enumerate(changes, 1)])


def run(variants: Variants, *numbers: int, limits: RunLimits | None = None) -> tuple[bytes, RunOutcome]:
    """What the program writes with these versions."""
    with ForkServer(variants.build, "./prog", RunSpec(), b"", limits or RunLimits(events=300_000)) as server:
        outcome = server.run([Rule(0, Op.VARIANT, n) for n in numbers])
        return server.output(), outcome


def test_each_version_takes_the_place_of_its_function(tmp_path: Path) -> None:
    variants = built(
        tmp_path, (b"sum", b"+=", b"-="), (b"sum", b"i < n", b"i < n - 1"), (b"main", b"sum(2, ", b"sum(1, ")
    )
    assert run(variants)[0] == b"31 8\n"
    assert run(variants, 1)[0] == b"-29 -4\n"
    assert run(variants, 2)[0] == b"11 5\n"
    assert run(variants, 3) == (b"11 8\n", run(variants, 3)[1])
    assert run(variants, 3)[1].exit_status == 0
    assert run(variants, 2, 3)[0] == b"1 5\n"


def test_what_does_not_compile_is_left_out(tmp_path: Path) -> None:
    variants = built(
        tmp_path,
        (b"sum", b"+=", b"-="),
        (b"sum", b"calls;", b"called;"),
        (b"sum", b"return s;", b'return "s";'),
        (b"main", b"2,", b"2"),
    )
    assert set(variants.refused) == {2, 3, 4}
    assert "called" in variants.refused[2] or "calls" in variants.refused[2]
    assert run(variants, 1)[0] == b"-29 -4\n"


LENIENT = b"int main(void) { char *p = 7; return p != 7; }\n"  # a number for a pointer: old programs do that
BROKEN = b"int main(void) { return 7 }\n"


@pytest.mark.parametrize(("text", "asked"), [(PROGRAM, 1), (LENIENT, 2), (BROKEN, 1)], ids=["strict", "old", "broken"])
def test_a_lenient_compiler_is_only_asked_about_what_it_may_let_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, asked: int
) -> None:
    file = tmp_path / "prog.c"
    file.write_bytes(text)
    compiled: list[str] = []
    run_tool = toolchain.run_tool

    def counted(command: Sequence[str], failure: str) -> str:
        compiled.extend(word for word in command if word == "-c")
        return run_tool(command, failure)

    monkeypatch.setattr(toolchain, "run_tool", counted)
    with pytest.raises(CompileError) if text == BROKEN else nullcontext():
        build_variants(BuildSpec((file,)), ())
    assert len(compiled) == asked


def test_a_version_that_never_ends_is_stopped(tmp_path: Path) -> None:
    variants = built(
        tmp_path,
        (b"sum", b"i++", b""),
        (b"main", b"printf", b"for (;;) printf"),
        (b"main", b"printf", b"for (;;) ; printf"),
    )
    for number in (1, 2, 3):
        outcome = run(variants, number, limits=RunLimits(milliseconds=3000, events=100_000, file_size=1 << 16))[1]
        assert outcome.exit_status is None
        assert outcome.output <= 1 << 16


def test_a_version_can_neither_fork_nor_write_files(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("whole")
    evil = (
        f'FILE *f = fopen("{victim}", "w"); if (f) {{ fputs("gone", f); '
        f'fclose(f); }} remove("{victim}"); printf("%d ", fork()); printf'
    ).encode()
    variants = built(tmp_path, (b"main", b"printf", evil))
    output, outcome = run(variants, 1)
    assert output == b"-1 31 8\n"
    assert outcome.touched
    assert victim.read_text() == "whole"


@pytest.mark.parametrize(
    "evil",
    [
        'unlink("{victim}")',
        'rename("{victim}", "{victim}2")',
        'truncate("{victim}", 0)',
        'chmod("{victim}", 0)',
        'symlink("{victim}", "{victim}2")',
        'mkdir("{victim}2", 0777)',
        'system("echo gone > {victim}; touch {victim}2")',
        'execl("/bin/rm", "rm", "{victim}", (char *)0)',
        'syscall(SYS_unlink, "{victim}")',
        "syscall(SYS_fork)",
        "kill(getppid(), 9)",
        "syscall(SYS_kill, getppid(), 9)",
        "raise(SIGSTOP)",
    ],
)
def test_nothing_outside_is_touched(tmp_path: Path, evil: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("whole")
    victim.chmod(0o640)
    text = PROGRAM.replace(
        b"#include <unistd.h>",
        b"#include <signal.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n#include <unistd.h>",
    )
    file = tmp_path / "prog.c"
    file.write_bytes(text)
    start = text.index(b"int main")
    body = text[start : text.index(b"\n}\n", start) + 2]
    new = body.replace(b"printf", evil.format(victim=victim).encode() + b"; printf", 1)
    variants = build_variants(
        BuildSpec((file,)), [Copy(1, file, start, start + len(body), body.index(b"main"), 4, new)]
    )
    assert not variants.refused
    with ForkServer(variants.build, "./prog", RunSpec(), b"", RunLimits(milliseconds=3000, events=300_000)) as server:
        server.run([Rule(0, Op.VARIANT, 1)])
        after = server.run([])  # whoever it tried to end is still there
        assert after.exit_status == 0
        assert server.output() == b"31 8\n"
    assert victim.read_text() == "whole"
    assert victim.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["prog.c", "victim"]


def test_memory_without_end_is_refused(tmp_path: Path) -> None:
    loop = (
        b"for (int k = 0; k < 100000; k++) {{ char *p = malloc(1 << 24); "
        b'if (!p) {{ puts("no more"); break; }} p[0] = 1; }} printf'
    )
    variants = built(tmp_path, (b"main", b"printf", loop.replace(b"{{", b"{").replace(b"}}", b"}")))
    output, outcome = run(variants, 1, limits=RunLimits(milliseconds=5000, events=10_000_000))
    assert output.startswith(b"no more") or outcome.exit_status is None


def test_functions_that_cannot_have_a_second_version() -> None:
    assert can_be_copied(b"static int f(int constructors) { }")
    assert not can_be_copied(b"__attribute__((constructor)) static void f(void) { }")


def test_code_that_does_the_same_is_the_same(tmp_path: Path) -> None:
    variants = built(
        tmp_path, (b"twice", b"n + n", b"n  + n"), (b"twice", b"n < 0", b"n <= 0"), (b"twice", b"n + n", b"(n) + (n)")
    )
    (data,) = variants.objects
    code = code_of(data)
    assert code["twice__bf1"] == code["twice"] == code["twice__bf3"]
    assert code["twice__bf2"] != code["twice"]


def test_symbols_get_other_names(tmp_path: Path) -> None:
    (data,) = built(tmp_path).objects
    assert "main" in exported(data)
    new = renamed(data, {"main": "a_longer_name_than_before", "printf": "my_printf"})
    assert "a_longer_name_than_before" in exported(new)
    assert "main" not in exported(new)
    assert renamed(data, {"nothing": "x"}) == data
