/* Functions of the C library that ask about files and folders, or change their properties: they see the file tree of the run (tree.c). */
#include "tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#define SAME(name) __attribute__((alias("__cf_w_" #name)))

/* ---- questions --------------------------------------------------------------------------------------------------------------- */

static const char *seen(int folder, const char *path, int follow, struct spot *s) { return bf_find(folder, path, follow, s) ? 0 : bf_readable(s); }

int __cf_w_fstatat(int folder, const char *path, struct stat *st, int flags) {
  struct spot s;
  if (flags & AT_EMPTY_PATH && !*path) return fstatat(folder, path, st, flags);
  const char *at = seen(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &s);
  return at ? fstatat(AT_FDCWD, at, st, flags) : -1;
}
int __cf_w_stat(const char *path, struct stat *st) { return __cf_w_fstatat(AT_FDCWD, path, st, 0); }
int __cf_w_lstat(const char *path, struct stat *st) { return __cf_w_fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW); }
int __cf_w___xstat(int version, const char *path, struct stat *st) { return __cf_w_stat(path, st); }
int __cf_w___lxstat(int version, const char *path, struct stat *st) { return __cf_w_lstat(path, st); }
int __cf_w_statx(int folder, const char *path, int flags, unsigned mask, struct statx *st) {
  struct spot s;
  if (flags & AT_EMPTY_PATH && !*path) return statx(folder, path, flags, mask, st);
  const char *at = seen(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &s);
  return at ? statx(AT_FDCWD, at, flags, mask, st) : -1;
}
int __cf_w_fstatat64(int, const char *, struct stat *, int) SAME(fstatat);
int __cf_w_stat64(const char *, struct stat *) SAME(stat);
int __cf_w_lstat64(const char *, struct stat *) SAME(lstat);

int __cf_w_faccessat(int folder, const char *path, int mode, int flags) {
  struct spot s;
  const char *at = seen(folder, path, 1, &s);
  return at ? access(at, mode) : -1;
}
int __cf_w_access(const char *path, int mode) { return __cf_w_faccessat(AT_FDCWD, path, mode, 0); }
int __cf_w_euidaccess(const char *path, int mode) { return __cf_w_access(path, mode); }
ssize_t __cf_w_readlinkat(int folder, const char *path, char *to, size_t n) {
  struct spot s;
  const char *at = seen(folder, path, 0, &s);
  return at ? readlink(at, to, n) : -1;
}
ssize_t __cf_w_readlink(const char *path, char *to, size_t n) { return __cf_w_readlinkat(AT_FDCWD, path, to, n); }
char *__cf_w_realpath(const char *path, char *to) {
  struct spot s;
  const char *at = seen(AT_FDCWD, path, 1, &s);
  return !at ? 0 : s.where == DEVICE ? realpath(path, to) : to ? strcpy(to, s.path) : strdup(s.path);
}

/* ---- folders ----------------------------------------------------------------------------------------------------------------- */

DIR *__cf_w_opendir(const char *path) {
  struct spot s;
  const char *at = bf_find(AT_FDCWD, path, 1, &s) ? 0 : bf_listable(&s);
  return at ? opendir(at) : 0;
}
DIR *__cf_w_fdopendir(int fd) {
  struct spot s;
  if (!bf_shared->used_files) return fdopendir(fd);
  const char *at = bf_find(fd, ".", 1, &s) ? 0 : bf_listable(&s);
  DIR *d = at ? opendir(at) : 0;
  if (d) close(fd);
  return d;
}
int __cf_w_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *), int (*order)(const struct dirent **, const struct dirent **)) {
  struct spot s;
  const char *at = bf_find(AT_FDCWD, path, 1, &s) ? 0 : bf_listable(&s);
  return at ? scandir(at, list, filter, order) : -1;
}
int __cf_w_scandir64(const char *, struct dirent ***, int (*)(const struct dirent *), int (*)(const struct dirent **, const struct dirent **)) SAME(scandir);

