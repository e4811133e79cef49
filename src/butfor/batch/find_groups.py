"""From failing runs to groups: classes by their stories, put together and told apart by changed runs.

Runs with one shape are a class. The run with the shortest input of a class leads a group: it is explained, and the
changes that avoid its failure are tried on one run of each class that may have the same cause. Classes that they help
join the group; then they are tried on all its members, and those that they do not help are a class again. So each run
costs a few changed runs for each group that it may belong to, and an explanation is made for each group only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from butfor.batch.batch_result import Group
from butfor.batch.computed_results import ComputedResults, Result
from butfor.batch.examine_item import Ask, Question, is_partial
from butfor.batch.group_by_cause import (
    Enough,
    RootStatement,
    Shape,
    Verdict,
    fingerprint,
    have_one_first_root,
    is_complete,
    readable_name,
    root_statements,
    shape_of,
    share_a_first_root,
    telling_roots,
    verdict,
)
from butfor.batch.work_items import BatchItem
from butfor.native.build_cache import key_of

SMALLER_INPUTS = "inputs"  # the folder of reduced inputs
PAGES = "reports"  # the folder of the reports, in that of the batch
_MAX_SPLITS = 8  # of the runs with one story, by the changes that help: each costs an explanation
_MAX_LEADERS_OF_A_KIND = 4  # explained at once: enough to have work for some cores
_ROWS_KEPT = 7  # of a ranking, as in the reports


@dataclass(frozen=True, slots=True)
class _Class:
    """Failing runs of one shape that are in no group yet, the shortest input first."""

    shape: Shape
    members: tuple[int, ...]
    splits: int = 0  # how many other classes were taken from the runs of this shape before
    met: frozenset[int] = frozenset()  # leaders whose groups it does not join


@dataclass(slots=True)
class _Led:
    """A group in the making: the run that leads it, with its explanation, and its members so far."""

    leader: int
    shape: Shape
    splits: int
    report: Result | None
    roots: tuple[RootStatement, ...]
    members: list[int]
    tried: dict[int, Verdict | None] = field(default_factory=dict)  # what the changes do to members
    has_twin: bool = False  # whether another explanation has the same most likely cause: it is evidence enough
    is_mixed: bool = False  # whether it kept members that the changes do not help

    @property
    def telling(self) -> tuple[RootStatement, ...]:
        """The root statements whose changes tell causes apart."""
        return telling_roots(self.shape, self.roots)

    @property
    def enough(self) -> Enough:
        """What has to help a member."""
        return Enough.HALF if self.shape.is_far and not self.has_twin else Enough.FIRST_OR_HALF

    @property
    def helped(self) -> int:
        """How many members are helped by the changes, the leader included."""
        return 1 + sum(said is Verdict.HELPS for said in self.tried.values())

    @property
    def unknown(self) -> int:
        """For how many members that is not known, or makes no difference."""
        return sum(said is not Verdict.HELPS for said in self.tried.values())

    def may_hold(self, shape: Shape) -> bool:
        """Whether runs of another shape may have the same cause: far from the cause, or at the same place."""
        own = self.shape
        is_alike = own.is_far or own.place == shape.place
        return own.program == shape.program and own.kind == shape.kind and is_alike and bool(self.telling)


@dataclass(frozen=True, slots=True)
class GroupFinder:
    """Finds the groups of the runs that failed; `found` says by number how each run went."""

    items: Sequence[BatchItem]
    found: Mapping[int, Result]
    computed: ComputedResults
    folder: Path

    def groups(self, failed: Sequence[int]) -> list[Group]:
        """The groups of these runs, without the names that they may have had before."""
        waiting = self._classes(failed)
        led: list[_Led] = []
        splits: Counter[Shape] = Counter()
        while waiting:
            leading = _leading(waiting)
            first = {cls.members[0] for cls in leading}
            rest = [cls for cls in waiting if cls.members[0] not in first]
            new = self._without_twins(self._led(leading), led)
            led += new
            waiting = self._joining(rest, led)
            waiting += self._not_helped(led, splits)
        return [self._group(one) for one in self._with_shortest(led)]

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

    def with_smaller_inputs(self, groups: Sequence[Group]) -> list[Group]:
        """The groups with an input of fewer bytes each, where one is found; its bytes are in a file of their own."""
        questions = [Question(Ask.SHRINK, self.items[group.representative]) for group in groups]
        found = list(groups)
        for position, answer in self.computed.results(questions, "shrinking inputs"):
            found[position] = self._with_smaller_input(groups[position], answer, questions[position])
        return found

    def _with_smaller_input(self, group: Group, answer: Result | None, question: Question) -> Group:
        if answer is None:
            lost = self.computed.lost_answer(question)
            why = f"that {lost}" if lost else "the batch ended before"
            return replace(group, notes=(*group.notes, f"the input was not reduced: {why}"))
        if "why" in answer:
            return replace(group, notes=(*group.notes, answer["why"]))
        data = answer["input"].encode("latin-1")
        name = f"{SMALLER_INPUTS}/{group.representative:06}"
        if data:
            self.computed.store.put_file(self.folder / name, data)
        told = {key: value for key, value in answer.items() if key != "input"}
        before, after = answer["bytes_before"], answer["bytes"]
        where = f"{name}, " if data else ""
        said = (
            f"smaller input: {where}{after} instead of {before} bytes" if after < before else "no smaller input found"
        )
        smaller = {**told, "file": name if data else ""}
        return replace(group, smaller=smaller, notes=(*group.notes, said))

    def _rank(self, number: int) -> tuple[int, int, int]:
        """What decides which of the failing runs stands for the others."""
        return self.items[number].input_bytes, self.found[number]["instructions"], number

    def _classes(self, failed: Sequence[int]) -> list[_Class]:
        """The runs with the same stories."""
        by_shape: dict[Shape, list[int]] = {}
        for number in failed:
            by_shape.setdefault(self._shape(number), []).append(number)
        classes = [_Class(shape, tuple(sorted(members, key=self._rank))) for shape, members in by_shape.items()]
        return sorted(classes, key=lambda cls: self._rank(cls.members[0]))

    def _shape(self, number: int) -> Shape:
        return shape_of(self.items[number].program.name, self.found[number])

    def _led(self, classes: Sequence[_Class]) -> list[_Led]:
        """Groups that are led by the first runs of these classes."""
        reports = self.explanations([cls.members[0] for cls in classes])
        return [
            _Led(
                cls.members[0],
                cls.shape,
                cls.splits,
                report,
                root_statements(report) if report and is_complete(report) else (),
                list(cls.members),
            )
            for cls, report in zip(classes, reports, strict=True)
        ]

    def _without_twins(self, new: Sequence[_Led], known: Sequence[_Led]) -> list[_Led]:
        """The new groups but for those whose leader has the cause of another one, whose members they become."""
        pairs = [
            (one, other)
            for k, one in enumerate(new)
            for other in (*known, *new[:k])
            if one.shape.is_far and other.may_hold(one.shape) and share_a_first_root(one.roots, other.roots)
        ]
        crossed = [
            (a, b.leader, Enough.FIRST_OR_HALF if have_one_first_root(a.roots, b.roots) else Enough.HALF)
            for one, other in pairs
            for a, b in ((one, other), (other, one))
        ]
        verdicts = self._verdicts(crossed)
        twins: dict[int, _Led] = {}
        for (one, other), there, back in zip(pairs, verdicts[::2], verdicts[1::2], strict=True):
            if there is Verdict.HELPS and back is Verdict.HELPS and one.leader not in twins:
                twins[one.leader] = twins.get(other.leader, other)
        for one in new:
            if one.leader in twins:
                twin = twins[one.leader]
                twin.members += one.members
                twin.tried[one.leader] = Verdict.HELPS
                twin.has_twin = twin.has_twin or have_one_first_root(one.roots, twin.roots)
        return [one for one in new if one.leader not in twins]

    def _joining(self, classes: Sequence[_Class], leaders: Sequence[_Led]) -> list[_Class]:
        """The classes that the changes of none of these leaders help; the others become members."""
        asked = [
            (cls, one) for cls in classes for one in leaders if one.may_hold(cls.shape) and one.leader not in cls.met
        ]
        verdicts = self._verdicts(
            [(one, cls.members[0], Enough.HALF if one.shape.is_judged_whole else Enough.ALL) for cls, one in asked]
        )
        joins: dict[int, _Led] = {}
        for (cls, one), said in zip(asked, verdicts, strict=True):
            if said is Verdict.HELPS:
                joins.setdefault(cls.members[0], one)
        for cls in classes:
            if cls.members[0] in joins:
                joins[cls.members[0]].members += cls.members
        met = frozenset(one.leader for one in leaders)
        return [replace(cls, met=cls.met | met) for cls in classes if cls.members[0] not in joins]

    def _not_helped(self, groups: Sequence[_Led], splits: Counter[Shape]) -> list[_Class]:
        """The members that the changes of their leaders do not help, as classes again.

        `splits` counts how often runs of a shape were taken out of a group, which is done a few times only.
        """
        asked = [
            (one, number)
            for one in groups
            if one.telling
            for number in one.members
            if number != one.leader and number not in one.tried
        ]
        verdicts = self._verdicts([(one, number, one.enough) for one, number in asked])
        left: dict[tuple[int, Shape], list[int]] = {}
        for (one, number), said in zip(asked, verdicts, strict=True):
            shape = self._shape(number)
            if said is Verdict.DOES_NOT_HELP and splits[shape] < _MAX_SPLITS:
                one.members.remove(number)
                left.setdefault((one.leader, shape), []).append(number)
            else:
                one.tried[number] = said
                one.is_mixed = one.is_mixed or said is Verdict.DOES_NOT_HELP
        classes = []
        for (leader, shape), members in sorted(left.items(), key=lambda pair: (pair[0][0], pair[0][1].order)):
            splits[shape] += 1
            classes.append(_Class(shape, tuple(sorted(members, key=self._rank)), splits[shape], frozenset({leader})))
        return classes

    def _verdicts(self, asked: Sequence[tuple[_Led, int, Enough]]) -> list[Verdict | None]:
        """What the changes of a leader do to the failure of a run; None where it is not known."""
        questions = [
            Question(Ask.TRY, self.items[number], tuple(change for root in one.telling for change in root.changes))
            for one, number, _ in asked
        ]
        answers: list[Verdict | None] = [None] * len(asked)
        for position, found in self.computed.results(questions, "trying changes"):
            if found is not None:
                one, _, enough = asked[position]
                answers[position] = verdict(one.telling, found["avoids"], enough)
        return answers

    def _with_shortest(self, groups: Sequence[_Led]) -> list[_Led]:
        """The groups with the explanation of their shortest run, which need not be the one that led them."""
        first = [min(one.members, key=self._rank) for one in groups]
        others = [k for k, one in enumerate(groups) if one.leader != first[k]]
        reports = self.explanations([first[k] for k in others])
        for k, report in zip(others, reports, strict=True):
            groups[k].report = report
        for one in groups:
            one.members.sort(key=self._rank)
        return list(groups)

    def _group(self, one: _Led) -> Group:
        first = self.items[one.members[0]]
        found, report = self.found[first.number], one.report
        cause = fingerprint(found)
        if one.splits and one.roots:
            cause = key_of([cause, one.roots[0].text])
        return Group(
            name=readable_name(found, cause),
            fingerprint=cause,
            program=first.program.name,
            members=tuple(one.members),
            failure=found["failure"],
            story=found["story"],
            causes=tuple(report["ranking"][:_ROWS_KEPT]) if report is not None else (),
            roots=one.telling or one.roots,
            helped=one.helped,
            is_checked=bool(one.telling) or (bool(one.roots) and len(one.members) == 1),
            page=page_address(first) if report is not None else "",
            notes=self._notes(one, first),
        )

    def _notes(self, one: _Led, first: BatchItem) -> tuple[str, ...]:
        """What has to be said about a group beside the answer."""
        notes = []
        if one.report is None:
            why = self.computed.lost_answer(Question(Ask.EXPLAIN, first))
            notes.append(f"not explained: the explanation {why}" if why else "not explained: the batch ended before")
        elif is_partial(one.report):
            notes.append("the explanation is partial: a limit was reached (--budget gives more time)")
        if one.report is not None and not one.telling and len(one.members) > 1:
            notes.append("whether one change helps all these runs was not tried: they are together by their stories")
        elif one.unknown:
            notes.append(f"for {one.unknown} of these runs it is not known whether the changes help")
        if one.is_mixed:
            notes.append(f"may hold more causes than one: {_MAX_SPLITS} other groups have the same story")
        return tuple(notes)


def _leading(classes: Sequence[_Class]) -> list[_Class]:
    """The classes to be explained next: of those that may have one cause, the first of each place of the failure.

    Of failures far from their cause, only a few: most of the others will join these.
    """
    found: dict[tuple[object, ...], _Class] = {}
    alike: Counter[tuple[str, str]] = Counter()
    for cls in classes:
        shape = cls.shape
        key = shape.program, shape.kind, shape.place
        if key in found or (shape.is_far and alike[shape.program, shape.kind] >= _MAX_LEADERS_OF_A_KIND):
            continue
        found[key] = cls
        alike[shape.program, shape.kind] += 1
    return list(found.values())


def page_address(item: BatchItem) -> str:
    """Where the report of a run is, relative to the folder of the batch."""
    return f"{PAGES}/{item.number:06}.html"
