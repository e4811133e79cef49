"""A function that nobody knew, described by one record and one C model: every part of butfor knows it from then on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from butfor.find import FindOptions, find
from butfor.frontends.c.build import code_version
from butfor.frontends.c.instrument.hooked_module import checked_models
from butfor.ir.machine_types import Kind
from butfor.ir.may_define import MayDefine
from butfor.libc import library
from butfor.libc.effects import stores_pointer
from butfor.libc.record import CFile, LibcFunction, SearchModel, text
from butfor.options import make_options
from butfor.path.lift.external_inputs import ExternalInputs
from butfor.path.path_model import Input
from tests.ir.intervals.test_precision import facts_of
from tests.small import case_of, explained, recorded, source, written

# strtol by a name that only the C library itself uses
ADDED = LibcFunction(
    "",
    "long __strtol_internal(const char *text, char **end, int base, int group)",
    (stores_pointer("end", into="text"),),
    touches=(text("text"),),
    harmless=True,
    search=SearchModel.SIGNED_NUMBER,
    model=CFile("libc_added.c"),
)
C_MODEL = """
#include "libc_util.h"
long __strtol_internal(const char *, char **, int, int);
long W(__strtol_internal)(const char *s, char **end, int base, int group) {
    KEEP_ERRNO;
    bf_reads_text(0, s);
    bf_will_write(1, end, sizeof *end);
    long r = REAL(__strtol_internal(s, end, base, group));
    if (end) bf_wrote(end, sizeof *end);
    return r;
}
"""
DECLARED = "long __strtol_internal(const char *, char **, int, int);\n"
SUM = (
    DECLARED
    + """int main(int argc, char **argv) {
 char digits[8] = "05";
 digits[0] = '7';
 long n = __strtol_internal(digits, 0, 10, 0);
 assert(n < 50);
 return 0; }
"""
)
LOCK = (
    DECLARED
    + """int main(int argc, char **argv) {
 if (argc < 2) return 0;
 long n = __strtol_internal(argv[1], 0, 10, 0);
 assert(n * 7 - 12 != 3374926);
 return 0; }
"""
)
KEPT = DECLARED + (
    "struct s { char text[4]; int at; };\n"
    'int f(int n) { int a[4] = {0}; struct s s = {"12", 1}; __strtol_internal(s.text, 0, 10, 0); return a[s.at]; }'
)
MAYBE_NULL = DECLARED + 'int f(int n) { return (int)__strtol_internal(n > 2 ? "12" : 0, 0, 10, 0); }'


@pytest.fixture(scope="module")
def _added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """butfor with the record and its model, as if they stood in libc/."""
    models = tmp_path_factory.mktemp("libc") / "models"
    shutil.copytree(library.MODELS, models)
    (models / "libc_added.c").write_text(C_MODEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(library.FUNCTIONS, ADDED.name, ADDED)
        patch.setattr(library, "MODELS", models)
        code_version.cache_clear()
        yield
    code_version.cache_clear()


def test_nobody_knew_it_before() -> None:
    assert library.lookup(ADDED.name) is None


@pytest.mark.usefixtures("_added")
def test_slices_follow_what_it_reads(tmp_path: Path) -> None:
    program = source(SUM)
    answer = explained(tmp_path, program)
    assert program.line_of("digits[0] =") in {row.line for row in answer.ranking}


@pytest.mark.usefixtures("_added")
def test_proofs_know_what_it_leaves_alone_and_what_it_needs(tmp_path: Path) -> None:
    _, facts = facts_of(tmp_path, KEPT)
    assert {c.verdict for c in facts.checks if not c.kind.startswith(("null", "bounds-high"))} == {"proved"}
    _, facts = facts_of(tmp_path, MAYBE_NULL)
    assert ("null", "open") in {(c.kind, c.verdict) for c in facts.checks}


@pytest.mark.usefixtures("_added")
def test_points_to_sets_know_where_it_leaves_a_pointer(tmp_path: Path) -> None:
    body = DECLARED + "int main(void) { char t[4] = {0}, *e; __strtol_internal(t, &e, 10, 0); return *e; }"
    program = recorded(tmp_path, body).program
    main = program.function("main")
    (load,) = [i for i in main.instrs if i.op == "load" and i.type.kind is Kind.INT and i.type.bits == 8]
    (cell,) = MayDefine(program, ("main",)).cells_of(main, load)
    assert cell.key[:2] == ("local", "main")


@pytest.mark.usefixtures("_added")
def test_the_search_solves_for_its_result(tmp_path: Path) -> None:
    options = make_options(written(tmp_path, LOCK), methods=["slice"], budget=30)
    answer = find(options, FindOptions(failures=1))
    assert answer.extra["found"][0]["runs"][0]["args"] == ["482134"]


@pytest.mark.usefixtures("_added")
def test_paths_know_the_input_that_it_parses(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, LOCK, args=["482134"]))
    inputs = ExternalInputs(case.recording)
    parsed = [found for i in range(len(case.trace)) if (found := inputs.parsed(i)) is not None]
    assert parsed == [Input("argv", "1", 0, 6)]


@pytest.mark.usefixtures("_added")
def test_changed_runs_have_its_model(tmp_path: Path) -> None:
    assert ADDED.name in checked_models()
    program = source(SUM)
    answer = explained(tmp_path, program, methods=["butfor"])
    best = answer.ranking[0]
    assert best.evidence.value == "replayed"