static int go_to(int folder, const char *path) {
  struct spot s;
  const char *at = seen(folder, path, 1, &s);
  if (!at || chdir(at)) return -1;
  strcpy(bf_working, s.where == WRITTEN ? s.path : "");
  return 0;
}
int __cf_w_chdir(const char *path) { return go_to(AT_FDCWD, path); }
int __cf_w_fchdir(int fd) { return go_to(fd, "."); }
char *__cf_w_getcwd(char *to, size_t n) {
  if (!*bf_working) return getcwd(to, n);
  if (!to) return strdup(bf_working);
  return strlen(bf_working) < n ? strcpy(to, bf_working) : (errno = ERANGE, (char *)0);
}
char *__cf_w_get_current_dir_name(void) { return __cf_w_getcwd(0, 0); }

/* ---- properties: of folders and of devices they are left as they are ------------------------------------------------------------ */

/* Whether a descriptor is one of a file that the run wrote itself; one of another file may be open for reading only, and what it refers to is real. */
static int is_own(int fd) {
  char name[32], path[PATH];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(name, path, PATH - 1);
  if (n < 0) return 0;
  path[n] = 0;
  size_t k = strlen(bf_files);
  return !strncmp(path, bf_files, k) && path[k] == '/';
}
static int refuse(void) {
  bf_shared->refused++;
  return errno = EPERM, -1;
}
int __cf_w_fchmod(int fd, unsigned mode) { return is_own(fd) ? bf_fchmod(fd, mode) : refuse(); }
int __cf_w_fchown(int fd, unsigned user, unsigned group) { return is_own(fd) ? 0 : refuse(); }
int __cf_w_futimens(int fd, const struct timespec times[2]) { return is_own(fd) ? bf_futimens(fd, times) : refuse(); }
int __cf_w_futimes(int fd, const struct timeval t[2]) {
  struct timespec times[2] = {{t ? t[0].tv_sec : 0, t ? t[0].tv_usec * 1000 : 0}, {t ? t[1].tv_sec : 0, t ? t[1].tv_usec * 1000 : 0}};
  return __cf_w_futimens(fd, t ? times : 0);
}

/* A descriptor of the copy, -1 with errno, or -2 where nothing is to be done. */
static int copy_of(int folder, const char *path) {
  struct spot s;
  struct stat st;
  if (bf_find(folder, path, 1, &s)) return -1;
  if (s.where == DEVICE) return errno = EACCES, -1;
  if (s.where == REAL && geteuid() && !stat(s.path, &st) && st.st_uid != geteuid()) return errno = EPERM, -1;
  if (s.where != NOTHING && !S_ISREG(s.mode)) return -2;
  return bf_take_copy(&s, 1) ? -1 : open(s.copy, O_RDONLY | O_CLOEXEC);
}
static int finished(int fd, int result) {
  if (fd >= 0) close(fd);
  return fd == -2 ? 0 : fd < 0 ? -1 : result;
}
int __cf_w_truncate(const char *path, off_t size) {
  struct spot s;
  const char *at = bf_openable(AT_FDCWD, path, O_WRONLY, &s);
  return at ? truncate(at, size) : -1;
}
int __cf_w_truncate64(const char *, off_t) SAME(truncate);
int __cf_w_fchmodat(int folder, const char *path, unsigned mode, int flags) {
  int fd = copy_of(folder, path);
  return finished(fd, fd < 0 ? 0 : bf_fchmod(fd, mode));
}
int __cf_w_chmod(const char *path, unsigned mode) { return __cf_w_fchmodat(AT_FDCWD, path, mode, 0); }
int __cf_w_chown(const char *path, unsigned user, unsigned group) { return finished(copy_of(AT_FDCWD, path), 0); }
int __cf_w_utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  int fd = copy_of(folder, path);
  return finished(fd, fd < 0 ? 0 : bf_futimens(fd, times));
}
int __cf_w_utimes(const char *path, const struct timeval t[2]) {
  struct timespec times[2] = {{t ? t[0].tv_sec : 0, t ? t[0].tv_usec * 1000 : 0}, {t ? t[1].tv_sec : 0, t ? t[1].tv_usec * 1000 : 0}};
  return __cf_w_utimensat(AT_FDCWD, path, t ? times : 0, 0);
}
int __cf_w_utime(const char *path, const struct utimbuf *t) {
  struct timespec times[2] = {{t ? t->actime : 0, 0}, {t ? t->modtime : 0, 0}};
  return __cf_w_utimensat(AT_FDCWD, path, t ? times : 0, 0);
}
