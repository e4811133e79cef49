"""From sources to a program: many files, headers, libraries, ready IR, old C; the cache; what the compiler says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.errors import CompileError, ToolMissing, UsageError
from butfor.explanation import Explanation
from butfor.frontends.c.c_frontend import compile_program
from butfor.native.build_cache import CACHE_VARIABLE, cache_dir
from butfor.options import make_options
from tests.commands import butfor_command


def files(folder: Path, **content: str) -> list[Path]:
    """The files, written; `a_c` is a.c and `a_h` is a.h."""
    paths = []
    for name, text in content.items():
        path = folder / name.replace("_", ".")
        path.write_text(text)
        paths.append(path)
    return paths


def printed(sources: Sequence[Path] | Path, wanted: str, **knobs: Any) -> Explanation:
    """The explanation of a run that must print `wanted`, end well, and replay without a mismatch."""
    answer = butfor.explain(sources, expect_stdout=wanted, expect_exit=0, check=True, **knobs)
    assert answer.failure is None, answer.failure
    assert answer.methods["check"]["mismatches"] == 0
    return answer


def zig(*words: str) -> None:
    """Runs the compiler of the ziglang package."""
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *words], check=True, capture_output=True)


MAIN = '#include <stdio.h>\nint twice(int);\nint main(void) { printf("%d\\n", twice(4)); return 0; }\n'


# --- what can be compiled -------------------------------------------------------------------------------------------


def test_statics_of_the_same_name_in_two_files(tmp_path: Path) -> None:
    part = (
        "static int count = {0}; "
        "static int step(int n) {{ static int calls; calls++; count += n * {0}; return calls; }}\n"
    )
    sources = files(
        tmp_path,
        a_c=part.format(1) + "int a(void) { step(2); return step(2) * 100 + count; }\n",
        b_c=part.format(10) + "int b(void) { return step(3) * 100 + count; }\n",
        main_c="#include <stdio.h>\nint a(void), b(void);\n"
        'int main(void) { printf("%d %d\\n", a(), b()); return 0; }\n',
    )
    printed(sources, "205 140\n")


def test_a_failure_in_the_second_of_two_files(tmp_path: Path) -> None:
    sources = files(
        tmp_path,
        main_c="int half(int);\nstatic int check(int n) { return n; }\n"
        "int main(int argc, char **argv) { return check(half(argc)) * 0; }\n",
        half_c="static int check(int n)\n{\n    return 10 / (n - 1);\n}\nint half(int n) { return check(n); }\n",
    )
    failure = butfor.explain(sources).failure
    assert failure is not None
    assert (Path(failure.file).name, failure.line, failure.function) == ("half.c", 3, "check")
    ranked = {(Path(row.file).name, row.line) for row in butfor.explain(sources).ranking}
    assert {("main.c", 3), ("half.c", 3), ("half.c", 5)} <= ranked


def test_files_of_the_same_name_in_two_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one = files(tmp_path / "one", util_c="static int k = 1;\nint one(void) { return k; }\n")
    two = files(tmp_path / "two", util_c="static int k = 2;\nint two(void) { return k; }\n")
    main = files(
        tmp_path,
        main_c="#include <stdio.h>\nint one(void), two(void);\n"
        'int main(void) { printf("%d\\n", one() * 10 + two()); return 0; }\n',
    )
    printed([*main, *one, *two], "12\n")


def test_headers_and_defines(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    files(tmp_path / "include", config_h="#ifdef LOUD\n#define MARK '!'\n#else\n#define MARK '.'\n#endif\n")
    (source,) = files(
        tmp_path,
        a_c='#include <stdio.h>\n#include "config.h"\nint main(void) { printf("%d%c\\n", LEVEL, MARK); return 0; }\n',
    )
    folder = str(tmp_path / "include")
    printed(source, "3.\n", includes=[folder], defines=["LEVEL=3"])
    printed(source, "4!\n", includes=[folder], defines=["LEVEL=4", "LOUD"])


def test_failure_in_a_header(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    files(tmp_path / "include", div_h="static int quotient(int a, int b)\n{\n    return a / b;\n}\n")
    (source,) = files(
        tmp_path, a_c='#include "div.h"\nint main(int argc, char **argv) { return quotient(1, argc - 1); }\n'
    )
    failure = butfor.explain(source, includes=[str(tmp_path / "include")]).failure
    assert failure is not None
    assert (Path(failure.file).name, failure.line, failure.details["text"]) == ("div.h", 3, "return a / b;")


@pytest.mark.parametrize("lib", ["m", "-lm"])
def test_libraries(lib: str, tmp_path: Path) -> None:
    text = (
        "#include <math.h>\n#include <stdio.h>\n"
        'int main(int argc, char **argv) { printf("%.3f\\n", cbrt(26.0 + argc)); return 0; }\n'
    )
    printed(files(tmp_path, a_c=text), "3.000\n", libs=[lib])


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        butfor.explain(files(tmp_path, a_c="int main(void) { return 0; }\n"), libs=["nosuchlibrary"])
    assert caught.value.message == "the program does not link"
    assert "nosuchlibrary" in caught.value.stderr


@pytest.mark.parametrize("flag", ["-S", "-c"], ids=["ll", "bc"])
def test_ready_code(flag: str, tmp_path: Path) -> None:
    text = "int twice(int n)\n{\n    int result = n / (n - 4);\n    return result;\n}\n"
    part, main = files(tmp_path, twice_c=text, main_c=MAIN)
    ready = tmp_path / ("twice.ll" if flag == "-S" else "twice.bc")
    zig("-g", "-O0", "-fno-sanitize=all", flag, "-emit-llvm", str(part), "-o", str(ready))
    answer = butfor.explain([main, ready])
    assert answer.failure is not None
    assert (answer.failure.kind, Path(answer.failure.file).name, answer.failure.line) == ("division", "twice.c", 3)


def test_only_ready_code_without_debug_information(tmp_path: Path) -> None:
    (source,) = files(tmp_path, a_c="int main(int argc, char **argv) { return 7 / (argc - 1); }\n")
    zig("-g0", "-O0", "-fno-sanitize=all", "-S", "-emit-llvm", str(source), "-o", str(tmp_path / "a.ll"))
    failure = butfor.explain(tmp_path / "a.ll").failure
    assert failure is not None
    assert (failure.kind, failure.function, failure.line) == ("division", "main", 0)


def test_ready_code_that_is_none(tmp_path: Path) -> None:
    for name, data in (
        ("a.ll", b"int main;\n"),
        ("a.bc", b"BC\xc0\xde garbage"),
        ("b.bc", b""),
        ("c.ll", b"\xff\xfe\0"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises((CompileError, UsageError)) as caught:
            butfor.explain(tmp_path / name)
        assert name in caught.value.message or "main" in caught.value.message


def test_old_style(tmp_path: Path) -> None:
    text = """add(a, b)
