"""What a print statement would have had to write: recognised from texts alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butfor.methods.wrong_output.rewritten_texts import ProgramConstants, Rewrite, rewrites


def found(
    written: list[tuple[str, str]], expected: str, writer: str, program: ProgramConstants | None = None
) -> Rewrite | None:
    """The change of one writer."""
    rows = [(w, text.encode()) for w, text in written]
    return dict(rewrites(rows, expected.encode(), [writer], program or ProgramConstants())).get(writer)


@pytest.mark.parametrize(
    ("written", "expected", "kind"),
    [
        ([("p", "FHTAGN")], "FHTAGN!", "text"),
        (
            [("a", "x\n"), ("p", "Alread on\n"), ("a", "y\n"), ("p", "Alread on\n")],
            "x\nAlready on\ny\nAlready on\n",
            "text",
        ),
        ([("a", "1 "), ("p", "debug 17\n"), ("a", "2\n")], "1 2\n", "unwritten"),
        ([("p", "1,"), ("p", "2,"), ("a", "\n")], "1,2\n", "text"),  # one separator too many
        ([("p", "1"), ("s", ","), ("p", "2"), ("s", ",")], "1,2", None),
        ([("p", "v=5\n"), ("p", "v=7\n")], "v=6\nv=8\n", "shift"),
        ([("p", "2")], "3", "near"),
        ([("p", "2")], "30", None),
        ([("p", "3.5\n")], "3.50\n", "layout"),
        ([("p", "126057516\n")], "26057516\n", "remainder"),
        ([("p", "-1294967296\n")], "3000000000\n", "wrap"),
        ([("p", "NO\n")], "YES\n", "other"),  # the branch went wrong, not the text
        ([("a", "5\n"), ("p", "x\n")], "6\nx\n", None),  # not p's text
    ],
)
def test_kinds(written: list[tuple[str, str]], expected: str, kind: str | None) -> None:
    change = found(written, expected, "p", ProgramConstants(b"YES\n\nNO\n", frozenset((100_000_000,))))
    assert (change.kind if change else None) == kind


def test_the_last_separator_is_one_too_many() -> None:
    change = found([("p", "1"), ("s", ","), ("p", "2"), ("s", ",")], "1,2", "s")
    assert change == Rewrite("once", b",", b"")


def test_a_text_that_the_program_has_elsewhere_is_not_a_misspelt_one() -> None:
    texts = ProgramConstants(b"not prime\nprime\n")
    change = found([("p", "not prime\n")], "prime\n", "p", texts)
    assert change is not None
    assert change.kind == "other"


@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from(["a", "b\n", "1 ", "23", ",", "x7y"])), max_size=8),
    st.sampled_from(["!", "\n", "z"]),
)
def test_a_rewrite_of_all_texts_of_one_writer_is_recognised_or_left_alone(
    written: list[tuple[str, str]], suffix: str
) -> None:
    """If the writer wrote once, putting the new text in place of the old gives the expected output."""
    expected = "".join(text + suffix * (w == "p") for w, text in written)
    change = found(written, expected, "p")
    own = [text for w, text in written if w == "p"]
    if change is not None and len(own) == 1:
        at = next(k for k, (w, _) in enumerate(written) if w == "p")
        again = "".join(change.after.decode() if k == at else text for k, (_, text) in enumerate(written))
        assert change.before == own[0].encode()
        assert again == expected
