"""Functions, initialisers and macros found by name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from butfor.source import Role, SourceFile, SyntaxTree
from butfor.source.initialisers import NameMeanings
from tests.source.snippets import marked


def tree_of(code: str) -> SyntaxTree:
    return SyntaxTree(SourceFile("t.c", code.encode()))


UNBALANCED = """\
int f(x)
int x;
{
#ifdef A
  if (x) {
#else
  if (!x) {
#endif
    x = 1;
  }
  return x;
}
b(x) { return x; }
main(argc, argv)
int argc;
char *argv[];
{
  return b(argc);
}
"""

FUNCTIONS = [
    ("int f(int a) { return a; }\nstatic void g(void)\n{\n}\n", ["f", "g"]),
    ("int f(a, b) int a; char *b; { return a; }", ["f"]),
    ("main() { return 0; }", ["main"]),
    ("main(argc, argv)\nint argc;\nchar *argv[];\n{\n}\nint g() { }", ["main", "g"]),
    ("int g(int);\nchar *t;\nstruct s *\nopen(name)\nchar *name;\n{\n  return 0;\n}\n", ["open"]),
    ("b(x) { return x; }", ["b"]),
    ("int (*pick(int n))(int) { return 0; }", ["pick"]),
    (
        "struct s { int a; };\nint t[] = { 1, 2 };\nenum e { A };\nstruct s f(void) { struct s v = { 1 }; return v; }",
        ["f"],
    ),
    ('extern "C" {\nint f(void) { return 1; }\n}\n', ["f"]),
    ("__attribute__((noinline)) int f(void) { return 1; }", ["f"]),
    ("/* int no(void) { } */ #define g(x) { x }\n", []),
    ("int f(void) { return 1; }\n}}}\nint broken( {{{ \n", ["f"]),
    ("int f(void)\n{\n  if (x) {\n    y = 1;\n}\nint g(void)\n{\n  z = 2;\n}\n", ["f", "g"]),
    ("#if A\nint f(void) {\n#else\nint f(int n) {\n#endif\n  return 1;\n}\nint g(void) { return 2; }", ["f", "f", "g"]),
    (UNBALANCED, ["f", "b", "main"]),
    ("int f(x)\nint x;\n{\n  if (x) {\n  return x;\n}\nb(x) { return x; }\n", ["f", "b"]),
    ("", []),
]


@pytest.mark.parametrize(("code", "names"), FUNCTIONS)
def test_functions(code: str, names: list[str]) -> None:
    assert [each.name for each in tree_of(code).functions()] == names


def test_function_span_and_header() -> None:
    (found,) = tree_of("\nchar *\nf(s, n)\nchar *s;\nint n;\n{\n  return s;\n}\n").functions()
    assert (found.line, found.column, found.end_line, found.end_column) == (2, 1, 8, 2)
    assert found.header == "char * f(s, n)"


def test_a_byte_order_mark_is_no_part_of_the_header() -> None:
    (found,) = tree_of("\ufeffint f(void) { return 1; }").functions()
    assert found.header == "int f(void)"


GLOBALS = """\
int limit = 10;
static int low = 1, high = 2;
int none;
int table[3] = { 400, 500,
                 [2] = 640 };
struct s { int a, b; } pair[] = { { 1, 2 }, { .b = 4, .a = 3 } };
int f(void) { static int count = 5; int local = 1; return count + local; }
int g(void) {
    static int count = 6;
    return count;
}
"""


@pytest.mark.parametrize(
    ("name", "line", "text"),
    [
        ("limit", 1, "int limit = 10;"),
        ("limit", 99, "int limit = 10;"),
        ("high", 2, "high = 2"),
        ("count", 7, "static int count = 5;"),
        ("count", 11, "static int count = 6;"),
        ("table", 4, "int table[3] = { 400, 500, [2] = 640 };"),
    ],
)
def test_initializer(name: str, line: int, text: str) -> None:
    found = tree_of(GLOBALS).initializer_of(name, line)
    assert found is not None
    assert (found.text, found.role, found.target) == (text, Role.INITIALIZER, name)


@dataclass(frozen=True)
class Shape:
    """Elements of one shape, as many as there are names or as counted; a scalar has none."""

    count: int = 0
    names: tuple[str, ...] = ()
    of: Shape | None = None
    is_text: bool = False

    def path_to_member(self, member: str) -> tuple[int, ...] | None:
        return (self.names.index(member),) if member in self.names else None

    def inner(self, number: int) -> Shape:
        return self.of or Shape()


PAIRS = Shape(2, of=Shape(2, ("a", "b")))
TABLE = Shape(3)


@pytest.mark.parametrize(
    ("name", "shape", "path", "text"),
    [
        ("table", TABLE, (0,), "400"),
        ("table", TABLE, (1,), "500"),
        ("table", TABLE, (2,), "[2] = 640"),
        ("table", TABLE, (7,), None),
        ("pair", PAIRS, (0, 1), "2"),
        ("pair", PAIRS, (1, 0), ".a = 3"),
        ("pair", PAIRS, (1,), "{ .b = 4, .a = 3 }"),
        ("limit", Shape(), (), None),
        ("none", TABLE, (1,), None),
    ],
)
def test_element(name: str, shape: Shape, path: tuple[int, ...], text: str | None) -> None:
    found = tree_of(GLOBALS).element_of(name, 4, shape, path, NameMeanings())
    assert (found.text if found is not None else None) == text
    assert found is None or (found.role, found.target) == (Role.INITIALIZER, name)


CONSTANTS = """\
enum e { A, B = 5, C, D = B << 2 | 1, E = sizeof(int), F, G = 'a', H = -1, I };
enum f {
  J = 3,
#ifdef X
  K,
#endif
  L, M = 9, N,
};
#define ONE 1u
#define SUM (ONE + /* of both */ \\
             B)
