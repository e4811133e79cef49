"""Names and types of a whole Boogie program, checked before anything is explored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from butfor.errors import did_you_mean
from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.boogie_types import BOOL_TYPE, TypeRules, postorder

Scope = dict[str, s.Type]


def check_types(text: BoogieText, program: s.Program) -> None:
    """Raise a CompileError at the first name or type that is wrong."""
    _Checker(text, program).all()


class _Checker:
    def __init__(self, text: BoogieText, program: s.Program) -> None:
        self.text = text
        self.program = program
        self.type_rules = TypeRules(text, program)

    def all(self) -> None:
        constants = self._scope({}, self.program.constants.values())
        globals_ = self._scope(constants, self.program.variables.values())
        for function in self.program.functions.values():
            self._function(function, constants)
        self._no_recursion()
        for axiom in self.program.axioms:
            self._bool(axiom, constants)
        for procedure in self.program.procedures.values():
            self._procedure(procedure, globals_)

    def _scope(self, outer: Scope, names: Iterable[s.Named]) -> Scope:
        scope = dict(outer)
        own: set[str] = set()
        for n in names:
            if n.name in own:
                raise self.text.error(n.span, f"{n.name} is declared twice")
            own.add(n.name)
            self.type_rules.sort(n.type, n.span)
            scope[n.name] = self.type_rules.resolved(n.type, n.span)
        return scope

    def _function(self, function: s.Function, constants: Scope) -> None:
        scope = self._scope(constants, function.params)
        result = self.type_rules.resolved(function.result, function.span)
        if function.body is None:
            return
        found = self.type_rules.type_of(function.body, scope)
        if found != result:
            raise self.text.error(function.body.span, f"the function {function.name} is of type {result}, not {found}")

    def _no_recursion(self) -> None:
        """Functions are put in where they are used, which ends only if none uses itself."""
        uses = {
            f.name: [e.data for e, _ in postorder(f.body) if e.op == "apply"] if f.body is not None else []
            for f in self.program.functions.values()
        }
        finished: set[str] = set()
        for start in uses:
            way: dict[str, list[str]] = {start: list(uses[start])}
            while way:
                name, rest = next(reversed(way.items()))
                if not rest:
                    finished.add(name)
                    del way[name]
                elif (used := rest.pop()) in way:
                    raise self.text.unsupported(
                        self.program.functions[used].span, f"the function {used}, which uses itself,"
                    )
                elif used not in finished:
                    way[used] = list(uses[used])

    def _bool(self, expr: s.Expr, scope: Mapping[str, s.Type], with_old: bool = False) -> None:
        found = self.type_rules.type_of(expr, scope, with_old)
        if found != BOOL_TYPE:
            raise self.text.error(expr.span, f"a condition is a bool, not {found}")

    def _procedure(self, procedure: s.Procedure, globals_: Scope) -> None:
        before = self._scope(globals_, procedure.params)
        after = self._scope(globals_, (*procedure.params, *procedure.returns))
        for spec in procedure.specs:
            self._bool(spec.expr, before if spec.keyword == "requires" else after, spec.keyword == "ensures")
        for name, span in procedure.modifies:
            if name not in self.program.variables:
                raise self.text.error(
                    span, f"there is no global variable {name}{did_you_mean(name, self.program.variables)}"
                )
        if procedure.body is None:
            return
        scope = self._scope(globals_, (*procedure.params, *procedure.returns, *procedure.body.variables))
        locals_ = {n.name for n in (*procedure.returns, *procedure.body.variables)}
        hidden = {n.name for n in procedure.params}
        assignable = locals_ | (self.program.variables.keys() - hidden)
        _Statements(self, scope, assignable, procedure.body).all()


class _Statements:
    """The statements of one body."""

    def __init__(self, checker: _Checker, scope: Scope, assignable: set[str], body: s.Body) -> None:
        self.checker = checker
        self.text = checker.text
        self.type_rules = checker.type_rules
        self.scope = scope
        self.assignable = assignable
        self.body = body
        self.labels: set[str] = set()

    def all(self) -> None:
        everything = list(_nested(self.body.statements))
        for statement, _ in everything:
            if isinstance(statement, s.Label):
                if statement.name in self.labels:
                    raise self.text.error(statement.span, f"the label {statement.name} is declared twice")
                self.labels.add(statement.name)
        for statement, loops in everything:
            self._one(statement, loops)

    def _one(self, statement: s.Statement, loops: tuple[str, ...]) -> None:
        match statement:
            case s.Assert():
                self.checker._bool(statement.expr, self.scope, True)
            case s.Havoc():
                for name in statement.names:
                    self._assigned(name, statement.span)
            case s.Assign():
                self._assignment(statement)
            case s.Call():
                self._call(statement)
            case s.If():
                if statement.guard is not None:
                    self.checker._bool(statement.guard, self.scope, True)
            case s.While():
                if statement.guard is not None:
                    self.checker._bool(statement.guard, self.scope, True)
                for invariant in statement.invariants:
                    self.checker._bool(invariant.expr, self.scope, True)
            case s.Jump():
                self._jump(statement, loops)

    def _jump(self, jump: s.Jump, loops: tuple[str, ...]) -> None:
        if jump.keyword == "break" and not loops:
            raise self.text.error(jump.span, "break outside of a loop")
        known = set(loops) if jump.keyword == "break" else self.labels
        for label in jump.labels:
            if label not in known:
                what = "loop around this with the label" if jump.keyword == "break" else "label"
                raise self.text.error(jump.span, f"there is no {what} {label}{did_you_mean(label, known)}")

    def _assigned(self, name: str, span: s.Span) -> s.Type:
        kind = self.scope.get(name)
        if kind is None:
            raise self.text.error(span, f"there is no variable {name}{did_you_mean(name, self.scope)}")
        if name not in self.assignable:
            what = "a constant" if name in self.checker.program.constants else "a parameter"
            raise self.text.error(span, f"{name} is {what}, which cannot be assigned")
        return kind

    def _assignment(self, statement: s.Assign) -> None:
        names = [t.name for t in statement.targets]
        if len(set(names)) < len(names):
            raise self.text.error(statement.span, "a variable is assigned twice at once")
        for target, value in zip(statement.targets, statement.values, strict=True):
            kind = self._assigned(target.name, target.span)
            for indexes in target.indexes:
                given = [self.type_rules.type_of(i, self.scope, True) for i in indexes]
                if not kind.is_map:
                    raise self.text.error(target.span, f"{kind} is no map")
                if list(kind.args[:-1]) != given:
                    wanted = ", ".join(map(str, kind.args[:-1]))
                    raise self.text.error(
                        target.span, f"the index of {kind} is ({wanted}), not ({', '.join(map(str, given))})"
                    )
                kind = kind.args[-1]
            found = self.type_rules.type_of(value, self.scope, True)
            if found != kind:
                raise self.text.error(
                    value.span,
                    f"a value of type {found} is assigned to {self.text.written(target.span)} of type {kind}",
                )

    def _call(self, call: s.Call) -> None:
        procedures = self.checker.program.procedures
        procedure = procedures.get(call.callee)
        if procedure is None:
            raise self.text.error(
                call.span, f"there is no procedure {call.callee}{did_you_mean(call.callee, procedures)}"
            )
        wanted = [self.type_rules.resolved(p.type, p.span) for p in procedure.params]
        self.type_rules.arguments(
            call.span, call.callee, [self.type_rules.type_of(a, self.scope, True) for a in call.args], wanted
        )
        results = [self.type_rules.resolved(r.type, r.span) for r in procedure.returns]
        if len(results) != len(call.outs):
            raise self.text.error(call.span, f"{call.callee} has {len(results)} results, not {len(call.outs)}")
        if len(set(call.outs)) < len(call.outs):
            raise self.text.error(call.span, "a variable is assigned twice at once")
        for name, result in zip(call.outs, results, strict=True):
            if self._assigned(name, call.span) != result:
                raise self.text.error(
                    call.span, f"a result of type {result} is assigned to {name} of type {self.scope[name]}"
                )


def _nested(statements: tuple[s.Statement, ...]) -> Iterable[tuple[s.Statement, tuple[str, ...]]]:
    """All statements, each with the labels of the loops around it; an unnamed loop has the label "".'"""
    stack: list[tuple[tuple[s.Statement, ...], tuple[str, ...]]] = [(statements, ())]
    while stack:
        block, loops = stack.pop()
        label = ""
        for statement in block:
            yield statement, loops
            if isinstance(statement, s.If):
                stack += [(statement.then, loops), (statement.otherwise, loops)]
            if isinstance(statement, s.While):
                stack.append((statement.body, (*loops, label)))
            label = statement.name if isinstance(statement, s.Label) else ""
