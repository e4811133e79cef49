"""Along the same path, the terms of a path with free inputs give what the program does with other inputs."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path as File

import pytest

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.logic.evaluate import Evaluator
from butfor.options import make_options
from butfor.path.path_model import Path
from tests.path.made import cell
from tests.small import HEAD, case_of

INPUTS = 3
START = """extern unsigned __VERIFIER_nondet_uint(void);
static unsigned t[4]; struct s { unsigned char c; unsigned u; short h; }; static unsigned g = 3;
static unsigned f(unsigned x) { g += x & 3; return x + 7u; }
static void put(unsigned *p, unsigned x) { *p = x; if (x > 100000u) *p += 1; }
static struct s make(unsigned x) { struct s r = { (unsigned char)x, x, (short)x }; return r; }
int main(void) {
"""
EXPRESSIONS = (
    *(
        "{x} + {y}",
        "{x} - {y} * 3u",
        "{x} ^ {c}u",
        "f({x}) - {y}",
        "g + f({x}) + g",
        "{x} / ({c}u + 1u)",
        "{x} % ({c}u + 1u)",
        "{x} << ({c}u & 7u)",
    ),
    *(
        "({x} < {y}) + ({y} == {c}u)",
        "({x} > {c}u && f({y}) < 50u)",
        "({x} == {c}u || {y} > 3u ? {y} : {x})",
        "(unsigned)((int){x} >> 2)",
    ),
    *(
        "(unsigned)(char)({x} + {c}u)",
        "make({x}).u + make({y}).h",
        "(unsigned)((long){x} * 7 - {y})",
        "({x} ? {y} ? 1u : {c}u : 2u)",
    ),
)
STATEMENTS = (
    *(
        "{z} = {e};",
        "t[{k}] = {e}; {z} = t[{k}] + t[{k}];",
        "struct s s{n} = make({e}), d{n} = s{n}; d{n}.u += s{n}.c; {z} = d{n}.u + d{n}.h;",
    ),
    *(
        "unsigned *p{n} = &t[{x} & 3u]; *p{n} = {e}; {z} = t[0] + *p{n};",
        "put(&{z}, {e});",
        "{z} += {x}++;",
        "{z} = {x}--  - {e};",
    ),
    *(
        "if ({x} < {y}) {z} = {e}; else {z} += {c}u;",
        "for (unsigned i{n} = 0; i{n} < ({x} & 3u); i{n}++) {z} += i{n} * {y};",
    ),
    *(
        "switch ({x} & 3u) {{ case 0: case 1: {z} = {e}; break; case 2: {z} ^= 5u; default: {z} += 1u; }}",
        "while ({z} > 1000u) {z} /= 2u;",
    ),
    *(
        "union {{ unsigned u; unsigned char b[4]; }} u{n}; u{n}.u = {e}; u{n}.b[{k}] ^= {y}; {z} = u{n}.u;",
        "memcpy(&t[1], &{x}, sizeof {x}); {z} = t[1];",
    ),
)


def program(pick: random.Random) -> str:
    """A program that prints its last value and then fails."""
    names = [f"v{k}" for k in range(INPUTS)]
    lines = [f"unsigned {name} = __VERIFIER_nondet_uint();" for name in names]
    lines.append("unsigned w = 1, x = 2;")
    names += ["w", "x"]
    for n in range(pick.randint(3, 9)):
        parts = {
            "x": pick.choice(names),
            "y": pick.choice(names),
            "z": pick.choice(names[-3:]),
            "c": pick.randrange(40),
            "k": pick.randrange(4),
            "n": n,
        }
        lines.append(pick.choice(STATEMENTS).format(**parts, e=pick.choice(EXPRESSIONS).format(**parts)))
    total = " + ".join(f"{k + 1}u * {name}" for k, name in enumerate(names))
    lines.append(f'unsigned last = {total}; printf("%u\\n", last); fflush(stdout);')
    lines.append("assert(last == 4000000001u); return 0; }")
    return HEAD + START + "\n".join(lines)


def predicted(path: Path, inputs: tuple[int, ...]) -> int | None:
    """What the last variable is with other inputs; None when they leave the path."""
    now = {c.name: path.initial.get(c.name, 0) for c in path.cells}
    for instance in path.instances:
        value = Evaluator(dict(now))
        if not value(instance.condition):
            return None
        for c, term in instance.writes:
            source = instance.inputs.get(c.name)
            now[c.name] = (
                value(term)
                if term is not None
                else inputs[source.start]
                if source is not None
                else instance.recorded[c.name]
            )
    return int(now[cell(path, "last").name])


@pytest.mark.parametrize("number", [*range(12), *(pytest.param(k, marks=pytest.mark.slow) for k in range(12, 200))])
def test_other_inputs_on_the_same_path(number: int, tmp_path: File) -> None:
    pick = random.Random(number)
    file = tmp_path / "prog.c"
    file.write_text(program(pick))
    given = tuple(pick.randrange(60) for _ in range(INPUTS))
    options = make_options(file, nondet=given)
    build = compile_program(options, lambda text: None)
    path = case_of(record(options, build, lambda text: None)).free_path
    tried = [given, *(tuple(x + pick.choice((0, 0, 4, 1, 64)) for x in given) for _ in range(6))]
    for inputs in dict.fromkeys(tried):
        told = predicted(path, inputs)
        if told is not None and (not path.approximate or inputs == given):
            run = record(replace(options, nondet=inputs), build, lambda text: None)
            assert int(run.stdout) == told, f"{inputs}\n{file.read_text()}"
