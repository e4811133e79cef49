"""Wrong output, runs without an end and endless recursion told in their own words."""

from __future__ import annotations

from butfor.failures.failure_point import FailurePoint
from butfor.origin_ladder import RungKind
from butfor.origins.input_words import input_words
from butfor.origins.memory_stories import call_stack, quoted_place
from butfor.origins.run_words import RunWords, told_leaves
from butfor.origins.value_ladder import LadderBuilder, Subject
from butfor.trace.trace import Node
from butfor.trace.view.string_literals import string_literal

_MAX_VARIABLES_TOLD = 3  # of a loop's condition
_MAX_DECISIONS = 2  # around a statement that should not have run
_CALLS_SEARCHED = 64  # innermost ones, for the functions of a cycle
_CALLS_SHOWN_AT_END, _CALLS_SHOWN_AT_START = 3, 2  # of a deep recursion


def tell_output(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell wrong output: what was printed instead of what, by which statement, and where the value came from."""
    if point.details.get("difference") == "missing":
        _tell_missing_output(b, point, node)
    else:
        tell_printed(b, point, node)


def tell_printed(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell who printed a piece of the output, and where the value in it came from."""
    words = b.words
    place = words.place(node)
    roots = _printed_roots(words, point)
    leaves = [leaf for root in roots for leaf in words.leaves(root)] if roots else []
    shown = words.with_origins(told_leaves(leaves, _MAX_VARIABLES_TOLD), None)
    says = f"{quoted_place(words, place)} printed {_printed_words(point)}" + (f", with {shown}" if shown else "")
    round_ = words.round_words(node[0])
    b.add(b.at(RungKind.FAILURE, node, says + (f", {round_}" if round_ else "") + call_stack(words, node[0])))
    for root in roots[:2]:
        b.tell_value(Subject(root, words.pointer_name(root), 0, node))
    texts = [(event, at) for event, at in point.wrong_text_bytes if int(words.log.event[event]["seg"]) == node[0]]
    _tell_text(b, texts)
    for root in roots[:1]:
        if words.trace.instr(root).op == "load":
            b.tell_missing(root, 1, most=1)
    if point.details.get("difference") == "extra":
        _tell_went_on(b, node)
    elif not roots and not texts:
        tell_reached(b, node)


def _tell_went_on(b: LadderBuilder, node: Node) -> None:
    """Tell the nearest decision around a statement that should not have run any more, also that of a loop."""
    words = b.words
    decision = words.dependence.control(node[0])
    if decision is None or not words.trace.instr(decision).is_conditional:
        return
    if b.tell_decision(decision, 0, "it went on because "):
        for leaf in [x for x in words.leaves(decision) if not x.is_index][:_MAX_VARIABLES_TOLD]:
            b.tell_operand(leaf, 1, decision)


def _printed_roots(words: RunWords, point: FailurePoint) -> list[Node]:
    """The instances whose values were printed wrong; of a text, not the call that printed it nor its address."""
    roots = [root for root in point.roots if root[1] >= 0]
    if not point.wrong_text_bytes:
        return roots
    literals = [root for root in roots if _is_literal(words, root)]
    return literals


def _is_literal(words: RunWords, root: Node) -> bool:
    """Whether a printed pointer led to a string literal: then the choice of the pointer is what matters."""
    if words.trace.instr(root).op == "gep":
        return False
    address = words.number(root)
    return address is not None and words.objects.pointer_text(address, root[0]).startswith('"')


def _tell_text(b: LadderBuilder, texts: list[tuple[int, int]]) -> None:
    """Tell who wrote the wrong byte of a printed text, and the decision but for which another one would be there."""
    words = b.words
    for event, at in texts[:1]:
        e = words.log.event[event]
        for writer, size, address in words.trace.last_writers.runs_read(event + 1, at, at + 1, int(e["addr"])):
            for source in words.trace.last_writers.sources(writer, size, address):
                for kind, target in words.dependence.source_edge(source):
                    if kind == "data":
                        _tell_text_writer(b, target)
        found = words.dependence.potential_of_text(event, at)
        for branch in sorted(found, key=lambda n: (not words.is_loop_condition(n), n), reverse=True)[:1]:
            b.tell_decision(branch, 1, prefix="the text could have been another one, but ")


def _tell_text_writer(b: LadderBuilder, writer: Node) -> None:
    words, instr = b.words, b.words.trace.instr(writer)
    text = quoted_place(words, words.place(writer))
    if instr.op == "store":
        b.tell_value(Subject(writer, "", 0, None))
        return
    round_ = words.round_words(writer[0])
    b.add(b.at(RungKind.VALUE, writer, f"the text was written here: {text}" + (f", {round_}" if round_ else "")))
    read = input_words(words, writer)
    if read:
        b.add(b.at(RungKind.INPUT, writer, read, 1))


def _printed_words(point: FailurePoint) -> str:
    printed = point.printed
    if printed is None:
        return "this piece of the output"
    got = string_literal(printed.text)
    if "difference" not in point.details:
        return f"{got} here"
    if point.details.get("difference") == "extra":
        return f"{got}, where the output should have ended"
    wanted = _wanted(printed.text, printed.expected, printed.after)
    if wanted == printed.text:  # what follows it is wrong; it may have been too short
        follows, due = printed.after, printed.expected[len(printed.text) :]
        got, wanted = string_literal(follows.split(b"\n")[0] or follows), due.split(b"\n")[0] or due
    return f"{got} where {string_literal(wanted)} was expected"


def _wanted(text: bytes, expected: bytes, after: bytes) -> bytes:
    """What was expected in place of a printed piece: up to what follows it in the output, or up to a blank."""
    line = expected.split(b"\n")[0] or expected[:1]
    stop = after[:1]
    if stop and stop != b"\n" and stop in line:
        return line[: line.index(stop)] or line[: len(text)]
    if stop in (b"", b"\n"):
        return line
    return line[: max(len(text), 1)]


def _tell_missing_output(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    words = b.words
    b.add(
        b.at(RungKind.FAILURE, node, f"the program ended here without printing what was still expected, {_next(point)}")
    )
    roots = [r for r in point.roots if r[1] >= 0 and words.trace.instr(r).is_conditional]
    for root in sorted(roots, key=lambda r: not words.is_loop_condition(r))[:_MAX_DECISIONS]:
        if b.tell_decision(root, 0, prefix="nothing more was printed because "):
            for leaf in [x for x in words.leaves(root) if not x.is_index][:2]:
                b.tell_operand(leaf, 1, root)


def _next(point: FailurePoint) -> str:
    expected = point.details.get("expected", b"")
    return string_literal(expected) if isinstance(expected, bytes) else str(expected)


def tell_endless(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell a run that does not end: the call that it waits in, or the loop, what its condition reads and what stays."""
    words = b.words
    text = quoted_place(words, words.place(node))
    round_ = words.round_words(node[0])
    progress = point.details.get("progress", ())
    verb = "had not ended" if progress else "does not end"
    last = (words.log.end.stopped or len(words.log)) - 1  # a call may have come back because the run was to end
    is_waiting = words.trace.instr(node).op == "call" and node[0] == last
    says = f"{text} has not come back" if is_waiting else f"the loop at {text} {verb}"
    b.add(b.at(RungKind.FAILURE, node, says + (f", now {round_}" if round_ else "") + call_stack(words, node[0])))
    if not words.trace.instr(node).is_conditional:
        return
    unchanged = set(point.details.get("unchanged", ()))
    b.tell_decision(node, 0, prefix="it goes on because ")
    for leaf in told_leaves(words.leaves(node), _MAX_VARIABLES_TOLD):
        if leaf.name in unchanged:
            b.add(b.at(RungKind.MISSING, node, f"`{leaf.name}` is {leaf.value} in every round", 1))
        elif leaf.name in progress:
            b.add(b.at(RungKind.MISSING, node, f"`{leaf.name}` had another value in each round that was looked at", 1))
        b.tell_operand(leaf, 1, node)


def tell_recursion(b: LadderBuilder, point: FailurePoint, node: Node) -> None:
    """Tell a stack overflow: the cycle of calls, their arguments from the innermost out, and what starts it."""
    words = b.words
    depth = int(point.details["depth"])
    inside = words.frames(node[0], depth)
    cycle = _cycle(words, inside)
    calls = [k for k, at in enumerate(inside[:_CALLS_SEARCHED]) if words.trace.at(at).fn.name == cycle[0]]
    own = [inside[k] for k in calls]
    again = words.trace.call_of(own[0]) or node
    text = quoted_place(words, words.place(again))
    names = " and ".join(f"{name}()" for name in cycle)
    who = f"{names} call each other" if len(cycle) > 1 else f"{names} calls itself"
    b.add(
        b.at(RungKind.FAILURE, again, f"{text}: {who} without an end, {depth:,} calls are nested and the stack is full")
    )
    inner = [words.call_words(at, with_caller=False) for at in own[:_CALLS_SHOWN_AT_END]]
    outer = _first_calls(words, inside, cycle[0])
    first = ", ".join(words.call_words(at, with_caller=False) for at in outer)
    b.add(b.at(RungKind.CALL, again, f"the first calls were {first}; the latest ones are {', '.join(reversed(inner))}"))
    _tell_arguments_that_stay(b, own, again)
    b.tell_decision_around(again, 0, most=2)
    begun = words.trace.call_of(outer[0]) if outer else None
    if begun is not None:
        b.add(b.at(RungKind.CALL, begun, f"it began here: {quoted_place(words, words.place(begun))}"))


def _cycle(words: RunWords, inside: list[int]) -> list[str]:
    """The functions that call each other again and again, of the innermost calls."""
    names = [words.trace.at(at).fn.name for at in inside[:_CALLS_SEARCHED]]
    return list(dict.fromkeys(name for name in names if names.count(name) > 1)) or names[:1]


def _first_calls(words: RunWords, inside: list[int], name: str) -> list[int]:
    """The outermost calls of a function, the first one first."""
    found: list[int] = []
    for at in reversed(inside):
        if words.trace.at(at).fn.name == name:
            found.append(at)
        if len(found) == _CALLS_SHOWN_AT_START:
            break
    return found


def _tell_arguments_that_stay(b: LadderBuilder, calls: list[int], node: Node) -> None:
    """Say which arguments are the same in all of the innermost calls."""
    words: RunWords = b.words
    given = [dict(words.arguments(words.trace.frame_entry(at))) for at in calls[:8]]
    if len(given) < 2:
        return
    same = [name for name, value in given[0].items() if all(g.get(name) == value for g in given[1:])]
    for name in same:
        b.add(b.at(RungKind.MISSING, node, f"`{name}` is {given[0][name]} in every one of them: it does not change", 1))


def tell_reached(b: LadderBuilder, node: Node) -> None:
    """Tell the decisions that led to a statement: in its function, then around the call of that."""
    words = b.words
    at: Node | None = node
    told = 0
    while at is not None and told < _MAX_DECISIONS:
        decision = words.telling_decision(at, None)
        if decision is not None and b.tell_decision(decision, 0):
            told += 1
            leaves = [leaf for leaf in words.leaves(decision) if not leaf.is_index]
            before = len(b.rungs)
            for leaf in leaves:
                if len(b.rungs) == before:
                    b.tell_operand(leaf, 1, decision)
        at = words.trace.call_of(at[0])
