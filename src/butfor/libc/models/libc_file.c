/* Models of functions on files: opening, moving in a stream, names. */
#define _GNU_SOURCE /* dup3 */
#include "libc_util.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void __chk_fail(void) __attribute__((noreturn));

static FILE *opened(FILE *f) {
    if (f) bf_closed(f); /* the address may be that of an earlier stream */
    __bf_retp = BF_NOPROV;
    return f;
}
static void reads_texts(const char *a, const char *b) {
    u32 pa = bf_arg(0, a), pb = bf_arg(1, b);
    u64 na = a ? bf_text(a, ENDLESS, pa) : 0, nb = b ? bf_text(b, ENDLESS, pb) : 0;
    if (na) bf_read(a, na);
    if (nb) bf_read(b, nb);
}
FILE *W(fopen)(const char *path, const char *mode) {
    KEEP_ERRNO;
    reads_texts(path, mode);
    return opened(REAL(fopen(path, mode)));
}
FILE *W(fopen64)(const char *path, const char *mode) {
    KEEP_ERRNO;
    reads_texts(path, mode);
    return opened(REAL(fopen64(path, mode)));
}
FILE *W(freopen)(const char *path, const char *mode, FILE *f) {
    KEEP_ERRNO;
    reads_texts(path, mode);
    bf_closed(f);
    return opened(REAL(freopen(path, mode, f)));
}
FILE *W(fdopen)(int fd, const char *mode) {
    KEEP_ERRNO;
    bf_reads_text(1, mode);
    return opened(REAL(fdopen(fd, mode)));
}
FILE *W(tmpfile)(void) {
    KEEP_ERRNO;
    return opened(REAL(tmpfile()));
}
FILE *W(popen)(const char *command, const char *mode) {
    KEEP_ERRNO;
    reads_texts(command, mode);
    return opened(REAL(popen(command, mode)));
}
int W(pclose)(FILE *f) {
    KEEP_ERRNO;
    bf_closed(f);
    return REAL(pclose(f));
}
FILE *W(open_memstream)(char **buffer, size_t *size) {
    KEEP_ERRNO;
    bf_will_write(0, buffer, sizeof *buffer);
    bf_will_write(1, size, sizeof *size);
    FILE *f = opened(REAL(open_memstream(buffer, size)));
    if (f) {
        bf_memstream(f, buffer, size);
        bf_memstreams_written(f, 0);
    }
    return f;
}
int W(fclose)(FILE *f) {
    KEEP_ERRNO;
    uintptr_t was = (uintptr_t)f; /* only a number once the stream is gone */
    int r = REAL(fclose(f));
    bf_closed((FILE *)was);
    bf_memstreams_written((FILE *)was, 1);
    return r;
}
int W(fflush)(FILE *f) {
    KEEP_ERRNO;
    int r = REAL(fflush(f));
    bf_memstreams_written(f, 0);
    return r;
}

#define MOVES(type, name, parameters, call) \
    type W(name) parameters {               \
        KEEP_ERRNO;                         \
        type r = REAL(call);                \
        bf_lost(f);                         \
        return r;                           \
    }
MOVES(int, fseek, (FILE * f, long by, int from), fseek(f, by, from))
MOVES(int, fseeko, (FILE * f, off_t by, int from), fseeko(f, by, from))
MOVES(int, fseeko64, (FILE * f, off64_t by, int from), fseeko64(f, by, from))
void W(rewind)(FILE *f) {
    KEEP_ERRNO;
    REAL_VOID(rewind(f));
    bf_lost(f);
}
int W(fgetpos)(FILE *f, fpos_t *p) {
    KEEP_ERRNO;
    bf_will_write(1, p, sizeof *p);
    int r = REAL(fgetpos(f, p));
    if (!r) bf_wrote(p, sizeof *p);
    return r;
}
int W(fsetpos)(FILE *f, const fpos_t *p) {
    KEEP_ERRNO;
    bf_reads(1, p, sizeof *p);
    int r = REAL(fsetpos(f, p));
    bf_lost(f);
    return r;
}

#define ON_PATH(name, parameters, call) \
    int W(name) parameters {            \
        KEEP_ERRNO;                     \
        if (path) bf_reads_text(0, path); \
        return REAL(call);              \
    }
