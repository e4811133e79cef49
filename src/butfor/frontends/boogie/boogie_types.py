"""Types of Boogie: what the names stand for, which sorts of terms have them, and the type of each expression."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from butfor.errors import did_you_mean
from butfor.frontends.boogie.boogie_syntax import MAP, Expr, Program, Span, Type
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.logic.sorts import INT, REAL, MapSort, Sort, is_map

INT_TYPE, BOOL_TYPE, REAL_TYPE = Type("int"), Type("bool"), Type("real")
_BITS = re.compile(r"bv([1-9][0-9]*)\Z")
_MAX_VECTOR_BITS = 1 << 16  # of a bv type: solvers do not get far with wider ones
_LOGICAL = frozenset(("&&", "||", "==>", "<==>"))
_ORDER = frozenset(("<", "<=", ">", ">="))


def bits_of(kind: Type) -> int:
    """The width of a bit-vector type, 0 for others."""
    found = _BITS.match(kind.name)
    return int(found[1]) if found else 0


def postorder(root: Expr) -> Iterator[tuple[Expr, bool]]:
    """Every expression below the root, operands first, with whether it stands in `old`."""
    stack: list[tuple[Expr, bool]] = [(root, False)]
    order = []
    while stack:
        expr, is_old = stack.pop()
        order.append((expr, is_old))
        stack += [(a, is_old or expr.op == "old") for a in expr.args]
    return reversed(order)


class TypeRules:
    """The types of one program."""

    def __init__(self, text: BoogieText, program: Program) -> None:
        self.text = text
        self.program = program

    def resolved(self, kind: Type, span: Span) -> Type:
        """The type with all names put in; a CompileError for a type that does not exist."""
        seen: set[str] = set()
        while kind.name in self.program.types and (meaning := self.program.types[kind.name]) is not None:
            if kind.name in seen:
                raise self.text.error(span, f"the type {kind.name} is defined by itself")
            seen.add(kind.name)
            kind = meaning
        if kind.is_map:
            return Type(MAP, tuple(self.resolved(part, span) for part in kind.args))
        if bits_of(kind) > _MAX_VECTOR_BITS:
            raise self.text.unsupported(span, f"a bit-vector of {bits_of(kind)} bits")
        if kind not in (INT_TYPE, BOOL_TYPE, REAL_TYPE) and not bits_of(kind) and kind.name not in self.program.types:
            raise self.text.error(
                span,
                f"there is no type {kind.name}{did_you_mean(kind.name, ('int', 'bool', 'real', *self.program.types))}",
            )
        return kind

    def sort(self, kind: Type, span: Span) -> Sort:
        """The sort of terms of a type; values of a type that the program only names are told apart by numbers."""
        kind = self.resolved(kind, span)
        if not kind.is_map:
            return {"bool": 0, "real": REAL}.get(kind.name, bits_of(kind) or INT)
        *indexes, value = (self.sort(part, span) for part in kind.args)
        for index in reversed(indexes):
            if is_map(index):
                raise self.text.unsupported(span, "a map with maps as its index")
            value = MapSort(index, value)
        return value

    def type_of(self, root: Expr, scope: Mapping[str, Type], with_old: bool = False) -> Type:
        """The type of an expression over the variables in scope; a CompileError for what does not fit."""
        known: dict[Expr, Type] = {}
        for expr, _ in postorder(root):
            if expr.op == "old" and not with_old:
                raise self.text.error(expr.span, "old() is for ensures clauses and bodies of procedures")
            known[expr] = self._one(expr, [known[a] for a in expr.args], scope)
        return known[root]

    def _one(self, expr: Expr, args: list[Type], scope: Mapping[str, Type]) -> Type:
        match expr.op:
            case "int" | "real":
                return Type(expr.op)
            case "true" | "false":
                return BOOL_TYPE
            case "bits":
                return self._literal(expr)
            case "name":
                found = scope.get(expr.data)
                if found is None:
                    raise self.text.error(
                        expr.span, f"there is no variable {expr.data}{did_you_mean(expr.data, scope)}"
                    )
                return found
            case "old":
                return args[0]
            case "not":
                return self._all(expr, args, (BOOL_TYPE,))
            case "minus":
                return self._all(expr, args, (INT_TYPE, REAL_TYPE))
            case "to_int":
                self._all(expr, args, (REAL_TYPE,))
                return INT_TYPE
            case "to_real":
                self._all(expr, args, (INT_TYPE,))
                return REAL_TYPE
            case "choice":
                return self._choice(expr, args)
            case "apply":
                return self._applied(expr, args)
            case "select" | "update":
                return self._element(expr, args)
            case "extract":
                return self._extracted(expr, args[0])
        return self._binary(expr, args)

    def _binary(self, expr: Expr, args: list[Type]) -> Type:
        op = expr.op
        if op in _LOGICAL:
            return self._all(expr, args, (BOOL_TYPE,))
        if op in ("==", "!="):
            self._same(expr, args)
            return BOOL_TYPE
        if op in _ORDER:
            self._all(expr, args, (INT_TYPE, REAL_TYPE))
            return BOOL_TYPE
        if op in ("+", "-", "*"):
            return self._all(expr, args, (INT_TYPE, REAL_TYPE))
        if op in ("div", "mod"):
            return self._all(expr, args, (INT_TYPE,))
        if op == "/":
            self._all(expr, args, (INT_TYPE, REAL_TYPE))
            return REAL_TYPE
        if op == "++" and all(map(bits_of, args)):
            return Type(f"bv{sum(map(bits_of, args))}")
        if op == "++":
            raise self.text.error(expr.span, f"++ is for bit-vectors, not {args[0]} and {args[1]}")
        raise self.text.unsupported(expr.span, f"the operator {op}")

    def _same(self, expr: Expr, args: list[Type]) -> None:
        if args[0] != args[1]:
            raise self.text.error(
                expr.span, f"{_shown(expr)} is for two values of one type, not {args[0]} and {args[1]}"
            )

    def _all(self, expr: Expr, args: list[Type], allowed: tuple[Type, ...]) -> Type:
        if any(a != args[0] for a in args) or args[0] not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise self.text.error(expr.span, f"{_shown(expr)} is for {wanted}, not {' and '.join(map(str, args))}")
        return args[0]

    def _literal(self, expr: Expr) -> Type:
        value, _, width = expr.data.partition("bv")
        if not int(width) or int(width) > _MAX_VECTOR_BITS or int(value) >> int(width):
            raise self.text.error(expr.span, f"{value} does not fit in {width} bits")
        return Type(f"bv{int(width)}")

    def _choice(self, expr: Expr, args: list[Type]) -> Type:
        if args[0] != BOOL_TYPE:
            raise self.text.error(expr.args[0].span, f"a condition is a bool, not {args[0]}")
        self._same(expr, args[1:])
        return args[1]

    def _applied(self, expr: Expr, args: list[Type]) -> Type:
        function = self.program.functions.get(expr.data)
        if function is None:
            raise self.text.error(
                expr.span, f"there is no function {expr.data}{did_you_mean(expr.data, self.program.functions)}"
            )
        wanted = [self.resolved(p.type, p.span) for p in function.params]
        self.arguments(expr.span, expr.data, args, wanted)
        return self.resolved(function.result, function.span)

    def arguments(self, span: Span, name: str, args: list[Type], wanted: list[Type]) -> None:
        """Raise a CompileError when arguments do not fit parameters."""
        if len(args) != len(wanted):
            raise self.text.error(span, f"{name} takes {len(wanted)} arguments, not {len(args)}")
        for k, (given, needed) in enumerate(zip(args, wanted, strict=True)):
            if given != needed:
                raise self.text.error(span, f"argument {k + 1} of {name} is of type {needed}, not {given}")

    def _element(self, expr: Expr, args: list[Type]) -> Type:
        kind, *rest = args
        if not kind.is_map:
            raise self.text.error(expr.span, f"{kind} is no map")
        *indexes, value = kind.args
        given = rest[:-1] if expr.op == "update" else rest
        if given != indexes:
            raise self.text.error(
                expr.span,
                f"the index of {kind} is ({', '.join(map(str, indexes))}), not ({', '.join(map(str, given))})",
            )
        if expr.op == "select":
            return value
        if rest[-1] != value:
            raise self.text.error(expr.span, f"{kind} has values of type {value}, not {rest[-1]}")
        return kind

    def _extracted(self, expr: Expr, kind: Type) -> Type:
        high, low = map(int, expr.data.split(":"))
        if not low < high <= bits_of(kind):
            raise self.text.error(expr.span, f"bits [{high}:{low}] of {kind}")
        return Type(f"bv{high - low}")


def _shown(expr: Expr) -> str:
    return {"not": "!", "minus": "-", "to_int": "int()", "to_real": "real()", "choice": "if-then-else"}.get(
        expr.op, f"`{expr.op}`"
    )
