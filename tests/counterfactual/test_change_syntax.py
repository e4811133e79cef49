"""Changes as users write them: what is formatted parses to the same rule, and texts mean what users expect."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from butfor.counterfactual.change_candidates import ChangeCandidates, initial_value_candidates
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.change_syntax import ChangeSyntax
from butfor.counterfactual.fork_server import OBSERVATION
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.errors import UsageError
from butfor.ir.change_sites import SiteKind
from tests import corpus, seeded_corpus
from tests.counterfactual.builds import build_of
from tests.families import some_of
from tests.small import written

SOURCES = [
    *(
        corpus.FOLDER / f"construct_{name}.c"
        for name in ("floats", "macros", "static_locals", "nested_struct_union", "volatile_const", "pass_callbacks")
    ),
    Path(__file__).parent / "sites.c",
]
LARGE = [*sorted((seeded_corpus.FOLDER / "programs").glob("*.c")), *sorted(corpus.FOLDER.glob("real_*.c"))[::4]]


@cache
def speech_of(source: Path) -> ChangeSyntax:
    """The words for changes of a program."""
    build, program = build_of(source)
    return ChangeSyntax(VariablesInScope(program), build.sites, os.path.basename)


def rules_of(syntax: ChangeSyntax) -> Iterator[Rule]:
    """The rules of all candidates, as if every site had met all there is to meet."""
    seen = np.zeros(len(syntax.sites) + 1, OBSERVATION)
    seen["count"], seen["nvalues"] = 1, 4
    seen["values"][:, :4] = -5, 7, 2**62 + 3, -(2**63)
    seen["relations"] = 24 | (np.arange(len(seen)) % 7 + 1)
    candidates = ChangeCandidates(VariablesInScope(syntax.program), seen)
    for site in syntax.sites:
        yield from (c.rule for c in candidates.at(site))
    for name, size in syntax.program.global_table[:5]:
        yield from (
            c.rule
            for offset in (0, 8)
            if offset + 4 <= size
            for c in initial_value_candidates(syntax.program, name, offset, 4)
        )


@pytest.mark.parametrize(
    "source", some_of([*SOURCES, *LARGE], lambda k, p: p in SOURCES or k % 6 == 0, lambda p: p.stem)
)
def test_every_candidate_is_read_as_it_was_written(source: Path) -> None:
    syntax = speech_of(source)
    count = 0
    for rule in rules_of(syntax):
        count += 1
        assert syntax.parse(syntax.format(rule)) == rule
    assert count > 100


def test_all_operations_occur() -> None:
    met = {rule.op for source in SOURCES for rule in rules_of(speech_of(source))}
    assert met == set(Op) - {
        Op.PROBE,
        Op.NOT,
        Op.VARIANT,
        Op.ALLOW,
        Op.ASSIGN_LOCAL,
        Op.ASSIGN_GLOBAL,
    }  # no changes at a site that users write


@pytest.mark.parametrize(
    "value", [0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 1 / 3], ids=str
)
def test_real_numbers_are_exact(value: float) -> None:
    syntax = speech_of(Path(__file__).parent / "sites.c")
    site = next(s for s in syntax.sites if s.kind is SiteKind.OPERATION and s.is_real)
    raw = struct.unpack("<q", struct.pack("<d", value))[0]
    for op in (Op.SET, Op.ADD, Op.RIGHT):
        for a in (raw, raw | 1):
            rule = Rule(site.number, op, a, only=3)
            assert syntax.parse(syntax.format(rule)) == rule


PROGRAM = """
#define BOTH(a, b) ((a) < (b) && (b) < 100)
static int limit = 5;
static int twice(int x) { return 2 * x; }
int main(int argc, char **argv) {
 int i = 3, n = 4; char c = 'a'; double r = 0.5; int *p = &i;
 if (i < n && n < 100) i = twice(n) + 1;
 if (BOTH(i, n)) return 7;
 if (c == 'b' || r > 1) n = *p;
 return i - n - 5 + limit - limit; }
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ChangeSyntax:
    """A program in a folder below the one that is worked in."""
    folder = tmp_path_factory.mktemp("words") / "src"
    folder.mkdir()
    path = written(folder, PROGRAM)
    build, program = build_of(path)
    return ChangeSyntax(VariablesInScope(program), build.sites, lambda path: os.path.relpath(path, folder.parent))


def line(part: str) -> int:
    """The number of the line with this text; the head of small programs has eight lines."""
    return 8 + next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if part in text)