int a, b;
{
 register sum;
 sum = a + b;
 return sum;
}
limit = 3;
main()
{
 auto i;
 for (i = 0; i < limit; i++)
  printf("%d ", add(i, i));
 putchar('\\n');
 exit(0);
}
"""
    printed(files(tmp_path, a_c=text), "0 2 4 \n", cflags=["-std=gnu89"])


def test_gnu_extensions(tmp_path: Path) -> None:
    text = """#include <stdio.h>
#define MAX(a, b) ({ __typeof__(a) x_ = (a); __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
struct __attribute__((packed)) p { char c; int n; };
static int kind(int c) { switch (c) { case 'a' ... 'z': return 1; case '0' ... '9': return 2; default: return 0; } }
static int label(int n) { static void *to[] = { &&zero, &&one }; goto *to[n]; zero: return 5; one: return 6; }
static void done(int *p) { printf("done %d\\n", *p); }
int main(int argc, char **argv) {
 int a[] = { [2] = 7, [0] = 1 }, z[0];
 struct p p = { .n = 9 };
 int value __attribute__((cleanup(done))) = argc ?: 4;
 typedef int v4 __attribute__((vector_size(16)));
 v4 v = (v4){1, 2, 3, 4} + (v4){1, 1, 1, 1};
 printf("%d %d %d %d %d%d %d ", MAX(3, argc), a[1] + a[2], (int)sizeof p + p.n, (int)sizeof z, kind('q'), kind('5'),
        label(1));
 printf("%d %d\\n", v[3], __builtin_popcount(255u) + (int)(0b101));
 return 0; }
"""
    printed(files(tmp_path, a_c=text), "3 7 14 0 12 6 5 13\ndone 1\n")


def test_c11(tmp_path: Path) -> None:
    text = """#include <stdio.h>
#include <stdalign.h>
#define NAME(x) _Generic((x), int: "int", double: "double", default: "other")
_Static_assert(sizeof(int) == 4, "int");
struct s { union { int i; float f; }; alignas(32) char c; };
int main(void) {
 struct s s = { .i = 3 };
 printf("%s %s %d %d\\n", NAME(1), NAME(1.0), s.i, (int)alignof(struct s));
 return 0; }
