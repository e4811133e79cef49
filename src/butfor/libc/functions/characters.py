"""Single characters: their classes and their case, also those of wide characters."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import NOTHING, returns_static
from butfor.libc.record import LibcFunction, SearchModel, family

_ctype_h = partial(LibcFunction, "ctype.h", harmless=True)
_wctype_h = partial(LibcFunction, "wctype.h", harmless=True)
# The bit of each class in the table that __ctype_b_loc gives, on little-endian machines.
_CLASS_BITS = {
    "isblank": 0,
    "iscntrl": 1,
    "ispunct": 2,
    "isalnum": 3,
    "isupper": 8,
    "islower": 9,
    "isalpha": 10,
    "isdigit": 11,
    "isxdigit": 12,
    "isspace": 13,
    "isprint": 14,
    "isgraph": 15,
}

FUNCTIONS = (
    *(
        _ctype_h(f"int {name}(int character)", NOTHING, search=SearchModel.CHARACTER_CLASS, character_class=bit)
        for name, bit in _CLASS_BITS.items()
    ),
    *family(_ctype_h("int {}(int character)", NOTHING), "isascii toascii"),
    _ctype_h("int tolower(int character)", NOTHING, search=SearchModel.LOWER_CASE),
    _ctype_h("int toupper(int character)", NOTHING, search=SearchModel.UPPER_CASE),
    _ctype_h(
        "const unsigned short **__ctype_b_loc(void)",
        (returns_static(),),
        never_null=True,
        search=SearchModel.CLASS_TABLE,
    ),
    _ctype_h(
        "const __int32_t **__ctype_tolower_loc(void)",
        (returns_static(),),
        never_null=True,
        search=SearchModel.LOWER_CASE_TABLE,
    ),
    _ctype_h(
        "const __int32_t **__ctype_toupper_loc(void)",
        (returns_static(),),
        never_null=True,
        search=SearchModel.UPPER_CASE_TABLE,
    ),
    LibcFunction("stdlib.h", "size_t __ctype_get_mb_cur_max(void)", NOTHING, harmless=True),
    *family(
        _wctype_h("int {}(wint_t character)", NOTHING),
        "iswalnum iswalpha iswdigit iswlower iswspace iswupper iswxdigit",
    ),
    *family(_wctype_h("wint_t {}(wint_t character)", NOTHING), "towlower towupper"),
)
