"""Points-to analysis: cells of objects, the table of library functions, soundness against recorded runs."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import PTR, Kind, Type, int_type
from butfor.ir.points_to.function_facts import FunctionFacts, Write
from butfor.ir.points_to.instruction_constraints import PointsToAnalysis
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.ir.points_to.object_shapes import ANYWHERE, UNBOUNDED, ObjectShape, declared_type, gep_path
from butfor.options import Options
from butfor.trace.dependence.object_at_address import ConcreteObject
from butfor.trace.dependence.potential_dependence import PotentialDependence
from butfor.trace.log.record_layout import EventKind
from butfor.trace.recording import Recording
from butfor.trace.trace import UnknownValue
from tests.corpus import Program, programs
from tests.property.cgen import UnitSpec, program
from tests.property.cgen_kinds import KINDS
from tests.small import recorded

I8, I32, I64 = int_type(8), int_type(32), int_type(64)


def array(element: Type, count: int) -> Type:
    """An array type."""
    return Type(Kind.ARRAY, elems=(element,), count=count)


def struct(*elements: Type, packed: bool = False) -> Type:
    """A struct type."""
    return Type(Kind.STRUCT, elems=elements, packed=packed)


def number(value: int) -> Const:
    """An index."""
    return Const("int", I64, value)


# --- shapes -------------------------------------------------------------------------------------------------


def test_elements_of_an_array_are_one_cell() -> None:
    shape = ObjectShape(struct(I32, array(struct(I32, array(I8, 4)), 3), PTR))
    assert [shape.cell(at) for at in (0, 4, 8, 9, 11, 12, 16, 17, 20, 27, 32)] == [0, 4, 8, 8, 8, 4, 8, 8, 4, 8, 32]


def test_steps_stay_in_an_array_or_lead_anywhere() -> None:
    shape = ObjectShape(struct(I32, array(I32, 4), I64))
    assert shape.step(4, 4) == (4, False)
    assert shape.step(0, 4) == (0, False)  # a single number may be indexed by 0
    assert shape.step(4, 1) == (ANYWHERE, False)
    assert shape.step(0, 1) == (ANYWHERE, False)


def test_arrays_of_untyped_objects_are_found_out() -> None:
    shape = ObjectShape()
    assert shape.step(0, 24) == (0, True)
    assert shape.enter(8, 16, 1, True) == (8, True)
    assert [shape.cell(at) for at in (0, 24, 8, 12, 36, 47)] == [0, 0, 8, 8, 8, 8]
    assert shape.step(0, 4) == (ANYWHERE, False)


def test_accesses_cover_what_they_touch() -> None:
    shape = ObjectShape(struct(I32, I32, array(I8, 8)))
    assert shape.covers(0, 8, 4)
    assert not shape.covers(0, 4, 4)
    assert shape.covers(8, 2, 8)
    assert shape.covers(0, UNBOUNDED, 8)
    assert [shape.end_of_item(at) for at in (0, 4, 8)] == [4, 8, 16]


def test_arrays_cut_by_the_compiler_are_whole_again() -> None:
    assert declared_type(struct(I32, I32, array(I32, 998), packed=True)) == array(I32, 1000)
    assert declared_type(struct(array(I8, 3), array(I8, 5), packed=True)) == array(I8, 8)
    assert declared_type(struct(I32, I64, packed=True)) == struct(I32, I64, packed=True)


def test_paths() -> None:
    t = struct(I32, array(I32, 10), PTR)
    assert gep_path(t, (number(0), number(2))) == (0, 0, ((48, 0, 0, False),), 56)
    assert gep_path(t, (number(0), number(1), 7)) == (0, 0, ((4, 40, 4, True),), 56)
    assert gep_path(I32, (number(3),)) == (4, 0, (), 0)
    assert gep_path(I8, (Const("int", I64, 2**64 - 8),)) == (0, -8, (), 0)


# --- against recorded runs ----------------------------------------------------------------------------------


class Judge:
    """Looks for accesses of a run that the analysis holds to be impossible."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.trace = recording.trace
        self.log = recording.log
        self.potential = PotentialDependence(recording.trace)
        self.found: PointsToAnalysis = self.potential.may_define._found
        self.solution = self.found.solution
        self.looked_at = 0
        self._writes: dict[str, dict[int, list[Write]]] = {}

    def wrong(self, most: int = 20_000) -> list[str]:
        """What is wrong with about so many segment instances."""
        assert self.potential.may_define.precise
        rows: dict[tuple[str, int], str] = {}
        for i in range(0, len(self.trace), max(1, len(self.trace) // most)):
            for instr, text in self._segment(i):
                fn = self.trace.at(i).fn.name
                rows.setdefault(
                    (fn, instr.index),
                    f"{fn}, {instr.op} {instr.index} at {self.recording.source.location(instr)}: {text}",
                )
        return list(rows.values())

    def _segment(self, i: int) -> Iterator[tuple[Instr, str]]:
        s = self.trace.at(i)
        facts, addresses = self.found.facts[s.fn.name], self.log.counts_before(i).addresses
        for n, offset in s.offsets.items():
            instr = s.fn.instrs[n]
            if s.layout.effects[n].address and addresses + offset.addresses < len(self.log.address):
                yield from self._written(facts, instr, int(self.log.address[addresses + offset.addresses]), i)
            elif instr.op == "load" and n not in s.layout.direct:
                yield from self._read(facts, instr, i)
        for k in self.log.events_of(i):
            e = self.log.event[k]
            call = s.call if int(e["site"]) == 0xFFFFFFFF else s.fn.instrs[int(e["site"])]
            is_library = call is not None and call.op == "call" and call.detail.callee not in self.found.defined
            if (
                call is not None
                and is_library
                and int(e["kind"]) in (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT)
                and int(e["len"])
            ):
                yield from self._written(facts, call, int(e["addr"]), i)
        if s.call is not None and i + 1 < len(self.trace) and self.trace.begins_frame(i + 1):
            yield from self._called(facts, s.call, self.trace.at(i + 1).fn.name)

    def _written(self, facts: FunctionFacts, instr: Instr, address: int, i: int) -> Iterator[tuple[Instr, str]]:
        home = self.potential.objects.at(address, i)
        if (
            home is None or home.key[0] == "byval" or (home.key[0] == "heap" and home.birth == i)
        ):  # made by the call itself
            return
        self.looked_at += 1
        if facts.fn.name not in self._writes:
            rows = self._writes[facts.fn.name] = {}
            for w in facts.writes:
                rows.setdefault(w.instr.index, []).append(w)
        if not any(self._covers(w, home, address) for w in self._writes[facts.fn.name].get(instr.index, ())):
            yield instr, f"wrote to {home.key} + {address - home.start}"

    def _covers(self, w: Write, home: ConcreteObject, address: int) -> bool:
        if w.exact is not None:
            return w.exact[0] == home.key
        return any(
            self._touches(p, w.size, w.item, home.key, address - home.start) for p in self.solution.places_of(w.node)
        )

    def _touches(self, place: int, size: int, item: bool, key: ObjectKey, offset: int) -> bool:
        o, at = self.solution.objects[self.solution.place_object[place]], self.solution.place_offset[place]
        length = o.shape.end_of_item(at) - at if item and at != ANYWHERE else size
        return o.key == key and o.shape.covers(at, length, o.shape.cell(offset))

    def _read(self, facts: FunctionFacts, instr: Instr, i: int) -> Iterator[tuple[Instr, str]]:
        try:
            address = int(self.trace.operand(i, instr.args[0]))
        except UnknownValue:
            return
        home, places = (
            self.potential.objects.at(address, i),
            self.solution.places_of(self.found.value(facts, instr.args[0])),
        )
        keys = {self.solution.objects[self.solution.place_object[p]].key[0] for p in places}
        if home is None or keys == {"variadic"}:  # what is on the stack there has no name
            return
        self.looked_at += 1
        if not any(self._touches(p, 1, False, home.key, address - home.start) for p in places):
            yield instr, f"read from {home.key} + {address - home.start}"

    def _called(self, facts: FunctionFacts, call: Instr, name: str) -> Iterator[tuple[Instr, str]]:
        number = self.solution.number(("function", name))
        escaped = number is not None and self.solution.objects[number].escaped
        if (
            call.detail.callee == name
            or (call.index, name) in facts.calls
            or (escaped and (call.index, None) in facts.calls)
        ):
            return
        yield call, f"called {name}"


def judged(recording: Recording) -> int:
    """How many accesses of a run were looked at, none of which may be wrong."""
    judge = Judge(recording)
    wrong = judge.wrong()
    assert not wrong, "\n".join(wrong)
    return judge.looked_at


def random_program(seed: int) -> int:
    """A program of random units, recorded and judged; the number of accesses looked at."""
    rng = random.Random(seed)
    specs = [
        UnitSpec(rng.choice(sorted(KINDS)), rng.randint(1, 8), rng.randrange(2**32)) for _ in range(rng.randint(4, 8))
    ]
    with tempfile.TemporaryDirectory(prefix="butfor-pointsto-") as name:
        source = Path(name) / "random.c"
        source.write_text(program(specs))
        options = Options(sources=(source,), time_limit=60.0)
        compiled = compile_program(options, lambda _: None)
        recording = record(options, compiled, lambda _: None)
        shutil.rmtree(compiled.home)  # it will not be seen again
        return judged(recording)


PROGRAMS = programs()
NASTY = sorted((Path(__file__).parents[1] / "property" / "nasty").glob("*.c"))


@pytest.mark.parametrize("seed", range(5))
def test_random_program_stays_where_it_may(seed: int) -> None:
    assert random_program(seed) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_random_programs_stay_where_they_may(seed: int) -> None:
    random_program(seed)


ALWAYS = frozenset(
    (
        "construct_varargs_struct",
        "construct_libc_function_pointer",
        "construct_struct_copy",
        "construct_realloc",
        "real_json",
    )
)


def marks(case: Program) -> list[pytest.MarkDecorator]:
    """The mark of what is not among the few that always run."""
    return [] if case.path.stem in ALWAYS else [pytest.mark.slow]


@pytest.mark.parametrize("case", [pytest.param(p, id=p.path.stem, marks=marks(p)) for p in PROGRAMS])
def test_program_stays_where_it_may(case: Program) -> None:
    recording = record(case.options, compile_program(case.options, lambda _: None), lambda _: None)
    if len(recording.log.error):
        pytest.skip("it leaves its objects")
    judged(recording)


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in NASTY])
def test_nasty_program_stays_where_it_may(path: Path) -> None:
    options = Options(sources=(path,), time_limit=60.0)
    judged(record(options, compile_program(options, lambda _: None), lambda _: None))


def test_a_wrong_analysis_is_found_out(tmp_path: Path) -> None:
    body = "static void set(int *p) { *p = 2; }\nint main(void) { int x = 1; set(&x); return x; }\n"
    judge = Judge(recorded(tmp_path, body))
    (write,) = (w for w in judge.found.facts["set"].writes if w.exact is None)
    judge.solution._sets[judge.solution.find(write.node)] = 0
    assert len(judge.wrong()) == 1
