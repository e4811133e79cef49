/* Names in the folders of the file tree that a run sees, and the end of that tree. */
#include "tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add_names(const char *folder, struct spot *s, int real, const char *to) {
  DIR *d = opendir(folder);
  char path[PATH * 2];
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", strcmp(s->path, "/") ? s->path : "", e->d_name);
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || (real && bf_is_gone(path))) continue;
    int is_folder = !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
    snprintf(path, sizeof path, "%s/%s", to, e->d_name);
    int fd = is_folder ? mkdir(path, 0700) : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (!is_folder && fd >= 0) close(fd);
  }
  if (d) closedir(d);
}

const char *bf_listable(struct spot *s) {
  static char list[PATH * 2];
  static unsigned count;
  if (s->where == NOTHING) return errno = ENOENT, (char *)0;
  if (s->where != REAL || !bf_shared->used_files || !S_ISDIR(s->mode)) return bf_readable(s);
  snprintf(list, sizeof list, "%s/%u%s/", bf_lists, ++count, s->path);
  bf_make_parents(list, strlen(bf_lists));
  list[strlen(list) - 1] = 0;
  add_names(s->path, s, 1, list);
  add_names(s->copy, s, 0, list);
  return list;
}

int bf_is_empty(struct spot *s) {
  const char *at = bf_listable(s);
  DIR *d = at ? opendir(at) : 0;
  int names = 0;
  while (d && names < 3 && readdir(d)) names++;
  if (d) closedir(d);
  return names <= 2;
}

static void clear(int at, const char *name) {
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd < 0 ? 0 : fdopendir(fd);
  if (!d) return;
  for (struct dirent *e; (e = readdir(d));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (unlinkat(dirfd(d), e->d_name, 0)) clear(dirfd(d), e->d_name), unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
  }
  closedir(d);
}

static void clear_all(const char *folder) {
  static unsigned left;
  char other[PATH * 2];
  clear(AT_FDCWD, folder);
  snprintf(other, sizeof other, "%s-%u", folder, left++);
  if (rmdir(folder)) rename(folder, other); /* nested too deep; out of sight at least */
  mkdir(folder, 0700);
}
void bf_tree_clear(void) { clear_all(bf_files), clear_all(bf_gone), clear_all(bf_lists); }
