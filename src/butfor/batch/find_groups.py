"""From failing runs to groups: classes by their stories, told apart and put together by changed runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.batch.batch_result import Group
from butfor.batch.computed_results import ComputedResults, Result
from butfor.batch.examine_item import Ask, Question, is_partial
from butfor.batch.group_by_cause import (
    RootStatement,
    Shape,
    Verdict,
    fingerprint,
    have_one_first_root,
    is_complete,
    is_far_check,
    readable_name,
    root_statements,
    shape_of,
    share_a_first_root,
    verdict,
)
from butfor.batch.work_items import BatchItem
from butfor.native.build_cache import key_of

PAGES = "reports"  # the folder of the reports, in that of the batch
_MAX_SPLITS = 8  # of the runs with one story, by the changes that help: each costs an explanation
_ROWS_KEPT = 7  # of a ranking, as in the reports


@dataclass(frozen=True, slots=True)
class _Class:
    """Failing runs that are together so far, the shortest input first, with what is known of that one."""

    shape: Shape
    members: tuple[int, ...]
    splits: int = 0  # how many other classes were taken from the runs with this story before
    report: Result | None = None
    roots: tuple[RootStatement, ...] = ()
    helped: frozenset[int] = frozenset()  # members whose failures the changes of the roots avoid
    open: frozenset[int] = frozenset()  # members for which that is not known, or to which they make no difference

    @property
    def changes(self) -> tuple[str, ...]:
        """All changes of the root statements."""
        return tuple(change for root in self.roots for change in root.changes)


@dataclass(frozen=True, slots=True)
class GroupFinder:
    """Finds the groups of the runs that failed; `found` says by number how each run went."""

    items: Sequence[BatchItem]
    found: Mapping[int, Result]
    computed: ComputedResults
    folder: Path

    def groups(self, failed: Sequence[int]) -> list[Group]:
        """The groups of these runs, without the names that they may have had before."""
        return [self._group(cls) for cls in self._merged(self._told_apart(self._classes(failed)))]

    def explanations(self, numbers: Sequence[int]) -> list[Result | None]:
        """The JSON reports of these runs; their pages are in the folder of the batch."""
        reports: list[Result | None] = [None] * len(numbers)

        questions = [Question(Ask.EXPLAIN, self.items[number]) for number in numbers]
        for position, found in self.computed.results(questions, "explaining"):
            if found is not None:
                reports[position] = found["report"]
                page = self.folder / page_address(self.items[numbers[position]])
                self.computed.store.put_file(page, found["page"].encode("utf-8", "backslashreplace"))
        return reports

    def _rank(self, number: int) -> tuple[int, int, int]:
        """What decides which of the failing runs stands for the others."""
        return self.items[number].input_bytes, self.found[number]["instructions"], number

    def _classes(self, failed: Sequence[int]) -> list[_Class]:
        """The runs with the same stories."""
        by_shape: dict[Shape, list[int]] = {}
        for number in failed:
            shape = shape_of(self.items[number].program.name, self.found[number])
            by_shape.setdefault(shape, []).append(number)
        return [
            _Class(shape, tuple(sorted(members, key=self._rank)))
            for shape, members in sorted(by_shape.items(), key=lambda pair: pair[0].order)
        ]

    def _told_apart(self, classes: Sequence[_Class]) -> list[_Class]:
        """The classes with explanations; runs that the changes do not help are in classes of their own."""
        done: list[_Class] = []
        todo = list(classes)
        while todo:
            reports = self.explanations([cls.members[0] for cls in todo])
            todo = [
                replace(cls, report=report, roots=root_statements(report) if report and is_complete(report) else ())
                for cls, report in zip(todo, reports, strict=True)
            ]
            left = []
            for cls in self._tried(todo):
                others = tuple(n for n in cls.members if n not in cls.helped | cls.open)
                if others and cls.splits < _MAX_SPLITS:
                    left.append(_Class(cls.shape, others, cls.splits + 1))
                    cls = replace(cls, members=tuple(n for n in cls.members if n not in others))
                done.append(cls)
            todo = left
        return done

    def _tried(self, classes: Sequence[_Class]) -> list[_Class]:
        """The classes with what their changes do to the failures of their members."""
        asked = [(k, number) for k, cls in enumerate(classes) if cls.roots for number in cls.members[1:]]
        helped = [{cls.members[0]} if cls.roots else set[int]() for cls in classes]
        left = [set[int]() if cls.roots else set(cls.members) for cls in classes]
        verdicts = self._verdicts([(classes[k], number, is_far_check(classes[k].shape.kind)) for k, number in asked])
        for (k, number), said in zip(asked, verdicts, strict=True):
            if said is Verdict.HELPS:
                helped[k].add(number)
            elif said is not Verdict.DOES_NOT_HELP:
                left[k].add(number)
        return [
            replace(cls, helped=frozenset(own), open=frozenset(rest))
            for cls, own, rest in zip(classes, helped, left, strict=True)
        ]

    def _verdicts(self, asked: Sequence[tuple[_Class, int, bool]]) -> list[Verdict | None]:
        """What the changes of a class do to the failure of a run; None where it is not known.

        With each class and run stands whether the first root statement is not enough to tell.
        """
        questions = [Question(Ask.TRY, self.items[number], cls.changes) for cls, number, _ in asked]
        answers: list[Verdict | None] = [None] * len(asked)
        for position, found in self.computed.results(questions, "trying changes"):
            if found is not None:
                cls, _, is_far = asked[position]
                answers[position] = verdict(cls.roots, found["avoids"], is_far=is_far)
        return answers

    def _merged(self, classes: Sequence[_Class]) -> list[_Class]:
        """The classes, those put together that fail at checks far from the cause and are helped by the same changes."""
        pairs = [
            (a, b)
            for b, second in enumerate(classes)
            for a, first in enumerate(classes[:b])
            if first.shape.program == second.shape.program
            and first.shape.kind == second.shape.kind
            and is_far_check(first.shape.kind)
            and share_a_first_root(first.roots, second.roots)
        ]
        crossed = [
            (classes[x], classes[y].members[0], not have_one_first_root(classes[x].roots, classes[y].roots))
            for a, b in pairs
            for x, y in ((a, b), (b, a))
        ]
        verdicts = self._verdicts(crossed)
        joined = list(range(len(classes)))
        for (a, b), there, back in zip(pairs, verdicts[::2], verdicts[1::2], strict=True):
            if there is Verdict.HELPS and back is Verdict.HELPS:
                joined = [joined[a] if number == joined[b] else number for number in joined]
        merged = []
        for number in dict.fromkeys(joined):
            parts = [cls for cls, own in zip(classes, joined, strict=True) if own == number]
            first = min(parts, key=lambda cls: self._rank(cls.members[0]))
            members = sorted((n for cls in parts for n in cls.members), key=self._rank)
            merged.append(replace(first, members=tuple(members)))
        return self._tried(merged)

    def _group(self, cls: _Class) -> Group:
        first = self.items[cls.members[0]]
        found, report = self.found[first.number], cls.report
        cause = fingerprint(found)
        if cls.splits and cls.roots:
            cause = key_of([cause, cls.roots[0].text])
        return Group(
            name=readable_name(found, cause),
            fingerprint=cause,
            program=first.program.name,
            members=cls.members,
            failure=found["failure"],
            story=found["story"],
            causes=tuple(report["ranking"][:_ROWS_KEPT]) if report is not None else (),
            roots=cls.roots,
            helped=len(cls.helped),
            is_checked=bool(cls.roots),
            page=page_address(first) if report is not None else "",
            notes=self._notes(cls, first),
        )

    def _notes(self, cls: _Class, first: BatchItem) -> tuple[str, ...]:
        """What has to be said about a group beside the answer."""
        notes = []
        if cls.report is None:
            why = self.computed.lost_answer(Question(Ask.EXPLAIN, first))
            notes.append(f"not explained: the explanation {why}" if why else "not explained: the batch ended before")
        elif is_partial(cls.report):
            notes.append("the explanation is partial: a limit was reached (--budget gives more time)")
        if cls.report is not None and not cls.roots and len(cls.members) > 1:
            notes.append("whether one change helps all these runs was not tried: they are together by their stories")
        elif cls.roots and cls.open:
            notes.append(f"for {len(cls.open)} of these runs it is not known whether the changes help")
        if cls.splits == _MAX_SPLITS:
            notes.append(f"may hold more causes than one: {_MAX_SPLITS} other groups have the same story")
        return tuple(notes)


def page_address(item: BatchItem) -> str:
    """Where the report of a run is, relative to the folder of the batch."""
    return f"{PAGES}/{item.number:06}.html"
