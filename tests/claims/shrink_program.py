"""Counterexamples made small: statements are deleted as long as a claim of the same kind is still refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.claims.c_types import INT_TYPES
from tests.claims.generate_program import endings, is_fit
from tests.claims.run_model import Outcome
from tests.claims.small_program import (
    Assert,
    Assign,
    Binary,
    Call,
    CallExpr,
    Cast,
    Choice,
    Compound,
    Decision,
    DoWhile,
    Expr,
    For,
    Havoc,
    If,
    Jump,
    Num,
    Program,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)
from tests.claims.walk_program import rewritten, statements


def shrunk(program: Program, is_refuted: Callable[[Program], bool], most: int = 300) -> Program:
    """A program as small as can be for which `is_refuted`; `most` programs are tried."""
    tried = at = since_success = 0
    while tried < most:
        candidates = list(_smaller(program))
        if since_success >= len(candidates):
            break
        smaller = candidates[at % len(candidates)]
        since_success += 1
        if _still_fails(smaller):
            tried += 1
            if is_refuted(smaller):
                program, since_success = smaller, 0
                continue
        at += 1
    return program


def _still_fails(program: Program) -> bool:
    ends = endings(program)
    return is_fit(ends) and (program.is_wide or Outcome.FAILED.value in ends)


def _smaller(program: Program) -> Iterator[Program]:
    """Programs with one statement less, one nesting less, or one expression simpler."""
    called = {s.function for f in program.functions for s in statements(f.body) if isinstance(s, Call)}
    for f in program.functions[:-1]:
        if f.name not in called:
            yield replace(program, functions=[g for g in program.functions if g is not f])
    for g in program.globals:
        yield replace(program, globals=[other for other in program.globals if other is not g])
    if set(program.field_types) != {"int"}:
        yield replace(program, field_types=("int",) * len(program.field_types))
    found = [s for f in program.functions for s in statements(f.body)]
    headers = {part for s in found if isinstance(s, For) for part in (s.init, s.update)}
    everything = [s for s in found if s not in headers]
    for s in everything:
        if not isinstance(s, Return | Havoc):
            yield rewritten(program, lambda t, s=s: [] if _is(t, s) else [t])  # type: ignore[misc]
    for s in everything:
        match s:
            case If():
                yield rewritten(program, lambda t, s=s: _body(t, s, "then"))  # type: ignore[misc]
                yield rewritten(program, lambda t, s=s: _body(t, s, "orelse"))  # type: ignore[misc]
            case While() | For() | DoWhile():
                yield rewritten(program, lambda t, s=s: _body(t, s, "body"))  # type: ignore[misc]
            case Switch(cases=cases):
                for k in range(len(cases)):
                    yield rewritten(program, lambda t, s=s, k=k: _without_case(t, s, k))  # type: ignore[misc]
                    yield rewritten(program, lambda t, s=s, k=k: _only_case(t, s, k))  # type: ignore[misc]
            case _:
                pass
    for s in everything:
        if isinstance(s, If | While | DoWhile | Switch):
            for cond in _simpler(s.cond):
                yield rewritten(program, lambda t, s=s, c=cond: [replace(t, cond=c)] if _is(t, s) else [t])  # type: ignore[misc]
        for new in _simpler_statements(s):
            yield rewritten(program, lambda t, s=s, new=new: [new] if t is s else [t])  # type: ignore[misc]


def _is(t: Statement, s: Statement) -> bool:
    """Whether a statement is the one that is meant; compound ones are copied on the way, but keep their condition."""
    if isinstance(s, Decision | Switch):
        return isinstance(t, type(s)) and t.cond is s.cond
    return t is s


def _body(t: Statement, s: Statement, part: str) -> list[Statement]:
    if not _is(t, s):
        return [t]
    inner: list[Statement] = getattr(t, part)
    return inner


def _without_case(t: Statement, s: Switch, number: int) -> list[Statement]:
    if not isinstance(t, Switch) or not _is(t, s):
        return [t]
    return [replace(t, cases=tuple(case for k, case in enumerate(t.cases) if k != number))]


def _only_case(t: Statement, s: Switch, number: int) -> list[Statement]:
    if not isinstance(t, Switch) or not _is(t, s) or number >= len(t.cases):
        return [t]
    return [inner for inner in t.cases[number][1] if not isinstance(inner, Jump)]


def _simpler_statements(s: Statement) -> Iterator[Statement]:
    match s:
        case Assign(value=value, declares=declares):
            yield from (replace(s, value=v) for v in _simpler(value))
            if declares in INT_TYPES and declares != "int":
                yield replace(s, declares="int")
        case Compound(value=value) | Return(value=value):
            yield from (replace(s, value=v) for v in _simpler(value))
        case Call(target=target) if target is not None:
            yield Assign(target, Num(1), s.declares)
        case Assert(cond=cond):
            yield from (replace(s, cond=v) for v in _simpler(cond))
        case _:
            return


def _simpler(e: Expr) -> Iterator[Expr]:
    match e:
        case Binary(left=left, right=right):
            yield from (left, right)
            yield from (replace(e, left=v) for v in _simpler(left))
            yield from (replace(e, right=v) for v in _simpler(right))
        case Unary(arg=arg) | Cast(arg=arg):
            yield arg
            yield from (replace(e, arg=v) for v in _simpler(arg))
        case CallExpr(arguments=arguments):
            yield from arguments
        case Choice(yes=yes, no=no):
            yield from (yes, no)
        case Num(value=value) if value not in (0, 1):
            yield from (Num(0), Num(1))
        case _:
            return
