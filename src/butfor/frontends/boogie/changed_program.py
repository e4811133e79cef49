"""Boogie programs with statements written anew: what they do with given inputs, and whether their checks hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from butfor.errors import ButforError
from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph, Node
from butfor.frontends.boogie.interpreter import Event, Given
from butfor.path.searched_program import RewrittenStatement
from butfor.trace.view.source_places import Place

LineColumn = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """The program with its texts replaced, and where its statements stand now, by where they stood."""

    unit: TranslationUnit
    flow: FlowGraph
    moved: Mapping[LineColumn, LineColumn]

    def given(self, given: Given) -> Given:
        """Values from outside by the places of this program."""
        return replace(
            given,
            chosen={self.moved.get(at, at): values for at, values in given.chosen.items()},
            changed={self._event(event): values for event, values in given.changed.items()},
        )

    def _event(self, event: Event) -> Event:
        line, column = self.moved.get((event.line, event.column), (event.line, event.column))
        return replace(event, line=line, column=column)

    def place_of(self, place: Place) -> LineColumn:
        """Where something stands now that stood at a place."""
        return self.moved.get((place.line, place.column), (place.line, place.column))


def changed_program(
    unit: TranslationUnit, flow: FlowGraph, rewritten: Sequence[RewrittenStatement]
) -> ChangedProgram | None:
    """The program with statements rewritten; None where one of them cannot be, or is no Boogie then."""
    texts: dict[s.Span, str] = {}
    for statement in rewritten:
        found = dict(_replacements(unit, statement))
        if not found:
            return None
        texts |= found
    text = unit.text.text
    for span in sorted(texts, key=lambda span: -span.start):
        lines = text.count("\n", span.start, span.end)
        text = text[: span.start] + texts[span] + "\n" * lines + text[span.end :]
    try:
        new = TranslationUnit(BoogieText(unit.text.file, text))
    except ButforError:
        return None
    return ChangedProgram(new, new.flows[flow.procedure.name], _moved(unit, new))


def _replacements(unit: TranslationUnit, change: RewrittenStatement) -> Iterator[tuple[s.Span, str]]:
    """The pieces of the source that a change replaces, with what stands there then."""
    at = change.place.line, change.place.column
    flow = unit.flows[change.place.function]
    for node in flow.nodes:
        statement = node.statement
        if node.guard is not None and _at(node.span) == at:
            yield node.span, change.text
        elif isinstance(statement, s.Assign) and _at(statement.span) == at:
            yield from _assignment(unit.text, statement, change.text)
        elif node.op == "goto" and len(node.succs) > 1:
            yield from _assumptions(flow, node, at, change.text)


def _assignment(text: BoogieText, statement: s.Assign, new: str) -> Iterator[tuple[s.Span, str]]:
    """An assignment with one of its variables assigned anew, the others as before."""
    name, _, value = new.partition(" := ")
    if sum(t.name == name for t in statement.targets) != 1:
        return
    parts = [
        (name, value) if t.name == name else (text.written(t.span), text.written(v.span))
        for t, v in zip(statement.targets, statement.values, strict=True)
    ]
    yield statement.span, f"{', '.join(a for a, _ in parts)} := {', '.join(b for _, b in parts)};"


def _assumptions(flow: FlowGraph, node: Node, at: LineColumn, text: str) -> Iterator[tuple[s.Span, str]]:
    """The assumptions behind a goto that are a decision: one as changed, the other its opposite."""
    behind = [flow.assumption_at(target) for target in node.succs]
    if any(a is not None and _at(a.expr.span) == at for a in behind):
        for a in behind:
            if a is not None:
                yield a.expr.span, text if _at(a.expr.span) == at else f"!({text})"


def _moved(old: TranslationUnit, new: TranslationUnit) -> Mapping[LineColumn, LineColumn]:
    """Where the statements of a program stand in another that differs in expressions only."""
    found: dict[LineColumn, LineColumn] = {}
    for name, flow in old.flows.items():
        for a, b in zip(flow.nodes, new.flows[name].nodes, strict=True):
            found[_at(a.span)] = _at(b.span)
            if a.statement is not None and b.statement is not None:
                found[_at(a.statement.span)] = _at(b.statement.span)
    return found


def _at(span: s.Span) -> LineColumn:
    return span.line, span.column
