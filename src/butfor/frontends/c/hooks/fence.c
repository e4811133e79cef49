/* The fence around runs that are only tried, for what they do not do through the functions in libc/replacements: the kernel itself forbids it.
   Landlock: nothing outside the folder is written or run, no device is read, no signal leaves. Capabilities: none but those that files are read with.
   Seccomp: only the calls in call_filter.c. All are set up once and hold for all runs at no cost; a kernel that has not all of them is no error
   (`butfor doctor` says which it has). */
#include "fence.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

struct fence_state bf_fence_state;

long bf_system_call(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  register u64 r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

/* ---- files: Landlock ---------------------------------------------------------------------------------------------------------- */

/* From linux/landlock.h, which may be older than the kernel. */
struct ruleset { u64 files, network, scopes; };
struct beneath { u64 allowed; int fd; } __attribute__((packed));
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
#define EXECUTE 0x1ull
#define WRITE_FILE 0x2ull
#define READ_FILE 0x4ull
#define CHANGES 0x1ff2ull /* write, remove, make; not: execute, read, list */
#define MAKE_DEVICES 0xa40ull /* and sockets */
#define REFER 0x2000ull
#define TRUNCATE 0x4000ull
#define NO_ABSTRACT_SOCKETS 1ull
#define NO_SIGNALS 2ull
#define WITH_SCOPES 6 /* versions of Landlock */
#define WITH_NETWORK 4
#define WITH_TRUNCATE 3
#define WITH_REFER 2

static void allow(int rules, const char *path, u64 what) {
  struct beneath rule = {what, open(path, O_PATH | O_CLOEXEC)};
  if (rule.fd < 0) return;
  if (syscall(ADD_RULE, rules, 1, &rule, 0) && what & READ_FILE) rule.allowed = READ_FILE, syscall(ADD_RULE, rules, 1, &rule, 0); /* of a file that is no folder */
  close(rule.fd);
}

/* All that can be read lies below the root but not below /dev. The library's functions would allocate: the program's heap stays as it is. */
static int allow_reading(int rules) {
  static char part[16384], path[300];
  int list = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return 0;
  for (long n; (n = syscall(SYS_getdents64, list, part, sizeof part)) > 0;)
    for (long at = 0; at < n; at += *(u16 *)(part + at + 16)) {
      const char *name = part + at + 19;
      if (!strcmp(name, "dev") || !strcmp(name, ".") || !strcmp(name, "..")) continue;
      path[0] = '/';
      strncpy(path + 1, name, sizeof path - 2);
      allow(rules, path, READ_FILE);
    }
  close(list);
  return 1;
}

static void fence_files(const char *folder) {
  long version = syscall(CREATE_RULESET, 0, 0, 1);
  if (version < 1) return;
  u64 all = EXECUTE | READ_FILE | CHANGES | (version >= WITH_REFER ? REFER : 0) | (version >= WITH_TRUNCATE ? TRUNCATE : 0);
  struct ruleset set = {all, version >= WITH_NETWORK ? 3 : 0, version >= WITH_SCOPES ? NO_ABSTRACT_SOCKETS | NO_SIGNALS : 0};
  size_t size = version >= WITH_SCOPES ? sizeof set : version >= WITH_NETWORK ? offsetof(struct ruleset, scopes) : offsetof(struct ruleset, network);
  int rules = (int)syscall(CREATE_RULESET, &set, size, 0);
  if (rules < 0) return;
  if (!allow_reading(rules)) allow(rules, "/", READ_FILE);
  allow(rules, "/dev/shm", READ_FILE);
  allow(rules, folder, all & ~(EXECUTE | MAKE_DEVICES));
  static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"};
  for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) allow(rules, devices[i], READ_FILE | (i < 4 ? WRITE_FILE | (all & TRUNCATE) : 0));
  int is_set = !syscall(RESTRICT_SELF, rules, 0);
  close(rules);
  bf_fence_state.has_files = is_set && version >= WITH_TRUNCATE;
  bf_fence_state.has_signals = is_set && version >= WITH_SCOPES;
}

/* ---- capabilities of the superuser, but for those that decide which files can be read ------------------------------------------------- */

