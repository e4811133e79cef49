"""Decisions: the branches that together evaluate one condition of the source.

At -O0 `if (a && (b || c))` is a chain of conditional branches, and `x = a && b` or `while (a && b)` is a chain that
ends in a phi of constants and the last operand. The blocks of such a chain are one decision, as in the coverage
criterion MC/DC. Grouping is conservative: a block joins the chain of its predecessors only if nothing but the chain
leads to it and it stores nothing. `(c ? x : y) < 5` is one condition too; `c` is a gate there, it chooses an operand.

`if (a) if (b) s;` has the same shape as `if (a && b) s;`. Only `related`, a test on source locations, can tell them
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butfor.ir.flow_graphs import reverse_post_order, successors
from butfor.ir.instructions import Call, Function, Instr
from butfor.ir.machine_types import int_type

_EFFECTS = frozenset({"store", "atomicrmw", "cmpxchg", "fence", "va_arg", "alloca"})
_DERIVING = frozenset({"xor", "zext", "trunc", "icmp", "freeze"})


@dataclass(frozen=True, slots=True)
class Decision:
    """One condition: its blocks in order of evaluation and the blocks outside that it chooses from.

    `joins` says that the only exit is where the result of a value like `x = a && b` is merged by a phi. The branches of
    `gates` choose an operand, as `c` does in `(c ? x : y) < 5`, and decide nothing by themselves.
    """

    blocks: tuple[int, ...]
    exits: tuple[int, ...]
    joins: bool = False
    gates: frozenset[int] = frozenset()

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
    """Builds decisions from the end of the function to its beginning, each from those of its successors.

    `plain` are conditions up to where a `?:` in them would choose an operand, `headed` are whole ones.
    """

    def __init__(self, function: Function, related: Callable[[int, int], bool]) -> None:
        self.function = function
        self.related = related
        self.plain: dict[int, Decision] = {}
        self.headed: dict[int, Decision] = {}

    def add(self, block: int) -> None:
        """Add the largest decisions that begin at a conditional branch."""
        decision = Decision((block,), tuple(dict.fromkeys(self.function.blocks[block].succs)))
        while (larger := self.extend(decision, self.plain)) is not None:
            decision = larger
        self.plain[block] = decision
        while (larger := self.chosen_operand(decision) or self.extend(decision, self.headed)) is not None:
            decision = larger
        self.headed[block] = decision

    def extend(self, decision: Decision, parts: Mapping[int, Decision]) -> Decision | None:
        """The decision with one more of the parts, None when there is none."""
        if decision.joins:
            return self.branch_on_join(decision)
        one, other = decision.exits
        return (
            self.shared_exit(decision, one, other, parts)
            or self.shared_exit(decision, other, one, parts)
            or self.both_ways(decision, one, other, parts)
            or self.joined(decision, one, other, parts)
            or self.joined(decision, other, one, parts)
        )

    def part(self, decision: Decision, block: int, parts: Mapping[int, Decision]) -> Decision | None:
        """The decision that begins at an exit, if it can be a part of this one."""
        found = parts.get(block)
        if found is None or not self.private(decision, block) or not self.quiet(block):
            return None
        here, there = self.function.terminator(decision.head), self.function.terminator(block)
        return found if there.op == "br" and self.related(here.loc, there.loc) else None

    def chosen_operand(self, decision: Decision) -> Decision | None:
        """`(c ? x : y) < 5`: both exits compute an operand for the condition that begins where they meet."""
        chosen = self.choice(decision)
        if chosen is None:
            return None
        arms, join = chosen
        rest = self.headed.get(join)
        here, there = self.function.terminator(decision.head), self.function.terminator(join)
        if rest is None or there.op != "br" or not self.related(here.loc, there.loc):
            return None
        gates = rest.gates | decision.gates | self.branches(decision)
        return Decision(decision.blocks + arms + rest.blocks, rest.exits, rest.joins, gates)

    def choice(self, decision: Decision) -> tuple[tuple[int, ...], int] | None:
        """The blocks of the two operands of `?:` and where they meet, None where the exits are something else."""
        arms = decision.exits
        targets = {self.function.blocks[arm].succs for arm in arms}
        if decision.joins or len(targets) != 1 or len(join := targets.pop()) != 1:
            return None
        if not all(self.private(decision, arm) and self.quiet(arm) for arm in arms):
            return None
        if set(self.function.blocks[join[0]].preds) != set(arms) or not self.is_compared(join[0]):
            return None
        return arms, join[0]

    def branches(self, decision: Decision) -> frozenset[int]:
        """The blocks of a decision that end in a conditional branch."""
        return frozenset(b for b in decision.blocks if len(self.function.blocks[b].succs) > 1)

    def is_compared(self, join: int) -> bool:
        """Whether a block merges one value by a phi and only computes with it.

        A value that selects an element or is passed to a function is a decision of its own.
        """
        merged, *others = self.function.block_instrs(join)
        if merged.op != "phi" or not self.quiet(join, phis=1):
            return False
        known = {merged.slot}
        for instr in others:
            if any(isinstance(arg, int) and arg in known for arg in instr.args):
                if instr.op in ("getelementptr", "load") or isinstance(instr.detail, Call):
                    return False
                known.add(instr.slot)
        return True

    def shared_exit(self, decision: Decision, block: int, other: int, parts: Mapping[int, Decision]) -> Decision | None:
        """`&&` and `||`: the part at `block` may also leave to the other exit."""
        part = self.part(decision, block, parts)
        if part is None or part.joins or other not in part.exits:
            return None
        return self.with_parts(decision, part)

    def both_ways(self, decision: Decision, one: int, other: int, parts: Mapping[int, Decision]) -> Decision | None:
        """`a ? b : c`: both exits begin parts that leave to the same two blocks."""
        first, second = self.part(decision, one, parts), self.part(decision, other, parts)
        if first is None or second is None or set(first.exits) != set(second.exits) or first.joins or second.joins:
            return None
        return self.with_parts(decision, first, second)

    def with_parts(self, decision: Decision, *parts: Decision) -> Decision:
        """The decision with parts that leave to the same blocks."""
        blocks = decision.blocks + tuple(b for part in parts for b in part.blocks)
        return Decision(blocks, parts[0].exits, gates=decision.gates.union(*(part.gates for part in parts)))

    def joined(self, decision: Decision, last: int, join: int, parts: Mapping[int, Decision]) -> Decision | None:
        """`x = a && b`: `last` computes the last operand and continues to the other exit, where a phi merges."""
        part = self.part(decision, last, parts)
        operand = self.choice(part) if part is not None else None
        gates = decision.gates
        if part is not None and part.joins:
            blocks = decision.blocks + part.blocks + part.exits
            tail = part.exits[0]
            gates |= part.gates
        elif part is not None and operand is not None:
            arms, tail = operand
            blocks = decision.blocks + part.blocks + arms + (tail,)
            gates |= part.gates | self.branches(part)
        else:
            blocks, tail = decision.blocks + (last,), last
        if tail != last and not self.quiet(tail, phis=1):
            return None
        if tail == last and not (self.private(decision, last) and self.quiet(last)):
            return None
        if self.function.blocks[tail].succs != (join,) or not self.merges(join, blocks, tail):
            return None
        return Decision(blocks, (join,), joins=True, gates=gates)

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
        if body[-1].args[0] not in known:
            return None
        return Decision(decision.blocks + (join,), targets, gates=decision.gates)

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
            grouper.add(block)
        elif len(targets) > 1:
            grouper.plain[block] = grouper.headed[block] = Decision((block,), targets)
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
