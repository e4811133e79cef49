"""The declarations of a file collected into a program: each name once, implementations with their procedures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_text import BoogieText


def collect_declarations(text: BoogieText, declarations: Iterable[Any]) -> s.Program:
    """The program of declarations as the parser gives them; a CompileError for a name declared twice."""
    program = s.Program()
    axioms: list[s.Expr] = []
    unique: list[tuple[str, ...]] = []
    implementations: list[s.Procedure] = []
    for declaration in declarations:
        match declaration:
            case ("type", name, meaning, span):
                if name in program.types:
                    raise _twice(text, span, f"the type {name}")
                program.types[name] = meaning
            case ("const", names, is_unique):
                _put(text, program, program.constants, names)
                if is_unique:
                    unique.append(tuple(n.name for n in names))
            case ("var", names):
                _put(text, program, program.variables, names)
            case ("axiom", expr):
                axioms.append(expr)
            case ("implementation", procedure):
                implementations.append(procedure)
            case s.Function():
                if declaration.name in program.functions:
                    raise _twice(text, declaration.span, f"the function {declaration.name}")
                program.functions[declaration.name] = declaration
            case s.Procedure():
                if declaration.name in program.procedures:
                    raise _twice(text, declaration.span, f"the procedure {declaration.name}")
                program.procedures[declaration.name] = declaration
    for one in implementations:
        _implement(text, program, one)
    return replace(program, axioms=tuple(axioms), unique=tuple(unique))


def _twice(text: BoogieText, span: s.Span, what: str) -> Exception:
    return text.error(span, f"{what} is declared twice")


def _put(text: BoogieText, program: s.Program, into: dict[str, s.Named], names: Iterable[s.Named]) -> None:
    for named in names:
        if named.name in program.constants or named.name in program.variables:
            raise _twice(text, named.span, named.name)
        into[named.name] = named


def _implement(text: BoogieText, program: s.Program, one: s.Procedure) -> None:
    declared = program.procedures.get(one.name)
    if declared is None:
        raise text.error(one.span, f"there is no procedure {one.name} to implement")
    if declared.body is not None:
        raise text.error(
            one.span, f"the procedure {one.name} has a body already", "butfor follows one body of each procedure"
        )
    for ours, theirs, what in ((one.params, declared.params, "parameters"), (one.returns, declared.returns, "results")):
        if [p.type for p in ours] != [p.type for p in theirs]:
            raise text.error(one.span, f"the {what} of {one.name} differ from those of its procedure")
        if [p.name for p in ours] != [p.name for p in theirs]:
            raise text.unsupported(one.span, f"an implementation with other names of {what} than its procedure")
    program.procedures[one.name] = replace(declared, body=one.body)
