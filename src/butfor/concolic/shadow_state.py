"""The state of the forward pass over a recorded run: terms of what depends on the input, and what was decided on them.

A term is dropped where it does not have the recorded value, or grows too large: what is then not followed is made up for by running every
input for real.
"""

from __future__ import annotations

from typing import Any

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models.library_call import Call
from butfor.concolic.path_condition import Decision, Edit, Other, PathCondition
from butfor.concolic.program_facts import Facts
from butfor.concolic.search_inputs import Field, Input
from butfor.concolic.shadow_memory import ShadowMemory
from butfor.encode.instance_values import bits_of, flat
from butfor.ir.instructions import Const, Function, Operand
from butfor.ir.machine_types import Type
from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import TRUE, Term, const, variable
from butfor.trace.recording import Recording

UNKNOWN = object()  # a value that the recording cannot give
_DEEPEST = 3000


class Frame:
    """One call of a function. `call` is that of a library function that has not returned yet."""

    __slots__ = ("base", "block", "call", "came_from", "fn", "regs", "terms")

    def __init__(self, fn: Function, base: int) -> None:
        self.fn = fn
        self.base = base
        self.regs: dict[int, Any] = {}
        self.terms: dict[int, Term] = {}
        self.block = 0
        self.came_from = -1
        self.call: Call | None = None

    def term(self, op: Operand) -> Term | None:
        """The term of an operand that depends on the input."""
        return self.terms.get(op) if isinstance(op, int) else None

    def set(self, slot: int, value: Any, term: Term | None) -> None:
        """Gives a register its value, and its term if it depends on the input."""
        self.regs[slot] = value
        if term is None:
            self.terms.pop(slot, None)
        else:
            self.terms[slot] = term

    def type_of(self, op: Operand) -> Type:
        """The type of an operand."""
        if isinstance(op, Const):
            return op.type
        d = self.fn.definer[op]
        return self.fn.params[op] if d < 0 else self.fn.instrs[d].type


class Shadow:
    """One pass. `path()` is what it has found out so far."""

    def __init__(self, recording: Recording, given: Input, facts: Facts) -> None:
        self.trace = recording.trace
        self.log = self.trace.log
        self.given = given
        self.facts = facts
        self.memory = ShadowMemory(self.trace)
        self.frames: dict[int, Frame] = {}
        self.returned: tuple[Any, Term | None] = (UNKNOWN, None)
        self.args: tuple[str | None, list[Any], list[Term | None]] | None = None
        self.values: dict[str, int] = {}
        self.value_of = Evaluator(self.values)
        self.depth: dict[Term, int] = {}
        self.fields: dict[str, Field] = {}
        self.bounds: dict[str, Term] = {}
        self.decisions: list[Decision] = []
        self.seen: set[Term] = set()
        self.edits: dict[tuple[object, ...], Edit] = {}
        self.reads: set[str] = set()
        self.gaps: set[str] = set()
        self.tables: dict[str, int] = {}  # addresses of the C library's tables of character classes
        self.table_pointers: dict[int, str] = {}
        self.copied: set[tuple[int, int]] = (
            set()
        )  # (calling segment, address) of struct arguments, copied when the callee began
        self.objects = symbolic_addresses.Bounds(recording)
        self.argv = symbolic_addresses.Arguments(recording, given)
        self.argv.put_into(self)

    def path(self) -> PathCondition:
        """What the run says about others."""
        return PathCondition(
            tuple(self.decisions),
            self.bounds,
            tuple(self.edits.values()),
            self.fields,
            self.values,
            frozenset(self.reads),
            frozenset(self.gaps),
        )

    # --- the input and what is decided on it ------------------------------------------------------------------------------------

    def variable(self, name: str, width: int, value: int) -> Term:
        """The variable of that name, with its value in this run."""
        self.values.setdefault(name, value & (1 << width) - 1)
        return variable(name, width)

    def field(self, field: Field, value: int) -> Term:
        """The variable of a number in the input."""
        name = f"{field.kind[0]}f{field.place}_{field.start}_{field.end}_{field.bits}"
        self.fields[name] = field
        return self.variable(name, field.bits, value)

    def decide(self, held: Term, others: tuple[Other, ...] = (), is_pinned: bool = False) -> None:
        """Notes a condition that held; one that does not hold by the values of the run is a mistake in following, and left out."""
        if held is TRUE:
            return
        if not self.value_of(held):
            self.gaps.add("a value that could not be followed")
            return
        if held in self.seen and (is_pinned or not any(o.is_error for o in others)):
            return
        self.seen.add(held)
        self.decisions.append(Decision(held, others, is_pinned))

    def edit(self, edit: Edit) -> None:
        """Notes an edit that is worth a try."""
        self.edits.setdefault(edit.key, edit)

    # --- values -----------------------------------------------------------------------------------------------------------------

    def concrete(self, f: Frame, op: Operand) -> Any:
        """The value of an operand, or the mark for an unknown one."""
        return self.trace.constant(op) if isinstance(op, Const) else f.regs.get(op, UNKNOWN)

    def operand(self, f: Frame, op: Operand) -> Term:
        """An operand as a term, whether it depends on the input or not."""
        term = f.term(op)
        if term is not None:
            return term
        t = f.type_of(op)
        return const(flat(self.concrete(f, op), t), bits_of(t))

    def checked(self, term: Term, value: int) -> Term | None:
        """The term, if it has the recorded value and is not too large."""
        if term.op == "const":
            return None
        depth = 1 + max((self.depth.get(a, 0) for a in term.args), default=0)
        if depth > _DEEPEST:
            self.gaps.add("a very long computation")
            return None
        self.depth[term] = depth
        if self.value_of(term) != value:
            self.gaps.add("a value that could not be followed")
            return None
        return term
