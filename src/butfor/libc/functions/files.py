"""Files and folders: opened, closed, renamed, asked about; nothing here is for runs that are only tried."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    ANYTHING,
    NOTHING,
    returns,
    returns_new_block,
    returns_static,
    writes,
    writes_text,
)
from butfor.libc.record import CFile, LibcFunction, SearchModel, family

_FILE = CFile("libc_file.c")
_stdio_h = partial(LibcFunction, "stdio.h")
_stdlib_h = partial(LibcFunction, "stdlib.h")
_unistd_h = partial(LibcFunction, "unistd.h")
_stat_h = partial(LibcFunction, "sys/stat.h")
_NEW = (returns_new_block(),)

_STREAMS = (
    _stdio_h("FILE *fopen(const char *path, const char *mode)", _NEW, opens_file=True, model=_FILE.also("fopen64")),
    _stdio_h("FILE *fdopen(int file, const char *mode)", _NEW, model=_FILE),
    _stdio_h(
        "FILE *freopen(const char *path, const char *mode, FILE *stream)",
        (returns("stream"),),
        opens_file=True,
        model=_FILE,
    ),
    _stdio_h("FILE *popen(const char *command, const char *mode)", _NEW, model=_FILE),
    _stdio_h("FILE *tmpfile(void)", _NEW, model=_FILE),
    _stdio_h("FILE *open_memstream(char **text, size_t *size)", ANYTHING, model=_FILE),
    *family(_stdio_h("int {}(FILE *stream)", NOTHING, model=_FILE), "fclose pclose"),
    _stdio_h("int fflush(FILE *stream)", NOTHING, harmless=True, search=SearchModel.IRRELEVANT, model=_FILE),
    _stdio_h("int fseek(FILE *stream, long offset, int whence)", NOTHING, model=_FILE),
    _stdio_h("int fseeko(FILE *stream, off_t offset, int whence)", NOTHING, model=_FILE.also("fseeko64")),
    _stdio_h("long ftell(FILE *stream)", NOTHING),
    _stdio_h("off_t ftello(FILE *stream)", NOTHING),
    _stdio_h("void rewind(FILE *stream)", NOTHING, model=_FILE),
    _stdio_h("int fgetpos(FILE *stream, fpos_t *place)", (writes("place"),), model=_FILE),
    _stdio_h("int fsetpos(FILE *stream, const fpos_t *place)", NOTHING, model=_FILE),
)

_DESCRIPTORS = (
    LibcFunction("fcntl.h", "int open(const char *path, int flags, ...)", NOTHING, opens_file=True, model=_FILE),
    LibcFunction("fcntl.h", "int creat(const char *path, mode_t mode)", NOTHING, model=_FILE),
    *family(_unistd_h("int {}(int file)", NOTHING), "dup fsync"),
    _unistd_h("int close(int file)", NOTHING, model=_FILE),
    _unistd_h("void closefrom(int first)", NOTHING, model=_FILE),
    _unistd_h("int close_range(unsigned first, unsigned last, int flags)", NOTHING, model=_FILE),
    _unistd_h("int dup2(int file, int other)", NOTHING, model=_FILE),
    _unistd_h("int dup3(int file, int other, int flags)", NOTHING, model=_FILE),
    _unistd_h("off_t lseek(int file, off_t offset, int whence)", NOTHING),
    _unistd_h("int pipe(int ends[2])", (writes("ends"),), outlives_fork=False, model=_FILE),
    _unistd_h("int ftruncate(int file, off_t size)", NOTHING),
    _unistd_h("int truncate(const char *path, off_t size)", NOTHING),
    _unistd_h("int isatty(int file)", NOTHING, harmless=True),
)

_NAMES = (
    _unistd_h("int access(const char *path, int mode)", NOTHING, model=_FILE),
    *family(_unistd_h("int {}(const char *path)", NOTHING, model=_FILE), "chdir rmdir unlink"),
    _stdio_h("int remove(const char *path)", NOTHING, model=_FILE),
    _stdio_h("int rename(const char *from, const char *to)", NOTHING, model=_FILE),
    _stat_h("int mkdir(const char *path, mode_t mode)", NOTHING, model=_FILE),
    _stat_h("int chmod(const char *path, mode_t mode)", NOTHING),
    _stat_h("mode_t umask(mode_t mode)", NOTHING),
    *family(_stat_h("int {}(const char *path, struct stat *to)", (writes("to"),), model=_FILE), "stat lstat"),
    _stat_h("int fstat(int file, struct stat *to)", (writes("to"),), model=_FILE),
    LibcFunction("sys/statfs.h", "int statfs(const char *path, struct statfs *to)", (writes("to"),)),
    _unistd_h(
        "ssize_t readlink(const char *path, char *to, size_t size)",
        (writes_text("to"),),
        model=_FILE.also("__readlink_chk"),
    ),
    _unistd_h("ssize_t readlinkat(int folder, const char *path, char *to, size_t size)", (writes_text("to"),)),
    _stdlib_h(
        "char *realpath(const char *path, char *to)",
        (writes_text("to"), returns("to"), returns_new_block()),
        model=_FILE.also("__realpath_chk"),
    ),
    _unistd_h(
        "char *getcwd(char *to, size_t size)",
        (writes_text("to"), returns("to"), returns_new_block()),
        model=_FILE.also("__getcwd_chk"),
    ),
    _unistd_h("char *getwd(char *to)", (writes_text("to"), returns("to"), returns_new_block())),
    _unistd_h("char *get_current_dir_name(void)", _NEW),
)

_TEMPORARY = (
    _stdlib_h("int mkstemp(char *name)", (writes_text("name"),)),
    *family(_stdlib_h("char *{}(char *name)", (writes_text("name"), returns("name"))), "mkdtemp mktemp"),
    _stdio_h("char *tempnam(const char *folder, const char *prefix)", _NEW),
    _stdio_h("char *tmpnam(char *to)", (returns_static(),)),
)

_FOLDERS = (
    LibcFunction("dirent.h", "DIR *opendir(const char *path)", _NEW),
    LibcFunction("dirent.h", "DIR *fdopendir(int file)", _NEW),
    LibcFunction("dirent.h", "struct dirent *readdir(DIR *folder)", (returns_static(),)),
    LibcFunction("dirent.h", "int closedir(DIR *folder)", NOTHING),
)

FUNCTIONS = (*_STREAMS, *_DESCRIPTORS, *_NAMES, *_TEMPORARY, *_FOLDERS)