ON_PATH(remove, (const char *path), remove(path))
ON_PATH(unlink, (const char *path), unlink(path))
ON_PATH(rmdir, (const char *path), rmdir(path))
ON_PATH(chdir, (const char *path), chdir(path))
ON_PATH(mkdir, (const char *path, mode_t mode), mkdir(path, mode))
ON_PATH(access, (const char *path, int mode), access(path, mode))
ON_PATH(creat, (const char *path, mode_t mode), creat(path, mode))
ON_PATH(system, (const char *path), system(path))
int W(rename)(const char *from, const char *to) {
    KEEP_ERRNO;
    reads_texts(from, to);
    return REAL(rename(from, to));
}
int W(open)(const char *path, int flags, ...) {
    KEEP_ERRNO;
    mode_t mode = 0;
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    if (path) bf_reads_text(0, path);
    return REAL(open(path, flags, mode));
}

#define STATUS(name, parameters, at, reads, call)  \
    int W(name) parameters {                       \
        KEEP_ERRNO;                                \
        bf_will_write(at, st, sizeof *st);         \
        reads;                                     \
        int r = REAL(call);                        \
        if (!r) bf_wrote(st, sizeof *st);          \
        return r;                                  \
    }
STATUS(stat, (const char *path, struct stat *st), 1, bf_reads_text(0, path), stat(path, st))
STATUS(lstat, (const char *path, struct stat *st), 1, bf_reads_text(0, path), lstat(path, st))
STATUS(fstat, (int fd, struct stat *st), 1, (void)0, fstat(fd, st))
int W(pipe)(int *ends) {
    KEEP_ERRNO;
    bf_will_write(0, ends, 2 * sizeof *ends);
    int r = REAL(pipe(ends));
    if (!r) bf_wrote(ends, 2 * sizeof *ends);
    return r;
}

/* A name that the library wrote into the program's buffer, or into a block of its own when there is none. */
static char *name(char *r, char *buffer, u32 prov) {
    __bf_retp = BF_NOPROV;
    if (!r) return r;
    u64 n = strlen(r) + 1;
    if (buffer) bf_check(r, n, prov, 1);
    else prov = bf_born(r, n, 0);
    bf_wrote(r, n);
    __bf_retp = prov;
    return r;
}
static char *current(char *buffer, size_t n, size_t limit) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, buffer);
    if (n > limit) bf_check(buffer, n, prov, 1), __chk_fail();
    return name(REAL(getcwd(buffer, n)), buffer, prov);
}
char *W(getcwd)(char *buffer, size_t n) { return current(buffer, n, SIZE_MAX); }
char *W(__getcwd_chk)(char *buffer, size_t n, size_t limit) { return current(buffer, n, limit); }
static char *resolved(const char *path, char *out, size_t limit) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, out);
    if (path) bf_reads_text(0, path);
    if (limit < PATH_MAX) bf_check(out, PATH_MAX, prov, 1), __chk_fail();
    return name(REAL(realpath(path, out)), out, prov);
}
char *W(realpath)(const char *path, char *out) { return resolved(path, out, SIZE_MAX); }
char *W(__realpath_chk)(const char *path, char *out, size_t limit) { return resolved(path, out, limit); }
static ssize_t link_text(const char *path, char *out, size_t n, size_t limit) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, out);
    if (path) bf_reads_text(0, path);
    if (n > limit) bf_check(out, n, prov, 1), __chk_fail();
    ssize_t r = REAL(readlink(path, out, n));
    if (r > 0) {
        bf_check(out, r, prov, 1);
        bf_wrote(out, r);
    }
    return r;
}
ssize_t W(readlink)(const char *path, char *out, size_t n) { return link_text(path, out, n, SIZE_MAX); }
ssize_t W(__readlink_chk)(const char *path, char *out, size_t n, size_t limit) { return link_text(path, out, n, limit); }

/* Descriptors. Those of the recording are not the program's: to it they are not open. */
int close_range(unsigned first, unsigned last, int flags);
static int is_not_open(int fd) {
    if (bf_is_log(fd)) errno = EBADF;
    return bf_is_log(fd);
}
int W(close)(int fd) { return is_not_open(fd) ? -1 : close(fd); }
int W(dup2)(int fd, int other) { return is_not_open(fd) || is_not_open(other) ? -1 : dup2(fd, other); }
int W(dup3)(int fd, int other, int flags) { return is_not_open(fd) || is_not_open(other) ? -1 : dup3(fd, other, flags); }
int W(close_range)(unsigned first, unsigned last, int flags) {
    int result = 0;
    for (u64 low = first; low <= last && !result;) {
        u64 high = low;
        while (high <= last && high < MAX_LOG_DESCRIPTOR && !bf_is_log((int)high)) high++;
        if (high == MAX_LOG_DESCRIPTOR || high > last) high = (u64)last + 1;
        if (high > low) result = close_range((unsigned)low, (unsigned)(high - 1), flags);
        low = high + 1;
    }
    return result;
}
void W(closefrom)(int first) { W(close_range)(first < 0 ? 0 : (unsigned)first, ~0u, 0); }
