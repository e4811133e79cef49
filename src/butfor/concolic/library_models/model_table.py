"""Which library function is followed by which model, and what is done for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models import character_models, getopt_models, input_models, number_models, text_models
from butfor.concolic.library_models.scanf_models import scanned
from butfor.concolic.path_condition import Alternative
from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Kind, Type
from butfor.logic.byte_rules import simple_equal
from butfor.logic.terms import Term, const, negate

_Rule = Callable[[Shadow, LibraryCall, Any, Type, Sequence[ConsumedInput]], Term | None]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("getchar", "getc", "fgetc", "_IO_getc", "IO_getc"), input_models.character),
    **dict.fromkeys(("fgets", "gets", "getline", "getdelim"), input_models.line),
    **dict.fromkeys(("fread", "read"), input_models.block),
    **dict.fromkeys(("strlen",), text_models.length),
    **dict.fromkeys("strcmp strncmp strcasecmp strncasecmp memcmp bcmp strcoll".split(), text_models.comparison),
    **dict.fromkeys(
        "strchr index strrchr rindex strchrnul strstr strcasestr strpbrk strspn strcspn memchr rawmemchr".split(),
        text_models.search,
    ),
    **dict.fromkeys(("strtok", "strtok_r", "strsep"), text_models.split),
    **dict.fromkeys(
        "atoi atol atoll strtol strtoll strtoul strtoull strtoimax strtoumax".split(), number_models.number
    ),
    **dict.fromkeys(("atof", "strtod", "strtof", "strtold"), number_models.real),
    **dict.fromkeys(("tolower", "toupper"), character_models.case),
    **dict.fromkeys(character_models.BITS, character_models.is_in_class),
    **dict.fromkeys(("abs", "labs", "llabs"), number_models.absolute),
    **dict.fromkeys(("ctype_b_loc", "ctype_tolower_loc", "ctype_toupper_loc"), character_models.table_pointer),
    **dict.fromkeys(("getopt", "getopt_long", "getopt_long_only"), getopt_models.getopt),
    **dict.fromkeys(("scanf", "fscanf", "sscanf"), scanned),
}
# Results of these do not matter, or do not depend on the arguments that do.
_WITHOUT_INPUT = frozenset(
    """
    printf fprintf puts putchar fputs fputc putc fwrite write fflush sprintf snprintf perror exit _exit abort free malloc calloc realloc
    memcpy memmove memset strcpy strncpy strcat strncat strdup strndup ungetc feof ferror srand __VERIFIER_assume
    """.split()
)


def before(shadow: Shadow, call: LibraryCall) -> None:
    """What a call asks of its arguments, which it may fail on."""
    name = call.name.removeprefix("__").removesuffix("_chk")
    if (
        name in ("memcpy", "memmove", "memset", "mempcpy", "memcmp", "bcopy", "fread", "read", "strncpy")
        and len(call.args) >= 3
    ):
        length = call.terms[2]
        if length is not None and name not in ("fread", "read"):
            symbolic_addresses.long_copy(shadow, call.function, call.index, call.args, length, name != "memset")
    if name in ("strcpy", "strcat", "sprintf", "gets", "stpcpy"):
        text_models.overfull(shadow, call)
    if call.name == "__VERIFIER_assume":
        term = call.terms[0]
        if term is not None and isinstance(call.args[0], int):
            holds = negate(simple_equal(term, const(0, term.width)))
            if call.args[0]:
                shadow.decide(holds)
            else:
                shadow.decide(negate(holds), (Alternative(holds, (*call.site, 1)),))


def filled_with(call: LibraryCall | None) -> int | None:
    """The byte that a call fills memory with, if it is one that does: memset its own, strncpy and the like zeros."""
    if call is None:
        return None
    if "memset" in call.name:
        return call.args[1] if isinstance(call.args[1], int) else None
    return 0


def after(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The term of the result, None when it does not depend on the input or nobody knows how."""
    name = call.name
    if name.startswith("__VERIFIER_nondet_"):
        return input_models.nondet(shadow, name.removeprefix("__VERIFIER_nondet_"), result, taken)
    name = (
        name.removeprefix("__isoc99_")
        .removeprefix("__isoc23_")
        .removeprefix("__")
        .removesuffix("_chk")
        .removesuffix("_unlocked")
    )
    rule = _RULES.get(name)
    if rule is not None:
        return rule(shadow, call, value, result, taken)
    if taken and any(stream == STDIN for _, _, stream, _ in taken):
        shadow.reads.add("stdin")
    if name not in _WITHOUT_INPUT and any(t is not None for t in call.terms) and result.kind is not Kind.VOID:
        shadow.gaps.add(f"the function {call.name}()")
    return None
