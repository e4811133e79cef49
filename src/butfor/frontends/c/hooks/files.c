/* Functions of the C library that name files: each does to the file tree of the run (tree.c) what it would do to the real one. */
#include "tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

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
  return finished(fd, fd < 0 ? 0 : fchmod(fd, mode));
}
int __cf_w_chmod(const char *path, unsigned mode) { return __cf_w_fchmodat(AT_FDCWD, path, mode, 0); }
int __cf_w_chown(const char *path, unsigned user, unsigned group) { return finished(copy_of(AT_FDCWD, path), 0); }
int __cf_w_utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  int fd = copy_of(folder, path);
  return finished(fd, fd < 0 ? 0 : futimens(fd, times));
}
int __cf_w_utimes(const char *path, const struct timeval t[2]) {
  struct timespec times[2] = {{t ? t[0].tv_sec : 0, t ? t[0].tv_usec * 1000 : 0}, {t ? t[1].tv_sec : 0, t ? t[1].tv_usec * 1000 : 0}};
  return __cf_w_utimensat(AT_FDCWD, path, t ? times : 0, 0);
}
int __cf_w_utime(const char *path, const struct utimbuf *t) {
  struct timespec times[2] = {{t ? t->actime : 0, 0}, {t ? t->modtime : 0, 0}};
  return __cf_w_utimensat(AT_FDCWD, path, t ? times : 0, 0);
}
