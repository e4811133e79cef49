/* Models of input that is not formatted. What a call stores is known only afterwards, so its check comes then; an overflow runs away from the
   frame of the model, which is still whole. */
#include "libc_util.h"
#include <stdlib.h>
#include <unistd.h>

void __chk_fail(void) __attribute__((noreturn));

static inline int get(FILE *f) {
    KEEP_ERRNO;
    int64_t at = bf_position(f);
    int c = REAL(getc_unlocked(f)); /* there are no threads */
    bf_input_result(c != EOF, bf_stream(f), at);
    if (c != EOF) bf_moved(f, 1);
    return c;
}
int W(getchar)(void) { return get(stdin); }
int W(getchar_unlocked)(void) { return get(stdin); }
int W(getc)(FILE *f) { return get(f); }
int W(fgetc)(FILE *f) { return get(f); }
int W(_IO_getc)(FILE *f) { return get(f); }
int W(getc_unlocked)(FILE *f) { return get(f); }
int W(fgetc_unlocked)(FILE *f) { return get(f); }
int W(getw)(FILE *f) {
    KEEP_ERRNO;
    int64_t at = bf_position(f);
    int r = REAL(getw(f));
    bf_input_result(feof(f) ? 0 : sizeof r, bf_stream(f), at);
    bf_lost(f);
    return r;
}
int W(ungetc)(int c, FILE *f) {
    KEEP_ERRNO;
    bf_position(f); /* followed from here on */
    int r = REAL(ungetc(c, f));
    if (r != EOF) bf_moved(f, -1);
    return r;
}

/* n bytes of f, from `at` on, went to p, and a terminator if there is one. */
static void stored(char *p, u64 n, int terminated, u32 prov, FILE *f, int64_t at) {
    bf_check(p, n + (terminated ? 1 : 0), prov, 1);
    bf_input(p, n, bf_stream(f), at);
    if (terminated) bf_wrote(p + n, 1);
    bf_moved(f, n);
}

/* Bytes that fgets read. A file tells, which matters if it holds zeros. */
static u64 line_length(const char *s, u64 max, FILE *f, int64_t at) {
    u64 n = strlen(s);
    if (at < 0 || (n && s[n - 1] == '\n') || n + 1 == max) return n;
    bf_lost(f);
    int64_t now = bf_position(f);
    if (now < 0 || (u64)(now - at) >= max) return n;
    bf_moved(f, at - now);
    return now - at;
}
char *__fgets_chk(char *, size_t, int, FILE *);
static char *get_line(char *s, u32 prov, u64 limit, int max, FILE *f) {
    KEEP_ERRNO;
    int64_t at = bf_position(f);
    char *r = REAL(limit == ENDLESS ? fgets(s, max, f) : __fgets_chk(s, limit, max, f));
    __bf_retp = r ? prov : BF_NOPROV;
    if (!r) bf_input_result(0, bf_stream(f), at), bf_lost(f);
    else if (max > 0) stored(s, line_length(s, max, f, at), 1, prov, f, at);
    return r;
}
char *W(fgets)(char *s, int max, FILE *f) { return get_line(s, bf_arg(0, s), ENDLESS, max, f); }
char *W(fgets_unlocked)(char *s, int max, FILE *f) { return get_line(s, bf_arg(0, s), ENDLESS, max, f); }
char *W(__fgets_chk)(char *s, size_t limit, int max, FILE *f) { return get_line(s, bf_arg(0, s), limit, max, f); }

/* gets is not in every libc any more. */
static char *get_any_line(char *s, u64 limit) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    int64_t at = bf_position(stdin);
    u64 n = 0;
    int c;
    errno = errno_;
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
        if (n + 1 >= limit) bf_check(s, n + 2, prov, 1), __chk_fail();
        s[n++] = (char)c;
    }
    errno_ = errno;
    if (c == EOF && (!n || ferror(stdin))) {
        bf_input_result(0, 0, at);
        bf_lost(stdin);
        __bf_retp = BF_NOPROV;
        return 0;
    }
    s[n] = 0;
    stored(s, n, 1, prov, stdin, at);
    bf_moved(stdin, c == '\n');
    __bf_retp = prov;
    return s;
}
char *W(gets)(char *s) { return get_any_line(s, ENDLESS); }
char *W(__gets_chk)(char *s, size_t limit) { return get_any_line(s, limit); }

static ssize_t get_delimited(char **line, size_t *size, int end, FILE *f) {
    KEEP_ERRNO;
    u32 pl = bf_arg(0, line), ps = bf_arg(1, size);
    char *old = 0;
    size_t had = 0;
    bf_check(line, sizeof *line, pl, 1);
    bf_check(size, sizeof *size, ps, 1);
    if (!bf_wild(line) && !bf_wild(size)) {
        bf_read(line, sizeof *line);
        bf_read(size, sizeof *size);
        old = *line;
        had = *size;
    }
    u32 prov = old ? bf_lookup(old) : BF_NOPROV;
    int64_t at = bf_position(f);
    ssize_t r = REAL(getdelim(line, size, end, f));
    if (*line != old || *size != had) {
        if (old && prov && bf_object_kind(prov & ~BF_WEAK) == OB_HEAP && bf_object_start(prov & ~BF_WEAK) == old) bf_died(prov & ~BF_WEAK);
        prov = bf_born(*line, *size, 0);
        bf_wrote(line, sizeof *line);
        bf_wrote(size, sizeof *size);
    }
    if (r < 0) bf_input_result(0, bf_stream(f), at), bf_lost(f);
    else stored(*line, r, 1, prov, f, at);
    return r;
}
ssize_t W(getline)(char **line, size_t *size, FILE *f) { return get_delimited(line, size, '\n', f); }
ssize_t W(getdelim)(char **line, size_t *size, int end, FILE *f) { return get_delimited(line, size, end, f); }
ssize_t W(__getdelim)(char **line, size_t *size, int end, FILE *f) { return get_delimited(line, size, end, f); }

static size_t get_block(void *p, u64 limit, size_t size, size_t n, FILE *f) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p);
    u64 all;
    if (__builtin_mul_overflow((u64)size, (u64)n, &all)) all = ENDLESS;
    if (all > limit) bf_check(p, all, prov, 1), __chk_fail();
    int64_t at = bf_position(f);
    size_t r = REAL(fread(p, size, n, f));
    if (r) stored(p, r * size, 0, prov, f, at);
    else bf_input_result(0, bf_stream(f), at);
    if (r < n) bf_lost(f); /* part of an item may have been read */
    return r;
}
size_t W(fread)(void *p, size_t size, size_t n, FILE *f) { return get_block(p, ENDLESS, size, n, f); }
size_t W(fread_unlocked)(void *p, size_t size, size_t n, FILE *f) { return get_block(p, ENDLESS, size, n, f); }
size_t W(__fread_chk)(void *p, size_t limit, size_t size, size_t n, FILE *f) { return get_block(p, limit, size, n, f); }

static ssize_t get_fd(int fd, void *p, size_t n, u64 limit) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, p);
    if (n > limit) bf_check(p, n, prov, 1), __chk_fail();
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t r = REAL(read(fd, p, n));
    if (r > 0) {
        bf_check(p, r, prov, 1);
        bf_input(p, r, fd, at);
    } else {
        bf_input_result(0, fd, at);
    }
    return r;
}
ssize_t W(read)(int fd, void *p, size_t n) { return get_fd(fd, p, n, ENDLESS); }
ssize_t W(__read_chk)(int fd, void *p, size_t n, size_t limit) { return get_fd(fd, p, n, limit); }
