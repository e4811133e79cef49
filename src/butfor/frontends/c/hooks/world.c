/* What a run that is only tried may do to the world: nothing. Files it writes are copies in a folder of its own, it starts no other programs,
   and the ways in which programs say that they failed are noted. */
#include "hooks.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- ends ------------------------------------------------------------------------------------------------------------- */

static void failed(int end) {
  fflush(stdout);
  bf_stop_run(end);
}
void __cf_w___assert_fail(const char *e, const char *file, unsigned line, const char *function) { failed(END_ASSERT); }
void __cf_w___assert(const char *e, const char *file, int line) { failed(END_ASSERT); }
void __cf_w_abort(void) { failed(END_ASSERT); }
void __cf_w_reach_error(void) { failed(END_ERROR); }
void __cf_w___VERIFIER_error(void) { failed(END_ERROR); }
void __cf_failed(void) { failed(END_ERROR); }
void __cf_w___VERIFIER_assume(int c) {
  if (!c) failed(END_ASSUME);
}

/* ---- nondeterministic values: given ones in order, then 0 --------------------------------------------------------------- */

static u64 *given;
static unsigned count, next;
static u64 nondet(void) { return next < count ? given[next++] : 0; }
#define NONDET(name, type) type __cf_w___VERIFIER_nondet_##name(void) { return (type)nondet(); }
#include "nondet_types.h"
_Bool __cf_w___VERIFIER_nondet_bool(void) { return (nondet() & 1) != 0; }
_Bool __cf_w___VERIFIER_nondet__Bool(void) { return (nondet() & 1) != 0; }
float __cf_w___VERIFIER_nondet_float(void) { return (float)(long long)nondet(); }
double __cf_w___VERIFIER_nondet_double(void) { return (double)(long long)nondet(); }
void *__cf_w___VERIFIER_nondet_pointer(void) { return (void *)nondet(); }
void __cf_w___VERIFIER_nondet_memory(void *p, size_t n) {
  for (size_t i = 0; i < n; i++) ((u8 *)p)[i] = (u8)nondet();
}
void bf_nondet_start(void) {
  const char *list = getenv("BUTFOR_NONDET");
  if (list && *list) {
    for (const char *p = list; *p; p++) count += *p == ',';
    given = calloc(++count, 8);
    for (unsigned i = 0; i < count; i++) {
      char *end;
      given[i] = strtoull(list, &end, 10);
      list = *end ? end + 1 : end;
    }
  }
  unsetenv("BUTFOR_NONDET");
}

/* ---- files: what is written goes to a copy, what was not written is read where it is ------------------------------------- */

static int in_overlay(const char *path, char *to, size_t n, const char *suffix) {
  char full[4096];
  if (path[0] != '/') {
    if (!getcwd(full, sizeof full)) return 0;
    strncat(full, "/", sizeof full - strlen(full) - 1);
    strncat(full, path, sizeof full - strlen(full) - 1);
  } else {
    snprintf(full, sizeof full, "%s", path);
  }
  char flat[4096];
  size_t k = 0;
  for (const char *p = full; *p && k < sizeof flat - 1; p++) {
    while (p[0] == '/' && (p[1] == '/' || (p[1] == '.' && (p[2] == '/' || !p[2])))) p += p[1] == '/' ? 1 : 2;
    if (!*p) break;
    flat[k++] = *p == '/' ? '%' : *p;
  }
  flat[k] = 0;
  const char *tail = k > 200 ? flat + k - 200 : flat;
  return snprintf(to, n, "%s/%s%s", bf_overlay, tail, suffix) < (int)n;
}

static void copy_file(const char *from, const char *to) {
  char buffer[65536];
  int in = open(from, O_RDONLY), out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (ssize_t n; in >= 0 && out >= 0 && (n = read(in, buffer, sizeof buffer)) > 0;)
    if (write(out, buffer, (size_t)n) != n) break;
  if (in >= 0) close(in);
  if (out >= 0) close(out);
}

/* The file to open instead of `path`, in a buffer; writes: whether it will be changed, keeps: whether its content matters; 0: it was removed. */
static const char *instead(const char *path, int writes, int keeps, char *buffer, size_t n) {
  char gone[8192];
  struct stat s;
  if (!path || !in_overlay(path, buffer, n, "") || !in_overlay(path, gone, sizeof gone, ".gone")) return path;
  int there = !stat(buffer, &s), removed = !stat(gone, &s);
  if (!writes) return there ? buffer : removed ? 0 : path;
  bf_shared->used_files = 1;
  if (!there && !removed && keeps && !stat(path, &s) && S_ISREG(s.st_mode)) copy_file(path, buffer);
  unlink(gone);
  return buffer;
}

#define MISSING(path, result) if (!(path)) { errno = ENOENT; return result; }