"""
    printed(files(tmp_path, a_c=text), "int double 3 32\n", cflags=["-std=c11"])


def test_a_file_name_with_blanks_and_letters_beyond_ascii(tmp_path: Path) -> None:
    path = tmp_path / "a ä b.c"
    path.write_text("int main(int argc, char **argv)\n{\n    return 1 / (argc - 1);\n}\n")
    failure = butfor.explain(path).failure
    assert failure is not None
    assert (failure.file, failure.line, failure.details["text"]) == (str(path), 3, "return 1 / (argc - 1);")


def test_names_beyond_ascii(tmp_path: Path) -> None:
    text = (
        "static int größe = 3;\nstatic int teile(int zähler)\n{\n    return größe / zähler;\n}\n"
        "int main(int argc, char **argv) { return teile(argc - 1); }\n"
    )
    answer = butfor.explain(files(tmp_path, a_c=text), check=True)
    assert answer.failure is not None
    assert (answer.failure.line, answer.failure.details["text"]) == (4, "return größe / zähler;")
    assert any("zähler = 0" in reason.text for row in answer.ranking for reason in row.reasons)


@pytest.mark.parametrize("name", ["plain", "größe", "a$1"])
@pytest.mark.parametrize(
    "what",
    ["int NAME(int n) { return n + 1; }", "int NAME[3]; int f(int n) { return 5 + NAME[n & 1]; }"],
    ids=["function", "variable"],
)
def test_exported_names(name: str, what: str, tmp_path: Path) -> None:
    call = "NAME" if "NAME(" in what else "f"
    text = f'#include <stdio.h>\n{what}\nint main(void) {{ printf("%d\\n", {call}(4)); return 0; }}\n'
    printed(files(tmp_path, a_c=text.replace("NAME", name)), "5\n")


# --- the cache ------------------------------------------------------------------------------------------------------


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The progress of builds with a cache of their own, which shares only butfor's runtime with the usual one."""
    own = tmp_path / "cache"
    (own).mkdir()
    butfor.explain(files(tmp_path, warm_c="int main(void) { return 0; }\n"))
    os.symlink(cache_dir() / "runtime", own / "runtime")
    monkeypatch.setenv(CACHE_VARIABLE, str(own))
    return []


def build(said: list[str], sources: Sequence[Path], **knobs: Any) -> list[str]:
    """What was done for a build: empty when it came from the cache."""
    said.clear()
    compile_program(make_options(sources, **knobs), said.append)
    return [text for text in said if not text.startswith("first use")]


FULL = ["compiling", "instrumenting", "linking"]


def test_the_same_content_is_not_compiled_again(said: list[str], tmp_path: Path) -> None:
    sources = files(tmp_path, a_c=MAIN, b_c="int twice(int n) { return 2 * n; }\n")
    assert build(said, sources) == FULL
    assert build(said, sources) == []
    os.utime(sources[0])
    assert build(said, sources) == []
    assert build(said, sources, defines=["X"]) == FULL
    assert build(said, sources, libs=["m"]) == FULL
    sources[1].write_text("int twice(int n) { return n + n; }\n")
    assert build(said, sources) == FULL


def test_a_changed_header_is_compiled_again(said: list[str], tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "outer.h").write_text('#include "inner.h"\n')
    inner = tmp_path / "inc" / "inner.h"
    inner.write_text("#define STATUS 0\n")
    sources = files(tmp_path, a_c='#include "inc/outer.h"\nint main(void) { return STATUS; }\n')
    assert build(said, sources) == FULL
    assert build(said, sources) == []
    inner.write_text("#define STATUS 6\n")
    assert build(said, sources) == FULL
    failure = butfor.explain(sources).failure
    assert failure is not None
    assert failure.message == "exit status 6, expected 0"


