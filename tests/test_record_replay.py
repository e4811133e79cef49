"""Recordings that travel: replay elsewhere says the same; a damaged one is refused, never a crash."""

from __future__ import annotations

import contextlib
import gc
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor import api
from butfor.errors import DiskFull, RecordingError
from butfor.explanation import Explanation
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.c_module import CModule
from butfor.methods import registry
from butfor.methods.method import Subject
from butfor.options import Options, make_options
from butfor.trace import recording_file as recordings
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording_file import FORMAT, checksum
from tests.commands import butfor_command
from tests.families import some_of
from tests.small import saved, source, written

PROGRAM = """struct node { int v; struct node *next; };
static struct node *list;
static int total(struct node *n) { int sum = 0; for (; n; n = n->next) sum += n->v; return sum; }
static int larger(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
 int a[3] = {3, 1, 2};
 char line[20];
 if (!fgets(line, sizeof line, stdin)) return 9;
 qsort(a, 3, sizeof *a, larger);
 for (int i = 0; i < 3; i++) {
  struct node *n = malloc(sizeof *n);
  n->v = a[i] + atoi(argv[1]);
  n->next = list;
  list = n;
 }
 printf("%s%d\\n", line, total(list));
 assert(total(list) == 99);
 return 0; }
"""
KNOBS: dict[str, Any] = {"args": ["4"], "stdin": b"head\n"}


def told(answer: Explanation) -> dict[str, Any]:
    """The report apart from times and from folders in file names."""
    report = answer.to_dict()
    report["run"].pop("analyse_seconds")
    report["run"].pop("record_seconds")

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(item) for key, item in value.items()}
        if isinstance(value, list):
            return [short(item) for item in value]
        return value.rsplit("/", 1)[-1] if isinstance(value, str) and value.startswith("/") else value

    result: dict[str, Any] = short(report)
    return result


