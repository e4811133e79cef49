"""Any solver that reads SMT-LIB 2 from its standard input, such as `cvc5 --incremental` or `z3 -in`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from butfor.errors import ToolMissing
from butfor.logic.solvers.model_values import read_model
from butfor.logic.solvers.smtlib import script, selector
from butfor.logic.solvers.solver import Layer, Limit, Name, Problem, SolverResult, Verdict
from butfor.logic.sorts import default_value
from butfor.logic.terms import TRUE, Term
from butfor.native.kept_process import KeptProcess

_HEAD = "(set-option :produce-models true)\n(set-option :produce-unsat-assumptions true)\n"
POLL_SECONDS = 0.05  # between two looks at whether a check was cancelled
_VERDICTS = {"sat": Verdict.SAT, "unsat": Verdict.UNSAT}


class ProcessSolver:
    """Checks by a program, one process for each question."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)

    def check(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict on the problem, with a model."""
        start = time.monotonic()
        wanted = problem.variables()
        values = f"(get-value ({' '.join(f'|{v.data}|' for v in wanted)}))\n" if wanted else ""
        verdict, rest = self._ask(f"{script(problem, with_selectors=False)}\n(check-sat)\n{values}", limit)
        if verdict is Verdict.SAT:
            model = read_model(rest, wanted)
            if model is None:  # an answer that is not understood is none
                return SolverResult(Verdict.UNKNOWN, (), {}, time.monotonic() - start)
            return SolverResult(verdict, (), model, time.monotonic() - start)
        return SolverResult(verdict, problem.names if verdict is Verdict.UNSAT else (), {}, time.monotonic() - start)

    def core(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict, with a core that is minimal when the limit allowed it."""
        start = time.monotonic()
        text = script(problem, with_selectors=True)
        verdict, core = self._assuming(text, range(len(problem.groups)), limit)
        if verdict is not Verdict.UNSAT:
            return SolverResult(verdict, (), {}, time.monotonic() - start)
        needed: list[int] = []
        rest, minimal = core, True
        while rest:
            tried = rest.pop()
            verdict, found = self._assuming(text, (*needed, *rest), limit)
            if verdict is Verdict.UNSAT:
                rest = [k for k in rest if k in set(found)]
            else:
                needed.append(tried)
                minimal = minimal and verdict is Verdict.SAT
        names = tuple(problem.groups[k][0] for k in sorted(needed))
        return SolverResult(Verdict.UNSAT, names, {}, time.monotonic() - start, minimal)

    def _assuming(self, text: str, groups: Sequence[int], limit: Limit) -> tuple[Verdict, list[int]]:
        assumed = " ".join(map(selector, groups))
        verdict, rest = self._ask(f"{text}\n(check-sat-assuming ({assumed}))\n(get-unsat-assumptions)\n", limit)
        prefix = len(selector(0)) - 1
        return verdict, sorted(
            {int(name[prefix:]) for name in re.findall(rf"\b{selector(0)[:prefix]}\d+", rest)}
        ) if verdict is Verdict.UNSAT else []

    def _ask(self, text: str, limit: Limit) -> tuple[Verdict, str]:
        """The first word of the answer as a verdict, and the rest of it."""
        if limit.left <= 0.0:
            return Verdict.UNKNOWN, ""
        program = shutil.which(self.command[0])
        if program is None:
            raise ToolMissing(f"the solver {self.command[0]} cannot be started", hint="see BUTFOR_SOLVER")
        with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as answers:
            question.write(f"{_HEAD}{text}(exit)\n".encode())
            question.seek(0)
            with KeptProcess(
                self.command,
                executable=program,
                env=os.environ,
                stdin=question.fileno(),
                stdout=answers.fileno(),
                stderr=subprocess.DEVNULL,
            ) as process:  # with all that it starts: a solver may be a script around one
                while process.wait(min(POLL_SECONDS, max(limit.left, 0.001))) is None:
                    if limit.left <= 0.0:
                        return Verdict.UNKNOWN, ""
            answers.seek(0)
            answer = answers.read().decode("utf-8", "replace")
        first, _, rest = answer.strip().partition("\n")
        return _VERDICTS.get(first.strip(), Verdict.UNKNOWN), rest


class ProcessStack:
    """Layers of assertions, all of them sent with each question."""

    def __init__(self, command: Sequence[str]) -> None:
        self.solver = ProcessSolver(command)

    def check(self, layers: Sequence[Layer], limit: Limit, wanted: Iterable[Term] = ()) -> SolverResult[None]:
        """Whether all layers can hold together, with the values of the wanted variables."""
        result = self.solver.check(Problem(((None, tuple(t for layer in layers for t in layer)),), TRUE), limit)
        if result.verdict is not Verdict.SAT:
            return result
        return replace(
            result, model={str(v.data): result.model.get(str(v.data), default_value(v.width)) for v in wanted}
        )
