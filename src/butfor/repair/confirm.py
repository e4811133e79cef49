"""The last word on a repair: the patched source alone is compiled, run on all tests, and recorded once where errors can hide."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.find import find_failure
from butfor.failures.point import Unsupported
from butfor.frontends.c.build import Build, BuildSpec, build
from butfor.frontends.c.record import record
from butfor.frontends.c.source import CSource
from butfor.options import Options
from butfor.repair.program import Sources
from butfor.repair.trial import Test
from butfor.trace.dependence import Dependence
from butfor.trace.recording import Recording

_OUTPUT = 1 << 20  # bytes beyond what the failing run wrote


@contextlib.contextmanager
def scratch(texts: Mapping[Path, bytes]) -> Iterator[dict[Path, Path]]:
    """Copies of source files under their own names in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix=f"butfor-{os.getpid()}-") as name:
        found = {}
        for k, (given, text) in enumerate(texts.items()):
            folder = Path(name, str(k))
            folder.mkdir()
            found[given] = folder / given.name
            found[given].write_bytes(text)
        yield found


class Recorder:
    """Records patched programs on the failing run, behind the fence. What it needs is built once."""

    def __init__(self, sources: Sources, texts: Mapping[Path, bytes], options: Options, seconds: float, output: int) -> None:
        spec = sources.spec
        with scratch(texts) as copies:
            quotes = [flag for given in spec.sources for flag in ("-iquote", str(given.absolute().parent))]
            files = tuple(copies.get(s, s) for s in spec.sources)
            self.program: Build = build(BuildSpec(files, spec.cc, (*spec.flags, *quotes), spec.libs), lambda text: None)
        time_limit = min(options.time_limit, 1 + 10 * seconds)
        self.options = replace(options, tests=None, shrink=False, time_limit=time_limit, output_limit=output + _OUTPUT)
        self._source: CSource | None = None

    def fails(self, number: int = 0, test: Test | None = None) -> bool:
        """Whether a run with this variant fails, memory errors that it survives included; the failing run, or another test."""
        options = self.options if test is None else _of_test(self.options, test)
        env = (*options.env, ("BUTFOR_FENCE", "1"), *((("BUTFOR_VARIANT", str(number)),) if number else ()))
        try:
            run = record(replace(options, env=env), self.program, lambda text: None)
            recording = Recording(run.home, run.meta, self._parsed, owned=False)
            return find_failure(recording, Dependence(recording.trace), self.options.memory_errors).failure is not None
        except (ButforError, Unsupported):
            return True  # it is not known to be right

    def _parsed(self, text: str) -> CSource:
        """The module, which is the same for all runs."""
        if self._source is None:
            self._source = CSource(text)
        return self._source


def _of_test(options: Options, test: Test) -> Options:
    """The options of another test."""
    expected = test.goal.output if test.goal.is_whole else None
    return replace(options, args=test.spec.args, stdin=test.spec.stdin, expect_stdout=expected, expect_exit=test.goal.exit_status)


def survives(sources: Sources, texts: Mapping[Path, bytes], options: Options, seconds: float, output: int) -> bool:
    """Whether a patched program, recorded, does not fail."""
    try:
        return not Recorder(sources, texts, options, seconds, output).fails()
    except ButforError:
        return False


def clean(recorder: Recorder, numbers: Sequence[int]) -> Iterator[int]:
    """The variants of a program whose recorded run does not fail."""
    return (n for n in numbers if not recorder.fails(n))