def replayed(path: Path, **knobs: Any) -> Explanation:
    """The explanation of a saved run."""
    return api.replay(path, Options(sources=(path,), **knobs))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording that is as it should be; its sources are gone."""
    folder = tmp_path_factory.mktemp("record")
    path = saved(folder, PROGRAM, **KNOBS)
    (folder / "prog.c").unlink()
    return path


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which recordings are unpacked."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# --- recordings that are fine ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "methods",
    [("slice", "cascade", "hazards"), pytest.param(registry.by_default(Subject.RUN), marks=pytest.mark.slow)],
    ids=["some methods", "all methods"],
)
def test_replay_elsewhere_says_the_same(
    methods: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    first = butfor.explain(written(here, PROGRAM), check=True, methods=methods, **KNOBS)
    path = saved(here, PROGRAM, **KNOBS)
    shutil.move(path, there / "run.bfr")
    shutil.rmtree(here)
    monkeypatch.chdir(there)
    second = replayed(Path("run.bfr"), check=True, methods=methods)
    assert second.failure is not None
    assert second.failure.details["text"] == "assert(total(list) == 99);"
    assert second.methods["check"]["mismatches"] == 0
    assert told(second) == told(first)
    assert set(second.sources.values()) == {source(PROGRAM).text}


def test_explain_takes_a_recording(good: Path) -> None:
    assert told(butfor.explain(good)) == told(replayed(good))


def test_expectations_travel_and_can_be_changed(tmp_path: Path) -> None:
    path = saved(tmp_path, 'int main(void) {\n puts("a"); return 3; }\n', expect_exit=3, expect_stdout=b"b\n")
    failure = replayed(path).failure
    assert failure is not None
    assert failure.kind == "output"
    assert replayed(path, expect_stdout=b"a\n").failure is None
    other = replayed(path, expect_stdout=b"a\n", expect_exit=4).failure
    assert other is not None
    assert other.message == "exit status 3, expected 4"


def test_views_of_a_run_share_its_folder(good: Path) -> None:
    recording = recordings.load(good, CModule)
    home, trace = recording.home, recording.trace
    view = recording.with_expectations(b"other\n", 3)
    assert (recording.meta.expect_stdout, recording.meta.expect_exit) == (None, None)
    assert (view.meta.expect_stdout, view.meta.expect_exit) == ("other\n", 3)
    assert view.with_expectations(None, 4).meta.expect_stdout == "other\n"
    assert view.home == home
    assert view.trace is trace
    with pytest.raises(AttributeError):
        recording.meta = view.meta  # type: ignore[misc]  # it is immutable
    del recording, trace
    gc.collect()
    assert home.exists(), "a view is left"
    del view
    gc.collect()
    assert not home.exists()


def test_runs_of_one_build_share_its_program(tmp_path: Path) -> None:
    options = make_options(written(tmp_path, source(PROGRAM)), **KNOBS)
    build = compile_program(options, lambda text: None)
    one, two = (record(options, build, lambda text: None) for _ in range(2))
    assert one.program is two.program
    assert one.trace.static is two.trace.static
    assert one.trace is not two.trace


def test_a_run_that_does_not_fail(tmp_path: Path) -> None:
    assert replayed(saved(tmp_path, "int main(void) {\n return 0; }\n")).status == "no-failure"


def test_a_recording_is_compact(tmp_path: Path) -> None:
    body = "int main(void) {\n volatile int s = 0;\n for (int i = 0; i < 50000; i++) s += i % 7;\n return s == 1; }\n"
    path = saved(tmp_path, body)
    instructions = replayed(path).run.instructions
    assert instructions > 400_000
    assert path.stat().st_size < instructions


def test_a_recording_says_what_it_is(good: Path) -> None:
    with zipfile.ZipFile(good) as z:
        head = json.loads(z.read("butfor.json"))
        assert z.infolist()[0].filename == "butfor.json"
    assert (head["magic"], head["format"]) == ("butfor recording", FORMAT)
    assert head["meta"]["args"] == ["4"]


def test_record_and_replay_by_command(tmp_path: Path) -> None:
    written(tmp_path, PROGRAM)
    done = butfor_command(["record", "prog.c", "-o", "run.bfr", "--", "4"], tmp_path, stdin=b"head\n")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("run.bfr: recorded ")
    (tmp_path / "prog.c").unlink()
    again = butfor_command(["replay", "run.bfr"], tmp_path)
    assert (again.code, again.stderr) == (0, "")
    assert "prog.c:25:2: assertion failed: total(list) == 99" in again.stdout


def test_a_failed_recording_leaves_the_old_file(tmp_path: Path) -> None:
    old = tmp_path / "run.bfr"
    old.write_bytes(b"old")
    (tmp_path / "bad.c").write_text("int main(void) { return x; }\n")
    (tmp_path / "asm.c").write_text('int main(void) { __asm__("nop"); return 0; }\n')
    assert butfor_command(["record", "bad.c", "-o", "run.bfr"], tmp_path).code == 2
    assert butfor_command(["record", "none.c", "-o", "run.bfr"], tmp_path).code == 2
    assert butfor_command(["replay", "run.bfr", "-o", "run.bfr"], tmp_path).code == 2
    assert old.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["asm.c", "bad.c", "run.bfr"]


def test_a_report_is_not_overwritten_by_a_failure(good: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text("old")
    bad = tmp_path / "bad.bfr"
    bad.write_bytes(good.read_bytes()[:-30])
    assert butfor_command(["replay", "bad.bfr", "--json", "-o", "report.json"], tmp_path).code == 2
    assert report.read_text() == "old"
    assert butfor_command(["replay", str(good), "--json", "-o", "report.json"], tmp_path).code == 0
    assert json.loads(report.read_text())["status"] == "explained"


# --- recordings that are not ----------------------------------------------------------------------------------------


def refused(path: Path, scratch: Path) -> str:
    """What is said about a recording that must not be read; nothing is left behind."""
    with pytest.raises(RecordingError) as caught:
        replayed(path)
    assert list(scratch.iterdir()) == []
    return caught.value.message


def rewritten(good: Path, to: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """A recording whose members are changed, with check sums that are right; None leaves a member out."""
    with zipfile.ZipFile(good) as old:
        kept = dict(filter(None, (change(info.filename, old.read(info)) for info in old.infolist())))
    with zipfile.ZipFile(to, "w") as new:
        for name, data in _with_right_checksum(kept).items():
            new.writestr(name, data)
    return to


def _with_right_checksum(members: dict[str, bytes]) -> dict[str, bytes]:
    if "butfor.json" not in members:
        return members
    head = json.loads(members["butfor.json"])
    hashes = {name: sha256(data).hexdigest() for name, data in members.items() if name != "butfor.json"}
    head["digest"] = checksum(head["meta"], hashes)
    return {**members, "butfor.json": json.dumps(head).encode()}


MEMBERS = [
    "butfor.json",
    *COLUMNS,
    "start",
    "end",
    "stdin",
    "stdout",
    "stderr",
    "module.ll",
    "segments.npy",
    "source-0",
]


def test_all_members_are_known(good: Path) -> None:
    with zipfile.ZipFile(good) as z:
        assert sorted(z.namelist()) == sorted(MEMBERS)


@pytest.mark.parametrize("member", [member for member in MEMBERS if member != "text"])
def test_a_member_is_missing(member: str, good: Path, tmp_path: Path, scratch: Path) -> None:
    bad = rewritten(good, tmp_path / "bad.bfr", lambda name, data: None if name == member else (name, data))
    assert "bad.bfr" in refused(bad, scratch)


def test_a_recording_made_before_texts_were_kept_is_read(good: Path, tmp_path: Path) -> None:
    old = rewritten(good, tmp_path / "old.bfr", lambda name, data: None if name == "text" else (name, data))
    assert [(row.line, row.score) for row in replayed(old, methods=("slice",)).ranking] == [
        (row.line, row.score) for row in replayed(good, methods=("slice",)).ranking
    ]


def test_a_flipped_byte_in_each_member(good: Path, tmp_path: Path, scratch: Path) -> None:
    bad = tmp_path / "bad.bfr"
    with zipfile.ZipFile(good) as z:
        infos = [i for i in z.infolist() if i.compress_size > 8]
    for info in infos:
        data = bytearray(good.read_bytes())
        at = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
        data[at] ^= 0x55
        bad.write_bytes(data)
        assert "bad.bfr" in refused(bad, scratch), info.filename


def test_truncated(good: Path, tmp_path: Path, scratch: Path) -> None:
    data = good.read_bytes()
    bad = tmp_path / "bad.bfr"
    rng = random.Random(5)
    for length in [0, 1, 4, 21, 22, 23, *rng.sample(range(len(data)), 60), len(data) - 1]:
        bad.write_bytes(data[:length])
        assert "bad.bfr" in refused(bad, scratch)


def test_random_bytes(tmp_path: Path, scratch: Path) -> None:
    rng = random.Random(7)
    bad = tmp_path / "bad.bfr"
    for length in (1, 22, 100, 5000):
        for start in (b"", b"PK\x03\x04", b"PK\x05\x06"):
            bad.write_bytes(start + rng.randbytes(length))
            assert refused(bad, scratch).startswith(f"{bad} is not a butfor recording, or it is damaged")


@pytest.mark.slow
def test_random_damage(good: Path, tmp_path: Path, scratch: Path) -> None:
    """Bytes changed anywhere, also in the archive's directory: refused, or the same answer where no byte matters."""
    data = good.read_bytes()
    answer = told(replayed(good))
    rng = random.Random(11)
    bad = tmp_path / "bad.bfr"
    for _ in range(40):
        changed = bytearray(data)
        at = rng.randrange(len(data)) if rng.random() < 0.3 else rng.randrange(len(data) - 1500, len(data))
        changed[at] ^= 1 << rng.randrange(8)
        bad.write_bytes(changed)
        with contextlib.suppress(RecordingError):
            assert told(replayed(bad)) == answer, at


