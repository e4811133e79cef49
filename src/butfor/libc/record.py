"""The record of a library function: its prototype and every fact that the rest of butfor uses."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

from butfor.libc.effects import Effect, EffectKind, Effects

_NAME = re.compile(r"(\w+)\(")
_PARAMETER = re.compile(r"\(\*(\w+)\)|(\w+)(?:\[\w*\])*$")


class Control(enum.Enum):
    """How a function changes where the program goes."""

    EXIT = "ends the program as it wishes"
    FAILURE = "says that the program failed: a failed assertion, abort"
    ERROR_LOCATION = "is the error location of a verification task"
    FATAL = "ends the program with a message"
    ASSUMPTION = "runs in which its argument is 0 do not count"
    SETJMP = "may return again, from a jump"
    LONGJMP = "jumps"
    SIGNAL = "sends the program a signal or waits for one, whose handler runs first"
    ASYNCHRONOUS = "lets code run or memory change behind the back of the code that is read"


class SearchModel(enum.Enum):
    """What the search for inputs knows about the result of a call; `concolic/library_models` has the code of each."""

    UNKNOWN = enum.auto()  # a result that depends on the input counts as a gap
    IRRELEVANT = enum.auto()  # the result does not matter, or does not depend on the arguments that do
    CHARACTER_INPUT = enum.auto()
    LINE_INPUT = enum.auto()
    ITEM_INPUT = enum.auto()  # as fread: a size and a number of items
    BYTE_INPUT = enum.auto()  # as read: a number of bytes
    SCANNED_INPUT = enum.auto()  # as scanf and fscanf
    SCANNED_TEXT = enum.auto()  # as sscanf
    NONDETERMINISTIC = enum.auto()
    OPTIONS = enum.auto()
    TEXT_LENGTH = enum.auto()
    TEXT_COMPARISON = enum.auto()
    CASELESS_COMPARISON = enum.auto()
    MEMORY_COMPARISON = enum.auto()
    CHARACTER_SEARCH = enum.auto()
    TEXT_SEARCH = enum.auto()
    SET_SEARCH = enum.auto()  # of any character of a set
    SPLIT = enum.auto()
    SIGNED_NUMBER = enum.auto()
    UNSIGNED_NUMBER = enum.auto()
    REAL_NUMBER = enum.auto()
    ABSOLUTE_VALUE = enum.auto()
    LOWER_CASE = enum.auto()
    UPPER_CASE = enum.auto()
    CHARACTER_CLASS = enum.auto()  # the record says which
    CLASS_TABLE = enum.auto()
    LOWER_CASE_TABLE = enum.auto()
    UPPER_CASE_TABLE = enum.auto()


_SELF_CONTAINED_HEADERS = frozenset(("string.h", "strings.h", "ctype.h", "math.h"))
_PARSED = frozenset((SearchModel.SIGNED_NUMBER, SearchModel.UNSIGNED_NUMBER, SearchModel.REAL_NUMBER))


class Overflow(enum.Enum):
    """Which arguments of a call can be made so large that it leaves an array, for the search."""

    LENGTH = "the third argument is a number of bytes"
    TEXT = "the arguments after the first are texts that go there"


@dataclass(frozen=True, slots=True)
class Access:
    """Memory that a function touches, by the positions of its arguments.

    As many bytes at `pointer` as the product of the arguments `sizes`; None where that depends on texts.
    """

    pointer: int
    sizes: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class NamedAccess:
    """An access by the names of parameters, as a record states it."""

    pointer: str
    sizes: tuple[str, ...] | None


def block(pointer: str, *sizes: str) -> NamedAccess:
    """Bytes at `pointer`, as many as the arguments `sizes` say when multiplied."""
    return NamedAccess(pointer, sizes)


def text(pointer: str) -> NamedAccess:
    """Bytes at `pointer` whose number depends on texts."""
    return NamedAccess(pointer, None)


@dataclass(frozen=True, slots=True)
class Allocation:
    """The result is a new block. Its size is the product of the parameters `sizes`; none where it depends on texts."""

    sizes: tuple[str, ...] = ()
    is_zeroed: bool = False
    keeps_content: bool = False  # it holds what another block or a text held


@dataclass(frozen=True, slots=True)
class CFile:
    """A C file with a model of the function; `variants` are further names of the function that it has models of."""

    name: str
    variants: tuple[str, ...] = ()

    def also(self, *variants: str) -> CFile:
        """The same file with functions for these names too."""
        return replace(self, variants=variants)


@dataclass(frozen=True)
class LibcFunction:
    """Everything that butfor knows about one function of the C library.

    What is left out is not so, or not known: a header, a prototype and effects make a record. Parameters are named as
    in the prototype. docs/add-a-libc-function.md walks through the fields.
    """

    header: str  # "" when no header declares it
    prototype: str
    named_effects: Effects  # see `effects.py`
    _: KW_ONLY

    # for proofs
    touches: tuple[NamedAccess, ...] = ()
    result_range: tuple[int, int] | None = None
    returns_text_length: bool = False
    never_null: bool = False  # the pointer that it returns
    keeps_buffer: bool = False  # goes on writing to the buffer that is its second argument

    # for every analysis
    control: Control | None = None
    allocates: Allocation | None = None
    frees: bool = False  # what its first argument points to
    prints: bool = False
    reads_input: bool = False  # from a stream, a file, the environment, or a text of those
    scans: bool = False  # converts input by a format
    opens_file: bool = False  # by the name that is its first argument
    harmless: bool = False  # acts on no files, other processes or the machine: safe in runs that are only tried
    outlives_fork: bool = True  # all it did is in memory and offsets of files: a forked process goes on as this one

    # for the search
    search: SearchModel = SearchModel.UNKNOWN
    overflow: Overflow | None = None
    character_class: int | None = None  # the bit of the class in the library's table

    # for recording and re-execution
    leaves_text: bool = False  # every call leaves a text that ends in a zero at its first argument
    model: CFile | None = None  # in `models/`: tells what a call read, wrote and allocated

    @cached_property
    def name(self) -> str:
        """The name of the function."""
        found = _NAME.search(self.prototype)
        assert found is not None, self.prototype
        return found[1]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, without variable ones."""
        names = []
        for declared in _declarations(self.prototype[self.prototype.index(f"{self.name}(") + len(self.name) + 1 :]):
            if declared not in ("void", "..."):
                found = _PARAMETER.search(declared)
                assert found is not None, self.prototype
                names.append(found[1] or found[2])
        return tuple(names)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each parameter; that of the first variable argument under the name `...`."""
        return {name: k for k, name in enumerate((*self.parameters, "..."))}

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What a call does to memory and pointers."""
        return tuple(effect.at(self.positions) for effect in self.named_effects)

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """What a call touches, as far as a proof that it stays within bounds needs it."""
        at = self.positions
        return tuple(
            Access(at[a.pointer], None if a.sizes is None else tuple(at[name] for name in a.sizes))
            for a in self.touches
        )

    @cached_property
    def allocation_sizes(self) -> tuple[int, ...]:
        """The arguments whose product is the size of the block that is allocated."""
        return () if self.allocates is None else tuple(self.positions[name] for name in self.allocates.sizes)

    @cached_property
    def block_copy(self) -> Effect | None:
        """The copy that the function consists of, if it copies exactly so many bytes."""
        return next((e for e in self.effects if e.kind is EffectKind.COPIES and e.is_exact), None)

    @cached_property
    def block_fill(self) -> Effect | None:
        """The fill that the function consists of, if it sets exactly so many bytes to one value."""
        return next((e for e in self.effects if e.kind is EffectKind.WRITES and e.is_exact), None)

    @cached_property
    def returned_argument(self) -> int | None:
        """The argument that is the result, unless it is null."""
        return next((e.argument for e in self.effects if e.kind is EffectKind.RETURNS), None)

    @property
    def allocates_zeros(self) -> bool:
        """Whether the block that it allocates is filled with zeros."""
        return self.allocates is not None and self.allocates.is_zeroed

    @property
    def is_self_contained(self) -> bool:
        """Whether what a call does and returns follows from its arguments and the memory that they point to.

        A new block counts: where it lies is not an input.
        """
        return self.control is None and (self.header in _SELF_CONTAINED_HEADERS or self.allocates is not None)

    @property
    def parses_number(self) -> bool:
        """Whether the result is the number that stands in a text."""
        return self.search in _PARSED

    @property
    def takes_argument_list(self) -> bool:
        """Whether its variable arguments come as a va_list."""
        return "va_list" in self.prototype

    @cached_property
    def leaves_memory_alone(self) -> bool:
        """Whether a call changes nothing that the program can see in memory, errno aside.

        What functions of the program do when they are called back is theirs.
        """
        if self.control is not None or self.keeps_buffer or not self.harmless:
            return False
        kinds = {e.kind for e in self.effects} - {EffectKind.CALLS_REGISTERED}
        return not kinds or (kinds == {EffectKind.RETURNS_STATIC} and self.never_null)


def family(pattern: LibcFunction, names: str) -> tuple[LibcFunction, ...]:
    """Records of functions that differ only in their names, each put in place of `{}` in the prototype of `pattern`."""
    return tuple(replace(pattern, prototype=pattern.prototype.replace("{}", name)) for name in names.split())


def _declarations(parameters: str) -> list[str]:
    """The declarations of parameters up to the parenthesis that closes them."""
    found, depth, start = [], 0, 0
    for k, character in enumerate(parameters):
        if depth == 0 and character in ",)":
            found.append(parameters[start:k].strip())
            start = k + 1
            if character == ")":
                break
        depth += (character == "(") - (character == ")")
    return found
