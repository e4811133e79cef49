/* Models of output that is not formatted. What goes to other streams than standard output is only read. */
#include "libc_util.h"
#include <unistd.h>

static inline void shown(FILE *f, u64 n, u64 text, u32 arg) {
    if (f == stdout) bf_output(n, &(struct bf_piece){0, text, arg}, 1);
    else bf_lost(f);
}

static inline int put(int c, FILE *f) {
    KEEP_ERRNO;
    int r = REAL(putc_unlocked(c, f)); /* there are no threads */
    if (r != EOF) shown(f, 1, 1, 0);
    return r;
}
int W(putchar)(int c) { return put(c, stdout); }
int W(putchar_unlocked)(int c) { return put(c, stdout); }
int W(putc)(int c, FILE *f) { return put(c, f); }
int W(fputc)(int c, FILE *f) { return put(c, f); }
int W(_IO_putc)(int c, FILE *f) { return put(c, f); }
int W(putc_unlocked)(int c, FILE *f) { return put(c, f); }
int W(fputc_unlocked)(int c, FILE *f) { return put(c, f); }
int W(putw)(int w, FILE *f) {
    KEEP_ERRNO;
    int r = REAL(putw(w, f));
    if (!r) shown(f, sizeof w, sizeof w, 0);
    return r;
}

int W(puts)(const char *s) {
    KEEP_ERRNO;
    u64 n = bf_text(s, ENDLESS, bf_arg(0, s));
    if (n) bf_read(s, n);
    int r = REAL(puts(s));
    if (r >= 0) shown(stdout, n, n - 1, 0);
    return r;
}
static int put_text(const char *s, FILE *f) {
    KEEP_ERRNO;
    u64 n = bf_text(s, ENDLESS, bf_arg(0, s));
    if (n) bf_read(s, n);
    int r = REAL(fputs(s, f));
    if (r >= 0) shown(f, n - 1, n - 1, 0);
    return r;
}
int W(fputs)(const char *s, FILE *f) { return put_text(s, f); }
int W(fputs_unlocked)(const char *s, FILE *f) { return put_text(s, f); }

static size_t put_block(const void *p, size_t size, size_t n, FILE *f) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p);
    u64 all;
    if (__builtin_mul_overflow((u64)size, (u64)n, &all)) all = ENDLESS;
    if (all) bf_check(p, all, prov, 0);
    size_t r = REAL(fwrite(p, size, n, f));
    if (r) {
        bf_read(p, r * size);
        shown(f, r * size, r * size, 0);
    }
    return r;
}
size_t W(fwrite)(const void *p, size_t size, size_t n, FILE *f) { return put_block(p, size, n, f); }
size_t W(fwrite_unlocked)(const void *p, size_t size, size_t n, FILE *f) { return put_block(p, size, n, f); }

ssize_t W(write)(int fd, const void *p, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, p);
    if (n) bf_check(p, n, prov, 0);
    ssize_t r = REAL(write(fd, p, n));
    if (r <= 0) return r;
    bf_read(p, r);
    if (fd == 1) {
        off_t end = lseek(1, 0, SEEK_CUR); /* not before the call: in append mode it says nothing */
        bf_output_at(r, end < 0 ? -1 : end - r);
    }
    return r;
}

void W(perror)(const char *s) {
    KEEP_ERRNO;
    if (s) bf_reads_text(0, s);
    REAL_VOID(perror(s));
}
