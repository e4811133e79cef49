/* Models of the environment and of time. */
#include "libc_util.h"
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define ENVIRONMENT 1000 /* as an input stream */

static char *get_variable(const char *name, char *(*real)(const char *)) {
    KEEP_ERRNO;
    bf_reads_text(0, name);
    char *r = REAL(real(name));
    u64 n = r ? strlen(r) + 1 : 0;
    bf_input_result(n, ENVIRONMENT, -1);
    if (r) bf_input(r, n, ENVIRONMENT, -1);
    __bf_retp = BF_NOPROV;
    return r;
}
char *W(getenv)(const char *name) { return get_variable(name, getenv); }
char *W(secure_getenv)(const char *name) { return get_variable(name, secure_getenv); }
int W(setenv)(const char *name, const char *value, int replace) {
    KEEP_ERRNO;
    u32 pn = bf_arg(0, name), pv = bf_arg(1, value);
    u64 n = name ? bf_text(name, ENDLESS, pn) : 0, v = value ? bf_text(value, ENDLESS, pv) : 0;
    if (n) bf_read(name, n);
    if (v) bf_read(value, v);
    return REAL(setenv(name, value, replace));
}
int W(unsetenv)(const char *name) {
    KEEP_ERRNO;
    if (name) bf_reads_text(0, name);
    return REAL(unsetenv(name));
}
int W(putenv)(char *s) {
    KEEP_ERRNO;
    bf_reads_text(0, s);
    return REAL(putenv(s));
}

time_t W(time)(time_t *out) {
    KEEP_ERRNO;
    bf_will_write(0, out, sizeof *out);
    time_t r = REAL(time(out));
    if (out) bf_wrote(out, sizeof *out);
    return r;
}
int W(gettimeofday)(struct timeval *out, void *zone) {
    KEEP_ERRNO;
    bf_will_write(0, out, sizeof *out);
    bf_will_write(1, zone, sizeof(struct timezone));
    int r = REAL(gettimeofday(out, zone));
    if (!r && out) bf_wrote(out, sizeof *out);
    if (!r && zone) bf_wrote(zone, sizeof(struct timezone));
    return r;
}
int W(clock_gettime)(clockid_t clock, struct timespec *out) {
    KEEP_ERRNO;
    bf_will_write(1, out, sizeof *out);
    int r = REAL(clock_gettime(clock, out));
    if (!r) bf_wrote(out, sizeof *out);
    return r;
}
int W(timespec_get)(struct timespec *out, int base) {
    KEEP_ERRNO;
    bf_will_write(0, out, sizeof *out);
    int r = REAL(timespec_get(out, base));
    if (r) bf_wrote(out, sizeof *out);
    return r;
}
int W(nanosleep)(const struct timespec *want, struct timespec *left) {
    KEEP_ERRNO;
    bf_reads(0, want, sizeof *want);
    bf_will_write(1, left, sizeof *left);
    int r = REAL(nanosleep(want, left));
    if (r && left && errno_ == EINTR) bf_wrote(left, sizeof *left);
    return r;
}

static struct tm *broken_down(const time_t *t, struct tm *(*real)(const time_t *)) {
    KEEP_ERRNO;
    bf_reads(0, t, sizeof *t);
    struct tm *r = REAL(real(t));
    if (r) bf_wrote(r, sizeof *r);
    __bf_retp = BF_NOPROV;
    return r;
}
struct tm *W(localtime)(const time_t *t) { return broken_down(t, localtime); }
struct tm *W(gmtime)(const time_t *t) { return broken_down(t, gmtime); }
static struct tm *broken_down_r(const time_t *t, struct tm *out, struct tm *(*real)(const time_t *, struct tm *)) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, out);
    bf_will_write(1, out, sizeof *out);
    bf_reads(0, t, sizeof *t);
    struct tm *r = REAL(real(t, out));
    if (r) bf_wrote(r, sizeof *r);
    __bf_retp = r ? prov : BF_NOPROV;
    return r;
}
struct tm *W(localtime_r)(const time_t *t, struct tm *out) { return broken_down_r(t, out, localtime_r); }
struct tm *W(gmtime_r)(const time_t *t, struct tm *out) { return broken_down_r(t, out, gmtime_r); }
static time_t made(struct tm *tm, time_t (*real)(struct tm *)) {
    KEEP_ERRNO;
    bf_will_write(0, tm, sizeof *tm);
    bf_reads(0, tm, offsetof(struct tm, tm_wday)); /* the rest is computed; what the program left unset must not look read */
    if (tm) bf_reads(0, &tm->tm_isdst, sizeof tm->tm_isdst);
    time_t r = REAL(real(tm));
    bf_wrote(tm, sizeof *tm); /* normalised */
    return r;
}
time_t W(mktime)(struct tm *tm) { return made(tm, mktime); }
time_t W(timegm)(struct tm *tm) { return made(tm, timegm); }
char *W(ctime)(const time_t *t) {
    KEEP_ERRNO;
    bf_reads(0, t, sizeof *t);
    return bf_own_text(REAL(ctime(t)));
}
char *W(asctime)(const struct tm *tm) {
    KEEP_ERRNO;
    bf_reads(0, tm, offsetof(struct tm, tm_yday));
    return bf_own_text(REAL(asctime(tm)));
}
size_t W(strftime)(char *s, size_t n, const char *format, const struct tm *tm) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    bf_reads_text(2, format);
    bf_reads(3, tm, sizeof *tm);
    size_t r = REAL(strftime(s, n, format, tm));
    if (r) {
        bf_check(s, r + 1, prov, 1);
        bf_wrote(s, r + 1);
    }
    return r;
}
