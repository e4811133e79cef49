/* Functions of the C library that make, open, move and remove files: each does to the file tree of the run (tree.c) what it would do to the real one. */
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SAME(name) __attribute__((alias("__cf_w_" #name)))

/* ---- open ----------------------------------------------------------------------------------------------------------------- */

static int open_seen(int folder, const char *path, int flags, unsigned mode) {
  struct spot s;
  const char *at = bf_openable(folder, path, flags, &s);
  return at ? open(at, flags, mode) : -1;
}
static unsigned mode_of(int flags, va_list l) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(l, unsigned) : 0; }
int __cf_w_open(const char *path, int flags, ...) {
  va_list l;
  va_start(l, flags);
  unsigned mode = mode_of(flags, l);
  va_end(l);
  return open_seen(AT_FDCWD, path, flags, mode);
}
int __cf_w_openat(int folder, const char *path, int flags, ...) {
  va_list l;
  va_start(l, flags);
  unsigned mode = mode_of(flags, l);
  va_end(l);
  return open_seen(folder, path, flags, mode);
}
int __cf_w_creat(const char *path, unsigned mode) { return open_seen(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int __cf_w_open64(const char *, int, ...) SAME(open);
int __cf_w_openat64(int, const char *, int, ...) SAME(openat);
int __cf_w_creat64(const char *, unsigned) SAME(creat);

static const char *stream_file(const char *path, const char *mode, struct spot *s) {
  int plus = strchr(mode, '+') != 0, access = plus ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
  int flags = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
  return bf_openable(AT_FDCWD, path, access | flags | (strchr(mode, 'x') ? O_EXCL : 0), s);
}
FILE *__cf_w_fopen(const char *path, const char *mode) {
  struct spot s;
  const char *at = stream_file(path, mode, &s);
  return at ? fopen(at, mode) : 0;
}
FILE *__cf_w_freopen(const char *path, const char *mode, FILE *f) {
  struct spot s;
  const char *at = path ? stream_file(path, mode, &s) : 0;
  if (path && !at) {
    int error = errno;
    fclose(f);
    errno = error;
    return 0;
  }
  return freopen(at, mode, f);
}
FILE *__cf_w_fopen64(const char *, const char *) SAME(fopen);
FILE *__cf_w_freopen64(const char *, const char *, FILE *) SAME(freopen);

/* ---- temporary files: names are counted, so that they are the same in every run -------------------------------------------- */

static int temporary(char *name, int after, int flags, int is_folder) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  static unsigned count;
  size_t n = strlen(name);
  char *x = name + n - after - 6;
  if (after < 0 || n < (size_t)after + 6 || memcmp(x, "XXXXXX", 6)) return errno = EINVAL, -1;
  for (int tries = 0; tries < 100000; tries++) {
    unsigned k = count++;
    for (int i = 0; i < 6; i++, k /= 26) x[5 - i] = letters[k % 26];
    struct spot s;
    if (bf_find(AT_FDCWD, name, 1, &s)) return -1;
    if (s.where != NOTHING) continue;
    if (bf_make_room(&s)) return -1;
    return is_folder ? mkdir(s.copy, 0700) : open(s.copy, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
  }
  return errno = EEXIST, -1;
}
int __cf_w_mkostemps(char *name, int after, int flags) { return temporary(name, after, flags, 0); }
int __cf_w_mkstemps(char *name, int after) { return temporary(name, after, 0, 0); }
int __cf_w_mkostemp(char *name, int flags) { return temporary(name, 0, flags, 0); }
int __cf_w_mkstemp(char *name) { return temporary(name, 0, 0, 0); }
char *__cf_w_mkdtemp(char *name) { return temporary(name, 0, 0, 1) ? 0 : name; }
FILE *__cf_w_tmpfile(void) {
  int fd = open_seen(AT_FDCWD, P_tmpdir, O_TMPFILE | O_RDWR, 0600);
  return fd < 0 ? 0 : fdopen(fd, "w+");
}
int __cf_w_mkstemp64(char *) SAME(mkstemp);
int __cf_w_mkostemp64(char *, int) SAME(mkostemp);
int __cf_w_mkstemps64(char *, int) SAME(mkstemps);
FILE *__cf_w_tmpfile64(void) SAME(tmpfile);

static const char *shared_name(const char *name, char *path) {
  snprintf(path, PATH, "/dev/shm/%s", name + strspn(name, "/"));
  return path;
}
int __cf_w_shm_open(const char *name, int flags, unsigned mode) {
  char path[PATH];
  return open_seen(AT_FDCWD, shared_name(name, path), flags | O_CLOEXEC, mode);
}
int __cf_w_unlinkat(int folder, const char *path, int flags);
int __cf_w_shm_unlink(const char *name) {
  char path[PATH];
  return __cf_w_unlinkat(AT_FDCWD, shared_name(name, path), 0);
}

/* ---- remove, rename, link ---------------------------------------------------------------------------------------------------- */

int __cf_w_unlinkat(int folder, const char *path, int flags) {
  struct spot s;
  int is_folder = (flags & AT_REMOVEDIR) != 0;
  if (bf_find(folder, path, 0, &s)) return -1;
  if (s.where == DEVICE) return errno = EACCES, -1;
  if (s.where == NOTHING) return errno = ENOENT, -1;
  if (!bf_can_change_folder(&s)) return -1;
  if (S_ISDIR(s.mode) != is_folder) return errno = is_folder ? ENOTDIR : EISDIR, -1;
  if (is_folder && !bf_is_empty(&s)) return errno = ENOTEMPTY, -1;
  bf_forget(&s);
  return 0;
}
int __cf_w_unlink(const char *path) { return __cf_w_unlinkat(AT_FDCWD, path, 0); }
int __cf_w_rmdir(const char *path) { return __cf_w_unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int __cf_w_remove(const char *path) { return __cf_w_unlink(path) && (errno != EISDIR || __cf_w_rmdir(path)) ? -1 : 0; }

int __cf_w_mkdirat(int folder, const char *path, unsigned mode) {
  struct spot s;
  return bf_find(folder, path, 0, &s) || bf_make_room(&s) || mkdir(s.copy, mode | 0700) ? -1 : 0;
}
int __cf_w_mkdir(const char *path, unsigned mode) { return __cf_w_mkdirat(AT_FDCWD, path, mode); }

/* Like a file system that is mounted over another, it cannot move folders of the one below. */
int __cf_w_renameat(int from_folder, const char *from, int to_folder, const char *to) {
  struct spot a, b;
  if (bf_find(from_folder, from, 0, &a) || bf_find(to_folder, to, 0, &b)) return -1;
  if (a.where == DEVICE || b.where == DEVICE) return errno = EACCES, -1;
  if (a.where == NOTHING) return errno = ENOENT, -1;
  if (!strcmp(a.path, b.path)) return 0;
  if (S_ISDIR(a.mode) && (a.where == REAL || b.where != NOTHING)) return errno = EXDEV, -1;
  if (S_ISDIR(b.mode)) return errno = EISDIR, -1;
  if (!bf_can_change_folder(&a) || !bf_can_change_folder(&b)) return -1;
  if (!S_ISDIR(a.mode) && a.where == REAL && bf_take_copy(&a, 1)) return -1;
  if (b.where != NOTHING) bf_forget(&b);
  if (bf_make_room(&b) || rename(a.copy, b.copy)) return -1;
  bf_forget(&a);
  return 0;
}
int __cf_w_rename(const char *from, const char *to) { return __cf_w_renameat(AT_FDCWD, from, AT_FDCWD, to); }
int __cf_w_renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return flags ? (errno = EINVAL, -1) : __cf_w_renameat(a, from, b, to);
}

int __cf_w_link(const char *from, const char *to) {
  struct spot a, b;
  if (bf_find(AT_FDCWD, from, 0, &a) || bf_find(AT_FDCWD, to, 0, &b) || (a.where != WRITTEN && bf_take_copy(&a, 1)) || bf_make_room(&b)) return -1;
  return link(a.copy, b.copy);
}
int __cf_w_symlink(const char *target, const char *path) {
  struct spot s;
  return bf_find(AT_FDCWD, path, 0, &s) || bf_make_room(&s) ? -1 : symlink(target, s.copy);
}