def test_places_are_named_in_many_ways(small: ChangeSyntax) -> None:
    at = line("i = twice")
    rule = small.parse(f"src/prog.c:{at} flip")
    at_site = small.source.location(small.program.function("main").instrs[small.sites[rule.site - 1].instr])
    assert at_site is not None
    path = at_site.file
    for file in ("prog.c", "./src/prog.c", "src//prog.c", "../src/prog.c", "elsewhere/prog.c", path):
        assert small.parse(f"{file}:{at} flip") == rule
        assert small.parse(f"  {file}:{at}:8   flip  ") == rule
    assert small.parse(f"{at} flip") == rule
    assert small.format(rule) == f"src/prog.c:{at}:8 flip"


def test_several_sites(small: ChangeSyntax) -> None:
    at = line("i = twice")
    first, second = small.parse(f"prog.c:{at} flip when equal"), small.parse(f"prog.c:{at}#2 flip when equal")
    assert first.site != second.site
    assert small.alternatives(f"prog.c:{at} flip when equal") == [second]
    assert small.alternatives(f"prog.c:{at}#1 flip when equal") == []
    in_macro = line("BOTH(i")
    assert (
        small.format(small.parse(f"prog.c:{in_macro}#2 flip when less")) == f"src/prog.c:{in_macro}:6#2 flip when less"
    )


def test_values(small: ChangeSyntax) -> None:
    at = line("c == ")
    assert small.parse(f"prog.c:{at} set 'b'").a == ord("b")
    assert small.parse(f"prog.c:{at} set 0x10 at 3") == Rule(
        small.parse(f"prog.c:{at} set 16").site, Op.SET, 16, only=3
    )
    assert small.parse(f"prog.c:{at} set NULL").a == 0
    assert small.parse(f"prog.c:{at} set 0.25").a == struct.unpack("<q", struct.pack("<d", 0.25))[0]
    assert small.parse("prog.c:11 initial limit +1") == small.parse("initial limit+0:4 +1")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "'' is not a change", "for example"),
        ("flip", "'flip' is not a change", "for example"),
        ("prog.c flip", "'prog.c flip' is not a change", "for example"),
        ("prog.c:13", "'prog.c:13' is not a change", "for example"),
        ("other.c:13 flip", "the program has no file other.c", "src/prog.c"),
        ("prog.c:1 flip", "nothing can be changed at prog.c:1", "compiled to code"),
        ("prog.c:15:99 flip", "nothing can be changed at prog.c:15:99", ""),
        ("prog.c:15 explode", "'explode' cannot be done at prog.c:15", "compare: flip"),
        ("prog.c:15 set x", "'set x' cannot be done at prog.c:15", "what can be done there"),
        ("prog.c:15 read nothing", "'read nothing' cannot be done at prog.c:15", ""),
        ("prog.c:15 call nothing", "'call nothing' cannot be done at prog.c:15", "call: skip"),
        ("prog.c:15 set 99999999999999999999999", "'set 99999999999999999999999' cannot be done at prog.c:15", ""),
        ("prog.c:15#9 flip", "prog.c:15#9: there are only 2 where 'flip' can be done", ""),
        ("prog.c:15#0 flip", "prog.c:15#0: there are only 2 where 'flip' can be done", ""),
        ("prog.c:11 initial nothing +1", "the program has no global variable nothing", ""),
        ("prog.c:11 initial limit+4:4 +1", "limit has no number of 4 bytes at offset 4", ""),
    ],
)
def test_what_means_nothing_is_said(text: str, message: str, hint: str, small: ChangeSyntax) -> None:
    assert line("i = twice") == 15
    with pytest.raises(UsageError) as caught:
        small.parse(text)
    assert caught.value.message == message
    assert hint in caught.value.hint


def test_files_of_the_same_name(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "part.h").write_text("static int one(int x) {\n return x < 3; }\n")
    (tmp_path / "b" / "part.h").write_text("static int two(int x) {\n return x < 4; }\n")
    (tmp_path / "main.c").write_text(
        '#include "a/part.h"\n#include "b/part.h"\nint main(int n, char **v) {\n return one(n) - two(n); }\n'
    )
    build, program = build_of(tmp_path / "main.c")
    syntax = ChangeSyntax(
        VariablesInScope(program),
        build.sites,
        lambda path: os.path.relpath(path, tmp_path).replace("main.c", "my 3:4 main.c"),
    )
    assert syntax.parse("a/part.h:2 flip").site != syntax.parse("b/part.h:2 flip").site
    with pytest.raises(UsageError, match=r"part\.h can be in several files"):
        syntax.parse("part.h:2 flip")
    with pytest.raises(UsageError, match="the line can be in several files"):
        syntax.parse("2 flip")
    for rule in rules_of(syntax):
        assert syntax.parse(syntax.format(rule)) == rule
