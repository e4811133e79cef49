"""z3. No other file imports it, and this one only when a question is asked."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from butfor.encode.problem import Problem
from butfor.errors import ButforError
from butfor.solve.base import Limit, SolverResult, Verdict
from butfor.solve.smtlib import script, selector
from butfor.trace.trace import Node

_POLL = 0.02  # seconds between two looks at whether a check was cancelled
_STEPS = ("propagate-values", "solve-eqs", "simplify", "bit-blast", "sat")
_MOST_MILLISECONDS = 2**31


class Z3Solver:
    """Checks by z3, each in a context of its own: checks in several threads do not meet. `in_series`: one context for checks one after another."""

    def __init__(self, in_series: bool = False) -> None:
        self._context: Any = None
        self._in_series = in_series

    def check(self, problem: Problem, limit: Limit) -> SolverResult:
        """The verdict on the problem, with a model."""
        start = time.monotonic()
        session = _Session(problem, with_selectors=False, context=self._context)
        self._context = session.context if self._in_series else None
        verdict = session.verdict((), limit)
        return SolverResult(
            verdict,
            problem.names if verdict is Verdict.UNSAT else (),
            session.model(problem) if verdict is Verdict.SAT else {},
            time.monotonic() - start,
        )

    def core(self, problem: Problem, limit: Limit) -> SolverResult:
        """The verdict, with a core that is minimal when the limit allowed it: no group of it can be left out."""
        start = time.monotonic()
        session = _Session(problem, with_selectors=True)
        verdict = session.verdict(range(len(problem.groups)), limit)
        if verdict is not Verdict.UNSAT:
            model = session.model(problem) if verdict is Verdict.SAT else {}
            return SolverResult(verdict, (), model, time.monotonic() - start)
        kept, minimal = session.shrink(session.core(), limit)
        return SolverResult(verdict, _names(problem, kept), {}, time.monotonic() - start, minimal)


def _names(problem: Problem, numbers: Sequence[int]) -> tuple[Node, ...]:
    return tuple(problem.groups[k][0] for k in sorted(numbers))


class _Session:
    """One problem loaded into one z3 context."""

    def __init__(self, problem: Problem, with_selectors: bool, context: Any = None) -> None:
        try:
            self.z3: Any = importlib.import_module("z3")
        except ImportError as e:
            raise ButforError("z3 is not installed: `pip install z3-solver` brings it") from e
        self.context = context or self.z3.Context()
        self.solver = self.z3.Solver(ctx=self.context) if with_selectors else self._by_steps()
        self.solver.from_string(script(problem, with_selectors))
        self.selectors = [self.z3.Bool(selector(k), self.context) for k in range(len(problem.groups))] if with_selectors else []

    def _by_steps(self) -> Any:
        """A solver that puts in what is known first: of a recorded run nearly everything is."""
        return self.z3.Then(*(self.z3.Tactic(step, ctx=self.context) for step in _STEPS)).solver()

    def verdict(self, groups: Sequence[int], limit: Limit) -> Verdict:
        """Whether the goal can hold with these groups switched on."""
        left = limit.left
        if left <= 0.0:
            return Verdict.UNKNOWN
        self.solver.set("timeout", min(int(left * 1000) + 1, _MOST_MILLISECONDS))
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
        """Interrupts the check when the limit is cancelled meanwhile."""
        if not limit.can_be_cancelled:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_POLL):
                if limit.left <= 0.0:
                    self.context.interrupt()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def core(self) -> list[int]:
        """The groups that z3 names for the last UNSAT."""
        prefix = len(selector(0)) - 1
        return sorted(int(str(p)[prefix:]) for p in self.solver.unsat_core())

    def shrink(self, core: list[int], limit: Limit) -> tuple[list[int], bool]:
        """A core from which nothing can be left out, by trying each group in turn; False when the time did not suffice for all."""
        needed: list[int] = []
        rest = list(core)
        complete = True
        while rest:
            tried = rest.pop()
            verdict = self.verdict((*needed, *rest), limit)
            if verdict is Verdict.UNSAT:
                found = set(self.core())
                rest = [k for k in rest if k in found]
            else:
                needed.append(tried)
                complete = complete and verdict is Verdict.SAT
        return needed, complete

    def model(self, problem: Problem) -> dict[str, int]:
        """The values that z3 found for the variables of the problem."""
        model = self.solver.model()
        values = {d.name(): model[d] for d in model.decls()}
        out: dict[str, int] = {}
        for v in problem.variables():
            value = values.get(v.data)
            out[str(v.data)] = 0 if value is None else value.as_long() if v.width else int(self.z3.is_true(value))
        return out
