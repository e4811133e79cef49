/* The file tree as a run sees it. What is written goes to FOLDER/files/PATH; FOLDER/gone/PATH% marks what was removed. */
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_LINKS 40

char bf_working[PATH];
char bf_files[PATH], bf_gone[PATH], bf_lists[PATH];

void bf_tree_start(const char *folder) {
  snprintf(bf_files, sizeof bf_files, "%s/files", folder);
  snprintf(bf_gone, sizeof bf_gone, "%s/gone", folder);
  snprintf(bf_lists, sizeof bf_lists, "%s/lists", folder);
  mkdir(bf_files, 0700), mkdir(bf_gone, 0700), mkdir(bf_lists, 0700);
}

/* ---- what is where -------------------------------------------------------------------------------------------------------- */

int bf_is_gone(const char *path) {
  char mark[PATH * 2];
  struct stat s;
  snprintf(mark, sizeof mark, "%s%s%%", bf_gone, path);
  return !lstat(mark, &s);
}

static void look(struct spot *s) {
  struct stat real, copy;
  snprintf(s->copy, sizeof s->copy, "%s%s", bf_files, s->path);
  int used = bf_shared->used_files != 0, written = used && !lstat(s->copy, &copy), there = !(used && bf_is_gone(s->path)) && !lstat(s->path, &real);
  if (written && !(there && S_ISDIR(copy.st_mode) && S_ISDIR(real.st_mode))) s->where = WRITTEN, s->mode = copy.st_mode;
  else if (there) s->where = REAL, s->mode = real.st_mode;
  else s->where = NOTHING, s->mode = 0;
}

static ssize_t link_at(const char *path, char *to, size_t n) {
  struct spot s;
  snprintf(s.path, sizeof s.path, "%s", path);
  look(&s);
  return S_ISLNK(s.mode) ? readlink(s.where == WRITTEN ? s.copy : path, to, n) : -1;
}

static void up(char *path) {
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
}

static int is_device(const char *path, const char *rest) {
  while (*rest == '/') rest++;
  if (!strcmp(path, "/dev")) return *rest && strncmp(rest, "shm", 3);
  return *rest && (!strcmp(path, "/proc") || !strcmp(path, "/sys"));
}

/* `s->path`, which names a folder, becomes that of `path` below it. */
static int walk(struct spot *s, const char *path, int follow) {
  char rest[PATH * 2], target[PATH];
  int links = 0;
  if (strlen(path) >= PATH) return errno = ENAMETOOLONG, -1;
  strcpy(rest, path);
  if (*path == '/') *s->path = 0;
  for (char *p = rest; *(p += strspn(p, "/"));) {
    size_t n = strcspn(p, "/"), have = strlen(s->path);
    char *name = p;
    p += n;
    if (n == 1 && name[0] == '.') continue;
    if (n == 2 && name[0] == '.' && name[1] == '.') { up(s->path); continue; }
    if (n > 255 || have + n + 2 > PATH) return errno = ENAMETOOLONG, -1;
    s->path[have] = '/';
    memcpy(s->path + have + 1, name, n);
    s->path[have + 1 + n] = 0;
    if (is_device(s->path, p)) {
      if (have + 1 + n + strlen(p) >= PATH) return errno = ENAMETOOLONG, -1;
      strcat(s->path, p);
      s->where = DEVICE;
      return 0;
    }
    if (!*p && !follow) break;
    ssize_t k = link_at(s->path, target, sizeof target - 1);
    if (k <= 0) continue;
    target[k] = 0;
    if (++links > MOST_LINKS) return errno = ELOOP, -1;
    if ((size_t)k + strlen(p) + 2 > sizeof rest) return errno = ENAMETOOLONG, -1;
    up(s->path);
    if (*target == '/') *s->path = 0;
    memmove(rest + k, p, strlen(p) + 1);
    memcpy(rest, target, (size_t)k);
    p = rest;
  }
  if (!*s->path) strcpy(s->path, "/");
  look(s);
  return 0;
}

/* The path that a folder of ours stands for. */
static void as_seen(char *path) {
  size_t n = strlen(bf_files), m = strlen(bf_lists);
  if (!strncmp(path, bf_files, n) && path[n] == '/') memmove(path, path + n, strlen(path + n) + 1);
  else if (!strncmp(path, bf_lists, m) && path[m] == '/') {
    const char *rest = strchr(path + m + 1, '/');
    if (rest) memmove(path, rest, strlen(rest) + 1);
  }
}

int bf_find(int folder, const char *path, int follow, struct spot *s) {
  if (!path) return errno = EFAULT, -1;
  if (!*path) return errno = ENOENT, -1;
  *s->path = 0;
  s->mode = 0;
  if (*path != '/' && folder != AT_FDCWD) {
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(name, s->path, PATH - 1);
    if (n < 0) return errno = EBADF, -1;
    s->path[n] = 0;
    as_seen(s->path);
  } else if (*path != '/') {
    if (*bf_working) strcpy(s->path, bf_working);
    else if (!getcwd(s->path, PATH)) return -1;
  }
  if (!strcmp(s->path, "/")) *s->path = 0;
  return walk(s, path, follow);
}

