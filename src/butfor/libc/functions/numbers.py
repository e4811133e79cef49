"""Numbers: read from texts, computed, drawn at random."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import NOTHING, stores_pointer, writes, writes_text
from butfor.libc.record import CFile, LibcFunction, SearchModel, family, text

_NUMBER = CFile("libc_number.c")
_RANDOM_MAX = (1 << 31) - 1
_stdlib_h = partial(LibcFunction, "stdlib.h", harmless=True)
_inttypes_h = partial(LibcFunction, "inttypes.h", harmless=True)
_strings_h = partial(LibcFunction, "strings.h", harmless=True)
_END_OF_NUMBER = (stores_pointer("end", into="text"),)
_TEXT = (text("text"),)

_PARSED = (
    *(
        _stdlib_h(
            f"{result} {name}(const char *text)",
            NOTHING,
            touches=_TEXT,
            search=SearchModel.SIGNED_NUMBER,
            model=_NUMBER,
        )
        for result, name in (("int", "atoi"), ("long", "atol"), ("long long", "atoll"))
    ),
    _stdlib_h("double atof(const char *text)", NOTHING, touches=_TEXT, search=SearchModel.REAL_NUMBER, model=_NUMBER),
    _stdlib_h(
        "long strtol(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        touches=_TEXT,
        search=SearchModel.SIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtol"),
    ),
    _stdlib_h(
        "long long strtoll(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        touches=_TEXT,
        search=SearchModel.SIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtoll"),
    ),
    _stdlib_h(
        "unsigned long strtoul(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        touches=_TEXT,
        search=SearchModel.UNSIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtoul"),
    ),
    _stdlib_h(
        "unsigned long long strtoull(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        search=SearchModel.UNSIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtoull"),
    ),
    _inttypes_h(
        "intmax_t strtoimax(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        search=SearchModel.SIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtoimax"),
    ),
    _inttypes_h(
        "uintmax_t strtoumax(const char *text, char **end, int base)",
        _END_OF_NUMBER,
        search=SearchModel.UNSIGNED_NUMBER,
        model=_NUMBER.also("__isoc23_strtoumax"),
    ),
    _stdlib_h("long long strtoq(const char *text, char **end, int base)", _END_OF_NUMBER),
    _stdlib_h("unsigned long long strtouq(const char *text, char **end, int base)", _END_OF_NUMBER),
    _stdlib_h(
        "double strtod(const char *text, char **end)",
        _END_OF_NUMBER,
        touches=_TEXT,
        search=SearchModel.REAL_NUMBER,
        model=_NUMBER,
    ),
    _stdlib_h(
        "float strtof(const char *text, char **end)", _END_OF_NUMBER, search=SearchModel.REAL_NUMBER, model=_NUMBER
    ),
    _stdlib_h(
        "long double strtold(const char *text, char **end)",
        _END_OF_NUMBER,
        search=SearchModel.REAL_NUMBER,
        model=_NUMBER,
    ),
)

_COMPUTED = (
    _stdlib_h("int abs(int number)", NOTHING, search=SearchModel.ABSOLUTE_VALUE),
    _stdlib_h("long labs(long number)", NOTHING, search=SearchModel.ABSOLUTE_VALUE),
    _stdlib_h("long long llabs(long long number)", NOTHING, search=SearchModel.ABSOLUTE_VALUE),
    _inttypes_h("intmax_t imaxabs(intmax_t number)", NOTHING),
    _stdlib_h("div_t div(int number, int divisor)", NOTHING),
    _stdlib_h("ldiv_t ldiv(long number, long divisor)", NOTHING),
    _stdlib_h("lldiv_t lldiv(long long number, long long divisor)", NOTHING),
    _strings_h("int ffs(int bits)", NOTHING),
    _strings_h("int ffsl(long bits)", NOTHING),
    _strings_h("int ffsll(long long bits)", NOTHING),
)

_DRAWN = (
    _stdlib_h("int rand(void)", NOTHING, result_range=(0, _RANDOM_MAX)),
    _stdlib_h("long random(void)", NOTHING, result_range=(0, _RANDOM_MAX)),
    _stdlib_h("int rand_r(unsigned *seed)", (writes_text("seed"),)),
    _stdlib_h("void srand(unsigned seed)", NOTHING, search=SearchModel.IRRELEVANT),
    _stdlib_h("void srandom(unsigned seed)", NOTHING),
    _stdlib_h("void srand48(long seed)", NOTHING),
    _stdlib_h("double drand48(void)", NOTHING),
    *family(_stdlib_h("long {}(void)", NOTHING), "lrand48 mrand48"),
    LibcFunction("unistd.h", "int getentropy(void *to, size_t count)", (writes("to", "count"),)),
    LibcFunction("sys/random.h", "ssize_t getrandom(void *to, size_t count, unsigned flags)", (writes("to"),)),
)

FUNCTIONS = (*_PARSED, *_COMPUTED, *_DRAWN)
