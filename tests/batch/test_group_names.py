"""Groups keep their names when runs join, and over versions of the program."""

from __future__ import annotations

from pathlib import Path

from butfor.batch.batch_result import Group
from butfor.batch.group_names import NamedGroups
from butfor.batch.result_store import ResultStore


def group(name: str, cause: str, program: str = "p") -> Group:
    """A group with this cause."""
    return Group(name, cause, program, (0,), {}, None, (), (), 0, False, "")


def names(given: NamedGroups, *wanted: tuple[Group, str]) -> list[str]:
    """The names that groups get whose runs have these keys, separated by blanks."""
    found = given.named([one for one, _ in wanted], [frozenset(keys.split()) for _, keys in wanted])
    return [one.name for one in found]


def test_a_group_keeps_its_name_when_runs_join(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    first = NamedGroups.in_store(store)
    assert names(first, (group("null", "c1"), "r1 r2"), (group("div", "c2"), "r3")) == ["null", "div"]
    first.keep(store)
    later = NamedGroups.in_store(store)
    joined = (group("other", "c9"), "r0 r1 r2")
    assert names(later, joined, (group("new", "c3"), "r4")) == ["null", "new"]


def test_a_cause_keeps_its_name_in_another_version_of_the_program() -> None:
    given = NamedGroups()
    names(given, (group("null", "c1"), "r1"))
    assert names(given, (group("wish", "c1"), "r7"), (group("wish", "c1", "q"), "r8")) == ["null", "wish"]


def test_two_groups_do_not_get_one_name() -> None:
    given = NamedGroups()
    assert names(given, (group("null", "c1"), "r1"), (group("null", "c2"), "r2")) == ["null", "null-2"]
    # Two parts of what was one group: the larger part has its name.
    parts = names(given, (group("a", "c1"), "r1"), (group("b", "c1"), "r2"))
    assert sorted(parts) == ["null", "null-2"]