const char *bf_readable(struct spot *s) {
  if (s->where == NOTHING) return errno = ENOENT, (char *)0;
  return s->where == WRITTEN ? s->copy : s->path;
}

/* ---- changes -------------------------------------------------------------------------------------------------------------- */

void bf_make_parents(char *path, size_t from) {
  for (char *p = path + from; (p = strchr(p + 1, '/'));) *p = 0, mkdir(path, 0700), *p = '/';
}

static void mark(const char *path, int removed) {
  char name[PATH * 2];
  snprintf(name, sizeof name, "%s%s%%", bf_gone, path);
  if (!removed) { unlink(name); return; }
  bf_make_parents(name, strlen(bf_gone));
  int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

int bf_can_change_folder(struct spot *s) {
  struct spot parent;
  strcpy(parent.path, s->path);
  up(parent.path);
  if (!*parent.path) strcpy(parent.path, "/");
  look(&parent);
  if (parent.where == NOTHING) return errno = ENOENT, 0;
  if (!S_ISDIR(parent.mode)) return errno = ENOTDIR, 0;
  return parent.where == WRITTEN || !access(parent.path, W_OK);
}

int bf_make_room(struct spot *s) {
  if (s->where == DEVICE) return errno = EACCES, -1;
  if (s->where != NOTHING) return errno = EEXIST, -1;
  if (!bf_can_change_folder(s)) return -1;
  bf_shared->used_files = 1;
  bf_make_parents(s->copy, strlen(bf_files));
  mark(s->path, 0);
  return 0;
}

static int copy_content(const char *from, int out) {
  char buffer[65536];
  struct rlimit most;
  struct stat s;
  int in = open(from, O_RDONLY | O_CLOEXEC);
  ssize_t n = in < 0 ? -1 : 0;
  if (in >= 0 && !fstat(in, &s) && !getrlimit(RLIMIT_FSIZE, &most) && (u64)s.st_size > most.rlim_cur) n = -1, errno = EFBIG;
  while (n >= 0 && (n = read(in, buffer, sizeof buffer)) > 0)
    if (write(out, buffer, (size_t)n) != n) n = -1;
  if (in >= 0) close(in);
  return n < 0 ? -1 : 0;
}

int bf_take_copy(struct spot *s, int keep) {
  if (s->where == WRITTEN) return 0;
  if (s->where != REAL || !S_ISREG(s->mode)) return errno = s->where == NOTHING ? ENOENT : S_ISDIR(s->mode) ? EISDIR : EACCES, -1;
  bf_shared->used_files = 1;
  bf_make_parents(s->copy, strlen(bf_files));
  int out = open(s->copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), bad = out < 0 || (keep && copy_content(s->path, out));
  if (out >= 0) bf_fchmod(out, s->mode & 0777), close(out);
  if (!bad) s->where = WRITTEN;
  else if (out >= 0) unlink(s->copy);
  return bad ? -1 : 0;
}

void bf_forget(struct spot *s) {
  struct stat real;
  bf_shared->used_files = 1;
  if (S_ISDIR(s->mode)) rmdir(s->copy);
  else unlink(s->copy);
  if (!lstat(s->path, &real)) mark(s->path, 1);
  s->where = NOTHING;
}

static int is_harmless(const char *device) {
  static const char *const all[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(device, all[i])) return 1;
  return !strncmp(device, "/dev/fd/", 8) || !strncmp(device, "/proc/self/fd/", 14);
}

const char *bf_openable(int folder, const char *path, int flags, struct spot *s) {
  int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (bf_find(folder, path, !(flags & O_NOFOLLOW), s)) return 0;
  if (s->where == DEVICE) {
    if (is_harmless(s->path) || (!writes && strncmp(s->path, "/dev/", 5))) return s->path;
    bf_shared->refused++;
    return errno = EACCES, (char *)0;
  }
  if ((flags & O_TMPFILE) == O_TMPFILE) return bf_files;
  if (s->where != NOTHING && !S_ISREG(s->mode) && !S_ISDIR(s->mode) && !S_ISLNK(s->mode)) return errno = EACCES, (char *)0; /* what is in a pipe belongs to others */
  if (!writes) return bf_readable(s);
  if (s->where != NOTHING && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return errno = EEXIST, (char *)0;
  if (S_ISDIR(s->mode)) return errno = EISDIR, (char *)0;
  if (s->where == NOTHING && !(flags & O_CREAT)) return errno = ENOENT, (char *)0;
  if (s->where == REAL && access(s->path, W_OK)) return 0;
  if (s->where == NOTHING ? bf_make_room(s) : bf_take_copy(s, !(flags & O_TRUNC))) return 0;
  return s->copy;
}
