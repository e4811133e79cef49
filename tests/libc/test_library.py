"""The room itself: records agree with the headers and with the C models, and each name finds its record."""

from __future__ import annotations

from pathlib import Path

from butfor.concolic.library_models import model_table
from butfor.frontends.c import object_files, toolchain
from butfor.frontends.c.build import recorder_objects
from butfor.libc import library
from butfor.libc.effects import UNKNOWN_EFFECTS
from butfor.libc.library import effects_of, lookup, modelled_functions, plain_name, reaching_functions
from butfor.libc.record import SearchModel

ALL = [f for functions in library.FAMILIES for f in functions]
MAY_DO_ANYTHING = frozenset("open_memstream tdelete tfind tsearch twalk clone".split())  # though they have a model
WITHOUT_CODE = {SearchModel.UNKNOWN, SearchModel.IRRELEVANT}


def test_each_function_has_one_record() -> None:
    assert len(ALL) == len(library.FUNCTIONS)


def test_records_name_parameters_that_their_prototypes_have() -> None:
    for f in ALL:
        positions = {e.argument for e in f.effects} | {a.pointer for a in f.accesses} | set(f.allocation_sizes)
        assert max(positions, default=0) <= len(f.parameters), f.name


def test_a_class_of_characters_is_named_where_one_is_tested() -> None:
    for f in ALL:
        assert (f.character_class is not None) == (f.search is SearchModel.CHARACTER_CLASS), f.name


def test_prototypes_are_those_of_the_headers(tmp_path: Path) -> None:
    headers = sorted({f.header for f in ALL if f.header})
    declared = [f for f in ALL if f.header]
    lines = [
        "#define _GNU_SOURCE",
        *(f"#include <{header}>" for header in headers),
        *(f"#undef {f.name}\n{f.prototype};" for f in declared),
    ]
    file = tmp_path / "prototypes.c"
    file.write_text("\n".join(lines) + "\n")
    toolchain.compile_object(toolchain.find_compiler(None), file, tmp_path / "prototypes.o", ["-w", "-ferror-limit=0"])


def test_the_c_models_are_those_that_records_name() -> None:
    compiled = recorder_objects(toolchain.find_compiler(None), wide=False)
    prefix = "__bf_w_"
    found = {
        (name.removeprefix(prefix), f"{file.stem}.c")
        for file in compiled
        for name in object_files.exported(file.read_bytes())
        if name.startswith(prefix)
    }
    assert found == set(modelled_functions().items())


def test_functions_with_a_model_are_known_to_the_analyses() -> None:
    assert {name for name in modelled_functions() if effects_of(name) == UNKNOWN_EFFECTS} == MAY_DO_ANYTHING


def test_the_search_has_code_for_all_that_records_say() -> None:
    assert set(SearchModel) - WITHOUT_CODE == set(model_table.MODELS)


def test_names_of_headers_compilers_and_versions_mean_the_same() -> None:
    assert lookup("__isoc99_sscanf") is lookup("__isoc23_sscanf") is lookup("sscanf") is not None
    assert lookup("__memcpy_chk") is lookup("__builtin_memcpy") is lookup("llvm.memcpy.p0.p0.i64") is lookup("memcpy")
    assert lookup("__builtin___strcpy_chk") is lookup("strcpy")
    assert lookup("fopen64") is lookup("fopen")
    assert lookup("_IO_getc") is lookup("getc_unlocked") is lookup("getc")
    assert lookup("__VERIFIER_nondet_anything") is lookup("__VERIFIER_nondet_int")
    assert plain_name("llvm.dbg.value") == "llvm.dbg.value"
    assert lookup("nobody_knows_this") is None
    assert lookup(None) is None
    assert effects_of("nobody_knows_this") is UNKNOWN_EFFECTS


def test_a_name_of_its_own_is_not_taken_for_another_one() -> None:
    other_names = [name for f in ALL if f.model is not None for name in f.model.variants]
    assert not set(other_names) & set(library.FUNCTIONS)
    assert all(lookup(name) is not None for name in other_names)


def test_what_is_unknown_or_acts_outside_reaches_beyond_a_run() -> None:
    names = ("strlen", "unlink", "nobody_knows_this", "llvm.memcpy.p0.p0.i64", "__printf_chk", "system")
    assert reaching_functions(names) == ("nobody_knows_this", "system", "unlink")