def test_foreign_archives(tmp_path: Path, scratch: Path) -> None:
    bad = tmp_path / "bad.bfr"
    with zipfile.ZipFile(bad, "w") as z:
        z.writestr("readme.txt", "hello")
    assert refused(bad, scratch).startswith(f"{bad} is not a butfor recording")
    for head in (
        "[]",
        "3",
        "{",
        '{"magic": "other"}',
        '{"magic": "butfor recording"}',
        '{"magic": "butfor recording", "format": null}',
        "\xff",
    ):
        with zipfile.ZipFile(bad, "w") as z:
            z.writestr("butfor.json", head)
        assert refused(bad, scratch).startswith(f"{bad} is not a butfor recording"), head


def test_another_format(good: Path, tmp_path: Path, scratch: Path) -> None:
    def newer(name: str, data: bytes) -> tuple[str, bytes]:
        return name, json.dumps({**json.loads(data), "format": FORMAT + 1}).encode() if name == "butfor.json" else data

    message = refused(rewritten(good, tmp_path / "bad.bfr", newer), scratch)
    assert message.endswith(f"was made by another version of butfor (format {FORMAT + 1}, this one reads {FORMAT})")


def with_meta(good: Path, to: Path, **changes: Any) -> Path:
    """A recording with another description."""

    def change(name: str, data: bytes) -> tuple[str, bytes]:
        if name != "butfor.json":
            return name, data
        head = json.loads(data)
        head["meta"] |= changes
        return name, json.dumps(head).encode()

    return rewritten(good, to, change)


