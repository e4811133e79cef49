"""Texts that end with a zero byte: copied, measured, compared, searched, split."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    NOTHING,
    returns,
    returns_into,
    returns_into_pointee,
    returns_new_block,
    returns_static,
    stores_pointer,
    tokenises,
    writes_text,
    writes_text_behind,
)
from butfor.libc.record import Allocation, CFile, LibcFunction, Overflow, SearchModel, block, family, text

_COPY = CFile("libc_copy.c")
_STRING = CFile("libc_string.c")
_string_h = partial(LibcFunction, "string.h", harmless=True)
_strings_h = partial(LibcFunction, "strings.h", harmless=True)
_TO_AND_FROM = (text("to"), text("from"))
_BOTH = (text("a"), text("b"))
_TEXT_AND_SET = (text("text"), text("set"))

_COPYING = (
    _string_h(
        "char *strcpy(char *to, const char *from)",
        (writes_text("to"), returns("to")),
        touches=_TO_AND_FROM,
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.TEXT,
        leaves_text=True,
        model=_COPY.also("__strcpy_chk"),
    ),
    _string_h(
        "char *strncpy(char *to, const char *from, size_t count)",
        (writes_text("to"), returns("to")),
        touches=(block("to", "count"), text("from")),
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.LENGTH,
        model=_COPY.also("__strncpy_chk"),
    ),
    _string_h(
        "char *strcat(char *to, const char *from)",
        (writes_text("to"), returns("to")),
        touches=_TO_AND_FROM,
        never_null=True,
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.TEXT,
        leaves_text=True,
        model=_COPY.also("__strcat_chk"),
    ),
    _string_h(
        "char *strncat(char *to, const char *from, size_t count)",
        (writes_text("to"), returns("to")),
        touches=_TO_AND_FROM,
        never_null=True,
        search=SearchModel.IRRELEVANT,
        leaves_text=True,
        model=_COPY.also("__strncat_chk"),
    ),
    _string_h(
        "char *stpcpy(char *to, const char *from)",
        (writes_text("to"), returns_into("to")),
        touches=_TO_AND_FROM,
        overflow=Overflow.TEXT,
        leaves_text=True,
        model=_COPY.also("__stpcpy_chk"),
    ),
    _string_h(
        "char *stpncpy(char *to, const char *from, size_t count)",
        (writes_text("to"), returns_into("to")),
        model=_COPY.also("__stpncpy_chk"),
    ),
    _string_h("size_t strxfrm(char *to, const char *from, size_t size)", (writes_text("to"),), model=_COPY),
    _string_h(
        "char *strdup(const char *text)",
        (returns_new_block(),),
        touches=(text("text"),),
        allocates=Allocation(keeps_content=True),
        search=SearchModel.IRRELEVANT,
        model=CFile("libc_alloc.c", ("__strdup",)),
    ),
    _string_h(
        "char *strndup(const char *text, size_t count)",
        (returns_new_block(),),
        touches=(text("text"),),
        allocates=Allocation(keeps_content=True),
        search=SearchModel.IRRELEVANT,
        model=CFile("libc_alloc.c", ("__strndup",)),
    ),
)

_MEASURING_AND_COMPARING = (
    _string_h(
        "size_t strlen(const char *text)",
        NOTHING,
        touches=(text("text"),),
        returns_text_length=True,
        search=SearchModel.TEXT_LENGTH,
        model=_STRING,
    ),
    _string_h(
        "size_t strnlen(const char *text, size_t count)",
        NOTHING,
        touches=(text("text"),),
        returns_text_length=True,
        model=_STRING,
    ),
    *family(
        _string_h(
            "int {}(const char *a, const char *b)",
            NOTHING,
            touches=_BOTH,
            search=SearchModel.TEXT_COMPARISON,
            model=_STRING,
        ),
        "strcmp strcoll",
    ),
    _string_h(
        "int strncmp(const char *a, const char *b, size_t count)",
        NOTHING,
        touches=_BOTH,
        search=SearchModel.TEXT_COMPARISON,
        model=_STRING,
    ),
    _strings_h(
        "int strcasecmp(const char *a, const char *b)",
        NOTHING,
        touches=_BOTH,
        search=SearchModel.CASELESS_COMPARISON,
        model=_STRING,
    ),
    _strings_h(
        "int strncasecmp(const char *a, const char *b, size_t count)",
        NOTHING,
        touches=_BOTH,
        search=SearchModel.CASELESS_COMPARISON,
        model=_STRING,
    ),
    _string_h("int strverscmp(const char *a, const char *b)", NOTHING, model=_STRING),
)

_SEARCHING = (
    *family(
        _string_h(
            "char *{}(const char *text, int character)",
            (returns_into("text"),),
            touches=(text("text"),),
            search=SearchModel.CHARACTER_SEARCH,
            model=_STRING,
        ),
        "strchr strrchr",
    ),
    _string_h(
        "char *strchrnul(const char *text, int character)",
        (returns_into("text"),),
        search=SearchModel.CHARACTER_SEARCH,
        model=_STRING,
    ),
    *family(
        _strings_h(
            "char *{}(const char *text, int character)",
            (returns_into("text"),),
            search=SearchModel.CHARACTER_SEARCH,
            model=_STRING,
        ),
        "index rindex",
    ),
    _string_h(
        "char *strstr(const char *text, const char *part)",
        (returns_into("text"),),
        touches=(text("text"), text("part")),
        search=SearchModel.TEXT_SEARCH,
        model=_STRING,
    ),
    _string_h(
        "char *strcasestr(const char *text, const char *part)",
        (returns_into("text"),),
        search=SearchModel.TEXT_SEARCH,
        model=_STRING,
    ),
    _string_h(
        "char *strpbrk(const char *text, const char *set)",
        (returns_into("text"),),
        touches=_TEXT_AND_SET,
        search=SearchModel.SET_SEARCH,
        model=_STRING,
    ),
    *family(
        _string_h(
            "size_t {}(const char *text, const char *set)",
            NOTHING,
            touches=_TEXT_AND_SET,
            search=SearchModel.SET_SEARCH,
            model=_STRING,
        ),
        "strspn strcspn",
    ),
)

_SPLITTING = (
    _string_h(
        "char *strtok(char *text, const char *delimiters)",
        (tokenises("text"),),
        search=SearchModel.SPLIT,
        model=_STRING,
    ),
    _string_h(
        "char *strtok_r(char *text, const char *delimiters, char **rest)",
        (stores_pointer("rest", into="text"), writes_text_behind("rest"), returns_into_pointee("rest")),
        search=SearchModel.SPLIT,
        model=_STRING.also("__strtok_r"),
    ),
    _string_h(
        "char *strsep(char **rest, const char *delimiters)",
        (writes_text_behind("rest"), returns_into_pointee("rest"), writes_text("rest")),
        search=SearchModel.SPLIT,
        model=_STRING,
    ),
    _string_h("char *basename(const char *path)", (returns_into("path"),)),
    LibcFunction("libgen.h", "char *dirname(char *path)", (returns_into("path"),), harmless=True),
)

_MESSAGES = (
    _string_h("char *strerror(int error)", (returns_static(),), model=_COPY),
    _string_h(
        "char *strerror_r(int error, char *to, size_t size)",
        (writes_text("to"), returns("to"), returns_static()),
        model=_COPY,
    ),
    LibcFunction(
        "",
        "int __xpg_strerror_r(int error, char *to, size_t size)",
        (writes_text("to"),),
        harmless=True,
        model=_COPY,
    ),
    _string_h("char *strsignal(int signal)", (returns_static(),), model=_COPY),
)

FUNCTIONS = (*_COPYING, *_MEASURING_AND_COMPARING, *_SEARCHING, *_SPLITTING, *_MESSAGES)
