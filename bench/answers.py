"""Whether two versions of butfor give the same JSON answers: ranking, evidence, failure, methods.

    python -m bench.answers cases CASES          prepare examples, seeded faults, test programs, Boogie programs
    python -m bench.answers run CASES ANSWERS    ask the butfor on the import path, one case at a time
    python -m bench.answers compare OLD NEW      print every difference that is not a measured time

Answers that were cut off by the clock differ from run to run: compare two sets of the same version first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import corpus, seeded_corpus

ROOT = Path(__file__).parent.parent
BUDGET_SECONDS = 60  # twice the default: fewer answers are cut off by the clock
TIMEOUT_SECONDS = 300  # a case that takes longer is a defect of its own
_MEASURED = re.compile(r"seconds|^address$")  # keys whose values differ from run to run
_NOISE = re.compile(r"\d+\.\d s\b|0x7ff[0-9a-f]+")  # measured times and addresses of the stack inside of sentences
_SOLVER_METHODS = ("error-invariants", "relevance", "diagnoses", "proofs")


def _write(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def _examples() -> Iterator[tuple[str, list[str]]]:
    examples = ROOT / "examples"
    yield "example/triangle", ["explain", str(examples / "triangle.c"), "--", "6", "5", "4"]
    yield "example/queue", ["explain", str(examples / "queue.c"), "--", "2", "10", "20"]
    tests = str(examples / "triangle-tests.json")
    yield "example/repair", ["repair", str(examples / "triangle.c"), "--tests", tests]
    yield "example/parking", ["find", str(examples / "parking.c")]


def _seeded(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for fault in seeded_corpus.faults():
        seeded = seeded_corpus.load(fault)
        trial = seeded_corpus.smallest_failing(seeded)
        source = _write(folder / f"{fault.id}.c", seeded.source_text.encode())
        stdin = _write(folder / f"{fault.id}.stdin", trial.stdin)
        expected = _write(folder / f"{fault.id}.expected", trial.expect_stdout)
        run = ["--stdin", stdin, "--expect-stdout", expected, "--expect-exit", str(trial.expect_exit)]
        yield f"seeded/{fault.id}", ["explain", source, "--time-limit", "2", *run, "--", *trial.args]


def _programs() -> Iterator[tuple[str, list[str]]]:
    for program in corpus.programs():
        if not program.path.name.startswith("fail_"):
            continue
        knobs = program.options
        words = [f"--cflags={' '.join(knobs.cflags)}"] if knobs.cflags else []
        words += [word for lib in knobs.libs for word in ("-l", lib)]
        words += ["--time-limit", str(knobs.time_limit)]
        words += ["--step-limit", str(knobs.step_limit)] if knobs.step_limit is not None else []
        if knobs.expect_exit is not None:
            words += ["--expect-exit", str(knobs.expect_exit)]
        yield f"program/{program.path.stem}", ["explain", str(program.path), *words, "--", *knobs.args]


def _paths() -> Iterator[tuple[str, list[str]]]:
    """Boogie programs, and the C versions of the small examples with the methods that only run when asked for."""
    for source in sorted((ROOT / "tests").rglob("*.bpl")):
        yield f"boogie/{source.stem}", ["find", str(source)]
        methods = ["slice,cascade,error-invariants,relevance,repair", "error-invariants"]
        yield f"boogie-all/{source.stem}", ["find", str(source), "--method", methods[0]]
        yield f"boogie-pinned/{source.stem}", ["find", str(source), "--method", methods[1], "--pinned"]
    for source in sorted((ROOT / "tests" / "path" / "examples").glob("*.c")):
        yield f"path/{source.stem}", ["find", str(source)]
        for method in _SOLVER_METHODS:
            yield f"path-{method}/{source.stem}", ["find", str(source), "--method", method]


def prepare(folder: Path) -> None:
    """Write the cases and their files to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = dict([*_examples(), *_paths(), *_programs(), *_seeded(folder)])
    (folder / "cases.json").write_text(json.dumps(cases, indent=1))


def ask(folder: Path, out: Path, only: str) -> None:
    """Ask for the answers that are not there yet."""
    for name, words in json.loads((folder / "cases.json").read_text()).items():
        target = out / f"{name}.json"
        if target.exists() or not re.match(only, name):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        options = ["--format", "json", "--budget", str(BUDGET_SECONDS)]
        command = [sys.executable, "-m", "butfor", *words[:2], *options, *words[2:]]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS, cwd=ROOT)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = {"message": done.stderr.decode(errors="replace").splitlines()[:3]}
        target.write_text(json.dumps({"exit": done.returncode, **answer}, indent=1))


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """The places at which two answers differ, measured times left out."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if not _MEASURED.search(key):
                yield from differences(old.get(key), new.get(key), f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{where}[{k}]")
    elif old != new and not (isinstance(old, str) and isinstance(new, str) and _same_text(old, new)):
        yield f"{where}: {_short(old)} -> {_short(new)}"


def _same_text(old: str, new: str) -> bool:
    return _NOISE.sub("", old) == _NOISE.sub("", new)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 160 else f"{text[:150]}… ({len(text)})"


def compare(old: Path, new: Path) -> int:
    """Print the differences of two folders of answers; how many cases differ."""
    count = same = 0
    for path in sorted(old.rglob("*.json")):
        name = path.relative_to(old)
        if not (new / name).exists():
            continue
        found = list(differences(json.loads(path.read_text()), json.loads((new / name).read_text())))
        count, same = count + bool(found), same + (not found)
        for line in found[:6]:
            print(f"{name}{line}")
        if len(found) > 6:
            print(f"{name}: and {len(found) - 6} more")
    print(f"{same} cases are the same, {count} differ")
    return count


def main(words: list[str]) -> int:
    """The exit status: 0 when nothing differs."""
    match words:
        case ["cases", folder]:
            prepare(Path(folder))
        case ["run", folder, out, *only]:
            ask(Path(folder), Path(out), only[0] if only else "")
        case ["compare", old, new]:
            return int(compare(Path(old), Path(new)) > 0)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
