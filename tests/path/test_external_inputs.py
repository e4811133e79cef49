"""Free inputs: where values from outside come from."""

from __future__ import annotations

from pathlib import Path as File

from butfor.path.path_model import Input, Kind, Path
from butfor.path.verify_path import verify
from tests.path.made import lifted, of_kind


def inputs(path: Path) -> dict[str, Input]:
    """Where the cells of all havocs came from."""
    assert verify(path).wrong == ()
    return {
        cell.shown: instance.inputs[cell.name]
        for instance in of_kind(path, Kind.HAVOC)
        for cell, term in instance.writes
        if term is None
    }


def test_a_parsed_argument_is_one_input(tmp_path: File) -> None:
    path = lifted(
        tmp_path,
        "int main(int argc, char **argv) { int x = atoi(argv[2]);\nassert(x > 99); }",
        free=True,
        args=["7", "42"],
    )
    assert inputs(path) == {"x": Input("argv", "2", 0, 2)}


def test_bytes_of_an_argument_are_inputs_of_their_own(tmp_path: File) -> None:
    path = lifted(
        tmp_path, "int main(int argc, char **argv) { char c = argv[1][1];\nassert(c == 'x'); }", free=True, args=["abc"]
    )
    assert list(inputs(path).values()) == [Input("argv", "1", 1, 2)]


def test_characters_of_standard_input(tmp_path: File) -> None:
    body = "int main(void) { int c, n = 0;\nwhile ((c = getchar()) != EOF) if (c == 'b') n++;\nassert(n == 0); }"
    path = lifted(tmp_path, body, free=True, stdin=b"ab")
    assert [source for i in of_kind(path, Kind.HAVOC) for source in i.inputs.values()] == [
        Input("stdin", "", k, k + (k < 2)) for k in range(3)
    ]
    assert verify(path).wrong == ()


def test_numbers_that_scanf_reads(tmp_path: File) -> None:
    body = 'int main(void) { int a, b;\nif (scanf("%d %d", &a, &b) != 2) return 0;\nassert(a + b == 0); }'
    found = inputs(lifted(tmp_path, body, free=True, stdin=b"12 345\n"))
    assert found["a"] == Input("stdin", "", 0, 2)
    assert found["b"] == Input("stdin", "", 3, 6)


def test_bytes_of_a_line(tmp_path: File) -> None:
    body = "int main(void) { char line[16];\nfgets(line, sizeof line, stdin);\nassert(line[2] == 'q'); }"
    assert inputs(lifted(tmp_path, body, free=True, stdin=b"abcd\n"))["line[2]"] == Input("stdin", "", 2, 3)


def test_a_number_in_a_line(tmp_path: File) -> None:
    body = (
        "int main(void) { char line[16];\nfgets(line, sizeof line, stdin);\nint x = atoi(line + 1);\nassert(x == 0); }"
    )
    assert inputs(lifted(tmp_path, body, free=True, stdin=b"x77\n"))["x"] == Input("stdin", "", 1, 4)


def test_what_library_functions_make_of_an_argument_depends_on_it(tmp_path: File) -> None:
    body = "int main(int argc, char **argv) { unsigned n = strlen(argv[1]);\nassert(n == 9); }"
    path = lifted(tmp_path, body, free=True, args=["abc"])
    assert inputs(path) == {"argv[1] is as in this run": Input("argv", "1", 0, 3)}
    assert any("strlen" in text for text in path.approximate)


def test_pinned_inputs_are_constants(tmp_path: File) -> None:
    path = lifted(tmp_path, "int main(int argc, char **argv) { int x = atoi(argv[1]);\nassert(x > 99); }", args=["7"])
    assert not of_kind(path, Kind.HAVOC)
    assert [term is not None and term.data for i in path.instances for _, term in i.writes] == [7]
