/* Does one thing to files, named by the first argument, and prints what it sees. The folder has: old.txt ("0123456789"), link -> old.txt,
   sub/inner.txt ("inner"), and no other files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static void put(const char *path, const char *mode, const char *text) {
  FILE *f = fopen(path, mode);
  printf("put %s: %s\n", path, f ? "ok" : strerror(errno));
  if (!f) return;
  fputs(text, f);
  fclose(f);
}
static void show(const char *path) {
  char text[200];
  struct stat s;
  FILE *f = fopen(path, "r");
  if (!f) { printf("%s: %s\n", path, strerror(errno)); return; }
  size_t n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  printf("%s: <%s> %ld\n", path, text, stat(path, &s) ? -1L : (long)s.st_size);
}
static void said(const char *what, long result) { printf("%s: %s\n", what, result < 0 ? strerror(errno) : "ok"); }
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void list(const char *path) {
  char *names[100];
  int n = 0;
  DIR *d = opendir(path);
  if (!d) { printf("list %s: %s\n", path, strerror(errno)); return; }
  for (struct dirent *e; (e = readdir(d));) {
    struct stat s;
    char row[300];
    if (e->d_name[0] == '.') continue;
    if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW)) s.st_mode = 0, s.st_size = -1;
    snprintf(row, sizeof row, "%s%s", e->d_name, S_ISDIR(s.st_mode) ? "/" : S_ISLNK(s.st_mode) ? "@" : "");
    names[n++] = strdup(row);
  }
  closedir(d);
  qsort(names, n, sizeof *names, by_name);
  printf("list %s:", path);
  for (int i = 0; i < n; i++) printf(" %s", names[i]);
  printf("\n");
}
static int caught;
static void handler(int sig) { caught += sig; }

static void do_write(void) { put("new.txt", "w", "hello"), show("new.txt"), put("new.txt", "w", "hi"), show("new.txt"), show("./sub/../new.txt"); }
static void do_append(void) { put("old.txt", "a", "abc"), show("old.txt"), put("fresh.txt", "a", "1"), put("fresh.txt", "a", "2"), show("fresh.txt"); }
static void do_update(void) {
  FILE *f = fopen("old.txt", "r+");
  fseek(f, 3, SEEK_SET), fputs("XY", f), fclose(f);
  show("old.txt");
  f = fopen("missing.txt", "r+");
  printf("%s\n", f ? "there" : strerror(errno));
  f = fopen("old.txt", "wx");
  printf("%s\n", f ? "there" : strerror(errno));
  f = fopen("new.txt", "w+x");
  fputs("both", f), rewind(f);
  printf("%c%c\n", fgetc(f), fgetc(f)), fclose(f);
}
static void do_rename(void) {
  said("rename", rename("old.txt", "moved.txt")), show("old.txt"), show("moved.txt");
  put("a", "w", "A"), put("b", "w", "B");
  said("over", rename("a", "b")), show("a"), show("b");
  said("over a real one", rename("b", "sub/inner.txt")), show("sub/inner.txt"), list("sub");
  said("missing", rename("nothing", "x")), said("self", rename("moved.txt", "moved.txt")), said("to a folder", rename("moved.txt", "sub"));
  said("mkdir", mkdir("d", 0755)), put("d/x", "w", "x"), said("folder", rename("d", "e")), show("e/x"), list("."), list("e");
}
static void do_remove(void) {
  said("remove", remove("old.txt")), show("old.txt"), said("again", remove("old.txt")), said("access", access("old.txt", F_OK)), list(".");
  put("old.txt", "w", "new"), show("old.txt"), said("unlink", unlink("old.txt")), show("old.txt");
  said("folder", unlink("sub")), said("rmdir", rmdir("sub")), said("inner", unlinkat(AT_FDCWD, "sub/inner.txt", 0)), said("rmdir", rmdir("sub"));
  said("in it", open("sub/x", O_CREAT | O_WRONLY, 0600)), said("mkdir", mkdir("sub", 0700)), list("sub"), show("sub/inner.txt"), list(".");
}
static void do_truncate(void) {
  said("truncate", truncate("old.txt", 3)), show("old.txt"), said("longer", truncate("old.txt", 5));
  int fd = open("old.txt", O_RDWR);
  said("ftruncate", ftruncate(fd, 1)), close(fd), show("old.txt");
  close(open("sub/inner.txt", O_WRONLY | O_TRUNC)), show("sub/inner.txt"), said("missing", truncate("nothing", 1));
}
static void do_absolute(void) {
  char path[4096], at[5000], real[4096];
  getcwd(path, sizeof path);
  snprintf(at, sizeof at, "%s//./sub/../abs.txt", path);
  FILE *f = fopen(at, "w");
  fputs("absolute", f), fclose(f), show("abs.txt");
  snprintf(at, sizeof at, "%s/abs.txt", path);
  printf("%d\n", strcmp(realpath("abs.txt", real), at));
}
static void do_open(void) {
  int sub = open("sub", O_RDONLY | O_DIRECTORY), fd = openat(sub, "made.txt", O_CREAT | O_WRONLY | O_EXCL, 0644);
  dprintf(fd, "by %s", "dprintf"), close(fd), show("sub/made.txt");
  said("excl", openat(sub, "inner.txt", O_CREAT | O_WRONLY | O_EXCL, 0644)), said("excl trunc", open("old.txt", O_CREAT | O_RDWR | O_EXCL | O_TRUNC, 0644));
  said("missing", open("nothing", O_WRONLY)), said("no folder", open("no/such", O_CREAT | O_WRONLY, 0644)), said("a folder", open("sub", O_WRONLY));
  fd = creat("created", 0600), write(fd, "c", 1), close(fd), show("created");
  fd = open("old.txt", O_WRONLY | O_APPEND), write(fd, "+", 1), close(fd), show("old.txt"), list("sub"), said("unlinkat", unlinkat(sub, "made.txt", 0)), list("sub");
}
static void do_reopen(void) {
  int keep = dup(1);
  freopen("log.txt", "w", stdout), puts("to the log"), fflush(stdout), dup2(keep, 1);
  fprintf(stderr, "nothing"), freopen("err.txt", "w", stderr), fprintf(stderr, "error"), fflush(stderr);
  show("log.txt"), show("err.txt");
}
static void do_descriptors(void) {
  int keep = dup(1), fd;
  close(1);
  fd = open("out.txt", O_CREAT | O_WRONLY, 0600), write(fd, "in the file", 11);
  dup2(keep, 1), close(keep), printf("%d\n", fd), show("out.txt");
  fd = open("other.txt", O_CREAT | O_WRONLY, 0600), fflush(stdout), keep = dup(1), dup2(fd, 1), puts("elsewhere"), fflush(stdout), dup2(keep, 1), show("other.txt");
}
static void do_temporary(void) {
  char a[] = "/tmp/butfor-test-XXXXXX", b[] = "tXXXXXX.c", d[] = "./dXXXXXX", inner[50], bad[] = "tXXX";
  int fd = mkstemp(a), other = mkstemps(b, 2);
  write(fd, "tmp", 3), lseek(fd, 0, SEEK_SET);
  char c[4] = "";
  read(fd, c, 3), printf("%s %d %d\n", c, strlen(a) == strlen("/tmp/butfor-test-XXXXXX"), other > 0), said("mkdtemp", mkdtemp(d) ? 0 : -1);
  snprintf(inner, sizeof inner, "%s/f", d);
  FILE *g = fopen(inner, "w"), *f = tmpfile();
  fclose(g), fputs("gone", f), rewind(f), printf("%c\n", fgetc(f)), said("unlink", unlink(a)), said("short", mkstemp(bad));
  fd = open(".", O_TMPFILE | O_RDWR, 0600), printf("%zd\n", write(fd, "x", 1));
  fd = shm_open("/butfor-test", O_CREAT | O_RDWR, 0600), said("size", ftruncate(fd, 4096)), said("shm", shm_unlink("/butfor-test")), said("shm", shm_unlink("/butfor-test"));
  unlink(b), unlink(inner), rmdir(d), list(".");
}
static void do_folders(void) {
  struct stat s;
  said("mkdir", mkdir("made", 0755)), said("again", mkdir("made", 0755)), said("deep", mkdir("x/y", 0755)), put("made/one", "w", "1"), put("sub/two", "w", "22");
  list("."), list("made"), list("sub"), said("full", rmdir("made")), printf("%d %d\n", stat("made", &s), S_ISDIR(s.st_mode));
  printf("%d %ld\n", lstat("sub/two", &s), (long)s.st_size), unlink("sub/inner.txt"), list("sub"), unlink("made/one"), said("empty", rmdir("made")), list(".");
  struct dirent **names;
  int n = scandir("sub", &names, 0, alphasort);
  for (int i = 0; i < n; i++) printf("%s;", names[i]->d_name);
  printf("%d\n", access("sub/two", R_OK)), list("nothing"), list("old.txt");
}
static void do_chdir(void) {
  char path[4096];
  chdir("sub"), put("x", "w", "x"), show("../sub/x"), chdir(".."), show("sub/x");
  mkdir("made", 0755), said("into it", chdir("made")), put("y", "w", "y"), printf("%s\n", strrchr(getcwd(path, sizeof path), '/')), show("../made/y");
  mkdir("deeper", 0755), chdir("deeper"), put("z", "w", "z"), show("../y"), list(".."), chdir("../.."), list("."), show("made/deeper/z"), said("nowhere", chdir("nowhere"));
  int here = open(".", O_RDONLY);
  chdir("made"), fchdir(here), show("old.txt"), said("no folder", chdir("old.txt"));
}
static void do_links(void) {
  char to[100] = "";
  struct stat s;
  put("link", "a", "!"), show("old.txt"), show("link"), printf("%zd %s\n", readlink("link", to, sizeof to), to), printf("%d %d\n", lstat("link", &s), S_ISLNK(s.st_mode));
  said("symlink", symlink("sub/inner.txt", "mine")), show("mine"), put("mine", "w", "through"), show("sub/inner.txt"), said("link", link("old.txt", "hard")), show("hard");
  said("unlink", unlink("link")), show("link"), show("old.txt"), said("over", symlink("x", "old.txt")), list("."), symlink("loop", "loop"), show("loop");
}
static void do_properties(void) {
  struct stat s;
  struct utimbuf t = {1000, 2000};
  said("chmod", chmod("old.txt", 0640)), stat("old.txt", &s), printf("%o\n", s.st_mode & 0777), said("utime", utime("old.txt", &t)), stat("old.txt", &s), printf("%ld\n", (long)s.st_mtime);
  said("missing", chmod("nothing", 0600)), show("old.txt");
}
static void do_devices(void) {
  FILE *f = fopen("/dev/null", "w");
  printf("%d\n", fputs("x", f)), fclose(f);
  int fd = open("/dev/full", O_WRONLY);
  said("full", write(fd, "x", 1)), fd = open("/dev/zero", O_RDONLY);
  char c = 1;
  read(fd, &c, 1), printf("%d\n", c), fflush(stdout), fd = open("/dev/stdout", O_WRONLY | O_APPEND), write(fd, "by name\n", 8), lseek(1, 0, SEEK_END);
  printf("%d\n", open("/dev/tty", O_RDWR) < 0);
}
static void do_signals(void) {
  signal(SIGUSR1, handler), signal(SIGTERM, SIG_IGN);
  kill(getpid(), SIGUSR1), raise(SIGUSR1), kill(getpid(), SIGTERM), kill(0, SIGTERM);
  printf("%d %d\n", caught, setsid());
}
static void do_nothing(void) { show("old.txt"), list("."), show("sub/inner.txt"), show("nothing"); }

int main(int argc, char **argv) {
  static const struct { const char *name; void (*run)(void); } all[] = {
      {"write", do_write}, {"append", do_append}, {"update", do_update}, {"rename", do_rename}, {"remove", do_remove}, {"truncate", do_truncate},
      {"absolute", do_absolute}, {"open", do_open}, {"reopen", do_reopen}, {"descriptors", do_descriptors}, {"temporary", do_temporary},
      {"folders", do_folders}, {"chdir", do_chdir}, {"links", do_links}, {"properties", do_properties}, {"devices", do_devices}, {"signals", do_signals}, {"nothing", do_nothing}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i].name, argv[1])) all[i].run();
  return 0;
}
