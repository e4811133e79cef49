"""The last word on a repair: the patched source alone is compiled, run on all tests, and recorded once where errors can hide."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.failure_point import Unsupported
from butfor.failures.find_failure import find_failure
from butfor.frontends.c.build import BuildSpec, build
from butfor.frontends.c.record_run import record
from butfor.methods.repair.patched_program import Sources
from butfor.options import RunOptions
from butfor.trace.dependence.dependence import Dependence

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


def survives(sources: Sources, texts: Mapping[Path, bytes], options: RunOptions, seconds: float, output: int) -> bool:
    """Whether a patched program, recorded behind the fence, does not fail on the failing run, memory errors that it survives included."""
    spec = sources.spec
    time_limit = min(options.time_limit, 1 + 10 * seconds)
    chosen = replace(
        options,
        time_limit=time_limit,
        output_limit=output + _OUTPUT,
        env=(*options.env, ("BUTFOR_FENCE", "1")),
    )
    try:
        with scratch(texts) as copies:
            quotes = [flag for given in spec.sources for flag in ("-iquote", str(given.absolute().parent))]
            files = tuple(copies.get(s, s) for s in spec.sources)
            program = build(BuildSpec(files, spec.cc, (*spec.flags, *quotes), spec.libs), lambda text: None)
        recording = record(chosen, program, lambda text: None)
        return find_failure(recording, Dependence(recording.trace), options.memory_errors).failure is None
    except (ButforError, Unsupported):
        return False  # it is not known to be right
