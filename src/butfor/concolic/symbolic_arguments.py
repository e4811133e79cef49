"""The program's arguments as variables: the bytes of their texts, argc, and the pointers of argv."""

from __future__ import annotations

from typing import Any

from butfor.concolic.path_condition import Alternative
from butfor.concolic.search_inputs import MAX_ARGUMENTS
from butfor.concolic.shadow_state import Shadow, ShadowFrame
from butfor.logic.terms import Term, compare, conjunction, const, ite, negate

_SOME_POINTER = 1 << 12  # stands for the pointer to an argument that the run does not have: it only must not be null


def write_argument_texts(shadow: Shadow) -> None:
    """Give the bytes of the arguments their variables."""
    texts = shadow.arguments.texts
    for number, text in enumerate(shadow.given.args, 1):
        if number >= len(texts):
            return
        start, size = texts[number]
        if size != len(text) + 1:
            return
        for k, value in enumerate(text + b"\0"):
            shadow.memory.write(start + k, bytes([value]), shadow.variable(f"a{number}_{k}", 8, value))


def bind_main_parameters(shadow: Shadow, f: ShadowFrame) -> None:
    """Give the parameters of main their values and terms."""
    arguments = shadow.arguments
    if len(f.fn.params) >= 1:
        f.regs[0] = arguments.count
        f.terms[0] = _argc(shadow) if len(f.fn.params) >= 2 else const(arguments.count, 32)
    if len(f.fn.params) >= 2:
        f.regs[1] = arguments.argv


def loaded_argv_pointer(shadow: Shadow, address: int, value: Any) -> Term | None:
    """The term of a pointer loaded from argv, which is null for the last one.

    Loading another one is a decision: there are that many arguments.
    """
    arguments = shadow.arguments
    at = address - arguments.argv
    if not 8 <= at <= 8 * arguments.count or at % 8 or not isinstance(value, int):
        return None
    index = at // 8
    is_there = compare("slt", const(index, 32), _argc(shadow))
    if index < arguments.count:
        shadow.decide(is_there, (Alternative(negate(is_there), ("argv", index, 0)),))
        return None
    return ite(is_there, const(_SOME_POINTER, 64), const(0, 64))


def _argc(shadow: Shadow) -> Term:
    shadow.reads.add("args")
    term = shadow.variable("argc", 32, shadow.arguments.count)
    if "argc" not in shadow.bounds:
        shadow.bounds["argc"] = conjunction(
            (compare("sle", const(1, 32), term), compare("sle", term, const(MAX_ARGUMENTS + 1, 32)))
        )
    return term