@pytest.mark.parametrize("changes", [{"args": 3}, {"env": [["a"]]}, {"nondet": None}, {"unknown": 1}], ids=str)
def test_a_description_of_wrong_shape(changes: dict[str, Any], good: Path, tmp_path: Path, scratch: Path) -> None:
    refused(with_meta(good, tmp_path / "bad.bfr", **changes), scratch)


@pytest.mark.parametrize(
    "changes",
    [
        {"args": [3]},
        {"sources": ["source-0"]},
        {"sources": {"a.c": 5}},
        {"expect_stdout": 5},
        {"expect_stdout": "\u20ac"},
        {"expect_exit": "zero"},
        {"seconds": "long"},
        {"folder": 7},
        {"given": [None]},
        {"name": None},
    ],
    ids=str,
)
def test_a_description_of_wrong_types(changes: dict[str, Any], good: Path, tmp_path: Path, scratch: Path) -> None:
    refused(with_meta(good, tmp_path / "bad.bfr", **changes), scratch)


@pytest.mark.parametrize("name", ["../evil", "/tmp/butfor-evil", "a/../../evil"])
def test_members_stay_in_their_folder(name: str, good: Path, tmp_path: Path, scratch: Path) -> None:
    bad = with_meta(good, tmp_path / "bad.bfr", sources={"prog.c": name})
    with zipfile.ZipFile(bad, "a") as z:
        z.writestr(name, "evil")
    assert "unsafe name" in refused(bad, scratch)
    assert not (tmp_path / "evil").exists()
    assert not Path("/tmp/butfor-evil").exists()


@pytest.mark.parametrize("how", some_of(("empty", "half", "random"), lambda _, how: how == "random", str))
def test_members_with_other_content(how: str, good: Path, tmp_path: Path, scratch: Path) -> None:
    """Check sums are right but the content makes no sense: refused, or explained as far as it goes; no exception."""
    broken = {}
    for member in MEMBERS[1:]:

        def change(name: str, data: bytes, member: str = member) -> tuple[str, bytes]:
            if name != member:
                return name, data
            if how == "random":
                return name, random.Random(member).randbytes(len(data))
            return name, data[: len(data) // 2] if how == "half" else b""

        try:
            replayed(rewritten(good, tmp_path / "bad.bfr", change))
        except RecordingError:
            continue
        except Exception as error:  # whatever it is, it would be an internal error
            broken[member] = type(error).__name__
    assert broken == {}
    gc.collect()
    assert list(scratch.iterdir()) == []


def test_a_checksum_that_is_wrong(good: Path, tmp_path: Path, scratch: Path) -> None:
    """Members that are all whole, but one is of another recording."""
    bad = tmp_path / "bad.bfr"
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(bad, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info) + (b"x" if info.filename == "stdout" else b""))
    assert refused(bad, scratch) == f"{bad} is damaged: its checksum is wrong"


def test_bad_recordings_by_command(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bfr"
    for data in (b"", b"no recording", good.read_bytes()[:900]):
        bad.write_bytes(data)
        done = butfor_command(["replay", "bad.bfr"], tmp_path)
        assert (done.code, done.stdout) == (2, "")
        assert done.stderr.startswith("butfor: error: bad.bfr is not a butfor recording, or it is damaged\n")
    for words in (["replay", "none.bfr"], ["replay", "."], ["explain", "bad.bfr", "--check"]):
        assert butfor_command(words, tmp_path).code == 2


def test_nowhere_to_unpack(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(DiskFull):
        replayed(good)
