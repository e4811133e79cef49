"""Programs that are checked while they run see the memory errors that a recording shows, and no others."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from butfor.api import changed, explain
from butfor.counterfactual.fork_server import Ending, ForkServer, RunLimits
from butfor.counterfactual.rerun import hooked_program, recorded_spec
from butfor.counterfactual.user_changes import changed_run
from butfor.failures.failure_point import Unsupported
from butfor.failures.find_failure import find_failure
from butfor.failures.memory_errors import MEMORY_ERROR_NAMES
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.hooked_build import build_hooked
from butfor.options import Options, make_options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places
from tests.corpus import FOLDER, Program, programs, read
from tests.counterfactual.test_same_behaviour import ended, ending
from tests.families import some_of
from tests.property.cgen import UnitSpec
from tests.property.cgen import program as random_program
from tests.property.cgen_kinds import KINDS
from tests.small import written

_UNDEFINED = {16: "branch", 17: "address", 18: "output"}
_NASTY = Path(__file__).parents[1] / "property" / "nasty"
_WORLD = (
    "child",
    "fault_exit",
    "fault_handler",
    "jumps",
    "timer",
    "signals",
)  # they end otherwise in a fence, or at a fault they handle
_HOOKS = ("complex_numbers",)  # does not run with hooks at all


def recorded(options: Options) -> Recording:
    """The recorded run."""
    return record(options, compile_program(options, lambda text: None), lambda text: None)


def errors_of(recording: Recording) -> set[tuple[str, str, int]]:
    """The memory errors of a recorded run, each with its instruction; of uninitialised values, how they were used."""
    try:
        verdict = find_failure(recording, Dependence(recording.trace))
    except Unsupported:
        return set()
    points = [
        p for p in (*verdict.memory, verdict.failure) if p is not None and "memory" in p.details and p.node is not None
    ]
    return {
        (p.details.get("use") or p.details["memory"], recording.trace.at(p.node[0]).fn.name, p.node[1])
        for p in points
        if p.node is not None
    }


def check(recording: Recording, *, hooks: bool = True) -> None:
    """Runs the program with checks and compares."""
    build = build_hooked(recording.program, None, recording.meta.libs, checked=True, hooks=hooks)
    limits = RunLimits(milliseconds=1_000 if recording.meta.limit else 60_000)
    with ForkServer(build, f"./{recording.meta.name}", recorded_spec(recording), recording.stdout, limits) as server:
        outcome = server.run()
        output = server.output()
    errors = errors_of(recording)
    if errors:
        kind = _UNDEFINED.get(outcome.error) or MEMORY_ERROR_NAMES.get(outcome.error)
        assert outcome.end == Ending.MEMORY
        assert (kind, *build.checks[outcome.error_at - 1]) in errors
        assert recording.stdout.startswith(output)
    else:
        assert ended(outcome) == ending(recording)
        assert outcome.changed == 0
        assert output == recording.stdout or ending(recording)[0] == "limit"


@pytest.mark.parametrize(
    "program",
    some_of(programs(), lambda k, p: p.one("failure") == "memory" or k % 4 == 0, lambda p: p.path.stem),
)
def test_same_errors_same_output_and_same_end(program: Program) -> None:
    check(recorded(program.options), hooks=len(program.path.stem) % 2 == 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", sorted(p for p in _NASTY.glob("*.c") if p.stem not in (*_WORLD, *_HOOKS)), ids=lambda p: p.stem
)
@pytest.mark.parametrize("hooks", [True, False])
def test_nasty_programs(source: Path, hooks: bool) -> None:
    check(recorded(Options(sources=(source,), time_limit=20)), hooks=hooks)


def test_random_programs(tmp_path: Path) -> None:
    pick = random.Random(7)
    for k in range(2):
        source = tmp_path / f"random{k}.c"
        source.write_text(
            random_program(
                [UnitSpec(pick.choice(sorted(KINDS)), pick.randint(1, 8), pick.getrandbits(32)) for _ in range(4)]
            )
        )
        check(recorded(Options(sources=(source,))), hooks=k % 2 == 0)


SMALL = {
    "padding is copied": (
        "struct s { char c; int i; };\n"
        "int main(void) {\n"
        " struct s a, b; a.c = 1; a.i = 2; b = a; return b.c + b.i - 3; }\n"
    ),
    "bits of a word": (
        "int main(void) {\n struct { unsigned a : 3, b : 5; } s; s.a = 2; s.b = 3; return s.a + s.b - 5; }\n"
    ),
    "bits that were not set": (
        'int main(void) {\n struct { unsigned a : 3, b : 5; } s; s.a = 2; if (s.b) puts("x"); return 0; }\n'
    ),
    "masked bits": (
        'int main(void) {\n int *p = malloc(8); p[1] = 4; int x = p[0] & 0; if (x) puts("x"); free(p); return 0; }\n'
    ),
    "a struct by value": (
        "struct s { int a[8]; };\n"
        "static int f(struct s s) { return s.a[3]; }\n"
        "int main(void) {\n"
        " struct s s; s.a[3] = 0; return f(s); }\n"
    ),
    "a part of it by value": (
        "struct s { int a[8]; };\n"
        'static void f(struct s s) { if (s.a[4]) puts("x"); }\n'
        "int main(void) {\n"
        " struct s s; s.a[3] = 0; f(s); return 0; }\n"
    ),
    "realloc keeps": (
        "int main(void) {\n char *p = malloc(2); p[0] = 0; p = realloc(p, 5000); int x = p[0]; free(p); return x; }\n"
    ),
    "realloc gives more": (
        "int main(void) {\n"
        ' char *p = malloc(2); p[0] = 0; p = realloc(p, 50); if (p[1]) puts("x"); free(p); return 0; }\n'
    ),
    "the old block": (
        "int main(void) {\n char *p = calloc(2, 1), *q = realloc(p, 5000); int x = p[0]; free(q); return x; }\n"
    ),
    "the same place again": (
        "int main(void) {\n"
        " int *p = malloc(8); *p = 1; free(p); int *q = malloc(8); *q = 0; int x = *q; free(q); return x; }\n"
    ),
    "a loop's array": (
        "int main(void) {\n"
        " int s = 0; for (int n = 1; n < 5; n++) { int a[n]; a[n - 1] = 0; s += a[n - 1]; } return s; }\n"
    ),
    "an array that is too short": (
        "int main(int c, char **v) {\n int a[c + 1]; for (int i = 0; i <= c + 1; i++) a[i] = 0; return a[0]; }\n"
    ),
    "longjmp": (
        "static jmp_buf b;\n"
        "static void f(int n) { int a[9]; a[n] = n; if (n == 5) longjmp(b, 1); f(n + 1); }\n"
        "int main(void) {\n"
        " if (!setjmp(b)) f(0); char t[64]; sprintf(t, \"%d\", 3); return t[0] - '3'; }\n"
    ),
    "arguments of any number": (
        "static int f(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); "
        "va_end(l); return s; }\n"
        "int main(void) {\n"
        " return f(3, 1, 2, -3); }\n"
    ),
    "a comparison for qsort": (
        "static int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
        "int main(void) {\n"
        " int a[4] = {3, 1, 2, 0}; qsort(a, 4, sizeof *a, by); return a[0]; }\n"
    ),
    "qsort of too many": (
        "static int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
        "int main(void) {\n"
        " int a[4] = {3, 1, 2, 0}; qsort(a, 5, sizeof *a, by); return 0; }\n"
    ),
    "a text without an end": 'int main(void) {\n char t[4]; memcpy(t, "abcd", 4); return strlen(t) == 99; }\n',
    "strcpy onto itself": 'int main(void) {\n char t[9] = "abcdef"; strcpy(t + 1, t); return 0; }\n',
    "a pointer in bytes": (
        "int main(void) {\n"
        " int x = 0, *p = &x, *q; for (unsigned k = 0; k < sizeof p; k++) ((char *)&q)[k] = ((char *)&p)[k]; "
        "return *q; }\n"
    ),
    "a returned struct": (
        "struct p { long a, b, c; };\n"
        "static struct p f(void) { struct p p; p.a = 1; p.c = 2; return p; }\n"
        "int main(void) {\n"
        " struct p p = f(); return p.a + p.c - 3; }\n"
    ),
    "its other member": (
        "struct p { long a, b, c; };\n"
        "static struct p f(void) { struct p p; p.a = 1; p.c = 2; return p; }\n"
        "int main(void) {\n"
        ' struct p p = f(); if (p.b) puts("x"); return 0; }\n'
    ),
    "a value that is handed on": (
        'static int g(int x) { return x + 1; }\nint main(void) {\n int x; x = g(x); printf("%d\\n", x); return 0; }\n'
    ),
    "read from a stream": (
        "int main(void) {\n"
        ' char t[16]; int n; FILE *f = tmpfile(); fputs("12 x", f); rewind(f); '
        'n = fscanf(f, "%d %s", (int *)t, t + 8); return n - 2 + t[9]; }\n'
    ),
}


@pytest.mark.parametrize("body", SMALL.values(), ids=SMALL)
def test_small_programs(body: str, tmp_path: Path) -> None:
    check(recorded(make_options(written(tmp_path, body))))


# --- evidence -----------------------------------------------------------------------------------------------

EXPECTED = {  # the faulty lines, of which one at least must be among those at which a change avoids the error
    "fail_bad_free_interior": {13, 24},
    "fail_bad_free_stack": {15, 25},
    "fail_double_free": {34, 36, 39},
    "fail_oob_global_memcpy": {20, 33},
    "fail_oob_global_read": {24, 25},
    "fail_oob_global_write": {20},
    "fail_oob_heap_read": {21, 29},
    "fail_oob_heap_strcpy": {15, 16},
    "fail_oob_heap_write_walk": {15},
    "fail_oob_negative_index": {25},
    "fail_oob_stack_memcpy_read": {30},
    "fail_oob_stack_read_walk": {14},
    "fail_oob_stack_write": {12},
    "fail_smashed_stack": {22},
    "fail_uninit_address": {20},
    "fail_uninit_branch": {14},
    "fail_uninit_copy_return": {20},
    "fail_uninit_malloc_array": {25, 26},
    "fail_use_after_free_read": {36, 51},
    "fail_use_after_free_write": {21, 41},
    "real_strbuf": {34},
}
QUICK = (  # one for each kind of memory error
    "fail_bad_free_interior",
    "fail_double_free",
    "fail_oob_global_memcpy",
    "fail_oob_heap_write_walk",
    "fail_oob_stack_memcpy_read",
    "fail_uninit_branch",
    "fail_use_after_free_read",
)
NOTHING = (  # no change of one statement, of the faulty one, or too many runs for a test
    "fail_use_after_return",
    "fail_uninit_output",
    "real_lru",
)


def test_the_table_is_complete() -> None:
    assert {p.path.stem for p in programs() if p.one("failure") == "memory"} == {*EXPECTED, *NOTHING}


@pytest.mark.parametrize("name", some_of(EXPECTED, lambda _, name: name in QUICK, str))
def test_memory_errors_have_evidence(name: str) -> None:
    program = read(FOLDER / f"{name}.c")
    answer = explain(replace(program.options, methods=("butfor",), check=False))
    confirmed = {row["line"] for row in answer.methods["butfor"]["confirmed"]}
    assert confirmed & EXPECTED[name]
    assert not confirmed & program.clean


def test_nothing_avoids_a_return_of_a_local_address(tmp_path: Path) -> None:
    body = """static int *kept;
