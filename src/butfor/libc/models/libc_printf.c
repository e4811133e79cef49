/* Models of the printf family. flag is that of the fortified functions, PLAIN for the others. */
#include "libc_util.h"
#include <unistd.h>

#define PLAIN (-1)
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __vasprintf_chk(char **, int, const char *, va_list);

/* To a stream. at: index of the format among the arguments of the call; first: of the first shown one, or NO_ARG. */
static int to_stream(FILE *f, int flag, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    struct bf_shown s;
    s.err = errno_;
    bf_show(&s, format, bf_arg(at, format), first, ap);
    int r = REAL(flag == PLAIN ? vfprintf(f, format, ap) : __vfprintf_chk(f, flag, format, ap));
    bf_shown_counts(&s);
    if (f != stdout) bf_lost(f);
    else if (r >= 0) bf_output(r, s.piece, (u64)r == s.total ? s.n : 0);
    return r;
}

/* To memory: at most room bytes, known to the library when bounded. limit: size of dst as a fortified caller knows it. */
static int to_memory(char *dst, u64 room, int bounded, int flag, u64 limit, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, dst);
    struct bf_shown s;
    s.err = errno_;
    bf_show(&s, format, bf_arg(at, format), first, ap);
    int64_t total = s.total;
    if (s.failed) {
        va_list again;
        va_copy(again, ap);
        total = bf_wild(format) ? -1 : REAL(vsnprintf(0, 0, format, again));
        va_end(again);
    }
    u64 size = total < 0 ? 0 : (u64)total + 1 < room ? (u64)total + 1 : room;
    if (size) bf_check(dst, size, prov, 1);
    int r = bounded ? REAL(flag == PLAIN ? vsnprintf(dst, room, format, ap) : __vsnprintf_chk(dst, room, flag, limit, format, ap))
                    : REAL(flag == PLAIN ? vsprintf(dst, format, ap) : __vsprintf_chk(dst, flag, limit, format, ap));
    bf_shown_counts(&s);
    if (r >= 0) bf_shown_into(&s, dst, (u64)r + 1 < room ? (u64)r + 1 : room);
    return r;
}

static int to_fd(int fd, int flag, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    struct bf_shown s;
    s.err = errno_;
    bf_show(&s, format, bf_arg(at, format), first, ap);
    int r = REAL(flag == PLAIN ? vdprintf(fd, format, ap) : __vdprintf_chk(fd, flag, format, ap));
    bf_shown_counts(&s);
    if (fd == 1 && r > 0) {
        off_t end = lseek(1, 0, SEEK_CUR); /* not before the call: in append mode it says nothing */
        bf_output_at(r, end < 0 ? -1 : end - r);
    }
    return r;
}

static int to_new(char **out, int flag, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, out);
    struct bf_shown s;
    s.err = errno_;
    bf_show(&s, format, bf_arg(at, format), first, ap);
    bf_check(out, sizeof *out, prov, 1);
    int r = REAL(flag == PLAIN ? vasprintf(out, format, ap) : __vasprintf_chk(out, flag, format, ap));
    bf_shown_counts(&s);
    if (r >= 0) {
        bf_born(*out, (u64)r + 1, 0);
        bf_wrote(out, sizeof *out);
        bf_shown_into(&s, *out, (u64)r + 1);
    }
    return r;
}

#define SHOWN(name, parameters, call)      \
    int W(name) parameters {               \
        va_list ap;                        \
        va_start(ap, format);              \
        int r = call;                      \
        va_end(ap);                        \
        return r;                          \
    }
#define SHOWN_V(name, parameters, call) \
    int W(name) parameters { return call; }

SHOWN(printf, (const char *format, ...), to_stream(stdout, PLAIN, format, 0, 1, ap))
SHOWN(fprintf, (FILE * f, const char *format, ...), to_stream(f, PLAIN, format, 1, 2, ap))
SHOWN(dprintf, (int fd, const char *format, ...), to_fd(fd, PLAIN, format, 1, 2, ap))
SHOWN(sprintf, (char *s, const char *format, ...), to_memory(s, ENDLESS, 0, PLAIN, 0, format, 1, 2, ap))
SHOWN(snprintf, (char *s, size_t n, const char *format, ...), to_memory(s, n, 1, PLAIN, 0, format, 2, 3, ap))
SHOWN(asprintf, (char **out, const char *format, ...), to_new(out, PLAIN, format, 1, 2, ap))
SHOWN_V(vprintf, (const char *format, va_list ap), to_stream(stdout, PLAIN, format, 0, NO_ARG, ap))
SHOWN_V(vfprintf, (FILE * f, const char *format, va_list ap), to_stream(f, PLAIN, format, 1, NO_ARG, ap))
SHOWN_V(vdprintf, (int fd, const char *format, va_list ap), to_fd(fd, PLAIN, format, 1, NO_ARG, ap))
SHOWN_V(vsprintf, (char *s, const char *format, va_list ap), to_memory(s, ENDLESS, 0, PLAIN, 0, format, 1, NO_ARG, ap))
SHOWN_V(vsnprintf, (char *s, size_t n, const char *format, va_list ap), to_memory(s, n, 1, PLAIN, 0, format, 2, NO_ARG, ap))
SHOWN_V(vasprintf, (char **out, const char *format, va_list ap), to_new(out, PLAIN, format, 1, NO_ARG, ap))

SHOWN(__printf_chk, (int flag, const char *format, ...), to_stream(stdout, flag, format, 1, 2, ap))
SHOWN(__fprintf_chk, (FILE * f, int flag, const char *format, ...), to_stream(f, flag, format, 2, 3, ap))
SHOWN(__dprintf_chk, (int fd, int flag, const char *format, ...), to_fd(fd, flag, format, 2, 3, ap))
SHOWN(__sprintf_chk, (char *s, int flag, size_t limit, const char *format, ...), to_memory(s, ENDLESS, 0, flag, limit, format, 3, 4, ap))
SHOWN(__snprintf_chk, (char *s, size_t n, int flag, size_t limit, const char *format, ...), to_memory(s, n, 1, flag, limit, format, 4, 5, ap))
SHOWN(__asprintf_chk, (char **out, int flag, const char *format, ...), to_new(out, flag, format, 2, 3, ap))
SHOWN_V(__vprintf_chk, (int flag, const char *format, va_list ap), to_stream(stdout, flag, format, 1, NO_ARG, ap))
SHOWN_V(__vfprintf_chk, (FILE * f, int flag, const char *format, va_list ap), to_stream(f, flag, format, 2, NO_ARG, ap))
SHOWN_V(__vdprintf_chk, (int fd, int flag, const char *format, va_list ap), to_fd(fd, flag, format, 2, NO_ARG, ap))
SHOWN_V(__vsprintf_chk, (char *s, int flag, size_t limit, const char *format, va_list ap),
        to_memory(s, ENDLESS, 0, flag, limit, format, 3, NO_ARG, ap))
SHOWN_V(__vsnprintf_chk, (char *s, size_t n, int flag, size_t limit, const char *format, va_list ap),
        to_memory(s, n, 1, flag, limit, format, 4, NO_ARG, ap))
SHOWN_V(__vasprintf_chk, (char **out, int flag, const char *format, va_list ap), to_new(out, flag, format, 2, NO_ARG, ap))
