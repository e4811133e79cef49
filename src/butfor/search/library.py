"""Library functions as the search sees them: how their results depend on the input, and which edits of it would change what they do.

A function that reads a number from text gives a number field: the solver chooses the number, its digits are written into the input. A
function that compares with or looks for a text gives an edit: that text is put into the input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from butfor.encode.terms import TRUE, Term, binary, compare, const, ite, negate, resize
from butfor.program.types import Kind, Type
from butfor.search import addresses
from butfor.search.inputs import MOST_ARGS, STDIN, Field, Splice
from butfor.search.path import Edit, Other
from butfor.search.scanning import scanned
from butfor.search.simplify import same
from butfor.search.tokens import Token, number_of, token_at

if TYPE_CHECKING:
    from butfor.search.shadow import Shadow

Taken = list[tuple[int, int, int, int]]  # address, length, stream, offset
_LONGEST = 4096  # bytes of a text that is looked at
_LONGEST_MADE = 400  # bytes of a text that gets another length
_EOF = -1


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a library function: its arguments, None where the value is not known, and their terms."""

    name: str
    args: tuple[Any, ...]
    terms: tuple[Term | None, ...]
    function: str
    index: int

    @property
    def site(self) -> tuple[str, int]:
        """Where it stands."""
        return self.function, self.index


def before(shadow: Shadow, call: Call) -> None:
    """What a call asks of its arguments, which it may fail on."""
    name = call.name.removeprefix("__").removesuffix("_chk")
    if name in ("memcpy", "memmove", "memset", "mempcpy", "memcmp", "bcopy", "fread", "read", "strncpy") and len(call.args) >= 3:
        length = call.terms[2]
        if length is not None and name not in ("fread", "read"):
            addresses.long_copy(shadow, call.function, call.index, call.args, length, name != "memset")
    if name in ("strcpy", "strcat", "sprintf", "gets", "stpcpy"):
        _overfull(shadow, call)
    if call.name == "__VERIFIER_assume":
        term = call.terms[0]
        if term is not None and isinstance(call.args[0], int):
            holds = negate(same(term, const(0, term.width)))
            if call.args[0]:
                shadow.decide(holds)
            else:
                shadow.decide(negate(holds), (Other(holds, (*call.site, 1)),))


def _overfull(shadow: Shadow, call: Call) -> None:
    """A text that goes into an array of fixed size: a longer one may leave it."""
    target = call.args[0]
    bounds = shadow.objects.around(target) if isinstance(target, int) else None
    if bounds is None:
        return
    room = bounds[0] + bounds[1] - target
    for source in call.args[1:]:
        token = token_at(shadow, source) if isinstance(source, int) else None
        if token is not None and token.end - token.start <= room < _LONGEST:
            text = shadow.given.text(token.place)[token.start : token.end]
            longer = (text or b"A") + (text[-1:].strip() or b"A") * (room + 1 - len(text))
            shadow.edit(Edit(("overfull", *call.site, room), (Splice(token.place, token.start, token.end, longer),)))


def filled_with(call: Call | None) -> int | None:
    """The byte that a call fills memory with, if it is one that does: memset its own, strncpy and the like zeros."""
    if call is None:
        return None
    if "memset" in call.name:
        return call.args[1] if isinstance(call.args[1], int) else None
    return 0


