"""What a compiler's command line says."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.compiler_wrapper.command_line import CommandLine, expanded


def line(text: str) -> CommandLine:
    """The command line of these words."""
    return CommandLine(text.split())


def test_sources_are_told_from_objects_and_from_arguments_of_options() -> None:
    found = line("-c -o out.c -include first.c a.c b.o -x assembler d -x none lib.a e.S")
    assert [(unit.path, unit.is_c) for unit in found.units] == [("a.c", True), ("d", False), ("e.S", False)]
    assert found.inputs == ["b.o", "lib.a"]
    assert found.output == "out.c"


def test_only_options_that_mean_the_same_to_both_compilers_are_passed_on() -> None:
    found = line(
        "-O2 -Wall -g3 -Iinc -I inc2 -DX=1 -U Y -std=gnu89 -fwrapv -fno-plt -flto -Wp,-MD,d,-DZ -mtune=native -c a.c"
    )
    assert found.language_flags == ["-Iinc", "-I", "inc2", "-DX=1", "-U", "Y", "-std=gnu89", "-fwrapv", "-DZ"]
    assert found.is_lto


@pytest.mark.parametrize(
    "text", ["-E a.c", "-S a.c", "-M a.c", "-fsyntax-only a.c", "--version", "-print-prog-name=ld", "a.h"]
)
def test_what_makes_no_object_is_known(text: str) -> None:
    assert not line(text).makes_object


@pytest.mark.parametrize(
    ("text", "links", "shared", "partial"),
    [
        ("a.o -o a", True, False, False),
        ("a.c", True, False, False),
        ("-c a.c", False, False, False),
        ("-shared a.o -o a.so", True, True, False),
        ("-Wl,-soname,x,-shared a.o", True, True, False),
        ("-Xlinker -shared a.o", True, True, False),
        ("-r a.o b.o -o c.o", True, False, True),
        ("-nostdlib a.o", True, False, True),
        ("-o -shared a.o", True, False, False),
        ("--version", False, False, False),
    ],
)
def test_links_are_told_apart(text: str, links: bool, shared: bool, partial: bool) -> None:
    found = line(text)
    assert (found.links, found.makes_shared_library, found.makes_partial_link) == (links, shared, partial)


def test_response_files_stand_for_their_words(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text("-DA='two words' \"b c.o\"\n")
    outer.write_text(f"-c @{inner} esc\\ aped")
    assert expanded([f"@{outer}", "@nosuchfile"]) == ["-c", "-DA=two words", "b c.o", "esc aped", "@nosuchfile"]


def test_response_files_that_name_each_other_end(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.write_text(f"-c @{circle}")
    assert "-c" in expanded([f"@{circle}"])
