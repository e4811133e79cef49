"""The failed check behind an exit status: tests report a failure long after the fact.

The status is followed back through variables, counters and returned values to the first instance that made it bad; the
decision that led there is the check, if it is written as one: by a macro or a function with such a name, or by one of a
test framework. Other decisions may be what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.program import Program
from butfor.source.source_model import Role
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.source_places import Places

_MAX_HOPS = 20_000  # instances between the status and what made it bad: as many failed checks in one run
_MAX_CALL_DEPTH = 8  # of functions of a framework, or that only check what they are given
_CHECKING = re.compile(
    r"assert|check|expect|ensure|verify|require|should|must|fail|(?:^|_)(?:test|ok)(?:_|$)"
    r"|^(?:ok|is)\d*$|_(?:eq|ne|lt|gt|le|ge)$|^(?:eq|ne)_",
    re.IGNORECASE,
)
_MACRO = re.compile(r"\s*(\w+)\s*\(")
_SAME_TRUTH = frozenset("zext sext trunc freeze bitcast ptrtoint".split())
_FRAMEWORK_FILES = re.compile(
    r"(?:^|/)(?:unity(?:_\w+)?|munit|greatest|minunit|acutest|cutest|CuTest|utest|cmocka|seatest|sput|attounit|picotest)"
    r"\.[ch]$"
)


@dataclass(frozen=True, slots=True)
class CheckBehind:
    """A check: an instance of the arm that it led to, and the decision, or the values that were checked.

    `function` is the function that checks, where that is another one than the one that asks for it.
    """

    node: Node
    roots: tuple[Node, ...]
    function: str = ""

    def is_written_as_one(self, places: Places, trusted: Collection[str]) -> bool:
        """Whether the source says that this is a check, and not that something else is decided."""
        if self.function:
            return self.function in trusted or _is_name_of_check(places.trace.program, self.function)
        place = places.of(self.node)
        if place is None or place.role != Role.MACRO:
            return False
        macro = _MACRO.match(place.text)
        return macro is not None and _CHECKING.search(macro[1]) is not None


def _is_name_of_check(program: Program, function: str) -> bool:
    return _CHECKING.search(function) is not None or _is_of_framework(program, function)


def is_framework_file(path: str) -> bool:
    """Whether a source belongs to a test framework, by its name."""
    return _FRAMEWORK_FILES.search(path) is not None


def _is_of_framework(program: Program, name: str) -> bool:
    where = program.source.function_location(name)
    return where is not None and is_framework_file(where.file)


def check_behind_status(
    trace: Trace, dependence: Dependence, end: Node, status: Operand, trusted: Collection[str] = ()
) -> CheckBehind | None:
    """The check whose failure a status tells of, where `end` is the instance that ended the run with it.

    None where the status is computed, or decided on by the function that ends the run.
    """
    walk = _Walk(trace, dependence, trusted)
    try:
        return walk.first_check(end, status)
    except UnknownValue:
        return None


class _Walk:
    """Follows a status back; `is_counted` once it has gone through a counter or a flag that others see."""

    def __init__(self, trace: Trace, dependence: Dependence, trusted: Collection[str]) -> None:
        self.trace = trace
        self.dependence = dependence
        self.trusted = trusted
        self.hops = 0
        self.is_counted = False

    def first_check(self, end: Node, status: Operand) -> CheckBehind | None:
        """The check, going from decision to decision as long as these only look at what another one left."""
        here = self._origin(end, status)
        while here is not None:
            decision = self._decision(here)
            if decision is None:
                return None
            further = self._behind_flag(decision)
            if further is None:
                is_own = self.trace.at(decision[0]).fn is self.trace.at(end[0]).fn
                return None if is_own and not self.is_counted else self._in_caller(here, decision)
            here = further
        return None

    def _decision(self, here: Node) -> Node | None:
        """The decision that led to an instance, in its function or in a caller."""
        node = self.dependence.control(here[0])
        while node is not None and not self.trace.instr(node).is_conditional:
            node = self.dependence.control(node[0])
        return node

    # --- where a value came from --------------------------------------------------------------------------------------

    def _origin(self, at: Node, op: Operand) -> Node | None:
        """The instance that made a value what it is: it gave a constant, or counted the first one.

        None where the value is computed from others.
        """
        here = at
        while self.hops < _MAX_HOPS:
            self.hops += 1
            if isinstance(op, Const):
                return self._first_setting(here)
            here = self.trace.definition(here[0], op)
            step = self._step(here)
            if step is None:
                return None
            here, found = step
            if found is None:
                return here
            op = found
        return None

    def _first_setting(self, node: Node) -> Node:
        """The first instance of a store that set a global flag since it was reset: later ones changed nothing."""
        instr = self.trace.instr(node)
        if instr.op != "store" or not isinstance(instr.args[1], Const) or _is_nothing(self.trace, instr.args[0]):
            return node
        positions = self.trace.log.positions(self.trace.log.segment(node[0]))
        reset = max((at for at in self._resets(instr.args[1]) if at < node[0]), default=-1)
        return int(positions[positions.searchsorted(reset, "right")]), node[1]

    def _resets(self, flag: Const) -> Iterator[int]:
        """When nothing was stored in a global variable, by stores that name it."""
        trace = self.trace
        for name in trace.executed_functions:
            fn = trace.program.function(name)
            for instr in fn.instrs:
                if instr.op == "store" and instr.args[1] == flag and _is_nothing(trace, instr.args[0]):
                    yield from trace.log.positions(trace.static.defining_segment(fn, instr.index)).tolist()

    def _step(self, node: Node) -> tuple[Node, Operand | None] | None:
        """The instance and its operand that decide about a value; no operand where the instance itself does."""
        i, n = node
        if n < 0:
            call = self.trace.call_of(i)
            if call is None or not self.trace.is_direct_call(call, self.trace.at(i).fn):
                return None
            return call, self.trace.instr(call).args[~n]
        instr = self.trace.instr(node)
        if instr.op in _SAME_TRUTH:
            return node, instr.args[0]
        match instr.op:
            case "icmp" | "xor":
                return self._compared(node, instr)
            case "load":
                store = self._store(node)
                return None if store is None else (store, self.trace.instr(store).args[0])
            case "call":
                ret = self.trace.return_instance(i)
                return None if ret is None or not self.trace.instr(ret).args else (ret, self.trace.instr(ret).args[0])
            case "phi":
                chosen, before = self.trace.phi_choice(node)
                last = self.trace.at(before).last
                if isinstance(chosen, Const) and last.is_conditional:  # the value of `a && b`
                    return (before, last.index), last.args[0]
                return (before, last.index), chosen
            case "select":
                return node, instr.args[0]
            case "add" | "or":
                return self._counted(node, instr)
            case _:
                return None

    def _compared(self, node: Node, instr: Instr) -> tuple[Node, Operand] | None:
        """What is compared with nothing."""
        values = [a for a in instr.args if not isinstance(a, Const)]
        constants = [a for a in instr.args if isinstance(a, Const)]
        if len(values) != 1 or (
            instr.op == "icmp" and constants[0].kind not in ("null", "zero") and constants[0].value
        ):
            return None
        return node, values[0]

    def _counted(self, node: Node, instr: Instr) -> tuple[Node, Operand | None]:
        """The first instance that counted: the one that found nothing."""
        self.is_counted = True
        left, right = instr.args
        if not self.trace.operand(node[0], left):
            return node, None if isinstance(right, Const) else right
        return node, left

    def _store(self, load: Node) -> Node | None:
        """The store that wrote what a load read, if it is one."""
        writers = self.trace.writers(load)
        sources = {s for w, size in writers for s in self.trace.last_writers.sources(w, size)}
        if len(sources) != 1:
            return None
        (source,) = sources
        return self.trace.find_store(source.number)[1] if source.kind == "store" else None

    # --- decisions that only look at a flag ---------------------------------------------------------------------------

    def _behind_flag(self, decision: Node) -> Node | None:
        """What set the flag that a decision asks for; None where the decision is a check of its own."""
        condition = self.trace.instr(decision).args[0]
        load = self._flag(decision, condition)
        if load is None:
            return None
        fn = self.trace.at(load[0]).fn
        address = self.trace.instr(load).args[0]
        is_local = not isinstance(address, Const)
        if is_local and not self._is_trusted(fn):
            store = self._store(load)
            if store is None or not self._is_counter(store):
                return None
        else:
            self.is_counted = True
        return self._origin(decision, condition)

    def _flag(self, decision: Node, condition: Operand) -> Node | None:
        """The load of the variable that a condition compares with nothing."""
        node = decision
        while not isinstance(condition, Const):
            node = self.trace.definition(node[0], condition)
            instr = self.trace.instr(node) if node[1] >= 0 else None
            if instr is None:
                return None
            if instr.op == "load":
                return node
            if instr.op not in _SAME_TRUTH and instr.op not in ("icmp", "xor"):
                return None
            step = self._step(node)
            if step is None or step[1] is None:
                return None
            node, condition = step[0], step[1]
        return None

    def _is_counter(self, store: Node) -> bool:
        """Whether a store writes a sum, or a constant: not the result of a call, which would be what is checked."""
        value = self.trace.instr(store).args[0]
        if isinstance(value, Const):
            return True
        node = self.trace.definition(store[0], value)
        return node[1] >= 0 and self.trace.instr(node).op in ("add", "or")

    # --- functions that only check ------------------------------------------------------------------------------------

    def _in_caller(self, here: Node, decision: Node) -> CheckBehind:
        """The check where it is written: at the call of a framework, or of a function that compares its parameters."""
        inside = self._in_function_of(here, decision)
        roots: tuple[Node, ...] = (decision,)
        checking = ""
        for _ in range(_MAX_CALL_DEPTH):
            fn = self.trace.at(inside[0]).fn
            given = self._given(fn, roots)
            call = self.trace.call_of(inside[0])
            if call is None or not (given or self._is_trusted(fn)) or not self.trace.is_direct_call(call, fn):
                break
            args = self.trace.instr(call).args
            wanted = sorted(given) if given else range(len(args))
            found = tuple(self.trace.definition(call[0], a) for k in wanted if isinstance(a := args[k], int))
            if not found and not self._is_trusted(fn):
                break
            inside, roots, checking = call, found, fn.name
        return CheckBehind(inside, roots, checking)

    def _in_function_of(self, here: Node, decision: Node) -> Node:
        """The instance of the decision's function that led to this one."""
        frame = self.trace.log.frame_of(decision[0])
        while self.trace.log.frame_of(here[0]) != frame:
            call = self.trace.call_of(here[0])
            if call is None:
                return decision
            here = call
        return here

    def _is_trusted(self, fn: Function) -> bool:
        return fn.name in self.trusted or _is_of_framework(self.trace.program, fn.name)

    def _given(self, fn: Function, roots: tuple[Node, ...]) -> frozenset[int]:
        """The parameters that are checked, where nothing else is."""
        found: set[int] = set()
        for root in roots:
            instr = self.trace.instr(root) if root[1] >= 0 else None
            work = [instr] if instr is not None else []
            if instr is None:
                found.add(~root[1])
            while work:
                now = work.pop()
                operands = now.args[:1] if now.op == "br" else now.args
                if now.op == "load":
                    parameter = _saved_parameter(fn, now.args[0])
                    if parameter is None:
                        return frozenset()
                    found.add(parameter)
                    continue
                if now.op not in ("br", "switch", "icmp", "fcmp", "xor") and now.op not in _SAME_TRUTH:
                    return frozenset()
                for a in operands:
                    if isinstance(a, int):
                        d = fn.definer[a]
                        if d < 0:
                            found.add(a)
                        else:
                            work.append(fn.instrs[d])
        return frozenset(found)


def _is_nothing(trace: Trace, op: Operand) -> bool:
    return isinstance(op, Const) and not trace.constant(op)


def _saved_parameter(fn: Function, slot: Operand) -> int | None:
    """The parameter that a local variable holds from the entry of its function on, if nothing else is stored there."""
    stored = [instr.args[0] for instr in fn.instrs if instr.op == "store" and instr.args[1] == slot]
    if len(stored) != 1 or not isinstance(stored[0], int) or stored[0] >= len(fn.params):
        return None
    return stored[0]
