"""Parsing of Boogie text into `boogie_syntax.Program`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from butfor.errors import CompileError
from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.declarations import collect_declarations

_QUANTIFIERS = {"forall": "a quantifier (forall)", "exists": "a quantifier (exists)", "lambda": "a lambda expression"}


@cache
def _parser() -> Lark:
    grammar = resources.files(__package__).joinpath("boogie.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def parse(text: BoogieText) -> s.Program:
    """The program; a CompileError where the text is no Boogie, an UnsupportedError where it cannot be followed."""
    try:
        tree = _parser().parse(text.text)
    except UnexpectedInput as e:
        raise _syntax_error(text, e) from e
    builder = _SyntaxBuilder(text)
    built: dict[int, Any] = {}
    for node in tree.iter_subtrees():  # children come first
        children = [built[id(c)] if isinstance(c, Tree) else c for c in node.children]
        meta = node.meta
        span = text.span(meta.start_pos, meta.end_pos) if not meta.empty else s.Span(1, 1, 0, 0)
        built[id(node)] = getattr(builder, node.data)(children, span)
    return collect_declarations(text, built[id(tree)])


def _syntax_error(text: BoogieText, e: UnexpectedInput) -> CompileError:
    start = e.pos_in_stream if isinstance(e, UnexpectedCharacters) else None
    if isinstance(e, UnexpectedToken) and e.token.type != "$END":
        start = e.token.start_pos
    if isinstance(e, UnexpectedEOF) or start is None:
        return text.error(
            text.span(len(text.text), len(text.text)), "syntax error: the file ends in the middle of a declaration"
        )
    line = text.text[start:].split("\n", 1)[0]
    word = str(e.token) if isinstance(e, UnexpectedToken) else line[:1]
    shown = word.encode("utf-8", "backslashreplace").decode()
    return text.error(text.span(start, start + 1), f"syntax error at {shown!r}", _expectation(e))


def _expectation(e: UnexpectedInput) -> str:
    """A hint where little else could stand there."""
    wanted = set(getattr(e, "accepts", None) or getattr(e, "expected", None) or ())
    names = {
        "SEMICOLON": "`;`",
        "RPAR": "`)`",
        "RBRACE": "`}`",
        "NAME": "a name",
        "COLON": "`:`",
        "LPAR": "`(`",
        "LBRACE": "`{`",
        "RSQB": "`]`",
    }
    known = sorted(names[w] for w in wanted if w in names)
    return f"expected {' or '.join(known)}" if known and len(wanted) <= 3 else ""


def _strings(items: list[Any]) -> tuple[str, ...]:
    return tuple(str(i) for i in items if isinstance(i, Token))


class _SyntaxBuilder:
    """One method for each rule of the grammar: its children, already built, to the node of the program."""

    def __init__(self, text: BoogieText) -> None:
        self.text = text

    def __getattr__(self, rule: str) -> Any:
        raise NotImplementedError(f"the grammar has a rule {rule} that is not built")

    def start(self, c: list[Any], span: s.Span) -> Any:
        return c

    def _at(self, token: Token) -> s.Span:
        return self.text.span(token.start_pos or 0, token.end_pos or 0)

    # Declarations.

    def type_decl(self, c: list[Any], span: s.Span) -> Any:
        names, meaning = _strings(c), c[-1]
        if len(names) > 1:
            raise self.text.unsupported(span, f"the type {names[0]}, which has parameters,")
        return "type", names[0], meaning, span

    def const_decl(self, c: list[Any], span: s.Span) -> Any:
        return "const", c[-1], any(isinstance(x, Token) for x in c)

    def var_decl(self, c: list[Any], span: s.Span) -> Any:
        return "var", c[0]

    def axiom_decl(self, c: list[Any], span: s.Span) -> Any:
        return "axiom", c[-1]

    def function_decl(self, c: list[Any], span: s.Span) -> Any:
        attributes: dict[str, str] = dict(x[1:] for x in c if isinstance(x, tuple) and x[:1] == ("attribute",))
        rest = [x for x in c if not (isinstance(x, tuple) and x[:1] == ("attribute",))]
        name, generic, args, result, *body = rest
        self._not_generic(generic, span)
        params = [s.Named(n or f"#{k}", t, where) for k, (n, t, where) in enumerate(args or [])]
        builtin = attributes.get("bvbuiltin") or attributes.get("builtin") or ""
        kind = result if isinstance(result, s.Type) else result[1]
        return s.Function(str(name), tuple(params), kind, body[0] if body else None, builtin, span)

    def procedure_decl(self, c: list[Any], span: s.Span) -> Any:
        rest = [x for x in c if not (isinstance(x, tuple) and x[:1] == ("attribute",))]
        name, generic, params, returns, *more = rest
        self._not_generic(generic, span)
        specs = tuple(x for x in more if isinstance(x, s.Spec))
        modifies = tuple(pair for x in more if isinstance(x, list) for pair in x)
        body = next((x for x in more if isinstance(x, s.Body)), None)
        return s.Procedure(str(name), tuple(params or ()), tuple(returns or ()), specs, modifies, body, span)

    def implementation_decl(self, c: list[Any], span: s.Span) -> Any:
        return "implementation", self.procedure_decl(c, span)

    def _not_generic(self, generic: Any, span: s.Span) -> None:
        if generic is not None:
            raise self.text.unsupported(span, "a type parameter")

    def returns(self, c: list[Any], span: s.Span) -> Any:
        return c[0] or []

    def type_params(self, c: list[Any], span: s.Span) -> Any:
        return "generic", c

    def function_args(self, c: list[Any], span: s.Span) -> Any:
        return c

    def function_arg(self, c: list[Any], span: s.Span) -> Any:
        return (None if c[-2] is None else str(c[-2])), c[-1], span

    def typed_list(self, c: list[Any], span: s.Span) -> Any:
        return [named for group in c for named in group]

    def typed(self, c: list[Any], span: s.Span) -> Any:
        return c[-1]

    def bare(self, c: list[Any], span: s.Span) -> Any:
        *names, kind, _ = c
        return [s.Named(str(n), kind, self._at(n)) for n in names]

    def where(self, c: list[Any], span: s.Span) -> Any:
        raise self.text.unsupported(span, "a where clause", "write an assume statement, or a requires clause")

    def requires(self, c: list[Any], span: s.Span) -> Any:
        return s.Spec("requires", c[-1], c[0] is not None, span)

    def ensures(self, c: list[Any], span: s.Span) -> Any:
        return s.Spec("ensures", c[-1], c[0] is not None, span)

    def modifies(self, c: list[Any], span: s.Span) -> Any:
        return [(str(n), self._at(n)) for n in c if isinstance(n, Token)]

    def attribute(self, c: list[Any], span: s.Span) -> Any:
        return "attribute", str(c[0]), c[1]

    def attribute_args(self, c: list[Any], span: s.Span) -> Any:
        return str(c[0]).strip('"') if isinstance(c[0], Token) else ""

    # Types.

    def map_type(self, c: list[Any], span: s.Span) -> Any:
        return s.Type(s.MAP, tuple(c))

    def polymorphic_type(self, c: list[Any], span: s.Span) -> Any:
        raise self.text.unsupported(span, "a map type with type parameters")

    def named_type(self, c: list[Any], span: s.Span) -> Any:
        if len(c) > 1:
            raise self.text.unsupported(span, f"the type {c[0]} with arguments")
        return s.Type(str(c[0]))

    # Statements.

    def body(self, c: list[Any], span: s.Span) -> Any:
        variables = tuple(v for x in c if isinstance(x, tuple) and x[0] == "var" for v in x[1])
        return s.Body(variables, tuple(x for x in c if not isinstance(x, tuple)), span)

    def block(self, c: list[Any], span: s.Span) -> Any:
        return tuple(c)

    def label(self, c: list[Any], span: s.Span) -> Any:
        return s.Label(str(c[0]), span)

    def assert_(self, c: list[Any], span: s.Span) -> Any:
        return s.Assert(c[-1], False, span)

    def assume(self, c: list[Any], span: s.Span) -> Any:
        return s.Assert(c[-1], True, span)

    def havoc(self, c: list[Any], span: s.Span) -> Any:
        return s.Havoc(_strings(c), span)

    def assign(self, c: list[Any], span: s.Span) -> Any:
        targets = tuple(x for x in c if isinstance(x, s.Target))
        values = tuple(x for x in c if isinstance(x, s.Expr))
        if len(targets) != len(values):
            raise self.text.error(span, f"{len(targets)} variables are assigned {len(values)} values")
        return s.Assign(targets, values, span)

    def target(self, c: list[Any], span: s.Span) -> Any:
        return s.Target(str(c[0]), tuple(c[1:]), span)

    def index(self, c: list[Any], span: s.Span) -> Any:
        return tuple(c)

    def call(self, c: list[Any], span: s.Span) -> Any:
        *_, callee, args = c
        return s.Call(_strings(c[:-2]), callee, tuple(args or ()), span)

    def callee(self, c: list[Any], span: s.Span) -> Any:
        return "".join(str(x) for x in c)

    def arguments(self, c: list[Any], span: s.Span) -> Any:
        return c

    def if_(self, c: list[Any], span: s.Span) -> Any:
        (guard, where), then, otherwise = c
        return s.If(guard, then, otherwise or (), span, where)

    def else_(self, c: list[Any], span: s.Span) -> Any:
        return (c[0],) if isinstance(c[0], s.If) else c[0]

    def any(self, c: list[Any], span: s.Span) -> Any:
        return None, span

    def guard(self, c: list[Any], span: s.Span) -> Any:
        return c[0], c[0].span

    def while_(self, c: list[Any], span: s.Span) -> Any:
        (guard, where), *invariants, body = c
        return s.While(guard, tuple(invariants), body, span, where)

    def invariant(self, c: list[Any], span: s.Span) -> Any:
        return s.Invariant(c[-1], c[0] is not None, span)

    def break_(self, c: list[Any], span: s.Span) -> Any:
        return s.Jump("break", _strings(c), span)

    def return_(self, c: list[Any], span: s.Span) -> Any:
        return s.Jump("return", (), span)

    def goto(self, c: list[Any], span: s.Span) -> Any:
        return s.Jump("goto", _strings(c), span)

    # Expressions.

    def binary(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr(str(c[1]), (c[0], c[2]), "", span)

    def explies(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("==>", (c[1], c[0]), "", span)

    def not_(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("not", (c[0],), "", span)

    def minus(self, c: list[Any], span: s.Span) -> Any:
        if c[0] != "-":
            raise self.text.error(span, "syntax error: there is no unary +")
        return s.Expr("minus", (c[1],), "", span)

    def select(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("select", tuple(c), "", span)

    def update(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("update", tuple(c), "", span)

    def extract(self, c: list[Any], span: s.Span) -> Any:
        if c[1].op != "int":
            raise self.text.error(c[1].span, "the bits of an extraction are numbers")
        return s.Expr("extract", (c[0],), f"{c[1].data}:{c[2]}", span)

    def true(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("true", (), "", span)

    def false(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("false", (), "", span)

    def int_(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("int", (), str(c[0]), span)

    def real_(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("real", (), str(c[0]), span)

    def bits(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("bits", (), str(c[0]), span)

    def name(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("name", (), str(c[0]), span)

    def apply(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("apply", tuple(c[1] or ()), str(c[0]), span)

    def old(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("old", (c[0],), "", span)

    def to_int(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("to_int", (c[0],), "", span)

    def to_real(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("to_real", (c[0],), "", span)

    def group(self, c: list[Any], span: s.Span) -> Any:
        return c[0]

    def choice(self, c: list[Any], span: s.Span) -> Any:
        return s.Expr("choice", tuple(c), "", span)

    def quantifier(self, c: list[Any], span: s.Span) -> Any:
        raise self.text.unsupported(span, _QUANTIFIERS[str(c[0])])

    def trigger(self, c: list[Any], span: s.Span) -> Any:
        return None
