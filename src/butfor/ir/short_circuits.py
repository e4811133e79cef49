"""Decisions: the branches that together evaluate one condition of the source.

At -O0 `if (a && (b || c))` is a chain of conditional branches, and `x = a && b` or `while (a && b)` is a chain that
ends in a phi of constants and the last operand. The blocks of such a chain are one decision, as in the coverage
criterion MC/DC. Grouping is conservative: a block joins the chain of its predecessors only if nothing but the chain
leads to it and it stores nothing.

`if (a) if (b) s;` has the same shape as `if (a && b) s;`. Only `related`, a test on source locations, can tell them
apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from butfor.ir.flow_graphs import reverse_post_order, successors
from butfor.ir.instructions import Call, Function, Instr
from butfor.ir.machine_types import int_type

_EFFECTS = frozenset({"store", "atomicrmw", "cmpxchg", "fence", "va_arg", "alloca"})
_DERIVING = frozenset({"xor", "zext", "trunc", "icmp", "freeze"})


@dataclass(frozen=True, slots=True)
class Decision:
    """One condition: its blocks in order of evaluation and the blocks outside that it chooses from.

    `joins` says that the only exit is where the result of a value like `x = a && b` is merged by a phi.
    """

    blocks: tuple[int, ...]
    exits: tuple[int, ...]
    joins: bool = False

    @property
    def head(self) -> int:
        """The block where the evaluation begins."""
        return self.blocks[0]


@dataclass(frozen=True, slots=True)
class Decisions:
    """All decisions of a function; `of_block[block]` is the number of the block's decision, -1 when it is in none."""

    decisions: tuple[Decision, ...]
    of_block: tuple[int, ...]


def _any_location(first: int, second: int) -> bool:
    """True: every two locations may belong to one condition."""
    return True


