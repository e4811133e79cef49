"""Inline assembly that does nothing: an optimisation barrier, or a copy that the optimiser must not see through."""

from __future__ import annotations

import re

_CALL = re.compile(
    r"^(?P<result>  %\S+ = |  )(?:tail |notail )?call (?P<type>\w+) asm "
    r"(?:sideeffect |alignstack |inteldialect |unwind )*"
    r'"(?P<text>[^"]*)", "(?P<constraints>[^"]*)"\((?P<arguments>.*?)\)(?P<rest>(?: #\d+)?(?:, !\w+ !\d+)*)$',
    re.M,
)
_DEBUG = re.compile(r", !dbg !\d+")
_SCALAR = re.compile(r"i\d+|ptr|float|double")


def with_idle_assembly_as_copies(text: str) -> str:
    """The module in which assembly that is empty, or a comment, copies its operand or is empty."""
    return _CALL.sub(_rewritten, text) if " asm " in text else text


def _rewritten(found: re.Match[str]) -> str:
    if not is_idle(found["text"]):
        return found[0]
    outputs, inputs = _constraints(found["constraints"])
    operand, comma, _ = found["arguments"].partition(",")
    is_copy = len(outputs) == 1 and inputs == ["0"] and not comma and _SCALAR.fullmatch(found["type"]) is not None
    if is_copy and operand.startswith(f"{found['type']} ") and "=" in found["result"]:
        debug = _DEBUG.search(found["rest"])
        value = operand.removeprefix(f"{found['type']} ")
        return f"{found['result']}bitcast {found['type']} {value} to {found['type']}{debug[0] if debug else ''}"
    return found[0].replace(f'"{found["text"]}", "', '"", "', 1)


def is_idle(assembly: str) -> bool:
    """Whether this assembly, as LLVM writes it, has no instruction: it is empty, or comments."""
    if "#APP" in assembly or "/*" in assembly:
        return False
    lines = re.split(r"\\0A|\\0D", assembly)
    return all(not (line := code.replace("\\09", " ").strip()) or line.startswith("#") for code in lines)


def _constraints(text: str) -> tuple[list[str], list[str]]:
    """The constraints of outputs and of inputs, without what is clobbered."""
    parts = [part for part in text.split(",") if part and not part.startswith("~")]
    return [part for part in parts if part.startswith("=")], [part for part in parts if not part.startswith("=")]