static void keep(void) { int x = 3; kept = &x; }
int main(void) { keep(); return *kept == 9; }
"""
    answer = explain(make_options(written(tmp_path, body), methods=["butfor"]))
    assert answer.methods["butfor"]["confirmed"] == []
    assert any(note.startswith("none of ") for note in answer.notes)


SHOWN = (
    "fail_oob_stack_write",
    "fail_uninit_branch",
    "fail_assert_nested_calls",
    "fail_output_number",
    "fail_null_read",
    "fail_division_by_zero",
)


@pytest.mark.parametrize("name", some_of(SHOWN, lambda k, _: k % 2 == 1, str))
def test_every_counterfactual_reproduces(name: str) -> None:
    options = replace(read(FOLDER / f"{name}.c").options, methods=("butfor",), check=False)
    answer = explain(options)
    recording = recorded(options)
    places = Places(recording)
    point = find_failure(recording, Dependence(recording.trace)).failure
    rows = answer.methods["butfor"]["confirmed"]
    texts = {change["with"]: change["past"] for row in rows for change in row["changes"]}
    best = [r.extra["counterfactual"]["with"] for r in answer.ranking if "counterfactual" in r.extra]
    assert best
    assert set(best) <= set(texts)
    for text, is_past in texts.items():
        run = changed_run(places, point, [text], options.cc, options)
        assert run.avoids or (is_past and run.why.startswith("it gets past the failure")), f"{text}: {run.why}"
        assert run.changed


# --- the same change made in the source, and recorded -------------------------------------------------------

LIST = """struct node { int value; struct node *next; };
int main(void) {
 struct node *head = 0, *n;
 int last; // last
 for (int i = 0; i < 4; i++) { n = malloc(sizeof *n); n->value = i; n->next = head; head = n; } // make
 for (n = head; n->value != 1; n = n->next) last = n->value; // seek
 free(head->next); // free
 int *copy = malloc(4 * 3); // copy
 for (int k = 0; k <= 3; k++) copy[k] = k; // fill
 printf("%d %d\\n", head->next->value, last + copy[2]); // show
 return 0; }