class _Grouper:
    """Builds decisions from the end of the function to its beginning, each from those of its successors."""

    def __init__(self, function: Function, related: Callable[[int, int], bool]) -> None:
        self.function = function
        self.related = related
        self.headed: dict[int, Decision] = {}

    def absorb(self, block: int) -> Decision:
        """The largest decision that begins at a conditional branch."""
        decision = Decision((block,), tuple(dict.fromkeys(self.function.blocks[block].succs)))
        while (larger := self.extend(decision)) is not None:
            decision = larger
        return decision

    def extend(self, decision: Decision) -> Decision | None:
        """The decision with one more part, None when there is none."""
        if decision.joins:
            return self.branch_on_join(decision)
        one, other = decision.exits
        return (
            self.shared_exit(decision, one, other)
            or self.shared_exit(decision, other, one)
            or self.both_ways(decision, one, other)
            or self.joined(decision, one, other)
            or self.joined(decision, other, one)
        )

    def part(self, decision: Decision, block: int) -> Decision | None:
        """The decision that begins at an exit, if it can be a part of this one."""
        found = self.headed.get(block)
        if found is None or not self.private(decision, block) or not self.quiet(block):
            return None
        here, there = self.function.terminator(decision.head), self.function.terminator(block)
        return found if there.op == "br" and self.related(here.loc, there.loc) else None

    def shared_exit(self, decision: Decision, block: int, other: int) -> Decision | None:
        """`&&` and `||`: the part at `block` may also leave to the other exit."""
        part = self.part(decision, block)
        if part is None or part.joins or other not in part.exits:
            return None
        return replace(decision, blocks=decision.blocks + part.blocks, exits=part.exits)

    def both_ways(self, decision: Decision, one: int, other: int) -> Decision | None:
        """`a ? b : c`: both exits begin parts that leave to the same two blocks."""
        first, second = self.part(decision, one), self.part(decision, other)
        if first is None or second is None or set(first.exits) != set(second.exits) or first.joins or second.joins:
            return None
        return replace(decision, blocks=decision.blocks + first.blocks + second.blocks, exits=first.exits)

    def joined(self, decision: Decision, last: int, join: int) -> Decision | None:
        """`x = a && b`: `last` computes the last operand and continues to the other exit, where a phi merges."""
        part = self.part(decision, last) if last in self.headed else None
        if part is not None and part.joins:
            blocks = decision.blocks + part.blocks + part.exits
            tail = part.exits[0]
        else:
            blocks, tail = decision.blocks + (last,), last
        if tail != last and not self.quiet(tail, phis=1):
            return None
        if tail == last and not (self.private(decision, last) and self.quiet(last)):
            return None
        if self.function.blocks[tail].succs != (join,) or not self.merges(join, blocks, tail):
            return None
        return Decision(blocks, (join,), joins=True)

    def branch_on_join(self, decision: Decision) -> Decision | None:
        """`while (a && b)`: the join does nothing but branch on the merged value."""
        join = decision.exits[0]
        body = self.function.block_instrs(join)
        targets = tuple(dict.fromkeys(self.function.blocks[join].succs))
        if body[-1].op != "br" or len(targets) != 2 or join in decision.blocks:
            return None
        known = {body[0].slot}
        for instr in body[1:-1]:
            if instr.op not in _DERIVING or any(isinstance(arg, int) and arg not in known for arg in instr.args):
                return None
            known.add(instr.slot)
        return Decision(decision.blocks + (join,), targets) if body[-1].args[0] in known else None

    def private(self, decision: Decision, block: int) -> bool:
        """Whether only the decision leads to the block."""
        return block not in decision.blocks and all(
            pred in decision.blocks for pred in self.function.blocks[block].preds
        )

    def quiet(self, block: int, phis: int = 0) -> bool:
        """Whether the block stores nothing and begins with that many phis."""
        body = self.function.block_instrs(block)
        return sum(instr.op == "phi" for instr in body) == phis and not any(map(_has_effect, body))

    def merges(self, join: int, blocks: tuple[int, ...], tail: int) -> bool:
        """Whether the join is one boolean phi of constants from the decision and a value from its tail."""
        first, *others = self.function.block_instrs(join)
        if first.op != "phi" or first.type != int_type(1) or (others and others[0].op == "phi") or join in blocks:
            return False
        constant = all(
            not isinstance(arg, int) or source == tail for arg, source in zip(first.args, first.detail, strict=True)
        )
        return constant and set(self.function.blocks[join].preds) <= set(blocks)


def _has_effect(instr: Instr) -> bool:
    """Whether the instruction writes memory itself; what a called function does is part of the condition."""
    if isinstance(instr.detail, Call):
        return instr.detail.asm is not None or (instr.callee or "").startswith("llvm.mem")
    return instr.op in _EFFECTS


def find_decisions(function: Function, related: Callable[[int, int], bool] = _any_location) -> Decisions:
    """The decisions of a function: every block with two different successors belongs to exactly one.

    `related(loc, loc)` may veto that two branches belong to one condition, for example because their scopes differ.
    """
    graph = successors(function)
    grouper = _Grouper(function, related)
    order = reverse_post_order(graph)
    order += sorted(set(range(len(graph))) - set(order))
    for block in reversed(order):
        targets = tuple(dict.fromkeys(graph[block]))
        if len(targets) == 2 and function.terminator(block).op == "br":
            grouper.headed[block] = grouper.absorb(block)
        elif len(targets) > 1:
            grouper.headed[block] = Decision((block,), targets)
    return _outermost(order, grouper.headed, len(graph))


def _outermost(order: list[int], headed: dict[int, Decision], size: int) -> Decisions:
    """The decisions that are no part of another, in the order of their heads."""
    of_block = [-1] * size
    decisions: list[Decision] = []
    for block in order:
        if block in headed and of_block[block] < 0:
            found = headed[block]
            for member in found.blocks:
                of_block[member] = len(decisions)
            decisions.append(found)
    return Decisions(tuple(decisions), tuple(of_block))
