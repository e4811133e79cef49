"""A recorded run repeated with other values in the cells of its path: which rules at which sites do that.

An assignment is changed where it is made. What has no site of its own (a parameter, an initialiser that is copied,
what a library call leaves in memory) is assigned at the next site of the same function, unless something may read it
before. Addresses differ from run to run, so a pointer gets NULL, an address of a variable that the function knows, or
what it pointed to before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from butfor.counterfactual.change_rules import MAX_RULES_PER_RUN, Op, Rule
from butfor.counterfactual.experiment import Experiment, SearchResult
from butfor.counterfactual.operands_not_evaluated import operands_not_evaluated
from butfor.counterfactual.rerun import fails_again, start_experiment
from butfor.errors import ButforError
from butfor.failures.failure_point import FailurePoint
from butfor.ir.change_sites import NOWHERE, Site, SiteKind
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind, store_size
from butfor.path.changed_runs import KEPT, PathEdit, RunVerdict
from butfor.path.path_model import BRANCH, CellBytes, Path
from butfor.path.searched_program import BEFORE_FIRST
from butfor.trace.recording import Recording
from butfor.trace.semantics.instruction_semantics import SemanticsError, TrapError
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Places

MAX_SEGMENTS_TO_NEXT_SITE = 4  # blocks between an assignment and the next site: more are only jumps
ALLOWED_RULES = 64  # of a run, that are kept for memory errors which the failing run has too
OWN_VALUE = 16  # in the size of an assignment: the site itself reads the variable that is assigned
SIZES = (1, 2, 4, 8)
_ASSIGNING = frozenset((SiteKind.LOAD, SiteKind.STORE, SiteKind.ADDRESS, SiteKind.SWITCH, SiteKind.OPERATION))
_PASSIVE = frozenset(("alloca", "gep", "bitcast", "trunc", "zext", "sext", "icmp", "br", "inttoptr", "ptrtoint"))


class CellRules:
    """The rules that give cells of a path other values."""

    def __init__(self, recording: Recording, sites: Sequence[Site], places: Places) -> None:
        self.trace = recording.trace
        self.places = places
        self.log = recording.trace.log
        self.objects = RunObjects(recording)
        self._globals = {name: number for number, (name, _) in enumerate(recording.program.global_table)}
        self._sites: dict[tuple[str, int], list[Site]] = {}
        for site in sites:
            self._sites.setdefault((site.function, site.instr), []).append(site)

    def alternatives(self, path: Path, edits: Sequence[PathEdit]) -> list[tuple[Rule, ...]]:
        """Sets of rules, each of which makes all these edits; none when no run can be changed so."""
        if not edits or len(edits) > MAX_RULES_PER_RUN - ALLOWED_RULES:
            return []
        try:
            choices = [self._ways(path, edit) for edit in edits]
        except (UnknownValue, SemanticsError, TrapError):
            return []
        if not all(choices):
            return []
        found = [tuple(rule for c in choices for rule in c[min(k, len(c) - 1)]) for k in range(max(map(len, choices)))]
        return [f for f in found if len({(r.site, r.only, r.b if r.site == NOWHERE else 0) for r in f}) == len(f)]

    def _ways(self, path: Path, edit: PathEdit) -> list[tuple[Rule, ...]]:
        """The ways to make one edit, of which any will do, each with its rules."""
        ways: list[tuple[Rule, ...]] = [(rule,) for rule in self._rules(path, edit)]
        if edit.cell == BRANCH and ways and not edit.value and edit.position != BEFORE_FIRST:
            others = self._operands_not_evaluated(path, edit.position)
            return [] if others is None else [(*ways[0], *others), *ways] if others else ways
        return ways

    def _rules(self, path: Path, edit: PathEdit) -> list[Rule]:
        """Rules for one edit, of which any will do."""
        if edit.position == BEFORE_FIRST:
            return self._initial(path, edit)
        act = path.acts.get((edit.position, edit.cell))
        if act is None:
            return []
        i, n = act.node
        if edit.value is KEPT:
            site = self._site(i, n, SiteKind.STORE)
            return [Rule(site.number, Op.KEEP, only=self._time(i))] if site is not None else []
        if edit.cell == BRANCH:
            return self._decision(act.node, bool(edit.value))
        instr, value = self.trace.instr(act.node), int(edit.value)
        r = path.ranges.get(edit.cell)
        if act.is_result:
            return self._at(self.log.previous_in_frame(i), n, SiteKind.RESULT, value)
        if instr.op == "ret":
            return self._returned(act.node, instr, value)
        if instr.op == "store" and r is not None:
            return self._stored(act.node, instr, r, value)
        return self._afterwards(act.node, r, value) if r is not None else []

    # --- sites --------------------------------------------------------------------------------------------------------

    def _site(self, i: int, n: int, *kinds: SiteKind) -> Site | None:
        found = self._sites.get((self.trace.at(i).fn.name, n), ())
        return next((s for s in found if s.kind in kinds), None)

    def _time(self, i: int) -> int:
        """How often the segment of an instance had run by then, this time included."""
        return self.log.occurrence(i)

    def _at(self, i: int, n: int, kind: SiteKind, value: int) -> list[Rule]:
        """The rule that sets the value of a site at one of its occurrences."""
        site = self._site(i, n, kind) if i >= 0 else None
        return self._setting(site, i, value) if site is not None else []

    def _setting(self, site: Site, i: int, value: int) -> list[Rule]:
        only = self._time(i)
        if site.is_pointer:
            return self._pointing(site, i, only, value)
        if site.is_real:
            value = _double_bits(value) if site.bits == 32 else value
        elif site.bits < 64 and value >> site.bits - 1 & 1:
            value -= 1 << site.bits  # hooks extend the sign
        return [Rule(site.number, Op.SET, value, only=only)]

    def _pointing(self, site: Site, i: int, only: int, value: int) -> list[Rule]:
        if value == 0:
            return [Rule(site.number, Op.SET, 0, only=only)]
        frame = self.log.frame_of(i)
        base = int(self.log.frame["base"][frame])
        if base <= value < base + self.trace.at(i).layout.frame_size:
            size = self._size_of_local(i, value - base)
            return [Rule(site.number, Op.ADDRESS_LOCAL, value - base, only=only, size=size)] if size else []
        found = self.objects.globals.at(value)
        if found is not None:
            return [Rule(site.number, Op.ADDRESS_GLOBAL, self._globals[found[0]], found[1], only=only)]
        return []

    def _size_of_local(self, i: int, offset: int) -> int:
        """The bytes of the variable that begins there in the frame, so that accesses beyond it are seen; 0 for none."""
        s = self.trace.at(i)
        named = self.trace.program.source.variables(s.fn)
        return next((named[slot].type.size for slot, at in s.layout.frame.items() if at == offset and slot in named), 0)

    # --- assignments --------------------------------------------------------------------------------------------------

    def _stored(self, node: Node, instr: Instr, r: CellBytes, value: int) -> list[Rule]:
        i, n = node
        data = self.trace.stored_bytes(node)
        low = 8 * (r.start - int(self.trace.operand(i, instr.args[1])))
        whole = int.from_bytes(data, "little")
        mask = (1 << 8 * r.size) - 1
        stored = whole & ~(mask << low) | value << low
        site = self._site(i, n, SiteKind.STORE)
        if site is None:
            return self._afterwards(node, r, value)
        if site.is_pointer and 8 * r.size != 64:
            return []
        rules = self._setting(site, i, stored)
        if isinstance(instr.args[0], int) and r.size == len(data):
            rules += self._computed(i, instr.args[0], value)
        return rules

    def _computed(self, i: int, slot: int, value: int) -> list[Rule]:
        """The rule that changes a value where it is computed, where it is used elsewhere too: `(n = f()) > 3`."""
        at, n = self.trace.definition(i, slot)
        if n < 0:
            return []
        instr = self.trace.at(at).fn.instrs[n]
        users = sum(a == slot for other in self.trace.at(at).fn.instrs for a in other.args if isinstance(a, int))
        if users < 2:
            return []
        if instr.op == "call":
            return self._at(self.log.previous_in_frame(at), n, SiteKind.RESULT, value)
        return self._at(at, n, SiteKind.OPERATION, value)

    def _returned(self, node: Node, instr: Instr, value: int) -> list[Rule]:
        i, n = node
        returned: Operand = instr.args[0]
        if isinstance(returned, Const):
            return self._at(i, n, SiteKind.CONSTANT, value)
        at, m = self.trace.definition(i, returned)
        if m < 0:
            return []
        if self.trace.at(at).fn.instrs[m].op == "call":
            return self._at(self.log.previous_in_frame(at), m, SiteKind.RESULT, value)
        for kind in (SiteKind.LOAD, SiteKind.OPERATION, SiteKind.ADDRESS):
            found = self._at(at, m, kind, value)
            if found:
                return found
        return []

    def _initial(self, path: Path, edit: PathEdit) -> list[Rule]:
        r = path.ranges.get(edit.cell)
        number = self._global(r) if r is not None else None
        if r is None or number is None or r.size not in SIZES or edit.cell not in path.initial:
            return []
        amount = int(edit.value) - int(path.initial[edit.cell])
        return [Rule(NOWHERE, Op.INITIAL, amount, r.start - r.home.start, number, r.size)]

    def _global(self, r: CellBytes) -> int | None:
        return self._globals.get(str(r.home.key[1])) if r.home.key[0] == "global" else None

    def _afterwards(self, node: Node, r: CellBytes, value: int) -> list[Rule]:
        """The rule that assigns a variable at the first site after an instance; none where it may be read before."""
        i, n = node
        frame, number = self.log.frame_of(i), self._global(r)
        if r.size not in SIZES or (number is None and (r.home.key[0] != "local" or r.home.frame != frame)):
            return []
        for _ in range(MAX_SEGMENTS_TO_NEXT_SITE):
            s = self.trace.at(i)
            for m in range(max(n + 1, s.seg.start) if n < s.seg.end else s.seg.start, s.seg.end):
                instr = s.fn.instrs[m]
                touches = self._touches(i, instr, r)
                site = self._site(i, m, *_ASSIGNING) if touches != "partly" else None
                if site is not None:
                    size = r.size + (OWN_VALUE if touches == "wholly" else 0)
                    offset = r.start - int(self.log.frame["base"][frame])
                    a = offset if number is None else number + (r.start - r.home.start << 32)
                    op = Op.ASSIGN_LOCAL if number is None else Op.ASSIGN_GLOBAL
                    return [Rule(site.number, op, a, value, self._time(i), size)]
                if touches or not (instr.op in _PASSIVE or self._is_idle(instr)):
                    return []
            if s.call is not None or i + 1 >= len(self.log) or self.log.frame_of(i + 1) != frame:
                return []
            i, n = i + 1, -1
        return []

    def _is_idle(self, instr: Instr) -> bool:
        """Whether an instruction without a site only stores a parameter, or marks a position for debuggers."""
        return instr.op == "store" or (
            instr.op == "call" and (instr.callee or "").startswith(("llvm.dbg", "llvm.life"))
        )

    def _touches(self, i: int, instr: Instr, r: CellBytes) -> str:
        """Whether a load reads the cell "wholly" or "partly"; "" when it does not."""
        if instr.op != "load":
            return ""
        address = int(self.trace.operand(i, instr.args[0]))
        size = store_size(instr.type)
        if address >= r.end or address + size <= r.start:
            return ""
        is_same = address == r.start and size == r.size and instr.type.kind is not Kind.PTR
        return "wholly" if is_same else "partly"

    # --- branches -----------------------------------------------------------------------------------------------------

    def _decision(self, node: Node, as_recorded: bool) -> list[Rule]:
        i, n = node
        instr = self.trace.instr(node)
        if instr.op != "br" or not instr.args or not isinstance(instr.args[0], int):
            return []
        at, m = self.trace.definition(i, instr.args[0])
        held = bool(self.trace.value((at, m)))
        site = self._site(at, m, SiteKind.COMPARE) if m >= 0 else None
        if site is None:
            at, site = i, self._site(i, n, SiteKind.BRANCH)
        if site is None:
            return []
        return [Rule(site.number, Op.TRUE if held == as_recorded else Op.FALSE, only=self._time(at))]

    def _operands_not_evaluated(self, path: Path, position: int) -> tuple[Rule, ...] | None:
        """The rules with which the rest of a condition agrees that it comes out otherwise; None if one is lacking."""
        node = path.acts[position, BRANCH].node
        fn = self.trace.at(node[0]).fn
        found = []
        for operand in operands_not_evaluated(self.trace, self.places, path, position, node):
            condition = fn.definition(operand.branch.args[0])
            compared = () if condition is None else self._sites.get((fn.name, condition.index), ())
            sites = [s for s in compared if s.kind is SiteKind.COMPARE]
            sites += [s for s in self._sites.get((fn.name, operand.branch.index), ()) if s.kind is SiteKind.BRANCH]
            if not sites:
                return None
            found.append(Rule(sites[0].number, Op.TRUE if operand.holds else Op.FALSE, only=operand.occurrence))
        return tuple(found)


def _double_bits(bits: int) -> int:
    """The bits of the double that has the value of a float with these bits."""
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    found: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return found


class ChangedCellRuns:
    """The recorded run again, with cells of its path changed."""

    def __init__(self, rules: CellRules, running: Experiment, baseline: SearchResult) -> None:
        self.rules = rules
        self.running = running
        self.baseline = baseline

    def verdicts(self, path: Path, changes: Sequence[Sequence[PathEdit]]) -> list[RunVerdict]:
        """What becomes of the failure with each of these sets of edits."""
        numbered = [
            (number, rules)
            for number, edits in enumerate(changes)
            for rules in (self.rules.alternatives(path, edits) if edits else ())
        ]
        outcomes = self.running.verdicts(self.baseline, [rules for _, rules in numbered])
        found = [RunVerdict.UNKNOWN] * len(changes)
        for (number, _), outcome in zip(numbered, outcomes, strict=True):
            if found[number] is not RunVerdict.AVOIDED and outcome is not RunVerdict.UNKNOWN:
                found[number] = outcome
        return found


@contextmanager
def changed_cell_runs(
    recording: Recording, point: FailurePoint, places: Places, cc: str | None, *, checked: bool
) -> Iterator[ChangedCellRuns | None]:
    """The recorded run, ready to be repeated with changes; None when it cannot be repeated as it was."""
    try:
        started = start_experiment(recording, point, cc, checked=checked)
        build, running = started.__enter__()
    except ButforError:
        yield None
        return
    try:
        baseline = running.observe()
        same = fails_again(recording, point, running.goal, baseline)
        yield ChangedCellRuns(CellRules(recording, build.sites, places), running, baseline) if same else None
    finally:
        started.__exit__(None, None, None)
