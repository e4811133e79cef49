"""No recorded run does what the static analysis says no run can do."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path

import pytest

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.options import Options
from butfor.trace.recording import Recording
from tests.corpus import Program, programs
from tests.ir.intervals.judge import Judge
from tests.property.cgen import UnitSpec, program
from tests.property.cgen_kinds import KINDS
from tests.small import recorded

NASTY = sorted((Path(__file__).parents[2] / "property" / "nasty").glob("*.c"))
ALWAYS = frozenset(
    """construct_alloca_vla construct_bit_ops construct_goto_into_loop construct_int_widths construct_pass_boundaries \
construct_realloc
    construct_struct_copy construct_union_punning construct_varargs fail_division_by_zero fail_int_min_division \
fail_null_read fail_oob_heap_read
    fail_oob_stack_write fail_use_after_free_read fail_assert_far_memory real_lru""".split()
)


def judged(recording: Recording) -> Judge:
    """What was looked at, of which nothing may be wrong."""
    judge = Judge(recording)
    wrong = judge.wrong()
    assert not wrong, "\n".join(wrong[:10])
    return judge


def marks(case: Program) -> list[pytest.MarkDecorator]:
    """The mark of what is not among the few that always run."""
    return [] if case.path.stem in ALWAYS else [pytest.mark.slow]


def test_the_few_are_there() -> None:
    assert {p.path.stem for p in programs()} >= ALWAYS


@pytest.mark.parametrize("case", [pytest.param(p, id=p.path.stem, marks=marks(p)) for p in programs()])
def test_program_does_nothing_that_was_excluded(case: Program) -> None:
    judged(record(case.options, compile_program(case.options, lambda _: None), lambda _: None))


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in NASTY])
def test_nasty_program_does_nothing_that_was_excluded(path: Path) -> None:
    options = Options(sources=(path,), time_limit=60.0)
    judged(record(options, compile_program(options, lambda _: None), lambda _: None))


def random_program(seed: int) -> Judge:
    """A program of random units, recorded and judged."""
    rng = random.Random(seed)
    specs = [
        UnitSpec(rng.choice(sorted(KINDS)), rng.randint(1, 6), rng.randrange(2**32)) for _ in range(rng.randint(2, 4))
    ]
    with tempfile.TemporaryDirectory(prefix="butfor-abstract-") as name:
        source = Path(name) / "random.c"
        source.write_text(program(specs))
        options = Options(sources=(source,), time_limit=60.0)
        compiled = compile_program(options, lambda _: None)
        recording = record(options, compiled, lambda _: None)
        shutil.rmtree(compiled.home)  # it will not be seen again
        return judged(recording)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_program_does_nothing_that_was_excluded(seed: int) -> None:
    assert random_program(seed).looked_at > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 340))
def test_many_random_programs_do_nothing_that_was_excluded(seed: int) -> None:
    random_program(seed)


def small_program(seed: int) -> str:
    """Loops, branches and accesses of three arrays whose indices are kept in range or not, by chance."""
    rng = random.Random(seed)
    names = ["x", "y", "z"]

    def term() -> str:
        kind = rng.randrange(6)
        if kind == 0:
            return str(rng.randint(-3, 12))
        if kind == 1:
            return f"({rng.choice(names)} {rng.choice('+-*&|^')} {rng.choice([*names, str(rng.randint(-2, 5))])})"
        if kind == 2:
            return f"({rng.choice(names)} {rng.choice(['/', '%', '>>', '<<'])} {rng.randint(1, 4)})"
        if kind == 3:
            return f"a[({rng.choice(names)} & 7)]"
        if kind == 4:
            return f"(unsigned char)({rng.choice(names)})"
        return rng.choice(names)

    def condition() -> str:
        first = f"{rng.choice(names)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {term()}"
        return (
            first
            if rng.random() < 0.6
            else f"{first} {rng.choice(['&&', '||'])} {rng.choice(names)} < {rng.randint(0, 9)}"
        )

    def statement(depth: int) -> str:
        kind = rng.randrange(7 if depth else 3)
        name = rng.choice(names)
        if kind <= 1:
            return f"{name} = {term()};"
        if kind == 2:
            index = rng.choice([f"({name} & 7)", name])
            return (
                f"if ({name} >= 0 && {name} < 8) a[{index}] = {term()};" if index == name else f"a[{index}] = {term()};"
            )
        inner = " ".join(statement(depth - 1) for _ in range(rng.randint(1, 3)))
        if kind == 3:
            return f"if ({condition()}) {{ {inner} }} else {{ {statement(depth - 1)} }}"
        if kind == 4:
            i = f"i{depth}"
            return (
                f"for (int {i} = {rng.randint(-2, 2)}; {i} < {rng.randint(1, 6)}; {i} += {rng.randint(1, 2)}) {{"
                f" {inner} a[{i} & 7]++; }}"
            )
        if kind == 5:
            return f"{{ int k{depth} = 0; while (k{depth}++ < 5 && ({condition()})) {{ {inner} }} }}"
        return (
            f"switch ({name} & 3) {{ case 0: {inner} break;"
            f" case 1: {statement(depth - 1)} default: {statement(depth - 1)} }}"
        )

    body = "\n    ".join(statement(3) for _ in range(5))
    return (
        f"static int a[8];\nint main(int argc, char **argv) {{\n    int x = argc, y = 3, z = -1;\n    {body}\n"
        f"    return (x ^ y ^ z) & 1;\n}}\n"
    )


@pytest.mark.parametrize("seed", range(3))
def test_small_random_program_does_nothing_that_was_excluded(seed: int, tmp_path: Path) -> None:
    assert (
        judged(recorded(tmp_path, '#pragma clang diagnostic ignored "-Weverything"\n' + small_program(seed))).looked_at
        > 5
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_small_random_programs_do_nothing_that_was_excluded(seed: int, tmp_path: Path) -> None:
    judged(recorded(tmp_path, '#pragma clang diagnostic ignored "-Weverything"\n' + small_program(seed)))


def test_a_wrong_analysis_is_found_out(tmp_path: Path) -> None:
    judge = Judge(recorded(tmp_path, "int main(void) { int x = 1; for (int i = 0; i < 3; i++) x += i; return x; }\n"))
    assert judge.records is not None
    assert not judge.wrong()
    for key in judge.records.values:
        judge.records.values[key] = (77, 78)
    assert len(judge.wrong()) > 5