#define CAPABILITY(k) (1u << (k))
static void drop_capabilities(void) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &head, data)) return;
  u32 kept = CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_FOWNER) | CAPABILITY(CAP_FSETID);
  data[0].effective &= kept, data[0].permitted &= kept, data[0].inheritable = 0;
  data[1].effective = data[1].permitted = data[1].inheritable = 0;
  syscall(SYS_capset, &head, data);
}

/* ---- what the filter traps: done where it turns out to reach nothing beyond the run, else refused and noted ------------------------------ */

static u64 own(void) { return bf_fence_state.password; }
static int is_me(u64 process) { return (int)process == (int)bf_system_call(SYS_getpid, 0, 0, 0, 0, 0, 0); }

/* Landlock still has its say about what is behind the names of descriptors. */
static int may_open(const char *path) {
  static const char *const all[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}, *const own_files[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(path, all[i]) || (bf_fence_state.has_files && !strcmp(path, own_files[i]))) return 1;
  return 0;
}

/* Whether the call is fine; its result then. */
static int is_fine(long number, const u64 *a, long *result) {
  const char *first = (const char *)a[0], *second = (const char *)a[1];
  switch (number) {
  case SYS_kill: return (is_me(a[0]) || !(int)a[0]) && (*result = bf_system_call(SYS_kill, bf_system_call(SYS_getpid, 0, 0, 0, 0, 0, 0), a[1], own(), 0, 0, 0), 1);
  case SYS_tgkill: return is_me(a[0]) && (*result = bf_system_call(SYS_tgkill, a[0], a[1], a[2], own(), 0, 0), 1);
  case SYS_prlimit64: case SYS_sched_setaffinity: case SYS_sched_setscheduler: case SYS_sched_setparam:
    return is_me(a[0]) && (*result = bf_system_call(number, 0, a[1], a[2], a[3], 0, 0), 1);
  case SYS_setpriority: return !a[0] && is_me(a[1]) && (*result = bf_system_call(number, 0, 0, a[2], 0, 0, 0), 1);
  case SYS_open: return may_open(first) && (*result = bf_system_call(SYS_open, a[0], a[1], a[2], own(), 0, 0), 1);
  case SYS_creat: return may_open(first) && (*result = bf_system_call(SYS_open, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1], own(), 0, 0), 1);
  case SYS_openat: return may_open(second) && (*result = bf_system_call(SYS_openat, a[0], a[1], a[2], a[3], own(), 0), 1);
  default: return 0;
  }
}

static void on_refused(int signal, siginfo_t *info, void *context) {
  (void)signal;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  u64 arguments[] = {(u64)r[REG_RDI], (u64)r[REG_RSI], (u64)r[REG_RDX], (u64)r[REG_R10], (u64)r[REG_R8], (u64)r[REG_R9]};
  long result;
  if (!is_fine(info->si_syscall, arguments, &result)) {
    result = -(long)(info->si_errno ? info->si_errno : EPERM);
    bf_note_refused();
  }
  r[REG_RAX] = result;
}

void bf_fence(const char *folder, int kind) {
  bf_fence_state.kind = (enum fence)kind;
  if (getrandom(&bf_fence_state.password, sizeof bf_fence_state.password, GRND_NONBLOCK) < 0) bf_fence_state.password = (u64)getpid() * 0x9e3779b97f4a7c15ull;
  if (!bf_fence_state.password) bf_fence_state.password = 1; /* 0 is what calls have there that do not know it */
  struct sigaction trap = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
  sigaction(SIGSYS, &trap, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* runs do not look into the server through /proc */
  fence_files(folder);
  drop_capabilities();
  bf_filter_calls();
}

int bf_fork(void) { return (int)syscall(SYS_clone, SIGCHLD, 0, own(), 0, 0); }
int bf_kill(int process, int signal) { return (int)syscall(SYS_kill, process, signal, own()); }
int bf_fchmod(int file, unsigned mode) { return (int)syscall(SYS_fchmod, file, mode, own()); }
int bf_futimens(int file, const struct timespec *times) { return (int)syscall(SYS_utimensat, file, 0, times, 0, own()); }
int bf_open(const char *path, int flags, unsigned mode) { return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode, own()); }
int bf_unlink(const char *path) { return (int)syscall(SYS_unlink, path, own()); }
