"""C expressions as terms give what the compiled expressions give, with the same types."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from butfor.frontends.c import toolchain
from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import const, variable
from butfor.methods.repair.on_paths.c_expression_terms import Environment, TypedTerm, Untranslatable, converted_term
from butfor.methods.repair.on_paths.source_regions import RegionForm, SourceRegion, opaque_texts

VARIABLES = {
    "i": ("int", 32, True, 7),
    "j": ("int", 32, True, -3),
    "u": ("unsigned", 32, False, 4_000_000_000),
    "c": ("signed char", 8, True, -100),
    "b": ("unsigned char", 8, False, 200),
    "s": ("short", 16, True, -30_000),
    "l": ("long", 64, True, -5_000_000_000),
    "q": ("unsigned long", 64, False, 18_000_000_000_000_000_000),
}
SIZES = {"u": 4, "int": 4, "l": 8, "s": 2}
CONSTANTS = {"LIMIT": 12}
HERE = Environment(
    lambda name: TypedTerm(variable(name, VARIABLES[name][1]), VARIABLES[name][2]) if name in VARIABLES else None,
    {"a[i]": TypedTerm(const(9, 32))},
    CONSTANTS.get,
    SIZES.get,
)
VALUES = {name: value & (1 << width) - 1 for name, (_, width, _, value) in VARIABLES.items()}
WHOLE = SourceRegion(RegionForm.VALUE, 0, 0)


def expression(pick: random.Random, deep: int = 0) -> str:
    """An expression whose value C defines."""
    kind = pick.randrange(9) if deep < 3 else 0

    def inner() -> str:
        return expression(pick, deep + 1)

    match kind:
        case 1 | 2 | 3:
            return f"({inner()} {pick.choice('+-*&|^')} {inner()})"
        case 4:
            return f"({inner()} {pick.choice(('<', '<=', '>', '>=', '==', '!=', '&&', '||'))} {inner()})"
        case 5:
            return f"({inner()} {pick.choice('/%')} {pick.choice(('3', '7u', '11L', '(-5)'))})"
        case 6:
            return f"({inner()} {pick.choice(('<<', '>>'))} {pick.randrange(8)})"
        case 7:
            return f"({pick.choice('-~!+')}({inner()}))"
        case 8:
            return f"({inner()} ? {inner()} : {inner()})"
    return pick.choice(
        (
            *VARIABLES,
            *VARIABLES,
            "LIMIT",
            "0",
            "1",
            "42u",
            "(-7)",
            "'a'",
            "'\\n'",
            "100000000000",
            "0x7f",
            "sizeof(u)",
            "sizeof l",
        )
    )


def run(folder: Path, expressions: list[str]) -> list[tuple[int, int, bool]]:
    """Value, size and sign of expressions, by the compiler."""
    lines = "".join(
        f'    printf("%lld %d %d\\n", (long long)({e}), (int)sizeof({e}), ((__typeof__({e}))-1 < 0));\n'
        for e in expressions
    )
    declared = "".join(
        f"    volatile {t} {name} = ({t}){value}{'UL' if value > 2**62 else ''};\n"
        for name, (t, _, _, value) in VARIABLES.items()
    )
    source = folder / "prog.c"
    source.write_text(f"#include <stdio.h>\n#define LIMIT 12\nint main(void) {{\n{declared}{lines}    return 0;\n}}\n")
    compiler = toolchain.find_compiler(None)
    out = folder / "prog"
    toolchain.run_tool(
        [*compiler.command, *compiler.arch_flags, "-O0", "-w", "-fwrapv", str(source), "-o", str(out)], "build"
    )
    text = subprocess.run([out], capture_output=True, check=True, text=True).stdout
    return [(int(v), int(size), sign == "1") for v, size, sign in map(str.split, text.splitlines())]


def test_values_and_types_are_those_of_the_compiler(tmp_path: Path) -> None:
    pick = random.Random(5)
    expressions = [expression(pick) for _ in range(400)]
    value = Evaluator(VALUES)
    for e, (wanted, size, signed) in zip(expressions, run(tmp_path, expressions), strict=True):
        found = WHOLE.value(e.encode(), HERE, None)
        assert (found.term.width, found.signed) == (8 * size, signed), e
        assert value(converted_term(found, 64)) == wanted & (1 << 64) - 1, e
        assert value(SourceRegion(RegionForm.CONDITION, 0, 0).truth(e.encode(), HERE)) == bool(wanted), e


@pytest.mark.parametrize(
    "text", ["f(i)", "i++", "i = 3", "unknown", "p->next", "*p", "1.5", "(int)l", "i +", "sizeof(struct t)"]
)
def test_what_has_no_term_is_refused(text: str) -> None:
    with pytest.raises(Untranslatable):
        WHOLE.value(text.encode(), HERE, None)


def test_assignments_and_steps() -> None:
    old = HERE.name("i")
    value = Evaluator(VALUES)
    for target, text, wanted in (("i", "= j + 1", -2), ("i", "+= j", 4), ("i", "-= 10", -3), ("i", "<<= 2", 28)):
        assert (
            value(converted_term(SourceRegion(RegionForm.ASSIGN, 0, 0, target).value(text.encode(), HERE, old), 32))
            == wanted & (1 << 32) - 1
        )
    for text, wanted in (("i++", 8), ("--i", 6)):
        assert (
            value(converted_term(SourceRegion(RegionForm.UPDATE, 0, 0, "i").value(text.encode(), HERE, old), 32))
            == wanted
        )
    for region, text in (
        (SourceRegion(RegionForm.UPDATE, 0, 0, "i"), "j++"),
        (SourceRegion(RegionForm.ASSIGN, 0, 0, "i"), "+ 1"),
        (SourceRegion(RegionForm.UPDATE, 0, 0, "i"), "i"),
    ):
        with pytest.raises(Untranslatable):
            region.value(text.encode(), HERE, old)


def test_pointers_move_by_what_they_point_to() -> None:
    p = TypedTerm(variable("p", 64), False, 4)
    here = Environment({"p": p, "i": TypedTerm(const(-2, 32))}.get, {}, CONSTANTS.get, SIZES.get)
    value = Evaluator({"p": 1000})
    assert value(WHOLE.value(b"p + 3", here, None).term) == 1012
    assert value(WHOLE.value(b"i + p", here, None).term) == 992
    assert value(SourceRegion(RegionForm.CONDITION, 0, 0).truth(b"p && p != NULL", here)) == 1
    for text in (b"p - p", b"p * 2", b"-p"):
        with pytest.raises(Untranslatable):
            WHOLE.value(text, here, None)


def test_opaque_parts() -> None:
    assert opaque_texts(b"a[i] + p->x * f(2, b[1])") == ["f(2,b[1])", "p->x", "a[i]"]
    assert Evaluator(VALUES)(WHOLE.value(b"a [ i ] + 1", HERE, None).term) == 10