#define LOOP LOOP2
#define LOOP2 LOOP
#define TWICE 1
#define TWICE 2
#define CALLED(x) 3
#define HEX 0x1F
#define OCTAL 010
#define REAL 1.5
#define CHOICE (HEX > 3 ? (char)7 : 8)
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [("A", 0), ("B", 5), ("C", 6), ("D", 21), ("E", None), ("F", None), ("G", 97), ("H", -1), ("I", 0)]
    + [("J", 3), ("K", None), ("L", None), ("M", 9), ("N", 10)]
    + [
        ("ONE", 1),
        ("SUM", 6),
        ("LOOP", None),
        ("TWICE", None),
        ("CALLED", None),
        ("HEX", 31),
        ("OCTAL", 8),
        ("REAL", None),
        ("CHOICE", 7),
    ]
    + [("OTHER", 77)],
)
def test_constants(name: str, value: int | None) -> None:
    assert tree_of(CONSTANTS).constant(name, lambda other: 77 if other == "OTHER" else None) == value


@pytest.mark.parametrize("name", ["none", "local", "f", "missing"])
def test_no_initializer(name: str) -> None:
    assert tree_of(GLOBALS).initializer_of(name, 1) is None


def test_declarations_without_initialiser_are_found_too() -> None:
    found = tree_of(GLOBALS).declaration_of("none", 7)
    assert found is not None
    assert (found.text, found.role, found.target) == ("int none;", Role.DECLARATION, None)


MACROS = """\
#define LIM 10
# define MAX(a, b) \\
    ((a) > (b) ? (a) : (b))   /* the larger */
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define INC(v) v = v + 1;
/* #define NOT 1 */
int f(int x, int y) {
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("LIM", "#define LIM 10"), ("MAX", "# define MAX(a, b) ((a) > (b) ? (a) : (b))")],
)
def test_macro_definition(name: str, text: str) -> None:
    found = tree_of(MACROS).definition_of_macro(name)
    assert found is not None
    assert (found.text, found.role) == (text, Role.MACRO)


def test_macro_redefined_is_taken_from_before_the_line() -> None:
    tree = tree_of("#define N 1\nint a = N;\n#undef N\n#define N 2\nint b = N;\n")
    found = [tree.definition_of_macro("N", line) for line in (None, 2, 5)]
    assert [each.text if each else None for each in found] == ["#define N 1", "#define N 1", "#define N 2"]


def test_no_macro() -> None:
    assert tree_of(MACROS).definition_of_macro("NOT") is None
    assert tree_of(MACROS).definition_of_macro("f") is None


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("x «= MAX(y, LIM) + MAX(x, y);", ("MAX", "LIM")),
        ("if (x «< LIM) x = MAX(x, y);", ("LIM",)),
        ('x «= g("LIM"); /* MAX */', ()),
        ("«EACH(k, LIM) { x++; }", ("EACH", "LIM")),
    ],
)
def test_macros_used(code: str, names: tuple[str, ...]) -> None:
    tree, line, column = marked(MACROS + code + "}")
    assert tree.macros_used_at(line, column) == names


@pytest.mark.parametrize(
    ("code", "text", "role"),
    [
        ("«EACH(k, 3) { x++; }", "EACH(k, 3)", Role.MACRO),
        ("EACH(k, 3) { x«++; }", "x++;", Role.EXPRESSION),
        ("«INC(x)\n y = 1;", "INC(x)", Role.MACRO),
        ("INC(x)\n y «= 1;", "y = 1;", Role.EXPRESSION),
        ("«INC(x);", "INC(x);", Role.MACRO),
        ("x = «MAX(x, y);", "x = MAX(x, y);", Role.EXPRESSION),
        ("x«; }\n#define LATE 3\nint g() {", "x;", Role.EXPRESSION),
    ],
)
def test_statements_made_of_macros(code: str, text: str, role: Role) -> None:
    tree, line, column = marked(MACROS + code + "}")
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.role) == (text, role)


def test_a_definition_is_a_statement() -> None:
    found = tree_of(MACROS).statement_at(1, 12)
    assert found is not None
    assert (found.text, found.role, found.function) == ("#define LIM 10", Role.MACRO, None)
