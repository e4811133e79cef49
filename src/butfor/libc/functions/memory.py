"""Blocks of memory: copied, filled, compared, searched; sorted arrays and trees."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    ANYTHING,
    NOTHING,
    calls,
    copies,
    copies_some,
    fills,
    returns,
    returns_into,
    writes,
    writes_text,
)
from butfor.libc.record import CFile, LibcFunction, Overflow, SearchModel, block, family

_MEMORY = CFile("libc_memory.c")
_SEARCH = CFile("libc_search.c")
_string_h = partial(LibcFunction, "string.h", harmless=True)
_strings_h = partial(LibcFunction, "strings.h", harmless=True)
_stdlib_h = partial(LibcFunction, "stdlib.h", harmless=True)
_search_h = partial(LibcFunction, "search.h", harmless=True)
_BOTH = (block("a", "count"), block("b", "count"))
_TO_AND_FROM = (block("to", "count"), block("from", "count"))
_COMPARE = "int (*compare)(const void *, const void *)"

_COPYING_AND_FILLING = (
    _string_h(
        "void *memcpy(void *to, const void *from, size_t count)",
        (copies("to", "from", "count"), returns("to")),
        touches=_TO_AND_FROM,
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.LENGTH,
        model=_MEMORY.also("__memcpy_chk"),
    ),
    _string_h(
        "void *memmove(void *to, const void *from, size_t count)",
        (copies("to", "from", "count"), returns("to")),
        touches=_TO_AND_FROM,
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.LENGTH,
        model=_MEMORY.also("__memmove_chk"),
    ),
    _string_h(
        "void *mempcpy(void *to, const void *from, size_t count)",
        (copies("to", "from", "count"), returns_into("to")),
        touches=_TO_AND_FROM,
        overflow=Overflow.LENGTH,
        model=_MEMORY.also("__mempcpy_chk"),
    ),
    _string_h(
        "void *memccpy(void *to, const void *from, int last, size_t count)",
        (copies_some("to", "from", at_most="count"), returns_into("to")),
        model=_MEMORY,
    ),
    _strings_h(
        "void bcopy(const void *from, void *to, size_t count)",
        (copies("to", "from", "count"),),
        overflow=Overflow.LENGTH,
        model=_MEMORY,
    ),
    _string_h(
        "void *memset(void *to, int byte, size_t count)",
        (fills("to", "byte", "count"), returns("to")),
        touches=(block("to", "count"),),
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.LENGTH,
        model=_MEMORY.also("__memset_chk"),
    ),
    _strings_h(
        "void bzero(void *to, size_t count)",
        (writes("to", "count"),),
        touches=(block("to", "count"),),
        model=_MEMORY,
    ),
    _string_h("void explicit_bzero(void *to, size_t count)", (writes("to", "count"),), model=_MEMORY),
)

_COMPARING_AND_SEARCHING = (
    _string_h(
        "int memcmp(const void *a, const void *b, size_t count)",
        NOTHING,
        touches=_BOTH,
        search=SearchModel.MEMORY_COMPARISON,
        overflow=Overflow.LENGTH,
        model=_MEMORY,
    ),
    _strings_h(
        "int bcmp(const void *a, const void *b, size_t count)",
        NOTHING,
        touches=_BOTH,
        search=SearchModel.MEMORY_COMPARISON,
        model=_MEMORY,
    ),
    _string_h(
        "void *memchr(const void *block, int byte, size_t count)",
        (returns_into("block"),),
        touches=(block("block", "count"),),
        search=SearchModel.CHARACTER_SEARCH,
        model=_MEMORY,
    ),
    _string_h("void *memrchr(const void *block, int byte, size_t count)", (returns_into("block"),), model=_MEMORY),
    _string_h(
        "void *rawmemchr(const void *block, int byte)",
        (returns_into("block"),),
        search=SearchModel.CHARACTER_SEARCH,
        model=_MEMORY,
    ),
    _string_h(
        "void *memmem(const void *block, size_t size, const void *part, size_t part_size)",
        (returns_into("block"),),
        model=_MEMORY,
    ),
)

_SORTED = (
    _stdlib_h(
        f"void qsort(void *base, size_t count, size_t size, {_COMPARE})",
        (calls("compare", "base[]", "base[]"), writes("base")),
        touches=(block("base", "count", "size"),),
        model=_SEARCH,
    ),
    _stdlib_h(
        "void qsort_r(void *base, size_t count, size_t size, "
        "int (*compare)(const void *, const void *, void *), void *context)",
        (calls("compare", "base[]", "base[]", "context"), writes("base")),
        model=_SEARCH,
    ),
    _stdlib_h(
        f"void *bsearch(const void *key, const void *base, size_t count, size_t size, {_COMPARE})",
        (calls("compare", "key", "base[]"), returns_into("base")),
        model=_SEARCH,
    ),
    _search_h(
        f"void *lfind(const void *key, const void *base, size_t *count, size_t size, {_COMPARE})",
        (calls("compare", "key", "base[]"), returns_into("base")),
        model=_SEARCH,
    ),
    _search_h(
        f"void *lsearch(const void *key, void *base, size_t *count, size_t size, {_COMPARE})",
        (calls("compare", "key", "base[]"), returns_into("base"), copies_some("base", "key"), writes_text("count")),
        model=_SEARCH,
    ),
    *family(
        _search_h(f"void *{{}}(const void *key, void **root, {_COMPARE})", ANYTHING, model=_SEARCH), "tsearch tdelete"
    ),
    _search_h(f"void *tfind(const void *key, void *const *root, {_COMPARE})", ANYTHING, model=_SEARCH),
    _search_h("void twalk(const void *root, void (*visit)(const void *, VISIT, int))", ANYTHING, model=_SEARCH),
)

FUNCTIONS = (*_COPYING_AND_FILLING, *_COMPARING_AND_SEARCHING, *_SORTED)
