"""`butfor cc` gives what the user's compiler gives, and objects that name their IR."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from butfor.frontends.stamped_files import archive_members, is_stamped_program, stamps_of
from tests.projects.building import cc, run

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="it is about gcc")
MAIN = "int twice(int);\nint main(void) { return twice(21) - 42; }\n"
TWICE = "int twice(int x) { return 2 * x; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program of two files, whose name needs quoting."""
    there = tmp_path / "a folder"
    there.mkdir()
    (there / "main.c").write_text(MAIN)
    (there / "twice.c").write_text(TWICE)
    return there


def units(path: Path) -> list[tuple[str, bool]]:
    """The sources that a file names, and whether they have IR."""
    found = stamps_of(path.read_bytes())
    return [(Path(unit.source).name, unit.bitcode is not None) for unit in found.units] if found else []


def test_a_program_lists_its_units_and_runs(folder: Path) -> None:
    done = cc(folder, "main.c", "twice.c", "-o", "prog", "-pipe")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert units(folder / "prog") == [("main.c", True), ("twice.c", True)]
    assert is_stamped_program(folder / "prog")
    assert run([str(folder / "prog")], folder).returncode == 0


def test_objects_of_one_call_name_their_own_unit_each(folder: Path) -> None:
    assert cc(folder, "-c", "main.c", "twice.c").returncode == 0
    assert units(folder / "main.o") == [("main.c", True)]
    assert units(folder / "twice.o") == [("twice.c", True)]


def test_only_members_that_are_pulled_from_an_archive_are_listed(folder: Path) -> None:
    (folder / "unused.c").write_text("int unused;\n")
    assert cc(folder, "-c", "main.c", "twice.c", "unused.c").returncode == 0
    assert run(["ar", "rcs", "libtwice.a", "twice.o", "unused.o"], folder).returncode == 0
    assert cc(folder, "main.o", "-L.", "-ltwice", "-o", "prog").returncode == 0
    assert units(folder / "prog") == [("main.c", True), ("twice.c", True)]
    members = archive_members(folder / "libtwice.a")
    assert members is not None
    assert [member.name for member in members] == ["twice.o", "unused.o"]


def test_messages_and_exit_status_are_those_of_the_compiler(folder: Path) -> None:
    (folder / "wrong.c").write_text("int f(void) { return nothing; }\n")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no compiler to compare with")
    for arguments in (["-c", "wrong.c"], ["nosuch.c"], ["-c", "main.c", "-Wall", "-std=c99"], ["--version"]):
        plain, wrapped = run([compiler, *arguments], folder), cc(folder, *arguments)
        assert (wrapped.returncode, wrapped.stdout, wrapped.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_a_file_without_ir_is_compiled_all_the_same(folder: Path) -> None:
    (folder / "nested.c").write_text("int f(void) { int g(void) { return 1; } return g(); }\n")
    if cc(folder, "-c", "nested.c").returncode != 0:
        pytest.skip("the compiler has no nested functions")
    assert units(folder / "nested.o") == [("nested.c", False)]


def test_a_store_that_cannot_be_written_does_not_end_a_build(folder: Path) -> None:
    blocked = folder / "blocked"
    blocked.write_text("")
    done = cc(folder, "main.c", "twice.c", "-o", "prog", BUTFOR_CACHE_DIR=str(blocked))
    assert (done.returncode, done.stderr) == (0, "")
    assert units(folder / "prog") == []


def test_probes_of_configure_get_no_ir(folder: Path) -> None:
    (folder / "conftest.c").write_text("int main(void) { return 0; }\n")
    assert cc(folder, "conftest.c", "-o", "conftest").returncode == 0
    assert stamps_of((folder / "conftest").read_bytes()) is None


def test_a_wrapped_compiler_that_wraps_itself_ends(folder: Path) -> None:
    done = cc(folder, "-c", "main.c", BUTFOR_CC=f"{sys.executable} -m butfor cc")
    assert done.returncode == 0
    assert units(folder / "main.o") == [("main.c", True)]


def test_dependency_files_do_not_name_the_stamp(folder: Path) -> None:
    for flags in (["-MD"], ["-MD", "-flto"]):
        assert cc(folder, *flags, "-MF", "main.d", "-c", "main.c").returncode == 0
        assert "butfor" not in (folder / "main.d").read_text()
        assert units(folder / "main.o") in ([("main.c", True)], [])


@needs_gcc
def test_a_function_that_only_the_other_compiler_calls_means_no_ir(folder: Path) -> None:
    (folder / "macro.c").write_text(
        "#ifndef __clang__\n#define CHECK(x) ((void)0)\n#endif\nvoid f(void) { CHECK(1); }\n"
    )
    assert cc(folder, "-c", "macro.c", "-w", BUTFOR_CC="gcc").returncode == 0
    assert units(folder / "macro.o") == [("macro.c", False)]


def test_sources_from_standard_input_and_other_languages_pass_through(folder: Path) -> None:
    (folder / "add.S").write_text('.globl add\nadd: ret\n.section .note.GNU-stack,"",@progbits\n')
    assert cc(folder, "-c", "add.S").returncode == 0
    assert units(folder / "add.o") in ([("add.S", False)], [])
    assert cc(folder, "-E", "main.c").stdout.count("twice") == 2
    assert "butfor" not in cc(folder, "-S", "-o", "-", "main.c").stdout
