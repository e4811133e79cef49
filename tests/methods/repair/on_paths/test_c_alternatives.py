"""Alternatives on a path do what the edited program does: all of a program compiled as functions of one program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from butfor.frontends.c import toolchain
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths import c_alternatives
from butfor.methods.repair.on_paths.changed_path import ChangedPathRunner, PathEnd
from butfor.methods.repair.on_paths.path_checks import without_failing_assumptions
from butfor.methods.repair.on_paths.solution_model import Alternative
from butfor.methods.repair.on_paths.solution_patches import with_hole_filled
from butfor.methods.repair.propose_edits import Proposer
from butfor.options import make_options
from butfor.source.edits import apply_edits
from tests.path.made import failing_case

HEAD = "#include <assert.h>\n#include <stdlib.h>\n#define LIMIT 40\n"
STRAIGHT = """int f(int a, int b) {
    int x = 3;
    unsigned char c = 250;
    short s = a - 2 * b;
    long l = (long)a * 1000;
    unsigned u = b - a;
    c += x * 2;
    x = a > b ? x + s : x - 1;
    x <<= 1;
    s = c / 3 - x % 4;
    l = l + s;
    u = u >> 28;
    x = x + (u > 3 && l != 0) + (c ^ s);
    x++;
    CHECK(x + (int)(l / 100) < LIMIT);
    return 0;
}
"""
LOOP = """int f(int a, int b) {
    int i, x = 0, seen = 0;
    for (i = 0; i < a; i++) {
        if (i % 2 == 1)
            seen++;
        x += i * b;
        if (x > LIMIT)
            x -= seen;
    }
    CHECK(x < LIMIT);
    return 0;
}
"""


def actually(folder: Path, versions: list[str], args: tuple[int, int]) -> list[bool]:
    """Whether each version of the function fails."""
    functions = "".join(v.replace("int f(", f"static int f{k}(", 1) for k, v in enumerate(versions))
    calls = "".join(f"    putchar('0' + f{k}({args[0]}, {args[1]}));\n" for k in range(len(versions)))
    text = (
        f"#include <stdio.h>\n{HEAD}#define CHECK(c) return !(c)\n"
        f"{functions}int main(void) {{\n{calls}    return 0;\n}}\n"
    )
    (folder / "all.c").write_text(text)
    compiler = toolchain.find_compiler(None)
    toolchain.run_tool(
        [*compiler.command, *compiler.arch_flags, "-O0", "-w", str(folder / "all.c"), "-o", str(folder / "all")],
        "build",
    )
    return [
        c == "1"
        for c in subprocess.run([folder / "all"], capture_output=True, check=True, text=True, timeout=20).stdout
    ]


@pytest.mark.parametrize(
    ("body", "args"), [(STRAIGHT, (90, 7)), (STRAIGHT, (91, 120)), (LOOP, (7, 3))], ids=["taken", "not taken", "loop"]
)
def test_paths_and_programs_agree_about_edits(tmp_path: Path, body: str, args: tuple[int, int]) -> None:
    main = "int main(int argc, char **argv) { (void)argc; return f(atoi(argv[1]), atoi(argv[2])); }\n"
    program = tmp_path / "prog.c"
    program.write_text(f"{HEAD}#define CHECK(c) assert(c)\n{body}{main}")
    case = failing_case(make_options(program, args=[str(a) for a in args]))
    assert case is not None
    path = without_failing_assumptions(case.path)
    runner = ChangedPathRunner(path)
    assert runner.run({}, {}).end is PathEnd.FAILS
    data = program.read_bytes()
    has_loop = any(i.rounds for i in path.instances)
    start = data.index(body.encode())
    made: list[tuple[Alternative, int, PathEnd, str]] = []
    for found in c_alternatives.alternatives(Proposer(case.places, slip_library.builtin_library()), [path]).values():
        for a in found:
            for hole in (0, 5, 2**32 - 3) if a.hole is not None else (0,):
                chosen = {} if a.hole is None else {str(a.hole.data): hole}
                end = runner.run({site[1:]: term for site, term in a.terms.items()}, chosen).end
                edits = [
                    e
                    if a.hole is None
                    else type(e)(e.path, e.start, e.end, with_hole_filled(e.new.decode(), a, hole).encode())
                    for e in a.edits
                ]
                new = apply_edits(data, edits).decode()
                known = (PathEnd.FAILS,) if has_loop else (PathEnd.FAILS, PathEnd.AVOIDS)  # off the path, nothing is
                if end in known and edits[0].start < start + len(body):
                    made.append((a, hole, end, new[start : new.index("int main(")]))
    assert len(made) > 20
    assert {end for _, _, end, _ in made} == ({PathEnd.FAILS} if has_loop else {PathEnd.FAILS, PathEnd.AVOIDS})
    for (a, hole, end, text), fails in zip(made, actually(tmp_path, [m[3] for m in made], args), strict=True):
        assert fails == (end is PathEnd.FAILS), (a.text, hole, text)
