"""Small programs as source text, with the place of every statement, condition and operator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
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
    Decision,
    DeclareObject,
    Deref,
    DoWhile,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    For,
    Function,
    Havoc,
    If,
    Input,
    Jump,
    Node,
    Num,
    Program,
    Return,
    Statement,
    Step,
    Switch,
    Unary,
    Var,
    While,
)
from tests.claims.walk_program import statements

_C_HEAD = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n"
_READS = {
    "nondet": "__VERIFIER_nondet_int()",
    "atoi": "atoi(argv[{}])",
    "getchar": "getchar()",
    "scanf": "read_number()",
}
_READ_NUMBER = 'static int read_number(void) {\n    int n = 0;\n    scanf("%d", &n);\n    return n;\n}\n'


@dataclass(eq=False, slots=True)
class Printed:
    """Source text; where each node begins and where its operator is (line and column, from 1); texts of statements."""

    program: Program
    text: str = ""
    start: dict[Node, tuple[int, int]] = field(default_factory=dict)
    operator: dict[Node, tuple[int, int]] = field(default_factory=dict)
    by_line: dict[int, list[tuple[str, Node]]] = field(default_factory=dict)

    def statement_at(self, line: int, text: str) -> Node | None:
        """The statement or decision of that text in a line; decisions are known by the statement they belong to."""
        here = self.by_line.get(line, [])
        exact = [node for shown, node in here if shown == text]
        return exact[0] if len(exact) == 1 else here[0][1] if len(here) == 1 else None

    def line_of(self, node: Node) -> int:
        """The line in which a node begins."""
        return self.start[node][0]


class _Printer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.parts: list[str] = []
        self.line = self.column = 1
        self.out = Printed(program)
        self.indent = 0

    def put(self, text: str) -> None:
        self.parts.append(text)
        lines = text.split("\n")
        if len(lines) > 1:
            self.line += len(lines) - 1
            self.column = 1
        self.column += len(lines[-1])

    def name(self, node: Node, since: int) -> None:
        """Remember the text that was printed since a position as that of a statement."""
        text = "".join(self.parts)[since:]
        self.out.by_line.setdefault(self.line, []).append((text.strip(), node))

    @property
    def printed(self) -> int:
        return sum(map(len, self.parts))

    # --- expressions --------------------------------------------------------------------------------------------------

    def expr(self, e: Expr, *, inner: bool = False) -> None:
        parentheses = inner and isinstance(e, Binary | Choice | Cast)
        self.put("(" if parentheses else "")
        self.out.start[e] = (self.line, self.column)
        match e:
            case Num(value=value):
                self.put(str(value) if value >= 0 or not inner else f"({value})")
            case Var(name=name):
                self.put(name)
            case Elem(name=name, index=index):
                self.element(name, index)
            case Field(name=name, field=member, arrow=arrow):
                self.put(name + ("->" if arrow else "."))
                self.out.operator[e] = (self.line, self.column)
                self.put(member)
            case Elem2(name=name, row=row, index=index):
                self.element(name, row, index)
            case ElemField(name=name, index=index, field=member):
                self.element(name, index)
                self.put(".")
                self.out.operator[e] = (self.line, self.column)
                self.put(member)
            case At(pointer=pointer):
                self.put("*")
                self.expr(pointer, inner=True)
            case Cast(type=kind, arg=arg):
                self.put(f"({kind})")
                self.expr(arg, inner=True)
            case Step(place=place, op=op, is_prefix=is_prefix):
                self.put(op if is_prefix else "")
                is_pointed = not is_prefix and isinstance(place, Deref | At)
                self.put("(" if is_pointed else "")
                self.expr(place)
                self.put(")" if is_pointed else "")
                self.out.operator[e] = self.out.start[e] if is_prefix else (self.line, self.column)
                self.put("" if is_prefix else op)
            case CallExpr(function=function, arguments=arguments):
                self.call_text(function, arguments)
            case Deref(name=name):
                self.put("*")
                self.out.operator[e] = (self.line, self.column)
                self.put(name)
            case Address(place=place):
                self.put("&")
                self.expr(place)
            case Unary(op=op, arg=arg):
                self.put(op)
                self.expr(arg, inner=True)
            case Binary(op=op, left=left, right=right):
                self.expr(left, inner=True)
                self.put(" ")
                self.out.operator[e] = (self.line, self.column)
                self.put(f"{op} ")
                self.expr(right, inner=True)
            case Choice(cond=cond, yes=yes, no=no):
                self.expr(cond, inner=True)
                self.put(" ")
                self.out.operator[e] = (self.line, self.column)
                self.put("? ")
                self.expr(yes, inner=True)
                self.put(" : ")
                self.expr(no, inner=True)
            case Input(number=number):
                self.put(_READS[self.program.style].format(number + 1))
        self.put(")" if parentheses else "")

    def element(self, name: str, *indexes: Expr) -> None:
        self.put(name)
        for index in indexes:
            self.put("[")
            self.expr(index)
            self.put("]")

    # --- statements of both languages ---------------------------------------------------------------------------------

    def begin(self) -> int:
        self.put("    " * self.indent)
        return self.printed

    def body(self, body: Iterable[Statement]) -> None:
        self.indent += 1
        for s in body:
            self.statement(s)
        self.indent -= 1

    def assignment(self, s: Assign) -> None:
        self.out.start[s] = (self.line, self.column)
        if s.declares:
            self.put(s.declares if s.declares.endswith("*") else f"{s.declares} ")
        self.expr(s.target)
        self.put(" ")
        self.out.operator[s] = (self.line, self.column)
        self.put("= " if self.program.language == "c" else ":= ")
        self.expr(s.value)
        if s.declares:
            self.out.operator[s] = self.out.start[s.target]

    def update(self, s: Assign | Compound | Step) -> None:
        match s:
            case Assign():
                self.assignment(s)
            case Compound(target=target, op=op, value=value):
                self.out.start[s] = (self.line, self.column)
                self.expr(target)
                self.put(" ")
                self.out.operator[s] = (self.line, self.column)
                self.put(f"{op}= ")
                self.expr(value)
            case Step():
                self.expr(s)

    def condition(self, s: Decision | Switch) -> None:
        since = self.printed
        self.expr(s.cond)
        self.name(s, since)

    def statement(self, s: Statement) -> None:
        since = self.begin()
        self.out.start[s] = (self.line, self.column)
        match s:
            case If():
                self.put("if (")
                self.condition(s)
                self.put(") {\n")
                self.body(s.then)
                if s.orelse:
                    self.begin()
                    self.put("} else {\n")
                    self.body(s.orelse)
                self.begin()
                self.put("}\n")
                return
            case While():
                self.put("while (")
                self.condition(s)
                self.put(") {\n")
                self.body(s.body)
                self.begin()
                self.put("}\n")
                return
            case For():
                self.for_loop(s)
                return
            case DoWhile():
                self.put("do {\n")
                self.body(s.body)
                self.begin()
                self.put("} while (")
                self.condition(s)
                self.put(");\n")
                return
            case Switch():
                self.switch(s)
                return
            case Assign() | Compound() | Step():
                self.update(s)
            case CopyStruct(target=target, source=source):
                self.expr(target)
                self.put(" ")
                self.out.operator[s] = (self.line, self.column)
                self.put("= ")
                self.expr(source)
            case Jump(word=word):
                self.put(word)
            case Havoc(name=name):
                self.put(f"havoc {name}")
            case DeclareObject():
                self.declare_object(s)
            case Call():
                self.call(s)
            case Assert():
                self.put("assert(" if self.program.language == "c" else "assert ")
                self.expr(s.cond)
                self.put(")" if self.program.language == "c" else "")
            case Return():
                self.put("return ")
                self.expr(s.value)
        self.put(";")
        self.name(s, since)
        self.put("\n")
        if isinstance(s, Havoc):
            self.begin()
            self.put(f"assume 0 <= {s.name} && {s.name} <= {s.most};\n")

    def for_loop(self, s: For) -> None:
        self.put("for (")
        since = self.printed
        self.assignment(s.init)
        self.name(s.init, since)
        self.put("; ")
        self.condition(s)
        self.put("; ")
        since = self.printed
        self.update(s.update)
        self.name(s.update, since)
        self.put(") {\n")
        self.body(s.body)
        self.begin()
        self.put("}\n")

    def call(self, s: Call) -> None:
        boogie = self.program.language == "boogie"
        self.put("call " if boogie else s.declares and f"{s.declares} ")
        if s.target is not None:
            self.expr(s.target)
            self.put(" ")
            self.out.operator[s] = (self.line, self.column)
            self.put(":= " if boogie else "= ")
            if s.declares:
                self.out.operator[s] = self.out.start[s.target]
        self.call_text(s.function, s.arguments)

    def call_text(self, function: str, arguments: Iterable[Expr]) -> None:
        self.put(f"{function}(")
        for number, argument in enumerate(arguments):
            self.put(", " if number else "")
            self.expr(argument)
        self.put(")")

    def switch(self, s: Switch) -> None:
        self.put("switch (")
        self.condition(s)
        self.put(") {\n")
        for label, body in s.cases:
            self.begin()
            self.put("default:\n" if label is None else f"case {label}:\n")
            self.body(body)
        self.begin()
        self.put("}\n")

    def declare_object(self, s: DeclareObject) -> None:
        length = len(STRUCT_FIELDS) if s.is_struct else ARRAY_LENGTH
        kind, suffix = ("struct S", "") if s.is_struct else (s.type, f"[{ARRAY_LENGTH}]")
        values = ", ".join(map(str, s.values))
        if s.rows:
            suffix = f"[{s.rows}]{suffix}"
            rows = [s.values[k : k + length] for k in range(0, s.rows * length, length)]
            values = ", ".join(f"{{{', '.join(map(str, row))}}}" for row in rows)
        self.put(f"{'static ' if s.is_static else ''}{kind} {s.name}{suffix} = {{{values}}}")

    # --- whole programs -----------------------------------------------------------------------------------------------

    def c(self) -> Printed:
        members = " ".join(f"{kind} {n};" for kind, n in zip(self.program.field_types, STRUCT_FIELDS, strict=True))
        self.put(f"{_C_HEAD}struct S {{ {members} }};\n{_READ_NUMBER if self.program.style == 'scanf' else ''}")
        for s in self.program.globals:
            self.statement(s)
        for f in self.program.functions:
            is_main = f is self.program.main
            given = ", ".join(f"{t}{'' if t.endswith('*') else ' '}{n}" for t, n in f.parameters) or "void"
            self.put("" if is_main else "static ")
            self.put(f"{f.returns} {f.name}({'int argc, char **argv' if is_main else given}) {{\n")
            self.body(f.body)
            self.put("}\n")
        return self.finished()

    def boogie(self) -> Printed:
        for f in self.program.functions:
            given = ", ".join(f"{name}: int" for _, name in f.parameters)
            result = f" returns ({f.result}: int)" if f.result else ""
            self.put(f"procedure {f.name}({given}){result} {{\n")
            scalars, maps = self.variables(f)
            self.put(f"    var {', '.join(scalars)}: int;\n" if scalars else "")
            self.put(f"    var {', '.join(maps)}: [int]int;\n" if maps else "")
            self.body(f.body)
            self.put("}\n")
        return self.finished()

    @staticmethod
    def variables(f: Function) -> tuple[list[str], list[str]]:
        known = {name for _, name in f.parameters} | {f.result}
        scalars: dict[str, None] = {}
        maps: dict[str, None] = {}
        for s in statements(f.body):
            match s:
                case Assign(target=Var(name=name)) | Havoc(name=name) | Call(target=Var(name=name)):
                    scalars.setdefault(name)
                case Assign(target=Elem(name=name)):
                    maps.setdefault(name)
                case _:
                    pass
        return [n for n in scalars if n not in known], list(maps)

    def finished(self) -> Printed:
        self.out.text = "".join(self.parts)
        return self.out


def print_program(program: Program) -> Printed:
    """The source text of a program, and where its parts are."""
    printer = _Printer(program)
    return printer.c() if program.language == "c" else printer.boogie()
