"""From the items of a batch to its answer: build the programs, run them, find the groups, give them their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from butfor.batch.batch_result import NOT_RUN, BatchResult, Group, ItemResult
from butfor.batch.computed_results import ComputedResults, Engine, Progress, Result
from butfor.batch.examine_item import FAILED, NOT_EXAMINED, Ask, Question
from butfor.batch.find_groups import PAGES, SMALLER_INPUTS, GroupFinder, page_address
from butfor.batch.group_names import NamedGroups
from butfor.batch.result_store import ResultStore
from butfor.batch.warm_worker import WorkerSetup
from butfor.batch.work_items import BatchItem, BatchLimits

_OWN_FILE = re.compile(r"\.?\d{6}(\.|$)")  # numbered, or such a file while it was written
Came = Callable[[ItemResult], None]


@dataclass(frozen=True, slots=True)
class BatchRun:
    """One run of a batch over these items, with its results in `folder`."""

    items: Sequence[BatchItem]
    limits: BatchLimits
    folder: Path
    explains_all: bool = False
    shrinks: bool = False
    notes: tuple[str, ...] = ()  # about runs that are not part of it
    ray: str | None = None  # the address of a cluster that does the work
    progress: Progress | None = None
    came: Came | None = None  # is told of each item as its result comes

    def result(self) -> BatchResult:
        """The answer, with everything computed that the store does not hold yet."""
        store = ResultStore(self.folder / "store")
        store.remove_leftovers()
        computed = ComputedResults(store, self.limits, self.progress)
        with self._engine(computed.setup) as computed.engine:
            return self._result(computed)

    @contextmanager
    def _engine(self, setup: WorkerSetup) -> Iterator[Engine | None]:
        """The cluster that does the work; None: the workers of this machine."""
        if self.ray is None:
            yield None
            return
        from butfor.batch.ray_engine import RayEngine  # late: brings an extra package

        engine = RayEngine.connected(self.ray, setup, self.limits.jobs)
        try:
            yield engine
        finally:
            engine.close()

    def _result(self, computed: ComputedResults) -> BatchResult:
        computed.build(self.items)
        found = self._examined(computed)
        failed = [item.number for item in self.items if found[item.number]["status"] == FAILED]
        finder = GroupFinder(self.items, found, computed, self.folder)
        groups = self._named(finder.groups(failed), computed)
        if self.shrinks:
            groups = tuple(finder.with_smaller_inputs(groups))
        pages = self._pages(groups, failed, finder)
        inputs = [str(group.smaller["file"]) for group in groups if group.smaller is not None]
        self._remove_others({PAGES: pages.values(), SMALLER_INPUTS: inputs})
        return self._assembled(found, groups, pages)

    def _examined(self, computed: ComputedResults) -> dict[int, Result]:
        """How each run went, by number."""
        found: dict[int, Result] = {}

        def note(item: BatchItem, result: Result) -> None:
            found[item.number] = result
            computed.has_failed = computed.has_failed or result["status"] == FAILED
            if self.came is not None:
                self.came(ItemResult(item, result))

        for item in self.items:
            if item.program.name not in computed.programs:
                note(item, _missing(computed.lost.get(item.program.name)))
        items = [item for item in self.items if item.program.name in computed.programs]
        questions = [Question(Ask.EXAMINE, item) for item in items]
        for position, result in computed.results(questions, "running"):
            note(items[position], result or _missing(computed.lost_answer(questions[position])))
        return found

    def _named(self, groups: Sequence[Group], computed: ComputedResults) -> tuple[Group, ...]:
        """The groups with the names that they keep, the largest first."""
        members = [
            frozenset(computed.key(Question(Ask.EXAMINE, self.items[n])) for n in group.members) for group in groups
        ]
        names = NamedGroups.in_store(computed.store)
        named = names.named(groups, members)
        names.keep(computed.store)
        return tuple(sorted(named, key=lambda group: (-len(group.members), group.members)))

    def _pages(self, groups: Sequence[Group], failed: Sequence[int], finder: GroupFinder) -> dict[int, str]:
        """The addresses of the reports of runs, by number."""
        pages = {group.representative: group.page for group in groups}
        if self.explains_all:
            for number, report in zip(failed, finder.explanations(failed), strict=True):
                if report is not None:
                    pages[number] = page_address(self.items[number])
        return pages

    def _remove_others(self, known: Mapping[str, Collection[str]]) -> None:
        """Remove what earlier batches left in these folders, those that were killed included."""
        for folder, names in known.items():
            for path in (self.folder / folder).glob("*"):
                if _OWN_FILE.match(path.name) and f"{folder}/{path.name}" not in names:
                    path.unlink()

    def _assembled(self, found: dict[int, Result], groups: tuple[Group, ...], pages: dict[int, str]) -> BatchResult:
        names = {number: group.name for group in groups for number in group.members}
        items = tuple(
            ItemResult(item, found[item.number], names.get(item.number, ""), pages.get(item.number, ""))
            for item in self.items
        )
        left = sum(item.status == NOT_RUN for item in items)
        why = "--fail-fast" if self.limits.fail_fast else "--max-time"
        notes = (f"{left} runs were not begun ({why}); the same command without it goes on with them",) if left else ()
        return BatchResult(items, groups, (*self.notes, *notes))


def _missing(why: str | None) -> Result:
    """The result of a run that has none."""
    return {"status": NOT_EXAMINED, "why": why} if why else {"status": NOT_RUN}