"""
EDITS = [
    ("// copy", "#1 set 16", "4 * 3", "16"),
    ("// fill", "always false", "k <= 3", "0"),
    ("// fill", "flip when equal", "k <= 3", "k < 3"),
    ("// fill", "right side +2", "k <= 3", "k <= 5"),
    ("// free", "skip", "free(head->next);", ""),
    ("// seek", "always false", "n->value != 1", "0"),
    ("// make", "right side -3", "i < 4", "i < 1"),
    ("// make", "right side +1", "i < 4", "i < 5"),
]


PAIRS = [(a, b) for a in EDITS for b in EDITS if a[0] < b[0]]


@pytest.mark.parametrize(
    "tried",
    [[*((edit,) for edit in EDITS), *PAIRS[3::8]], pytest.param(PAIRS, marks=pytest.mark.slow)],
    ids=["few pairs", "all pairs"],
)
def test_the_same_change_in_the_source(tried: list[tuple[tuple[str, ...], ...]], tmp_path: Path) -> None:
    source = written(tmp_path, LIST)
    text = source.read_text()
    lines = {mark: next(n for n, line in enumerate(text.splitlines(), 1) if mark in line) for mark, *_ in EDITS}
    seen = set()
    recording = recorded(make_options(source))
    places = Places(recording)
    point = find_failure(recording, Dependence(recording.trace)).failure
    for number, edits in enumerate(tried):
        patched = text
        for mark, _, old, new in edits:
            before, line, after = patched.partition(next(part for part in patched.splitlines() if mark in part))
            patched = before + line.replace(old, new) + after
        other = tmp_path / f"patched{number}" / "prog.c"
        other.parent.mkdir()
        other.write_text(patched)
        truth = find_failure(run := recorded(make_options(other)), Dependence(run.trace)).failure
        changes = [f"prog.c:{lines[mark]}{'' if what[0] == '#' else ' '}{what}" for mark, what, _, _ in edits]
        outcome = changed_run(places, point, changes, None, make_options(source))
        assert outcome.avoids == (truth is None), f"{changes}: {outcome.why}, recorded: {truth}"
        seen.add(outcome.avoids)
        shutil.rmtree(other.parent)
    assert seen == {True, False}


def test_hooks_come_with_checks(tmp_path: Path) -> None:
    recording = recorded(make_options(written(tmp_path, LIST)))
    assert hooked_program(recording, None).sites == hooked_program(recording, None, checked=True).sites
    assert not hooked_program(recording, None).checks


# --- other failures -----------------------------------------------------------------------------------------

SILENT = (
    "static int a[4], guard[4];\n"
    "int main(void) {\n"
    " int k = 3; // index\n"
    " a[k] = 1;\n"
    " assert(a[3] == 0);\n"
    " return guard[3]; }\n"
)


def test_a_change_that_writes_elsewhere_is_not_confirmed(tmp_path: Path) -> None:
    source = written(tmp_path, SILENT)
    line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "// index" in text)
    away, inside = f"prog.c:{line} set 4", f"prog.c:{line} set 2"
    assert [changed(make_options(source), [text]).avoids for text in (away, inside)] == [False, True]
    assert changed(make_options(source), [away]).why == "the changed run has a memory error"
    assert changed(make_options(source, memory_errors=False), [away]).avoids
    confirmed = explain(make_options(source, methods=["butfor"])).methods["butfor"]["confirmed"]
    assert confirmed
    assert not [c for row in confirmed for c in row["changes"] if c["with"].endswith(("add 1", "set 4"))]


def test_errors_that_were_there_before_are_let_pass(tmp_path: Path) -> None:
    body = "int main(void) {\n int *p = malloc(8), k = 3; // made\n p[2] = 1;\n assert(k == 4);\n return 0; }\n"
    answer = explain(make_options(written(tmp_path, body), methods=["butfor"]))
    changes = [c for row in answer.methods["butfor"]["confirmed"] for c in row["changes"]]
    assert changes
    assert not any(c["clean"] for c in changes)
    assert "but for memory errors that the failing run has too" in answer.ranking[0].reasons[0].text


def test_a_right_run_may_be_much_longer(tmp_path: Path) -> None:
    body = (
        "int main(void) {\n"
        " int n = 3; long s = 0;\n"
        " if (n < 5) abort();\n"
        " for (long i = 0; i < 1000000; i++) s += i;\n"
        " return s < 0; }\n"
    )
    answer = explain(make_options(written(tmp_path, body), methods=["butfor"]))
    assert {row["text"] for row in answer.methods["butfor"]["confirmed"]} >= {"n < 5"}


def test_a_crash_names_the_read_that_led_to_it(tmp_path: Path) -> None:
    body = (
        "struct node { long value; struct node *next; };\n"
        "int main(void) {\n"
        " struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);\n"
        " a->next = b; b->next = a; free(a);\n return a->next->next->value == 5; }\n"
    )
    failure = explain(make_options(written(tmp_path, body), methods=["slice"])).failure
    assert failure is not None
    assert failure.message.startswith("use after free: read of 8 bytes")
    assert "; what it read led to this: SIGSEGV" in failure.message


def test_what_lies_behind_the_arguments_of_main_is_not_theirs(tmp_path: Path) -> None:
    body = "int main(int argc, char **argv) { return argv[argc + atoi(argv[1])] != 0; }"
    recording = recorded(make_options(written(tmp_path, body), args=["0"]))
    build = hooked_program(recording, None, checked=True)
    ends = {}
    for index in ("-2", "0", "1", "4"):
        with ForkServer(build, "./prog", replace(recorded_spec(recording), args=(index,)), b"") as server:
            ends[index] = server.run().end
    assert ends == {"-2": Ending.NORMAL, "0": Ending.NORMAL, "1": Ending.MEMORY, "4": Ending.MEMORY}
