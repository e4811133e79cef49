"""The instances of a source line: which instructions stand on it, how often they ran, what they read and assign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.errors import UsageError
from butfor.ir.instructions import Function, Instr
from butfor.origins.run_words import RunWords, callee_name
from butfor.trace.trace import Node

_LINES_BESIDE = 5  # before and after a line without code: blank lines, braces, comments
_TELLING = ("store", "br", "switch", "ret", "call", "load")  # what a line did, in the order of what is asked for


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source file of the program, by the path that the debug information has."""

    path: str
    line: int

    def instructions(self, words: RunWords) -> Iterator[tuple[Function, Instr]]:
        """The instructions of all functions that stand on the line."""
        program = words.trace.program
        for name in program.source.function_names():
            if not program.defines(name):
                continue
            fn = program.function(name)
            for instr in fn.instrs:
                where = words.places.location(instr)
                if where is not None and where.line == self.line and where.file == self.path:
                    yield fn, instr


def source_line(words: RunWords, file: str, line: int) -> SourceLine:
    """The line that a user names by a file, or by the end of its path; a UsageError where there is none."""
    wanted = file.removeprefix("./")
    paths = [p for p in words.places.recording.meta.sources if words.places.shown(p).removeprefix("./") == wanted]
    paths = paths or [p for p in words.places.recording.meta.sources if f"/{p}".endswith(f"/{wanted}")]
    if not paths:
        known = ", ".join(sorted(words.places.shown(p) for p in words.places.recording.meta.sources))
        raise UsageError(f"the program has no source file {file}", hint=f"its files are {known}")
    text = words.places.recording.text_of(paths[0]) or b""
    if not 1 <= line <= text.count(b"\n") + 1:
        raise UsageError(f"{file} has no line {line}", hint=f"its last line is {text.count(chr(10).encode())}")
    return SourceLine(paths[0], line)


def lines_beside(words: RunWords, line: SourceLine) -> str:
    """A clause that names the nearest lines with code before and after a line without any."""
    near = [SourceLine(line.path, line.line + k) for k in range(-_LINES_BESIDE, _LINES_BESIDE + 1) if k]
    coded = [at.line for at in near if any(True for _ in at.instructions(words))]
    before, after = [k for k in coded if k < line.line][-1:], [k for k in coded if k > line.line][:1]
    found = " and ".join(f"line {k}" for k in (*before, *after))
    return f"; the nearest that has some is {found}" if found else ""


def instances(words: RunWords, fn: Function, instr: Instr) -> list[int]:
    """The segment instances, in order, in which an instruction ran."""
    static = words.trace.static
    number = static.last_of_block(fn, instr.block) if instr.is_conditional else _segment_holding(words, fn, instr)
    return [int(i) for i in words.log.positions(number)]


def _segment_holding(words: RunWords, fn: Function, instr: Instr) -> int:
    layout = words.trace.program.layout(fn.name)
    local = next(k for k, seg in enumerate(layout.segments) if seg.start <= instr.index < seg.end)
    return words.trace.static.first_segment(fn) + local


def named_instructions(words: RunWords, line: SourceLine, name: str) -> list[tuple[Function, Instr]]:
    """The loads and stores on a line that read or assign what is written like this, stores first."""
    found = []
    for fn, instr in line.instructions(words):
        ran = instances(words, fn, instr) if instr.op in ("load", "store") else []
        if ran and name in names_at(words, (ran[-1], instr.index), instr):
            found.append((fn, instr))
    return sorted(found, key=lambda row: row[1].op != "store")


def names_at(words: RunWords, node: Node, instr: Instr) -> set[str]:
    """How the source writes what a load read or a store assigned."""
    if instr.op == "load":
        return {words.pointer_name(node)} - {""}
    step = words.steps.of(node, brief=True)
    return {step.target} if step is not None and step.target else set()


def names_on(words: RunWords, line: SourceLine) -> list[str]:
    """All that a line read or assigned in the run, as written."""
    found: dict[str, None] = {}
    for fn, instr in line.instructions(words):
        ran = instances(words, fn, instr) if instr.op in ("load", "store") else []
        if ran:
            found.update(dict.fromkeys(names_at(words, (ran[-1], instr.index), instr)))
    return sorted(found)


def main_instruction(words: RunWords, line: SourceLine) -> tuple[Function, Instr] | None:
    """What a line is about: its assignment, else its decision, its return, its call, or what it read."""
    ran = [(fn, instr) for fn, instr in line.instructions(words) if instances(words, fn, instr)]
    told = [row for row in ran if _is_telling(words, *row)]
    return min(told, key=lambda row: (_TELLING.index(row[1].op), -row[1].index), default=None)


def _is_telling(words: RunWords, fn: Function, instr: Instr) -> bool:
    if instr.op == "br" and not instr.is_two_way:
        return False
    if instr.op == "call" and callee_name(instr).startswith("llvm."):
        return False
    return instr.op in _TELLING and not (instr.op == "store" and fn.is_parameter(instr.args[0]))
