"""The manifest of a batch and the folders of fuzzers: which runs they name, and what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butfor.batch.crash_folders import crashing_inputs
from butfor.batch.manifest import read_manifest
from butfor.batch.work_items import BatchItem
from butfor.errors import UsageError
from butfor.options import Options

TESTS = {"tests": [{"name": "one", "args": ["1"], "expect_exit": 0}, {"stdin": "x"}]}


def items(folder: Path, text: str) -> tuple[BatchItem, ...]:
    """The runs of a manifest beside two programs, a file of tests and two inputs."""
    for name in ("a.c", "b.c"):
        (folder / name).write_text("int main(void) { return 0; }\n")
    (folder / "tests.json").write_text(json.dumps(TESTS))
    (folder / "in").mkdir()
    (folder / "in" / "first").write_bytes(b"\xff1")
    (folder / "in" / "second").write_bytes(b"2")
    manifest = folder / "manifest.toml"
    manifest.write_text(text)
    return read_manifest(manifest, Options())


def test_programs_come_with_their_tests_in_order(tmp_path: Path) -> None:
    found = items(tmp_path, '[[program]]\neach = ["*.c"]\ntests = ["tests.json"]\ncflags = "-O1 -g"\n')
    assert [(item.number, item.title) for item in found] == [
        (0, "a: one"),
        (1, "a: test 2"),
        (2, "b: one"),
        (3, "b: test 2"),
    ]
    assert found[0].options.args == ("1",)
    assert found[0].options.expect_exit == 0
    assert found[3].options.sources == (tmp_path / "b.c",)
    assert found[3].options.stdin == b"x"
    assert found[3].options.cflags == ("-O1", "-g")


def test_inputs_are_read_from_standard_input_unless_the_arguments_name_them(tmp_path: Path) -> None:
    start = '[[program]]\nname = "p"\nsources = ["a.c", "b.c"]\ninputs = ["in/*"]\n'
    found = items(
        tmp_path, f'{start}args = ["-q"]\n[[program]]\nsources = ["a.c"]\ninputs = ["in/*"]\nargs = ["-f@@"]\n'
    )
    assert [(i.title, i.options.args, i.options.stdin) for i in found[:2]] == [
        ("p: first", ("-q",), b"\xff1"),
        ("p: second", ("-q",), b"2"),
    ]
    assert found[2].options.args == (f"-f{tmp_path.resolve()}/in/first",)


def test_a_manifest_in_json_says_the_same(tmp_path: Path) -> None:
    items(tmp_path, '[[program]]\nsources = ["a.c"]\n')
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"program": [{"sources": ["a.c"]}]}))
    assert read_manifest(path, Options()) == read_manifest(tmp_path / "manifest.toml", Options())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there must be programs"),
        ('[[program]]\nsources = ["a.c"]\nsuorces = []\n', "unknown key 'suorces'"),
        ('[[program]]\nname = "x"\n', "either `sources` or `each`"),
        ('[[program]]\nsources = "a.c"\n', "must be a list of strings"),
        ('[[program]]\nsources = ["c*.c"]\n', "there is no file c*.c"),
        ('[[program]]\nsources = ["a.c"]\n[[program]]\nsources = ["a.c"]\n', "two programs are called 'a'"),
        ("[[program]\n", "cannot be read as a manifest"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        items(tmp_path, text)
    assert said in error.value.message


def test_crashes_of_fuzzers_are_told_from_their_queues(tmp_path: Path) -> None:
    names = (
        "main/crashes/id:000000,sig:11,src:000000",
        "main/crashes/README.txt",
        "main/queue/id:000000,orig:seed",
        "main/hangs/id:000000,src:000001",
        "second/crashes.2026-01-01/id_000004_sig_06",
        "libfuzzer/crash-0123abcd",
        "libfuzzer/corpus/0123abcd",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert [name for name, _ in crashing_inputs(tmp_path)] == [
        "libfuzzer/crash-0123abcd",
        "main/crashes/id:000000,sig:11,src:000000",
        "main/hangs/id:000000,src:000001",
        "second/crashes.2026-01-01/id_000004_sig_06",
    ]
    assert [name for name, _ in crashing_inputs(tmp_path / "main" / "crashes")] == ["id:000000,sig:11,src:000000"]
    assert [name for name, _ in crashing_inputs(tmp_path / "libfuzzer" / "corpus")] == ["0123abcd"]