@pytest.mark.parametrize(
    ("line", "knobs"),
    [
        pytest.param('#include "conf.h"', {"includes": ["inc"]}, id="quotes"),
        pytest.param("#include <conf.h>", {"includes": ["inc"]}, id="angles"),
        pytest.param("#include <conf.h>", {"cflags": ["-I", "inc"]}, id="separate flag"),
        pytest.param('#include "conf.h"', {"cflags": ["-iquote", "inc"]}, id="iquote"),
        pytest.param('#define WHICH "inc/conf.h"\n#include WHICH', {}, id="computed"),
        pytest.param("", {"cflags": ["-include", "inc/conf.h"]}, id="forced"),
    ],
)
def test_every_way_to_a_header_is_seen(
    line: str, knobs: dict[str, Any], said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inc").mkdir()
    header = tmp_path / "inc" / "conf.h"
    header.write_text("#define STATUS 0\n")
    sources = files(tmp_path, a_c=f"{line}\nint main(void) {{ return STATUS; }}\n")
    monkeypatch.chdir(tmp_path)
    assert build(said, sources, **knobs) == FULL
    header.write_text("#define STATUS 6\n")
    assert build(said, sources, **knobs) == FULL


def test_a_failed_build_leaves_nothing_in_the_cache(said: list[str], tmp_path: Path) -> None:
    sources = files(tmp_path, a_c="int main(void) { return nothing; }\n")
    for _ in range(2):
        with pytest.raises(CompileError):
            build(said, sources)
        assert said == ["compiling"]
    assert list((tmp_path / "cache" / "programs").iterdir()) == []


# --- what the compiler says -----------------------------------------------------------------------------------------

BROKEN = 'int main(void)\n{\n    int x = "é" + ;\n    return y;\n}\n'


def test_compiler_errors_are_passed_on_as_they_are(tmp_path: Path) -> None:
    (source,) = files(tmp_path, bad_c=BROKEN)
    plain = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-c", str(source), "-o", os.devnull], capture_output=True, check=False
    )
    wanted = [line for line in plain.stderr.decode().splitlines() if "unused during compilation" not in line]
    with pytest.raises(CompileError) as caught:
        butfor.explain(source)
    assert caught.value.message == f"{source} does not compile"
    assert caught.value.stderr.splitlines() == wanted
    done = butfor_command(["explain", str(source)], tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == caught.value.stderr + f"butfor: error: {source} does not compile\n"
    assert re.search(r"bad\.c:3:\d+: error: expected expression", done.stderr)
    assert re.search(r"bad\.c:4:12: error: use of undeclared identifier 'y'", done.stderr)


def test_undefined_function(tmp_path: Path) -> None:
    (source,) = files(tmp_path, a_c=MAIN)
    with pytest.raises(CompileError) as caught:
        butfor.explain(source)
    assert caught.value.message == "the program does not link: there is no twice"
    assert "-D twice=__VERIFIER_nondet_int" in caught.value.hint


def test_two_definitions(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        butfor.explain(
            files(tmp_path, a_c="int f;\nint main(void) { return 0; }\n", b_c="int main(void) { return 1; }\n")
        )
    assert "main" in caught.value.stderr


def test_unknown_flag_is_the_compilers_to_refuse(tmp_path: Path) -> None:
    (source,) = files(tmp_path, a_c="int main(void) { return 0; }\n")
    with pytest.raises(CompileError) as caught:
        butfor.explain(source, cflags=["-fno-such-thing-at-all"])
    assert "-fno-such-thing-at-all" in caught.value.stderr


def test_missing_compiler(tmp_path: Path) -> None:
    (source,) = files(tmp_path, a_c="int main(void) { return 0; }\n")
    with pytest.raises(ToolMissing) as caught:
        butfor.explain(source, cc="clang-of-nobody")
    assert caught.value.message == "the compiler 'clang-of-nobody' is not on the PATH"
    done = butfor_command(["explain", str(source), "--cc", "clang-of-nobody"], tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("butfor: error: the compiler 'clang-of-nobody' is not on the PATH\nbutfor: hint: ")


def test_a_compiler_that_is_none(tmp_path: Path) -> None:
    (source,) = files(tmp_path, a_c="int main(void) { return 0; }\n")
    fake = tmp_path / "clang-fake"
    fake.write_text("#!/bin/sh\necho 'I am no compiler' >&2\nexit 1\n")
    fake.chmod(0o755)
    done = butfor_command(["explain", str(source), "--cc", str(fake)], tmp_path)
    assert done.code == 2
    assert done.stderr.startswith("I am no compiler\n")


def system_clang() -> str | None:
    """A clang on the PATH."""
    return next((name for name in ("clang", *(f"clang-{n}" for n in range(30, 13, -1))) if shutil.which(name)), None)


@pytest.mark.skipif(system_clang() is None, reason="there is no clang or clang-NN on the PATH")
def test_the_systems_clang(tmp_path: Path) -> None:
    sources = files(tmp_path, a_c=MAIN, b_c="int twice(int n) { return 2 * n; }\n")
    printed(sources, "8\n", cc=system_clang())
    sources[1].write_text("int twice(int n) { return 2 / (n - 4); }\n")
    failure = butfor.explain(sources, cc=system_clang()).failure
    assert failure is not None
    assert (failure.kind, Path(failure.file).name, failure.line) == ("division", "b.c", 1)
