"""Assignments that did not happen: what keeps an old value, or none, and which decision would have changed that."""

from __future__ import annotations

from butfor.libc.library import lookup
from butfor.origins.run_words import RunWords, told_leaves
from butfor.origins.value_origins import Origin
from butfor.trace.log.record_layout import ObjectKind
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.source_places import Place

_MAX_DECISIONS = 2  # told for one value: the nearest ones


class MissingAssignments:
    """Questions about assignments that a run did not make."""

    def __init__(self, words: RunWords) -> None:
        self.words = words

    def declaration(self, origin: Origin) -> Place | None:
        """Where the memory that nothing assigned was declared, or allocated; else where it was read."""
        o = self.words.objects.at(origin.address, origin.node[0])
        if o is not None and o.variable is not None:
            if o.kind == ObjectKind.GLOBAL:
                found = self.words.objects.globals.at(origin.address)
                initial = self.words.places.initialisers(*found) if found is not None else []
                if initial:
                    return initial[0]
            return self.words.places.declaration(o.variable, self.words.trace.at(origin.node[0]).fn.name)
        if o is not None and o.block is not None:
            return self.words.place(o.block.made_by)
        constant = self.words.objects.globals.at(origin.address)
        copied = None if constant is None else self.words.places.copied_initialiser(constant[0])
        return copied or self.words.place(origin.node)

    def memory_words(self, origin: Origin) -> str:
        """What the memory is: declared here, or part of a block that was made here."""
        o = self.words.objects.at(origin.address, origin.node[0])
        if o is None:
            return ""
        if o.variable is not None:
            return ": it is declared here without one" if o.kind != ObjectKind.GLOBAL else ""
        if o.block is not None:
            place = self.words.place(o.block.made_by)
            text = f": {self.words.quoted(place)}" if place is not None else ""
            return f": nothing set that part of the {o.block.kind_text} made here{text}"
        return ""

    def initial_words(self, origin: Origin, name: str) -> str:
        """That a variable still has its initial value; of a table that nothing assigns, the element that was read."""
        shown, value = f"`{name}`" if name else "it", self.words.text_of(origin.node)
        found = self.words.objects.globals.at(origin.address)
        declared = self.words.places.recording.source.global_variables().get(found[0]) if found is not None else None
        if declared is None or not declared.constant:
            return f"{shown} still had its initial value {value}: nothing had assigned it"
        indices = [leaf for leaf in self.words.leaves(origin.node) if leaf.value[:1] != "&"]
        place = self.declaration(origin)
        text = f": {self.words.quoted(place)}" if place is not None else ""
        with_ = self.words.with_origins(told_leaves(indices, 3), place)
        return f"{shown} is {value} by its initialiser here{text}" + (f" with {with_}" if with_ else "")

    def kept_by(self, load: Node, most: int = _MAX_DECISIONS) -> list[tuple[Node, str]]:
        """The decisions but for which what a load read would have been assigned again, with a sentence for each."""
        if self.words.trace.instr(load).op != "load":
            return []
        try:
            branches = self.words.dependence.potential_dependence.of_load(load)
        except UnknownValue:
            return []
        found = []
        name = self.words.pointer_name(load)
        what = f"`{name}`" if name else "it"
        branches = [branch for branch in branches if not self._goes_without_saying(branch)]
        for branch in sorted(branches, key=self._relevance, reverse=True)[:most]:
            place = self.words.place(branch)
            step = self.words.steps.of(branch, brief=True)
            if place is None or step is None or step.outcome is None:
                continue
            shown = self.words.with_origins(told_leaves(self.words.leaves(branch), 3), place)
            says = f"{self.words.quoted(place)} was {step.outcome}" + (f" with {shown}" if shown else "")
            found.append((branch, f"{says}; otherwise {what} could have been assigned"))
        return found

    def _relevance(self, branch: Node) -> tuple[bool, Node]:
        """The order of decisions: conditions of loops last, else the latest one first."""
        return not self.words.is_loop_condition(branch), branch

    def _goes_without_saying(self, branch: Node) -> bool:
        """Whether a decision only says that there was nothing more to read, or that a loop was over."""
        step = self.words.steps.of(branch, brief=True)
        if self.words.is_loop_condition(branch) and (step is None or step.outcome != "true"):
            return True
        leaves = self.words.leaves(branch)
        calls = [self.words.trace.instr(x.node) for x in leaves if x.node[1] >= 0]
        readers = [lookup(instr.callee) for instr in calls if instr.op == "call"]
        return any(known is not None and known.reads_input for known in readers)
