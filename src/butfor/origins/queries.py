"""Questions about a recorded run: where a value came from, who printed a piece of the output, why a line did not run.

    recording = butfor.record("queue.c", args=["2", "10", "20"])
    ladder = recording.why("queue.c:26:last")
    for rung in ladder.rungs:
        print(rung.file, rung.line, rung.says)

The stories of failures, `butfor why` and the page of a report are all made of the same rungs.
"""

from __future__ import annotations

import re
from functools import cached_property

from butfor.errors import UsageError
from butfor.failures.wrong_output import printed_at
from butfor.origin_ladder import Ladder, RungKind
from butfor.origins.not_executed import tell_not_executed
from butfor.origins.other_stories import tell_printed
from butfor.origins.run_words import RunWords
from butfor.origins.source_instances import (
    SourceLine,
    instances,
    lines_beside,
    main_instruction,
    named_instructions,
    names_on,
    source_line,
)
from butfor.origins.value_ladder import LadderBuilder, Subject
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.trace import Node
from butfor.trace.view.heap_blocks import ordinal
from butfor.trace.view.source_places import Places

MAX_RUNGS_OF_ANSWER = 25  # a question about one value may have a longer answer than a story
_WHERE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<name>.+))?$")


class RunQueries:
    """A recorded run that answers questions; the answers are ladders."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @cached_property
    def _places(self) -> Places:
        return Places(self.recording)

    @cached_property
    def _dependence(self) -> Dependence:
        return Dependence(self.recording.trace)

    def _builder(self, home: str = "") -> LadderBuilder:
        return LadderBuilder(RunWords(self._places, self._dependence, home=home), MAX_RUNGS_OF_ANSWER)

    def why(self, where: str, *, occurrence: int = 0) -> Ladder:
        """Where a value came from. `where` is FILE:LINE or FILE:LINE:NAME, the name as it is written there.

        Without a name, it is what the line assigned, decided, returned or passed on. `occurrence` counts the times that
        the line ran from 1, or from -1 backwards; 0 is the last time.
        """
        file, line, name = parse_where(where)
        b = self._builder(file)
        at = source_line(b.words, file, line)
        b.words.home = self._places.shown(at.path)
        node, number, total = self._instance(b.words, at, name, occurrence)
        self._tell(b, node, name, "" if total < 2 else f", the {ordinal(number)} of {total:,} times")
        return b.ladder()

    def _instance(self, words: RunWords, line: SourceLine, name: str, occurrence: int) -> tuple[Node, int, int]:
        """The instance that is asked about, which time it was, and how often the line ran."""
        found = next(iter(named_instructions(words, line, name)), None) if name else main_instruction(words, line)
        shown = f"{words.places.shown(line.path)}:{line.line}"
        if found is None and not any(True for _ in line.instructions(words)):
            raise UsageError(f"no code of the program stands on {shown}{lines_beside(words, line)}")
        if found is None and name:
            known = names_on(words, line)
            what = f"it reads and assigns {', '.join(known)}" if known else "nothing on it was executed"
            raise UsageError(f"{shown} neither reads nor assigns {name}", hint=what)
        if found is None:
            raise UsageError(f"{shown} was not executed", hint=f"`butfor why --not {shown}` says why")
        fn, instr = found
        ran = instances(words, fn, instr)
        index = occurrence - 1 if occurrence > 0 else len(ran) + occurrence if occurrence else len(ran) - 1
        if not 0 <= index < len(ran):
            raise UsageError(f"{shown} ran {len(ran)} time{'s' if len(ran) != 1 else ''}, not {occurrence} times")
        return (ran[index], instr.index), index + 1, len(ran)

    def _tell(self, b: LadderBuilder, node: Node, name: str, which: str) -> None:
        words, instr = b.words, b.words.trace.instr(node)
        place = words.place(node)
        text = words.quoted(place) if place is not None else "this"
        if instr.is_conditional:
            b.tell_value(Subject(node, is_decision=True))
            return
        if instr.op == "load":
            b.add(b.at(RungKind.VALUE, node, f"`{name}` is {words.text_of(node)} in {text}{which}"))
            b.tell_value(Subject(node, name, 0, node))
            b.tell_missing(node, 1, most=1)
            return
        if instr.op == "call":
            leaves = words.leaves(node)
            shown = words.with_origins(leaves, place)
            b.add(b.at(RungKind.CALL, node, f"{text} is called" + (f" with {shown}" if shown else "") + which))
            for leaf in leaves:
                b.tell_operand(leaf, 1, node)
            return
        b.tell_value(Subject(node, name))
        branch = words.telling_decision(node, None)
        if branch is not None:
            b.tell_value(Subject(branch, level=1, is_decision=True))

    def why_output(self, line: int, column: int = 0) -> Ladder:
        """Which statement printed a piece of the output, and where the value in it came from.

        Lines and columns count from 1, columns in bytes; without a column, it is the first value in the line.
        """
        output = self.recording.stdout
        lines = output.split(b"\n")
        if not 1 <= line <= len(lines) or column > len(lines[line - 1]) + 1:
            raise UsageError(f"the program printed no line {line}" + (f", column {column}" if column else ""))
        start = sum(len(text) + 1 for text in lines[: line - 1])
        point = printed_at(self.recording.trace, self._dependence, output, start, start + len(lines[line - 1]), column)
        if point is None or point.node is None:
            raise UsageError(f"no statement of the program printed line {line} of the output")
        b = self._builder()
        node = self._places.in_user_code(point.node)
        place = self._places.of(node)
        b.words.home = place.file if place is not None else ""
        tell_printed(b, point, node)
        return b.ladder()

    def why_not(self, where: str) -> Ladder:
        """Why a line was not executed: the decisions that kept it from running. `where` is FILE:LINE."""
        file, line, _ = parse_where(where)
        b = self._builder(file)
        at = source_line(b.words, file, line)
        b.words.home = self._places.shown(at.path)
        tell_not_executed(b, at)
        return b.ladder()


def parse_where(where: str) -> tuple[str, int, str]:
    """File, line and name of a question; a UsageError for anything else."""
    match = _WHERE.match(where)
    if match is None:
        raise UsageError(f"{where} is not a place in the source", hint="write FILE:LINE or FILE:LINE:VARIABLE")
    return match["file"], int(match["line"]), (match["name"] or "").strip()
