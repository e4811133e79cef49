"""The ladder from a value back to where it was made: one rung for each statement that computed something."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from butfor.ir.array_indices import address_computations
from butfor.ir.instructions import Const, Operand
from butfor.libc.library import lookup
from butfor.origin_ladder import Ladder, Rung, RungKind
from butfor.origins.calls_through_pointers import calls_through_pointers
from butfor.origins.input_words import input_words
from butfor.origins.missing_assignments import MissingAssignments
from butfor.origins.repeated_updates import RepeatedUpdate, repeated_update
from butfor.origins.run_words import Leaf, RunWords, callee_name, told_leaves
from butfor.origins.value_origins import Origin, OriginKind
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

MAX_RUNGS = 9  # of a story: what fits a screen together with the failure and the first causes
_MAX_OPERANDS_FOLLOWED = 3  # of one computation
_RUNGS_OF_SYMPTOM = 2  # the failure and what it read: an assignment that is missing there is worth a rung
_MAX_ROUNDS_FOLLOWED = 3  # of an update: the values that it added are told one by one
_MAX_USES_SHOWN = 4  # values beside a statement
_MAX_THROUGH = 6  # places that only passed a value on
_MAX_VALUES_FOLLOWED = 24  # of one ladder: beyond that, a loop tells the same again and again


@dataclass(frozen=True, slots=True)
class Subject:
    """Something to explain: a value, with its name as written ("" for none) and the instance that asks for it.

    Where `is_decision`, it is a branch: the question is why it went as it did.
    """

    node: Node
    name: str = ""
    level: int = 0
    asked_by: Node | None = None
    is_decision: bool = False


@dataclass(slots=True)
class LadderBuilder:
    """Collects the rungs of one ladder; what was told once is not told again."""

    words: RunWords
    most: int = MAX_RUNGS
    rungs: list[Rung] = field(default_factory=list)
    is_complete: bool = True
    _told: set[tuple[Node, str]] = field(default_factory=set)

    def ladder(self) -> Ladder:
        """The rungs so far."""
        return Ladder(tuple(self.rungs), self.is_complete)

    def add(self, rung: Rung) -> bool:
        """Add a rung where there is room for it and it says something new; whether it was added."""
        if any((r.says, r.file, r.line) == (rung.says, rung.file, rung.line) for r in self.rungs):
            return False
        if len(self.rungs) >= self.most:
            self.is_complete = False
            return False
        self.rungs.append(rung)
        return True

    def at(self, kind: RungKind, node: Node, says: str, level: int = 0) -> Rung:
        """A rung at the statement of an instance."""
        rung = self.at_place(kind, self.words.place(node), says, level)
        return replace(rung, rounds=self.words.rounds(node[0]))

    def at_place(self, kind: RungKind, place: Place | None, says: str, level: int = 0) -> Rung:
        """A rung at a statement."""
        if place is None:
            return Rung(kind, says, level=level)
        return Rung(kind, says, place.file, place.line, place.column, place.function, place.text, level)

    def tell_operand(self, leaf: Leaf, level: int, asked_by: Node) -> None:
        """Tell where a value came from, if that says more than the value and the line that are told already."""
        if self._is_telling(leaf, asked_by):
            self.tell_value(Subject(leaf.node, leaf.name, level, asked_by))

    # --- values -------------------------------------------------------------------------------------------------

    def tell_value(self, subject: Subject) -> None:
        """Add the rungs that say where a value came from, the nearest first."""
        work = [subject]
        for _ in range(_MAX_VALUES_FOLLOWED):
            if not work:
                return
            first = work.pop(0)
            work = (self._decision(first) if first.is_decision else self._tell(first)) + work
        self.is_complete = self.is_complete and not work

    def _decision(self, subject: Subject) -> list[Subject]:
        """Tell a decision; the values that decided it are returned, where they say more."""
        prefix = "" if not self.rungs else "because "
        if not self.tell_decision(subject.node, subject.level, prefix):
            return []
        leaves = [leaf for leaf in self.words.leaves(subject.node) if not leaf.is_index]
        telling = [x for x in leaves if self._is_telling(x, subject.node) and not self._is_counter(x)]
        return [Subject(leaf.node, leaf.name, subject.level, subject.node) for leaf in telling[:1]]

    def _tell(self, subject: Subject) -> list[Subject]:
        """Tell the origin of a value; the values that it was made of are returned."""
        origin = self.words.origins.of(subject.node)
        key = (origin.holder, "")
        if key in self._told:
            return []
        self._told.add(key)
        match origin.kind:
            case OriginKind.COMPUTED:
                return self._computed(subject, origin)
            case OriginKind.CONSTANT:
                return self._constant(subject, origin)
            case OriginKind.RETURNED:
                return self._returned(subject, origin)
            case OriginKind.WRITTEN:
                self._written(subject, origin)
            case OriginKind.INITIAL | OriginKind.UNINITIALISED:
                return self._unassigned(subject, origin)
            case OriginKind.ADDRESS:
                return self._address(subject, origin)
            case OriginKind.OUTSIDE:
                self._outside(subject, origin)
        return []

    def _through(self, subject: Subject, origin: Origin, made: Place | None) -> tuple[tuple[str, int], ...]:
        """The places between the statement that made a value and the one that asks for it."""
        asked_at = self.words.place(subject.asked_by) if subject.asked_by is not None else None
        own = {(p.path, p.line) for p in (made, asked_at) if p is not None}
        passing = [n for n in origin.through if n[1] < 0 or self.words.trace.instr(n).op != "ret"]
        places = [self.words.place(node) for node in passing]
        found = dict.fromkeys((p.file, p.line) for p in places if p is not None and (p.path, p.line) not in own)
        return tuple(found)[:_MAX_THROUGH]

    def _rung(self, subject: Subject, origin: Origin, node: Node, says: str, values: list[Leaf] | None = None) -> bool:
        place = self.words.place(node)
        shown = tuple((leaf.name, leaf.value) for leaf in values or ())
        rung = replace(
            self.at(RungKind.VALUE, node, says, subject.level),
            through=self._through(subject, origin, place),
            values=shown,
        )
        return self.add(rung)

    def _computed(self, subject: Subject, origin: Origin) -> list[Subject]:
        holder = self._holder_beside(origin, self.words.place(origin.node))
        node = holder or origin.node
        place = self.words.place(node)
        instr = self.words.trace.instr(node)
        leaves = self.words.leaves(origin.node)
        update = repeated_update(self.words, node, leaves) if instr.op == "store" else None
        if update is not None and update.count > 1:
            return self._updated(subject, origin, node, update)
        if holder is None and self._is_told_already(place, subject):
            return self._operands(subject, leaves, node)
        uses = told_leaves(leaves, _MAX_USES_SHOWN)
        with_values = self.words.with_origins(uses, place)
        says = (
            self._made_words(subject, origin, node)
            + self._cut_words(origin.node)
            + (f" with {with_values}" if with_values else "")
        )
        self._rung(subject, origin, node, self._located(says, node), uses)
        return self._operands(subject, leaves, node) + self._decided(subject, origin)

    def _is_told_already(self, place: Place | None, subject: Subject) -> bool:
        """Whether a value was computed within the statement that asks for it: its operands are told there."""
        asked_at = self.words.place(subject.asked_by) if subject.asked_by is not None else None
        return place is not None and asked_at is not None and (place.path, place.line) == (asked_at.path, asked_at.line)

    def _decided(self, subject: Subject, origin: Origin) -> list[Subject]:
        """The decision that chose a value, or that let the statement run which made it, if it says something."""
        branch = self.words.decision_on(origin, subject.asked_by)
        return [] if branch is None else [Subject(branch, level=subject.level + 1, is_decision=True)]

    def _holder_beside(self, origin: Origin, place: Place | None) -> Node | None:
        """The store or return that put a computed value into a variable, in the statement that computed it."""
        for node in origin.through[::-1][:1]:
            there = self.words.place(node)
            if node[1] >= 0 and there is not None and (place is None or there.line == place.line):
                return node
        return None

    def _made_words(self, subject: Subject, origin: Origin, node: Node) -> str:
        """The clause that says what a statement made: `avg` became 3 here: `avg = sum / n`."""
        place, instr = self.words.place(node), self.words.trace.instr(node)
        text = self.words.quoted(place) if place is not None else ""
        if instr.op == "store":
            step = self.words.steps.of(node, brief=True)
            target = step.target if step is not None else None
            value = self.words.stored_text(node, instr, target)
            if target is None and place is not None and place.role == "return":
                return f"{self.words.trace.at(node[0]).fn.name}() returned {value} here: {text}"
            name = f"`{target or subject.name}`" if target or subject.name else "the value"
            return f"{name} became {value} here: {text}"
        if instr.op == "ret":
            return f"{self.words.trace.at(node[0]).fn.name}() returned {self.words.text_of(origin.node)} here: {text}"
        if origin.through and origin.through[-1][1] < 0:
            return f"{text} passed {self.words.text_of(origin.node)}"
        return f"{text} gave {self.words.text_of(origin.node)}" if text else f"it is {self.words.text_of(origin.node)}"

    def _cut_words(self, node: Node) -> str:
        """That a value did not fit where it was converted to, if so."""
        instr = self.words.trace.instr(node)
        if instr.op != "trunc":
            return ""
        before, after = self.words.origins.before_conversion(node), self.words.text_of(node)
        return f", cut from {before} to {after} because only {instr.type.bits} bits fit" if before is not None else ""

    def _located(self, says: str, node: Node) -> str:
        """The clause with the round of the loop and the call that it was in, where the call is another one."""
        extra = [self.words.round_words(node[0])]
        return says + "".join(f", {words}" for words in extra if words)

    def _updated(self, subject: Subject, origin: Origin, store: Node, update: RepeatedUpdate) -> list[Subject]:
        """Tell a variable that a loop changed again and again."""
        place, instr = self.words.place(store), self.words.trace.instr(store)
        step = self.words.steps.of(store, brief=True)
        name = (step.target if step is not None else None) or subject.name or "the value"
        value = self.words.stored_text(store, instr, name)
        text = self.words.quoted(place) if place is not None else ""
        first = self.words.line_of(update.start) if update.start is not None else ""
        since = f" since it was set at {first}" if first else ""
        times = f"{update.count:,} times{since}"
        says = f"`{name}` became {value} here: {text}, run {times} ({', '.join(update.history)})"
        each = [leaf for at in update.instances for leaf in self._added(at, name)]
        added = list({(leaf.name, leaf.value): leaf for leaf in each}.values()) if update.is_constant else each
        if not added:  # what was counted may have been counted in the wrong place
            added = [leaf for leaf in self.words.leaves(store, self._address_operands(store)) if leaf.name != name]
        few = added if update.count <= _MAX_ROUNDS_FOLLOWED or update.is_constant else []
        if update.cut is not None:
            says += self._cut_words(update.cut) + f", {self.words.round_words(update.cut[0])}".rstrip(", ")
        shown = self.words.with_origins(few[-_MAX_USES_SHOWN:], place)
        self._rung(subject, origin, store, says + (f" with {shown}" if shown else ""), few[-_MAX_USES_SHOWN:])
        return self._operands(subject, few[-_MAX_OPERANDS_FOLLOWED:], store)

    def _address_operands(self, store: Node) -> tuple[Operand, ...]:
        """The operands that chose the element which a store assigned."""
        fn = self.words.trace.at(store[0]).fn
        geps = address_computations(fn, self.words.trace.instr(store).args[1])
        return tuple(a for gep in geps for a in gep.args[1:] if not isinstance(a, Const))

    def _added(self, store: Node, name: str) -> list[Leaf]:
        """What an update of a variable read besides that variable."""
        return [leaf for leaf in self.words.leaves(store) if leaf.name != name and not leaf.is_index]

    def _is_counter(self, leaf: Leaf) -> bool:
        """Whether a value was counted up in a loop: its rounds are told with the decision that it is a part of."""
        holder = self.words.origins.of(leaf.node).holder
        if holder[1] < 0 or self.words.trace.instr(holder).op != "store":
            return False
        if self.words.log.frame_of(holder[0]) != self.words.log.frame_of(leaf.node[0]):
            return False
        return repeated_update(self.words, holder, self.words.leaves(holder)) is not None

    def _operands(self, subject: Subject, leaves: list[Leaf], node: Node) -> list[Subject]:
        """The operands of a computation that are worth a rung of their own."""
        telling = [leaf for leaf in leaves if self._is_telling(leaf, node)]
        values = [leaf for leaf in telling if not leaf.is_index] or telling
        level = subject.level if len(values) == 1 else subject.level + 1
        return [Subject(leaf.node, leaf.name, level, node) for leaf in values[:_MAX_OPERANDS_FOLLOWED]]

    def _is_telling(self, leaf: Leaf, asked_by: Node) -> bool:
        """Whether a rung would say more than the value and where it is from, which the rung above has."""
        origin = self.words.origins.of(leaf.node)
        if origin.kind is OriginKind.CONSTANT:
            return self.words.decision_on(origin, asked_by) is not None
        if origin.kind in (OriginKind.RETURNED, OriginKind.WRITTEN):
            return not input_words(self.words, origin.node, origin.event)
        return origin.kind not in (OriginKind.ADDRESS, OriginKind.OUTSIDE)

    def _constant(self, subject: Subject, origin: Origin) -> list[Subject]:
        node = origin.holder if origin.through else origin.node
        if node[1] < 0:  # a constant argument
            call = self.words.trace.call_of(node[0])
            name = f"`{subject.name}`" if subject.name else "the value"
            place = self.words.place(call) if call is not None else None
            text = self.words.quoted(place) if place is not None else "the call"
            self._rung(
                subject, origin, call or node, f"{name} is {self.words.text_of(subject.node)}, passed here: {text}"
            )
            return []
        self._rung(subject, origin, node, self._located(self._made_words(subject, origin, node), node))
        return self._decided(subject, origin)

    def _returned(self, subject: Subject, origin: Origin) -> list[Subject]:
        """Tell the result of a library function; what it was given follows."""
        instr, place = self.words.trace.instr(origin.node), self.words.place(origin.node)
        leaves = [leaf for leaf in self.words.leaves(origin.node) if leaf.name != f"{callee_name(instr)}()"]
        text = f": {self.words.quoted(place)}" if place is not None else ""
        given = self.words.with_origins(told_leaves(leaves, _MAX_USES_SHOWN), place)
        block = self.words.objects.blocks.of(self.words.objects.blocks.made_in(origin.node[0]))
        value = self.words.text_of(subject.node) if block is None else f"&({block.value_text()})"
        says = f"{callee_name(instr)}() returned {value} here{text}" + (f" with {given}" if given else "")
        self._rung(subject, origin, origin.node, self._located(says, origin.node), leaves[:_MAX_USES_SHOWN])
        read = input_words(self.words, origin.node)
        if read:
            self.add(self.at(RungKind.INPUT, origin.node, read, subject.level + 1))
        chosen, found = self._chosen(subject, origin), lookup(instr.callee)
        is_end = found is None or found.allocates or read
        return chosen if is_end else chosen + self._operands(subject, leaves, origin.node)

    def _chosen(self, subject: Subject, origin: Origin) -> list[Subject]:
        """What chose a value that was only passed on: a condition among operands, a pointer to a function."""
        level = subject.level + 1
        found = [Subject(branch, level=level, is_decision=True) for branch in origin.decisions[:1]]
        for call, place, pointer, name in calls_through_pointers(self.words, origin):
            called = f"{self.words.quoted(place)} called {self.words.text_of(pointer)}() through `{name}`"
            self.add(self.at(RungKind.CALL, call, self._located(called, call), level))
            found.append(Subject(pointer, name, level, call))
        return found

    def _written(self, subject: Subject, origin: Origin) -> None:
        instr, place = self.words.trace.instr(origin.node), self.words.place(origin.node)
        text = f": {self.words.quoted(place)}" if place is not None else ""
        name, value = f"`{subject.name}`" if subject.name else "the value", self.words.text_of(subject.node)
        who = f"{callee_name(instr)}()" if instr.callee and not instr.callee.startswith("llvm.") else "a copy"
        by = "" if who == "a copy" and place is not None and place.role == "declaration" else f", written by {who}"
        is_passed_on = bool(origin.through) and who != "a copy"  # the call wrote to another variable
        says = f"{value} was written here by {who}{text}" if is_passed_on else f"{name} became {value} here{by}{text}"
        self._rung(subject, origin, origin.node, self._located(says, origin.node))
        read = input_words(self.words, origin.node, origin.event)
        if read:
            self.add(self.at(RungKind.INPUT, origin.node, read, subject.level + 1))

    def _unassigned(self, subject: Subject, origin: Origin) -> list[Subject]:
        """Tell memory that nothing has assigned: where it is declared, what would have assigned it, and why not."""
        missing = MissingAssignments(self.words)
        name = f"`{subject.name}`" if subject.name else "it"
        if origin.kind is OriginKind.INITIAL:
            says, kind = (
                missing.initial_words(origin, self.words.pointer_name(origin.node) or subject.name),
                RungKind.DECLARATION,
            )
        else:
            says, kind = f"{name} was never given a value{missing.memory_words(origin)}", RungKind.MISSING
        rung = self.at_place(kind, missing.declaration(origin), says, subject.level)
        made = self.words.place(origin.node)
        self.add(replace(rung, through=self._through(subject, origin, made)) if made is not None else rung)
        if len(self.rungs) <= _RUNGS_OF_SYMPTOM or kind is RungKind.MISSING:
            self.tell_missing(origin.node, subject.level + 1)
        indices = [leaf for leaf in self.words.leaves(origin.node) if leaf.value[:1] != "&"]
        return self._operands(subject, indices, origin.node)

    def tell_missing(self, load: Node, level: int, most: int = 2) -> None:
        """Add the decisions but for which another value would have been assigned to what a load read."""
        for decision, says in MissingAssignments(self.words).kept_by(load, most):
            self.add(self.at(RungKind.DECISION, decision, says, level))

    def _address(self, subject: Subject, origin: Origin) -> list[Subject]:
        node = origin.holder
        if node[1] < 0 or not origin.through:
            return []
        self._rung(subject, origin, node, self._located(self._made_words(subject, origin, node), node))
        return self._decided(subject, origin)

    def _outside(self, subject: Subject, origin: Origin) -> None:
        name = subject.name or "the value"
        fn = self.words.trace.at(origin.node[0]).fn.name
        if fn == "main" and origin.node[1] == ~0:
            says = f"`{name}` is {self.words.text_of(subject.node)}: the command line, with the program's name"
            self.add(self.at(RungKind.INPUT, origin.node, says, subject.level))
            return
        read = input_words(self.words, origin.node, address_of=subject.node)
        if read:
            self.add(self.at(RungKind.INPUT, subject.node, f"`{name}` is {read}", subject.level))

    # --- decisions ----------------------------------------------------------------------------------------------

    def tell_decision_around(self, node: Node, level: int, most: int = 1) -> Node | None:
        """Add the decisions, in the same function, that let an instance run; the outermost of those told."""
        at, last = node[0], None
        frame = self.words.log.frame_of(at)
        for _ in range(most):
            parent = self.words.dependence.control(at)
            if parent is None or self.words.log.frame_of(parent[0]) != frame:
                break
            if not self.words.trace.instr(parent).is_conditional:
                break
            self.tell_decision(parent, level)
            at, last = parent[0], parent
        return last

    def tell_decision(self, branch: Node, level: int, prefix: str = "because ") -> bool:
        """Add the rung of one decision: its condition, its outcome, and the values that it read."""
        place = self.words.place(branch)
        if place is None:
            return False
        leaves = self.words.leaves(branch)
        step = self.words.steps.of(branch, brief=True)
        outcome = (step.outcome if step is not None else None) or "decided"
        if self.words.trace.instr(branch).op == "switch":
            outcome = leaves[0].value if len(leaves) == 1 else outcome
            says = f"{prefix}the switch on {self.words.quoted(place)} went to the case of {outcome}"
        else:
            says = f"{prefix}{self.words.quoted(place)} was {outcome}"
            shown = self.words.with_origins(told_leaves(leaves, _MAX_USES_SHOWN), place)
            says += f" with {shown}" if shown else ""
        rung = self.at(RungKind.DECISION, branch, self._located(says, branch), level)
        values = tuple((leaf.name, leaf.value) for leaf in leaves[:_MAX_USES_SHOWN])
        return self.add(replace(rung, values=values))
