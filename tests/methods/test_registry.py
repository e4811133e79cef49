"""Methods by name: the own ones, those of other packages, and names that are none."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.errors import UsageError
from butfor.explanation import Evidence
from butfor.methods import registry
from butfor.methods.case import FailingRun
from butfor.methods.method import Earlier, Method, Subject
from butfor.methods.slice.method import SliceMethod
from butfor.ranking.finding import Diagnosis, Finding
from tests.small import source, written

BODY = """int main(int argc, char **argv) {
 int a = argc + 1;
 int b = argc + 2;
 assert(a == 5);
 return b; }
"""


class BlameB(Method):
    """A method of another package: it always blames the line of `b`."""

    name = "blame-b"

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The declaration of `b`, whatever happened."""
        line = source(BODY).line_of("int b")
        steps = case.steps.between(0, len(case.trace))
        (place,) = {s.place for s in steps if s.place.line == line}
        return Diagnosis((Finding(place, 0.9, "I never liked b", Evidence.REPLAYED),), {"liked": False})


class Partial(Method):
    """A method that did not get far."""

    name = "partial"

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """Nothing."""
        return Diagnosis(complete=False)


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two methods of other packages are installed."""
    points = [
        metadata.EntryPoint(name, f"{__name__}:{function}", registry.GROUP)
        for name, function in (("blame-b", "BlameB"), ("partial", "Partial"))
    ]
    monkeypatch.setattr(registry, "_offered", lambda: metadata.EntryPoints(points))
    monkeypatch.setattr(metadata.EntryPoint, "load", lambda self: globals()[self.attr])


def test_the_default_methods_exist() -> None:
    assert registry.method_class("slice") is SliceMethod
    assert registry.by_default(Subject.RUN) == ("slice", "cascade", "output", "hazards", "butfor", "security")
    assert registry.by_default(Subject.PATH) == ("slice", "cascade", "error-invariants", "relevance", "diagnoses")
    assert registry.without_running() == ("slice", "cascade", "output", "hazards")


def test_a_method_runs_after_those_whose_answers_it_uses() -> None:
    assert registry.in_order(("butfor", "output")) == ("output", "butfor")
    assert registry.in_order(("repair", "spectrum", "slice")) == ("slice", "spectrum", "repair")
    assert registry.in_order(("hazards", "slice")) == ("hazards", "slice")


def test_names() -> None:
    assert registry.names()[0] == "slice"
    assert registry.names()[-2:] == ("blame-b", "partial")
    assert len(set(registry.names())) == len(registry.names())


def test_unknown_method() -> None:
    with pytest.raises(UsageError) as caught:
        registry.method_class("guess")
    assert caught.value.message == "there is no method 'guess'"
    assert caught.value.hint == f"the methods are: {', '.join(registry.names())}"


def test_an_unknown_method_is_refused_even_when_nothing_fails(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        butfor.explain(written(tmp_path, "int main(void) { return 0; }\n"), methods=["guess"])


def test_a_plugin_reaches_the_ranking(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, BODY), methods=["slice", "blame-b"])
    first = answer.ranking[0]
    assert (first.text, first.evidence, first.rank) == ("int b = argc + 2;", Evidence.REPLAYED, 1)
    assert [(r.method, r.text) for r in first.reasons] == [("blame-b", "I never liked b")]
    assert answer.methods["blame-b"] == {"liked": False, "complete": True}
    assert "slice" in answer.methods
    assert {row.text for row in answer.ranking} >= {"int a = argc + 1;", "int b = argc + 2;"}


def test_a_plugin_alone(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, BODY), methods=["blame-b"])
    assert [row.text for row in answer.ranking] == ["int b = argc + 2;"]
    assert "slice" not in answer.methods


def test_two_methods_that_name_the_same_statement_share_a_row(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, BODY.replace("a == 5", "a + b == 5")), methods=["slice", "blame-b"])
    (row,) = [row for row in answer.ranking if row.text == "int b = argc + 2;"]
    assert [r.method for r in row.reasons] == ["slice", "blame-b"]


def test_an_incomplete_method_is_said(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, BODY), methods=["partial"])
    assert answer.methods["partial"]["complete"] is False
    assert answer.ranking == ()
    assert answer.notes


def test_plugins_are_not_loaded_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: metadata.EntryPoint) -> Any:
        raise AssertionError("loaded")

    monkeypatch.setattr(metadata.EntryPoint, "load", fail)
    assert butfor.explain(written(tmp_path, BODY)).status == "explained"


def test_a_part_is_not_run_beside_its_whole() -> None:
    assert registry.in_order(("slice", "relevance", "security")) == ("slice", "relevance")
    assert registry.in_order(("security",)) == ("security",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("slice", "speed", "3"), "the method 'slice' has no option 'speed'"),
        (("cascade", "depth", "deep"), "the option 'depth' of the method 'cascade' is a whole number, not 'deep'"),
        (("guess", "depth", "3"), "there is no method 'guess'"),
    ],
)
def test_a_wrong_option_of_a_method_is_named(given: tuple[str, str, str], message: str, tmp_path: Path) -> None:
    path = written(tmp_path, source(BODY))
    with pytest.raises(UsageError) as e:
        butfor.explain(path, methods=["slice"], method_options=[given])
    assert message in str(e.value)
