/* What a run that is only tried may do to the world: nothing. It starts no other programs and sends no signals, and the ways in which programs
   say that they failed are noted. Files are in files.c. */
#include "hooks.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- ends ------------------------------------------------------------------------------------------------------------- */

static void failed(int end) {
  fflush(stdout);
  bf_stop_run(end);
}
static void assertion(const char *e, const char *file, unsigned line) {
  const char *slash = strrchr(file, '/');
  snprintf(bf_shared->said, sizeof bf_shared->said, "%s:%u: %s", slash ? slash + 1 : file, line, e);
  failed(END_ASSERT);
}
void __cf_w___assert_fail(const char *e, const char *file, unsigned line, const char *function) { assertion(e, file, line); }
void __cf_w___assert(const char *e, const char *file, int line) { assertion(e, file, (unsigned)line); }
void __cf_w_abort(void) { failed(END_ASSERT); }
void __cf_w_reach_error(void) { failed(END_ERROR); }
void __cf_w___VERIFIER_error(void) { failed(END_ERROR); }
void __cf_failed(void) { failed(END_ERROR); }
void __cf_w___VERIFIER_assume(int c) {
  if (!c) failed(END_ASSUME);
}

/* ---- nondeterministic values: given ones in order, then 0 --------------------------------------------------------------- */

static const u64 *given;
static u64 count, next;
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
void bf_nondet_give(const u64 *values, u64 n) { given = values, count = n; }

/* ---- refused: they would reach beyond the run ---------------------------------------------------------------------------- */

static int refuse(int error) {
  bf_shared->refused++;
  errno = error;
  return -1;
}
#define REFUSED(name) int __cf_w_##name(void) { return refuse(EACCES); }
REFUSED(system)
REFUSED(fork)
REFUSED(vfork)
REFUSED(_Fork)
REFUSED(forkpty)
REFUSED(daemon)
REFUSED(execl)
REFUSED(execle)
REFUSED(execlp)
REFUSED(execv)
REFUSED(execve)
REFUSED(execvp)
REFUSED(execvpe)
REFUSED(fexecve)
REFUSED(killpg)
REFUSED(sigqueue)
REFUSED(mkfifo)
REFUSED(mkfifoat)
REFUSED(mknod)
REFUSED(mknodat)
REFUSED(linkat)
REFUSED(symlinkat)
REFUSED(lchown)
REFUSED(fchownat)
REFUSED(lutimes)
REFUSED(futimesat)
REFUSED(setxattr)
REFUSED(removexattr)
REFUSED(socket)
REFUSED(shmget)
REFUSED(semget)
REFUSED(msgget)
REFUSED(mq_open)
REFUSED(mq_unlink)
REFUSED(sem_unlink)
REFUSED(ptrace)
REFUSED(chroot)
REFUSED(mount)
REFUSED(umount)
REFUSED(reboot)
REFUSED(sethostname)
REFUSED(settimeofday)
REFUSED(clock_settime)
REFUSED(fsetxattr)
REFUSED(fremovexattr)
REFUSED(lsetxattr)
REFUSED(lremovexattr)
int __cf_w_posix_spawn(void) { return refuse(EACCES), EACCES; }
int __cf_w_posix_spawnp(void) { return refuse(EACCES), EACCES; }
FILE *__cf_w_popen(const char *command, const char *mode) { return refuse(EACCES), (FILE *)0; }
void *__cf_w_sem_open(const char *name, int flags, ...) { return refuse(EACCES), (void *)0; }

int __cf_w_kill(pid_t process, int sig) { return process == getpid() || !process ? raise(sig) : refuse(EPERM); }

long __cf_w_syscall(long number, ...) {
  static const long harmless[] = {SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrandom, SYS_clock_gettime,
                                  SYS_gettimeofday, SYS_time, SYS_getcpu, SYS_sched_yield, SYS_futex, SYS_read, SYS_write, SYS_lseek, SYS_fstat, SYS_close};
  long a[6];
  va_list l;
  va_start(l, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(l, long);
  va_end(l);
  for (unsigned i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (number == harmless[i]) return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return refuse(ENOSYS);
}

/* ---- waiting takes no time ------------------------------------------------------------------------------------------------- */

unsigned __cf_w_sleep(unsigned seconds) { return 0; }
int __cf_w_usleep(unsigned microseconds) { return 0; }
int __cf_w_nanosleep(const struct timespec *time, struct timespec *left) { return 0; }
int __cf_w_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) { return 0; }
