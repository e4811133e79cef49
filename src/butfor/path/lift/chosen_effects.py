"""Which effects a path consists of: those in the slice of the failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from butfor.errors import OutOfTime
from butfor.failures.failure_point import FailurePoint
from butfor.path.lift.branch_conditions import ConditionEvaluations
from butfor.path.lift.condition_terms import Merges, hypothetical_loads
from butfor.path.lift.effects import Effect, EffectKind, Effects, effects_of_nodes
from butfor.path.lift.violated_property import Check
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.potential_dependence import ReadBytes
from butfor.trace.dependence.sliced_instances import Slice
from butfor.trace.recording import Recording
from butfor.trace.trace import Node
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Place, Places

MAX_EFFECTS_PER_PATH = 16_000  # lifting them takes some seconds
MAX_ASSUMPTIONS = 200  # of the program itself, the latest: earlier ones rarely constrain the failure
MAX_SLICED_INSTANCES = 120_000  # in the slice of the assumptions: bounds the time of slicing


@dataclass(frozen=True, slots=True)
class LiftableRun:
    """One failing run: the failure, its slice, and whether a place is the failed check itself.

    `is_over` tells when time is up. `silent` are decisions that kept something from being printed, or a run from
    ending.
    """

    recording: Recording
    point: FailurePoint
    dependence: Dependence
    places: Places
    objects: RunObjects
    slice: Slice
    is_check: Callable[[Place], bool]
    is_over: Callable[[], bool] = lambda: False
    silent: frozenset[Node] = frozenset()

    def require_time(self) -> None:
        """Give up when time is up."""
        if self.is_over():
            raise OutOfTime("the time was over before the failing path was known")


@dataclass(frozen=True, slots=True)
class ChosenEffects:
    """Effects in the order of the run.

    `starts` were left out: they only store the arguments of the program in the variables of main.
    """

    effects: list[Effect]
    starts: frozenset[Node]
    complete: bool


class EffectChoice:
    """Chooses the effects of one run."""

    def __init__(self, run: LiftableRun, effects: Effects, evaluations: ConditionEvaluations) -> None:
        self.run = run
        self.trace = run.recording.trace
        self.dependence = run.dependence
        self.effects = effects
        self.evaluations = evaluations

    def of(self, check: Check, whole: bool, most: int, also: Sequence[Node] = ()) -> ChosenEffects:
        """The effects of a path to a check: those of the slice and of `also`, or all that ran."""
        if whole:
            effects, complete = effects_of_nodes(
                self.effects, (h.node for h in self.effects.all() if h.at <= check.node), most
            )
        else:
            found = self.run.slice
            nodes = list(found.distance)
            extra = [
                *self._for_parts_not_evaluated(check, nodes),
                *self._earlier_decisions(nodes),
                *self.effects.assumptions(MAX_ASSUMPTIONS),
                *also,
            ]
            if extra:
                more = Slicer(self.dependence, self.run.is_over).backward(extra, "relevant", limit=MAX_SLICED_INSTANCES)
                near = [*check.decided.nodes] if check.decided is not None else []
                nodes = [*near, *extra, *_interleaved(nodes, list(more.distance))]
            effects, complete = effects_of_nodes(self.effects, nodes, most)
            complete = complete and found.complete and not self.dependence.potential_dependence.leaves_instances_out
        starts = frozenset(h.node for h in effects if self._is_start(h))
        skipped = set(check.decided.nodes) if check.decided is not None else set()
        return ChosenEffects(
            [h for h in effects if h.node not in skipped and h.at <= check.node and h.node not in starts],
            starts,
            complete,
        )

    def _for_parts_not_evaluated(self, check: Check, nodes: list[Node]) -> list[Node]:
        """What gave variables their values that parts of conditions, and of `?:`, would have read that did not run.

        These are stores, and decisions whose other arm would have assigned them again.
        """
        branches = [
            h.node for node in nodes if (h := self.effects.of(node)) is not None and h.what is EffectKind.BRANCH
        ][:MAX_EFFECTS_PER_PATH]
        evaluated = {d.last: d for d in (check.decided, *map(self.evaluations.of, branches)) if d is not None}
        reads = [
            (a, n, d.stretch.last)
            for d in evaluated.values()
            for a, n in hypothetical_loads(self.trace, d.stretch, d.blocks)
        ]
        merges = Merges(self.trace)
        phis = [node for node in nodes if node[1] >= 0 and self.trace.instr(node).op == "phi"]
        reads += [read for phi in phis[:MAX_EFFECTS_PER_PATH] for read in merges.loads_not_evaluated(phi)]
        potential = self.dependence.potential_dependence
        found: dict[Node, None] = {}
        hypothetical = []
        for address, size, i in dict.fromkeys(reads):
            store = potential.hypothetical.last_store(i, address, size)
            if store is not None:
                found[store] = None
            hypothetical.append(ReadBytes(address, size, 0 if store is None else store[0], i))
        found.update(dict.fromkeys(potential.of_reads(hypothetical)))
        known = set(nodes)
        return [node for node in found if node not in known]

    def _earlier_decisions(self, nodes: list[Node]) -> list[Node]:
        """The decisions that left what was read as it was before the last ones did, which alone are in the slice."""
        known = set(nodes)
        every = self.dependence.potential_dependence.of_loads(self._loads(nodes))
        return [branch for branch in every if branch not in known]

    def _loads(self, nodes: list[Node]) -> Iterator[Node]:
        for node in nodes:
            if node[1] >= 0 and self.trace.instr(node).op == "load":
                self.run.require_time()
                yield node

    def _is_start(self, effect: Effect) -> bool:
        """Whether an effect only stores an argument in a variable of main, or clears main's return value."""
        return (
            effect.what is EffectKind.STORE
            and self.trace.call_of(effect.node[0]) is None
            and self.run.places.of(effect.node) is None
        )


def _interleaved(first: list[Node], second: list[Node]) -> Iterable[Node]:
    """Two lists of nodes, nearest first, taken in turns."""
    found: dict[Node, None] = {}
    for k in range(max(len(first), len(second))):
        for nodes in (first, second):
            if k < len(nodes):
                found[nodes[k]] = None
    return found
