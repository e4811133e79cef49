/* The file tree as a run sees it: the real one, and what the run wrote over it. */
#ifndef BUTFOR_TREE_H
#define BUTFOR_TREE_H
#include "hooks.h"
#include <sys/stat.h>
#include <sys/types.h>

#define PATH 4096
enum where { NOTHING, REAL, WRITTEN, DEVICE }; /* DEVICE: below /dev, /proc, /sys, which are as they are */

struct spot {
  char path[PATH];     /* absolute, without links and dots */
  char copy[PATH * 2]; /* where it is if the run wrote it */
  enum where where;
  mode_t mode;
};

void bf_tree_start(const char *folder);
void bf_tree_clear(void); /* forgets what a run wrote */

/* What is at a path; follow: a link at its end is followed. -1 with errno when the path makes no sense. */
int bf_find(int folder, const char *path, int follow, struct spot *s);
/* Where that can be read; 0 with ENOENT when it is not there. */
const char *bf_readable(struct spot *s);
/* Makes it a copy that can be changed; keep: with its content. -1 with errno. */
int bf_take_copy(struct spot *s, int keep);
/* Ready for something new at a place where nothing is. -1 with errno. */
int bf_make_room(struct spot *s);
/* Whether things in its folder can be made and removed; 0 with errno. */
int bf_can_change_folder(struct spot *s);
/* Not there from now on. */
void bf_forget(struct spot *s);
/* The file to open instead of a path, for the flags of open; 0 with errno. */
const char *bf_openable(int folder, const char *path, int flags, struct spot *s);
/* A folder with the same names in it as the one at `s` has. */
const char *bf_listable(struct spot *s);
int bf_is_empty(struct spot *s);
/* Inside: where copies, marks of what was removed, and made-up folders are; whether there is such a mark; the folders above a path. */
extern char bf_files[PATH], bf_gone[PATH], bf_lists[PATH];
int bf_is_gone(const char *path);
void bf_make_parents(char *path, size_t from);
/* The working folder; an empty text when it is the real one of the process. */
extern char bf_working[PATH];
#endif
