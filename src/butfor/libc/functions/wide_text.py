"""Texts of wide characters, and characters of several bytes."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import NOTHING, returns, returns_into, returns_new_block, stores_pointer, writes, writes_text
from butfor.libc.record import Allocation, LibcFunction, family

_wchar_h = partial(LibcFunction, "wchar.h")
_stdlib_h = partial(LibcFunction, "stdlib.h")
_SCANNED = (writes_text("...", and_later=True),)

FUNCTIONS = (
    _wchar_h("size_t wcslen(const wchar_t *text)", NOTHING),
    _wchar_h("int wcscmp(const wchar_t *a, const wchar_t *b)", NOTHING),
    _wchar_h("int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count)", NOTHING),
    *family(_wchar_h("wchar_t *{}(wchar_t *to, const wchar_t *from)", (writes("to"), returns("to"))), "wcscpy wcscat"),
    _wchar_h("wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t count)", (writes("to"), returns("to"))),
    _wchar_h("wchar_t *wmemset(wchar_t *to, wchar_t character, size_t count)", (writes("to"), returns("to"))),
    _wchar_h("wchar_t *wcsdup(const wchar_t *text)", (returns_new_block(),), allocates=Allocation(keeps_content=True)),
    *family(_wchar_h("wchar_t *{}(const wchar_t *text, wchar_t character)", (returns_into("text"),)), "wcschr wcsrchr"),
    _wchar_h("wchar_t *wcsstr(const wchar_t *text, const wchar_t *part)", (returns_into("text"),)),
    _wchar_h("long wcstol(const wchar_t *text, wchar_t **end, int base)", (stores_pointer("end", into="text"),)),
    _stdlib_h("int mblen(const char *text, size_t count)", NOTHING),
    _stdlib_h("int mbtowc(wchar_t *to, const char *text, size_t count)", (writes_text("to"),)),
    _wchar_h("size_t mbrtowc(wchar_t *to, const char *text, size_t count, mbstate_t *state)", (writes_text("to"),)),
    _stdlib_h("size_t mbstowcs(wchar_t *to, const char *text, size_t count)", (writes("to"),)),
    _stdlib_h("int wctomb(char *to, wchar_t character)", (writes_text("to"),)),
    _stdlib_h("size_t wcstombs(char *to, const wchar_t *text, size_t count)", (writes("to"),)),
    _wchar_h("wchar_t *fgetws(wchar_t *to, int count, FILE *stream)", (writes("to"), returns("to")), reads_input=True),
    _wchar_h("int wscanf(const wchar_t *format, ...)", _SCANNED, reads_input=True, scans=True),
    _wchar_h("int fwscanf(FILE *stream, const wchar_t *format, ...)", _SCANNED, reads_input=True, scans=True),
    _wchar_h("int swscanf(const wchar_t *text, const wchar_t *format, ...)", _SCANNED, reads_input=True, scans=True),
)
