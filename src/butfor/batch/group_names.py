"""The names of groups, which they keep when later runs join: they are in the store, with the runs that had them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from butfor.batch.batch_result import Group
from butfor.batch.result_store import ResultStore

_KEY = "groups"


@dataclass(slots=True)
class NamedGroups:
    """Names given so far: for each, the fingerprint of the cause and the keys of the runs in the group."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def in_store(cls, store: ResultStore) -> NamedGroups:
        """The names that a store holds."""
        found = store.get(_KEY)
        return cls(dict(found["groups"]) if found is not None else {})

    def keep(self, store: ResultStore) -> None:
        """Write the names to a store."""
        store.put(_KEY, {"groups": self.known})

    def named(self, groups: Sequence[Group], members: Sequence[frozenset[str]]) -> list[Group]:
        """The groups with names; `members` are the keys of their runs.

        A group takes the name under which most of its runs are known. Else it takes that of the same cause, which
        another version of the program may have had; else it gets a new one.
        """
        free = dict(self.known)
        given: dict[int, str] = {}
        shared = [
            (-len(keys & frozenset(entry["members"])), k, name)
            for k, keys in enumerate(members)
            for name, entry in free.items()
            if not keys.isdisjoint(entry["members"])
        ]
        for _, k, name in sorted(shared):
            if k not in given and name in free:
                given[k] = name
                del free[name]
        for k, group in enumerate(groups):
            same = next((name for name, entry in free.items() if _is_same_cause(entry, group)), None)
            if k not in given and same is not None:
                given[k] = same
                del free[same]
        for k, group in enumerate(groups):
            if k not in given:
                given[k] = self._new_name(group.name, given.values())
        result = []
        for k, group in enumerate(groups):
            name = given[k]
            entry = self.known.get(name, {"fingerprint": group.fingerprint, "program": group.program, "members": []})
            self.known[name] = {**entry, "members": sorted({*entry["members"], *members[k]})}
            result.append(replace(group, name=name, fingerprint=entry["fingerprint"]))
        return result

    def _new_name(self, wish: str, given: Any) -> str:
        taken = {*self.known, *given}
        numbered = (wish if n == 1 else f"{wish}-{n}" for n in range(1, len(taken) + 2))
        return next(name for name in numbered if name not in taken)


def _is_same_cause(entry: dict[str, Any], group: Group) -> bool:
    return bool(entry["fingerprint"] == group.fingerprint and entry["program"] == group.program)
