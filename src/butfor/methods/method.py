"""What a method is: one frozen dataclass that says all there is to know about it, and runs it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from butfor.errors import UsageError, did_you_mean
from butfor.ranking.finding import Diagnosis, WeighedDiagnosis, Weighing

if TYPE_CHECKING:
    from butfor.explanation import RankedStatement
    from butfor.methods.case import FailingPath, FailingRun

Earlier = Mapping[str, WeighedDiagnosis]  # answers by the names of their methods


_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READERS: Mapping[type, Callable[[str], Any]] = {
    bool: lambda text: _TRUTH[text.lower()],
    int: int,
    float: float,
    Path: Path,
}


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", Path: "a file"}


class Subject(enum.Enum):
    """What a method can explain."""

    RUN = "a recorded run"
    PATH = "a failing path"  # of a program that was searched and not run


class When(enum.Enum):
    """When a method runs without being asked for."""

    ALWAYS = enum.auto()
    WITH_TESTS = enum.auto()  # when there are other tests
    LAST_RESORT = enum.auto()  # with other tests, and without them when no statement stands out
    ON_REQUEST = enum.auto()


@dataclass(frozen=True)
class Method:
    """One analysis. Its options are its fields; its folder holds everything that belongs to it alone.

    A method works on what it has a function for: `explain_run`, `explain_path` or both. These import what they need
    when they are called: the registry reads every class, but only a method that runs should pay for its machinery.
    """

    name: ClassVar[str]  # for --method and in reports
    on_runs: ClassVar[When] = When.ON_REQUEST
    on_paths: ClassVar[When] = When.ON_REQUEST
    needs: ClassVar[Mapping[Subject, tuple[str, ...]]] = {}  # methods that run before it, asked for or not
    uses: ClassVar[tuple[str, ...]] = ()  # methods whose answers it takes into account when they run anyway
    part_of: ClassVar[str | None] = None  # the method under whose name it stands in the report
    runs_program: ClassVar[bool] = True  # False: safe for a recording that may come from anyone
    share: ClassVar[float] = 4.0  # of the time that is left, in proportion to the methods that come after it
    weighing: ClassVar[Weighing] = Weighing()
    prominence: ClassVar[int] = 0  # where a report has room for one reason, the most prominent is told; 0: by evidence
    tells_what_happened: ClassVar[bool] = False  # its reasons say what a statement did in the run

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The answer for a failing run; `earlier` has the answers of the methods that it needs or uses."""
        raise NotImplementedError

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The answer for a failing path; `earlier` has the answers of the methods that it needs or uses."""
        raise NotImplementedError

    def arranged(self, data: Mapping[str, Any], ranking: Sequence[RankedStatement]) -> Mapping[str, Any]:
        """Its part of the JSON report once the ranking is known: the same, unless the method orders it by that."""
        return data

    @classmethod
    def works_on(cls, subject: Subject) -> bool:
        """Whether the method can explain a failing run, or a failing path."""
        if subject is Subject.RUN:
            return cls.explain_run is not Method.explain_run
        return cls.explain_path is not Method.explain_path

    @classmethod
    def option(cls, name: str, text: str) -> Any:
        """The value of one of its options from its text; a UsageError for an unknown option or a wrong text."""
        own = {field.name: field for field in fields(cls)}
        if name not in own:
            known = ", ".join(own) or "none"
            raise UsageError(
                f"the method {cls.name!r} has no option {name!r}{did_you_mean(name, own)}", hint=f"its options: {known}"
            )
        read = _READERS.get(type(own[name].default))
        try:
            return text if read is None else read(text)
        except (ValueError, KeyError):
            kind = _KINDS[type(own[name].default)]
            raise UsageError(f"the option {name!r} of the method {cls.name!r} is {kind}, not {text!r}") from None

    @classmethod
    def configured(cls, settings: Mapping[str, Any]) -> Self:
        """The method with those of the settings that are options of it; a setting that is None keeps the default."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in settings.items() if name in names and value is not None})
