"""What a step depended on: where its values came from, and what let it run."""

from __future__ import annotations

from collections.abc import Mapping

from butfor.run_story import StepReason
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.access_names import Accesses
from butfor.trace.view.source_places import Places

_MAX_NODES_VISITED = 200  # values computed by more instances have too many sources to tell
_MAX_DATA_REASONS = 4  # of one step; more do not fit beside it


class ReasonFinder:
    """Finds the dependences between steps of a story; `index` gives the step that an instance belongs to."""

    def __init__(self, places: Places, dependence: Dependence, accesses: Accesses, index: Mapping[Node, int]) -> None:
        self.places = places
        self.trace = places.trace
        self.dependence = dependence
        self.accesses = accesses
        self.index = index

    def of(self, node: Node) -> tuple[StepReason, ...]:
        """The steps that the values came from, latest first, then the decision or call that let the step run.

        All of them are earlier than the step.
        """
        own = self.index[node]
        data = sorted((w for w in self._data(node, own) if w.step < own), key=lambda w: -w.step)[:_MAX_DATA_REASONS]
        control = self._control(node, own)
        return (*data, *((control,) if control is not None else ()))

    def _control(self, node: Node, own: int) -> StepReason | None:
        parent = self.dependence.control(node[0])
        while parent is not None and self.index.get(parent) == own:
            parent = self.dependence.control(parent[0])
        return None if parent is None else self._why("control", "", parent)

    def _why(self, kind: str, name: str, node: Node) -> StepReason | None:
        place = self.places.of(node)
        return None if place is None else StepReason(kind, name, self.index.get(node, -1), place.file, place.line)

    def _data(self, node: Node, own: int) -> list[StepReason]:
        found: dict[tuple[str, int, str, int], StepReason] = {}
        work: list[tuple[Node, str]] = [(target, "") for target in self._first(node)]
        seen: set[Node] = set()
        while work and len(seen) < _MAX_NODES_VISITED:
            at, name = work.pop()
            if at in seen:
                continue
            seen.add(at)
            if self._is_step(at) and self.index.get(at) != own and not self._is_untold_return(at):
                why = self._why("data", name, at)
                if why is not None:
                    found.setdefault((name, why.step, why.file, why.line), why)
                continue
            name = self._name(at) or name
            work += [(target, name) for kind, target in self.dependence.edges(at) if kind in ("data", "address")]
        return list(found.values())

    def _first(self, node: Node) -> list[Node]:
        instr = self.trace.instr(node)
        if instr.op != "call":
            return [target for kind, target in self.dependence.edges(node) if kind in ("data", "address")]
        try:  # the act of calling a function of the program has no dependences of its own
            operands = [self.trace.definition(node[0], a) for a in instr.args if isinstance(a, int)]
        except UnknownValue:
            return []
        return operands + [target for kind, target in self.dependence.edges(node) if kind == "data"]

    def _is_step(self, node: Node) -> bool:
        if node[1] < 0:
            return False
        s = self.trace.at(node[0])
        op = s.fn.instrs[node[1]].op
        return op in ("store", "ret", "br", "switch") or (op == "call" and s.seg.start <= node[1] < s.seg.end)

    def _is_untold_return(self, node: Node) -> bool:
        """Whether this is the return at the end of a function, which passes on what a return statement gave it."""
        return node not in self.index and self.trace.instr(node).op == "ret"

    def _name(self, node: Node) -> str:
        if node[1] < 0 or self.trace.instr(node).op != "load":
            return ""
        load = self.trace.instr(node)
        known = self.accesses.types.variable(self.trace.at(node[0]).fn, load.args[0])
        return self.places.lvalue_text(load) or (known[0].name if known is not None else "")
