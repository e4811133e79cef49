"""The static side of a recorded program: functions, layouts, globals, tables of logged addresses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from butfor.ir.debug_types import Location, Variable
from butfor.ir.instructions import Const, Function, Instr, Signature
from butfor.ir.machine_types import Kind, Type, alloc_size
from butfor.ir.recording_segments import Layout, LayoutContext, lay_out


class GlobalVariable(Protocol):
    """A global variable as a front end knows it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Type: ...
    @property
    def init(self) -> Const | None: ...
    @property
    def constant(self) -> bool: ...
    @property
    def thread_local(self) -> bool: ...


class ProgramSource(Protocol):
    """What a front end provides: functions parsed on demand, the globals, and where in the source text they stand."""

    def function(self, name: str) -> Function:
        """The function of that name."""
        ...

    def function_names(self) -> tuple[str, ...]:
        """Names of the defined functions, in order."""
        ...

    def signature(self, name: str) -> Signature:
        """The types of a function, without parsing its body."""
        ...

    def declared_names(self) -> tuple[str, ...]:
        """Names of functions that are only declared, without intrinsics."""
        ...

    def global_variables(self) -> Mapping[str, GlobalVariable]:
        """Global variables by name."""
        ...

    def labels_taken(self) -> tuple[tuple[str, str], ...]:
        """(function, label) of every label whose address is taken."""
        ...

    def is_pure(self, name: str, args: tuple[Type, ...], result: Type) -> bool:
        """Whether an intrinsic's result can be computed from its arguments."""
        ...

    def location(self, instr: Instr) -> Location | None:
        """The source position of an instruction."""
        ...

    def scope_of(self, loc: int) -> int:
        """The number of the source block that a position is in; the branches of one condition share it."""
        ...

    def function_location(self, name: str) -> Location | None:
        """Where a function is defined."""
        ...

    def variables(self, fn: Function) -> Mapping[int, Variable]:
        """The local variables of a function by the slot that holds their address."""
        ...

    def global_declaration(self, name: str) -> Variable | None:
        """A global variable as the source declares it."""
        ...

    def global_declarations(self) -> Mapping[str, Variable]:
        """All global variables that the source declares, by their name in the program."""
        ...


class Program:
    """Functions and their layouts, and the tables of what the runtime logs addresses for.

    Where the source is a part of a program, `elsewhere` are the functions of the other parts.
    """

    def __init__(self, source: ProgramSource, elsewhere: frozenset[str] = frozenset()) -> None:
        self.source = source
        self.names = source.function_names()
        self._context = LayoutContext(elsewhere.union(self.names), source.is_pure)
        self._layouts: dict[str, Layout] = {}

    def defines(self, name: str) -> bool:
        """Whether a function of that name is defined in the program."""
        return name in self._context.defined

    def function(self, name: str) -> Function:
        """The function of that name."""
        return self.source.function(name)

    def layout(self, name: str) -> Layout:
        """The layout of that function."""
        layout = self._layouts.get(name)
        if layout is None:
            layout = lay_out(self.function(name), self._context, self.global_sizes)
            self._layouts[name] = layout
        return layout

    @cached_property
    def global_sizes(self) -> dict[str, int]:
        """Sizes of the variables defined in the program."""
        return {
            n: alloc_size(g.type)
            for n, g in self.source.global_variables().items()
            if g.init is not None and not g.thread_local and g.type.kind is not Kind.OTHER
        }

    def global_type(self, name: str) -> Type | None:
        """The type of a global variable, None where there is none of that name."""
        found = self.source.global_variables().get(name)
        return None if found is None else found.type

    @cached_property
    def global_table(self) -> tuple[tuple[str, int], ...]:
        """(name, size) of every global whose address is fixed; size 0 for those defined elsewhere."""
        return tuple(
            (n, self.global_sizes.get(n, 0))
            for n, g in self.source.global_variables().items()
            if not g.thread_local and not n.startswith("llvm.")
        )

    @cached_property
    def object_numbers(self) -> dict[str, int]:
        """The object number of every global defined in the program."""
        return {n: k + 1 for k, (n, size) in enumerate(self.global_table) if size}

    @cached_property
    def alike_functions(self) -> dict[Signature, tuple[int, ...]]:
        """The defined functions that could be called in each other's place, as numbers in `function_table`."""
        found: dict[Signature, list[int]] = {}
        for number, name in enumerate(self.names):
            found.setdefault(self.source.signature(name), []).append(number)
        return {signature: tuple(numbers) for signature, numbers in found.items()}

    @cached_property
    def function_table(self) -> tuple[str, ...]:
        """Functions whose addresses are logged: defined ones first."""
        return self.names + self.source.declared_names()

    @cached_property
    def label_table(self) -> tuple[tuple[str, str], ...]:
        """Labels whose address is taken."""
        return self.source.labels_taken()
