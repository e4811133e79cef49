"""Streams and file descriptors: text and bytes that are read, printed, scanned and formatted."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    NOTHING,
    returns,
    stores_new_block,
    writes,
    writes_counts,
    writes_listed,
    writes_text,
    writes_text_behind,
)
from butfor.libc.record import CFile, LibcFunction, Overflow, SearchModel, block, family, text

_INPUT = CFile("libc_input.c")
_OUTPUT = CFile("libc_output.c")
_PRINTF = CFile("libc_printf.c")
_SCANF = CFile("libc_scanf.c")
_stdio_h = partial(LibcFunction, "stdio.h", harmless=True)
_unistd_h = partial(LibcFunction, "unistd.h", harmless=True)
_reading = partial(_stdio_h, reads_input=True, model=_INPUT)
_printing = partial(_stdio_h, prints=True, search=SearchModel.IRRELEVANT)
_CHARACTER = (-1, 255)  # EOF or an unsigned char
_NEW_LINE = (stores_new_block("line"), writes_text_behind("line"), writes_text("size"))

_CHARACTERS_AND_LINES = (
    *(
        _reading(
            f"int {name}(FILE *stream)",
            NOTHING,
            result_range=_CHARACTER,
            search=SearchModel.CHARACTER_INPUT,
            model=_INPUT.also(*variants),
        )
        for name, variants in (("fgetc", ("fgetc_unlocked",)), ("getc", ("getc_unlocked", "_IO_getc")))
    ),
    _reading(
        "int getchar(void)",
        NOTHING,
        result_range=_CHARACTER,
        search=SearchModel.CHARACTER_INPUT,
        model=_INPUT.also("getchar_unlocked"),
    ),
    _reading("int getw(FILE *stream)", NOTHING),
    _stdio_h("int ungetc(int character, FILE *stream)", NOTHING, search=SearchModel.IRRELEVANT, model=_INPUT),
    _reading(
        "char *fgets(char *to, int count, FILE *stream)",
        (writes_text("to"), returns("to")),
        touches=(block("to", "count"),),
        search=SearchModel.LINE_INPUT,
        model=_INPUT.also("fgets_unlocked", "__fgets_chk"),
    ),
    LibcFunction(
        "",  # C11 has it no more
        "char *gets(char *to)",
        (writes_text("to"), returns("to")),
        touches=(text("to"),),
        reads_input=True,
        harmless=True,
        search=SearchModel.LINE_INPUT,
        overflow=Overflow.TEXT,
        model=_INPUT.also("__gets_chk"),
    ),
    _reading("ssize_t getline(char **line, size_t *size, FILE *stream)", _NEW_LINE, search=SearchModel.LINE_INPUT),
    _reading(
        "ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *stream)",
        _NEW_LINE,
        search=SearchModel.LINE_INPUT,
        model=_INPUT.also("__getdelim"),
    ),
)

_BLOCKS = (
    _reading(
        "size_t fread(void *to, size_t size, size_t count, FILE *stream)",
        (writes("to"),),
        touches=(block("to", "size", "count"),),
        search=SearchModel.ITEM_INPUT,
        model=_INPUT.also("fread_unlocked", "__fread_chk"),
    ),
    _unistd_h(
        "ssize_t read(int file, void *to, size_t count)",
        (writes("to", "count"),),
        touches=(block("to", "count"),),
        reads_input=True,
        search=SearchModel.BYTE_INPUT,
        model=_INPUT.also("__read_chk"),
    ),
    LibcFunction("unistd.h", "ssize_t pread(int file, void *to, size_t count, off_t offset)", (writes("to"),)),
    LibcFunction(
        "sys/socket.h", "ssize_t recv(int socket, void *to, size_t count, int flags)", (writes("to", "count"),)
    ),
    _printing(
        "size_t fwrite(const void *from, size_t size, size_t count, FILE *stream)",
        NOTHING,
        touches=(block("from", "size", "count"),),
        model=_OUTPUT.also("fwrite_unlocked"),
    ),
    _unistd_h(
        "ssize_t write(int file, const void *from, size_t count)",
        NOTHING,
        touches=(block("from", "count"),),
        prints=True,
        search=SearchModel.IRRELEVANT,
        model=_OUTPUT,
    ),
)

_PRINTED = (
    _printing("int fputc(int character, FILE *stream)", NOTHING, model=_OUTPUT.also("fputc_unlocked")),
    _printing("int putc(int character, FILE *stream)", NOTHING, model=_OUTPUT.also("putc_unlocked", "_IO_putc")),
    _printing("int putchar(int character)", NOTHING, model=_OUTPUT.also("putchar_unlocked")),
    _printing("int fputs(const char *text, FILE *stream)", NOTHING, model=_OUTPUT.also("fputs_unlocked")),
    _printing("int puts(const char *text)", NOTHING, touches=(text("text"),), model=_OUTPUT),
    _printing("void perror(const char *text)", NOTHING, model=_OUTPUT),
    _stdio_h("int putw(int number, FILE *stream)", NOTHING, prints=True, model=_OUTPUT),
)

_FORMATTED = (
    _printing("int printf(const char *format, ...)", (writes_counts("format"),), model=_PRINTF.also("__printf_chk")),
    _printing(
        "int fprintf(FILE *stream, const char *format, ...)",
        (writes_counts("format"),),
        model=_PRINTF.also("__fprintf_chk"),
    ),
    _stdio_h(
        "int dprintf(int file, const char *format, ...)",
        (writes_counts("format"),),
        prints=True,
        model=_PRINTF.also("__dprintf_chk"),
    ),
    _stdio_h(
        "int sprintf(char *to, const char *format, ...)",
        (writes_text("to"), writes_counts("format")),
        touches=(text("to"),),
        search=SearchModel.IRRELEVANT,
        overflow=Overflow.TEXT,
        leaves_text=True,
        model=_PRINTF.also("__sprintf_chk"),
    ),
    _stdio_h(
        "int snprintf(char *to, size_t size, const char *format, ...)",
        (writes_text("to"), writes_counts("format")),
        touches=(block("to", "size"),),
        search=SearchModel.IRRELEVANT,
        model=_PRINTF.also("__snprintf_chk"),
    ),
    _stdio_h(
        "int asprintf(char **to, const char *format, ...)",
        (stores_new_block("to"),),
        model=_PRINTF.also("__asprintf_chk"),
    ),
    _stdio_h(
        "int vprintf(const char *format, va_list arguments)",
        NOTHING,
        prints=True,
        model=_PRINTF.also("__vprintf_chk"),
    ),
    _stdio_h(
        "int vfprintf(FILE *stream, const char *format, va_list arguments)",
        NOTHING,
        prints=True,
        model=_PRINTF.also("__vfprintf_chk"),
    ),
    _stdio_h(
        "int vdprintf(int file, const char *format, va_list arguments)",
        NOTHING,
        prints=True,
        model=_PRINTF.also("__vdprintf_chk"),
    ),
    _stdio_h(
        "int vsprintf(char *to, const char *format, va_list arguments)",
        (writes_text("to"),),
        touches=(text("to"),),
        leaves_text=True,
        model=_PRINTF.also("__vsprintf_chk"),
    ),
    _stdio_h(
        "int vsnprintf(char *to, size_t size, const char *format, va_list arguments)",
        (writes_text("to"),),
        touches=(block("to", "size"),),
        model=_PRINTF.also("__vsnprintf_chk"),
    ),
    _stdio_h(
        "int vasprintf(char **to, const char *format, va_list arguments)",
        (stores_new_block("to"),),
        model=_PRINTF.also("__vasprintf_chk"),
    ),
)


def _scanning(prototype: str, *, search: SearchModel = SearchModel.UNKNOWN) -> LibcFunction:
    """The record of a function of the scanf family, whose targets follow the format or are in a va_list."""
    is_listed = "va_list" in prototype
    name = prototype[len("int ") : prototype.index("(")]
    return _stdio_h(
        prototype,
        (writes_listed("arguments"),) if is_listed else (writes_text("...", and_later=True),),
        reads_input=True,
        scans=True,
        search=search,
        model=_SCANF.also(f"__isoc99_{name}", f"__isoc23_{name}"),
    )


_SCANNED = (
    _scanning("int scanf(const char *format, ...)", search=SearchModel.SCANNED_INPUT),
    _scanning("int fscanf(FILE *stream, const char *format, ...)", search=SearchModel.SCANNED_INPUT),
    _scanning("int sscanf(const char *from, const char *format, ...)", search=SearchModel.SCANNED_TEXT),
    _scanning("int vscanf(const char *format, va_list arguments)"),
    _scanning("int vfscanf(FILE *stream, const char *format, va_list arguments)"),
    _scanning("int vsscanf(const char *from, const char *format, va_list arguments)"),
)

_STATE_OF_STREAMS = (
    *family(_stdio_h("int {}(FILE *stream)", NOTHING, search=SearchModel.IRRELEVANT), "feof ferror"),
    _stdio_h("int fileno(FILE *stream)", NOTHING),
    _stdio_h("void clearerr(FILE *stream)", NOTHING),
    _stdio_h("int setvbuf(FILE *stream, char *buffer, int mode, size_t size)", NOTHING, keeps_buffer=True),
    _stdio_h("void setbuf(FILE *stream, char *buffer)", NOTHING, keeps_buffer=True),
    LibcFunction(
        "stdio.h",
        "void setbuffer(FILE *stream, char *buffer, size_t size)",
        NOTHING,
        keeps_buffer=True,
    ),
    _stdio_h("void setlinebuf(FILE *stream)", NOTHING),
    *family(_stdio_h("void {}(FILE *stream)", NOTHING), "flockfile funlockfile"),
)

FUNCTIONS = (*_CHARACTERS_AND_LINES, *_BLOCKS, *_PRINTED, *_FORMATTED, *_SCANNED, *_STATE_OF_STREAMS)