static int open_instead(const char *path, int flags, unsigned mode) {
  char buffer[8192];
  int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (path && !strcmp(path, "/dev/null")) return open(path, flags, mode);
  if (writes && !(flags & O_CREAT) && path && access(path, F_OK)) { /* it must exist, here or there */
    const char *known = instead(path, 0, 0, buffer, sizeof buffer);
    if (!known || known == path) return errno = ENOENT, -1;
  }
  const char *at = instead(path, writes, !(flags & O_TRUNC), buffer, sizeof buffer);
  MISSING(at, -1)
  return open(at, flags, mode);
}
int __cf_w_open(const char *path, int flags, ...) {
  va_list l;
  va_start(l, flags);
  unsigned mode = flags & O_CREAT ? va_arg(l, unsigned) : 0;
  va_end(l);
  return open_instead(path, flags, mode);
}
int __cf_w_open64(const char *path, int flags, ...) {
  va_list l;
  va_start(l, flags);
  unsigned mode = flags & O_CREAT ? va_arg(l, unsigned) : 0;
  va_end(l);
  return open_instead(path, flags, mode);
}
int __cf_w_creat(const char *path, unsigned mode) { return open_instead(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

static const char *stream_file(const char *path, const char *mode, char *buffer, size_t n) {
  int writes = mode[0] != 'r' || strchr(mode, '+');
  if (path && !strcmp(path, "/dev/null")) return path;
  if (mode[0] == 'r' && writes && path && access(path, F_OK)) {
    const char *known = instead(path, 0, 0, buffer, n);
    if (!known || known == path) return 0;
  }
  return instead(path, writes, mode[0] != 'w', buffer, n);
}
FILE *__cf_w_fopen(const char *path, const char *mode) {
  char buffer[8192];
  const char *at = stream_file(path, mode, buffer, sizeof buffer);
  MISSING(at, 0)
  return fopen(at, mode);
}
FILE *__cf_w_fopen64(const char *path, const char *mode) { return __cf_w_fopen(path, mode); }
FILE *__cf_w_freopen(const char *path, const char *mode, FILE *f) {
  char buffer[8192];
  const char *at = path ? stream_file(path, mode, buffer, sizeof buffer) : path;
  if (path) MISSING(at, 0)
  return freopen(at, mode, f);
}

static int removed(const char *path) {
  char buffer[8192], gone[8192];
  struct stat s;
  const char *at = instead(path, 0, 0, buffer, sizeof buffer);
  if (!at || stat(at, &s)) return errno = ENOENT, -1;
  if (!in_overlay(path, gone, sizeof gone, ".gone")) return errno = EACCES, -1;
  bf_shared->used_files = 1;
  if (at != path) unlink(at);
  int fd = open(gone, O_WRONLY | O_CREAT, 0600);
  if (fd >= 0) close(fd);
  return 0;
}
int __cf_w_remove(const char *path) { return removed(path); }
int __cf_w_unlink(const char *path) { return removed(path); }
int __cf_w_rename(const char *from, const char *to) {
  char source[8192], target[8192];
  const char *at = instead(from, 0, 0, source, sizeof source);
  MISSING(at, -1)
  if (access(at, F_OK)) return -1;
  const char *there = instead(to, 1, 0, target, sizeof target);
  copy_file(at, there);
  return removed(from);
}
int __cf_w_access(const char *path, int mode) {
  char buffer[8192];
  const char *at = instead(path, 0, 0, buffer, sizeof buffer);
  MISSING(at, -1)
  return access(at, mode);
}
int __cf_w_truncate(const char *path, off_t size) {
  char buffer[8192];
  return truncate(instead(path, 1, 1, buffer, sizeof buffer), size);
}

/* ---- refused: they would reach beyond the run ---------------------------------------------------------------------------- */

#define REFUSED(name) int __cf_w_##name(void) { errno = EACCES; return -1; }
REFUSED(system)
REFUSED(fork)
REFUSED(vfork)
REFUSED(execl)
REFUSED(execle)
REFUSED(execlp)
REFUSED(execv)
REFUSED(execve)
REFUSED(execvp)
REFUSED(posix_spawn)
REFUSED(posix_spawnp)
REFUSED(kill)
REFUSED(killpg)
REFUSED(mkdir)
REFUSED(rmdir)
REFUSED(chmod)
REFUSED(chown)
REFUSED(link)
REFUSED(symlink)
REFUSED(socket)
REFUSED(openat)
REFUSED(renameat)
REFUSED(unlinkat)
REFUSED(mkfifo)
REFUSED(mknod)
REFUSED(utime)
REFUSED(utimes)
FILE *__cf_w_popen(const char *command, const char *mode) { errno = EACCES; return 0; }
unsigned __cf_w_sleep(unsigned seconds) { return 0; }
int __cf_w_usleep(unsigned microseconds) { return 0; }
