"""z3 as a solver.

Only this file and `spacer_interpolation.py` import it, and only when a question is asked.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from butfor.errors import ButforError
from butfor.logic.solvers.model_rotation import ModelRotation
from butfor.logic.solvers.model_values import NotAValue
from butfor.logic.solvers.smtlib import BITS, assertions, script, selector
from butfor.logic.solvers.solver import Layer, Limit, Name, Problem, SolverResult, Verdict
from butfor.logic.sorts import INT, REAL, MapValue, Sort, Value, default_value, is_map
from butfor.logic.terms import Term

POLL_SECONDS = 0.02  # between two looks at whether a check was cancelled
MAX_GROUPS_TRIED_ONE_BY_ONE = 40  # of a core: of more, those that evaluation shows to be needed are not asked about
_TACTICS = ("propagate-values", "solve-eqs", "simplify", "bit-blast", "sat")
TERMS_READ_AT_ONCE = 256  # by z3's parser, which takes longer to start than to read as many
MAX_TIMEOUT_MILLISECONDS = 2**31  # z3 keeps the timeout in 32 bits


class Z3Solver:
    """Checks by z3, each in a context of its own, so that threads do not meet.

    `in_series`: one context for checks that come one after another.
    """

    def __init__(self, in_series: bool = False) -> None:
        self._context: Any = None
        self._in_series = in_series

    def check(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict on the problem, with a model."""
        if limit.left <= 0.0:
            return SolverResult(Verdict.UNKNOWN)
        start = time.monotonic()
        session = _Session(problem, with_selectors=False, context=self._context)
        self._context = session.context if self._in_series else None
        verdict = session.verdict((), limit)
        model = session.model(problem.variables()) if verdict is Verdict.SAT else {}
        if model is None:  # an answer that is not understood is none
            verdict, model = Verdict.UNKNOWN, {}
        return SolverResult(verdict, problem.names if verdict is Verdict.UNSAT else (), model, time.monotonic() - start)

    def core(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict, with a core that is minimal when the limit allowed it: no group of it can be left out."""
        if limit.left <= 0.0:
            return SolverResult(Verdict.UNKNOWN)
        start = time.monotonic()
        session = _Session(problem, with_selectors=True)
        verdict = session.verdict(range(len(problem.groups)), limit)
        if verdict is not Verdict.UNSAT:
            model = session.model(problem.variables()) if verdict is Verdict.SAT else {}
            return SolverResult(
                verdict if model is not None else Verdict.UNKNOWN, (), model or {}, time.monotonic() - start
            )
        kept, minimal = session.shrink(problem, session.core(), limit)
        return SolverResult(verdict, _names(problem, kept), {}, time.monotonic() - start, minimal)


def _names(problem: Problem[Name], numbers: Sequence[int]) -> tuple[Name, ...]:
    return tuple(problem.groups[k][0] for k in sorted(numbers))


def import_z3() -> Any:
    """The module z3; imported when it is needed, because most commands never ask a solver."""
    try:
        return importlib.import_module("z3")
    except ImportError as e:
        raise ButforError("z3 is not installed: `pip install z3-solver` brings it") from e


def timeout_milliseconds(limit: Limit) -> int:
    """The time that is left, as z3 takes it."""
    return min(int(limit.left * 1000) + 1, MAX_TIMEOUT_MILLISECONDS)


class _Checks:
    """A z3 context of its own, with one solver in it."""

    def __init__(self, context: Any = None) -> None:
        self.z3: Any = import_z3()
        self.context = context or self.z3.Context()
        self.solver: Any = self.z3.Solver(ctx=self.context)
        self.selectors: list[Any] = []

    def verdict(self, groups: Sequence[int], limit: Limit) -> Verdict:
        """Whether the goal can hold with these groups switched on."""
        if limit.left <= 0.0:
            return Verdict.UNKNOWN
        self.solver.set("timeout", timeout_milliseconds(limit))
        with self._watched(limit):
            answer = self.solver.check(*(self.selectors[k] for k in groups))
        if answer == self.z3.sat:
            return Verdict.SAT
        if answer == self.z3.unsat:
            return Verdict.UNSAT
        if "keyboard" in self.solver.reason_unknown():  # z3 takes the signal while it checks
            raise KeyboardInterrupt
        return Verdict.UNKNOWN

    @contextmanager
    def _watched(self, limit: Limit) -> Iterator[None]:
        """Interrupt the check when the limit is cancelled meanwhile."""
        if not limit.can_be_cancelled:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(POLL_SECONDS):
                if limit.left <= 0.0:
                    self.context.interrupt()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def model(self, wanted: Iterable[Term]) -> dict[str, Value] | None:
        """The values that z3 found for the variables; None when one of them cannot be told."""
        wanted = tuple(wanted)
        if not wanted:
            return {}
        model = self.solver.model()
        values = {d.name(): model[d] for d in model.decls()}
        out: dict[str, Value] = {}
        for v in wanted:
            value = values.get(v.data)
            if value is None:
                out[str(v.data)] = default_value(v.width)
            elif v.width >= 0:
                out[str(v.data)] = value.as_long() if v.width else int(self.z3.is_true(value))
            else:
                try:
                    out[str(v.data)] = self._read(value, v.width)
                except NotAValue:
                    return None
        return out

    def _read(self, value: Any, sort: Sort) -> Value:
        """The value of an unbounded number or a map."""
        z3 = self.z3
        if not is_map(sort):
            if sort == REAL and z3.is_rational_value(value):
                return value.as_fraction()
            if sort != INT and sort != REAL:
                return value.as_long() if sort else int(z3.is_true(value))
            if sort == INT and z3.is_int_value(value):
                return value.as_long()
            raise NotAValue
        written = []
        while z3.is_store(value):
            written.append((self._read(value.arg(1), sort.index), self._read(value.arg(2), sort.value)))
            value = value.arg(0)
        if not z3.is_const_array(value):
            raise NotAValue
        found = MapValue(self._read(value.arg(0), sort.value))
        for k, v in reversed(written):
            found = found.having(k, v)
        return found


class _Session(_Checks):
    """One problem loaded into one z3 context."""

    def __init__(self, problem: Problem[Any], with_selectors: bool, context: Any = None) -> None:
        super().__init__(context)
        text = script(problem, with_selectors)
        if not with_selectors and text.startswith(BITS):
            self.solver = self._by_tactics()
        self.solver.from_string(text)
        self.selectors = (
            [self.z3.Bool(selector(k), self.context) for k in range(len(problem.groups))] if with_selectors else []
        )

    def _by_tactics(self) -> Any:
        """A solver that propagates known values first: in the formula of a recorded run nearly everything is known."""
        return self.z3.Then(*(self.z3.Tactic(step, ctx=self.context) for step in _TACTICS)).solver()

    def core(self) -> list[int]:
        """The groups that z3 names for the last UNSAT."""
        prefix = len(selector(0)) - 1
        return sorted(int(str(p)[prefix:]) for p in self.solver.unsat_core())

    def shrink(self, problem: Problem[Any], core: list[int], limit: Limit) -> tuple[list[int], bool]:
        """A core from which nothing can be left out, and whether the time sufficed to try each group."""
        known: set[int] = set()
        if len(core) > MAX_GROUPS_TRIED_ONE_BY_ONE:
            known = ModelRotation(problem, set(core)).needed(lambda: limit.left <= 0)
        needed: list[int] = []
        rest = list(core)
        complete = True
        while rest:
            tried = rest.pop()
            if tried in known:
                needed.append(tried)
                continue
            verdict = self.verdict((*needed, *rest), limit)
            if verdict is Verdict.UNSAT:
                found = set(self.core())
                rest = [k for k in rest if k in found]
            else:
                needed.append(tried)
                complete = complete and verdict is Verdict.SAT
        return needed, complete


class Z3Stack(_Checks):
    """Assertions in layers that one z3 solver keeps between checks; what it learned from the lower layers stays.

    `only_bits`: bit-vectors and booleans only, for which z3 has a solver that is faster.
    """

    def __init__(self, only_bits: bool = False) -> None:
        super().__init__()
        self._only_bits = only_bits
        self._layers: list[Layer] = []
        if only_bits:
            self.solver = self.z3.SolverFor("QF_BV", ctx=self.context)

    def check(self, layers: Sequence[Layer], limit: Limit, wanted: Iterable[Term] = ()) -> SolverResult[None]:
        """Whether all layers can hold together, with the values of the wanted variables."""
        start = time.monotonic()
        try:
            return self._check(layers, limit, tuple(wanted), start)
        except self.z3.Z3Exception:  # an interrupt that came too late ends the next call, whatever it is
            self.__init__(self._only_bits)  # type: ignore[misc]  # all of it is lost
            return SolverResult(Verdict.UNKNOWN, (), {}, time.monotonic() - start)

    def _check(self, layers: Sequence[Layer], limit: Limit, wanted: Sequence[Term], start: float) -> SolverResult[None]:
        same = 0
        while same < min(len(layers), len(self._layers)) and layers[same] is self._layers[same]:
            same += 1
        if same < len(self._layers):
            self.solver.pop(len(self._layers) - same)
            del self._layers[same:]
        for layer in layers[same:]:
            self.solver.push()
            self.solver.add(self.z3.parse_smt2_string(assertions(layer), ctx=self.context))
            self._layers.append(layer)
        verdict = self.verdict((), limit)
        model = self.model(wanted) if verdict is Verdict.SAT else {}
        return SolverResult(
            verdict if model is not None else Verdict.UNKNOWN, (), model or {}, time.monotonic() - start
        )


def impossible_each(terms: Sequence[Term], limit: Limit, seconds: float) -> Iterator[bool]:
    """Whether each term by itself cannot hold. They are read together: a name has one sort in all of them.

    Each is given some seconds; between them is looked whether the limit is reached.
    """
    checks = _Checks()
    for first in range(0, len(terms), TERMS_READ_AT_ONCE):
        chunk = terms[first : first + TERMS_READ_AT_ONCE]
        for expression in checks.z3.parse_smt2_string(assertions(chunk), ctx=checks.context):
            checks.solver.push()
            checks.solver.add(expression)
            yield checks.verdict((), Limit.after(min(seconds, limit.left))) is Verdict.UNSAT
            checks.solver.pop()


def no_values_exist(
    base: Sequence[Term], condition: Term, names: Sequence[str], wanted: Sequence[Term], limit: Limit
) -> tuple[Verdict, Mapping[str, Value]]:
    """Whether the base can hold so that no values of the named variables fulfil the condition: a quantified query."""
    checks = _Checks()
    z3, context = checks.z3, checks.context
    inner = z3.And(*z3.parse_smt2_string(assertions((condition,)), ctx=context))
    bound = [c for c in constants_of(z3, inner) if c.decl().name() in set(names)]
    checks.solver.add(z3.parse_smt2_string(assertions(base), ctx=context))
    checks.solver.add(z3.ForAll(bound, z3.Not(inner)) if bound else z3.Not(inner))
    verdict = checks.verdict((), limit)
    free = [v for v in wanted if str(v.data) not in set(names)]
    model = checks.model(free) if verdict is Verdict.SAT else {}
    return (verdict, model) if model is not None else (Verdict.UNKNOWN, {})


def constants_of(z3: Any, root: Any) -> list[Any]:
    """The uninterpreted constants of an expression."""
    found, stack, seen = [], [root], set()
    while stack:
        e = stack.pop()
        if e.get_id() in seen:
            continue
        seen.add(e.get_id())
        if z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.append(e)
        stack.extend(e.children())
    return found
