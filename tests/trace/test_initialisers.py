"""Elements of tables: the part of an initialiser that gave each its value, against what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places
from tests.small import recorded, source

TABLES = {
    "positional": "int positional[4] = { 11, 12, 13 };",
    "numbers": "int numbers[8] = { [5] = 21, 22, [0x1] = 23, 24, ['\\1' + 2] = 25 };",
    "enums": "int enums[COUNT] = { [GREEN] = 31, [RED] = 32, [BLUE] = 33 };",
    "macros": "int macros[8] = { [FIRST] = 41, 42, [FIRST + 4] = 43, [SIZE - 1] = 44 };",
    "ranges": "int ranges[8] = { [0 ... 2] = 51, 52, [RED ... GREEN] = 53, [6 ... 7] = 54 };",
    "twice": "int twice[4] = { 61, 62, [0] = 63, [1 ... 2] = 64, [1] = 65 };",
    "flat": "int flat[2][3] = { 71, 72, 73, 74, 75 };",
    "mixed": "int mixed[3][2] = { { 81 }, 82, 83, { 84, 85 } };",
    "rows": "int rows[3][2] = { [1] = { 91, [1] = 92 }, [0][1] = 93, 94, [2] = { [0 ... 1] = 95 } };",
    "structs": "struct pair structs[3] = { { 101, 102 }, { .b = 103, .a = 104 }, [2].b = 105 };",
    "nested": (
        "struct outer nested[2] = { { .in.b = 111, 112, .v = { [1] = 113 } }, [1].in = { "
        "114, 115 }, [1].v[0] = 116, 117 };"
    ),
    "elided": "struct outer elided[2] = { 121, 122, 123, 124, 125, 126 };",
    "unnamed": "struct holder unnamed[2] = { { 131, { 132 } }, { .y = 133, .x = 134 } };",
    "typedefed": "typedef int row_t[2]; row_t typedefed[2] = { 141, 142, 143, 144 };",
    "old": "struct pair old = { b: 151, a: 152 };",
    "braced": "struct pair braced[2] = { PAIR(161, 162), EMPTY };",
    "far": "enum far used; int far_table[3] = { [FAR_INDEX] = 171, [FAR_ENUM] = 172 };",
}
HEAD = """#include "far.h"
enum color { RED = 4, GREEN, BLUE, COUNT };
#define FIRST 2 /* of many */
#define SIZE (FIRST * 4)
#define PAIR(x, y) { x, y }
#define EMPTY { 0 }
struct pair { int a, b; };
struct outer { struct pair in; int v[2]; };
struct holder { int x; struct { int y, z; }; };
"""


def program() -> str:
    """All tables, and a main that prints them, one per line."""
    names = [re.search(r"(\w+)(?:\[[^]]*\])* = \{", text)[1] for text in TABLES.values()]  # type: ignore[index]
    prints = "".join(f" show((int *)&{name}, sizeof {name} / 4);\n" for name in names)
    show = 'static void show(int *p, int n) { for (int i = 0; i < n; i++) printf("%d ", p[i]); puts(""); }\n'
    return source(
        HEAD + "\n".join(TABLES.values()) + "\n" + show + "int main(void) {\n" + prints + " return 0; }\n"
    ).text


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A run that prints all tables."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "far.h").write_text("#define FAR_INDEX 2\nenum far { FAR_NOT, FAR_ENUM = FAR_NOT + 1 };\n")
    return recorded(folder, source(program(), head=""))


@pytest.mark.parametrize("number", range(len(TABLES)), ids=TABLES)
def test_the_text_of_an_element_has_its_value(number: int, tables: Recording) -> None:
    places = Places(tables)
    declaration = list(TABLES.values())[number]
    name = re.search(r"(\w+)(?:\[[^]]*\])* = \{", declaration)
    assert name is not None
    values = tables.stdout.decode().splitlines()[number].split()
    for k, value in enumerate(values):
        *element, whole = places.initialisers(name[1], 4 * k)
        assert whole.text.startswith(("int", "struct", "row_t", "typedefed"))
        if element and element[0].text.startswith(("PAIR", "EMPTY")):
            continue
        shown = re.search(r"(\d+)\W*\Z", element[0].text) if element and "{" not in element[0].text else None
        assert (shown[1] if shown else "0") == value, (k, element)


UNCLEAR = """#define TWO 1, 2
#define ENTRY(x) [x] = 5
extern int n;
int lists[4] = { TWO, 3 };
int pairs[2] = { ENTRY(1) };
int sized[8] = { [sizeof(int)] = 5, 6 };
int conditional[4] = { 1,
#ifdef SOMETHING
 2,
#endif
 3 };
int main(void) { return lists[1] + pairs[1] + sized[4] + conditional[1] == 13 ? 0 : 1; }
"""


@pytest.mark.parametrize(("name", "element"), [("lists", 2), ("pairs", 1), ("sized", 4), ("conditional", 1)])
def test_what_the_text_does_not_say_is_not_guessed(name: str, element: int, tmp_path: Path) -> None:
    recording = recorded(tmp_path, UNCLEAR)
    (whole,) = Places(recording).initialisers(name, 4 * element)
    assert whole.text.startswith(f"int {name}")
