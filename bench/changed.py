"""What a changed run costs: the native program, with hooks, with hooks and checks."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import ForkServer, RunLimits
from butfor.frontends.c.c_frontend import compile_program
from butfor.frontends.c.hooked_build import build_hooked
from butfor.frontends.c.run_program import RunSpec
from butfor.frontends.c.toolchain import find_compiler, run_tool
from butfor.ir.change_sites import SiteKind
from butfor.options import Options

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {"loops": (1, 6), "pointers": (10, 5_000), "calls": (1, 64)}
_ROUNDS = 20


_SMALL = Path(__file__).parents[1] / "examples" / "triangle.c"
_CHANGES = 150  # of one request
_LONG = {"loops": 630, "pointers": 250_000, "calls": 6_400}  # milliseconds, so that a fork does not count


def throughput() -> Iterator[str]:
    """Changed runs per second and core of a small program, and what one costs after its change in long programs.

    The best of some requests: each is for runs that all differ, from one server.
    """
    program = compile_program(Options(sources=(_SMALL,)), lambda text: None).code.program
    for checked in (False, True):
        build = build_hooked(program, None, (), checked=checked)
        with ForkServer(build, "./program", RunSpec(("6", "5", "4"))) as server:
            seen = server.observe()[1]
            sites = [s.number for s in build.sites if s.kind is SiteKind.LOAD and seen["count"][s.number]]
            best = 60.0
            for round_ in range(_ROUNDS):
                rules = [
                    Rule(sites[k // 6 % len(sites)], Op.SET, 1000 + _CHANGES * round_ + k) for k in range(_CHANGES)
                ]
                start = time.perf_counter()
                server.send((), rules)
                server.receive(len(rules))
                best = min(best, (time.perf_counter() - start) / len(rules))
        kind = " with checks of memory" if checked else ""
        yield f"{_SMALL.stem}: {1 / best:,.0f} changed runs per second and core{kind}"
    for name, size in _LONG.items():
        native, hooks, _ = _measured(PROGRAMS / f"{name}.c", size)
        start = _measured(PROGRAMS / f"{name}.c", 1)[0]
        ratio = hooks / max(native - start, 1e-4)
        yield f"{name} {size:,}: after its change, a changed run takes {ratio:.1f} times native"


def rows() -> Iterator[str]:
    """The lines of the table. A native run includes the start of its process, the others a fork."""
    columns = (("size", 8), ("native", 11), ("hooks", 11), ("checks", 11), ("checks/hooks", 14), ("checks/native", 15))
    yield "program".ljust(9) + "".join(name.rjust(width) for name, width in (*columns, ("runs/s", 9)))
    for name, sizes in SIZES.items():
        for size in sizes:
            native, hooks, checks = (1000 * t for t in _measured(PROGRAMS / f"{name}.c", size))
            times = f"{native:>8.2f} ms{hooks:>8.2f} ms{checks:>8.2f} ms"
            yield f"{name:<9}{size:>8,}{times}{checks / hooks:>13.2f}x{checks / native:>14.2f}x{1000 / checks:>9,.0f}"


def _measured(source: Path, size: int) -> tuple[float, float, float]:
    """Seconds of the best of some runs of each, taken in turn."""
    program = compile_program(Options(sources=(source,)), lambda text: None).code.program
    spec = RunSpec((str(size),))
    limits = RunLimits(milliseconds=60_000, events=1 << 60)
    builds = [build_hooked(program, None, (), checked=checked) for checked in (False, True)]
    compiler = find_compiler(None)
    with tempfile.TemporaryDirectory() as folder:
        native = Path(folder, "native")
        run_tool(
            (*compiler.command, *compiler.arch_flags, "-O0", "-fno-sanitize=all", "-w", str(source), "-o", str(native)),
            "it does not compile",
        )
        with (
            ForkServer(builds[0], "./program", spec, b"", limits) as plain,
            ForkServer(builds[1], "./program", spec, b"", limits) as checked,
        ):
            best = [60.0] * 3
            for _ in range(_ROUNDS):
                for k, run in enumerate(
                    (
                        lambda: subprocess.run([native, str(size)], capture_output=True, check=False),
                        plain.run,
                        checked.run,
                    )
                ):
                    start = time.perf_counter()
                    run()
                    best[k] = min(best[k], time.perf_counter() - start)
    return best[0], best[1], best[2]


if __name__ == "__main__":
    for line in (*throughput(), *rows()):
        print(line, flush=True)
