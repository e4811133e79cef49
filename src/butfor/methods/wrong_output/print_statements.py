"""Print statements that would only have to write something else for the output to be right."""

from __future__ import annotations

import numpy as np

from butfor.explanation import FailureKind
from butfor.failures.wrong_output import first_difference, writes_of_output
from butfor.ir.instructions import Const
from butfor.methods.case import FailingRun
from butfor.methods.wrong_output.rewritten_texts import ProgramConstants, Rewrite, rewrites
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place

# how often a rewrite of a kind names the statement at fault
_SCORES = {
    "text": 0.9,
    "layout": 0.9,
    "wrap": 0.7,
    "shift": 0.6,
    "near": 0.3,
    "remainder": 0.9,
    "unwritten": 0.8,
    "once": 0.4,
    "other": 0.1,
    "last": 0.3,
    "unfinished": 0.7,
}
MAX_PRINTS = 20_000  # of programs that print more, each rewrite would take too long to align
MAX_SHOWN_CHARACTERS = 40  # of a text
MAX_FORGOTTEN_BYTES = 8  # at the end of an output, such as a newline or a bracket; more is more than one print
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def wrong_prints(case: FailingRun) -> Diagnosis:
    """The print statements around the first wrong byte, each with the text it would have to write."""
    expected = case.recording.meta.expect_stdout
    if case.point.kind is not FailureKind.OUTPUT or expected is None:
        return Diagnosis(())
    texts = writes_of_output(case.trace, case.recording.stdout)
    if len(texts) > MAX_PRINTS:
        return Diagnosis((), {"skipped": "too much is printed"})
    wanted = expected.encode("latin-1")
    by_place = [(case.places.of(node), text) for node, text in texts]
    near = _writers_near(by_place, case.recording.stdout, wanted)
    found: dict[Place, Rewrite] = {}
    for place, rewrite in rewrites(by_place, wanted, near, _program_constants(case)):
        if place is not None:
            found[place] = rewrite
    missing = wanted[len(case.recording.stdout) :] if wanted.startswith(case.recording.stdout) else b""
    last = by_place[-1][0] if by_place else None
    if missing and last is not None and found.get(last) is None:
        kind = "unfinished" if len(missing) <= MAX_FORGOTTEN_BYTES and not missing.strip().isalnum() else "last"
        found[last] = Rewrite(kind, by_place[-1][1], by_place[-1][1] + missing)
    findings = sorted((Finding(p, _SCORES[r.kind], _words(r)) for p, r in found.items()), key=lambda f: -f.score)
    rows = [
        {
            "file": p.file,
            "line": p.line,
            "text": p.text,
            "kind": r.kind,
            "before": _shown(r.before),
            "after": _shown(r.after),
        }
        for p, r in found.items()
    ]
    return Diagnosis(tuple(findings), {"rewrites": rows})


def _writers_near(written: list[tuple[Place | None, bytes]], actual: bytes, expected: bytes) -> list[Place | None]:
    """The statements that wrote the text around the first wrong byte."""
    difference = first_difference(actual, expected)
    if difference is None:
        return []
    at, found = 0, []
    for k, (_, text) in enumerate(written):
        if at <= difference.offset <= at + len(text):
            found += [place for place, _ in written[max(k - 1, 0) : k + 2] if place is not None]
        at += len(text)
    return list(dict.fromkeys(found))


def _program_constants(case: FailingRun) -> ProgramConstants:
    """The texts of the program, and the integer constants of the functions that ran."""
    program = case.recording.program
    variables = program.source.global_variables().values()
    texts = b"\n".join(v.init.value for v in variables if v.init is not None and v.init.kind == "bytes")
    ran = {case.trace.static[number].fn.name for number in np.flatnonzero(case.recording.log.counts > 0).tolist()}
    constants = (
        a for name in ran for instr in program.function(name).instrs for a in instr.args if isinstance(a, Const)
    )
    return ProgramConstants(texts, frozenset(int(c.value) for c in constants if c.kind == "int"))


def _shown(text: bytes) -> str:
    words = text.decode("utf-8", "replace")
    return words if len(words) <= MAX_SHOWN_CHARACTERS else words[: MAX_SHOWN_CHARACTERS - 1] + "…"


def _quoted(text: bytes) -> str:
    """The text as a string literal of C."""
    return f'`"{_shown(text).translate(_ESCAPES)}"`'


def _words(r: Rewrite) -> str:
    old, new = _quoted(r.before), _quoted(r.after)
    match r.kind:
        case "unwritten":
            return f"had it written nothing instead of {old}, the output would have been right"
        case "once":
            return f"had it not written {old} there, the output would have been right"
        case "other" | "text" | "near":
            return f"had it written {new} instead of {old}, the output would have been right"
        case "layout":
            return f"had it written the same numbers as {new} instead of {old}, the output would have been right"
        case "remainder":
            return f"a remainder may be missing: {new} instead of {old} would have been right"
        case "shift":
            return f"all its numbers are off by the same amount: {new} instead of {old} would have been right"
        case "wrap":
            return f"its numbers were cut to 32 bits: {new} instead of {old} would have been right"
        case "unfinished":
            return f"the output ends here without {_quoted(r.after[len(r.before) :])}"
        case _:
            return "the output ends here, and should go on"