def after(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """The term of the result, None when it does not depend on the input or nobody knows how."""
    name = call.name
    if name.startswith("__VERIFIER_nondet_"):
        return _nondet(shadow, name.removeprefix("__VERIFIER_nondet_"), value, result, taken)
    name = name.removeprefix("__isoc99_").removeprefix("__isoc23_").removeprefix("__").removesuffix("_chk").removesuffix("_unlocked")
    rule = _RULES.get(name)
    if rule is not None:
        return rule(shadow, call, value, result, taken)
    if taken and any(stream == STDIN for _, _, stream, _ in taken):
        shadow.reads.add("stdin")
    if name not in _WITHOUT_INPUT and any(t is not None for t in call.terms) and result.kind is not Kind.VOID:
        shadow.gaps.add(f"the function {call.name}()")
    return None


def intrinsic_term(name: str, args: Sequence[Term]) -> Term | None:
    """The meaning of an LLVM intrinsic."""
    x = args[0]
    if name.startswith("llvm.abs."):
        return ite(compare("slt", x, const(0, x.width)), binary("sub", const(0, x.width), x), x)
    for part, op, is_first in (("smax", "slt", False), ("smin", "slt", True), ("umax", "ult", False), ("umin", "ult", True)):
        if name.startswith(f"llvm.{part}."):
            y = args[1]
            return ite(compare(op, x, y), x if is_first else y, y if is_first else x)
    return x if name.startswith("llvm.expect.") else None


# --- input ---------------------------------------------------------------------------------------------------------------------------


def _nondet(shadow: Shadow, kind: str, value: Any, result: Type, taken: Taken) -> Term | None:
    shadow.reads.add("nondet")
    if not taken or result.kind not in (Kind.INT, Kind.PTR):
        shadow.gaps.add(f"the values of __VERIFIER_nondet_{kind}()")
        return None
    number = taken[-1][3]
    given = shadow.given.nondet[number] if number < len(shadow.given.nondet) else 0
    whole = shadow.variable(f"n{number}", 64, given)
    if kind in ("bool", "_Bool"):
        return resize(resize(whole, 1), result.bits)
    return resize(whole, result.bits) if result.bits <= 64 else None


def _character(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """getchar and the like: a byte, or the end."""
    at = _stdin_offset(taken)
    if at is None:
        return None
    shadow.reads.add("stdin")
    if at < len(shadow.given.stdin):
        _goes_on(shadow, at, call)
        return resize(shadow.variable(f"s{at}", 8, shadow.given.stdin[at]), result.bits)
    if at > len(shadow.given.stdin):
        return None
    more = shadow.variable("more", 1, 0)
    byte = shadow.variable(f"s{at}", 8, 10)
    return ite(same(more, const(1, 1)), resize(byte, result.bits), const(_EOF, result.bits))


def _goes_on(shadow: Shadow, at: int, call: Call) -> None:
    there = same(shadow.variable(f"keep{at}", 1, 1), const(1, 1))
    shadow.decide(there, (Other(negate(there), (*call.site, 7)),))


def _stdin_offset(taken: Taken) -> int | None:
    return next((offset for _, _, stream, offset in taken if stream == STDIN and offset >= 0), None)


def _line(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """fgets, gets, getline: up to the end of the line."""
    at = _stdin_offset(taken)
    if at is None:
        return None
    shadow.reads.add("stdin")
    stdin = shadow.given.stdin
    length = sum(n for address, n, stream, _ in taken if address and stream == STDIN)
    site = (*call.site, 8)
    for k in range(at, at + length):
        is_end = same(shadow.variable(f"s{k}", 8, stdin[k]), const(10, 8))
        held = is_end if stdin[k] == 10 else negate(is_end)
        shadow.decide(held, (Other(negate(held), site),))
    if length:
        _goes_on(shadow, at, call)
    ended = at + length >= len(stdin) and (not length or stdin[-1:] != b"\n")
    if ended:
        over = same(shadow.variable("more", 1, 0), const(0, 1))
        shadow.decide(over, (Other(negate(over), (*call.site, 9)),))
    if at + length >= len(stdin):
        lines = [line.rstrip(b"\n") + b"\n" for line in stdin.splitlines(keepends=True)]
        repeated = (lines[0], lines[-1]) if lines else ()
        for text in dict.fromkeys((*repeated, b"A\n", b"1\n", *(w + b"\n" for w in shadow.facts.words[:8]))):
            start = b"" if not stdin or stdin.endswith(b"\n") else b"\n"
            shadow.edit(Edit(("line", *call.site, text), (Splice(STDIN, len(stdin), len(stdin), start + text),)))
    return None


def _block(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """fread and read: what is missing can be added."""
    at = _stdin_offset(taken)
    if at is None or not all(isinstance(a, int) for a in call.args[1:3]):
        return None
    shadow.reads.add("stdin")
    shadow.gaps.add(f"the function {call.name}()")
    wanted = call.args[1] * call.args[2] if "fread" in call.name else call.args[2]
    stdin = shadow.given.stdin
    missing = at + wanted - len(stdin)
    if missing > 0:
        for size in dict.fromkeys((min(missing, 16), missing if missing <= 256 else 16)):
            for filler in (b"\0", b"A", b"\1") if size == min(missing, 16) else (b"A",):
                shadow.edit(Edit(("block", *call.site, filler, at, size), (Splice(STDIN, len(stdin), len(stdin), filler * size),)))
        if "fread" not in call.name:
            over = same(shadow.variable("more", 1, 0), const(0, 1))
            shadow.decide(over, (Other(negate(over), (*call.site, 9)),))
    if at < len(stdin):
        _goes_on(shadow, at, call)
    return None


# --- texts ---------------------------------------------------------------------------------------------------------------------------


def _length(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    token = token_at(shadow, call.args[0])
    if token is None or token.end - token.start != value:
        if shadow.memory.is_symbolic(call.args[0] or 0, 1):
            _by_bytes(shadow, call, value)
        return None
    shadow.gaps.add("lengths of texts")
    term = shadow.field(Field("length", token.place, token.start, token.end, 64, False), value)
    shadow.bounds[str(term.data)] = compare("ule", term, const(_LONGEST_MADE, 64))
    return term


def _by_bytes(shadow: Shadow, call: Call, value: int) -> None:
    """The length of a text that is no part of the input as a whole: its bytes are not zero, its end is."""
    for k, (term, _) in enumerate(shadow.memory.text(call.args[0], min(value + 1, _LONGEST))):
        if term is not None:
            is_end = same(term, const(0, 8))
            held = is_end if k == value else negate(is_end)
            shadow.decide(held, (Other(negate(held), (*call.site, 10)),))


def _comparison(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strcmp and its kin. The result: 0 if all bytes are the same, else by the first that differ."""
    x, y = call.args[:2]
    most = _LONGEST
    if len(call.args) > 2:
        if not isinstance(call.args[2], int):
            return None
        most = min(call.args[2], _LONGEST)
    is_text, folds = "mem" not in call.name and call.name != "bcmp", "case" in call.name
    if not isinstance(x, int) or not isinstance(y, int):
        return None
    pairs = list(zip(shadow.memory.text(x, most), shadow.memory.text(y, most), strict=False))
    if not any(a[0] is not None or b[0] is not None for a, b in pairs):
        return None
    _propose(shadow, call, x, y, most, is_text, value)
    return _order(pairs, is_text, folds, value, result.bits)


def _order(pairs: list[Any], is_text: bool, folds: bool, value: int, bits: int) -> Term | None:
    steps: list[tuple[Term, Term, Term]] = []
    for a, b in pairs:
        if a[1] is None or b[1] is None:
            return None
        left = a[0] if a[0] is not None else const(a[1], 8)
        right = b[0] if b[0] is not None else const(b[1], 8)
        if folds:
            left, right = (addresses.mapped(t, "tolower", 8) for t in (left, right))
        steps.append((same(left, right), compare("ult", left, right), same(left, const(0, 8)) if is_text else same(const(0, 1), const(1, 1))))
        if is_text and ((b[1] == 0 and b[0] is None) or (a[1] == 0 and a[0] is None)):
            break
    signed = value - (1 << bits) if value >> bits - 1 else value
    down, up = (signed, 1) if signed < 0 else (-1, signed) if signed > 0 else (-1, 1)
    outcome = const(0, bits)
    for equal, is_less, ends in reversed(steps):
        rest = outcome if ends is not TRUE else const(0, bits)
        if ends.op not in ("all", "any"):
            rest = ite(ends, const(0, bits), rest) if rest.op != "const" or rest.data else rest
        outcome = ite(equal, rest, ite(is_less, const(down, bits), const(up, bits)))
    return outcome


def _propose(shadow: Shadow, call: Call, x: int, y: int, most: int, is_text: bool, value: int) -> None:
    """The other text, put where the one from the input stands."""
    for mine, other in ((x, y), (y, x)):
        token = token_at(shadow, mine)
        if token is None:
            continue
        wanted = bytearray()
        for _, byte in shadow.memory.text(other, most):
            if byte is None or (is_text and byte == 0):
                break
            wanted.append(byte)
        text = bytes(wanted)
        if not value or not text or len(text) > 1024:
            continue
        end = (
            max(token.end, token.start + len(text))
            if "mem" in call.name
            else token.start + min(len(text), token.end - token.start)
            if most < _LONGEST
            else token.end
        )
        place = shadow.given.text(token.place)
        shadow.edit(Edit(("text", *call.site, text), (Splice(token.place, token.start, min(end, len(place)), text),)))


def _search(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strstr, strchr and the like: what is looked for is put in, or taken out."""
    token = token_at(shadow, call.args[0])
    if token is None or len(call.args) < 2 or not isinstance(call.args[1], int):
        return None
    shadow.gaps.add(f"the function {call.name}()")
    if call.name in ("strchr", "index", "strrchr", "rindex", "strchrnul", "memchr", "rawmemchr"):
        wanted = bytes([call.args[1] & 255])
    else:
        wanted = bytes(v for v in _text(shadow, call.args[1]))
    if call.name in ("strpbrk", "strspn", "strcspn", "strtok", "strtok_r", "strsep"):
        wanted = wanted[:1]
    if not wanted.strip(b"\0"):
        return None
    text = shadow.given.text(token.place)[token.start : token.end]
    middle = token.start + len(text) // 2
    if not value:
        shadow.edit(Edit(("find", *call.site, wanted, "end"), (Splice(token.place, token.end, token.end, wanted + b"1"),)))
        shadow.edit(Edit(("find", *call.site, wanted, "middle"), (Splice(token.place, middle, middle, wanted),)))
        shadow.edit(Edit(("find", *call.site, wanted, "all"), (Splice(token.place, token.start, token.end, wanted),)))
    elif wanted in text:
        at = token.start + text.index(wanted)
        shadow.edit(Edit(("miss", *call.site, wanted), (Splice(token.place, at, at + len(wanted), b""),)))
    return None


def _text(shadow: Shadow, address: int) -> list[int]:
    out = []
    for _, byte in shadow.memory.text(address, 256):
        if not byte:
            break
        out.append(byte)
    return out


def _split(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strtok: one more token can be added where the last one ended."""
    shadow.gaps.add(f"the function {call.name}()")
    if not isinstance(call.args[1], int):
        return None
    delimiter = bytes(_text(shadow, call.args[1])[:1]) or b" "
    if value:
        token = token_at(shadow, value)
        if token is not None:
            for text in (b"1", b"A", *shadow.facts.words[:6]):
                shadow.edit(Edit(("token", *call.site, token.start, text), (Splice(token.place, token.end, token.end, delimiter + text),)))
    return None


# --- numbers -------------------------------------------------------------------------------------------------------------------------


def _number(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """atoi, strtol and the like."""
    base = call.args[2] if len(call.args) > 2 else 10
    if base not in (0, 10) or result.kind is not Kind.INT:
        shadow.gaps.add(f"the function {call.name}()")
        return None
    found = number_of(shadow, call.args[0])
    if found is None:
        return None
    if found.is_empty:
        shadow.edit(Edit(("number", *call.site), (Splice(found.place, found.start, found.end, b"1"),)))
    shadow.gaps.add("texts that are no numbers")
    is_signed = not call.name.removeprefix("__isoc23_").startswith(("strtou",))
    return shadow.field(Field("number", found.place, found.start, found.end, result.bits, is_signed), value)


def _real(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """atof and strtod: numbers of the program, and near them, are tried."""
    shadow.gaps.add("floating point")
    found = number_of(shadow, call.args[0])
    if found is not None:
        propose_reals(shadow, call.site, found)
    return None


def propose_reals(shadow: Shadow, site: tuple[str, int], found: Token) -> None:
    """Edits that put constants of the program, and numbers near them, where a number stands."""
    numbers = dict.fromkeys(n + d for n in (*shadow.facts.real_numbers, 0.0, 100.0) for d in (0.0, 0.5, -0.5, 1.0, -1.0))
    for n in (*list(numbers)[:40], -1e9, 1e9):
        shadow.edit(Edit(("real", *site, found.start, n), (Splice(found.place, found.start, found.end, f"{n:.10g}".encode()),)))


# --- characters ------------------------------------------------------------------------------------------------------------------------


def _case(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    term = call.terms[0]
    return None if term is None else addresses.mapped(term, call.name, result.bits)


# The bits of the C library's table of classes.
_BITS = {name: bit for bit, name in enumerate("isblank iscntrl ispunct isalnum".split())} | {
    name: bit for bit, name in enumerate("isupper islower isalpha isdigit isxdigit isspace isprint isgraph".split(), 8)
}


def _class(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    term = call.terms[0]
    if term is None:
        return None
    inside = addresses.class_of(term, 1 << _BITS[call.name])
    return ite(same(inside, const(0, 32)), const(0, result.bits), const(value or 1, result.bits))


def _absolute(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    x = call.terms[0]
    return None if x is None else ite(compare("slt", x, const(0, x.width)), binary("sub", const(0, x.width), x), x)


def _table_pointer(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    shadow.table_pointers[value] = {"__ctype_b_loc": "b", "__ctype_tolower_loc": "tolower"}.get(call.name, "toupper")
    return None


def _options(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """getopt: each of the options that it is told about is given, with an argument if it takes one."""
    shadow.reads.add("args")
    shadow.gaps.add(f"the function {call.name}()")
    if len(call.args) < 3 or not isinstance(call.args[2], int):
        return None
    letters = bytes(_text(shadow, call.args[2])).lstrip(b"+-:")
    words = [(b"-" + letters[k : k + 1], letters[k + 1 : k + 2] == b":") for k in range(len(letters)) if letters[k : k + 1] != b":"]
    if len(call.args) > 3 and isinstance(call.args[3], int):
        words += _long_options(shadow, call.args[3])
    after = len(shadow.given.args) + 1
    for word, takes in words:
        splices = (Splice(after, 0, 1, word), *((Splice(after + 1, 0, 1, b"1"),) if takes else ()))
        if after + takes <= MOST_ARGS:
            shadow.edit(Edit(("option", *call.site, word, after), splices))
    return None


def _long_options(shadow: Shadow, table: int) -> list[tuple[bytes, bool]]:
    """Names of the options of getopt_long, and whether they take an argument."""
    out = []
    for k in range(64):
        row = bytes(v or 0 for _, v in shadow.memory.text(table + 32 * k, 32))
        name = bytes(_text(shadow, int.from_bytes(row[:8], "little"))) if len(row) == 32 else b""
        if not name:
            break
        out.append((b"--" + name, row[8] == 1))
    return out


def _scan(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    scanned(shadow, call, value, taken)
    return None


_Rule = Callable[["Shadow", Call, Any, Type, Taken], Term | None]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("getchar", "getc", "fgetc", "_IO_getc", "IO_getc"), _character),
    **dict.fromkeys(("fgets", "gets", "getline", "getdelim"), _line),
    **dict.fromkeys(("fread", "read"), _block),
    **dict.fromkeys(("strlen",), _length),
    **dict.fromkeys("strcmp strncmp strcasecmp strncasecmp memcmp bcmp strcoll".split(), _comparison),
    **dict.fromkeys("strchr index strrchr rindex strchrnul strstr strcasestr strpbrk strspn strcspn memchr rawmemchr".split(), _search),
    **dict.fromkeys(("strtok", "strtok_r", "strsep"), _split),
    **dict.fromkeys("atoi atol atoll strtol strtoll strtoul strtoull strtoimax strtoumax".split(), _number),
    **dict.fromkeys(("atof", "strtod", "strtof", "strtold"), _real),
    **dict.fromkeys(("tolower", "toupper"), _case),
    **dict.fromkeys(_BITS, _class),
    **dict.fromkeys(("abs", "labs", "llabs"), _absolute),
    **dict.fromkeys(("ctype_b_loc", "ctype_tolower_loc", "ctype_toupper_loc"), _table_pointer),
    **dict.fromkeys(("getopt", "getopt_long", "getopt_long_only"), _options),
    **dict.fromkeys(("scanf", "fscanf", "sscanf"), _scan),
}
# Results of these do not matter, or do not depend on the arguments that do.
_WITHOUT_INPUT = frozenset(
    """
    printf fprintf puts putchar fputs fputc putc fwrite write fflush sprintf snprintf perror exit _exit abort free malloc calloc realloc
    memcpy memmove memset strcpy strncpy strcat strncat strdup strndup ungetc feof ferror srand __VERIFIER_assume
    """.split()
)
