"""Walks over the syntax trees of small programs, and programs with some of their statements replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tests.claims.small_program import (
    Address,
    Assert,
    Assign,
    At,
    Binary,
    Call,
    CallExpr,
    Cast,
    Choice,
    Compound,
    CopyStruct,
    DeclareObject,
    DoWhile,
    Elem,
    Elem2,
    ElemField,
    For,
    Function,
    If,
    Jump,
    Node,
    Num,
    Program,
    Return,
    Statement,
    Step,
    Switch,
    Unary,
    While,
)


def children(node: Node) -> Iterator[Node]:
    """The parts of a node, in the order of the source."""
    match node:
        case Elem(index=index) | ElemField(index=index):
            yield index
        case Elem2(row=row, index=index):
            yield from (row, index)
        case Address(place=place) | Step(place=place):
            yield place
        case Unary(arg=arg) | Cast(arg=arg) | At(pointer=arg):
            yield arg
        case Binary(left=left, right=right):
            yield from (left, right)
        case Choice(cond=cond, yes=yes, no=no):
            yield from (cond, yes, no)
        case CallExpr(arguments=arguments):
            yield from arguments
        case Assign(target=target, value=value) | Compound(target=target, value=value):
            yield from (target, value)
        case CopyStruct(target=target, source=source):
            yield from (target, source)
        case Call(target=called, arguments=arguments):
            yield from () if called is None else (called,)
            yield from arguments
        case If(cond=cond, then=then, orelse=orelse):
            yield from (cond, *then, *orelse)
        case While(cond=cond, body=body):
            yield from (cond, *body)
        case DoWhile(cond=cond, body=body):
            yield from (*body, cond)
        case Switch(cond=cond, cases=cases):
            yield cond
            for _, body in cases:
                yield from body
        case For(init=init, cond=cond, update=update, body=body):
            yield from (init, cond, update, *body)
        case Assert(cond=cond):
            yield cond
        case Return(value=value):
            yield value
        case _:
            return


def parts(node: Node) -> Iterator[Node]:
    """A statement and all in it; of a decision only its condition."""
    work: list[Node] = [node.cond] if isinstance(node, If | While | For | DoWhile | Switch) else [node]
    while work:
        part = work.pop()
        yield part
        work += children(part)


def walk(program: Program) -> Iterator[Node]:
    """All nodes of a program."""
    work: list[Node] = [*program.globals, *(s for f in program.functions for s in f.body)]
    while work:
        node = work.pop()
        yield node
        work += children(node)


def statements(body: list[Statement]) -> Iterator[Statement]:
    """The statements of a body, those inside others included."""
    for s in body:
        yield s
        if isinstance(s, For):
            yield from (s.init, s.update)
        for inner in _bodies(s):
            yield from statements(inner)


def _bodies(s: Statement) -> tuple[list[Statement], ...]:
    match s:
        case If(then=then, orelse=orelse):
            return then, orelse
        case While(body=body) | For(body=body) | DoWhile(body=body):
            return (body,)
        case Switch(cases=cases):
            return tuple(body for _, body in cases)
        case _:
            return ()


@lru_cache(maxsize=8)
def initialisers(program: Program) -> Sequence[tuple[Function | None, Assign | DeclareObject]]:
    """The declarations of variables that live as long as the program, each with the function it is in."""
    found: list[tuple[Function | None, Assign | DeclareObject]] = [(None, s) for s in program.globals]
    for f in program.functions:
        found += [(f, s) for s in statements(f.body) if isinstance(s, Assign | DeclareObject) and is_static(s)]
    return found


def is_static(s: Assign | DeclareObject) -> bool:
    """Whether a declaration in a function is of a static variable."""
    return s.is_static if isinstance(s, DeclareObject) else s.declares.startswith("static ")


def rewritten(program: Program, change: Callable[[Statement], list[Statement]]) -> Program:
    """The program with each statement replaced by what `change` gives for it, from the inside out."""

    def body(old: list[Statement]) -> list[Statement]:
        return [new for s in old for new in change(inside(s))]

    def inside(s: Statement) -> Statement:
        match s:
            case If():
                return replace(s, then=body(s.then), orelse=body(s.orelse))
            case While() | For() | DoWhile():
                return replace(s, body=body(s.body))
            case Switch():
                return replace(s, cases=tuple((label, body(inner)) for label, inner in s.cases))
            case _:
                return s

    return replace(program, functions=[replace(f, body=body(f.body)) for f in program.functions])


def ends_in_jump(body: list[Statement]) -> bool:
    """Whether a case of a switch does not fall through."""
    return bool(body) and isinstance(body[-1], Jump | Return)


def constants(program: Program) -> set[int]:
    """The numbers that are written in a program."""
    found: set[int] = set()
    for n in walk(program):
        match n:
            case Num(value=value):
                found.add(value)
            case DeclareObject(values=values):
                found.update(values)
            case Switch(cases=cases):
                found.update(label for label, _ in cases if label is not None)
            case _:
                pass
    return found
