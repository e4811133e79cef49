"""All records by name, found also by the other names that headers, compilers and versions give a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from butfor.libc.effects import UNKNOWN_EFFECTS, Effect
from butfor.libc.functions import (
    allocation,
    characters,
    control,
    files,
    mathematics,
    memory,
    numbers,
    standard_io,
    strings,
    system,
    wide_text,
)
from butfor.libc.record import Control, LibcFunction

MODELS = Path(__file__).parent / "models"  # C functions that tell the recorder what a call did
REPLACEMENTS = Path(__file__).parent / "replacements"  # C functions that runs call instead when they are only tried
_REPLACEMENT = re.compile(r"__cf_w_(\w+)\(|^REFUSED\((\w+)\)|^NONDET\((\w+),", re.MULTILINE)
FAMILIES = tuple(
    module.FUNCTIONS
    for module in (
        allocation,
        characters,
        control,
        files,
        mathematics,
        memory,
        numbers,
        standard_io,
        strings,
        system,
        wide_text,
    )
)
FUNCTIONS = {f.name: f for functions in FAMILIES for f in functions}
VARIABLES = frozenset(
    "stdin stdout stderr environ __environ optarg optind opterr optopt timezone daylight tzname signgam".split()
)
TEXT_VARIABLES = frozenset(("optarg",))  # that are a `char *`; a program that only uses them does not say so
NONDETERMINISTIC = "__VERIFIER_nondet_"
_PREFIXES = ("__builtin_", "__isoc99_", "__isoc23_", "_IO_", "__")
_SUFFIXES = ("_chk", "_unlocked", "64")
_REPORTS_FAILURE = frozenset((Control.FAILURE, Control.ERROR_LOCATION))
_DOES_NOT_RETURN = _REPORTS_FAILURE | {Control.EXIT, Control.FATAL, Control.LONGJMP}


def lookup(name: str | None) -> LibcFunction | None:
    """The record of a function, by any of its names; None for what is not known, as the callee of an indirect call."""
    if name is None:
        return None
    found = FUNCTIONS.get(name)
    if found is None:
        found = FUNCTIONS.get(plain_name(name))
    if found is None and name.startswith(NONDETERMINISTIC):
        found = FUNCTIONS[NONDETERMINISTIC + "int"]
    return found


def text_written(name: str | None) -> int | None:
    """The argument at which a call always leaves a text that ends in a zero; None if there is none."""
    called = lookup(name)
    return 0 if called is not None and called.leaves_text else None


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """The name without what headers, compilers and versions of the library add to it: `strcpy` for `__strcpy_chk`.

    The intrinsics `llvm.memcpy.…`, `llvm.memmove.…` and `llvm.memset.…` are named as the functions.
    """
    if name.startswith("llvm."):
        return name.split(".")[1] if name.startswith("llvm.mem") else name
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def effects_of(name: str) -> tuple[Effect, ...]:
    """What a call of a library function does to memory and pointers; anything when it has no record."""
    found = lookup(name)
    return UNKNOWN_EFFECTS if found is None else found.effects


def control_of(name: str | None) -> Control | None:
    """How a call of a library function changes where the program goes."""
    found = lookup(name)
    return None if found is None else found.control


def is_setjmp(name: str | None) -> bool:
    """Whether a call may return again, from a jump."""
    return control_of(name) is Control.SETJMP


def reports_failure(name: str | None) -> bool:
    """Whether a call says that the program failed."""
    return control_of(name) in _REPORTS_FAILURE


def never_returns(name: str | None) -> bool:
    """Whether a call does not come back."""
    return control_of(name) in _DOES_NOT_RETURN


def is_self_contained(name: str | None) -> bool:
    """Whether what a call does and returns follows from its arguments and the memory that they point to."""
    found = lookup(name)
    return found is not None and found.is_self_contained


def is_nondeterministic(name: str | None) -> bool:
    """Whether a call returns any value of its type, by the conventions of verification tasks."""
    return name is not None and name.startswith(NONDETERMINISTIC)


def prints(name: str | None) -> bool:
    """Whether a call prints something."""
    found = lookup(name)
    return found is not None and found.prints


def scans(name: str | None) -> bool:
    """Whether a call converts input by a format."""
    found = lookup(name)
    return found is not None and found.scans


def looks_at_bytes(name: str | None) -> bool:
    """Whether what a call does depends on every byte that it reads: it compares, measures or converts them."""
    found = lookup(name)
    if found is None or found.block_copy is not None:
        return False
    return found.header in ("string.h", "strings.h") or found.parses_number or found.scans


def decisive_arguments(name: str | None) -> tuple[int, ...]:
    """The arguments that say how large a block is, how many bytes are copied or set, or how the program ends."""
    found = lookup(name)
    if found is None:
        return ()
    if found.control is Control.EXIT:
        return (0,) if found.parameters else ()
    counts = (e.count for e in found.effects if e.is_exact and e.count >= 0)
    return (*found.allocation_sizes, *counts)


def allocation_sizes(name: str | None) -> tuple[int, ...]:
    """The arguments of a call whose product is the size of the block that it allocates."""
    found = lookup(name)
    return () if found is None else found.allocation_sizes


def leaves_memory_alone(name: str | None) -> bool:
    """Whether after a call memory of the program is known to be as it was before."""
    found = lookup(name)
    return found is not None and found.leaves_memory_alone


def names_where(is_wanted: Callable[[LibcFunction], bool]) -> tuple[str, ...]:
    """The names of the functions whose record satisfies a condition."""
    return tuple(name for name, f in FUNCTIONS.items() if is_wanted(f))


def reaching_functions(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the functions that may reach beyond the run, or of which nothing is known."""
    known = ((name, lookup(name)) for name in names if not name.startswith("llvm."))
    return tuple(sorted(name for name, found in known if found is None or not found.harmless))


def outlive_fork(names: Iterable[str]) -> bool:
    """Whether a process that called these functions goes on in a forked copy as it would have gone on itself."""
    known = (lookup(name) for name in names if not name.startswith("llvm."))
    return all(found is not None and found.outlives_fork for found in known)


def modelled_functions() -> dict[str, str]:
    """The names for which the runtime has a C model, each with the file that holds it."""
    modelled = ((f, f.model) for f in FUNCTIONS.values() if f.model is not None)
    return {name: model.name for f, model in modelled for name in (f.name, *model.variants)}


def replaced_functions() -> frozenset[str]:
    """The functions that runs which are only tried call in another form: they touch nothing, and their end is noted."""
    texts = [file.read_text("utf-8") for file in (*sorted(REPLACEMENTS.glob("*.c")), MODELS / "nondet_types.h")]
    found = [m for text in texts for m in _REPLACEMENT.finditer(text)]
    return frozenset(m[1] or m[2] or NONDETERMINISTIC + m[3] for m in found if m[1] != NONDETERMINISTIC)
