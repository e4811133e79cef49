"""The trace formula: do chosen instances alone force the roots to be as recorded?

Instances are equations, in groups by statement instance; the goal is that a root differs. `recheck` asks a solver.
An operand whose definition was not chosen is a free variable. Initial data, inputs and what library code gave are as
recorded. What solvers do not do well (floating point, wide products and divisions, vectors) has recorded-value
semantics: recorded operands give the recorded result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from butfor.encode.instance_values import Gap, InstanceValues
from butfor.encode.instruction_terms import term_of, zero_rule
from butfor.encode.load_pieces import LoadPieces, Piece
from butfor.encode.statement_groups import Links, statement_groups
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind, Type, store_size
from butfor.logic.solvers import Limit, Solver, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, concat, conjunction, const, equal, extract, implies, ite, negate, resize, variable
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.semantics.instruction_semantics import SemanticsError
from butfor.trace.trace import Node, Trace, UnknownValue

_DECISIONS = frozenset(("br", "switch", "indirectbr"))


def encode(
    trace: Trace,
    nodes: Iterable[Node],
    roots: Iterable[Node],
    dependence: Dependence | None = None,
    held: Mapping[Node, Term] | None = None,
) -> Problem[Node]:
    """The problem that has no model when the instances alone force the roots to be as recorded.

    `held` are conditions that are taken to hold, by the instances that decided them.
    """
    links = Links(dependence or Dependence(trace), nodes)
    encoder = _Encoder(links)
    wanted = tuple(roots)
    found = statement_groups(links, wanted)
    for node in links.nodes:
        encoder.equations(node)
    terms = {
        name: tuple(t for node in members for t in (*encoder.equations(node), *encoder.so_far(node)))
        for name, members in found.items()
    }
    for node, condition in (held or {}).items():
        terms[node] = (*terms.get(node, ()), condition)
    goal = negate(conjunction(encoder.is_as_recorded(node) for node in wanted))
    return Problem(tuple(terms.items()), goal, tuple(encoder.gaps))


class _Encoder:
    """Equations of the instances of one run."""

    def __init__(self, links: Links) -> None:
        self.links = links
        self.trace: Trace = links.trace
        self.values: InstanceValues = links.values
        self.load_pieces = LoadPieces(links.dependence)
        self.gaps: dict[Node, None] = {}
        self._known: dict[Node, tuple[Term, ...]] = {}
        self._so_far: dict[Node, dict[Term, Term]] = {}
        self._ends: dict[int, int] = {}

    def equations(self, node: Node) -> tuple[Term, ...]:
        """What holds between an instance and what it used; nothing where the recording does not say."""
        known = self._known.get(node)
        if known is None:
            try:
                known = tuple(self._parameter(node) if node[1] < 0 else self._instruction(node))
            except (UnknownValue, Gap, SemanticsError):
                self.gaps[node] = None
                known = ()
            self._known[node] = known
        return known

    def is_as_recorded(self, node: Node) -> Term:
        """The condition that a root is as recorded."""
        try:
            return self.values.as_recorded(node)
        except (UnknownValue, Gap, SemanticsError):
            self.gaps[node] = None
            return variable(f"gap{node[0]}_{abs(node[1])}", 0)

    def _is(self, node: Node, term: Term, conditions: Iterable[Term] = ()) -> list[Term]:
        """The instance equals the term under the conditions.

        Where the widths differ (a call through a wrong type), it has recorded-value semantics.
        """
        v = self.values.variable(node)
        return [implies(conjunction(conditions), equal(v, term))] if v.width == term.width else self._recorded(node)

    def _recorded(self, node: Node) -> list[Term]:
        """Recorded-value semantics: if all sources are as recorded, so is the instance."""
        condition = conjunction(self.values.as_recorded(t) for t in self.links.sources(node))
        return [implies(condition, self.values.as_recorded(node))]

    # --- calls --------------------------------------------------------------------------------------------------------

    def _parameter(self, node: Node) -> list[Term]:
        i, k = node[0], ~node[1]
        call = self.trace.call_of(i)
        fn = self.trace.at(i).fn
        if call is not None and self.trace.is_direct_call(call, fn) and not fn.byval[k]:
            instr = self.trace.instr(call)
            if k < len(instr.detail.arg_types):
                return self._is(node, self.values.operand(call[0], instr.args[k]), self._callee(call))
        if call is None:
            return self._recorded(node)
        return [implies(self._went(call, i), self.values.as_recorded(node))]

    def _went(self, call: Node, i: int) -> Term:
        """The condition that a call went as recorded; seen from code that it called back, that it did so far."""
        if not self._is_running(call, i):
            return self.values.as_recorded(call)
        known = self._so_far.setdefault(call, {})
        condition = variable(f"a{call[0]}_{call[1]}_{i}", 0)
        if condition not in known:
            before = [t for t in self.links.sources(call) if t[0] < i]
            known[condition] = implies(conjunction(self.values.as_recorded(t) for t in before), condition)
        return condition

    def _is_running(self, call: Node, i: int) -> bool:
        """Whether a call had not returned when a segment instance began."""
        last = self.trace.at(call[0]).call
        if call[0] >= i or last is None or last.index != call[1]:
            return False
        end = self._ends.get(call[0])
        if end is None:
            end = self._ends[call[0]] = self.trace.next_in_frame(call[0])
        return end < 0 or end > i

    def so_far(self, call: Node) -> Iterable[Term]:
        """What code that a call called back relied on."""
        return self._so_far.get(call, {}).values()

    def _callee(self, call: Node) -> list[Term]:
        """The condition on the function pointer of an indirect call."""
        instr = self.trace.instr(call)
        return self._address(call[0], instr.args[-1]) if instr.callee is None and instr.args else []

    def _call(self, node: Node) -> list[Term]:
        """The result of a call: what the callee returned, or what library code gave."""
        ret = self.trace.return_instance(node[0])
        if ret is not None and ret in self.links.sources(node) and self.trace.instr(ret).args:
            call = self.trace.log.previous_in_frame(node[0]), node[1]
            return self._is(node, self.values.variable(ret), self._callee(call) if call[0] >= 0 else [])
        return self._recorded(node)

    # --- instructions -------------------------------------------------------------------------------------------------

    def _instruction(self, node: Node) -> list[Term]:
        i = node[0]
        instr = self.trace.instr(node)
        match instr.op:
            case "alloca":
                return []
            case "load":
                return self._load(node, instr)
            case "call":
                return self._recorded(node) if self.values.is_act(node) else self._call(node)
            case "phi":
                return self._is(node, self._phi(node, instr))
            case "store" | "br" | "switch" | "indirectbr" | "ret" if instr.args:
                return self._is(node, self.values.operand(i, instr.args[0]))
            case "atomicrmw" | "cmpxchg":
                return self._atomic(node)
        return self._plain(node, instr)

    def _plain(self, node: Node, instr: Instr) -> list[Term]:
        """An operation on registers."""
        i = node[0]
        args = [self.values.operand(i, a) for a in instr.args]
        term = term_of(instr, args, self._type(i, instr.args[0])) if args else None
        if term is not None:
            return self._is(node, term)
        v = self.values.variable(node)
        return [*(implies(c, x) for c, x in zero_rule(instr, args, v)), *self._recorded(node)]

    def _type(self, i: int, op: Operand) -> Type:
        return op.type if isinstance(op, Const) else self.values.type_of(self.trace.definition(i, op))

    def _phi(self, node: Node, instr: Instr) -> Term:
        """The operand taken, if all branches go as recorded.

        Where one goes elsewhere, the operand of its other arm if that leads straight here, else anything.
        """
        chosen, at = self.trace.phi_choice(node)
        term = self.values.operand(at, chosen)
        block = self.trace.at(node[0]).seg.block
        gates = [t for t in self.links.sources(node) if t[1] >= 0 and self.trace.instr(t).op in _DECISIONS]
        for gate in dict.fromkeys(gates):  # innermost first
            s = self.trace.at(gate[0])
            others = {b for b in s.fn.blocks[s.seg.block].succs if b != self._taken(gate)}
            if others == {block}:
                other = self.values.operand(gate[0], instr.args[instr.detail.index(s.seg.block)])
            else:
                other = variable(f"phi{node[0]}_{node[1]}_{gate[0]}", term.width)
            term = ite(self.values.as_recorded(gate), term, other)
        return term

    def _taken(self, gate: Node) -> int:
        following = self.trace.next_in_frame(gate[0])
        return self.trace.at(following).seg.block if following >= 0 else -1

    # --- memory -------------------------------------------------------------------------------------------------------

    def _load(self, node: Node, instr: Instr) -> list[Term]:
        """The value is made of what was stored, if the addresses on both sides are as recorded."""
        data = self.trace.loaded_bytes(node)
        pieces = self.load_pieces.of(node)
        conditions = self._address(node[0], instr.args[0])
        parts = []
        at = 0
        for piece in pieces:
            conditions += self._conditions(node, piece, pieces)
            recorded = const(int.from_bytes(data[at : at + piece.size], "little"), 8 * piece.size)
            parts.append(
                recorded if piece.store is None else extract(self._image(piece.store), 8 * piece.offset, 8 * piece.size)
            )
            at += piece.size
        whole = concat(parts)
        v = self.values.variable(node)
        value = resize(whole, v.width)
        if instr.type.kind in (Kind.STRUCT, Kind.ARRAY) and int.from_bytes(data, "little") != self.values.recorded(
            node
        ):
            return self._recorded(node)  # padding was not zero
        return [implies(conjunction(conditions), equal(v, value))]

    def _conditions(self, load: Node, piece: Piece, pieces: list[Piece]) -> list[Term]:
        """What must be as recorded for a piece to be what it was."""
        found = [self._went(call, load[0]) for call in piece.calls]
        if piece.store is not None:
            return found + self._store_address(piece.store)
        if piece.is_fixed:
            return found
        stores = {p.store for p in pieces}
        outside = [t for t in self.links.sources(load) if t not in stores]
        return found + [
            self._went(t, load[0]) if self.values.is_act(t) else self.values.as_recorded(t) for t in outside
        ]

    def _store_address(self, store: Node) -> list[Term]:
        instr = self.trace.instr(store)
        return self._address(store[0], instr.address)

    def _address(self, i: int, op: Operand) -> list[Term]:
        """The condition on an address whose computation was chosen too."""
        if isinstance(op, Const):
            return []
        definition = self.trace.definition(i, op)
        return [self.values.as_recorded(definition)] if definition in self.links.nodes else []

    def _image(self, store: Node) -> Term:
        """The bytes that a store wrote."""
        instr = self.trace.instr(store)
        if instr.op != "store":
            return variable(f"s{store[0]}_{store[1]}", 8 * len(self.trace.stored_bytes(store)))
        return resize(self.values.variable(store), 8 * store_size(instr.detail))

    def _atomic(self, node: Node) -> list[Term]:
        """The old and the new value are as recorded if all that they came from is."""
        image = self._image(node)
        stored = const(int.from_bytes(self.trace.stored_bytes(node), "little"), image.width)
        condition = conjunction(self.values.as_recorded(t) for t in self.links.sources(node))
        return [*self._recorded(node), implies(condition, equal(image, stored))]


def recheck(
    trace: Trace,
    nodes: Iterable[Node],
    roots: Iterable[Node],
    seconds: float,
    *,
    dependence: Dependence | None = None,
    held: Mapping[Node, Term] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    solver: Solver | None = None,
) -> Verdict:
    """UNSAT when the instances alone force the roots to be as recorded (the cause is proved), SAT when they do not.

    UNKNOWN when the time did not suffice, or when the recording does not say enough about one of the instances.
    """
    problem = encode(trace, nodes, roots, dependence, held)
    limit = Limit.after(seconds) if is_cancelled is None else Limit.after(seconds, is_cancelled)
    verdict = (solver or default_solver()).check(problem, limit).verdict
    return Verdict.UNKNOWN if verdict is Verdict.SAT and problem.gaps else verdict  # with gaps, a model proves nothing
